"""`steelyard snapshot`: what is frozen, what is refused, and that what is written stays."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from publishing_world import commit_all, git
from snapshot_world import ACCURACY, made, steelyard, write_model
from varying import varying

from evaluator.publish.snapshots.freezing import certainty_bytes, check_committed, now
from evaluator.publish.snapshots.repository import CERTAINTY, listed, load, save
from evaluator.publish.snapshots.scorers import file_hash, shipped
from evaluator.publish.snapshots.verifying import verify_all
from evaluator.rank import dynascore
from evaluator.rank.rank_sets import Certainty
from evaluator.records.base import digest, dump
from evaluator.records.board import assemble, load_boards
from evaluator.records.errors import UserError
from evaluator.records.result import Score
from evaluator.records.snapshot import Snapshot
from evaluator.records.store import Store
from evaluator.score.metrics import METRICS

HERE = Path(__file__).parents[2]
RESULT = "results/sentiment/first/alpha.json"


def snapshots(folder: Path) -> list[Snapshot]:
    root = folder / "results" / "snapshots"
    return [load(root, entry.id) for entry in listed(root)]


def test_a_snapshot_has_the_board_as_it_was(frozen: Path) -> None:
    """Cells, weights, ranks to the last bit, datasets, people, sources and result hashes are in the file."""
    boards, store = load_boards(frozen / "board.toml"), Store(frozen / "results")
    assembled = assemble(boards.boards[0], boards, store.results())
    snapshot = snapshots(frozen)[0]
    ranking = dynascore.Board.from_dict(assembled.data).rank(
        assembled.metric_weights, assembled.dataset_weights
    )
    for row in ranking.rows:
        place = snapshot.data.models.index(row.model)
        assert snapshot.ranking.ranks[place] == row.rank
        assert snapshot.ranking.scores[place] == row.dynascore
        parts = {name: column[place] for name, column in snapshot.ranking.contributions.items()}
        assert {name: part for name, part in parts.items() if part is not None} == row.contributions
    assert [row.rank for row in ranking.rows] == [1, 2, 3, None]
    assert {name: rate.rate for name, rate in snapshot.ranking.exchange_rates.items()} == {
        name: rate.rate for name, rate in ranking.exchange_rates.items()
    }
    assert (snapshot.created, snapshot.id[:17]) == ("2027-01-15T08:00:00Z", "20270115T080000Z-")
    assert set(snapshot.data.values) == {"first", "second"}
    assert set(snapshot.shown) == {"extra"}
    assert snapshot.people[0].values == {"first": {"accuracy": 97.5}}
    gamma = snapshot.models[3]
    assert (gamma.id, gamma.results["first"].provenance) == ("gamma", "predictions")
    assert snapshot.sources[gamma.results["first"].source or 0].citation == "Someone 2021, Gamma"
    assert snapshot.models[2].reasons == ("no result on second",)
    first = snapshot.models[0].results["first"]
    assert first.sha256 == file_hash((frozen / RESULT).read_bytes())
    assert snapshot.machines[first.machine or 0].cpu == "Intel(R) Xeon(R) Processor"
    assert snapshot.scorer == {name: file_hash(content) for name, content in shipped().items()}


def test_the_id_and_the_hash_of_a_citation_name_the_content(frozen: Path) -> None:
    """The id ends in 128 bits of the canonical hash of everything but id and time; the hash that is printed, in the
    JSON and in citations is the SHA-256 of snapshot.json."""
    for snapshot in snapshots(frozen):
        path = frozen / "results" / "snapshots" / snapshot.id / "snapshot.json"
        document = json.loads(path.read_bytes())
        del document["id"], document["created"]
        assert snapshot.id.rpartition("-")[2] == digest(document).removeprefix("sha256:")[:32]
        digits = hashlib.sha256(path.read_bytes()).hexdigest()
        board = snapshot.board["id"]
        assert f"SHA-256  {digits}\n" in steelyard(frozen, "snapshot", board).stdout
        [entry] = json.loads(steelyard(frozen, "snapshot", board, "--json").stdout)
        assert (entry["id"], entry["sha256"]) == (snapshot.id, digits)
        assert digits in (path.parent / "citation.bib").read_text()


def test_the_scorers_are_kept_once(frozen: Path) -> None:
    """The pinned scorers are byte copies among the shared files; the manifests have the hash of each file."""
    root = frozen / "results" / "snapshots"
    for name, content in shipped().items():
        assert [path.read_bytes() for path in root.rglob(name)] == [content]
    for snapshot in snapshots(frozen):
        folder = root / snapshot.id
        manifest = json.loads((folder / "manifest.json").read_bytes())
        files = {name: file_hash((folder / name).read_bytes()) for name in manifest["files"]}
        assert manifest == {"snapshot": snapshot.id, "files": files}
        shared = [name for name in files if name.startswith("../")]
        assert {path.name for path in folder.iterdir()} == {"manifest.json", *files} - {*shared}
        assert snapshot.scorer in [json.loads((folder / name).read_bytes())["files"] for name in shared]


@pytest.mark.slow
def test_a_snapshot_says_how_sure_its_ranks_are(tmp_path: Path) -> None:
    """The record has the board's rank sets, with the reasons of those that are unknown; what they are made of is
    beside it and makes sets at any other weights."""
    shutil.copy(HERE / "board.toml", tmp_path)
    shutil.copytree(HERE / "results", tmp_path / "results", ignore=shutil.ignore_patterns("snapshots"))
    git(tmp_path, "init", "--quiet")
    commit_all(tmp_path)
    assert steelyard(tmp_path, "snapshot", "sst-2").returncode == 0
    [snapshot] = snapshots(tmp_path)
    content = (tmp_path / "results" / "snapshots" / snapshot.id / CERTAINTY).read_bytes()
    assert snapshot.certainty is not None
    assert snapshot.certainty.sha256 == file_hash(content)
    board = dynascore.Board.from_dict(snapshot.data.plain())
    found = Certainty.from_dict(board, json.loads(content)).sets(
        dynascore.Question(snapshot.weights.metrics, snapshot.weights.datasets)
    )
    assert list(snapshot.certainty.sets) == found.sets
    unknown = snapshot.certainty.unknown.items()
    assert {place: reason for reason, places in unknown for place in places} == found.reasons


def test_the_file_of_rank_sets_is_the_one_they_are_of(tmp_path: Path) -> None:
    """A snapshot with rank sets is not saved without the file, nor with another, nor one without with it."""
    vary = {"d": varying(2, ["accuracy"], ["memory"])}
    varied, plain = (made({"a": [3, 1], "b": [2, 0]}, vary=v) for v in (vary, None))
    content = certainty_bytes(vary)
    for snapshot, given in (
        (varied, {}),
        (varied, {CERTAINTY: content + b" "}),
        (plain, {CERTAINTY: content}),
    ):
        with pytest.raises(UserError, match="is not what its rank sets are of"):
            save(tmp_path, snapshot, given)
    assert (save(tmp_path, varied, {CERTAINTY: content}) / CERTAINTY).read_bytes() == content


@pytest.mark.slow
def test_the_same_at_the_same_second_is_one_snapshot(frozen: Path) -> None:
    """Frozen again within the second nothing is written; a second later there is another snapshot."""
    before = {path: path.read_bytes() for path in frozen.rglob("*") if path.is_file()}
    done = steelyard(frozen, "snapshot", "--json")
    assert [entry["new"] for entry in json.loads(done.stdout)] == [False, False]
    assert {path: path.read_bytes() for path in frozen.rglob("*") if path.is_file()} == before
    assert "is there already, unchanged" in steelyard(frozen, "snapshot", "feelings").stdout
    assert steelyard(frozen, "snapshot", "feelings", at=1_800_000_001).returncode == 0
    ids = [snapshot.id for snapshot in snapshots(frozen)]
    assert len(set(ids)) == 3
    assert ids[2].rpartition("-")[2] == ids[0].rpartition("-")[2]


@pytest.mark.slow
def test_weights_and_a_note_can_be_given(world: Path) -> None:
    """Weights other than the board's rank the snapshot, and are in it, as is the note."""
    weights = ["--weight", "calibration-error=1", "--dataset-weight", "first=2"]
    done = steelyard(world, "snapshot", "feelings", *weights, "--note", "Mine")
    assert done.returncode == 0, done.stderr
    [snapshot] = snapshots(world)
    assert snapshot.weights.metrics == {"accuracy": 0.0, "calibration-error": 1.0}
    assert snapshot.weights.datasets == {"first": 2.0, "second": 0.0}
    assert snapshot.note == "Mine"
    ranks = dict(zip(snapshot.data.models, snapshot.ranking.ranks, strict=True))
    assert ranks == {"gamma": 1, "beta": 2, "alpha": 3, "delta": 4}


@pytest.mark.slow
def test_trade_offs_can_be_given(world: Path) -> None:
    """They rank the snapshot, are in it in the metric's unit, and verify; what is cited names them."""
    done = steelyard(world, "snapshot", "feelings", "--trade", "calibration-error=2 points")
    assert done.returncode == 0, done.stderr
    assert "trades   calibration-error 2.0 for 1 of accuracy" in done.stdout
    [snapshot] = snapshots(world)
    assert (snapshot.data.by, snapshot.data.trades) == ("trades", {"calibration-error": 2.0})
    assert set(snapshot.ranking.z_scores) == {None}
    means = {
        name: [
            (a or 0) / 2 + (b or 0) / 2
            for a, b in zip(*(snapshot.data.values[d][name] for d in ("first", "second")), strict=True)
        ]
        for name in ("accuracy", "calibration-error")
    }
    expected = [a - e / 2 for a, e in zip(means["accuracy"], means["calibration-error"], strict=True)]
    for found, score in zip(snapshot.ranking.scores, expected, strict=True):
        assert found is None or found == pytest.approx(score)
    assert sum(score is not None for score in snapshot.ranking.scores) > 1
    assert steelyard(world, "snapshot", "verify").returncode == 0
    citation = (world / "results" / "snapshots" / snapshot.id / "citation.ris").read_text()
    assert "by trade-off score on First set (1) and Second set (1)" in citation
    assert "where 1 point of Accuracy is worth 2 points of Calibration error:" in citation
    both = steelyard(
        world, "snapshot", "feelings", "--trade", "calibration-error=2", "--weight", "accuracy=1"
    )
    assert both.returncode == 2
    assert "--weight: by trade-offs no metric has a weight" in " ".join(both.stderr.split())
    assert steelyard(world, "snapshot", "feelings", at=1_800_000_001).returncode == 0
    first, second = (one.id for one in snapshots(world))
    difference = json.loads(steelyard(world, "snapshot", "diff", first, second, "--json").stdout)
    assert difference["terms"]["trades"] == [{"calibration-error": 2.0}, {}]


@pytest.mark.slow
def test_the_clock_is_utc(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without SOURCE_DATE_EPOCH the time is that of the clock, in UTC; a bad one is named."""
    before = datetime.now(UTC).replace(microsecond=0)
    assert steelyard(world, "snapshot", "feelings", at=None).returncode == 0
    [snapshot] = snapshots(world)
    created = datetime.strptime(snapshot.created, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert before <= created <= datetime.now(UTC)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(UserError, match="SOURCE_DATE_EPOCH: 'yesterday' is not a time"):
        now()


def add_result(folder: Path) -> None:
    write_model(Store(folder / "results"), "omega")


def change_result(folder: Path) -> None:
    write_model(Store(folder / "results"), "alpha", shift=1.0)


def ignore_result(folder: Path) -> None:
    (folder / ".gitignore").write_text("omega.*\n")
    add_result(folder)


def remove_result(folder: Path) -> None:
    (folder / RESULT).unlink()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (add_result, "sentiment/first/omega.json: not committed"),
        (change_result, "sentiment/first/alpha.json: changed since it was committed"),
        (ignore_result, "sentiment/first/omega.json: not committed"),
        (remove_result, "sentiment/first/alpha.json: removed, but not from git"),
    ],
)
def test_uncommitted_results_are_refused(world: Path, change: Callable[[Path], None], message: str) -> None:
    """A result or its predictions that git does not have as they are: named, with the fix, nothing written."""
    change(world)
    with pytest.raises(UserError, match=f"(?s){message}.*commit the results, then make the snapshot"):
        check_committed(world / "results", ["sentiment/first"])
    commit_all(world)
    if change is not ignore_result:
        check_committed(world / "results", ["sentiment/first"])


def test_results_outside_any_repository_are_refused(world: Path, tmp_path: Path) -> None:
    """A results folder outside a repository is named, with the fix; so is one in a repository without a commit."""
    (world / ".git").rename(tmp_path / "elsewhere")
    done = steelyard(world, "snapshot")
    assert done.returncode == 1
    assert "results: is in no git repository" in done.stderr
    git(world, "init", "--quiet")
    assert "alpha.json: not committed" in steelyard(world, "snapshot").stderr


def test_invalid_results_are_refused(world: Path) -> None:
    """What `check` finds wrong with a board's results keeps it from being frozen, though committed."""
    [path] = (world / "results/sentiment/first").glob("alpha.*.predictions.json")
    document = json.loads(path.read_bytes())
    path.write_bytes(dump(document | {"predicted": [1, 1, 1]}))
    commit_all(world)
    done = steelyard(world, "snapshot")
    assert done.returncode == 1
    assert path.name in done.stderr
    assert "these results are not valid" in done.stderr
    assert not (world / "results" / "snapshots").exists()


#: A model of the world as one that can be run, which its results do not know.
CHANGED = """
[[datasets]]
id = "lessons"
label = "Lessons"
task = "sentiment"
role = "training"

[[models]]
id = "alpha"
label = "Alpha"
task = "sentiment"
recipe = "majority"
train = "lessons"
"""


def test_numbers_of_a_model_that_changed_are_refused(world: Path) -> None:
    """The results are named with the command that brings them up to date; nothing is written."""
    board = world / "board.toml"
    board.write_text(board.read_text() + CHANGED)
    done = steelyard(world, "snapshot", "first-only")
    assert done.returncode == 1
    assert "alpha on first is stale: its recipe is majority now" in done.stderr
    assert "run steelyard evaluate --model alpha" in done.stderr
    assert "these numbers are of models that are not there any more" in done.stderr
    assert not snapshots(world)


def test_numbers_that_are_stale_otherwise_are_frozen_with_the_reason(world: Path) -> None:
    """Of an earlier version of a metric: the command, the record, the page, `rank --json` and a table say so."""
    version = METRICS["calibration-error"].version.removeprefix("calibration-error-")
    why = f"metric calibration-error is version {version} now"
    done = steelyard(world, "snapshot", "feelings")
    assert "note: feelings: alpha on first, beta on first, delta on first are stale: " in done.stdout, (
        done.stdout
    )
    assert f"are stale: {why}; " in done.stdout, done.stdout
    [snapshot] = snapshots(world)
    [stale] = [model.stale for model in snapshot.models if model.id == "alpha"]
    assert stale == tuple(f"stale on {dataset}: {why}" for dataset in ("first", "second", "extra"))
    page = (world / "results/snapshots" / snapshot.id / "index.html").read_text()
    named = re.search(f'<li dir="auto">Alpha on First set[^<]* are stale: {why}; [^<]*</li>', page)
    assert named, page
    ranked = json.loads(steelyard(world, "rank", "feelings", "--json").stdout)["models"]
    [documents] = [row["stale"] for row in ranked if row["model"] == "alpha"]
    assert {one["dataset"]: one["reasons"] for one in documents} == {
        dataset: [why] for dataset in ("first", "second", "extra")
    }
    assert all(one["fix"].endswith("run steelyard evaluate --model alpha") for one in documents)
    table = csv.DictReader(steelyard(world, "export", "feelings", "--format", "csv").stdout.splitlines())
    [reasons] = [row["reasons"] for row in table if row["model"] == "alpha"]
    assert reasons == "; ".join(stale)


def test_what_takes_no_part_is_said_when_it_is_frozen(world: Path) -> None:
    """Notes name the models that are not ranked and the columns without numbers, as `rank` does."""
    with_throughput(world)
    ranked, frozen = (steelyard(world, verb, "first-only").stdout for verb in ("rank", "snapshot"))
    [notice] = [line for line in ranked.splitlines() if "Throughput" in line and line.startswith("note:")]
    assert notice.replace("note: ", "note: first-only: ") in frozen
    [summary] = json.loads(steelyard(world, "snapshot", "first-only", "--json").stdout)
    assert notice.removeprefix("note: ") in summary["notes"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--weight", "speed=1"], "metric weight 'speed': the board has no such metric; it has accuracy"),
        (["--weight", "accuracy=-1"], "metric weight 'accuracy': -1.0 is not a finite number of at least 0"),
        (
            ["--dataset-weight", "extra=1"],
            "dataset weight 'extra': the board has no such dataset; it has first",
        ),
    ],
)
def test_wrong_calls_say_what_there_is(world: Path, arguments: list[str], message: str) -> None:
    """Unknown names and impossible weights exit 2 and list the valid ones; nothing is written."""
    done = steelyard(world, "snapshot", *arguments)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert not (world / "results" / "snapshots").exists()


@pytest.mark.slow
def test_two_at_once_are_both_listed(world: Path) -> None:
    """Processes that freeze at the same time lose nothing of each other."""
    command = [sys.executable, "-m", "evaluator.cli", "snapshot"]
    env = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    notes = [subprocess.Popen([*command, "--note", note], cwd=world, env=env) for note in "abc"]
    assert [process.wait() for process in notes] == [0, 0, 0]
    root = world / "results" / "snapshots"
    assert len(listed(root)) == 6
    assert verify_all(root).problems == []


def test_a_folder_that_was_never_listed_is_completed(tmp_path: Path) -> None:
    """When the machine stops between folder and list, the same snapshot again is listed."""
    snapshot = made({"a": [3, 1], "b": [2, 0], "c": [1, 1]})
    save(tmp_path, snapshot)
    (tmp_path / "versions.json").unlink()
    save(tmp_path, snapshot)
    assert [entry.id for entry in listed(tmp_path)] == [snapshot.id]
    assert verify_all(tmp_path).problems == []


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up while a snapshot is written leaves no folder of it, and the list as it was."""
    first, second = made({"a": [3, 1], "b": [2, 0]}), made({"a": [3, 1], "b": [2, 0]}, second=1)
    save(tmp_path, first)
    before = sorted(tmp_path.rglob("*"))

    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("evaluator.publish.snapshots.repository.write_atomic", full)
    with pytest.raises(OSError, match="No space left"):
        save(tmp_path, second)
    assert sorted(tmp_path.rglob("*")) == before


def test_files_that_pages_share_stay(tmp_path: Path) -> None:
    """What is in assets already cannot become something else."""
    snapshots = [made({"a": [3, 1], "b": [2, 0]}, second=second) for second in (0, 1)]
    save(tmp_path, snapshots[0], {"../assets/0123456789ab/style.css": b"p {}"})
    with pytest.raises(UserError, match=r"style\.css: is there with other content"):
        save(tmp_path, snapshots[1], {"../assets/0123456789ab/style.css": b"p { color: red }"})


@pytest.mark.parametrize(
    "name",
    ["../index.html", "..", "manifest.json", "snapshot.json", "",
     "../assets/0123456789ab/../../x", ],
)  # fmt: skip
def test_pages_cannot_write_elsewhere(tmp_path: Path, name: str) -> None:
    """A page brings files of its own folder and shared ones, and none that the snapshot has itself."""
    with pytest.raises(UserError, match="cannot bring a file named"):
        save(tmp_path / "root", made({"a": [3, 1], "b": [2, 0]}), {name: b""})
    assert list(tmp_path.iterdir()) == []


def with_throughput(world: Path) -> None:
    """Give the boards of accuracy alone a second metric."""
    path, throughput = world / "board.toml", '{ name = "throughput", label = "Throughput", unit = "/s" }'
    path.write_text(
        path.read_text().replace(f"metrics = [{ACCURACY}]", f"metrics = [{ACCURACY}, {throughput}]")
    )


def test_a_board_that_ranks_nobody_is_not_frozen(world: Path) -> None:
    """Where no model has a number for what has weight, the command says so, and writes nothing."""
    with_throughput(world)
    done = steelyard(world, "snapshot", "first-only", "--weight", "throughput=1")
    assert done.returncode == 1, done.stdout
    assert (
        "no model is ranked at these weights: no model has a value for anything that has weight"
        in done.stderr
    )
    assert not snapshots(world)


@pytest.mark.slow
def test_an_invalid_timing_is_not_frozen(world: Path) -> None:
    """Its cells are empty with the reason beside them; those of a suspect one are kept and marked."""
    with_throughput(world)
    store = Store(world / "results")
    for name, verdict in (("alpha", "invalid"), ("beta", "suspect"), ("delta", "ok")):
        [result] = [r for r in store.results_on("sentiment", "first") if r.model.id == name]
        assert result.measurement is not None
        noise = result.measurement.noise.model_copy(update={"verdict": verdict, "reasons": ("too short",)})
        measurement = result.measurement.model_copy(update={"noise": noise})
        scores = {**result.scores, "throughput": Score(value=90.0, unit="/s", version="throughput-1")}
        store.save(result.model_copy(update={"measurement": measurement, "scores": scores}))
    commit_all(world)
    done = steelyard(world, "snapshot", "first-only")
    assert done.returncode == 0, done.stderr
    [snapshot] = snapshots(world)
    assert snapshot.data.values["first"]["throughput"] == (None, 90.0, 90.0, None)
    models = {model.id: model for model in snapshot.models}
    assert models["alpha"].reasons == ("throughput on first: its timing is invalid: too short",)
    assert models["beta"].suspect == ("throughput on first: its timing is suspect: too short",)
    assert models["delta"].suspect == ()
