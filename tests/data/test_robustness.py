"""What the robustness transformations keep to, and what each does to texts."""

from __future__ import annotations

import importlib.util
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
import robustness as reading
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.suites.base import Edit, Span, apply, touches
from evaluator.data.suites.robustness import FACTORIES, robustness, spelling
from evaluator.data.suites.robustness.letters import NEIGHBOURS
from evaluator.data.suites.robustness.spelling import list_text, misspellings
from evaluator.records.errors import UserError

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
    name: str, text: str, seed: int = 0, protected: Sequence[Span] = (), **options: object
) -> list[Edit]:
    made = FACTORIES[name](**options) if options else ALL[name]
    return made.edit({"text": text}, random.Random(seed), {"text": protected})["text"]


def variant(name: str, text: str, seed: int = 0, protected: Sequence[Span] = (), **options: object) -> str:
    return apply(text, edits_of(name, text, seed, protected, **options))


def variants(name: str, text: str, protected: Sequence[Span] = (), **options: object) -> set[str]:
    """The variants of a text under a hundred seeds."""
    return {variant(name, text, seed, protected, **options) for seed in range(100)}


@pytest.mark.parametrize("name", ALL)
@given(case=guarded(), seed=st.integers(0, 2**32))
def test_edits_change_what_they_may_and_nothing_else(
    name: str, case: tuple[str, list[Span]], seed: int
) -> None:
    """Edits are apart, each changes its stretch and none that is protected; as many words negate as before; the same
    seed gives the same edits, whatever came before."""
    text, protected = case
    edits = edits_of(name, text, seed, protected)
    after = apply(text, edits)
    assert not any(touches(edit, protected) for edit in edits)
    assert all(text[edit.start : edit.end] != edit.text for edit in edits)
    assert not edits or after != text
    assert len(NEGATION.findall(after)) == len(NEGATION.findall(text))
    edits_of(name, REVIEW, seed + 1)
    assert edits_of(name, text, seed, protected) == edits


@pytest.mark.parametrize("name", NOISE)
def test_noise_leaves_negations_numbers_links_and_tags(name: str) -> None:
    """Whatever the seed, words that are more than letters, or that negate, are as they were; and no word whose letters
    are near becomes one that negates."""
    kept = "isn't never not won't $5.00!!! www.example.org/a-film @critic #fine 3rd U.S. mp3s Не плохо naïve"
    near = "note know notes now on bot want cast dot lark black nine one mother neighbor barley snot knot"
    for seed in range(50):
        after = variant(name, REVIEW, seed)
        assert all(word in after for word in [*kept.split(), "Straße", "  "])
        assert not NEGATION.search(variant(name, near, seed))


@pytest.mark.parametrize("name", NOISE)
def test_a_word_that_holds_an_answer_stays_whole(name: str) -> None:
    """A protected stretch within a word keeps that word, and no other, from changing."""
    text = "Because everyone believes in something different"
    start = text.index("one believe")
    for seed in range(50):
        after = variant(name, text, seed, [(start, start + len("one believe"))])
        assert "everyone believes" in after
        assert after != text


@pytest.mark.parametrize("name", NOISE)
def test_severity_decides_how_many_words_change(name: str) -> None:
    """The share of words, within its least and most, is what is changed where that many can be, in quotes too; it is in
    the spec."""
    text = " ".join(["because believe beginning different friend"] * 8)
    severities = ({"share": 0.01, "least": 2}, {"share": 0.5, "most": 99}, {"share": 1, "most": 7})
    assert [len(edits_of(name, text, **options)) for options in severities] == [2, 20, 7]
    assert variant(name, f'("{text}").', share=1).startswith('("')
    specs = {one.name: one.spec()["options"] for one in robustness({name: {"share": 0.5}})}
    assert list(specs) == list(FACTORIES)
    assert (specs[name]["share"], specs[name]["least"]) == (0.5, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"Typo": {}}, "options: 'Typo' is not a transformation; use one of Contraction, Keyboard"),
        ({"Typos": {"p": 1}}, "Typos: 'p' is not an option of it; use share, least, most, letters"),
        ({"Keyboard": {"share": float("nan")}}, "Keyboard: share: nan is not a share"),
        ({"OCR": {"least": 0}}, "OCR: least: 0 is not a count"),
        ({"Keyboard": {"most": 2, "least": 3}}, "Keyboard: most: 2 is under least: 3"),
        ({"WordCase": {"case": "Upper"}}, "WordCase: case: 'Upper' is not a case; use upper, lower, title"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, dict[str, object]], message: str) -> None:
    """The error names the transformation, the option and its value, and what to use."""
    with pytest.raises(UserError, match=f"^{re.escape(message)}"):
        robustness(options)


def test_variants_read_by_hand_are_those_of_today() -> None:
    """Twenty of each transformation were read; in the sample hardly any label changes."""
    found = reading.read()
    assert [one for one, _ in found] == list(reading.drawn())
    assert Counter(name for (name, *_), _ in found) == dict.fromkeys(ALL, reading.EACH)
    assert sum(changed for _, changed in found) <= 0.02 * len(found)


# Keyboard, OCR, Typos


def test_letters_slip_to_those_that_are_near() -> None:
    """Keys that touch, both ways and in both cases; to OCR, letters that run together are read as one, and one as two."""
    for word, misread in (("modern", "modem"), ("clear", "dear"), ("must", "rnust")):
        assert misread in {variant("OCR", word, seed) for seed in range(200)}
    assert variants("OCR", "I") == {"l", "1"}
    assert sorted(NEIGHBOURS["g"]) == list("bfhtvy")
    assert sorted(NEIGHBOURS["q"]) == list("aw")
    assert sorted(NEIGHBOURS["P"]) == list("LO")
    assert all(letter in NEIGHBOURS[other] for letter, others in NEIGHBOURS.items() for other in others)
    for after in variants("Keyboard", "WONDERFUL acting"):
        assert len(after) == len("WONDERFUL acting")
        assert after.split()[0].isupper()
        assert after.split()[1].islower()


def test_typos_keep_first_and_last_letters() -> None:
    """Each of the four slips happens, always inside the word; of twins that are swapped one is left out."""
    found = {variant("Typos", "Wonderful", seed) for seed in range(400)}
    assert all(word[0] == "W" and word[-1] == "l" for word in found)
    assert {"Wnoderful", "Wnderful"} <= found
    assert {len(word) for word in found} == {8, 9, 10}
    assert any(len(word) == 9 and sorted(word) != sorted("Wonderful") for word in found)
    assert "been" not in variants("Typos", "been")


# SpellingError


def test_words_become_misspellings_of_theirs_in_their_case() -> None:
    """Every change is of a word to one of its misspellings, capitals kept; none of those is a word that is misspelt
    elsewhere, in a dictionary, or known to stand for several."""
    wrong = {misspelling for found in misspellings().values() for misspelling in found}
    assert not wrong & misspellings().keys()
    assert not wrong & {"form", "from", "their", "calender", "jus", "gage", "bale", "dont", "wont"}
    assert all(word.isascii() and word.isalpha() and word.islower() for word in wrong)
    words = ["Because", "beginning", "BELIEVE", "different"]
    for after in variants("SpellingError", " ".join(words), share=1.0):
        for old, new in zip(words, after.split(), strict=True):
            assert new.lower() in misspellings()[old.lower()]
            assert (new.isupper(), new.istitle()) == (old.isupper(), old.istitle())


def test_the_list_and_the_spec_name_their_sources() -> None:
    """The list goes into sites, so licence, authors and changes are in it; the hash knows both files."""
    notes = "".join(line for line in list_text().splitlines(True) if line.startswith("#"))
    for part in (
        "creativecommons.org/licenses/by-sa/3.0/",
        "Lucas De Marchi",
        "Wikipedia",
        "What was changed",
    ):
        assert part in notes
    sources = ALL["SpellingError"].spec()["options"]["sources"]
    named = [(source["package"], source["licence"]) for source in sources]
    assert named == [("codespell", "CC BY-SA 3.0"), ("symspellpy", "MIT")]
    assert all(len(source["sha256"]) == 64 and source["version"] for source in sources)


def test_the_packages_are_read_not_run() -> None:
    """Misspelling a text imports neither package: codespell's code is under the GPL."""
    code = (
        "import sys; from evaluator.data.suites.robustness.spelling import *; spelling_error(); misspellings();"
        "print([name for name in sys.modules if name.startswith(('codespell', 'symspell'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def forget() -> None:
    for function in (misspellings, spelling.sources, spelling._lines, list_text):
        function.cache_clear()


def test_a_list_beside_the_module_is_read_instead(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A page puts the list there, and has no packages; words and sources are the same. Without either, the error says
    what to install."""
    expected = (dict(misspellings()), spelling.sources())
    (tmp_path / "misspellings.txt").write_text(list_text(), "utf-8")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    forget()
    with pytest.raises(
        UserError, match=r"^codespell: is not installed; run pip install 'steelyard\[suites\]'$"
    ):
        spelling.spelling_error()
    monkeypatch.setattr(spelling, "LIST", tmp_path / "misspellings.txt")
    forget()
    assert (misspellings(), spelling.sources()) == expected
    forget()


# Punctuation, WordCase


@pytest.mark.parametrize(
    ("text", "kept"),
    [('He said "fine."', '"'), ("It is the actors'", "actors'"), ("She wrote (a lot).", "(a lot)")],
)
def test_closing_quotes_and_brackets_stay(text: str, kept: str) -> None:
    """The mark before or behind them changes, and they are still where they were."""
    found = variants("Punctuation", text, surround=False)
    assert len(found) >= 4
    assert all(after != text and after.count(kept[-1]) == text.count(kept[-1]) for after in found)


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("upper", "IT ISN'T THE 3rd STRAßE, İS IT? SEE a@b.org"),
        ("lower", "it isn't the 3rd straße, İs it? see a@b.org"),
        ("title", "It Isn't The 3rd Straße, İs It? See a@b.org"),
    ],
)
def test_cases(case: str, expected: str) -> None:
    """Letters change case one for one; those that would become several stay, like links, numbers and what is protected;
    random is one of the three."""
    assert variants("WordCase", "it isn't the 3rd Straße, İs it? See a@b.org", case=case) == {expected}
    assert variants("WordCase", "in Paris now", [(3, 8)]) == {"IN Paris NOW"}
    assert variants("WordCase", "a Film", case="random") == {"A FILM", "a film", "A Film"}


def test_the_text_is_surrounded_by_a_pair() -> None:
    """Brackets or quotes that the text does not use are put around it, inside its outer white space; nothing is put
    around what has no letter, and no half pair where one end must stay."""
    for after in variants("Punctuation", ' "Fine," he said.\n'):
        assert after[0] == " "
        assert after[-1] == "\n"
        assert after[1] + after[-2] in ("()", "[]", "{}", "“”")
        assert after[2:].startswith('"Fine," he said')
    assert variants("Punctuation", '..."') == {'..."'}
    for after in variants("Punctuation", "Paris is it.", [(0, 5)]):
        assert after.startswith("Paris is it")
        assert after[-1] not in ')]}”"'


def test_a_question_stays_one() -> None:
    """A question mark is repeated, never lost, and none is put behind a statement."""
    assert variants("Punctuation", "Is it?", surround=False) == {"Is it??", "Is it?!", "Is it???"}
    assert not any("?" in after for after in variants("Punctuation", "It is.", surround=False))


@pytest.mark.parametrize(
    "text", ["It cost $5.00!!!", "See http://example.org/a?b", "Love it #fun", "At 5 p.m."]
)
def test_links_tags_numbers_and_abbreviations_keep_their_end(text: str) -> None:
    """What ends in one of them gets nothing but a pair around it."""
    assert variants("Punctuation", text, surround=False) == {text}
    assert all(text in after for after in variants("Punctuation", text))


# Contraction

NEGATIONS = {
    "It isn't good.": "It is not good.",
    "He said he won't": "He said he will not",
    "WON'T you? I WON'T.": "WON'T you? I WILL NOT.",
    "I can't, and they couldn't.": "I cannot, and they could not.",
    "Don't go.": "Do not go.",
    "It does n't work , it is n't fun and I ca n't say it wo n't hurt": "It does not work , it is not fun and I cannot "
    "say it will not hurt",
    "It doesn’t work.": "It does not work.",
    "They do not know; it is not bad.": "They don't know; it isn't bad.",
    "Will not do. I cannot go. They can not go.": "Won't do. I can't go. They can't go.",
    "DO NOT GO": "DON'T GO",
    "I am not sure": "I'm not sure",
}
WRITTEN_OUT = {
    "It's a film that's fun": "It is a film that is fun",
    "it's been long; he's never been late": "it has been long; he has never been late",
    "She's really good, she's not been well": "She is really good, she has not been well",
    "He'd like it; she'd never seen it": "He would like it; she had never seen it",
    "I'd better go": "I had better go",
    "They'd been told we'd love it": "They had been told we would love it",
    "it 's a mess and there 's nothing in it": "it is a mess and there is nothing in it",
    "IT'S BAD": "IT IS BAD",
    "Let's see what you'll do, I'm sure they've seen you're late": "Let us see what you will do, I am sure they have "
    "seen you are late",
    "You could've, they should've": "You could have, they should have",
}
CONTRACTED = {
    "It is late and he is tired, so they are here": "It's late and he's tired, so they're here",
    "I have seen it; he has gone": "I've seen it; he's gone",
    "If you would ask, I will say": "If you'd ask, I'll say",
    "A man who is tall": "A man who's tall",
    "IT IS BAD": "IT'S BAD",
    "It’s what I say: it is late": "It is what I say: it’s late",
}
#: Possessives, questions, ambiguous forms and what may not be short.
UNSURE = """
John's dog and the film's end are everyone's
Its plot, the children's parts, the '90s and rock'n'roll
he'd put it there; she'd come
it's called art; he's gone; it's done
a film at war with it's plot
It's in fact been good
It Is Late
I know what it is now, she is too, and so am I
Yes, I am.  Yes I will. He is and was.
Isn't it? Don't you? Why don't the people go? Isn't the film good?
It is, however, late. I have a dog. They had nothing.
I DO not, you IS wrong
not only that: it can not only sing, I cannot but laugh
shouldn't've, y'all, ma'am, o'clock, ain't
this island, thesis not, whither are
it  is late
"""
CONTRACTIONS = NEGATIONS | WRITTEN_OUT | CONTRACTED | {text: text for text in UNSURE.strip().splitlines()}


@pytest.mark.parametrize(("text", "expected"), CONTRACTIONS.items(), ids=list(CONTRACTIONS))
def test_contraction(text: str, expected: str) -> None:
    """Negations stay negations; what follows decides what "'s" and "'d" are; phrases get their short form in their
    case; what is unsure stays, and what is protected."""
    assert variant("Contraction", text) == expected
    assert variant("Contraction", text, 0, [(0, len(text))]) == text


PIECES = [
    "It isn't good", "He won't", "I can't go", "they did not stay", "we cannot say", "It is not that bad", "never",
    "no one's here", "I'd not like it", "he's not been", "it's not", "not", "don't", "do not", "ca n't", "I am not",
    "it is", "it's", "who is", "that 's", "he would", "she'd", "'s", "n't", "be", "been",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=9), st.sampled_from([" ", ", "]))
def test_contractions_in_a_row_do_not_meet(pieces: list[str], between: str) -> None:
    """No edit overlaps another (`apply` would refuse), and however clauses are put together each negates as before."""
    text = between.join(pieces)
    after = variant("Contraction", text)
    assert len(after.split()) <= 2 * len(text.split())
    assert len(NEGATION.findall(after)) == len(NEGATION.findall(text))
