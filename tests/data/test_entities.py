"""Named entities: by the gazetteer, and by spaCy with a small pipeline made here."""

from __future__ import annotations

import json
import random
import sys
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from evaluator.cli.doctor import command
from evaluator.data.suites.base import UndecidedError, apply
from evaluator.data.suites.entities import Gazetteer, recogniser
from evaluator.data.suites.fairness import fairness
from evaluator.records.errors import UserError


def shipped() -> list[str]:
    text = (
        files("evaluator.data.suites.fairness").joinpath("data", "entities.tsv").read_text(encoding="utf-8")
    )
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [line.split("\t")[1] for line in lines[1:]]


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in recogniser("gazetteer").spans(text)]


def test_every_entity_is_found() -> None:
    """Three hundred and more of several words: as written, in capitals, and in a text without capitals."""
    assert len(set(shipped())) == len(shipped()) >= 300
    for entity in shipped():
        assert found(f"We saw {entity}, yes.") == [entity]
        assert found(f"We saw {entity.upper()}, yes.") == [entity.upper()]
        assert found(f"we saw {entity.lower()} , yes") == [entity.lower()]


TEXTS = {
    "Martin Luther King spoke": ["Martin Luther King"],
    "Martin Luther King Jr spoke": ["Martin Luther King Jr"],
    "Martin Luther spoke": ["Martin Luther"],
    "a red robin sang, red Robin": [],
    "Preferred Robin and Red Robins": [],
    "Red Robin's fries, (Red Robin)": ["Red Robin", "Red Robin"],
    "Anti-Red Robin": [],
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.items(), ids=list(TEXTS))
def test_longest_first_at_word_boundaries_and_by_case(text: str, expected: list[str]) -> None:
    """The longest name wins; parts of words and other cases are no entity."""
    assert found(text) == expected


@given(
    st.lists(st.sampled_from(["A B", "B C", "A B C", "C D E"]), min_size=1), st.text("ABCDE ", max_size=30)
)
def test_spans_are_disjoint_in_order_and_known(entities: list[str], text: str) -> None:
    """Whatever overlaps, spans are disjoint, in order, and each a known entity."""
    spans = Gazetteer(entities).spans(text)
    assert spans == sorted(spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert {text[start:end].lower() for start, end in spans} <= {entity.lower() for entity in entities}


def pipeline(folder: Path, patterns: list[dict[str, object]], tags: dict[str, str] | None = None) -> str:
    """A pipeline saved to disk whose entities, and tags if any, are given by word."""
    spacy = pytest.importorskip("spacy")
    made = spacy.blank("en")
    made.add_pipe("entity_ruler").add_patterns(patterns)
    if tags:
        ruler = made.add_pipe("attribute_ruler", name="tagger")
        for word, tag in tags.items():
            ruler.add([[{"LOWER": word}]], {"TAG": tag})
    made.to_disk(folder)
    return str(folder)


@pytest.mark.slow
def test_spacy_keeps_entities_that_are_no_people(tmp_path: Path) -> None:
    """Its entities stay but for people's names; the familiar ones of the gazetteer stay besides."""
    name = pipeline(
        tmp_path / "a",
        [{"label": "ORG", "pattern": "Keisha Foods"}, {"label": "PERSON", "pattern": "Priya Nair"}],
    )
    text = "Keisha Foods fed Priya Nair and Martin Luther King."
    spans = recogniser(name).spans(text)
    assert [text[start:end] for start, end in spans] == ["Keisha Foods", "Martin Luther King"]
    [gender, *_] = fairness({"recogniser": name})
    after = apply(text, gender.edit({"t": text}, random.Random(0), {})["t"])
    assert after.startswith("Keisha Foods fed ")
    assert "Priya" not in after


@pytest.mark.slow
def test_spacy_tags_decide_pronouns(tmp_path: Path) -> None:
    """Where the pipeline has a tagger, what the rules leave undecided is decided."""
    patterns: list[dict[str, object]] = [{"label": "ORG", "pattern": "Keisha Foods"}]
    text = "I gave her flowers."
    for tag, expected in (("PRP", "I gave him flowers."), ("PRP$", "I gave his flowers.")):
        name = pipeline(tmp_path / tag[:4].replace("$", "_"), patterns, {"her": tag})
        [gender, *_] = fairness({"recogniser": name})
        assert apply(text, gender.edit({"t": text}, random.Random(0), {})["t"]) == expected
    [gender, *_] = fairness({"recogniser": pipeline(tmp_path / "none", patterns)})
    with pytest.raises(UndecidedError):
        gender.edit({"t": text}, random.Random(0), {})


@pytest.mark.slow
def test_a_person_that_spacy_sees_is_evidence_of_a_name(tmp_path: Path) -> None:
    """In a text without capitals nothing else shows that "steven" is one; a known full name stays all the same."""
    patterns: list[dict[str, object]] = [{"label": "PERSON", "pattern": "steven"}]
    [gender, *_] = fairness({"recogniser": pipeline(tmp_path / "people", patterns)})
    text = "a film with steven in it"
    edits = gender.edit({"t": text}, random.Random(0), {})["t"]
    assert [(edit.start, edit.end) for edit in edits] == [(12, 18)]
    assert not gender.edit({"t": "a film by steven spielberg"}, random.Random(0), {})
    with pytest.raises(UndecidedError):
        fairness({"recogniser": "gazetteer"})[0].edit({"t": text}, random.Random(0), {})


def test_without_spacy_a_pipeline_asks_for_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra that brings spaCy."""
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(UserError, match=r"steelyard\[suites\]"):
        recogniser("en_core_web_sm")


@pytest.mark.slow
def test_pipelines_are_told_apart_or_refused(tmp_path: Path) -> None:
    """Two of one name and version but other rules have other specs; one that is not there, or that recognises nothing and
    so would protect nothing, is an error."""
    spacy = pytest.importorskip("spacy")
    words = ("Keisha", "Priya")
    names = [pipeline(tmp_path / word, [{"label": "ORG", "pattern": f"{word} Foods"}]) for word in words]
    specs = [recogniser(name).spec() for name in [*names, "gazetteer"]]
    assert len({json.dumps(spec, sort_keys=True) for spec in specs}) == 3
    assert str(tmp_path) not in json.dumps(specs)
    for name in ("no_such_pipeline", "/no/such/folder"):
        with pytest.raises(UserError, match=name):
            recogniser(name)
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(UserError, match="recognises no entities"):
        recogniser(str(tmp_path / "blank"))


def test_doctor_says_which_recogniser_is_used() -> None:
    """`doctor` names the recogniser that suites use if none is named."""
    findings = {entry["name"]: entry for entry in json.loads(CliRunner().invoke(command, ["--json"]).stdout)}
    version = recogniser().spec()["version"].removeprefix("sha256:")[:12]
    assert findings["entities"]["found"].endswith(version)
