"""Evaluates hostile models, each before an honest one, and says which promise did not hold.

    python tests/adversary/hostile_run.py                       the whole table, as JSON
    python tests/adversary/hostile_run.py --model "kills everyone"

The evaluation runs in a PID namespace of its own, so that a signal to everyone reaches nobody else, and so that
what a model leaves running can be listed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
import sysconfig
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from adversary_paths import ROOT
from hostile import PRELUDE, TABLE, HostileModel
from small_boards import small_board, small_model

from evaluator.records.errors import UserError
from evaluator.records.result import Result, Score
from evaluator.records.store import Store

ROWS = 40
#: No evaluation of two small models takes longer, whatever one of them does.
SECONDS = 300
#: Evaluations at the same time, each in a folder and a namespace of its own: most of them wait.
AT_ONCE = 4
#: How much faster than the honest model, which sleeps for most of the time, none may look.
FASTER = 2.0
BOARD = small_board(
    "accuracy",
    "throughput",
    dataset="show_text = true",
    measure={"repeats": 1, "seconds": 0.1},
    limits={"load_s": 20, "request_s": 5, "memory_gb": 0.4},
)
#: The shell is the first process, which signals do not end; it lists what is left when the evaluation is over.
SCRIPT = """
"$@"
code=$?
for entry in /proc/[0-9]*; do
  [ "$entry" = "/proc/$$" ] || { tr '\\0' ' ' < "$entry/cmdline" 2>/dev/null && echo; } >> "$LEFT"
done
exit $code
"""


@dataclass(frozen=True)
class Broken:
    """A promise that a model broke."""

    model: str
    attacks: str
    problem: str


def run(models: Sequence[HostileModel]) -> list[Broken]:
    """What did not hold, model by model."""
    broken = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for model, found in zip(models, pool.map(problems, models), strict=True):
            print(f"{model.name}: {found or 'held'}", file=sys.stderr, flush=True)
            broken += [Broken(model.name, model.attacks, problem) for problem in found]
    return broken


def problems(model: HostileModel) -> list[str]:
    """What a model brought about that it must not."""
    with tempfile.TemporaryDirectory() as folder, _listener() as listener:
        project, home = Path(folder, "project"), Path(folder, "home")
        home.mkdir()
        mark = f"steelyard-was-here-{uuid.uuid4().hex[:8]}"
        port = listener.getsockname()[1]
        _write(project, model, {"PROJECT": str(project), "HOME": str(home), "TRACE": mark, "PORT": port})
        before = _tree(project)
        try:
            code, said = _evaluate(project, home)
        except subprocess.TimeoutExpired:
            return [f"the evaluation did not end within {SECONDS} s"]
        found = [*_of_the_run(code, said, project), *_of_the_results(model, project)]
        found += [
            f"{name} was changed" for name in sorted(set(before.items()) ^ set(_tree(project).items()))[:1]
        ]
        found += [f"it wrote {path}" for path in _traces(mark, project, home)]
        found += ["it reached the network"] * _was_reached(listener)
        return found


def _write(project: Path, model: HostileModel, names: dict[str, object]) -> None:
    # The honest rule is right three times in four, and one answer for all every other time.
    gold = ["positive" if i % 8 in (1, 2, 3, 7) else "negative" for i in range(ROWS)]
    rows = [f"{'good' if i % 2 else 'bad'} number {i}\t{gold[i]}" for i in range(ROWS)]
    honest = "".join(f"{name} = {value!r}\n" for name, value in names.items()) + PRELUDE
    honest += "\ndef load(directory):\n    pass\n\ndef predict(example):\n    return honest(example)\n"
    for name, source in (("hostile", model.source(**names)), ("honest", honest)):
        (project / name).mkdir(parents=True)
        (project / name / "handler.py").write_text(source)
    (project / "board.toml").write_text(BOARD + small_model("hostile") + small_model("honest"))
    (project / "d.tsv").write_text("\n".join(rows) + "\n")


def _evaluate(project: Path, home: Path) -> tuple[int, str]:
    """The exit code of the evaluation, and what it said."""
    command = [sys.executable, "-m", "evaluator.cli", "evaluate"]
    alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", SCRIPT, "sh"]
    environment = {
        **os.environ,
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "SECRET": "x",
        "LEFT": str(home / "left"),
    }
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(
        [*alone, *command], cwd=project, env=environment, capture_output=True, timeout=SECONDS, check=False
    )
    left = (home / "left").read_text(errors="replace").split("\n") if (home / "left").exists() else []
    running = [line for line in left if line.strip() and not line.startswith(("tr ", "sh -c"))]
    said = done.stderr.decode(errors="replace") + "".join(f"\nLEFT RUNNING: {line[:150]}" for line in running)
    return done.returncode, said


def _of_the_run(code: int, said: str, project: Path) -> Iterator[str]:
    if code not in (0, 1):
        yield f"the evaluation ended with {code}: {said[-300:]}"
    for word in ("internal error", "Traceback", "LEFT RUNNING"):
        if word in said:
            yield f"{word}: {said[said.index(word) :][:300]}"
    honest = _result(project, "honest")
    if honest is None or honest.status != "complete" or honest.measurement is None:
        yield f"the honest model was not measured: {said[-300:]}"


def _of_the_results(model: HostileModel, project: Path) -> Iterator[str]:
    hostile, honest = _result(project, "hostile"), _result(project, "honest")
    if hostile is None:
        yield "it has no result"
        return
    messages = [failure.full_message for failure in hostile.failures]
    if model.words and not any(re.search(model.words, message) for message in messages):
        yield f"{model.words!r} is in none of its messages: {messages}"
    if honest is None or hostile.status != "complete":
        return
    yield from _gained(model, hostile, honest)


def _gained(model: HostileModel, hostile: Result, honest: Result) -> Iterator[str]:
    scores, fair = hostile.scores, honest.scores
    if scores["accuracy"].value > fair["accuracy"].value:
        yield f"accuracy {scores['accuracy'].value}, where the honest model has {fair['accuracy'].value}"
    # Who answers anything may be quick: it costs accuracy.
    if scores["accuracy"].value >= fair["accuracy"].value and _is_faster(scores, fair):
        yield f"{scores['throughput'].value:.0f} examples/s, where the honest model has {fair['throughput'].value:.0f}"
    if "memory" in scores and scores["memory"].value * 1000 < model.holds:
        yield f"{scores['memory'].value * 1000:.0f} MB were measured, and it held {model.holds} MB"


def _is_faster(scores: Mapping[str, Score], fair: Mapping[str, Score]) -> bool:
    return "throughput" in scores and scores["throughput"].value > FASTER * fair["throughput"].value


def _result(project: Path, model: str) -> Result | None:
    with suppress(UserError, OSError):
        return Store(project / "results").find("sentiment", "d", model)
    return None


def _tree(project: Path) -> dict[str, str]:
    """Every file of the project but results and the evaluator's own, by its hash."""
    return {
        str(path.relative_to(project)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(project.rglob("*"))
        if path.is_file()
        and path.relative_to(project).parts[0] not in ("results", ".steelyard")
        and "__pycache__" not in path.parts
    }


def _traces(mark: str, project: Path, home: Path) -> list[str]:
    """Files that carry the mark anywhere that a model may have written; they are removed."""
    places = [Path("/tmp"), Path("/dev/shm"), Path(sysconfig.get_path("purelib")), ROOT / "evaluator", home]
    found = [path for place in places for path in place.glob(f"*{mark}*")]
    found += [path for path in project.rglob(f"*{mark}*") if path.is_file()]
    for path in found:
        path.unlink(missing_ok=True)
    return sorted(map(str, found))[:3]


@contextmanager
def _listener() -> Iterator[socket.socket]:
    """A server on this machine that nobody may reach."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.setblocking(False)
        yield server


def _was_reached(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model")
    parser.add_argument("--attacks", help="only those that attack this promise")
    given = parser.parse_args()
    chosen = [
        one for one in TABLE if given.model in (None, one.name) and given.attacks in (None, one.attacks)
    ]
    broken = run(chosen)
    json.dump(
        {"counts": {"models": len(chosen)}, "failures": [asdict(one) for one in broken]}, sys.stdout, indent=1
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
