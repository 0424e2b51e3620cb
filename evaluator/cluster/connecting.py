"""A cluster found by its address: started here, joined where it runs, or asked of a batch system."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluator.records.board import ClusterSettings

if TYPE_CHECKING:
    from distributed import Client

#: What `--cluster` may say.
FORMS = "local:N for N workers on this machine, tcp://HOST:PORT of a Dask scheduler, or slurm"
#: Seconds to wait for a scheduler, at first and when it is lost.
CONNECT_S = 30
#: How a worker is started by hand.
START = "dask worker ADDRESS --nworkers 1 --nthreads 1 --resources slot=1 --memory-limit 0"
#: Of Dask, in this process and in the workers that it starts.
SETTINGS = {
    # A model may use the machine's memory: Steelyard has limits of its own.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    # Each assignment has its worker, and the client decides what becomes of one that is lost.
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    # A worker that says nothing while its machine is busy is no dead one.
    "distributed.scheduler.worker-ttl": None,
    # A nanny may need so long to start a worker again on a busy machine; then another one is started.
    "distributed.deploy.lost-worker-timeout": "60s",
    # A model's files travel with the first assignment.
    "distributed.admin.large-graph-warning-threshold": "1TB",
}


class ClusterError(ValueError):
    """A cluster that cannot be used; the message says what to do."""


@dataclass(frozen=True)
class ClusterAddress:
    """Where nodes are: `kind` is local, tcp or slurm; `workers` is for local, `url` for tcp."""

    kind: str
    workers: int = 0
    url: str = ""

    @classmethod
    def parse(cls, text: str) -> ClusterAddress:
        """Read an address. Raises `ClusterError`."""
        if found := re.fullmatch(r"local:([1-9]\d{0,3})", text):
            return cls("local", workers=int(found[1]))
        if re.fullmatch(r"(tcp|tls)://[^\s/]+:\d+", text):
            return cls("tcp", url=text)
        if text == "slurm":
            return cls("slurm")
        raise ClusterError(f"{text!r} is no cluster; give {FORMS}")


@contextmanager
def connected(address: ClusterAddress, settings: ClusterSettings) -> Iterator[Client]:
    """A client of the cluster. What was started for it ends with it. Raises `ClusterError`."""
    dask, distributed = _dask()
    with dask.config.set(SETTINGS):
        if address.kind == "tcp":
            with closing(_joined(distributed, address.url)) as client:
                yield client
            return
        with _started(address, settings) as cluster, distributed.Client(cluster, timeout=CONNECT_S) as client:
            yield client


def slurm_cluster(settings: ClusterSettings) -> Any:
    """A scheduler in this process whose workers are batch jobs, one a node. Raises `ClusterError`."""
    _dask()
    try:
        from dask_jobqueue import SLURMCluster

        return SLURMCluster(**_slurm_options(settings.slurm))
    except (TypeError, ValueError) as error:
        first = str(error).partition("\n")[0].rstrip(":")
        raise ClusterError(f"board.toml: cluster.slurm: {first}; correct these options") from None


def wrong_start(worker: Mapping[str, Any]) -> str | None:
    """What is wrong with how a worker was started, by what the scheduler says of it; None if nothing."""
    if worker["resources"].get("slot") != 1:
        return f"it does not offer the resource slot=1; start it with: {START}"
    if worker["memory_limit"]:
        return f"Dask would kill it for the memory of a model; start it with: {START}"
    return None


def start_missing(client: Client, present: int) -> None:
    """Start again what this client started and its nanny gave up: workers here, batch jobs that ended."""
    cluster = client.cluster
    if cluster is not None and present < len(cluster.worker_spec):
        cluster.scale(len(cluster.worker_spec))


def configure_scheduler(client: Client) -> None:
    """Give a scheduler that somebody else started the settings that matter there."""

    def set_up(dask_scheduler: Any) -> None:
        dask_scheduler.allowed_failures = 0
        # Nothing but None and numbers may be there, and None was read when it started.
        dask_scheduler.worker_ttl = float("inf")

    client.run_on_scheduler(set_up)


def _dask() -> tuple[Any, Any]:
    try:
        import dask
        import distributed
    except ImportError:
        raise ClusterError("--cluster needs Dask; run: pip install 'steelyard[cluster]'") from None
    # What becomes of workers is said in our own words.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    return dask, distributed


def _joined(distributed: Any, url: str) -> Client:
    try:
        client: Client = distributed.Client(url, timeout=CONNECT_S)
    except OSError:
        fix = "start it there with: dask scheduler"
        raise ClusterError(f"no Dask scheduler answers at {url} within {CONNECT_S} s; {fix}") from None
    return client


@contextmanager
def _started(address: ClusterAddress, settings: ClusterSettings) -> Iterator[Any]:
    if address.kind == "slurm":
        with closing(slurm_cluster(settings)) as cluster:
            cluster.scale(jobs=settings.jobs)
            yield cluster
        return
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=address.workers,
        threads_per_worker=1,
        resources={"slot": 1},
        memory_limit=0,
        dashboard_address=None,
    ) as cluster:
        yield cluster


def _slurm_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The board file's options, with what every job needs: one worker, with one slot and no memory limit."""
    extra = ["--resources", "slot=1", "--memory-limit", "0", *given.get("worker_extra_args", ())]
    return {"job_name": "steelyard", **given, "processes": 1, "worker_extra_args": extra}
