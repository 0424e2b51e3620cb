"""Commands killed at random moments: run again, they finish, nothing is corrupted, nothing finished is lost.

    python tests/adversary/kills.py --seed 1 --kills 1000      what did not hold, as JSON

Each case copies a small world and starts a command there in a process of its own, `TIMES` times, each time
sending it SIGKILL at a random moment of the time that it takes when nobody stops it; then it runs to its end. The
process is forked from this one, which has the modules loaded, so that a command takes as long as its work does.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

import adversary_paths
import snapshot_world
from publishing_world import ENVIRONMENT, git, new_repository, site
from small_boards import small_board, small_model

from evaluator.cli import main as steelyard
from evaluator.publish.snapshots.verifying import verify_all

GOLDEN = adversary_paths.TESTS / "golden"
BOARD = small_board("accuracy", measure={"repeats": 1, "seconds": 0.001})
HANDLER = "def load(directory):\n    pass\n\ndef predict(example):\n    return 'positive'\n"

ROWS = "good\tpositive\nbad\tnegative\nfine\tpositive\n"

#: How often a command is killed in one world at most.
TIMES = 10

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Command:
    """What is killed: its arguments, the world it works in, and what must hold of it afterwards.

    `kept` says which of the files that were there at the kill must still be there with the same bytes when
    the command has been run again; `problems` what is wrong in the end.
    """

    arguments: tuple[str, ...]
    world: Callable[[Path], None]
    kept: Callable[[str], bool]
    problems: Callable[[Path], list[str]]


@dataclass(frozen=True)
class Lost:
    """A kill after which something did not hold."""

    seed: int
    case: int
    command: str
    moments_s: tuple[float, ...]
    problem: str


def kill(seed: int, wanted: int, folder: Path) -> tuple[int, list[Lost]]:
    """How many processes were killed before their end, and what did not hold; the commands take turns."""
    kills, lost = 0, []
    worlds = {name: _prepared(command, folder / name) for name, command in COMMANDS.items()}
    # Few kills are shared out too.
    times = min(TIMES, math.ceil(wanted / len(COMMANDS)))
    turns = enumerate(itertools.cycle(COMMANDS.items()))
    while kills < wanted:
        case, (name, command) = next(turns)
        lasts, world = worlds[name]
        random = Random(f"{seed}:{case}")
        moments = tuple(random.uniform(0, lasts) for _ in range(times))
        copy = folder / "copy"
        shutil.copytree(world, copy, symlinks=True)
        killed, problem = _killed(command, copy / "here", moments)
        kills += killed
        if problem:
            lost.append(Lost(seed, case, name, moments, problem))
        shutil.rmtree(copy)
        print(f"{kills} of {wanted} kills", file=sys.stderr, flush=True)
    return kills, lost


def _prepared(command: Command, folder: Path) -> tuple[float, Path]:
    """How long the command takes, and the world before it."""
    (folder / "world").mkdir(parents=True)
    command.world(folder / "world" / "here")
    shutil.copytree(folder / "world", folder / "control", symlinks=True)
    began = time.monotonic()
    os.waitpid(_start(command.arguments, folder / "control" / "here"), 0)
    lasts = time.monotonic() - began
    if problem := _again(command, folder / "control" / "here"):
        raise RuntimeError(f"{command.arguments}: {problem}")
    return lasts, folder / "world"


def _killed(command: Command, here: Path, moments: tuple[float, ...]) -> tuple[int, str | None]:
    """How many of the processes were killed before their end, and what did not hold."""
    kills, finished = 0, {}
    for moment in moments:
        process = _start(command.arguments, here)
        time.sleep(moment)
        os.kill(process, signal.SIGKILL)
        kills += os.WIFSIGNALED(os.waitpid(process, 0)[1])
        _wait_for_session(process)
        if lost := _changed(finished, _files(here)):
            return kills, lost
        finished = {name: content for name, content in _files(here).items() if command.kept(name)}
    return kills, _again(command, here) or _changed(finished, _files(here))


def _changed(before: Files, now: Files) -> str | None:
    return next(
        (f"was finished and is gone or another: {name}" for name in before if now.get(name) != before[name]),
        None,
    )


def _again(command: Command, here: Path) -> str | None:
    """Run the command to its end; what is wrong then, if anything."""
    status = os.waitpid(_start(command.arguments, here), 0)[1]
    said = (here.parent / "said").read_text(errors="replace")[-500:]
    if status:
        return f"run again it ends with status {status}: {said}"
    return next(iter(command.problems(here)), None)


def _start(arguments: tuple[str, ...], here: Path) -> int:
    """A process that runs a command in a folder, in a session of its own."""
    process = os.fork()
    if process:
        return process
    os.setsid()
    os.chdir(here)
    os.environ.update(ENVIRONMENT | {"SOURCE_DATE_EPOCH": "1800000000"})
    with (here.parent / "said").open("w") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    code = 70
    try:
        steelyard(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _wait_for_session(session: int) -> None:
    """Until what the killed process had started, such as git, has ended too."""
    while any(_session_of(entry) == session for entry in os.listdir("/proc") if entry.isdigit()):
        time.sleep(0.005)


def _session_of(process: str) -> int | None:
    with contextlib.suppress(OSError, IndexError):
        fields = Path("/proc", process, "stat").read_text().rpartition(")")[2].split()
        return None if fields[0] == "Z" else int(fields[3])
    return None


def _files(here: Path) -> Files:
    return {
        str(path.relative_to(here)): path.read_bytes()
        for path in here.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


# The worlds.


def _evaluation(here: Path) -> None:
    files = {
        "board.toml": BOARD,
        "d.tsv": ROWS,
        ".gitignore": ".steelyard\n",
    }
    for model in ("one", "two"):
        files["board.toml"] += small_model(model)
        files[f"{model}/handler.py"] = HANDLER
    new_repository(here, files)


def _frozen(here: Path) -> None:
    snapshot_world.write_world(here)


def _to_build(here: Path) -> None:
    _frozen(here)
    done = snapshot_world.steelyard(here, "snapshot")
    assert done.returncode == 0, done.stderr


def _to_publish(here: Path) -> None:
    subprocess.run(
        ["git", "init", "--quiet", "--bare", here.parent / "remote.git"], check=True, env=ENVIRONMENT
    )
    new_repository(here, {".gitignore": "/build/\n"})
    git(here, "remote", "add", "origin", "../remote.git")
    site(here / "build", {"index.html": b"<h1>T</h1>", "a/b.txt": b"b", "snapshots/versions.json": b"{}\n"})


# What must hold.


def _checked(here: Path) -> list[str]:
    """What `steelyard check` finds, and what is left of scratch files."""
    process = _start(("check",), here)
    status = os.waitpid(process, 0)[1]
    said = (here.parent / "said").read_text(errors="replace")
    left = [name for name in _files(here / "results") if ".steelyard-" in name]
    return [said] if status else left


def _committed(here: Path) -> list[str]:
    problems = _checked(here)
    dirty = git(here, "status", "--porcelain", "--", "results")
    return problems + ([f"not committed: {dirty}"] if dirty else []) + _fsck(here)


def _fsck(here: Path) -> list[str]:
    done = subprocess.run(
        ["git", "fsck", "--strict"], cwd=here, capture_output=True, text=True, env=ENVIRONMENT, check=False
    )
    return [done.stderr] if done.returncode else []


def _verified(here: Path) -> list[str]:
    found = [str(problem) for problem in verify_all(here / "results" / "snapshots", rank=False).problems]
    listed = json.loads((here / "results" / "snapshots" / "versions.json").read_bytes())["snapshots"]
    return (
        found + _checked(here) + ([] if len(listed) == 2 else [f"{len(listed)} snapshots are listed, not 2"])
    )


def _built(here: Path) -> list[str]:
    marker = json.loads((here / "build" / ".steelyard-site").read_bytes())["files"]
    wrong = [name for name, size in marker.items() if (here / "build" / name).stat().st_size != size]
    left = [path.name for path in here.iterdir() if path.name.startswith(".steelyard-")]
    return [*wrong, *left, *_checked(here)]


def _published(here: Path) -> list[str]:
    remote = here.parent / "remote.git"
    names = set(git(remote, "ls-tree", "-r", "--name-only", "gh-pages").split("\n"))
    missing = {"index.html", "a/b.txt", "snapshots/versions.json"} - names
    return sorted(missing) + _fsck(remote) + _fsck(here)


def _is_result(name: str) -> bool:
    return name.startswith("results/") and ".steelyard-" not in name


def _is_snapshot(name: str) -> bool:
    return name.startswith("results/snapshots/2") and ".steelyard-" not in name


def _is_nothing(_: str) -> bool:
    return False


COMMANDS = {
    "evaluate": Command(("evaluate",), _evaluation, _is_result, _checked),
    "build": Command(("build",), _to_build, _is_result, _built),
    "snapshot": Command(("snapshot",), _frozen, _is_snapshot, _verified),
    "publish": Command(("publish",), _to_publish, _is_nothing, _published),
    "--commit": Command(("evaluate", "--commit"), _evaluation, _is_result, _committed),
}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=60)
    given = parser.parse_args()
    _load()
    with tempfile.TemporaryDirectory() as folder:
        kills, lost = kill(given.seed, given.kills, Path(folder))
    json.dump({"counts": {"kills": kills}, "failures": [asdict(one) for one in lost]}, sys.stdout)
    return 1 if lost else 0


def _load() -> None:
    """What the commands import, so that a forked one begins with its work."""
    import site_src.generator.build  # noqa: F401


if __name__ == "__main__":
    sys.exit(main())
