"""`steelyard check --against`: how a change by an unknown author affects results, snapshots and ranks."""

from __future__ import annotations

import contextlib
import json
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import markdown as python_markdown
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from publishing_world import BOARD, commit_all, git, leaderboard, new_repository, reported, save, steelyard

from evaluator.measure.run.plan import model_problems
from evaluator.publish import checking
from evaluator.publish.checking import Checked
from evaluator.publish.comment import LIMIT, code, markdown
from evaluator.publish.moves import BoardMoves, BoardStanding, PlaceOnBoard, RankChange, new_stale
from evaluator.records.references import ModelRef
from evaluator.records.result import Failure
from evaluator.records.scratch import scratch_folder

Spoil = Callable[[Path], object]
EVIL = "import pathlib; pathlib.Path({trace!r}).touch()\n"
HOSTILE = "`</code><img src=x> @everyone [x](https://example.org) | \u202egnp\n# h\x00``"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A board of two models, committed on main; the change is on a branch."""
    folder = leaderboard(tmp_path / "board")
    git(folder, "checkout", "--quiet", "-b", "change")
    return folder


def check(folder: Path, against: str = "main") -> tuple[list[str], str]:
    """The problems and the comment."""
    with contextlib.chdir(folder):
        found = checking.check(Path("board.toml"), None, model_problems, against)
    return found.problems, markdown(found)


def test_a_new_result_and_what_it_moves(repository: Path) -> None:
    """Who enters and who falls, from where to where, is on the terminal and in the comment."""
    save(repository, reported("gamma", 79.0, 30.0))
    commit_all(repository)
    done = steelyard("check", "--against", "main", "--comment", "../comment.md", cwd=repository)
    assert (done.returncode, done.stderr) == (0, "")
    # One unit of accuracy trades for (20 / 1 + 22 / 9) / 2 examples a second.
    assert done.stdout.splitlines() == [
        "Reviews: 3 models ranked, 2 before",
        "  Gamma enters at 1, Dynascore 40.84",
        "  Alpha falls from 1 to 2, Dynascore 40.45",
        "  Beta falls from 2 to 3, Dynascore 35.36",
        "board.toml: 0 problems in 3 results, 1 of them new and 0 changed",
    ]
    assert (repository.parent / "comment.md").read_text().splitlines() == [
        "### Steelyard check: passed",
        "",
        "3 results, 1 of them new and 0 changed.",
        "",
        "**`Reviews`: 3 models ranked, 2 before**",
        "",
        "- `Gamma` enters at 1, Dynascore 40.84",
        "- `Alpha` falls from 1 to 2, Dynascore 40.45",
        "- `Beta` falls from 2 to 3, Dynascore 35.36",
    ]


def test_a_changed_result_and_one_not_ranked(repository: Path) -> None:
    """A result may be measured again; a model without one of the numbers is shown as not ranked."""
    half = reported("gamma", 90.0, 1.0)
    half = half.model_copy(update={"scores": {"accuracy": half.scores["accuracy"]}})
    save(repository, reported("beta", 95.0, 20.0), half)
    problems, comment = check(repository)
    assert problems == []
    assert "3 results, 1 of them new and 1 changed." in comment
    assert "- `Beta` rises from 2 to 1, Dynascore " in comment
    assert "- `Gamma` is not ranked: `no throughput on d`\n" in comment


def test_how_much_a_model_answered(repository: Path) -> None:
    """Whoever reads the comment sees that a rank, or the lack of one, is by a part of the examples."""
    partly = reported("gamma", 79.0, 30.0)
    missing = Failure(kind="missing", message="no prediction", count=260)
    dataset = partly.dataset.model_copy(update={"examples": 300})
    partly = partly.model_copy(update={"failures": (missing,), "dataset": dataset})
    slow = partly.model_copy(update={"model": ModelRef(id="delta", label="Delta"), "scores": {}})
    failed = slow.model_copy(
        update={
            "model": ModelRef(id="epsilon", label="Epsilon"),
            "status": "failed",
            "failures": (Failure(kind="exited", message="[click](https://example.org) `x", count=1),),
        }
    )
    save(repository, partly, slow, failed)
    lines = check(repository)[1].splitlines()
    given = "rank set given the published Throughput"
    assert (
        f"- `Gamma` enters at 1 (rank set 1-3), Dynascore 40.84: `40 of 300 answered on d`, `{given}`"
        in lines
    )
    why = "`no accuracy on d`, `no throughput on d`, `40 of 300 answered on d`"
    assert f"- `Delta` is not ranked: {why}" in lines
    assert "- `Epsilon` is not ranked: ``d: [click](https://example.org) `x``" in lines
    plain = steelyard("check", "--against", "main", cwd=repository).stdout.splitlines()
    assert f"  Gamma enters at 1 (rank set 1-3), Dynascore 40.84: 40 of 300 answered on d, {given}" in plain


def test_a_model_that_is_removed(repository: Path) -> None:
    """The comment gives the day and the reason in the board file; the model's results are still there."""
    entry = 'removed = { reason = "its `author` withdrew it", date = 2026-11-01 }'
    model = f'\n[[models]]\nid = "beta"\nlabel = "Beta"\ntask = "sentiment"\n{entry}\n'
    (repository / "board.toml").write_text(BOARD + model)
    problems, comment = check(repository)
    assert problems == []
    said = "- `Beta` was removed: ``removed on 2026-11-01: its `author` withdrew it``"
    assert said in comment.splitlines()


def test_a_board_that_goes_and_one_that_comes(repository: Path) -> None:
    """For a removed board the comment says that its models are gone; for a new board it says that it is new."""
    (repository / "board.toml").write_text(BOARD.replace('id = "b"', 'id = "c"'))
    lines = check(repository)[1].splitlines()
    assert "**`Reviews`: 2 models ranked, a new board**" in lines
    assert "**`Reviews`: 0 models ranked, 2 before**" in lines
    assert "- `Beta` left; no reason is given" in lines


def test_no_result_is_removed(repository: Path) -> None:
    """A result that is gone is named, and the command that is given brings it back."""
    (repository / "results/sentiment/d/alpha.json").unlink()
    commit_all(repository)
    [problem], _ = check(repository)
    assert problem.startswith("results/sentiment/d/alpha.json: was removed")
    subprocess.run(shlex.split(problem.rpartition(": ")[2]), cwd=repository, check=True)
    assert check(repository)[0] == []


def test_what_came_to_main_meanwhile_or_moved_is_not_removed(repository: Path) -> None:
    """The change is compared with where it left main; the folder of the results may change with all of them."""
    git(repository, "checkout", "--quiet", "main")
    save(repository, reported("gamma", 75.0, 30.0))
    commit_all(repository)
    git(repository, "checkout", "--quiet", "change")
    assert check(repository)[0] == []
    (repository / "board.toml").write_text(BOARD.replace('title = "T"', 'title = "T"\nresults = "numbers"'))
    (repository / "results").rename(repository / "numbers")
    assert check(repository)[0] == []
    (repository / "numbers/sentiment/d/alpha.json").unlink()
    assert "numbers/sentiment/d/alpha.json: was removed" in check(repository)[0][0]


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board with two snapshots, committed on main, and a third that is not."""
    folder = leaderboard(tmp_path_factory.mktemp("snapshots") / "board")
    for note in ("one", "two", "three"):
        done = steelyard("snapshot", "--note", note, cwd=folder)
        assert done.returncode == 0, done.stderr
        if note == "two":
            commit_all(folder)
    return folder


@pytest.fixture
def published(snapshots: Path, tmp_path: Path) -> Path:
    """A copy of that board, to be spoilt."""
    return Path(shutil.copytree(snapshots, tmp_path / "board"))


def spoil_record(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" ")


def make_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/hostname")


@pytest.mark.parametrize(("spoil", "what"), [(spoil_record, "changed"), (make_link, "removed")])
@pytest.mark.parametrize("file", ["snapshot.json", "dynascore.py"])
def test_published_snapshots_stay(published: Path, file: str, spoil: Spoil, what: str) -> None:
    """A file of a snapshot that is other than in the base is named, and can be brought back as it says."""
    first = git(published, "ls-files", f"results/snapshots/*/{file}").splitlines()[0]
    spoil(published / first)
    [problem] = [line for line in check(published)[0] if "never change" in line]
    assert problem.startswith(f"{first}: was {what}, but")
    subprocess.run(shlex.split(problem.rpartition(": ")[2]), cwd=published, check=True)
    assert check(published)[0] == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda entries: entries[::-1],
        lambda entries: [{**entries[0], "title": "Other"}, *entries[1:]],
        lambda entries: "nonsense",
    ],
)
def test_the_list_of_snapshots_only_grows(published: Path, spoil: Callable[[Any], object]) -> None:
    """versions.json may get entries at its end, and nothing else."""
    path = published / "results/snapshots/versions.json"
    path.write_text(json.dumps({"snapshots": spoil(json.loads(path.read_text())["snapshots"])}))
    assert any("versions.json: lost an entry or changed one" in problem for problem in check(published)[0])


def test_a_new_snapshot_has_the_hashes_it_says(published: Path) -> None:
    """A snapshot that the change itself brings is looked at too."""
    [added] = git(published, "ls-files", "--others", "results/snapshots/*/snapshot.json").splitlines()
    spoil_record(published / added)
    assert any(problem.startswith(f"{added}: ") for problem in check(published)[0])


def test_numbers_that_do_not_compare(repository: Path) -> None:
    """A number of another source than its column's is a problem, named with model and metric, of the change that
    brings it, not of a later one."""
    save(repository, reported("gamma", 99.0, 30.0, source="Q"))
    problems, _ = check(repository)
    assert "Reviews: Gamma: accuracy on d was measured by another source" in problems[0]
    commit_all(repository)
    save(repository, reported("delta", 60.0, 30.0))
    assert check(repository, "HEAD")[0] == []


def test_timing_of_another_machine_is_only_noted(repository: Path) -> None:
    """Throughput from another machine is reported but does not fail a change, because its author has no choice."""
    line = "throughput on d was measured on another machine"
    hostile = ("x: throughput on ", "accuracy on d was measured on other data")
    after = {"b": BoardStanding("Reviews", {}, frozenset({("Gamma", line), hostile}))}
    assert new_stale({}, after) == ([f"Reviews: {hostile[0]}: {hostile[1]}"], [f"Reviews: Gamma: {line}"])


GAMMA = "results/sentiment/d/gamma.json"
LEFTOVER = "results/sentiment/d/.steelyard-abcdefgh.tmp"


def spoil_number(path: Path) -> None:
    save(path.parents[3], reported("gamma", 1e300, 1.0))


def copy_alpha(path: Path) -> None:
    shutil.copy(path.with_name("alpha.json"), path)


def link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


@pytest.mark.parametrize(
    ("name", "spoil", "message"),
    [
        (GAMMA, link, "gamma.json: is a link"),
        (GAMMA, "[" * 100_000, "gamma.json: not a JSON record"),
        (GAMMA, " " * 1_200_000, "gamma.json: has 1.2 MB; a file may have 1.0 MB"),
        (GAMMA, copy_alpha, "gamma.json: is the result of another file, results/sentiment/d/alpha.json"),
        (GAMMA, spoil_number, "1e+300"),
        (GAMMA, '{"kind": "result", "schema_version": 99}',
         "gamma.json: schema_version is 99, and this version of steelyard reads 1"),
        ("results/run.sh", "true", "results/run.sh: is no result"),
        (LEFTOVER, "{", "d/.steelyard-abcdefgh.tmp: is half-written, left by a run that was stopped; the next"),
        ("board.toml", "title = [", "board.toml: not valid TOML"),
    ],
)  # fmt: skip
def test_a_spoilt_change_is_refused_with_a_comment(
    repository: Path, name: str, spoil: str | Spoil, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is wrong is a problem with a file and a message, on the terminal and in the comment."""
    path = repository / name
    if isinstance(spoil, str):
        path.write_text(spoil)
    else:
        spoil(path)
    monkeypatch.setattr(checking, "MOST_OF_A_FILE", 10**6)
    problems, comment = check(repository)
    assert any(message in problem for problem in problems), problems
    assert comment.startswith("### Steelyard check: 1 problem\n")


def test_what_is_being_written_is_no_problem(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may write results while they are checked; all together they may not be too large."""
    with scratch_folder(repository / "results/sentiment/d/x") as folder:
        (folder / "half").write_text("half")
        assert check(repository)[0] == []
    monkeypatch.setattr(checking, "MOST_OF_ALL", 1000)
    assert "all results may have 0.0 MB" in check(repository)[0][-1]


def test_a_revision_that_is_not_there(repository: Path) -> None:
    """An unknown revision, and one without a common commit, are named with the fix."""
    done = steelyard("check", "--against", "origin/main", cwd=repository)
    assert (done.returncode, "has no revision 'origin/main'; fetch it" in done.stderr) == (1, True)
    git(repository, "checkout", "--quiet", "--orphan", "alone")
    git(repository, "commit", "--quiet", "--message", "alone")
    done = steelyard("check", "--against", "main", cwd=repository)
    assert (done.returncode, "no commit in common" in done.stderr) == (1, True)


def test_a_first_board_has_nothing_to_be_compared_with(tmp_path: Path) -> None:
    """Where the base has no board file, everything is new."""
    folder = new_repository(tmp_path / "board", {"README.md": "empty\n"})
    (folder / "board.toml").write_text(BOARD)
    save(folder, reported("alpha", 80.0, 10.0))
    problems, comment = check(folder)
    assert problems == []
    assert "**`Reviews`: 1 model ranked, a new board**" in comment


@pytest.mark.slow
def test_a_hostile_repository_runs_nothing(tmp_path: Path) -> None:
    """Neither check nor build runs a handler, a module that shadows one of ours, or what git attributes name."""
    trace = tmp_path / "ran"
    evil = EVIL.format(trace=str(trace))
    model = '\n[[models]]\nid = "m"\nlabel = "M"\ntask = "sentiment"\nadapter = "handler"\ndirectory = "m"\n'
    names = [
        *("m/handler.py", "sitecustomize.py", "usercustomize.py", "conftest.py", "setup.py"),
        *("evaluator/__init__.py", "site_src/__init__.py", "json.py", "click.py", "pydantic/__init__.py"),
        *("results/handler.py", "mkdocs_hooks.py"),
    ]
    folder = leaderboard(tmp_path / "board")
    git(folder, "checkout", "--quiet", "-b", "change")
    (folder / "board.toml").write_text(BOARD + model)
    (folder / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    (folder / "mkdocs.yml").write_text("hooks: [mkdocs_hooks.py]\n")
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(evil)
    commit_all(folder)
    for wrong in (True, False):
        done = steelyard("check", "--against", "main", "--json", cwd=folder)
        assert (done.returncode, len(json.loads(done.stdout)["problems"])) == (int(wrong), int(wrong))
        (folder / "results/handler.py").unlink(missing_ok=True)
        save(folder, reported("m", 75.0, 30.0))
    assert steelyard("build", "--output", str(tmp_path / "site"), cwd=folder).returncode == 0
    assert not trace.exists()
    # The trap works: Python does run such a module when told to look there.
    subprocess.run(["python3", "-c", "import click"], cwd=folder, check=True)
    assert trace.exists()


@given(st.text())
@example(HOSTILE)
@example("`")
@example("``` `` ")
@example(" ")
@example("")
@example("\\`")
def test_a_name_is_a_code_span_and_nothing_else(name: str) -> None:
    """Any name is one line between runs of backticks that are not in it, so nothing in it is markup."""
    span = code(name, 1000)
    fence = span[: len(span) - len(span.lstrip("`"))]
    inner = span[len(fence) : -len(fence)]
    assert span == fence + inner + fence
    assert len(span.splitlines()) == 1
    assert span.isprintable()
    assert fence not in inner
    assert inner[:1] not in ("", "`")
    assert inner[-1:] != "`"


def risen(label: str) -> RankChange:
    return RankChange(PlaceOnBoard(2, 40.0, None, label), PlaceOnBoard(1, 50.0, None, label))


def test_a_hostile_name_in_a_comment_is_text() -> None:
    """A whole comment about a hostile name is rendered without a link, a picture or HTML of its making."""
    moved = BoardMoves(HOSTILE, 1, 1, [risen(HOSTILE)])
    found = markdown(Checked(1, [HOSTILE], [HOSTILE], moves=[moved]))
    rendered = python_markdown.markdown(found)
    assert "<img" not in rendered
    assert "<a " not in rendered
    assert rendered.count("<h1") == 0
    assert rendered.count("&lt;img") == 4


def test_a_comment_has_an_end() -> None:
    """However much there is to say, the comment is of a size that can be posted, and says what it leaves out."""
    moved = [BoardMoves(f"B{n}", 99, 99, [risen("x" * 500)] * 99) for n in range(99)]
    found = markdown(Checked(1, ["y" * 900] * 99, moves=moved))
    assert len(found.encode()) <= LIMIT
    assert "- and 74 more" in found
    assert found.endswith("\nThe rest is left out.\n")
