"""BERTScore (Zhang et al. 2020, section 3) over an encoder, equal to bert-score 0.3.

Without inverse document frequencies and without rescaling: each token of one text is matched with the most
similar token of the other (cosine of the chosen layer's vectors), special tokens may be matched but are not
averaged over, and F1 is of the mean similarities both ways. Scores are in per cent. Where no token of a
text is alike any of the other, bert-score's value depends on its padding; ours does not.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from evaluator.score.metrics.base import Floats, MetricError, Scored
from evaluator.score.metrics.neural.checkpoint import Checkpoint, token_room
from evaluator.score.metrics.neural.network import Scorer, stripped_pairs
from evaluator.score.metrics.texts import Texts

#: Tokenisers that read a word at a text's start like any other only if told to.
_SPACED = ("roberta", "gpt2")


class BertScore:
    """BERTScore by one encoder; `checkpoint` may have the option `layer`."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        checkpoint.check_options(("layer",))
        layer = checkpoint.option("layer", int, -1)
        self.settings = f"-layer{layer}"
        self.scores = Scorer(lambda: _Encoder(checkpoint, layer).compare)

    def __call__(self, items: Texts) -> Scored:
        """Mean F1 of the best reference; `parts` are the mean precision and recall of those pairs."""
        precision, recall = 100.0 * self.scores(*stripped_pairs(items))
        total = precision + recall
        f1 = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
        each, precise, recalled = items.reduced(f1, precision, recall)
        return Scored(
            float(each.mean()), each, {"precision": float(precise.mean()), "recall": float(recalled.mean())}
        )


class _Encoder:
    def __init__(self, checkpoint: Checkpoint, layer: int) -> None:
        spaced = {"add_prefix_space": True} if _is_spaced(checkpoint) else {}
        found = checkpoint.read("AutoModel", may_lack=("pooler",), **spaced)
        self.torch, self.tokenizer = found.torch, found.tokenizer
        config = found.network.config
        self.network: Any = found.network.get_encoder() if config.is_encoder_decoder else found.network
        self.room = token_room(config, found.tokenizer)
        layers = config.num_hidden_layers
        if not -layers - 1 <= layer <= layers:
            raise MetricError(f"bertscore: layer {layer} of a model with {layers}")
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
        found = self.tokenizer(
            texts,
            padding=True,
            truncation=True,
            max_length=self.room,
            return_tensors="pt",
            return_special_tokens_mask=True,
        )
        special = found.pop("special_tokens_mask").bool()
        with self.torch.inference_mode():
            hidden = self.network(**found, output_hidden_states=True).hidden_states[self.layer]
        there = found["attention_mask"].bool()
        return self.torch.nn.functional.normalize(hidden.float(), dim=-1), there, there & ~special

    def _mean(self, best: Any, counted: Any) -> Any:
        return (best * counted).sum(dim=1) / counted.sum(dim=1).clamp(min=1)


def _is_spaced(checkpoint: Checkpoint) -> bool:
    file = checkpoint.directory / "config.json"
    return file.is_file() and json.loads(file.read_text(encoding="utf-8")).get("model_type") in _SPACED
