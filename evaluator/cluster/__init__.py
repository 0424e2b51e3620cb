"""Evaluating on the nodes of a Dask cluster: they ask models, and this machine scores and writes.

A node is a machine with a Dask worker, which does one assignment at a time: one model about one dataset.
"""
