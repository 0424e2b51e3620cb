"""Files to which lines are only added: what is there stays, and what is wrong is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from collect_world import response

from evaluator.records.errors import UserError
from evaluator.rounds.events import RESPONSE, Response, add_lines, read_lines


def line(number: int) -> Response:
    return Response.model_validate(response(str(number), "v", f"\u2028{number}"))


def test_lines_are_added_after_what_is_there(tmp_path: Path) -> None:
    """Each on a line of its own, also where another program left out the last newline."""
    path = tmp_path / "new" / "lines.jsonl"
    add_lines(path, [line(1), line(2)])
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    add_lines(path, [line(3)])
    assert [one for _, one in read_lines(path, RESPONSE)] == [line(1), line(2), line(3)]


def test_a_line_that_is_wrong_is_named(tmp_path: Path) -> None:
    """With file, line, field and value; one that a power cut left incomplete, too."""
    path = tmp_path / "lines.jsonl"
    good = json.dumps(line(1).plain())
    for wrong, words in ((good.replace('"v"', '"../v"'), "validator: .*'../v'"), ("[]", ""), (good[:9], "")):
        path.write_text(f"{good}\n{wrong}")
        with pytest.raises(UserError, match=rf"lines\.jsonl:2: {words}"):
            list(read_lines(path, RESPONSE))


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """Nothing is said to be kept that is not."""
    with pytest.raises(UserError, match="the line was not kept"):
        add_lines(tmp_path, [line(1)])
