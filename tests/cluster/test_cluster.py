"""Evaluating on a cluster of real processes: the same results as one machine, whatever is killed meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest
from clusters import PATIENCE_S, Cluster, kill_worker, slot_of, wait_for
from distributed import Client
from small_boards import small_board, small_model

from evaluator.measure.timing.machine import own_cpus

TEXTS = [f"Sentence {number} is {'fine and good' if number % 3 else 'a mess'}." for number in range(12)]
MEASURE = {"repeats": 1, "seconds": 0.001}
#: So long that whoever waits for a model's assignment to begin can do something before it ends.
SLOW_S = 0.4
HANDLER = """
import time
def load(directory):
    pass
def predict(example):
    time.sleep({seconds})
    return {{"label": "positive" if "{word}" in example["statement"] else "negative"}}
"""
ANOTHER = """
[[datasets]]
id = "{id}"
label = "{id}"
task = "sentiment"
path = "{id}.tsv"
format = "tsv"
role = "{role}"
columns = {{ statement = 0, label = 1 }}
labels = ["negative", "positive"]
"""
pytestmark = pytest.mark.slow

#: By model, its word, its seconds for an answer, and its datasets.
MODELS = {
    "quick": ("good", 0.0, ("d", "shown")),
    "slow": ("fine", SLOW_S, ("long",)),
}

#: Of them, what takes long enough to be killed meanwhile.
SLOW_ALONE = {"slow": ("fine", SLOW_S, ("shown",))}


def make_project(folder: Path, models: Mapping[str, tuple[str, float, tuple[str, ...]]] = MODELS) -> Path:
    board = small_board("accuracy", "robustness", dataset='suites = ["robustness"]', measure=MEASURE)
    board += ANOTHER.format(id="shown", role="evaluation") + ANOTHER.format(id="long", role="scoring")
    folder.mkdir()
    for name, (word, seconds, datasets) in models.items():
        (folder / name).mkdir()
        (folder / name / "handler.py").write_text(HANDLER.format(word=word, seconds=seconds))
        board += small_model(name) + f"datasets = {json.dumps(datasets)}\n"
    (folder / "board.toml").write_text(board)
    rows = [f"{text}\t{'positive' if number % 4 else 'negative'}\n" for number, text in enumerate(TEXTS)]
    for name, count in {"d": 12, "shown": 12, "long": 8}.items():
        (folder / f"{name}.tsv").write_text("".join(rows[:count]))
    return folder


def steelyard(project: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "evaluator.cli", "evaluate", *arguments]
    pipe = subprocess.PIPE
    given = {**os.environ, **environment}
    return subprocess.Popen(command, cwd=project, stdout=pipe, stderr=pipe, text=True, env=given)


def await_words(process: subprocess.Popen[str], *words: str) -> None:
    """Read what a process reports until each of the words was in it."""
    assert process.stderr is not None
    heard = ""
    while not all(word in heard for word in words):
        line = process.stderr.readline()
        assert line, heard
        heard += line


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate()
    return process.returncode, out, err


def quality(project: Path) -> dict[str, Any]:
    """All results without what differs from run to run: times, timings, classes of nodes, batches."""

    def plain(value: Any) -> Any:
        changing = ("created", "measurement", "node_class", "batches", "throughput", "memory")
        if isinstance(value, dict):
            return {name: plain(item) for name, item in value.items() if name not in changing}
        return value

    files = sorted((project / "results").rglob("*.json"))
    return {str(path.relative_to(project)): plain(json.loads(path.read_bytes())) for path in files}


def results(project: Path) -> dict[str, dict[str, Any]]:
    """The results by dataset and model."""
    documents = (json.loads(path.read_bytes()) for path in sorted((project / "results").rglob("*.json")))
    found = [document for document in documents if document["kind"] == "result"]
    return {f"{one['dataset']['id']}/{one['model']['id']}": one for one in found}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two nodes with a worker each."""
    found = Cluster(tmp_path_factory.mktemp("dask"))
    found.start_worker(1)
    found.start_worker(2)
    yield found
    found.stop()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("fleet") / "project")


def test_results_are_those_of_one_machine_though_a_worker_is_killed(
    cluster: Cluster, project: Path, tmp_path: Path
) -> None:
    """What the killed worker was asking is asked again; every result says which class of node it came from."""
    running = steelyard(project, "--cluster", cluster.url)
    with cluster.watched() as client:
        slot = slot_of(client, "slow on long, timed")
        kill_worker(client, slot)
    code, out, err = ended(running)
    assert code == 0, err
    assert out == "3 measured\n"
    assert f"{slot} was lost while it asked slow on long, timed, which is asked again" in err
    alone = make_project(tmp_path / "alone")
    assert ended(steelyard(alone))[0] == 0
    assert quality(project) == quality(alone)
    classes = {one["node_class"] for one in results(project).values()}
    assert any(name in err for name in classes)
    for one in results(project).values():
        assert ("measurement" in one) == (one["dataset"]["id"] != "shown")
        assert all(suite["node_class"] in err for suite in one.get("suites", {}).values())
    assert ended(steelyard(project, "--cluster", "tcp://127.0.0.1:1"))[1] == "3 unchanged\n", (
        "nothing left to ask"
    )


def on_two_nodes(project: Path, cluster: Cluster) -> subprocess.Popen[str]:
    """An evaluation of the project that has found both nodes fit."""
    running = steelyard(project, "--cluster", cluster.url)
    await_words(running, "node 127.0.0.1 is of class", "node 127.0.0.2 is of class")
    return running


def lose_one(client: Client) -> tuple[str, str]:
    """Kill the worker that asks the slow model; it, and the one that asks it then."""
    first = slot_of(client, "slow on shown, untimed")
    kill_worker(client, first)
    return first, slot_of(client, "slow on shown, untimed", other_than=first)


def test_a_model_that_was_lost_with_two_nodes_has_failed(cluster: Cluster, tmp_path: Path) -> None:
    """It is asked no third time, and its result says that it was killed, and where."""
    project = make_project(tmp_path / "project", SLOW_ALONE)
    running = on_two_nodes(project, cluster)
    with cluster.watched() as client:
        _, second = lose_one(client)
        kill_worker(client, second)
    code, out, err = ended(running)
    assert (code, out) == (1, "1 failed\n"), err
    result = results(project)["shown/slow"]
    [failure] = result["failures"]
    assert (result["status"], failure["kind"]) == ("failed", "killed")
    assert "lost with its node twice, on 127.0.0.1, 127.0.0.2" in failure["message"]


def test_a_killed_client_leaves_nothing_running_and_nothing_half_written(
    cluster: Cluster, project: Path
) -> None:
    """The node ends the model that nobody waits for; the next run finds what was stored."""
    assert ended(steelyard(project, "--cluster", cluster.url))[0] == 0
    before = quality(project)
    named = ("--model", "slow", "--dataset", "long")
    running = steelyard(project, *named, "--remeasure", "--cluster", cluster.url)
    with cluster.watched() as client:
        slot = slot_of(client, "slow on long, timed")
        pid = client.run(os.getpid, workers=[slot])[slot]
        running.send_signal(signal.SIGKILL)
        running.wait()
        wait_for(lambda: not psutil.Process(pid).children())
    assert quality(project) == before
    assert ended(steelyard(project, "--cluster", cluster.url))[1] == "3 unchanged\n"


@pytest.mark.skipif(len(own_cpus()) < 2, reason="a node with fewer CPUs takes a machine with two")
def test_nodes_of_another_class_time_nothing_and_other_versions_are_refused(
    cluster: Cluster, project: Path
) -> None:
    """The others go on; the one with another version is named with what differs."""
    fake = cluster.folder / "vaderSentiment-99.dist-info"
    fake.mkdir()
    (fake / "METADATA").write_text("Metadata-Version: 2.1\nName: vaderSentiment\nVersion: 99\n")
    with cluster.watched() as client:
        cluster.stop_worker(1)
        cluster.start_worker(3, PYTHONPATH=str(cluster.folder))
        client.wait_for_workers(2, timeout=PATIENCE_S)
        named = ("--model", "quick", "--model", "slow", "--dataset", "d", "--dataset", "long")
        running = steelyard(project, "--remeasure", *named, "--cluster", cluster.url)
        wait_for(lambda: "was first" if slot_of(client, "slow on long, timed") else None)
        cluster.start_worker(4, under=("taskset", "-c", str(min(own_cpus()))))
        code, _, err = ended(running)
    assert code == 0, err
    assert "is not used: other versions: vaderSentiment 99, here" in err
    for one in results(project).values():
        if one["dataset"]["id"] != "shown":
            assert one["measurement"]["fingerprint"]["cores"] == len(own_cpus())


def hides(folder: Path) -> tuple[str, ...]:
    """A command under which a program sees an empty folder in that place."""
    return (
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        'mount -t tmpfs none "$0" && exec "$@"',
        str(folder),
    )


@pytest.mark.skipif(
    subprocess.run([*hides(Path("/mnt")), "true"], capture_output=True, check=False).returncode != 0,
    reason="hiding a folder takes a namespace of one's own",
)
def test_a_node_without_the_files_is_sent_them(cluster: Cluster, project: Path, tmp_path: Path) -> None:
    """It asks the model that it was sent, whose revision is the same as everywhere."""
    for number in list(cluster.workers):
        cluster.stop_worker(number)
    cluster.start_worker(5, under=hides(project))
    where = (
        "--model",
        "quick",
        "--dataset",
        "shown",
        "--results",
        str(tmp_path),
        "--work",
        str(tmp_path / "work"),
    )
    code, out, err = ended(steelyard(project, *where, "--cluster", cluster.url))
    assert (code, out) == (0, "1 measured\n"), err
    [new] = [json.loads(path.read_bytes()) for path in tmp_path.rglob("quick.json")]
    old = results(project)["shown/quick"]
    assert (new["model"], new["scores"]) == (old["model"], old["scores"])
    copies = cluster.folder / f"steelyard-{os.getuid()}" / "models"
    assert [sorted(path.name for path in copy.iterdir()) for copy in copies.iterdir()] == [["handler.py"]]
