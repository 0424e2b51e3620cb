"""What a check found, as Markdown for a pull request and as lines for a terminal.

Names of models and boards, and messages that quote files, are written by submitters: in Markdown
they are in code spans, where nothing is a link, a picture, a mention or markup.

Run as ``python -m evaluator.publish.comment TEXT BOARD`` in a job of GitHub Actions, whose environment says
which pull request it is about, it writes the file TEXT there: the last step of the action in ``action.yml``.
A comment of an earlier run about the same board file is written anew.
"""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from evaluator.publish.checking import Checked
from evaluator.publish.moves import BoardMoves, RankChange
from evaluator.rank.formats import counted
from evaluator.rank.significance import set_words

#: The most that is shown of a name, of a message, of a list.
NAME, MESSAGE, LISTED = 80, 400, 25
#: The most that a comment has, in bytes; GitHub's own limit is 65,536 characters.
LIMIT = 30_000
#: What stands under the moves.
RANK_SETS = "A rank set has the ranks that the examples leave open, at 95 % confidence."


def markdown(checked: Checked) -> str:
    """The whole comment. Every name in it is in a code span on a line of its own block."""
    lines = [f"### Steelyard check: {verdict(checked)}", "", f"{counts(checked)}.", ""]
    lines += _list("Problems", [code(line, MESSAGE) for line in _lines(checked.problems)])
    lines += _list("To know", [code(line, MESSAGE) for line in _lines(checked.notes)])
    for board in checked.moves:
        moves = [f"{code(move.label)} {described(move)}{_remarked(move, _quoted)}" for move in board.moves]
        lines += _list(f"{code(board.title)}: {summary(board)}", moves)
    if not checked.moves and not checked.problems:
        lines += ["No rank changes.", ""]
    if any(move.rank_set for board in checked.moves for move in board.moves):
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


def verdict(checked: Checked) -> str:
    found = len(checked.problems)
    return counted(found, "problem") if found else "passed"


def counts(checked: Checked) -> str:
    return f"{counted(checked.results, 'result')}, {checked.new} of them new and {checked.changed} changed"


def summary(board: BoardMoves) -> str:
    """How many models of a board are ranked, and were."""
    models = f"{counted(board.ranked, 'model')} ranked"
    return f"{models}, a new board" if board.was is None else f"{models}, {board.was} before"


def described(move: RankChange) -> str:
    """What happens to a model, in words."""
    score = "" if move.score is None else f", Dynascore {move.score:.2f}"
    if move.gone:
        return "was removed" if move.removal else "left; no reason is given"
    if move.after is None:
        return "is not ranked" if move.new else f"is no longer ranked (was {move.before})"
    rank = f"{move.after}" if move.rank_set is None else f"{move.after} (rank set {set_words(move.rank_set)})"
    if move.before is None:
        return f"{'enters' if move.new else 'is now ranked'} at {rank}{score}"
    return f"{'rises' if move.after < move.before else 'falls'} from {move.before} to {rank}{score}"


def _remarked(move: RankChange, shown: Callable[[str], str]) -> str:
    """Why a model is not ranked or gone, and how much it answered, after what happens to it."""
    if move.removal is not None:
        return f": {shown(move.removal.words)}"
    return f": {', '.join(map(shown, move.remarks))}" if move.remarks else ""


def _quoted(remark: str) -> str:
    return code(remark, MESSAGE)


def code(text: str, limit: int = NAME) -> str:
    """A text as a code span of one line, whatever is in it (CommonMark 0.31, section 6.1)."""
    shown = printable(text)
    shown = shown if len(shown) <= limit else shown[: limit - 1] + "…"
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    # Without the spaces a backtick at an end would join the fence.
    inner = f" {shown} " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else shown
    return f"{fence}{inner}{fence}"


def printable(text: str) -> str:
    """A text with control characters, line ends and those that turn the direction written as escapes."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
        for char in text
    )


def _lines(messages: Sequence[str]) -> list[str]:
    return [line for message in messages for line in message.splitlines()]


def _list(title: str, items: Sequence[str]) -> list[str]:
    more = [f"and {len(items) - LISTED} more"] if len(items) > LISTED else []
    listed = [f"- {item}" for item in [*items[:LISTED], *more]]
    return [f"**{title}**", "", *listed, ""] if items else []


#: Who writes with the token of a job.
AUTHOR = "github-actions[bot]"
PER_PAGE = 100
#: The answers of GitHub where a token may not write: that of a pull request from a fork may only read.
REFUSED = (401, 403, 404)


@dataclass(frozen=True)
class PullRequest:
    """A pull request of a repository ``owner/name``, and the API by which it is reached."""

    api: str
    repository: str
    number: int
    token: str

    @classmethod
    def of_job(cls, environment: Mapping[str, str]) -> PullRequest:
        """The one that a job of GitHub Actions is about. KeyError where it is about none."""
        event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text("utf-8"))
        number = int(event["pull_request"]["number"])
        api, repository = environment["GITHUB_API_URL"], environment["GITHUB_REPOSITORY"]
        return cls(api, repository, number, environment["GITHUB_TOKEN"])

    def say(self, text: str, mark: str) -> str:
        """Write a comment that begins with `mark`, in the place of an earlier one; return its address.

        Raises `urllib.error.HTTPError` where GitHub refuses.
        """
        body = {"body": f"{mark}\n{text}"}
        for comment in self._comments():
            if comment["user"]["login"] == AUTHOR and comment["body"].startswith(mark):
                return str(self._ask("PATCH", f"issues/comments/{int(comment['id'])}", body)["html_url"])
        return str(self._ask("POST", f"issues/{self.number}/comments", body)["html_url"])

    def _comments(self) -> Iterator[Any]:
        page = 1
        while found := self._ask("GET", f"issues/{self.number}/comments?per_page={PER_PAGE}&page={page}"):
            yield from found
            page += 1

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        request = urllib.request.Request(
            f"{self.api}/repos/{self.repository}/{path}",
            None if body is None else json.dumps(body).encode(),
            {"Accept": "application/vnd.github+json", "Authorization": f"Bearer {self.token}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)


def main(text: str, board: str) -> None:
    """Write the comment, or say why it cannot be written: that alone fails no check."""
    found = Path(text).read_text("utf-8")
    try:
        print(PullRequest.of_job(os.environ).say(found, f"<!-- steelyard-check {board} -->"))
    except urllib.error.HTTPError as error:
        if error.code not in REFUSED:
            raise
        print(f"::notice::GitHub refused the comment ({error.code}); the token needs pull-requests: write")


if __name__ == "__main__":
    main(*sys.argv[1:])
