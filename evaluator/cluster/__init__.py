"""Evaluating on the nodes of a Dask cluster: they ask models, and this machine scores and writes.

`Fleet` takes the place of this machine in `measure.run.evaluate`. A node is a machine with a Dask worker,
which does one assignment at a time: one model asked about one dataset, timed or not.
"""

from evaluator.cluster.connecting import ClusterAddress
from evaluator.cluster.driving import Fleet

__all__ = ["ClusterAddress", "Fleet"]
