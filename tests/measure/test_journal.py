"""The journal of answers: whatever ends a run, what stands before it is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.data.tasks import Prediction
from evaluator.measure.run.answers import Journal
from evaluator.score.answers import Entry


def test_a_line_cut_off_by_a_crash_is_dropped(tmp_path: Path) -> None:
    """A journal whose last line is incomplete opens with all lines before it, and goes on cleanly."""
    path = tmp_path / "journal.jsonl"
    with Journal(path, range(8).__contains__) as journal:
        journal.append(3, Entry(Prediction(1, confidence=0.9)))
        journal.append(0, Entry(failure=("raised", "line\nbreak")))
        journal.append(7, Entry(Prediction(0, probabilities=(0.75, 0.25))))
    whole = path.read_bytes()
    for cut in range(1, len(whole.splitlines(keepends=True)[-1])):
        path.write_bytes(whole[:-cut])
        with Journal(path, range(8).__contains__) as journal:
            assert set(journal.entries) == {3, 0}
            journal.append(7, Entry(Prediction(0, probabilities=(0.75, 0.25))))
        with Journal(path, range(8).__contains__) as journal:
            assert journal.entries[0] == Entry(failure=("raised", "line\nbreak"))
            assert journal.entries[7] == Entry(Prediction(0, probabilities=(0.75, 0.25)))


SPOILT = {
    "no JSON": b"{oops\n",
    "another shape": b'{"number": 5}\n',
    "a field too few": b"[5, 1, null, null, null]\n",
    "a wrong type": b'[5, "1", null, null, null, null]\n',
    "no example": b"[8, 1, null, null, null, null]\n",
    "no text": b"\xff\xfe\n",
    "an empty line": b"\n",
}


@pytest.mark.parametrize("line", SPOILT.values(), ids=SPOILT)
def test_a_bad_line_ends_the_journal(tmp_path: Path, line: bytes) -> None:
    """What stands before it is kept, what stands after it is asked again."""
    path = tmp_path / "journal.jsonl"
    with Journal(path, range(8).__contains__) as journal:
        journal.append(3, Entry(Prediction(1)))
        good = path.read_bytes()
        journal.append(4, Entry(Prediction(0)))
    path.write_bytes(good + line + path.read_bytes()[len(good) :])
    with Journal(path, range(8).__contains__) as journal:
        assert set(journal.entries) == {3}
        journal.append(5, Entry(Prediction(1)))
    with Journal(path, range(8).__contains__) as journal:
        assert set(journal.entries) == {3, 5}
