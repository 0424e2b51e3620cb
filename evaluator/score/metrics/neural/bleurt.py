"""BLEURT (Sellam et al. 2020): a fine-tuned encoder's rating of an answer beside its reference.

The published checkpoints are TensorFlow's. What is read here is their usual PyTorch form: a folder saved
with transformers' save_pretrained whose network classifies pairs into a single output, such as a
`BertForSequenceClassification` with ``num_labels=1``. The rating is that output, linear in the pooled
vector of ``[CLS] reference [SEP] answer [SEP]`` (section 3). Its scale is the checkpoint's: about 0 to 1
for BLEURT-20, a standard score for the older ones.
"""

from __future__ import annotations

from evaluator.score.metrics.base import Floats, MetricError, Scored
from evaluator.score.metrics.neural.checkpoint import Checkpoint, token_room
from evaluator.score.metrics.neural.network import Scorer, floored, stripped_pairs
from evaluator.score.metrics.texts import Texts


class Bleurt:
    """BLEURT by one network; it has no options."""

    settings = ""

    def __init__(self, checkpoint: Checkpoint) -> None:
        checkpoint.check_options(())
        self.scores = Scorer(lambda: _Rater(checkpoint).rate)

    def __call__(self, items: Texts) -> Scored:
        """Mean rating beside the best reference; an empty answer's is 0 at most."""
        left, right = stripped_pairs(items)
        each = items.reduced(floored(self.scores(right, left)[0], left, 0.0))[0]
        return Scored(float(each.mean()), each)


class _Rater:
    def __init__(self, checkpoint: Checkpoint) -> None:
        found = checkpoint.read("AutoModelForSequenceClassification")
        self.torch, self.tokenizer, self.network = found.torch, found.tokenizer, found.network
        if (outputs := found.network.config.num_labels) != 1:
            raise MetricError(
                f"bleurt: {found.directory}: its network has {outputs} outputs; a rating is a single one"
            )
        self.room = token_room(found.network.config, found.tokenizer)

    def rate(self, references: list[str], answers: list[str]) -> Floats:
        """Ratings (1, p) of p answers."""
        found = self.tokenizer(
            references, answers, padding=True, truncation=True, max_length=self.room, return_tensors="pt"
        )
        with self.torch.inference_mode():
            rating: Floats = self.network(**found).logits.double().T.numpy()
        return rating
