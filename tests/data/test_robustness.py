"""What all robustness transformations keep to, and what each does to texts."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence

import pytest
import robustness as reading
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.suites.base import Transformation
from evaluator.data.suites.edits import Edit, Span, apply, moved, touches
from evaluator.data.suites.errors import SuiteError
from evaluator.data.suites.robustness import FACTORIES, robustness

ALL = {transformation.name: transformation for transformation in robustness()}
# Those that change letters within words.
NOISE = ("Keyboard", "OCR", "SpellingError", "Typos")
# A film by its review: negations, quotes, contractions, links, numbers, and letters from elsewhere.
REVIEW = (
    "It isn't good, \"but it's never dull\"; she'd been told they will not stop.  Because of its beginning "
    "and John's acting, I believe it is $5.00!!! well spent (see www.example.org/a-film or @critic, #fine).\t"
    "Не плохо — naïve, 3rd, U.S. mp3s, ﬁne Straße. He said he won't."
)

_WORDS = """
the film is not was isn't don't Cannot NEVER it's It it he she they'd they would had been will I am have
seen great Because beginning believe and, that. "quoted" “said” 'tis won't can't $5.00!!! 3rd a@b.org #tag
@name http://x.org/a-b U.S. naïve Straße ﬁt İstanbul ǆ 映画 e\u0301te\u0301 non-stop now know on note
"""
WORDS = st.sampled_from(_WORDS.split())
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(WORDS | st.text(max_size=5), max_size=20).map(" ".join),
    st.lists(WORDS | st.sampled_from(" \n\t.,!?\"'”)-"), max_size=20).map("".join),
)
NEGATION = re.compile(r"n['’]t\b|\b(?:not|no|never|nothing|nobody|none|nor|neither|cannot|without)\b", re.I)


@st.composite
def guarded(draw: st.DrawFn) -> tuple[str, list[Span]]:
    """A text and spans of it that must stay."""
    text = draw(TEXTS)
    marks = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return text, list(zip(marks[::2], marks[1::2], strict=False))


def edits_of(
    transformation: Transformation, text: str, seed: int = 0, protected: Sequence[Span] = ()
) -> list[Edit]:
    return transformation.edit({"text": text}, random.Random(seed), {"text": protected})["text"]


def variant(name: str, text: str, seed: int = 0, protected: Sequence[Span] = ()) -> str:
    return apply(text, edits_of(ALL[name], text, seed, protected))


@pytest.mark.parametrize("name", ALL)
@given(case=guarded(), seed=st.integers(0, 2**32))
def test_edits_are_apart_and_leave_what_is_protected(
    name: str, case: tuple[str, list[Span]], seed: int
) -> None:
    """No edit overlaps another or touches a protected stretch, which is found whole where it has moved to."""
    text, protected = case
    edits = edits_of(ALL[name], text, seed, protected)
    after = apply(text, edits)
    assert not any(touches(edit, protected) for edit in edits)
    for (start, end), (first, last) in zip(protected, moved(protected, edits), strict=True):
        assert after[first:last] == text[start:end]


@pytest.mark.parametrize("name", ALL)
@given(text=TEXTS, seed=st.integers(0, 2**32))
def test_edits_change_the_text(name: str, text: str, seed: int) -> None:
    """Where there are edits the text is another one, and every one of them changes its stretch."""
    edits = edits_of(ALL[name], text, seed)
    assert all(text[edit.start : edit.end] != edit.text for edit in edits)
    assert not edits or apply(text, edits) != text


@pytest.mark.parametrize("name", ALL)
@given(text=TEXTS, seed=st.integers(0, 2**32))
def test_negation_stays(name: str, text: str, seed: int) -> None:
    """As many words negate after as before."""
    edits = edits_of(ALL[name], text, seed)
    assert len(NEGATION.findall(apply(text, edits))) == len(NEGATION.findall(text))


@pytest.mark.parametrize("name", ALL)
@given(text=TEXTS, seed=st.integers(0, 2**32))
def test_the_same_seed_gives_the_same_edits(name: str, text: str, seed: int) -> None:
    """A transformation is a function of the text and the seed alone, whatever it saw before."""
    edits = edits_of(ALL[name], text, seed)
    edits_of(ALL[name], REVIEW, seed + 1)
    assert edits_of(ALL[name], text, seed) == edits


@pytest.mark.parametrize("name", ALL)
def test_fields_are_edited_each_by_itself(name: str) -> None:
    """Every field that is given gets its edits, in the order of the fields."""
    texts = {"context": REVIEW, "hypothesis": "They will not believe it is the beginning of something great."}
    edits = ALL[name].edit(texts, random.Random(3), {})
    assert list(edits) == list(texts)
    assert all(edits.values())


def test_other_hash_seeds_give_the_same_variants() -> None:
    """Processes with different hash seeds make the same variants."""
    code = (
        "import json, random, sys\n"
        "from evaluator.data.suites.robustness import robustness\n"
        "text = json.loads(sys.stdin.read())\n"
        "made = {t.name: [[e.start, e.end, e.text] for s in range(20) for e in\n"
        "    t.edit({'a': text, 'b': text[:70]}, random.Random(s), {})['b']] for t in robustness()}\n"
        "print(json.dumps([made, [t.spec() for t in robustness()]]))"
    )
    answers = [
        subprocess.run(
            [sys.executable, "-c", code],
            input=json.dumps(REVIEW),
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1", "4242")
    ]
    made, specs = json.loads(answers[0])
    assert set(answers) == {answers[0]}
    assert list(made) == list(FACTORIES)
    assert all(made.values())
    assert [spec["name"] for spec in specs] == list(FACTORIES)


@pytest.mark.parametrize("name", NOISE)
@pytest.mark.parametrize(
    "kept", ["isn't", "never", "not", "won't", "$5.00!!!", "www.example.org/a-film", "@critic", "#fine", "3rd", "U.S.", "mp3s", "Не плохо", "naïve", "Straße", "  Because of"[:2]]
)  # fmt: skip
def test_noise_leaves_negations_numbers_links_and_tags(name: str, kept: str) -> None:
    """Whatever the seed, words that are more than letters, or that negate, are as they were."""
    assert all(kept in variant(name, REVIEW, seed) for seed in range(200))


@pytest.mark.parametrize("name", NOISE)
def test_noise_reaches_most_other_words(name: str) -> None:
    """Over many seeds the words that may change do, those in quotes and brackets included."""
    text = 'Because of its ("beginning and believe something different about their friend").'
    words = re.findall(r"\w+", text)
    found = {word for seed in range(300) for word in words if word not in variant(name, text, seed)}
    assert len(found) >= 6
    assert variant(name, text).endswith('").')


@pytest.mark.parametrize("name", NOISE)
def test_a_word_that_holds_an_answer_stays_whole(name: str) -> None:
    """A protected stretch within a word keeps that word, and no other, from changing."""
    text = "Because everyone believes in something different"
    start = text.index("one believe")
    for seed in range(100):
        after = variant(name, text, seed, [(start, start + len("one believe"))])
        assert "everyone believes" in after
        assert after != text


@pytest.mark.parametrize("name", NOISE)
def test_noise_never_makes_a_negation(name: str) -> None:
    """A letter more, less or other would turn these words into ones that negate; it does not happen."""
    text = "note know notes now on bot want cast dot lark black nine one mother neighbor barley snot knot"
    for seed in range(500):
        assert not NEGATION.search(variant(name, text, seed))


@pytest.mark.parametrize("name", NOISE)
def test_severity_decides_how_many_words_change(name: str) -> None:
    """The share of words, within its least and most, is what is changed where that many can be."""
    text = " ".join(["because believe beginning different friend"] * 8)
    few, half, all_ = (
        len(edits_of(FACTORIES[name](**options), text))
        for options in ({"share": 0.01, "least": 2}, {"share": 0.5, "most": 99}, {"share": 1, "most": 7})
    )
    assert (few, half, all_) == (2, 20, 7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"Typo": {}}, "'Typo' is not a transformation; use one of Contraction, Keyboard"),
        ({"Typos": {"p": 1}}, "Typos: 'p' is not an option of it; use share, least, most, letters"),
        ({"Typos": {"share": 0}}, "Typos: share: 0 is not a share"),
        ({"Keyboard": {"share": float("nan")}}, "Keyboard: share: nan is not a share"),
        ({"OCR": {"share": True}}, "OCR: share: True is not a share"),
        ({"OCR": {"least": 0}}, "OCR: least: 0 is not a count"),
        ({"Keyboard": {"most": 2.0}}, "Keyboard: most: 2.0 is not a count"),
        ({"Keyboard": {"most": 2, "least": 3}}, "Keyboard: most: 2 is under least: 3"),
        ({"Typos": {"letters": 3}}, "Typos: letters: words of 3 are too short"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, dict[str, object]], message: str) -> None:
    """The error names the transformation, the option and its value, and what to use."""
    with pytest.raises(SuiteError, match=f"^{re.escape(message)}"):
        robustness(options)


def test_options_are_in_the_spec() -> None:
    """What decides the edits is recorded, defaults included."""
    specs = {
        transformation.name: transformation.spec() for transformation in robustness({"Typos": {"share": 0.5}})
    }
    assert specs["Typos"]["options"] == {"share": 0.5, "least": 1, "most": 10, "letters": 4}
    assert specs["Keyboard"]["options"] == {
        "share": 0.2,
        "least": 1,
        "most": 10,
        "letters": 4,
        "layout": "qwerty",
    }
    assert all(json.dumps(spec, allow_nan=False) for spec in specs.values())


def test_keyboard_neighbours_touch() -> None:
    """Keys that touch are neighbours both ways, in both cases, and no others are."""
    from evaluator.data.suites.robustness.keyboard import NEIGHBOURS

    assert sorted(NEIGHBOURS["g"]) == list("bfhtvy")
    assert sorted(NEIGHBOURS["q"]) == list("aw")
    assert sorted(NEIGHBOURS["P"]) == list("LO")
    assert all(letter in NEIGHBOURS[other] for letter, others in NEIGHBOURS.items() for other in others)
    assert len(NEIGHBOURS) == 52


def test_keyboard_keeps_case_and_length() -> None:
    """A slip is one letter for another of the same case."""
    for seed in range(100):
        after = variant("Keyboard", "WONDERFUL acting", seed)
        assert len(after) == len("WONDERFUL acting")
        assert after.istitle() is False
        assert after.split()[0].isupper()
        assert after.split()[1].islower()


def test_typos_keep_first_and_last_letters() -> None:
    """Each of the four slips happens, always inside the word."""
    found = {variant("Typos", "Wonderful", seed) for seed in range(400)}
    assert all(word[0] == "W" and word[-1] == "l" for word in found)
    assert {"Wnoderful", "Wnderful"} <= found
    assert {len(word) for word in found} == {8, 9, 10}
    assert any(len(word) == 9 and sorted(word) != sorted("Wonderful") for word in found)


def test_a_swap_of_twins_leaves_one_out() -> None:
    """A word whose inner letters are the same still gets a typo."""
    assert all(variant("Typos", "been", seed) != "been" for seed in range(100))


def test_ocr_knows_pairs_of_letters() -> None:
    """Letters that run together are read as one, and one as two."""
    assert "modem" in {variant("OCR", "modern", seed) for seed in range(200)}
    assert "dear" in {variant("OCR", "clear", seed) for seed in range(200)}
    assert "rnust" in {variant("OCR", "must", seed) for seed in range(200)}
    assert {variant("OCR", "I", seed) for seed in range(50)} == {"l", "1"}


def test_what_was_read_is_what_is_made_and_hardly_any_label_changes() -> None:
    """Variants read by hand are those of today, twenty of each transformation; in the sample no label changes."""
    found = reading.read()
    assert [one for one, _ in found] == list(reading.drawn())
    assert Counter(name for (name, *_), _ in found) == dict.fromkeys(ALL, reading.EACH)
    assert sum(changed for _, changed in found) <= 0.02 * len(found)
