"""What a check found, as Markdown for a pull request and as lines for a terminal.

Names of models and boards, and messages that quote files, are written by submitters: in Markdown
they are in code spans, where nothing is a link, a picture, a mention or markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from evaluator.publish.checking import Checked
from evaluator.publish.moves import BoardMoves, RankChange
from evaluator.rank.formats import counted
from evaluator.rank.score_sentences import NAMES
from evaluator.rank.significance import set_words
from evaluator.records.errors import alike, printable

#: The most that is shown of a name, of a message, of a list.
NAME, MESSAGE, LISTED = 80, 400, 25
#: The most that a comment has, in bytes; GitHub's own limit is 65,536 characters.
LIMIT = 30_000
#: What stands under the moves.
RANK_SETS = "A rank set has the ranks that the examples leave open, at 95 % confidence."


def markdown(checked: Checked) -> str:
    """The whole comment. Every name in it is in a code span on a line of its own block."""
    verdict = counted(len(checked.problems), "problem") if checked.problems else "passed"
    lines = [f"### Steelyard check: {verdict}", "", f"{counts(checked)}.", ""]
    for title, messages in (("Problems", checked.problems), ("To know", checked.notes)):
        each = alike(line for message in messages for line in message.splitlines())
        lines += _list(title, list(map(_quoted, each)))
    for board in checked.moves:
        moves = [f"{code(move.label)} {described(move)}{_remarked(move, _quoted)}" for move in board.moves]
        lines += _list(f"{code(board.title)}: {summary(board)}", moves)
    if not checked.moves and not checked.problems:
        lines += ["No rank changes.", ""]
    if any(move.now and move.now.rank_set for board in checked.moves for move in board.moves):
        lines += [RANK_SETS, ""]
    return _within_limit(lines)


def _within_limit(lines: Sequence[str]) -> str:
    """The lines as a text of at most `LIMIT` bytes, which says so if it is not all of them."""
    end = "\nThe rest is left out.\n"
    whole = "\n".join(lines)
    if len(whole.encode()) <= LIMIT:
        return whole
    sizes = accumulate(len(line.encode()) + 1 for line in lines)
    kept = [line for line, size in zip(lines, sizes, strict=True) if size <= LIMIT - len(end)]
    return "\n".join(kept) + "\n" + end


def moves(checked: Checked) -> Iterator[str]:
    """What changes in the ranks, as lines for a terminal."""
    for board in checked.moves:
        yield f"{printable(board.title)}: {summary(board)}"
        for move in board.moves:
            yield f"  {printable(move.label)} {described(move)}{_remarked(move, printable)}"


def counts(checked: Checked) -> str:
    renamed = f", {checked.renamed} renamed" if checked.renamed else ""
    changed = f"{checked.new} of them new and {checked.changed} changed{renamed}"
    return f"{counted(checked.results, 'result')}, {changed}"


def summary(board: BoardMoves) -> str:
    """How many models of a board are ranked, and were."""
    models = f"{counted(board.ranked, 'model')} ranked"
    return f"{models}, a new board" if board.was is None else f"{models}, {board.was} before"


def described(move: RankChange) -> str:
    """What happens to a model, in words."""
    return f"was {move.renamed} and is renamed: {_described(move)}" if move.renamed else _described(move)


def _described(move: RankChange) -> str:
    was, now = move.was, move.now
    if now is None:
        return "was removed" if move.removal else "left; no reason is given"
    before = was.rank if was else None
    if now.rank is None:
        return "is not ranked" if before is None else f"is no longer ranked (was {before})"
    rank = f"{now.rank} (rank set {set_words(now.rank_set)})" if now.rank_set else f"{now.rank}"
    score = f", {NAMES[now.by]} {now.score:.2f}"
    if before is None:
        return f"{'enters' if was is None else 'is now ranked'} at {rank}{score}"
    if now.rank == before:
        return f"stays at {rank}{score}"
    return f"{'rises' if now.rank < before else 'falls'} from {before} to {rank}{score}"


def _remarked(move: RankChange, shown: Callable[[str], str]) -> str:
    """Why a model is not ranked or gone, and how much it answered, after what happens to it."""
    if move.removal is not None:
        return f": {shown(move.removal.words)}"
    return f": {', '.join(map(shown, move.now.remarks))}" if move.now and move.now.remarks else ""


def _quoted(message: str) -> str:
    return code(message, MESSAGE)


def code(text: str, limit: int = NAME) -> str:
    """A text as a code span of one line, whatever is in it (CommonMark 0.31, section 6.1)."""
    shown = printable(text)
    shown = shown if len(shown) <= limit else shown[: limit - 1] + "…"
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    # Without the spaces a backtick at an end would join the fence.
    inner = f" {shown} " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else shown
    return f"{fence}{inner}{fence}"


def _list(title: str, items: Sequence[str]) -> list[str]:
    more = [f"and {len(items) - LISTED} more"] if len(items) > LISTED else []
    listed = [f"- {item}" for item in [*items[:LISTED], *more]]
    return [f"**{title}**", "", *listed, ""] if items else []
