"""Making a suite: edits, and a pure function of dataset, spec and seed, with every example accounted for."""

from __future__ import annotations

import random
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.suites.base import (
    Edit,
    Edits,
    FieldTexts,
    Protected,
    Span,
    Transformation,
    UndecidedError,
    apply,
    changed_texts,
    each_text,
    touches,
)
from evaluator.data.suites.fairness import fairness, neutral, placebo
from evaluator.data.suites.make import Counts, Definition, Suite, make, occurrences, version_for
from evaluator.data.suites.robustness import robustness

REVISION = "sha256:" + "0" * 64
ROOT = Path(__file__).parents[2]
TEXTS = [
    "Keisha told Priya that Adam and his mother, a waitress, had seen her. It isn't good.",
    "He believes that Maria met Kevin because of their different beginning.",
]


@pytest.mark.parametrize("edits", [[Edit(0, 3, ""), Edit(2, 4, "")], [Edit(0, 9, "")], [Edit(-1, 0, "x")]])
def test_edits_that_do_not_fit_are_refused(edits: list[Edit]) -> None:
    """Edits that overlap or leave the text are an error."""
    with pytest.raises(ValueError, match="overlaps another edit or leaves"):
        apply("abcd", edits)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (Edit(0, 2, "x"), False),
        (Edit(0, 3, "x"), True),
        (Edit(5, 6, "x"), False),
        (Edit(2, 2, "x"), True),
        (Edit(5, 5, "x"), True),
        (Edit(6, 6, "x"), False),
    ],
)
def test_touching_is_changing_or_lengthening(edit: Edit, expected: bool) -> None:
    """An edit touches a span if it changes a character of it or inserts at its edge."""
    assert touches(edit, [(2, 5)]) is expected


#: Words of which some have several forms, or characters that are not seen; and what is no word.
ODD = st.lists(
    st.sampled_from(
        [
            "José",
            "café",
            "façade",
            "can\xadnot",
            "isn't",
            "isn\xad't",
            "he",
            "is",
            "señor",
            "not",
            "Zoë",
            "q̣̇",
            "n\u200bo",
            "각",
            "aunt",
            "Å",
            "̸=",
            "❤️",
            "(",
            ".",
            "?",
            "“",
            "’",
            "ǰ",
            "ᾳ",
            "Σ",
            "ß",
            "=",
            "ͅ",
            "Maria",
        ]
    )
    | st.text("aé\u0301\u0323\u00ad\u200b\u0338=. '’\u1100\u1161\u09c7\u09be", max_size=5),
    max_size=9,
).flatmap(lambda words: st.sampled_from([" ", "", "  "]).map(lambda gap: gap.join(words)))
#: One of each kind of change: of letters, of whole words, at the ends, of the case, and of names.
KINDS = [*robustness(), *robustness({"WordCase": {"case": "title"}}), *fairness({"recogniser": "gazetteer"})]


def variant(transformation: Transformation, text: str, protected: Sequence[Span] = ()) -> str | None:
    """What a text becomes; None where it does not change."""
    try:
        found = changed_texts(transformation, {"t": text}, random.Random(5), {"t": protected})
    except UndecidedError:
        return None
    return found["t"] if found else None


@given(ODD, st.sampled_from(KINDS))
def test_a_decomposed_text_has_the_variant_of_the_composed_one(
    text: str, transformation: Transformation
) -> None:
    """The same letters change, whatever the form; a text with both forms is no exception."""
    forms = [text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD"))]
    found = [variant(transformation, form) for form in forms]
    assert len({one and unicodedata.normalize("NFC", one) for one in found}) == 1


@given(ODD, st.sampled_from(KINDS), st.data())
def test_what_must_stay_keeps_its_form(
    text: str, transformation: Transformation, data: st.DataObject
) -> None:
    """Also where it ends between a letter and its mark."""
    text = unicodedata.normalize("NFD", text)
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    found = variant(transformation, text, [(start, end)])
    assert found is None or text[start:end] in found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "text",
    ["re\u0301sume\u0301 Zu\u0308rich", "can\u00adnot", "isn\u00ad't", "n\u200bot", "wi\u200dll"],
    ids=ascii,
)
def test_no_letter_of_a_word_with_marks_changes(text: str, seed: int) -> None:
    """Only its case does, and the marks around the text; a negation with a soft hyphen stays one."""
    for transformation in robustness():
        if transformation.name not in ("WordCase", "Punctuation"):
            assert not changed_texts(transformation, {"t": text}, random.Random(seed), {})


def test_title_case_knows_words_with_marks() -> None:
    """One capital a word, and each letter keeps its form."""
    [title] = [one for one in robustness({"WordCase": {"case": "title"}}) if one.name == "WordCase"]
    assert (
        variant(title, "fac\u0327ade un\u00adbe\u00adliev\u00adable")
        == "Fac\u0327ade Un\u00adbe\u00adliev\u00adable"
    )
    # What a mark is on may be no letter, and then says nothing of the word behind it.
    [ocr] = [one for one in robustness() if one.name == "OCR"]
    assert variant(ocr, "❤\ufe0fclear") not in (None, "❤\ufe0fclear")


def test_a_suite_has_a_new_version_only_where_texts_have_marks() -> None:
    """Elsewhere its variants are what they were, and so is its hash."""
    assert version_for(["text"], [{"text": "a café, isn’t it"}, {"text": "naïve 👍"}]) == 1
    assert version_for(["text"], [{"text": "a"}, {"text": "cafe\u0301"}]) == 2
    assert version_for(["text"], [{"text": "can\u00adnot"}]) == 2


LONG = {
    "decomposed": "cafe\u0301 he saw\u00ad ",
    "no marks": "he saw ",
    "many adverbs": "she really never quickly ",
    "commas": "he is here, and saw ",
    "quotation marks": '" ( " she said " ',
    "entities": "Martin Luther King met her brother Adam in New York ",
    "contractions": "it is not good she isn't ’ cannot ",
    "no blanks": "he,she.is-not/",
}


@pytest.mark.parametrize("protects", [False, True])
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_twice_the_text_is_twice_the_work(text: str, protects: bool) -> None:
    """Counted in lines of code that run, for every transformation, also where every other word must stay."""
    kinds: list[tuple[Transformation, ...]] = [robustness()]
    kinds += [make_kind({"recogniser": "gazetteer"}) for make_kind in (fairness, placebo, neutral)]
    for transformation in (one for kind in kinds for one in kind):
        lines_run(transformation, text * 200, protects)  # what is looked up once is known from now on
        once, twice = (lines_run(transformation, text * times, protects) for times in (100, 200))
        assert twice < 2.2 * once + 500, transformation.name


def lines_run(transformation: Transformation, text: str, protects: bool) -> int:
    spans = [(at, at + 3) for at in range(0, len(text) - 3, 12)] if protects else []
    count = 0

    def trace(frame: object, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        changed_texts(transformation, {"text": text}, random.Random(0), {"text": spans})
    except UndecidedError:
        pass
    finally:
        sys.settrace(before)
    return count


def shout(text: str, rng: random.Random, protected: Sequence[Span]) -> list[Edit]:
    """One letter, drawn, in capitals; a capital stays what it is."""
    places = [place for place, char in enumerate(text) if char.isalpha()]
    place = rng.choice(places) if places else None
    return [] if place is None else [Edit(place, place + 1, text[place].upper())]


def careless(texts: FieldTexts, rng: random.Random, protected: Protected) -> Edits:
    return {name: [Edit(0, 1, "?")] for name in texts}


SHOUT = Transformation("shout", 1, each_text(shout))
BANG = Transformation("bang", 1, each_text(lambda text, rng, protected: [Edit(len(text), len(text), "!")]))
DEFINITION = Definition("loud", "robustness", (SHOUT, BANG), seed=3)


def suite(texts: list[str], ids: list[str] | None = None, definition: Definition = DEFINITION) -> Suite:
    names = ids or list(map(str, range(len(texts))))
    examples = [{"id": id_, "text": text} for id_, text in zip(names, texts, strict=True)]
    return make(definition, "d", REVISION, ("text",), examples, [{}] * len(texts))


@given(st.lists(st.text(max_size=12), min_size=1, max_size=6))
def test_every_example_is_accounted_for(texts: list[str]) -> None:
    """Each is made, unchanged or not applicable; no variant is its original; the suite is read as it is written."""
    assert suite(["abc", "ABC", "123"]).counts == {"shout": Counts(1, 1, 1), "bang": Counts(3, 0, 0)}
    made = suite(texts)
    for counts in made.counts.values():
        assert counts.made + counts.unchanged + counts.not_applicable == len(texts)
    assert sum(counts.made for counts in made.counts.values()) == len(made.variants)
    for variant in made.variants:
        assert variant.texts["text"] != texts[variant.row]
    assert Suite.parse(made.dump()) == made


def test_order_and_sharding_change_nothing() -> None:
    """An example's variants, by any of our transformations, do not depend on what comes before it."""
    texts = [f"{text} {number}" for number in range(3) for text in TEXTS]
    ids = [f"e{number}" for number in range(len(texts))]
    every = (*robustness(), *fairness({"recogniser": "gazetteer"}))
    definition = Definition("all", "robustness", every)

    def variants(rows: Sequence[int]) -> dict[tuple[str, str], str]:
        made = suite([texts[row] for row in rows], [ids[row] for row in rows], definition)
        return {(ids[rows[v.row]], v.transformation): v.texts["text"] for v in made.variants}

    whole = variants(range(6))
    assert len(whole) > 6 * 8
    assert variants([5, 4, 3, 2, 1, 0]) == whole
    assert variants([0, 1]) | variants([2, 3, 4, 5]) == whole


CODE = """
import json, random, sys
from evaluator.data.suites.base import apply
from evaluator.data.suites.fairness import fairness, neutral, placebo
from evaluator.data.suites.robustness import robustness
options, text = {"recogniser": "gazetteer"}, sys.argv[1]
for one in (*robustness(), *fairness(options), *placebo(options), *neutral(options)):
    made = [one.edit({"context": text}, random.Random(seed), {}) for seed in range(5)]
    print(json.dumps([one.spec(), [apply(text, edits.get("context", [])) for edits in made]]))
"""


@pytest.mark.slow
def test_the_same_in_every_process_and_under_any_hash_seed() -> None:
    """Nothing depends on the order of sets, and every transformation has something to do with this text."""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", CODE, " ".join(TEXTS)],
            env={"PYTHONHASHSEED": seed, "PATH": "", "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "4242")
    ]
    assert outputs[0] == outputs[1]
    assert len(outputs[0].splitlines()) == 7 + 5 + 1 + 1


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
        (["none", ""], "text", []),
    ],
)
def test_answers_are_found_as_words(words: list[str], text: str, expected: list[Span]) -> None:
    """An answer is found as a whole word, and inside other words only if it is nowhere a whole word."""
    assert occurrences(words, text) == expected
