"""Other words for the labels of inference are understood wherever a label is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.data.datasets import DatasetSource, read_dataset
from evaluator.data.tasks import FieldError, get_task
from evaluator.data.tasks.known import NLI_LABELS as LABELS
from evaluator.data.tasks.known import NLI_WORDS as WORDS
from evaluator.measure.models.base import map_labels
from evaluator.rank.own_predictions import WORDS as OWN_WORDS
from evaluator.rank.own_predictions import read_own
from evaluator.records.errors import UserError

NLI = get_task("nli")
THEIRS = ("ENTAILMENT", "n", "Contradiction")


@pytest.mark.parametrize("word", WORDS)
def test_a_model_may_answer_in_other_words(word: str) -> None:
    """Alone, in an object, and as the name of a probability."""
    label = LABELS.index(WORDS[word])
    assert NLI.check_output(word, LABELS).label == label
    found = NLI.check_output(
        {"label": word, "probabilities": dict(zip(THEIRS, (0.5, 0.3, 0.2), strict=True))}, LABELS
    )
    assert (found.label, found.probabilities) == (label, (0.5, 0.3, 0.2))


def test_two_words_for_one_label_are_refused() -> None:
    """It is not known which of the two probabilities is meant."""
    shares = {"entailment": 0.3, "entailed": 0.3, "neutral": 0.2, "contradictory": 0.2}
    with pytest.raises(FieldError, match="'entailment' is not a label"):
        NLI.check_output({"label": "neutral", "probabilities": shares}, LABELS)


def test_other_tasks_keep_to_their_labels() -> None:
    """Words of inference mean nothing to sentiment."""
    with pytest.raises(FieldError, match="'e' is not a label"):
        get_task("sentiment").check_output("e", ("negative", "positive"))


def test_a_file_of_any_columns_may_use_them(tmp_path: Path) -> None:
    """Without a label map; the revision is that of the same source before words were known."""
    path = tmp_path / "pairs.tsv"
    path.write_text("p\th\tg\n" + "".join(f"a {word}\tb\t{word}\n" for word in THEIRS))
    columns = {"context": "p", "hypothesis": "h", "label": "g"}
    source = DatasetSource("pairs", "nli", path, "tsv", columns, labels=LABELS)
    read = read_dataset(source)
    assert read.gold == LABELS
    assert read.label_map == {label: label for label in LABELS}
    in_words = DatasetSource(
        "pairs",
        "nli",
        path,
        "tsv",
        columns,
        {"e": "entailment"} | dict(zip("nc", THEIRS[1:], strict=True)),
        THEIRS,
    )
    assert read_dataset(in_words).labels == LABELS


def test_a_models_classes_may_have_other_names() -> None:
    """As those of networks on the hub do; a label map goes before."""
    assert map_labels("config.json", THEIRS, {}, "nli", LABELS) == LABELS
    mapped = {"label_map": {"ENTAILMENT": "contradictory", "Contradiction": "entailed"}}
    assert map_labels("config.json", THEIRS, mapped, "nli", LABELS) == (
        "contradictory",
        "neutral",
        "entailed",
    )
    with pytest.raises(UserError, match="do not stand for"):
        map_labels("config.json", THEIRS, {}, "sentiment", ("negative", "positive"))


def test_a_visitors_file_may_use_them() -> None:
    """In the label and in both forms of probabilities; the page knows the same words as the task."""
    assert {word.lower(): label for word, label in WORDS.items()} == OWN_WORDS
    rows = [
        {"id": "1", "label": "ENTAILMENT", "probabilities": json.dumps({"entailment": 0.9, "n": 0.1})},
        {"id": "2", "label": "c", "probabilities.Contradiction": 0.7},
    ]
    own = read_own("\n".join(map(json.dumps, rows)), "mine.jsonl", ["1", "2"], LABELS)
    assert (own.record["predicted"], own.invalid) == ([0, 2], 0)
    assert own.record["exact_confidence"] == [0.9, 0.7]
