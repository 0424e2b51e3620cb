"""A cluster found by its address: started here, joined where it runs, or asked of a batch system."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluator.records.errors import UserError

if TYPE_CHECKING:
    from distributed import Client

#: What `--cluster` may say.
FORMS = "local:N for N workers here, tcp://HOST:PORT of a Dask scheduler, or slurm:N for N batch jobs"
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


@dataclass(frozen=True)
class ClusterAddress:
    """Where nodes are: `kind` is local, tcp or slurm; `workers` is for local and slurm, `url` for tcp."""

    kind: str
    workers: int = 0
    url: str = ""

    @classmethod
    def parse(cls, text: str) -> ClusterAddress:
        """Read an address. Raises `UserError`."""
        if found := re.fullmatch(r"(local|slurm):([1-9]\d{0,3})", text):
            return cls(found[1], workers=int(found[2]))
        if re.fullmatch(r"(tcp|tls)://[^\s/]+:\d+", text):
            return cls("tcp", url=text)
        raise UserError("--cluster", f"{text!r} is no cluster", f"give {FORMS}")


@contextmanager
def connected(address: ClusterAddress, slurm: Mapping[str, Any]) -> Iterator[Client]:
    """A client of the cluster; `slurm` are the board file's options of batch jobs.

    What was started for it ends with it. Raises `UserError`.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise UserError("--cluster", "needs Dask", "run: pip install 'steelyard[cluster]'") from None
    # What becomes of workers is said in our own words.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with dask.config.set(SETTINGS), ExitStack() as stack:
        cluster = address.url
        if address.kind == "slurm":
            cluster = stack.enter_context(closing(slurm_cluster(slurm)))
            cluster.scale(jobs=address.workers)
        elif address.kind == "local":
            start = {"threads_per_worker": 1, "resources": {"slot": 1}, "memory_limit": 0}
            cluster = distributed.LocalCluster(n_workers=address.workers, dashboard_address=None, **start)
            stack.enter_context(cluster)
        try:
            client = stack.enter_context(distributed.Client(cluster, timeout=CONNECT_S))
        except OSError:
            problem = f"no Dask scheduler answers at {address.url} within {CONNECT_S} s"
            raise UserError("--cluster", problem, "start it there with: dask scheduler") from None

        def set_up(dask_scheduler: Any) -> None:
            # For a scheduler that somebody else started. Nothing but None and numbers may be there, and None
            # was read when it started.
            dask_scheduler.allowed_failures, dask_scheduler.worker_ttl = 0, float("inf")

        client.run_on_scheduler(set_up)
        yield client


def slurm_cluster(given: Mapping[str, Any]) -> Any:
    """A scheduler in this process whose workers are batch jobs, one a node. Raises `UserError`."""
    # What every job needs: one worker, with one slot and no memory limit.
    extra = ["--resources", "slot=1", "--memory-limit", "0", *given.get("worker_extra_args", ())]
    options = {"job_name": "steelyard", **given, "processes": 1, "worker_extra_args": extra}
    try:
        from dask_jobqueue import SLURMCluster

        return SLURMCluster(**options)
    except (TypeError, ValueError) as error:
        first = str(error).partition("\n")[0].rstrip(":")
        raise UserError("board.toml: slurm", first, "correct these options") from None
