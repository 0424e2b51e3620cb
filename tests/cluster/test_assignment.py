"""What travels to a node and back: no right answer, a model's files whole, and errors as they were."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from evaluator.cluster.child import NodeAssignment
from evaluator.cluster.connecting import slurm_cluster
from evaluator.cluster.node import ModelFiles
from evaluator.measure.run.asking import AnswerReader, TimedQuestions
from evaluator.measure.worker import Limits, ModelToLoad, WorkerError
from evaluator.records.board import MeasureSettings
from evaluator.records.errors import UserError

# Dask is needed to import what runs on a node.
pytestmark = pytest.mark.slow


def test_an_assignment_holds_of_an_example_what_a_model_is_shown_and_no_more() -> None:
    """Whatever else stands beside the text stays here."""
    spec = ModelToLoad("handler", Path("m"), {}, "sentiment", ("negative", "positive"))
    examples = [{"id": "7", "statement": "A fine film.", "gold": "the right answer"}]
    asked = TimedQuestions(
        spec, AnswerReader("sentiment", spec.labels, False), Limits(), MeasureSettings(), examples
    )
    packed = NodeAssignment(asked).packed()
    assert b"right answer" not in packed
    assert pickle.loads(packed).questions.examples == [{"statement": "A fine film."}]


def test_a_folder_is_sent_whole_and_found_again_by_its_content(tmp_path: Path) -> None:
    """At home while it is as it was, else among the copies; caches of Python do not travel."""
    home, copies = tmp_path / "model", tmp_path / "copies"
    (home / "deep" / "__pycache__").mkdir(parents=True)
    (home / "deep" / "weights").write_bytes(os.urandom(1000))
    (home / "deep" / "__pycache__" / "x.pyc").write_bytes(b"x")
    (home / "run.sh").write_text("true")
    (home / "run.sh").chmod(0o755)
    files = ModelFiles.of(home)
    assert files is not None
    assert files.found(copies) == home
    packed = files.packed()
    content = (home / "deep" / "weights").read_bytes()
    (home / "deep" / "weights").write_bytes(b"other")
    assert files.found(copies) is None
    copy = files.unpack(packed, copies)
    assert files.unpack(packed, copies) == files.found(copies) == copy
    assert sorted(path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()) == [
        "deep/weights",
        "run.sh",
    ]
    assert (copy / "deep" / "weights").read_bytes() == content
    assert (copy / "run.sh").stat().st_mode & 0o100
    assert ModelFiles.of(Path()) is None


def test_what_went_wrong_with_a_model_travels_whole() -> None:
    """An error of a worker has the same kind, words and end on the other side."""
    error = WorkerError("timeout", "too slow", fatal=True, detail="last line", elapsed_ns=5)
    other = pickle.loads(pickle.dumps(error))
    assert vars(other) == vars(error)
    assert str(other) == "too slow"


def test_a_batch_job_starts_one_worker_with_one_slot_and_no_memory_limit() -> None:
    """The job script says what the board file does, and what every worker needs."""
    options = {"queue": "cpu", "cores": 8, "memory": "16GB", "walltime": "01:00:00", "interface": "lo"}
    with slurm_cluster({**options, "job_extra_directives": ["--exclusive"]}) as cluster:
        lines = cluster.job_script().splitlines()
    wanted = ("-J steelyard", "-p cpu", "--cpus-per-task=8", "-t 01:00:00", "--exclusive")
    assert {f"#SBATCH {line}" for line in wanted} <= set(lines)
    [start] = [line for line in lines if "dask_worker" in line]
    words = start.split()
    assert words[words.index("--resources") + 1] == "slot=1"
    # Of an option that is given twice the last one counts.
    assert words[len(words) - words[::-1].index("--memory-limit")] == "0"
    assert "--nworkers" not in words or words[words.index("--nworkers") + 1] == "1"


@pytest.mark.parametrize("options", [{"memory": "1GB"}, {"cores": 1, "memory": "1GB", "colour": "red"}])
def test_wrong_options_of_the_batch_system_name_the_table(options: dict[str, object]) -> None:
    """What is missing or unknown is dask-jobqueue's to say, where it stands is ours."""
    with pytest.raises(UserError, match=r"^board\.toml: slurm: .*; correct these options$"):
        slurm_cluster(options)
