"""BERTScore and BLEURT, which ask an encoder."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from evaluator.score.metrics.base import Floats, Scored, mean_of
from evaluator.score.metrics.checkpoints import Checkpoint
from evaluator.score.metrics.neural.network import Made, Network, Scorer, limited, stripped_pairs, with_parts
from evaluator.score.metrics.texts import Texts

#: Tokenisers that read a word at a text's start like any other only if told to.
_SPACED = ("roberta", "gpt2")


def bertscore(checkpoint: Checkpoint) -> Made:
    """BERTScore (Zhang et al. 2020, section 3) in per cent, equal to bert-score 0.3; option `layer`.

    Without inverse document frequencies and without rescaling: each token of one text is matched with the
    most similar token of the other (cosine of the chosen layer's vectors), special tokens may be matched but
    are not averaged over, and F1 is of the mean similarities both ways. The best reference counts. Where no
    token of a text is alike any of the other, bert-score's value depends on its padding; ours does not.
    """
    checkpoint.check_options(layer=int)
    layer = checkpoint.options.get("layer", -1)
    compare = Scorer(lambda: _Encoder(checkpoint, layer).compare)

    def compute(items: Texts) -> Scored:
        precision, recall = 100.0 * compare(*stripped_pairs(items))
        total = precision + recall
        f1 = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
        return with_parts(*items.reduced(f1, precision, recall))

    return f"-layer{layer}", compute


class _Encoder(Network):
    def __init__(self, checkpoint: Checkpoint, layer: int) -> None:
        file = checkpoint.directory / "config.json"
        kind = json.loads(file.read_text(encoding="utf-8")).get("model_type") if file.is_file() else None
        spaced = {"add_prefix_space": True} if kind in _SPACED else {}
        super().__init__(checkpoint, "AutoModel", may_lack=("pooler",), **spaced)
        config = self.network.config
        if config.is_encoder_decoder:
            self.network = self.network.get_encoder()
        layers = config.num_hidden_layers
        if not -layers - 1 <= layer <= layers:
            raise self.refuse(f"options.layer: {layer} of a model with {layers}")
        self.layer = layer

    def compare(self, left: list[str], right: list[str]) -> Floats:
        """Precision and recall (2, p), from 0 to 1, of p pairs; 0 where a text is empty."""
        ours, here, counted_here = self._vectors(left)
        theirs, there, counted_there = self._vectors(right)
        alike = ours @ theirs.transpose(1, 2)
        alike = alike.masked_fill(~(here[:, :, None] & there[:, None, :]), -1.0)
        precision = self._mean(alike.amax(dim=2), counted_here)
        recall = self._mean(alike.amax(dim=1), counted_there)
        both = counted_here.any(dim=1) & counted_there.any(dim=1)
        found: Floats = self.torch.stack([precision, recall]).where(both, 0.0).double().numpy()
        return found

    def _vectors(self, texts: list[str]) -> tuple[Any, Any, Any]:
        """Unit vectors (p, tokens, width), which tokens there are, and which are averaged over."""
        found = self.tokens(texts, return_special_tokens_mask=True)
        special = found.pop("special_tokens_mask").bool()
        with self.torch.inference_mode():
            hidden = self.network(**found, output_hidden_states=True).hidden_states[self.layer]
        there = found["attention_mask"].bool()
        return self.torch.nn.functional.normalize(hidden.float(), dim=-1), there, there & ~special

    def _mean(self, best: Any, counted: Any) -> Any:
        return (best * counted).sum(dim=1) / counted.sum(dim=1).clamp(min=1)


def bleurt(checkpoint: Checkpoint) -> Made:
    """BLEURT (Sellam et al. 2020): an encoder's rating of an answer beside its reference; no options.

    The published checkpoints are TensorFlow's. What is read here is their usual PyTorch form: a folder saved
    with transformers' save_pretrained whose network classifies pairs into a single output, such as a
    `BertForSequenceClassification` with ``num_labels=1``. The rating is that output, linear in the pooled
    vector of ``[CLS] reference [SEP] answer [SEP]`` (section 3). Its scale is the checkpoint's: about 0 to 1
    for BLEURT-20, a standard score for the older ones. The best reference counts; an empty answer's rating is
    0 at most.
    """
    checkpoint.check_options()
    rate = Scorer(lambda: _Rater(checkpoint).rate)

    def compute(items: Texts) -> Scored:
        left, right = stripped_pairs(items)
        return mean_of(items.reduced(limited(rate(right, left)[0], left, 0.0))[0])

    return "", compute


class _Rater(Network):
    def __init__(self, checkpoint: Checkpoint) -> None:
        super().__init__(checkpoint, "AutoModelForSequenceClassification")
        if (outputs := self.network.config.num_labels) != 1:
            raise self.refuse(f"its network has {outputs} outputs; a rating is a single one")

    def rate(self, references: list[str], answers: list[str]) -> Floats:
        """Ratings (1, p) of p answers."""
        with self.torch.inference_mode():
            rating: Floats = self.network(**self.tokens(references, answers)).logits.double().T.numpy()
        return rating
