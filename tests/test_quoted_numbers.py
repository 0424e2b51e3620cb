"""Numbers of the project's own boards that the documentation quotes are those of the committed results.

    python tests/test_quoted_numbers.py --renew

writes them into the pages anew.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_answers import rank_answer
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.significance import number_words
from evaluator.records.board import Assembled, Boards, load_boards
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_board, board_results, sampled

ROOT = Path(__file__).parent.parent
DOCS = "site_src/docs"
ARCHITECTURE, SUITES, CITE, TRY = (f"{DOCS}/{page}.md" for page in ("architecture", "suites", "cite", "try"))


@dataclass(frozen=True)
class Quote:
    """A text of a page in which each ``{}`` is the place of one of the `values`."""

    page: str
    text: str
    values: Callable[[], tuple[str, ...]]

    @property
    def pattern(self) -> re.Pattern[str]:
        """Lines may be broken anywhere."""
        parts = [r"\s+".join(map(re.escape, part.split(" "))) for part in self.text.split("{}")]
        return re.compile(r'([^|"]+?)'.join(parts))

    def found(self, content: str) -> re.Match[str]:
        matches = list(self.pattern.finditer(content))
        assert len(matches) == 1, f"{self.page}: {len(matches)} places say: {self.text}"
        return matches[0]

    def renewed(self, content: str) -> str:
        match = self.found(content)
        for group, value in reversed(list(enumerate(self.values(), 1))):
            content = content[: match.start(group)] + value + content[match.end(group) :]
        return content


STORE = Store(ROOT / "results")


@cache
def boards() -> Boards:
    return load_boards(ROOT / "board.toml")


@cache
def assembled(board: str) -> Assembled:
    spec = next(one for one in boards().boards if one.id == board)
    return assemble_board(spec, boards(), STORE, board_results(spec, boards(), STORE))


def results(board: str) -> list[Result]:
    return [one for entry in assembled(board).entries.values() for one in entry.results.values()]


def models(board: str, *provenance: str, in_words: bool = True) -> str:
    """How many models of a board have numbers of that provenance."""
    found = {one.model.id for one in results(board) if not provenance or one.provenance in provenance}
    return words(len(found)) if in_words else f"{len(found):,}"


def everywhere(board: str) -> str:
    """How many models have numbers on all datasets of a board."""
    entries = assembled(board).entries.values()
    return words(sum(len(entry.results) == len(assembled(board).board.datasets) for entry in entries))


def words(count: int) -> str:
    return number_words(count) if count <= 10 else {11: "eleven", 12: "twelve"}.get(count, f"{count:,}")


def examples(board: str, dataset: str) -> str:
    known = [one.dataset for one in results(board) if one.dataset.id == dataset and one.dataset.examples]
    (count,) = {one.examples for one in known}
    return f"{count:,}"


def swapped(board: str) -> int:
    """Of how many examples fairness is."""
    (count,) = {one.suites["fairness"].examples for one in results(board) if "fairness" in one.suites}
    return count


def kinds(dataset: str) -> str:
    (tags,) = {tuple(one.tags["kind"]) for one in results("sentences") if one.dataset.id == dataset}
    return words(len(tags))


def with_examples(board: str) -> str:
    """How many models have values by example."""
    return str(len({one.model.id for one in results(board) if one.predictions}))


def lead(board: str) -> tuple[str, str, str]:
    """Who leads, its rank set, and of how many models."""
    found = assembled(board)
    scorer = Board.from_dict(found.data)
    question = Question(found.metric_weights, found.dataset_weights)
    columns = scorer.columns(question)
    first = columns.order[0]
    answer = rank_answer(Certainty.from_dict(scorer, sampled(found, STORE)), question)
    best, worst = answer["sets"][first]
    ranked = sum(rank == rank for rank in columns.ranks)
    return scorer.model_label(scorer.models[first]), f"{best}\N{EN DASH}{worst}", str(ranked)


def copy_checked(model: str) -> tuple[str, ...]:
    (result,) = (one for one in results("sst-2") if one.model.id == model)
    check = STORE.browser_check(result)
    assert check
    return str(check.agreed), str(check.asked), f"{check.size / 1e6:.1f}"


QUOTES = [
    Quote(
        ARCHITECTURE,
        "reported, by example | {} models with one agent on {} issues",
        lambda: (
            with_examples("swe-bench-verified"),
            examples("swe-bench-verified", "swe-bench-verified"),
        ),
    ),
    Quote(ARCHITECTURE, "| {} submissions in four domains", lambda: (models("tau2-bench", in_words=False),)),
    Quote(ARCHITECTURE, "| {} models by a judge", lambda: (models("alpaca-eval-2", in_words=False),)),
    Quote(
        ARCHITECTURE,
        "| {} baselines trained on",
        lambda: (models("sst-2", "measured"),),
    ),
    Quote(ARCHITECTURE, "train split, tested on {} |", lambda: (examples("sst-2", "sst-2"),)),
    Quote(ARCHITECTURE, "| {} models, from a bag of words", lambda: (models("sst-2-dev"),)),
    Quote(ARCHITECTURE, "| {} models on rounds 1 and 2", lambda: (everywhere("anli"),)),
    Quote(ARCHITECTURE, "| {} systems of the SQuAD", lambda: (models("xquad-en", "predictions"),)),
    Quote(
        ARCHITECTURE,
        "| {} classifiers on {} functional tests (Röttger et al. 2021), {} baselines |",
        lambda: (
            models("hatecheck", "predictions"),
            examples("hatecheck", "hatecheck"),
            models("hatecheck", "measured"),
        ),
    ),
    Quote(
        ARCHITECTURE,
        "the {} baselines of SST-2 on {} sentences of {} kinds",
        lambda: (
            models("sentences", "measured"),
            examples("sentences", "sentences"),
            kinds("sentences"),
        ),
    ),
    Quote(
        "board.toml",
        "on {} sentences of {} kinds, such as",
        lambda: (examples("sentences", "sentences"), kinds("sentences")),
    ),
    Quote(
        "board.toml", "A round of {} more, written", lambda: (examples("sentences", "written-to-fool-r1"),)
    ),
    Quote(
        SUITES,
        'what was made ("Gender swaps", n = {})',
        lambda: (f"{swapped('sst-2'):,}",),
    ),
    Quote(
        CITE, '"{} ranks first (95 % rank set {}) of {} models by Dynascore on SST-2', lambda: lead("sst-2")
    ),
    Quote(TRY, "vader on sst-2: agrees on {} of {}, {} MB", lambda: copy_checked("vader")),
    Quote(TRY, "tfidf-logreg on sst-2: agrees on {} of {}, {} MB;", lambda: copy_checked("tfidf-logreg")),
]


@pytest.mark.parametrize("quote", QUOTES, ids=lambda quote: f"{quote.page}: {quote.text}")
def test_a_quoted_number_is_that_of_the_results(quote: Quote) -> None:
    """Else: python tests/test_quoted_numbers.py --renew"""
    said = quote.found((ROOT / quote.page).read_text("utf-8")).groups()
    assert tuple(" ".join(one.split()) for one in said) == quote.values()


def test_numbers_are_renewed_where_they_stand() -> None:
    """Only the numbers change, wherever lines are broken."""
    quote = Quote("page.md", "rank set {}) of {} models", lambda: ("2-4", "7"))
    assert quote.renewed("a 95 % rank set\n1-3) of six\nmodels, 6 of 8") == (
        "a 95 % rank set\n2-4) of 7\nmodels, 6 of 8"
    )


def renew() -> None:
    for quote in QUOTES:
        path = ROOT / quote.page
        path.write_text(quote.renewed(path.read_text("utf-8")), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--renew"]:
        sys.exit(__doc__)
    renew()
