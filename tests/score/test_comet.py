"""COMET over a tiny checkpoint, against its definition one text at a time."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_networks as tiny
import torch
import yaml
from agreement_networks import WrittenComet

from evaluator.records.errors import UserError
from evaluator.score.metrics import Checkpoint, report, with_weights

ANSWERS = list(tiny.TEXTS)
REFERENCES = ANSWERS[1:] + ANSWERS[:1]
SOURCES = ANSWERS[2:] + ANSWERS[:2]
NAMES = ("layer", "layer_transformation", "layer_norm", "pool", "final_activation")
SETTINGS = [
    dict(zip(NAMES, one, strict=True))
    for one in (
        *itertools.product(("mix",), ("softmax", "sparsemax"), (True, False), ("avg",), (None,)),
        ("mix", "sparsemax", False, "avg", "Sigmoid"),
    )
]


def ratings(folder: Path) -> list[float]:
    return list(
        report(
            ANSWERS, REFERENCES, "generation", [with_weights(Checkpoint("comet", folder))], sources=SOURCES
        )
        .scores["comet"]
        .per_item  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda one: "-".join(map(str, one.values())))
def test_ratings_are_the_definition(tmp_path: Path, settings: dict[str, Any]) -> None:
    """Layers mixed or one alone, softmax or sparsemax, normed or not, and each pooling."""
    folder = tiny.comet(tmp_path / "comet", **settings)
    written = WrittenComet(folder, settings)
    expected = [written.rating(*row) for row in zip(ANSWERS, REFERENCES, SOURCES, strict=True)]
    assert np.std(expected) > 1e-3
    assert ratings(folder) == pytest.approx(expected, abs=1e-5)


def test_it_needs_sources(tmp_path: Path) -> None:
    """The text that was translated is part of the rating."""
    metric = with_weights(Checkpoint("comet", tiny.comet(tmp_path / "comet")))
    with pytest.raises(UserError, match="comet: needs sources"):
        report(ANSWERS, REFERENCES, "generation", [metric])
    with pytest.raises(UserError, match="sources: not 6 texts, one an item"):
        report(ANSWERS, REFERENCES, "generation", [metric], sources=SOURCES[1:])


def broken(folder: Path, what: str) -> None:
    weights = folder / "checkpoints" / "model.ckpt"
    if what == "kind":
        (folder / "hparams.yaml").write_text(yaml.safe_dump({"class_identifier": "ranking_metric"}))
    elif what == "settings":
        (folder / "hparams.yaml").write_text("[]")
    elif what == "activation":
        (folder / "hparams.yaml").write_text(yaml.safe_dump(tiny.COMET | {"activations": "wobble"}))
    elif what == "weights":
        weights.unlink()
    elif what == "code":
        torch.save({"state_dict": {"a": Path("x")}}, weights)
    else:
        kept = torch.load(weights)["state_dict"]
        torch.save({"state_dict": {n: w for n, w in kept.items() if "word_embeddings" not in n}}, weights)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("kind", "hparams.yaml: class_identifier 'ranking_metric' is not read; only 'regression_metric' is"),
        ("settings", "hparams.yaml: it does not say class_identifier"),
        ("activation", "torch has no activation 'wobble'"),
        ("weights", "model.ckpt: no such file; put the checkpoint there"),
        ("code", "model.ckpt: .*save its state_dict as plain tensors"),
        ("lacking", "the checkpoint lacks embeddings.word_embeddings.weight of its encoder"),
    ],
)
def test_a_checkpoint_that_cannot_be_read_says_why(tmp_path: Path, what: str, message: str) -> None:
    """Another kind, files that are not there or not COMET's, and files with more than tensors."""
    folder = tiny.comet(tmp_path / "comet")
    broken(folder, what)
    with pytest.raises(UserError, match=f"comet: .*{message}"):
        ratings(folder)
