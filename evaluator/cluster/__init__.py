"""Evaluating on the nodes of a Dask cluster: they ask models, and this machine scores and writes.

`Fleet` takes the place of this machine in `measure.run.evaluate`. A node is a machine; a slot is a Dask
worker on it, which does one assignment at a time. An assignment is one model asked about one dataset, timed
or not.
"""

from evaluator.cluster.connecting import ClusterAddress, ClusterError
from evaluator.cluster.driving import Fleet

__all__ = ["ClusterAddress", "ClusterError", "Fleet"]
