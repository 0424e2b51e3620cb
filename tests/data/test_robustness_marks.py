"""Punctuation, WordCase and SpellingError, text by text."""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.suites.base import Transformation
from evaluator.data.suites.edits import apply
from evaluator.data.suites.errors import SuiteError
from evaluator.data.suites.robustness import punctuation, spelling, word_case
from evaluator.data.suites.robustness.misspelling_list import list_text

#: What is kept of the list once it is read.
CACHED = (spelling.misspellings, spelling.sources, spelling._lines, list_text)


def variants(
    transformation: Transformation, text: str, protected: tuple[tuple[int, int], ...] = ()
) -> set[str]:
    """The variants of a text under a hundred seeds."""
    return {
        apply(text, transformation.edit({"text": text}, random.Random(seed), {"text": protected})["text"])
        for seed in range(100)
    }


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('He said "fine."', '"'),
        ('He said "fine"', '"fine"'),
        ("“Fine!”", "”"),
        ("It is the actors'", "actors'"),
        ("She wrote (a lot).", "(a lot)"),
        ('he said " fine . "', ' "'),
    ],
)
def test_closing_quotes_and_brackets_stay(text: str, kept: str) -> None:
    """The mark before or behind them changes, and they are still where they were."""
    found = variants(punctuation.transformation(surround=False), text)
    assert len(found) >= 4
    assert text not in found
    assert all(kept in after for after in found)
    assert all(after.count(kept[-1]) == text.count(kept[-1]) for after in found)


def test_the_text_is_surrounded_by_a_pair() -> None:
    """Brackets or quotes that the text does not use are put around it, inside its outer white space."""
    for after in variants(punctuation.transformation(), ' "Fine," he said.\n'):
        assert after[0] == " "
        assert after[-1] == "\n"
        assert after[1] + after[-2] in ("()", "[]", "{}", "“”")
        assert after[2:].startswith('"Fine," he said')


def test_a_question_stays_one() -> None:
    """A question mark is repeated, never lost, and none is put behind a statement."""
    plain = punctuation.transformation(surround=False)
    assert variants(plain, "Is it?") == {"Is it??", "Is it?!", "Is it???"}
    assert not any("?" in after for after in variants(plain, "It is."))


@pytest.mark.parametrize(
    "text", ["It cost $5.00!!!", "See http://example.org/a?b", "Love it #fun", "Ask @me", "At 5 p.m."]
)
def test_links_tags_numbers_and_abbreviations_keep_their_end(text: str) -> None:
    """What ends in one of them gets nothing but a pair around it."""
    assert variants(punctuation.transformation(surround=False), text) == {text}
    assert all(text in after for after in variants(punctuation.transformation(), text))


def test_only_marks_are_no_text() -> None:
    """Nothing is put around what has no letter."""
    assert variants(punctuation.transformation(), '..."') == {'..."'}


def test_a_protected_end_leaves_no_half_pair() -> None:
    """Where one end must stay, nothing is put at the other; the mark may still change."""
    found = variants(punctuation.transformation(), "Paris is it.", ((0, 5),))
    assert found
    assert all(after.startswith("Paris is it") and after[-1] not in ')]}”"' for after in found)


def test_surround_is_true_or_false() -> None:
    """Another value is refused by name."""
    with pytest.raises(SuiteError, match=r"^surround: 'yes' is neither true nor false; use one of them$"):
        punctuation.transformation(surround="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("upper", "IT ISN'T THE 3rd STRAßE, İS IT? SEE a@b.org"),
        ("lower", "it isn't the 3rd straße, İs it? see a@b.org"),
        ("title", "It Isn't The 3rd Straße, İs It? See a@b.org"),
    ],
)
def test_cases(case: str, expected: str) -> None:
    """Letters change case one for one; those that would become several stay, like links and numbers."""
    assert variants(word_case.transformation(case), "it isn't the 3rd Straße, İs it? See a@b.org") == {
        expected
    }


@given(st.text(), st.sampled_from(["upper", "lower", "title", "random"]))
def test_case_changes_no_length(text: str, case: str) -> None:
    """Whatever the letters, every character stays at its place."""
    edits = word_case.transformation(case).edit({"text": text}, random.Random(1), {})["text"]
    assert all(len(edit.text) == edit.end - edit.start for edit in edits)


def test_random_case_is_one_of_the_three() -> None:
    """Each is chosen, a text at a time."""
    assert variants(word_case.transformation("random"), "a Film") == {"A FILM", "a film", "A Film"}


def test_a_text_in_the_case_already_has_no_variant() -> None:
    """Nothing to change is no edit at all."""
    assert word_case.transformation().edit({"text": "ALL CAPS 3rd"}, random.Random(1), {}) == {"text": []}


def test_protected_letters_keep_their_case() -> None:
    """The edits go round what must stay."""
    assert variants(word_case.transformation(), "in Paris now", ((3, 8),)) == {"IN Paris NOW"}


def test_another_case_is_refused() -> None:
    """The error names the option, the value and those there are."""
    with pytest.raises(SuiteError, match=r"^case: 'Upper' is not a case; use upper, lower, title or random$"):
        word_case.transformation("Upper")


def test_words_become_misspellings_of_theirs_in_their_case() -> None:
    """Every change is of a word to one of its misspellings, capitals kept."""
    table = spelling.misspellings()
    words = ["Because", "beginning", "BELIEVE", "different"]
    for after in variants(spelling.transformation(share=1.0), " ".join(words)):
        for old, new in zip(words, after.split(), strict=True):
            assert new.lower() in table[old.lower()]
            assert (new.isupper(), new.istitle()) == (old.isupper(), old.istitle())


def test_misspellings_are_no_words_and_negate_nothing() -> None:
    """None is a word that is misspelt elsewhere, in a dictionary, or known to stand for several."""
    table = spelling.misspellings()
    wrong = {misspelling for found in table.values() for misspelling in found}
    assert len(table) > 10_000
    assert not wrong & table.keys()
    assert not wrong & {
        "form",
        "from",
        "their",
        "calender",
        "jus",
        "despatch",
        "gage",
        "bale",
        "dont",
        "wont",
    }
    assert all(word.isascii() and word.isalpha() and word.islower() for word in wrong)


def test_the_spec_names_its_sources() -> None:
    """Package, version, licence and content of both files are part of the suite's identity."""
    first, second = spelling.transformation().spec()["options"]["sources"]
    assert (first["package"], first["licence"]) == ("codespell", "CC BY-SA 3.0")
    assert (second["package"], second["licence"]) == ("symspellpy", "MIT")
    assert all(len(source["sha256"]) == 64 and source["version"] for source in (first, second))


def test_the_packages_are_read_not_run() -> None:
    """Misspelling a text imports neither package: codespell's code is under the GPL."""
    code = (
        "import sys; from evaluator.data.suites.robustness import spelling; spelling.transformation();"
        "print([name for name in sys.modules if name.startswith(('codespell', 'symspell'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_the_list_names_its_licence() -> None:
    """It goes its own way, into sites, so licence, authors and changes are in it."""
    lines = list_text().splitlines(True)
    notes = "".join(line for line in lines if line.startswith("#"))
    for part in (
        "creativecommons.org/licenses/by-sa/3.0/",
        "Lucas De Marchi",
        "Wikipedia",
        "What was changed",
    ):
        assert part in notes


@pytest.mark.usefixtures("fresh")
def test_a_list_beside_the_module_is_read_instead(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A page puts the list there, and has no packages; words and sources are the same."""
    expected = (spelling.misspellings(), spelling.sources())
    (tmp_path / "misspellings.txt").write_text(list_text(), "utf-8")
    for function in CACHED:
        function.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(spelling, "LIST", tmp_path / "misspellings.txt")
    assert (spelling.misspellings(), spelling.sources()) == expected


@pytest.fixture
def fresh() -> Iterator[None]:
    """Nothing read before, and nothing kept of what is read now."""
    for function in CACHED:
        function.cache_clear()
    yield
    for function in CACHED:
        function.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_a_missing_package_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package the error says what to install."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        SuiteError, match=r"^the package codespell is not installed; run pip install 'steelyard\[suites\]'$"
    ):
        spelling.transformation()


@pytest.mark.usefixtures("fresh")
def test_a_package_without_its_data_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another version of the package may keep its data elsewhere; the error says which file is missed."""
    (tmp_path / "codespell_lib").mkdir()
    (tmp_path / "codespell_lib" / "__init__.py").write_text("raise RuntimeError('run')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(
        SuiteError, match=r"^codespell [\d.]+ has no data/dictionary.txt; install another version of it$"
    ):
        spelling.transformation()
