"""Metrics that ask a network, over tiny ones; that they equal their references is in `test_agreement`."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bert_score
import numpy as np
import pytest
import tiny_networks as tiny
import torch
import yaml
from agreement_networks import WrittenComet, log_probability, network

from evaluator.records.errors import UserError
from evaluator.score.metrics import (
    Checkpoint,
    Value,
    get_metric,
    report,
    use_checkpoints,
    with_weights,
)
from evaluator.score.metrics.neural import MAKERS

pytestmark = pytest.mark.slow

TEXTS = list(tiny.TEXTS)
OTHERS = TEXTS[1:] + TEXTS[:1]
PIN = "0123456789" * 4
#: A metric, what makes its network, and its options.
CASES: list[tuple[str, Callable[[Path], Path], dict[str, Any]]] = [
    ("bertscore", tiny.bert, {}),
    ("bleurt", tiny.rater, {}),
    ("comet", tiny.comet, {}),
    ("bartscore", tiny.bart, {}),
    ("prism", tiny.translator, {"language": "eng_Latn"}),
    ("perplexity", tiny.gpt, {}),
]
every_metric = pytest.mark.parametrize(("name", "make", "options"), CASES, ids=[case[0] for case in CASES])


Networks = Callable[[Callable[[Path], Path]], Path]


@pytest.fixture(scope="session")
def networks() -> Networks:
    """The folder of each network, made once."""
    return network


def score(name: str, folder: Path, predictions: list, references: list, **options: Any) -> Value:
    metric = with_weights(Checkpoint(name, folder, options=options))
    sources = ["the dog sat"] * len(predictions)
    return report(predictions, references, "generation", [metric], sources=sources).scores[name]


def test_bertscore_takes_the_layer_asked_for(networks: Networks) -> None:
    """Precision, recall and F1 of a layer equal bert-score's, and the last is the usual one."""
    folder = networks(tiny.bert)
    found = score("bertscore", folder, TEXTS, OTHERS, layer=1)
    expected = bert_score.score(TEXTS, OTHERS, model_type=str(folder), num_layers=1)
    means = [100 * float(one.mean()) for one in expected]
    assert [found.parts["precision"], found.parts["recall"], found.value] == pytest.approx(means, abs=1e-3)
    last = score("bertscore", folder, TEXTS, OTHERS, layer=2)
    assert score("bertscore", folder, TEXTS, OTHERS).value == last.value != found.value


@pytest.mark.parametrize(("name", "make"), [("bartscore", tiny.bart), ("prism", tiny.translator)])
def test_precision_is_of_the_answer_and_recall_of_the_reference(
    networks: Networks, name: str, make: Callable[[Path], Path]
) -> None:
    """Each is the mean of one direction, Prism's without the token of the language."""
    folder, language = networks(make), "eng_Latn" if name == "prism" else None
    found = score(name, folder, TEXTS[:3], OTHERS[:3], **({"language": language} if language else {}))
    pairs = list(zip(TEXTS[:3], OTHERS[:3], strict=True))
    precise = [log_probability(folder, known, said, language) for said, known in pairs]
    recalled = [log_probability(folder, said, known, language) for said, known in pairs]
    expected = {"precision": np.mean(precise), "recall": np.mean(recalled)}
    assert found.parts == pytest.approx(expected, abs=1e-4)
    assert abs(expected["precision"] - expected["recall"]) > 1e-3


@every_metric
def test_order_and_batches_change_nothing(
    networks: Networks, name: str, make: Callable[[Path], Path], options: dict[str, Any]
) -> None:
    """Each item has its own score, the same among few or many others, and the value is their mean."""
    folder = networks(make)
    few = score(name, folder, TEXTS, OTHERS, **options)
    many = score(name, folder, TEXTS * 12, OTHERS * 12, **options)
    assert few.per_item is not None
    assert many.per_item == pytest.approx(np.tile(few.per_item, 12), abs=1e-3)
    assert many.value == pytest.approx(np.mean(many.per_item), abs=1e-9)
    assert many.influence is not None
    assert many.influence() == pytest.approx(many.per_item - many.value, abs=1e-9)


@every_metric
def test_the_best_of_several_counts(
    networks: Networks, name: str, make: Callable[[Path], Path], options: dict[str, Any]
) -> None:
    """Of several references and predictions the best pair counts, unless another reduction is asked for."""
    folder = networks(make)
    pairs = [[score(name, folder, [a], [b], **options).value for b in TEXTS[1:3]] for a in TEXTS[3:5]]
    best = min if name == "perplexity" else max
    found = score(name, folder, [TEXTS[3:5]], [TEXTS[1:3]], **options)
    assert found.value == pytest.approx(best(map(best, pairs)), abs=1e-3)


@every_metric
def test_nobody_gains_by_an_empty_answer(
    networks: Networks, name: str, make: Callable[[Path], Path], options: dict[str, Any]
) -> None:
    """An empty answer is kept, and gets the least that an answer is worth."""
    least = {"bartscore": -math.log(16), "prism": -math.log(64), "perplexity": 16.0}
    found = score(name, networks(make), ["", None, "  "], OTHERS[:3], **options)
    assert found.per_item is not None
    assert found.per_item.shape == (3,)
    worse = found.per_item if name == "perplexity" else -found.per_item
    assert (worse >= abs(least.get(name, 0.0)) - 1e-6).all()


def test_other_weights_and_settings_are_another_version(networks: Networks, tmp_path: Path) -> None:
    """The version names what the numbers depend on, and nothing else."""
    same, other = tiny.bert(tmp_path / "same"), tiny.bert(tmp_path / "other", seed=1)
    version = with_weights(Checkpoint("bertscore", networks(tiny.bert))).version
    assert with_weights(Checkpoint("bertscore", same)).version == version
    assert with_weights(Checkpoint("bertscore", other)).version != version
    assert with_weights(Checkpoint("bertscore", same, options={"layer": 1})).version != version


@pytest.fixture
def checkpoints() -> Iterator[Callable[..., None]]:
    """What makes weights those in use, for one test."""
    yield lambda *given: use_checkpoints(given)
    use_checkpoints(())


@every_metric
def test_a_metric_is_asked_for_by_name(
    networks: Networks,
    checkpoints: Callable[..., None],
    name: str,
    make: Callable[[Path], Path],
    options: dict[str, Any],
) -> None:
    """Without weights it says where to name them; with weights in use its name is enough."""
    with pytest.raises(UserError, match=rf"{name}: needs weights; .*\[\[checkpoints\]\]"):
        report(TEXTS, OTHERS, "generation", [name], sources=TEXTS)
    checkpoints(Checkpoint(name, networks(make), options=options))
    found = report(TEXTS, OTHERS, "generation", [name], sources=TEXTS).scores[name]
    assert found.version == get_metric(name).version != f"{name}-1"


@pytest.mark.parametrize("name", MAKERS)
def test_a_model_of_the_hub_is_pinned_and_never_fetched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    """Without a full commit hash it is refused; one that is not in the cache says how to bring it there."""
    with pytest.raises(UserError, match=f"{name}: revision: 'main' does not pin a/b; give the full 40-digit"):
        Checkpoint(name, model="a/b", revision="main")
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("the network was asked"))
    options = {"language": "eng_Latn"} if name == "prism" else {}
    metric = Checkpoint(name, model="nobody/nothing", revision=PIN, options=options)
    with pytest.raises(UserError, match=f"{name}: nobody/nothing is not in the cache .*hf download nobody"):
        report(TEXTS, OTHERS, "generation", [with_weights(metric)], sources=TEXTS)


def test_a_model_of_the_cache_is_scored_by_its_commit(
    networks: Networks, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Weights in the hub's cache at the revision are read, and the version names the revision."""
    snapshot = tmp_path / "models--a--b" / "snapshots" / PIN
    snapshot.parent.mkdir(parents=True)
    snapshot.symlink_to(networks(tiny.bert))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    metric = with_weights(Checkpoint("bertscore", model="a/b", revision=PIN))
    assert metric.version == f"bertscore-1-{PIN[:12]}-layer-1"
    found = report(TEXTS, OTHERS, "generation", [metric]).scores["bertscore"]
    assert found.value == score("bertscore", networks(tiny.bert), TEXTS, OTHERS).value


@pytest.mark.parametrize(
    ("name", "make", "options", "message"),
    [
        ("bertscore", tiny.bert, {"layer": 3}, "bertscore: .*options.layer: 3 of a model with 2"),
        ("bleurt", tiny.bert, {}, "bleurt: .*its weights lack classifier.bias"),
        ("prism", tiny.translator, {}, 'prism: options.language: missing; name .*"en"'),
        ("prism", tiny.translator, {"language": "elvish"}, "the tokeniser knows no language 'elvish'"),
        ("perplexity", tiny.bart, {}, "perplexity: "),
        ("comet", tiny.bert, {}, r"comet: .*hparams.yaml: no such file"),
        ("comet", tiny.comet, {"encoder": {"path": "x"}}, "comet: options.encoder: give model, .* revision"),
    ],
)
def test_what_does_not_fit_is_named(
    networks: Networks, name: str, make: Callable[[Path], Path], options: dict[str, Any], message: str
) -> None:
    """Options that are not there, weights of another kind of network, and metrics without weights."""
    with pytest.raises(UserError, match=message):
        score(name, networks(make), TEXTS, OTHERS, **options)


def test_a_network_with_several_outputs_rates_nothing(tmp_path: Path) -> None:
    """BLEURT's is a regression: one output."""
    with pytest.raises(UserError, match=r"bleurt: .* its network has 3 outputs; a rating is a single one"):
        score("bleurt", tiny.rater(tmp_path / "three", outputs=3), TEXTS, OTHERS)


@every_metric
def test_missing_weights_and_packages_are_named(
    networks: Networks,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
    make: Callable[[Path], Path],
    options: dict[str, Any],
) -> None:
    """A folder that is not there, one that is empty, and a missing extra."""
    with pytest.raises(UserError, match=f"{name}: .*nowhere: no such folder; put its weights there"):
        score(name, tmp_path / "nowhere", TEXTS, OTHERS, **options)
    with pytest.raises(UserError, match=f"{name}: .*no such (file|folder)"):
        score(name, tmp_path, TEXTS, OTHERS, **options)
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(
        UserError,
        match=rf"{name}: needs transformers, which is not installed; pip install 'steelyard\[transformers\]'",
    ):
        score(name, networks(make), TEXTS, OTHERS, **options)


# COMET

#: Layers mixed by softmax or sparsemax, normed or not, and an activation at the end.
COMETS: list[dict[str, Any]] = [
    {"layer_transformation": "softmax", "layer_norm": True},
    {"layer_transformation": "sparsemax", "layer_norm": False},
    {"layer_transformation": "sparsemax", "layer_norm": True, "final_activation": "Sigmoid"},
]


@pytest.mark.parametrize("settings", COMETS, ids=["softmax", "sparsemax", "activated"])
def test_comets_ratings_are_the_definition(tmp_path: Path, settings: dict[str, Any]) -> None:
    """One text at a time."""
    folder = tiny.comet(tmp_path / "comet", **settings)
    written = WrittenComet(folder, tiny.COMET | settings)
    expected = [written.rating(*row) for row in zip(TEXTS, OTHERS, SOURCES, strict=True)]
    assert np.std(expected) > 1e-3
    assert rated(folder).per_item == pytest.approx(expected, abs=1e-5)


SOURCES = TEXTS[2:] + TEXTS[:2]


def rated(folder: Path, sources: list[str] | None = SOURCES) -> Value:
    metric = with_weights(Checkpoint("comet", folder))
    return report(TEXTS, OTHERS, "generation", [metric], sources=sources).scores["comet"]


def test_comet_needs_sources(networks: Networks) -> None:
    """The text that was translated is part of the rating."""
    with pytest.raises(UserError, match="comet: needs sources"):
        rated(networks(tiny.comet), None)
    with pytest.raises(UserError, match="sources: not 6 texts, one an item"):
        rated(networks(tiny.comet), SOURCES[1:])


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
        ("activation", "torch has no activation 'wobble'"),
        ("code", "model.ckpt: .*save its state_dict as plain tensors"),
        ("lacking", "the checkpoint lacks embeddings.word_embeddings.weight of its encoder"),
    ],
)
def test_a_checkpoint_of_comet_that_cannot_be_read_says_why(tmp_path: Path, what: str, message: str) -> None:
    """Another kind, files that are not there or not COMET's, and files with more than tensors."""
    folder = tiny.comet(tmp_path / "comet")
    broken(folder, what)
    with pytest.raises(UserError, match=f"comet: .*{message}"):
        rated(folder)
