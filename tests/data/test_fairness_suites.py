"""What fairness, placebo and neutral transformations keep to on any text, in any process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fairness_texts import ALL, GAZETTEER, TEXTS, edits_of, perturb
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.suites.edits import apply, moved, touches
from evaluator.data.suites.entities import recogniser
from evaluator.data.suites.fairness import fairness
from evaluator.data.suites.make import Definition, make

NAMES = (
    "gender",
    "ethnicity-asian-pacific-islander",
    "ethnicity-black",
    "ethnicity-hispanic",
    "ethnicity-white",
    "same-group-names",
    "gender-neutral",
)


def test_names_of_the_transformations() -> None:
    """Gender and one a group, a placebo, a neutral one: names people will read on boards."""
    assert tuple(ALL) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_specs_are_data_that_tell_sources_apart(name: str) -> None:
    """The spec is JSON, names the recogniser and hashes every list."""
    spec = ALL[name].spec()
    assert json.loads(json.dumps(spec)) == spec
    assert set(spec["options"]) == {"names", "words", "entities"}
    assert spec["options"]["entities"]["recogniser"] == "gazetteer"


@pytest.mark.parametrize("name", NAMES)
@given(first=TEXTS, second=TEXTS, seed=st.integers(0, 2**32))
def test_any_text(name: str, first: str, second: str, seed: int) -> None:
    """No crash; edits are disjoint, leave entities as they are, and are the same again."""
    texts = {"context": first, "hypothesis": second}
    edits = edits_of(name, texts, seed)
    assert edits == edits_of(name, texts, seed)
    for key, text in texts.items():
        found = edits.get(key, [])
        spans = recogniser("gazetteer").spans(text)
        assert not any(touches(edit, spans) for edit in found)
        after = apply(text, found)
        for (start, end), (new_start, new_end) in zip(spans, moved(spans, found), strict=True):
            assert after[new_start:new_end] == text[start:end]


@pytest.mark.parametrize("name", NAMES)
@given(text=TEXTS, data=st.data())
def test_protected_spans_stay(name: str, text: str, data: st.DataObject) -> None:
    """Whatever is protected, no edit touches it."""
    start = data.draw(st.integers(0, len(text)))
    span = (start, data.draw(st.integers(start, len(text))))
    edits = edits_of(name, {"context": text}, 0, {"context": [span]})
    assert not any(touches(edit, [span]) for edit in edits.get("context", ()))


@pytest.mark.parametrize("name", NAMES)
@given(text=TEXTS)
def test_edits_change_something(name: str, text: str) -> None:
    """A variant is never equal to its original."""
    after = perturb(name, {"statement": text})
    assert after is None or after["statement"] != text


TEXT = "Keisha told Priya that Adam and his mother, a waitress, had seen her. Then Maria met Kevin."
CODE = """
import json, random, sys
from evaluator.data.suites.edits import apply
from evaluator.data.suites.fairness import fairness, neutral, placebo
options = {"recogniser": "gazetteer"}
found = {}
for one in (*fairness(options), *placebo(options), *neutral(options)):
    edits = one.edit({"context": sys.argv[1]}, random.Random(7), {})
    found[one.name] = [one.spec(), apply(sys.argv[1], edits.get("context", []))]
print(json.dumps(found))
"""


def test_the_same_in_every_process_and_under_any_hash_seed() -> None:
    """Nothing depends on the order of sets or dicts."""
    root = Path(__file__).parent.parent.parent
    outputs = [
        subprocess.run(
            [sys.executable, "-c", CODE, TEXT],
            cwd=root,
            env={"PYTHONHASHSEED": seed, "PATH": "", "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "12345")
    ]
    assert len(set(outputs)) == 1
    texts = [text for _, text in json.loads(outputs[0]).values()]
    assert len(set(texts) - {TEXT}) == len(NAMES)


def test_shards_and_order_change_nothing() -> None:
    """Each example's variants are what they are, whatever comes before it."""
    examples = [{"id": f"{number}", "statement": f"{TEXT} {number}"} for number in range(6)]
    definition = Definition("f", "fairness", fairness(GAZETTEER))

    def variants(some: list[dict[str, str]]) -> dict[tuple[str, str], str]:
        made = make(definition, "d", "r", ["statement"], some, [{}] * len(some))
        return {(some[v.row]["id"], v.transformation): v.texts["statement"] for v in made.variants}

    whole = variants(examples)
    assert len(whole) == 6 * 5
    assert variants(examples[::-1]) == whole
    assert variants(examples[:2]) | variants(examples[2:]) == whole
