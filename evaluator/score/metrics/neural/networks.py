"""Networks that score texts: what they share, and BERTScore, BLEURT, BARTScore, Prism and perplexity."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from evaluator.records.base import file_sha256
from evaluator.records.board import CheckpointSpec
from evaluator.records.errors import UserError
from evaluator.score.metrics.base import Floats, Scored, mean_of, package
from evaluator.score.metrics.texts import Texts
from evaluator.score.pretrained import read_pretrained

#: Texts asked at once.
AT_ONCE = 32
#: The longest input, in tokens, of networks that state no limit of their own.
LONGEST = 512
_MANY = 10**9
#: Networks whose positions are counted from the one after that of padding.
_SHIFTED = ("roberta", "camembert", "longformer", "mpnet", "esm")
#: Tokenisers that read a word at a text's start like any other only if told to.
_SPACED = ("roberta", "gpt2")


def weights_folder(checkpoint: CheckpointSpec, root: Path = Path()) -> Path:
    """Where the weights are. Raises `UserError` if they are not on this machine."""
    metric, model, revision = checkpoint.metric, checkpoint.model, checkpoint.revision
    if checkpoint.path is not None:
        if not (root / checkpoint.path).is_dir():
            raise UserError(f"{metric}: {root / checkpoint.path}", "no such folder", "put its weights there")
        return root / checkpoint.path
    hub = package("huggingface_hub", metric, "transformers")
    try:
        return Path(hub.snapshot_download(model, revision=revision, local_files_only=True))
    except (hub.errors.LocalEntryNotFoundError, ValueError):
        wrong = f"{model} is not in the cache of this machine, and metrics fetch nothing"
        fix = f"where there is a network, run: hf download {model} --revision {revision}"
        raise UserError(metric, wrong, fix) from None


class Network:
    """The network of one metric's checkpoint, opened when texts are first scored.

    A metric says by which of transformers' Auto classes its network answers (`head`), the type of each of
    its `options`, and the `settings` that are part of its version. Raises `UserError` for other options; when
    it scores, where the files or a package are missing or broken.
    """

    head: ClassVar[str]
    options: ClassVar[Mapping[str, type]] = {}
    settings = ""
    #: The metric's function, and the numbers (k, n) that the network gives n rows of texts at once.
    scored: Callable[[Texts], Scored]
    ask: Callable[..., Floats]

    def __init__(self, checkpoint: CheckpointSpec, root: Path) -> None:
        self.checkpoint, self.root = checkpoint, root
        self._opened = False
        self._known: dict[tuple[tuple[str, ...], ...], Floats] = {}
        for name, value in checkpoint.options.items():
            place = f"{checkpoint.metric}: options.{name}"
            if name not in self.options:
                fix = f"use only {', '.join(self.options)}" if self.options else "leave options out"
                raise UserError(place, "there is no such option", fix)
            if not isinstance(value, self.options[name]) or isinstance(value, bool):
                raise UserError(place, f"{value!r} is no {self.options[name].__name__}")

    @cached_property
    def folder(self) -> Path:
        """Where the weights are."""
        return weights_folder(self.checkpoint, self.root)

    @cached_property
    def identity(self) -> str:
        """What a version names the weights by: the start of the commit, or of the hash of all files."""
        if self.checkpoint.revision is not None:
            return self.checkpoint.revision[:12]
        whole = hashlib.sha256()
        for path in sorted(path for path in self.folder.rglob("*") if path.is_file()):
            own = file_sha256(path)
            whole.update(f"{path.relative_to(self.folder).as_posix()} {own}\n".encode())
        return whole.hexdigest()[:12]

    def answers(self, *columns: list[str]) -> Floats:
        """The numbers (k, n) of n rows of texts, rows of similar length asked together, the longest first.

        The same texts are asked once in a process: a board needs their scores, and how far each moves the
        mean.
        """
        key = tuple(map(tuple, columns))
        if key not in self._known:
            if not self._opened:
                self.open()
                self._opened = True
            lengths = [max(map(len, row)) for row in zip(*columns, strict=True)]
            order = np.argsort(lengths, kind="stable")[::-1]
            batches = [order[at : at + AT_ONCE] for at in range(0, len(order), AT_ONCE)]
            with self.torch.inference_mode():
                found = [self.ask(*([column[row] for row in rows] for column in columns)) for rows in batches]
            self._known[key] = np.concatenate(found, axis=1)[:, np.argsort(order)]
        return self._known[key]

    def open(self, **how: Any) -> None:
        """Read network and tokeniser; inputs are cut off after `room` tokens, special ones included."""
        metric = self.checkpoint.metric
        self.torch: Any = package("torch", metric, "transformers")
        package("transformers", metric, "transformers")
        try:
            found = read_pretrained(self.head, self.folder, **how)
        except UserError as error:
            raise UserError(f"{metric}: {error.place}", error.value, error.fix) from None
        self.tokenizer, self.network = found.tokenizer, found.network
        config = found.network.config
        positions = getattr(config, "max_position_embeddings", None) or 0
        if any(name in config.model_type for name in _SHIFTED):
            positions -= (config.pad_token_id or 0) + 1
        known = [limit for limit in (self.tokenizer.model_max_length, positions) if 0 < limit < _MANY]
        self.room = min(known, default=LONGEST)

    def refuse(self, why: str) -> UserError:
        return UserError(f"{self.checkpoint.metric}: {self.folder}", why)

    def tokens(self, *texts: list[str], **options: Any) -> Any:
        return self.tokenizer(
            *texts, padding=True, truncation=True, max_length=self.room, return_tensors="pt", **options
        )


def stripped_pairs(items: Texts) -> tuple[list[str], list[str]]:
    """The prediction and the reference of each pair, without white space around them."""
    left, right = items.pair_sequences(items.form(str.strip))
    return left, right


def limited(scores: Floats, predictions: list[str], most: float) -> Floats:
    """The scores of pairs (p,), where that of an empty prediction is `most` at most.

    A network may find nothing better than something wrong; nobody gains by not answering.
    """
    empty = np.array([not text for text in predictions])
    return np.where(empty, np.minimum(scores, most), scores)


def with_parts(each: Floats, precision: Floats, recall: Floats) -> Scored:
    """The mean over items, with those of precision and recall as parts."""
    return mean_of(each, precision=float(precision.mean()), recall=float(recall.mean()))


class BERTScore(Network):
    """BERTScore (Zhang et al. 2020, section 3) in per cent, equal to bert-score 0.3; option `layer`.

    Without inverse document frequencies and rescaling. Special tokens may be matched but are not averaged
    over. Where no token of a text is alike any of the other, bert-score's value depends on its padding; ours
    does not.
    """

    head = "AutoModel"
    options = {"layer": int}

    def __init__(self, checkpoint: CheckpointSpec, root: Path) -> None:
        super().__init__(checkpoint, root)
        self.layer = checkpoint.options.get("layer", -1)
        self.settings = f"-layer{self.layer}"

    def open(self, **how: Any) -> None:
        file = self.folder / "config.json"
        kind = json.loads(file.read_text(encoding="utf-8")).get("model_type") if file.is_file() else None
        spaced = {"add_prefix_space": True} if kind in _SPACED else {}
        super().open(may_lack=("pooler",), **spaced)
        if self.network.config.is_encoder_decoder:
            self.network = self.network.get_encoder()
        layers = self.network.config.num_hidden_layers
        if not -layers - 1 <= self.layer <= layers:
            raise self.refuse(f"options.layer: {self.layer} of a model with {layers}")

    def scored(self, items: Texts) -> Scored:
        precision, recall = 100.0 * self.answers(*stripped_pairs(items))
        total = precision + recall
        f1 = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
        return with_parts(*items.reduced(f1, precision, recall))

    def ask(self, left: list[str], right: list[str]) -> Floats:
        """Precision and recall (2, p), 0 to 1; 0 where a text is empty."""
        ours, here, counted_here = self._vectors(left)
        theirs, there, counted_there = self._vectors(right)
        alike = ours @ theirs.transpose(1, 2)
        alike = alike.masked_fill(~(here[:, :, None] & there[:, None, :]), -1.0)
        means = [
            (best * counted).sum(dim=1) / counted.sum(dim=1).clamp(min=1)
            for best, counted in ((alike.amax(dim=2), counted_here), (alike.amax(dim=1), counted_there))
        ]
        both = counted_here.any(dim=1) & counted_there.any(dim=1)
        return self.torch.stack(means).where(both, 0.0).double().numpy()  # type: ignore[no-any-return]

    def _vectors(self, texts: list[str]) -> tuple[Any, Any, Any]:
        """Unit vectors (p, tokens, width), which tokens there are, and which are averaged over."""
        found = self.tokens(texts, return_special_tokens_mask=True)
        special = found.pop("special_tokens_mask").bool()
        hidden = self.network(**found, output_hidden_states=True).hidden_states[self.layer]
        there = found["attention_mask"].bool()
        return self.torch.nn.functional.normalize(hidden.float(), dim=-1), there, there & ~special


class BLEURT(Network):
    """BLEURT (Sellam et al. 2020): an encoder's rating of an answer beside its reference.

    Read is the PyTorch form of the published checkpoints: a network that classifies pairs into a single
    output, in the checkpoint's own scale. An empty answer's rating is 0 at most.
    """

    head = "AutoModelForSequenceClassification"

    def open(self, **how: Any) -> None:
        super().open()
        if (outputs := self.network.config.num_labels) != 1:
            raise self.refuse(f"its network has {outputs} outputs; a rating is a single one")

    def scored(self, items: Texts) -> Scored:
        left, right = stripped_pairs(items)
        return mean_of(items.reduced(limited(self.answers(right, left)[0], left, 0.0))[0])

    def ask(self, references: list[str], answers: list[str]) -> Floats:
        """Ratings (1, p) of p answers."""
        return self.network(**self.tokens(references, answers)).logits.double().T.numpy()  # type: ignore[no-any-return]


def _mean_log_probability(logits: Any, ids: Any, counted: Any) -> Floats:
    """The mean log-probability (p,) in nats of the counted tokens (p, tokens); NaN where none is counted."""
    each = logits.float().log_softmax(dim=-1).gather(2, ids[:, :, None])[:, :, 0]
    return ((each * counted).sum(dim=1) / counted.sum(dim=1)).double().numpy()  # type: ignore[no-any-return]


class BARTScore(Network):
    """BARTScore (Yuan et al. 2021, equation 2 with equal weights) in nats a token.

    Precision is the mean log-probability of the answer's tokens given the reference, recall that of the
    reference given the answer, and the value is their mean, the paper's F-score; Jury reports recall alone.
    """

    head = "AutoModelForSeq2SeqLM"
    #: Tokens at the start of a target that are given, not written.
    given = 0

    def scored(self, items: Texts) -> Scored:
        left, right = stripped_pairs(items)
        precision, recall, at_random = self.answers(left, right)
        both = limited((precision + recall) / 2, left, float(at_random[0]))
        return with_parts(*items.reduced(both, precision, recall))

    def ask(self, left: list[str], right: list[str]) -> Floats:
        """Log-probabilities (3, p) in nats a token: left given right, the reverse, and tokens at random."""
        at_random = -math.log(self.network.config.vocab_size)
        return np.stack([self._of(right, left), self._of(left, right), np.full(len(left), at_random)])

    def _of(self, sources: list[str], targets: list[str]) -> Floats:
        """The mean log-probability (p,) of the tokens of each target given its source."""
        given, target = self.tokens(sources), self.tokens(text_target=targets)
        labels, counted = target["input_ids"], target["attention_mask"].bool()
        logits = self.network(
            input_ids=given["input_ids"],
            attention_mask=given["attention_mask"],
            labels=labels.masked_fill(~counted, -100),
        ).logits
        counted[:, : self.given] = False
        return _mean_log_probability(logits, labels, counted)


class Prism(BARTScore):
    """Prism (Thompson and Post 2020, section 3.1) in nats a token.

    BARTScore by a translation model (M2M100, NLLB or another whose tokeniser knows languages) that is told to
    write the language it reads: the option `language`, as the tokeniser calls it. The token that names it is
    given, so its probability is left out. The authors' own checkpoint is fairseq's and has to be converted.
    """

    options = {"language": str}
    given = 1

    def __init__(self, checkpoint: CheckpointSpec, root: Path) -> None:
        super().__init__(checkpoint, root)
        if "language" not in checkpoint.options:
            fix = 'name the language of the texts, such as "en"'
            raise UserError("prism: options.language", "missing", fix)
        self.language = checkpoint.options["language"]
        self.settings = f"-{self.language}"

    def open(self, **how: Any) -> None:
        super().open()
        try:
            self.tokenizer.src_lang = self.tokenizer.tgt_lang = self.language
            first = self.tokenizer.convert_ids_to_tokens(self.tokenizer(text_target="a")["input_ids"][0])
        except (KeyError, ValueError, AttributeError):
            first = ""
        if self.language not in first:
            raise self.refuse(f"options.language: the tokeniser knows no language {self.language!r}")


class Perplexity(Network):
    """Perplexity of the answers under a causal language model, whatever the references say.

    That of a text is exp of the mean negative log-likelihood of its tokens (Jelinek et al. 1977); the value
    is the mean over texts, as in the package evaluate. An empty answer, and any that is less probable than
    tokens drawn at random, counts as these do: the size of the vocabulary.
    """

    head = "AutoModelForCausalLM"

    def open(self, **how: Any) -> None:
        super().open()
        if self.tokenizer.bos_token_id is None:
            raise self.refuse("its tokeniser has no token to begin a text")

    def scored(self, items: Texts) -> Scored:
        own = self.answers(items.form(str.strip)[: len(items.predictions)])[0]
        return mean_of(items.reduced(own[items.left], lower=True)[0])

    def ask(self, texts: list[str]) -> Floats:
        """Perplexities (1, p) of p texts, 1 to the size of the vocabulary."""
        begin, pad = self.tokenizer.bos_token_id, self.torch.nn.utils.rnn.pad_sequence
        cut = self.tokenizer(texts, add_special_tokens=False, truncation=True, max_length=self.room - 1)
        rows = [self.torch.tensor([begin, *row]) for row in cut["input_ids"]]
        ids = pad(rows, batch_first=True, padding_value=begin)
        counted = pad([self.torch.ones(len(row), dtype=bool) for row in rows], batch_first=True)
        logits = self.network(input_ids=ids, attention_mask=counted.long()).logits[:, :-1]
        most = float(logits.shape[-1])
        found = np.exp(-_mean_log_probability(logits, ids[:, 1:], counted[:, 1:]))
        return np.minimum(np.nan_to_num(found, nan=most), most)[None]  # type: ignore[no-any-return]
