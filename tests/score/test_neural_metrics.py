"""Metrics that ask a network, over tiny ones; that they equal their references is in `test_agreement`."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bert_score
import numpy as np
import pytest
import tiny_networks as tiny
import torch
import yaml
from agreement_networks import WrittenComet, log_probability, network

from evaluator.records.board import CheckpointSpec
from evaluator.records.errors import UserError
from evaluator.score.metrics import Metric, Value, report, with_weights

pytestmark = pytest.mark.slow

TEXTS = list(tiny.TEXTS)
OTHERS = TEXTS[1:] + TEXTS[:1]
SOURCES = TEXTS[2:] + TEXTS[:2]
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


def weighed(name: str, folder: Path, **options: Any) -> Metric:
    return with_weights(CheckpointSpec(metric=name, path=str(folder), options=options))


def score(name: str, folder: Path, said: list, known: list, sources: Any = None, **options: Any) -> Value:
    sources = ["the dog sat"] * len(said) if sources is None else sources
    return report(said, known, "generation", [weighed(name, folder, **options)], sources=sources).scores[name]


def test_bertscore_takes_the_layer_asked_for() -> None:
    """Precision, recall and F1 of a layer equal bert-score's, and the last is the usual one."""
    folder = network(tiny.bert)
    found = score("bertscore", folder, TEXTS, OTHERS, layer=1)
    expected = bert_score.score(TEXTS, OTHERS, model_type=str(folder), num_layers=1)
    means = [100 * float(one.mean()) for one in expected]
    assert [found.parts["precision"], found.parts["recall"], found.value] == pytest.approx(means, abs=1e-3)
    last = score("bertscore", folder, TEXTS, OTHERS, layer=2)
    assert score("bertscore", folder, TEXTS, OTHERS).value == last.value != found.value


@pytest.mark.parametrize(("name", "make"), [("bartscore", tiny.bart), ("prism", tiny.translator)])
def test_precision_is_of_the_answer_and_recall_of_the_reference(
    name: str, make: Callable[[Path], Path]
) -> None:
    """Each is the mean of one direction, Prism's without the token of the language."""
    folder, language = network(make), "eng_Latn" if name == "prism" else None
    found = score(name, folder, TEXTS[:3], OTHERS[:3], **({"language": language} if language else {}))
    pairs = list(zip(TEXTS[:3], OTHERS[:3], strict=True))
    precise = [log_probability(folder, known, said, language) for said, known in pairs]
    recalled = [log_probability(folder, said, known, language) for said, known in pairs]
    assert found.parts == pytest.approx(
        {"precision": np.mean(precise), "recall": np.mean(recalled)}, abs=1e-4
    )


@every_metric
def test_each_item_is_scored_on_its_own(name: str, make: Any, options: dict[str, Any]) -> None:
    """Among few or many others it has the same score, and of several texts the best pair counts."""
    folder = network(make)
    few = score(name, folder, TEXTS, OTHERS, **options)
    many = score(name, folder, TEXTS * 12, OTHERS * 12, **options)
    assert few.per_item is not None
    assert many.per_item == pytest.approx(np.tile(few.per_item, 12), abs=1e-3)
    assert many.value == pytest.approx(np.mean(many.per_item), abs=1e-9)
    pairs = [[score(name, folder, [a], [b], **options).value for b in TEXTS[1:3]] for a in TEXTS[3:5]]
    best = min if name == "perplexity" else max
    found = score(name, folder, [TEXTS[3:5]], [TEXTS[1:3]], **options)
    assert found.value == pytest.approx(best(map(best, pairs)), abs=1e-3)


@every_metric
def test_nobody_gains_by_an_empty_answer(name: str, make: Any, options: dict[str, Any]) -> None:
    """An empty answer is kept, and gets the least that an answer is worth."""
    least = {"bartscore": -math.log(16), "prism": -math.log(64), "perplexity": 16.0}
    found = score(name, network(make), ["", None, "  "], OTHERS[:3], **options)
    assert found.per_item is not None
    assert found.per_item.shape == (3,)
    worse = found.per_item if name == "perplexity" else -found.per_item
    assert (worse >= abs(least.get(name, 0.0)) - 1e-6).all()


def test_other_weights_and_settings_are_another_version(tmp_path: Path) -> None:
    """The version names what the numbers depend on, and nothing else."""
    same, other = tiny.bert(tmp_path / "same"), tiny.bert(tmp_path / "other", seed=1)
    version = weighed("bertscore", network(tiny.bert)).version
    assert weighed("bertscore", same).version == version
    assert weighed("bertscore", other).version != version
    assert weighed("bertscore", same, layer=1).version != version


def test_a_model_of_the_hub_is_pinned_and_read_from_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The version names the commit; what is not in the cache is never fetched, but it is said how to."""
    snapshot = tmp_path / "models--a--b" / "snapshots" / PIN
    snapshot.parent.mkdir(parents=True)
    snapshot.symlink_to(network(tiny.bert))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("the network was asked"))
    metric = with_weights(CheckpointSpec(metric="bertscore", model="a/b", revision=PIN))
    assert metric.version == f"bertscore-1-{PIN[:12]}-layer-1"
    found = report(TEXTS, OTHERS, "generation", [metric]).scores["bertscore"]
    assert found.value == score("bertscore", network(tiny.bert), TEXTS, OTHERS).value
    gone = with_weights(CheckpointSpec(metric="bertscore", model="nobody/nothing", revision=PIN))
    with pytest.raises(UserError, match=r"nobody/nothing is not in the cache .*hf download nobody/nothing"):
        report(TEXTS, OTHERS, "generation", [gone])


@pytest.mark.parametrize(
    ("name", "make", "options", "message"),
    [
        ("bertscore", tiny.bert, {"layer": 3}, "bertscore: .*options.layer: 3 of a model with 2"),
        ("bertscore", tiny.bert, {"layer": "1"}, "bertscore: options.layer: '1' is no int"),
        ("bleurt", tiny.rater, {"layer": 3}, "bleurt: options.layer: there is no such option; leave options"),
        ("bleurt", tiny.bert, {}, "bleurt: .*its weights lack classifier.bias"),
        ("prism", tiny.translator, {}, 'prism: options.language: missing; name .*"en"'),
        ("prism", tiny.translator, {"language": "elvish"}, "the tokeniser knows no language 'elvish'"),
        ("perplexity", tiny.bart, {}, "perplexity: "),
        ("comet", tiny.bert, {}, r"comet: .*hparams.yaml: no such file"),
        ("comet", tiny.comet, {"encoder": {"path": "x"}}, "comet: options.encoder: give model, .* revision"),
    ],
)
def test_what_does_not_fit_is_named(name: str, make: Any, options: dict[str, Any], message: str) -> None:
    """Options that are not there, and weights of another kind of network."""
    with pytest.raises(UserError, match=message):
        score(name, network(make), TEXTS, OTHERS, **options)


def test_a_network_with_several_outputs_rates_nothing(tmp_path: Path) -> None:
    """BLEURT's is a regression: one output."""
    with pytest.raises(UserError, match=r"bleurt: .* its network has 3 outputs; a rating is a single one"):
        score("bleurt", tiny.rater(tmp_path / "three", outputs=3), TEXTS, OTHERS)


@every_metric
def test_missing_weights_and_packages_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, make: Any, options: dict[str, Any]
) -> None:
    """Weights that nobody named, a folder that is not there or is empty, and a missing extra."""
    with pytest.raises(UserError, match=rf"{name}: needs weights; .*\[\[checkpoints\]\]"):
        report(TEXTS, OTHERS, "generation", [name], sources=TEXTS)
    with pytest.raises(UserError, match=f"{name}: .*nowhere: no such folder; put its weights there"):
        score(name, tmp_path / "nowhere", TEXTS, OTHERS, **options)
    with pytest.raises(UserError, match=f"{name}: .*no such (file|folder)"):
        score(name, tmp_path, TEXTS, OTHERS, **options)
    monkeypatch.setitem(sys.modules, "transformers", None)
    missing = rf"{name}: needs transformers, which is not installed; pip install 'steelyard\[transformers\]'"
    with pytest.raises(UserError, match=missing):
        score(name, network(make), TEXTS, OTHERS, **options)


def test_comet_mixes_and_norms_layers_as_its_checkpoint_says(tmp_path: Path) -> None:
    """Softmax and norm, where the checkpoint of the other comparison has neither; sources are needed."""
    settings = {"layer_transformation": "softmax", "layer_norm": True}
    folder = tiny.comet(tmp_path / "comet", **settings)
    written = WrittenComet(folder, tiny.COMET | settings)
    expected = [written.rating(*row) for row in zip(TEXTS, OTHERS, SOURCES, strict=True)]
    assert score("comet", folder, TEXTS, OTHERS, SOURCES).per_item == pytest.approx(expected, abs=1e-5)
    with pytest.raises(UserError, match="sources: not 6 texts, one an item"):
        score("comet", folder, TEXTS, OTHERS, SOURCES[1:])


def broken(folder: Path, what: str) -> None:
    weights = folder / "checkpoints" / "model.ckpt"
    if what == "kind":
        (folder / "hparams.yaml").write_text(yaml.safe_dump({"class_identifier": "ranking_metric"}))
    elif what == "activation":
        (folder / "hparams.yaml").write_text(yaml.safe_dump(tiny.COMET | {"final_activation": "Sigmoid"}))
    elif what == "code":
        torch.save({"state_dict": {"a": Path("x")}}, weights)
    else:
        kept = torch.load(weights)["state_dict"]
        torch.save({"state_dict": {n: w for n, w in kept.items() if "word_embeddings" not in n}}, weights)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("kind", "hparams.yaml: class_identifier 'ranking_metric' is not read; only 'regression_metric' is"),
        ("activation", "hparams.yaml: final_activation 'Sigmoid' is not read; only None is"),
        ("code", "model.ckpt: .*save its state_dict as plain tensors"),
        ("lacking", "the checkpoint lacks embeddings.word_embeddings.weight of its encoder"),
    ],
)
def test_a_checkpoint_of_comet_that_cannot_be_read_says_why(tmp_path: Path, what: str, message: str) -> None:
    """Another kind, files that are not COMET's, and files with more than tensors."""
    folder = tiny.comet(tmp_path / "comet")
    broken(folder, what)
    with pytest.raises(UserError, match=f"comet: .*{message}"):
        score("comet", folder, TEXTS, OTHERS, SOURCES)
