"""`steelyard import` of folders and archives of logs: several models and tools, all of it or nothing."""

from __future__ import annotations

import io
import json
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from interchange_world import steelyard, tree

from evaluator.exchange.logs import finding
from evaluator.records.store import Store

BOARD = """
title = "Logs"

[[datasets]]
id = "riddles"
label = "Riddles"
task = "classification"

[[datasets]]
id = "sums"
label = "Sums"
task = "classification"

[[models]]
id = "heron"
label = "lake/heron-2b"
task = "classification"

[[boards]]
id = "both"
title = "Both"
task = "classification"
base = "accuracy"
datasets = ["riddles", "sums"]
metrics = [{ name = "accuracy", label = "Accuracy", unit = "%" }]
"""


def harness(model: str, **accuracy: float) -> str:
    """A file of lm-evaluation-harness with the accuracy of some tasks."""
    return json.dumps({
        "results": {
            task: {"alias": task, "acc,none": value, "acc_stderr,none": 0.02}
            for task, value in accuracy.items()
        },
        "versions": dict.fromkeys(accuracy, 1),
        "n-samples": {task: {"original": 50, "effective": 50} for task in accuracy},
        "config": {"model": "hf", "model_args": f"pretrained={model}"},
        "lm_eval_version": "0.4.9",
    })  # fmt: skip


def inspect(model: str, task: str, accuracy: float, status: str = "success") -> str:
    """A log of Inspect without its samples."""
    metrics = {"accuracy": {"name": "accuracy", "value": accuracy}}
    return json.dumps({
        "version": 2,
        "status": status,
        "eval": {"task": task, "model": model, "created": "2026-11-01T00:00:00+00:00", "config": {"log_samples": False}},
        "plan": {"steps": []},
        "results": {"scores": [{"name": "match", "scorer": "match", "metrics": metrics}]},
    })  # fmt: skip


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """The board, and a folder with logs of two tools and three models, and files that are none."""
    (tmp_path / "board.toml").write_text(BOARD)
    for name, text in {
        "harness/results_a.json": harness("lake/heron-2b", riddles=0.5, sums=0.25, other=0.1),
        "harness/results_b.json": harness("/home/maker/models/wren", riddles=0.75),
        "inspect/riddles.json": inspect("openai/owl-1", "riddles", 0.625),
        "inspect/sums.json": inspect("openai/owl-1", "sums", 1.0),
        "inspect/chess.json": inspect("openai/owl-1", "chess", 0.5),
        "notes.txt": "Runs of November.",
        "settings.json": '{"colour": "blue", "sizes": [1, 2]}',
        ".cache/results_c.json": harness("hidden", riddles=0.1),
        "harness/.results_d.json": "{",
    }.items():
        path = tmp_path / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def stored(folder: Path) -> dict[tuple[str, str, str], float]:
    """The accuracy by model, its label and dataset."""
    return {
        (one.model.id, one.model.label, one.dataset.id): one.scores["accuracy"].value
        for one in Store(folder / "results").results()
    }


ALL = {
    ("heron", "lake/heron-2b", "riddles"): 50.0,
    ("heron", "lake/heron-2b", "sums"): 25.0,
    ("wren", "wren", "riddles"): 75.0,
    ("openai-owl-1", "openai/owl-1", "riddles"): 62.5,
    ("openai-owl-1", "openai/owl-1", "sums"): 100.0,
}


def test_a_folder_of_two_tools_and_three_models_is_imported_at_once(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Models have the ids of the board file, else ids made of their names in the logs; of a place on a machine only the
    last part is kept. What was found is said first, and what is left out; the second time nothing changes."""
    steelyard(world, "import", str(world / "logs"))
    assert stored(world) == ALL
    said = capsys.readouterr().out
    table, _, after = said.partition("left out: ")
    assert (
        "lake/heron-2b  heron         lm-evaluation-harness  sums     sums     acc,none = accuracy              50"
        in table
    )
    assert (
        "openai/owl-1   openai-owl-1  Inspect                riddles  riddles  accuracy,match = accuracy         ?"
        in table
    )
    assert after.startswith(f"{world}/logs/inspect/chess.json: no task is called like a dataset: chess")
    assert "left out: 2 hidden files, 2 other files" in said
    assert "5 results of 3 models on 2 datasets: 5 imported" in said
    assert "wren on riddles: imported: accuracy 75 %" in said
    assert "/home/maker" not in said.replace(str(world), "")
    before = tree(world)
    steelyard(world, "import", str(world / "logs"), "--json")
    shown = json.loads(capsys.readouterr().out)
    assert {one["status"] for one in shown["results"]} == {"unchanged"}
    assert tree(world) == before


def as_zip(folder: Path) -> Path:
    path = folder.parent / "logs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, file.relative_to(folder.parent))
    return path


def as_tar(folder: Path) -> Path:
    path = folder.parent / "logs.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folder, "logs")
    return path


@pytest.mark.parametrize("pack", [as_zip, as_tar])
def test_an_archive_is_imported_like_its_folder(
    world: Path, pack: Callable[[Path], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Messages call a file by its place in the archive."""
    path = pack(world / "logs")
    steelyard(world, "import", str(path))
    assert stored(world) == ALL
    assert f"left out: {path}/logs/inspect/chess.json: no task" in capsys.readouterr().out


@pytest.mark.parametrize("skip", [False, True])
def test_a_broken_log_among_good_ones_is_named_and_nothing_is_half_imported(
    world: Path, skip: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every log that is broken or unfinished is named with what is wrong; only when told so are they left out."""
    (world / "logs" / "results_e.json").write_text('{"results": {')
    (world / "logs" / "f.json").write_text(inspect("openai/owl-2", "sums", 0.1, status="error"))
    before = tree(world)
    steelyard(world, "import", str(world / "logs"), *(["--skip-malformed"] if skip else []), code=1 - skip)
    captured = capsys.readouterr()
    said = captured.out + captured.err
    assert f"{world}/logs/results_e.json: not JSON" in said
    assert f"{world}/logs/f.json: status: 'error' is not success; finish the run" in said
    if skip:
        assert stored(world) == ALL
    else:
        assert "nothing was stored; correct or move them, or leave them out with --skip-malformed" in said
        assert tree(world) == before


def test_every_log_that_does_not_fit_the_board_is_named(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two logs whose numbers are no shares of one are both named, and nothing is stored of the others."""
    for name in ("results_a", "results_b"):
        path = world / "logs" / "harness" / f"{name}.json"
        path.write_text(
            path.read_text().replace(
                '"riddles": {"alias": "riddles", "acc,none": 0', '"riddles": {"acc,none": 7'
            )
        )
    steelyard(world, "import", str(world / "logs"), code=1)
    said = capsys.readouterr().err
    assert "results_a.json: results.riddles.acc,none: 7.5 is not known to be a share of one" in said
    assert "results_b.json: results.riddles.acc,none: 7.75 is not known to be a share of one" in said
    assert not (world / "results").exists() or not stored(world)


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        (
            {"a.json": harness("pond/teal", sums=0.5), "b.json": harness("pond:teal", riddles=0.5)}, [],
            "b.json: pond:teal would have the id pond-teal, and so has pond/teal of {logs}/a.json; import one of them alone, with --model",
        ),
        (
            {"a.json": harness("teal", sums=0.5), "b.json": harness("teal", sums=0.25)}, [],
            "b.json: has teal on sums, and so has {logs}/a.json; move one of them away",
        ),
        (
            {"a.json": harness("teal", sums=0.5), "b.json": harness("coot", sums=0.25)}, ["--model", "mine"],
            "--model mine: is one, and {logs}/a.json is of teal, {logs}/b.json of coot; leave it out",
        ),
        ({"a.json": harness("", sums=0.5)}, [], "a.json: does not say which model it is of; import it alone, with --model"),
        ({"a.txt": "Nothing."}, [], "{logs}: has no log of a tool that is known, and no file that ends in csv, tsv"),
        ({"a.json": harness("teal", chess=0.5)}, [], "a.json: results: no task is called like a dataset: chess; say which"),
    ],
)  # fmt: skip
def test_what_a_folder_leaves_unclear_is_an_error(
    tmp_path: Path,
    files: dict[str, str],
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It names the files and the way out."""
    (tmp_path / "board.toml").write_text(BOARD)
    logs = tmp_path / "logs"
    logs.mkdir()
    for name, text in files.items():
        (logs / name).write_text(text)
    steelyard(tmp_path, "import", str(logs), *options, code=1)
    assert message.format(logs=logs) in capsys.readouterr().err
    assert not list((tmp_path / "results").rglob("*.json"))


def archive_with(path: Path, name: str, link: bool = False) -> None:
    """An archive with one file or link of that name."""
    content = harness("teal", sums=0.5).encode()
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFLNK if link else stat.S_IFREG) << 16
            archive.writestr(info, "../../secret" if link else content)
        return
    with tarfile.open(path, "w:gz") as tar:
        member = tarfile.TarInfo(name)
        if link:
            member.type, member.linkname = tarfile.SYMTYPE, "../../secret"
        else:
            member.size = len(content)
        tar.addfile(member, io.BytesIO(content))


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
@pytest.mark.parametrize(
    ("name", "link", "message"),
    [
        ("../outside.json", False, "'../outside.json' would lie outside of where it is unpacked"),
        ("/etc/outside.json", False, "'/etc/outside.json' would lie outside"),
        ("a/../../outside.json", False, "would lie outside"),
        ("C:\\outside.json", False, "would lie outside"),
        ("linked.json", True, "'linked.json' is a link or a device"),
    ],
)
def test_an_archive_with_a_path_outside_or_a_link_is_refused(
    tmp_path: Path, kind: str, name: str, link: bool, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing of it is read, and nothing is written anywhere."""
    (tmp_path / "board.toml").write_text(BOARD)
    path = tmp_path / f"logs.{kind}"
    archive_with(path, name, link)
    before = tree(tmp_path)
    steelyard(tmp_path, "import", str(path), code=1)
    said = capsys.readouterr().err
    assert message in said
    assert "nothing of it was read" in said
    assert tree(tmp_path) == before


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_an_archive_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is counted is what was really unpacked."""
    monkeypatch.setattr(finding, "ALWAYS", 100)
    monkeypatch.setattr(finding, "TIMES", 0)
    (tmp_path / "board.toml").write_text(BOARD)
    archive_with(tmp_path / f"logs.{kind}", "a.json")
    steelyard(tmp_path, "import", str(tmp_path / f"logs.{kind}"), code=1)
    assert "unpacks to more than is read of a file of its size" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["logs.zip", "logs.tar.gz"])
def test_a_broken_archive_is_an_error(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It names the file and what to do."""
    (tmp_path / "board.toml").write_text(BOARD)
    (tmp_path / name).write_bytes(b"PK\x03\x04 no more than that")
    steelyard(tmp_path, "import", str(tmp_path / name), code=1)
    assert f"{name}: cannot be unpacked" in capsys.readouterr().err


def test_of_many_results_a_line_a_task_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table has a row for each task with how many models there are, and only the sum follows it."""
    (tmp_path / "board.toml").write_text(BOARD)
    (tmp_path / "logs").mkdir()
    for number in range(41):
        (tmp_path / "logs" / f"{number}.json").write_text(harness(f"model{number}", riddles=number / 50))
    steelyard(tmp_path, "import", str(tmp_path / "logs"))
    assert capsys.readouterr().out == (
        "models  tool                   task     dataset  metrics              examples\n"
        "    41  lm-evaluation-harness  riddles  riddles  acc,none = accuracy        50\n"
        "41 results of 41 models on 1 dataset: 41 imported\n"
    )
