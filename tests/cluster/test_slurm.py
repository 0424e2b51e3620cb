"""Evaluating by batch jobs of a real SLURM: a cluster of one node, where Debian's slurm-wlm is installed."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from clusters import wait_for
from small_boards import small_board, small_model

INSTALLED = pytest.mark.skipif(
    not shutil.which("slurmctld") or not shutil.which("slurmd"), reason="slurm-wlm is not installed"
)
pytestmark = [pytest.mark.slow, INSTALLED]

MEASURE = {"repeats": 1, "seconds": 0.001}
ROWS = "It is fine.\tpositive\nIt is good.\tpositive\nIt is a mess.\tnegative\n"
HANDLER = """
def load(directory):
    pass
def predict(example):
    return {"label": "negative" if "mess" in example["statement"] else "positive"}
"""
OPTIONS = {"queue": "cpu", "cores": 1, "memory": "512MB", "walltime": "00:10:00", "interface": "lo"}
#: Without munge, and without control groups: both belong to the administrator of a machine.
CONFIGURATION = """
ClusterName=steelyard
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=1024
PartitionName=cpu Nodes=node Default=YES State=UP
"""


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment in which commands find the cluster, whose one node is ready."""
    folder = tmp_path_factory.mktemp("slurm")
    for part in ("state", "spool"):
        (folder / part).mkdir()
    host, user = socket.gethostname().partition(".")[0], pwd.getpwuid(os.getuid()).pw_name
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        ports = [server.getsockname()[1] for server in (one, two)]
    settings = {"host": host, "user": user, "ports": ports, "folder": folder, "cpus": psutil.cpu_count()}
    (folder / "slurm.conf").write_text(CONFIGURATION.format(**settings))
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
    with ExitStack() as stack:
        for daemon in (["slurmctld", "-D", "-c"], ["slurmd", "-D", "-N", "node"]):
            log = stack.enter_context((folder / f"{daemon[0]}.log").open("wb"))
            process = subprocess.Popen(daemon, env=environment, stdout=log, stderr=log)
            stack.callback(process.wait)
            stack.callback(process.terminate)
        wait_for(lambda: said(environment, "sinfo", "--noheader", "--format=%t").startswith("idle"))
        yield environment


def said(environment: dict[str, str], *command: str) -> str:
    return subprocess.run(command, env=environment, capture_output=True, text=True).stdout


def test_a_board_is_evaluated_by_batch_jobs(slurm: dict[str, str], tmp_path: Path) -> None:
    """A job is sent, its worker asks the model, the result is stored, and no job is left."""
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "handler.py").write_text(HANDLER)
    (tmp_path / "d.tsv").write_text(ROWS)
    options = "".join(f"{name} = {json.dumps(value)}\n" for name, value in OPTIONS.items())
    table = f"\n[slurm]\n{options}"
    (tmp_path / "board.toml").write_text(small_board("accuracy", measure=MEASURE) + small_model("m") + table)
    command = [sys.executable, "-m", "evaluator.cli", "evaluate", "--cluster", "slurm:1"]
    done = subprocess.run(command, cwd=tmp_path, env=slurm, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "1 measured\n"), done.stderr
    [stored] = (tmp_path / "results" / "sentiment" / "d").glob("m.json")
    result = json.loads(stored.read_bytes())
    assert result["scores"]["accuracy"]["value"] == 100.0
    assert result["node_class"] in done.stderr
    wait_for(lambda: not said(slurm, "squeue", "--noheader", "--states=PENDING,RUNNING"))
