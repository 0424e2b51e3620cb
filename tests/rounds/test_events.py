"""Files to which lines are only added: what was said to be kept is kept, whatever stops the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from collect_world import response
from hypothesis import given
from hypothesis import strategies as st

from evaluator.records.errors import UserError
from evaluator.rounds.events import RESPONSE, LineFile, Response, read_lines


def line(number: int, text: str) -> Response:
    return Response.model_validate(response(str(number), "v", text))


def ids(path: Path) -> list[str]:
    """The ids of all lines, none of which has a problem."""
    problems: list[str] = []
    found = [one.id for _, one in read_lines(path, RESPONSE, problems)]
    assert problems == []
    return found


@given(
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), min_size=1, max_size=4),
    data=st.data(),
)
def test_a_file_cut_anywhere_keeps_every_whole_line(
    texts: list[str], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Of a file that ends after any byte, all whole lines are read, and the next line is one of its own."""
    path = tmp_path_factory.mktemp("cut") / "lines.jsonl"
    with LineFile(path) as file:
        for number, text in enumerate(texts):
            file.add(line(number, text))
    whole = path.read_bytes()
    kept = whole[: data.draw(st.integers(0, len(whole)))]
    path.write_bytes(kept)
    with LineFile(path) as file:
        file.add(line(99, "next"))
    # A line that lacks nothing but its end is whole.
    last = kept.rpartition(b"\n")[2]
    lines = kept.count(b"\n") + (last + b"\n" in whole.splitlines(keepends=True))
    assert ids(path) == [*map(str, range(lines)), "99"]


def test_only_one_program_at_a_time_adds_lines(tmp_path: Path) -> None:
    """The second is refused, in words that say what to do."""
    path = tmp_path / "lines.jsonl"
    with LineFile(path), pytest.raises(UserError, match="another steelyard writes to it; stop the other"):
        LineFile(path)


def test_a_line_that_is_wrong_is_named(tmp_path: Path) -> None:
    """With file, line, field and value; a torn last line is one of these."""
    path = tmp_path / "lines.jsonl"
    good = json.dumps(line(1, "a").plain())
    path.write_text(good + "\n" + good.replace('"v"', '"../v"') + "\n[]\n" + good[:9])
    problems: list[str] = []
    assert len(list(read_lines(path, RESPONSE, problems))) == 1
    for problem, words in zip(problems, [":2: validator: ", ":3: ", ":4: the line is torn; "], strict=True):
        assert problem.startswith(f"{path}{words}")
    assert "'../v'" in problems[0]
