"""How sure the ranks of a board are: what its page has at first, and the file from which scripts go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from evaluator.publish.snapshots import certainty_bytes
from evaluator.rank.certainty_sentences import rank_set_words
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_answers import rank_answer
from evaluator.rank.rank_sets import Certainty, Comparison
from evaluator.rank.significance import CONFIDENCE
from evaluator.rank.what_if import leaving
from site_src.generator.views.published import hashed

#: On a board of more models than this, the build compares no pairs, and nobody asks what changes once a
#: model leaves.
MANY = 150
#: How the values of a board's models vary, by dataset: see `evaluator.rank.rank_sets.Sampled.from_dict`.
Varied = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class RankSet:
    """The ranks that a model may hold."""

    best: int
    worst: int

    @property
    def words(self) -> str:
        return rank_set_words((self.best, self.worst))


@dataclass(frozen=True)
class SureView:
    """The rank sets of a board at its default weights: `answer` is `rank.rank_answers.rank_answer`'s.

    `content` is the file for scripts, None where it would say nothing. `leaving` says by model how others
    change places once it is gone. `compare` says of two models by id how far their scores differ, and who
    alone is right how often; None where that is unknown, or models are too many.
    """

    answer: Mapping[str, Any] = field(repr=False)
    content: bytes | None = field(default=None, repr=False)
    compare: Callable[[str, str], Comparison] | None = field(default=None, repr=False)
    leaving: Mapping[int, Sequence[tuple[int, int, int]]] = field(default_factory=dict, repr=False)

    @property
    def words(self) -> str:
        text: str = self.answer["words"]
        return text

    @property
    def percent(self) -> int:
        """The confidence of every set."""
        return round(100 * CONFIDENCE)

    @property
    def known(self) -> bool:
        """Whether any model has a rank set."""
        return any(self.answer["sets"])

    @property
    def heat(self) -> frozenset[int]:
        """The models in a dead heat with the leader; nobody where the leader is alone."""
        first = [index for index, found in enumerate(self.answer["sets"]) if found and found[0] == 1]
        return frozenset(first if len(first) > 1 else [])

    @property
    def file(self) -> str | None:
        """The name of the file, beside the board's page."""
        return hashed("certainty", self.content) if self.content else None

    def island(self, folder: str = "") -> dict[str, Any]:
        """What a page's script starts from; `folder` is where the file is, as seen from the page."""
        return {**self.answer, "file": folder + self.file if self.file else None}

    def of(self, index: int, rank: int | None) -> RankSet | None:
        """The set of a model; None where it is unknown, or the model has no rank."""
        found = self.answer["sets"][index]
        return None if found is None or rank is None else RankSet(*found)


NOT_KEPT = "How sure these ranks are is unknown: nothing is kept of how the numbers vary."
#: Of a board without results.
NOTHING = SureView({"sets": [], "gap": None, "words": ""})


def sure_view(scorer: Board, question: Question, varied: Varied | None) -> SureView:
    """How sure the ranks under a question are; all is unknown where nothing is known of how values vary."""
    moves = leaving(scorer, question) if len(scorer.models) <= MANY else {}
    if varied is None:
        unknown = {"sets": [None] * len(scorer.models), "gap": None, "words": NOT_KEPT}
        return SureView(unknown, leaving=moves)
    certainty = Certainty.from_dict(scorer, varied)
    few = len(scorer.models) <= MANY
    compare = partial(certainty.compare, question=question) if few else None
    return SureView(rank_answer(certainty, question), certainty_bytes(varied), compare, moves)
