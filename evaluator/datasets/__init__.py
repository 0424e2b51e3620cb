"""Readers of published data files: TSV, CSV and JSON lines, by a declared mapping."""

from evaluator.datasets.read import Dataset, DatasetError, DatasetSource, RowError, read_dataset

__all__ = ["Dataset", "DatasetError", "DatasetSource", "RowError", "read_dataset"]
