"""Metrics that ask a network, over tiny ones, against reference packages or direct calls one text at a time."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bert_score
import numpy as np
import pytest
import tiny
import torch
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer
from transformers import BertForSequenceClassification as Rater

from evaluator.metrics import (
    Checkpoint,
    MetricError,
    Value,
    get_metric,
    report,
    use_checkpoints,
    with_weights,
)
from evaluator.metrics.neural import MAKERS

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


@pytest.fixture(scope="session")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Callable[[Path], Path]], Path]:
    """The folder of each network, made once."""
    made: dict[Any, Path] = {}
    root = tmp_path_factory.mktemp("networks")

    def folder(make: Callable[[Path], Path]) -> Path:
        if make not in made:
            made[make] = make(root / make.__name__)
        return made[make]

    return folder


Networks = Callable[[Callable[[Path], Path]], Path]


def score(name: str, folder: Path, predictions: list, references: list, **options: Any) -> Value:
    metric = with_weights(Checkpoint(name, folder, options=options))
    sources = ["the dog sat"] * len(predictions)
    return report(predictions, references, "generation", [metric], sources=sources).scores[name]


@pytest.mark.parametrize("layer", [1, 2])
def test_bertscore_is_bert_scores(networks: Networks, layer: int) -> None:
    """Precision, recall and F1 equal the reference package's, at each layer."""
    folder = networks(tiny.bert)
    found = score("bertscore", folder, TEXTS, OTHERS, layer=layer)
    expected = bert_score.score(TEXTS, OTHERS, model_type=str(folder), num_layers=layer)
    assert found.per_item == pytest.approx(100 * expected[2].numpy(), abs=1e-3)
    means = [100 * float(one.mean()) for one in expected[:2]]
    assert [found.parts["precision"], found.parts["recall"]] == pytest.approx(means, abs=1e-3)


def test_bertscore_reads_the_first_word_like_any_other(networks: Networks, tmp_path: Path) -> None:
    """RoBERTa's tokeniser is told that a space comes first, as bert-score tells it."""
    spaced = tiny.roberta(tmp_path / "spaced", prefix_space=True)
    found = score("bertscore", networks(tiny.roberta), TEXTS, OTHERS, layer=2)
    expected = bert_score.score(TEXTS, OTHERS, model_type=str(spaced), num_layers=2)[2]
    assert found.per_item == pytest.approx(100 * expected.numpy(), abs=1e-3)


def test_bleurt_is_the_output_of_a_regression_over_reference_and_answer(networks: Networks) -> None:
    """Each rating equals a direct call of the network for one pair, the reference first."""
    folder = networks(tiny.rater)
    network, tokenizer = Rater.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        expected = [
            network(**tokenizer(known, said, return_tensors="pt")).logits.item()
            for said, known in zip(TEXTS, OTHERS, strict=True)
        ]
    assert len({round(one, 3) for one in expected}) > 3
    assert score("bleurt", folder, TEXTS, OTHERS).per_item == pytest.approx(expected, abs=1e-5)


def log_probability(folder: Path, source: str, target: str, language: str | None) -> float:
    """The mean log-probability of a target's tokens, asked for one text at a time."""
    network, tokenizer = (
        AutoModelForSeq2SeqLM.from_pretrained(folder).eval(),
        AutoTokenizer.from_pretrained(folder),
    )
    if language:
        tokenizer.src_lang = tokenizer.tgt_lang = language
    given, wanted = tokenizer(source, return_tensors="pt"), tokenizer(text_target=target).input_ids
    begin = network.config.decoder_start_token_id
    with torch.no_grad():
        ids = torch.tensor([[begin, *wanted[:-1]]])
        logits = network(input_ids=given.input_ids, decoder_input_ids=ids).logits[0].double()
    each = [float(row.log_softmax(0)[token]) for row, token in zip(logits, wanted, strict=True)]
    return float(np.mean(each[1:] if language else each))


@pytest.mark.parametrize(
    ("name", "make", "language"), [("bartscore", tiny.bart, None), ("prism", tiny.translator, "eng_Latn")]
)
def test_bartscore_and_prism_are_log_probabilities_both_ways(
    networks: Networks, name: str, make: Callable[[Path], Path], language: str | None
) -> None:
    """The mean of answer given reference and reverse; Prism leaves out the token that names the language."""
    folder = networks(make)
    found = score(name, folder, TEXTS, OTHERS, **({"language": language} if language else {}))
    precise = [log_probability(folder, b, a, language) for a, b in zip(TEXTS, OTHERS, strict=True)]
    recalled = [log_probability(folder, a, b, language) for a, b in zip(TEXTS, OTHERS, strict=True)]
    assert found.per_item == pytest.approx((np.array(precise) + recalled) / 2, abs=1e-4)
    assert found.parts == pytest.approx(
        {"precision": np.mean(precise), "recall": np.mean(recalled)}, abs=1e-4
    )


def test_perplexity_is_that_of_each_text_alone(networks: Networks) -> None:
    """It equals exp of the network's own loss over one text, at most the size of the vocabulary."""
    folder = networks(tiny.gpt)
    network, tokenizer = (
        AutoModelForCausalLM.from_pretrained(folder).eval(),
        AutoTokenizer.from_pretrained(folder),
    )
    expected = []
    for text in TEXTS:
        ids = torch.tensor([[tokenizer.bos_token_id, *tokenizer(text, add_special_tokens=False).input_ids]])
        with torch.no_grad():
            expected.append(min(16.0, math.exp(network(input_ids=ids, labels=ids).loss.item())))
    assert min(expected) < 15.9
    found = score("perplexity", folder, [*TEXTS, ""], [*OTHERS, "dog"])
    assert found.per_item == pytest.approx([*expected, 16.0], abs=1e-4)
    assert found.value == pytest.approx(np.mean([*expected, 16.0]), abs=1e-4)


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


@every_metric
def test_a_long_text_is_cut_off(
    networks: Networks, name: str, make: Callable[[Path], Path], options: dict[str, Any]
) -> None:
    """A text of more tokens than the network takes is scored by those that it takes."""
    found = score(name, networks(make), ["the cat sat " * 100], ["the dog ran " * 100], **options)
    assert math.isfinite(found.value)


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
    with pytest.raises(MetricError, match=rf"{name}: needs weights; .*\[\[checkpoints\]\]"):
        report(TEXTS, OTHERS, "generation", [name], sources=TEXTS)
    checkpoints(Checkpoint(name, networks(make), options=options))
    found = report(TEXTS, OTHERS, "generation", [name], sources=TEXTS).scores[name]
    assert found.version == get_metric(name).version != f"{name}-1"


@pytest.mark.parametrize("name", MAKERS)
def test_a_model_of_the_hub_is_pinned_and_never_fetched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    """Without a full commit hash it is refused; one that is not in the cache says how to bring it there."""
    with pytest.raises(
        MetricError, match=f"{name}: revision: 'main' does not pin a/b; give the full 40-digit"
    ):
        Checkpoint(name, model="a/b", revision="main")
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("the network was asked"))
    options = {"language": "eng_Latn"} if name == "prism" else {}
    metric = Checkpoint(name, model="nobody/nothing", revision=PIN, options=options)
    with pytest.raises(MetricError, match=f"{name}: nobody/nothing is not in the cache .*hf download nobody"):
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
        ("bertscore", tiny.bert, {"layer": 3}, "bertscore: layer 3 of a model with 2"),
        ("bertscore", tiny.bert, {"layer": "3"}, "bertscore: options.layer: '3' is no int"),
        ("bertscore", tiny.bert, {"layers": 3}, "options.layers: there is no such option; use only layer"),
        ("bleurt", tiny.rater, {"layer": 3}, "options.layer: there is no such option; leave options out"),
        ("bleurt", tiny.bert, {}, "bleurt: .*its weights lack classifier.bias"),
        ("prism", tiny.translator, {}, 'prism: options.language: missing; name .*"en"'),
        ("prism", tiny.translator, {"language": "elvish"}, "the tokeniser knows no language 'elvish'"),
        ("prism", tiny.bart, {"language": "eng_Latn"}, "the tokeniser knows no language 'eng_Latn'"),
        ("perplexity", tiny.bart, {}, "perplexity: "),
        ("comet", tiny.bert, {}, r"comet: .*hparams.yaml: no such file"),
        ("comet", tiny.comet, {"encoder": {"path": "x"}}, "comet: options.encoder: give model, .* revision"),
        ("wer", tiny.bert, {}, "checkpoints: 'wer' is none of bertscore, "),
    ],
)
def test_what_does_not_fit_is_named(
    networks: Networks, name: str, make: Callable[[Path], Path], options: dict[str, Any], message: str
) -> None:
    """Options that are not there, weights of another kind of network, and metrics without weights."""
    with pytest.raises(MetricError, match=message):
        score(name, networks(make), TEXTS, OTHERS, **options)


def test_a_network_with_several_outputs_rates_nothing(tmp_path: Path) -> None:
    """BLEURT's is a regression: one output."""
    with pytest.raises(MetricError, match=r"bleurt: .* its network has 3 outputs; a rating is a single one"):
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
    with pytest.raises(MetricError, match=f"{name}: .*nowhere: no such folder; put its weights there"):
        score(name, tmp_path / "nowhere", TEXTS, OTHERS, **options)
    with pytest.raises(MetricError, match=f"{name}: .*no such (file|folder)"):
        score(name, tmp_path, TEXTS, OTHERS, **options)
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(
        MetricError, match=rf"{name}: needs transformers; pip install 'steelyard\[transformers\]'"
    ):
        score(name, networks(make), TEXTS, OTHERS, **options)
