"""What an interrupted run leaves half-written is removed by the next one, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evaluator.records.errors import UserError
from evaluator.records.scratch import (
    PREFIX,
    is_leftover,
    ready_to_write,
    remove_leftovers,
    scratch_folder,
    write_atomic,
)

ROOT = Path(__file__).parents[2]
#: Stops in the middle of what is written beside the place that is given, and says so.
WRITES = {
    "file": """
import os, sys
from pathlib import Path
from evaluator.records import scratch
def stop(_): print("under way", flush=True); sys.stdin.read()
os.fsync = stop
scratch.write_atomic(Path(sys.argv[1]), b"half")
""",
    "folder": """
import sys
from pathlib import Path
from evaluator.records import scratch
with scratch.scratch_folder(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("half")
    print("under way", flush=True)
    sys.stdin.read()
""",
}


@contextmanager
def writer(kind: str, target: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that is in the middle of writing `target`; killed at the end."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(
        [sys.executable, "-c", WRITES[kind], str(target)], cwd=ROOT, text=True, **pipes
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "under way\n"
            yield process
        finally:
            process.send_signal(signal.SIGKILL)


def scratch_in(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(PREFIX)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRITES)
def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path: Path, kind: str) -> None:
    """A killed run leaves files behind; the next run that writes there removes them."""
    with writer(kind, tmp_path / "target"):
        pass
    assert len(scratch_in(tmp_path)) == 1
    write_atomic(tmp_path / "other", b"whole")
    assert os.listdir(tmp_path) == ["other"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRITES)
def test_what_a_living_process_is_writing_stays(tmp_path: Path, kind: str) -> None:
    """Other runs may write in the same folder at the same time."""
    with writer(kind, tmp_path / "target"):
        before = scratch_in(tmp_path)
        write_atomic(tmp_path / "other", b"whole")
        with scratch_folder(tmp_path / "one more"):
            pass
        assert scratch_in(tmp_path) == before
        assert len(before) == 1


def test_files_of_the_user_stay(tmp_path: Path) -> None:
    """Only names that this program gives are removed, and links are not followed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "thesis.txt").write_text("ten years of work")
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in (".build.abcdefgh", "notes.tmp", ".cache.tmp"):
        (folder / name).write_text("mine")
    (folder / f"{PREFIX}linked").symlink_to(outside)
    remove_leftovers(folder)
    assert sorted(os.listdir(folder)) == [".build.abcdefgh", ".cache.tmp", f"{PREFIX}linked", "notes.tmp"]
    assert (outside / "thesis.txt").exists()


@pytest.mark.slow
def test_a_command_that_writes_removes_what_was_left_anywhere_below(tmp_path: Path) -> None:
    """A killed run leaves files in folders that the next one need not write in; it removes them all the same."""
    with writer("file", tmp_path / "task" / "dataset" / "target"):
        pass
    [left] = scratch_in(tmp_path / "task" / "dataset")
    assert is_leftover(tmp_path / "task" / "dataset" / left)
    ready_to_write(tmp_path)
    assert os.listdir(tmp_path / "task" / "dataset") == []


def test_a_place_that_cannot_be_written_is_noticed(tmp_path: Path) -> None:
    """A file where a folder should be, at the root or below, is named with the fix, and nothing is left."""
    (tmp_path / "file").write_text("no folder")
    for root, folder in ((tmp_path / "file", ()), (tmp_path, (tmp_path / "file" / "dataset",))):
        with pytest.raises(UserError, match=r"file: nothing can be written there \(.*\); make it"):
            ready_to_write(root, *folder)
    assert os.listdir(tmp_path) == ["file"]
    ready_to_write(tmp_path / "not" / "there" / "yet")
    assert os.listdir(tmp_path) == ["file"]
