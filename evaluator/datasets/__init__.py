"""Readers of published data files, each format by its name."""

from evaluator.datasets.formats import FORMATS
from evaluator.datasets.read import Dataset, check_source, read_dataset
from evaluator.datasets.sorting import RowError
from evaluator.datasets.source import DatasetError, DatasetSource

__all__ = ["FORMATS", "Dataset", "DatasetError", "DatasetSource", "RowError", "check_source", "read_dataset"]
