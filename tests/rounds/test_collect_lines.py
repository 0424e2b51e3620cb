"""Files to which lines are only added: what was said to be kept is kept, whatever stops the program."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.records.errors import UserError
from evaluator.rounds.events import RESPONSE, LineFile, Response, read_lines

MOMENT = "2026-11-01T12:00:00Z"
#: Adds lines until it is killed, and says of each that it was kept.
ADDS = """
import sys
from pathlib import Path
from evaluator.rounds.events import Response
from evaluator.rounds.events import LineFile
with LineFile(Path(sys.argv[1])) as file:
    for number in range(10**6):
        text = "é" * (number % 300)
        file.add(Response(id=str(number), collection="c", validator="v", answer=text, at="2026-11-01T12:00:00Z"))
        print(number, flush=True)
"""


def line(number: int, text: str) -> Response:
    return Response(id=str(number), collection="c", validator="v", answer=text, at=MOMENT)


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
    found = [one.id if isinstance(one, Response) else one for _, one in read_lines(path, RESPONSE)]
    # A line that lacks nothing but its end is whole.
    last = kept.rpartition(b"\n")[2]
    lines = kept.count(b"\n") + (last + b"\n" in whole.splitlines(keepends=True))
    assert found == [*map(str, range(lines)), "99"]


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_at_any_moment_it_keeps_what_it_said_it_kept(seed: int, tmp_path: Path) -> None:
    """A process that adds lines is killed: every line that it spoke of is there, and at most one that is torn."""
    path = tmp_path / "lines.jsonl"
    process = subprocess.Popen([sys.executable, "-c", ADDS, path], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(random.Random(seed).randrange(1, 200)):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    said = [int(number) for number in process.stdout.read().split()]
    process.wait()
    with LineFile(path):
        pass
    found = [one for _, one in read_lines(path, RESPONSE)]
    assert all(isinstance(one, Response) for one in found)
    assert len(found) > max(said, default=-1)


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
    _, *problems = [one for _, one in read_lines(path, RESPONSE)]
    assert f"{path}:2: validator: " in problems[0]
    assert "'../v'" in problems[0]
    assert problems[1].startswith(f"{path}:3: ")
    assert problems[2].startswith(f"{path}:4: the line is torn; ")
