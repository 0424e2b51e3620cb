"""A transformers sequence classifier from a local directory or from the hub at a pinned commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.models.base import Model, ModelError, known_options, map_labels, need, text_field
from evaluator.models.hub import hub_directory

LONGEST = 512


@dataclass(frozen=True)
class Classifier:
    """A sequence classifier with its tokeniser; texts are cut to `max_length` tokens."""

    torch: Any
    tokenizer: Any
    network: Any
    field: str
    classes: tuple[str, ...]
    max_length: int

    def predict(self, example: dict[str, Any]) -> Any:
        """The likeliest label, with the softmax over all classes as probabilities."""
        return self.predict_batch([example])[0]

    def predict_batch(self, examples: Sequence[dict[str, Any]]) -> list[Any]:
        """One answer for each example, from one padded batch."""
        texts = [example[self.field] for example in examples]
        batch = self.tokenizer(
            texts, padding=True, truncation=True, max_length=self.max_length, return_tensors="pt"
        )
        with self.torch.inference_mode():
            logits = self.network(**batch).logits
        return [self._answer(row) for row in logits.double().softmax(-1).tolist()]

    def _answer(self, row: list[float]) -> dict[str, Any]:
        shares = dict(zip(self.classes, row, strict=True))
        return {"label": max(shares, key=shares.__getitem__), "probabilities": shares}


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load the classifier in `directory`, or the hub's `model` at `revision`, a full commit hash.

    Further options: `label_map` from the names in the model's ``id2label`` to the task's labels, and
    `max_length` in tokens (default: what the model allows, at most 512). Code that comes with a model
    is not run. Raises `ModelError` if files are missing or classes are not the task's labels; a hub
    model that is neither cached nor reachable is an error within seconds.
    """
    known_options("transformers", options, ("model", "revision", "label_map", "max_length"))
    if "model" in options:
        directory = hub_directory(options["model"], options.get("revision"))
    if not (directory / "config.json").is_file():
        raise ModelError(f"{directory / 'config.json'}: no such file; save the model with save_pretrained")
    torch, transformers = need("torch"), need("transformers")
    transformers.utils.logging.disable_progress_bar()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(directory, local_files_only=True)
        network = transformers.AutoModelForSequenceClassification.from_pretrained(
            directory, local_files_only=True
        ).eval()
    except OSError as error:
        raise ModelError(f"{directory}: {error}; save model and tokeniser with save_pretrained") from error
    names = [network.config.id2label[index] for index in range(network.config.num_labels)]
    classes = map_labels(str(directory / "config.json"), names, options, labels)
    length = _length(options, tokenizer, network)
    return Classifier(torch, tokenizer, network, text_field(task), classes, length)


def _length(options: Mapping[str, Any], tokenizer: Any, network: Any) -> int:
    """The most tokens a text may have, so that no position lies outside the model."""
    allowed = min(
        LONGEST, tokenizer.model_max_length, getattr(network.config, "max_position_embeddings", LONGEST)
    )
    wanted = options.get("max_length", allowed)
    if isinstance(wanted, bool) or not isinstance(wanted, int) or not 3 <= wanted <= allowed:
        raise ModelError(
            f"options.max_length: {wanted!r} is not a whole number from 3 to {allowed}; correct it"
        )
    return wanted
