"""Making a suite: a pure function of dataset, spec and seed, with every example accounted for."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.suites.base import Edits, FieldTexts, Protected, Transformation, each_text
from evaluator.data.suites.edits import Edit, Span
from evaluator.data.suites.make import Counts, Definition, Suite, make, occurrences

REVISION = "sha256:" + "0" * 64
ROOT = Path(__file__).parent.parent.parent


def shout(text: str, rng: random.Random, protected: Sequence[Span]) -> list[Edit]:
    """One letter, drawn, in capitals; a capital stays what it is."""
    places = [
        p for p, char in enumerate(text) if char.isalpha() and not any(a <= p < b for a, b in protected)
    ]
    place = rng.choice(places) if places else None
    return [] if place is None else [Edit(place, place + 1, text[place].upper())]


def careless(texts: FieldTexts, rng: random.Random, protected: Protected) -> Edits:
    return {name: [Edit(0, 1, "?")] for name in texts}


SHOUT = Transformation("shout", 1, each_text(shout))
BANG = Transformation("bang", 1, each_text(lambda text, rng, protected: [Edit(len(text), len(text), "!")]))
DEFINITION = Definition("loud", "robustness", (SHOUT, BANG), seed=3)


def suite(texts: list[str], ids: list[str] | None = None, definition: Definition = DEFINITION) -> Suite:
    examples = [
        {"id": id_, "text": text} for id_, text in zip(ids or map(str, range(len(texts))), texts, strict=True)
    ]
    return make(definition, "d", REVISION, ("text",), examples, [{}] * len(texts))


@given(st.lists(st.text(max_size=12), min_size=1, max_size=6))
def test_every_example_is_accounted_for(texts: list[str]) -> None:
    """Under each transformation every example is made, unchanged or not applicable, and no variant is its original."""
    made = suite(texts)
    for counts in made.counts.values():
        assert counts.made + counts.unchanged + counts.not_applicable == len(texts)
    assert sum(counts.made for counts in made.counts.values()) == len(made.variants)
    for variant in made.variants:
        assert variant.texts["text"] != texts[variant.row]


@given(st.lists(st.text(min_size=1, max_size=12), min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_order_and_sharding_change_nothing(texts: list[str], rng: random.Random) -> None:
    """An example's variants do not depend on its position or on the rest of the dataset."""
    ids = [f"e{number}" for number in range(len(texts))]
    order = list(range(len(texts)))
    rng.shuffle(order)
    whole = suite(texts, ids)
    shuffled = suite([texts[i] for i in order], [ids[i] for i in order])
    alone = suite([texts[0]], [ids[0]])

    def by_id(made: Suite, names: list[str]) -> set[tuple[str, str, str]]:
        return {(names[v.row], v.transformation, v.texts["text"]) for v in made.variants}

    assert by_id(whole, ids) == by_id(shuffled, [ids[i] for i in order])
    assert by_id(alone, ids) == {entry for entry in by_id(whole, ids) if entry[0] == "e0"}


def test_counts_say_what_became_of_each() -> None:
    """A text without letters gives shouting nothing to do; one in capitals stays as it is."""
    made = suite(["abc", "ABC", "123"])
    assert made.counts == {"shout": Counts(1, 1, 1), "bang": Counts(3, 0, 0)}


def test_the_hash_is_of_what_decides_the_suite() -> None:
    """Seed, options, version and dataset revision each change the hash; the name does not."""
    base = DEFINITION.hash(REVISION)
    harder = Transformation("shout", 1, SHOUT.edit, {"severity": 2})
    newer = Transformation("shout", 2, SHOUT.edit)
    others = [
        Definition("loud", "robustness", (SHOUT, BANG), seed=4).hash(REVISION),
        Definition("loud", "robustness", (harder, BANG), seed=3).hash(REVISION),
        Definition("loud", "robustness", (newer, BANG), seed=3).hash(REVISION),
        DEFINITION.hash("sha256:" + "1" * 64),
    ]
    assert len({base, *others}) == 5
    assert Definition("other name", "robustness", (SHOUT, BANG), seed=3).hash(REVISION) == base


def test_another_seed_gives_other_variants() -> None:
    """The seed decides which letter is drawn."""
    texts = ["a long enough text to choose from"] * 5
    drawn = {
        tuple(
            v.texts["text"]
            for v in suite(texts, definition=Definition("s", "robustness", (SHOUT,), seed)).variants
        )
        for seed in range(5)
    }
    assert len(drawn) == 5


@given(st.lists(st.text(max_size=12), min_size=1, max_size=4))
def test_a_suite_is_read_back_as_it_was_written(texts: list[str]) -> None:
    """Writing a suite and reading it gives an equal one, whatever is in the texts."""
    made = suite(texts)
    assert Suite.parse(made.dump()) == made


def test_the_hash_seed_changes_nothing() -> None:
    """Two processes with different hash seeds make the same suite, byte for byte."""
    code = (
        "import sys; sys.path.insert(0, 'tests/data'); from test_suite_make import suite;"
        " sys.stdout.write(suite(['some text here', 'and more of it']).dump())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1
    assert b"bang" in outputs.pop()


def test_a_transformation_that_touches_what_must_stay_is_stopped() -> None:
    """Edits within a protected stretch are an error that names the transformation and the field."""
    careless_one = Definition("s", "robustness", (Transformation("careless", 1, careless),))
    with pytest.raises(ValueError, match="careless: text: an edit touches what must stay"):
        make(careless_one, "d", REVISION, ("text",), [{"id": "1", "text": "abc"}], [{"text": [(0, 3)]}])


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (["art"], "party art, art.", [(6, 9), (11, 14)]),
        (["art"], "party", [(1, 4)]),
        (["$5", "5"], "it costs $5", [(9, 11), (10, 11)]),
        (["is", "Paris"], "Paris is", [(0, 5), (6, 8)]),
        (["a a"], "a a a", [(0, 3), (2, 5)]),
        (["none"], "text", []),
        ([""], "text", []),
    ],
)
def test_answers_are_found_as_words(words: list[str], text: str, expected: list[Span]) -> None:
    """An answer is found as a whole word, and inside other words only if it is nowhere a whole word."""
    assert occurrences(words, text) == expected
