"""Readers of published data files, each format by its name."""

from evaluator.data.datasets.formats import FORMATS
from evaluator.data.datasets.read import Dataset, check_source, read_dataset
from evaluator.data.datasets.sorting import RowError
from evaluator.data.datasets.source import DatasetError, DatasetSource

__all__ = ["FORMATS", "Dataset", "DatasetError", "DatasetSource", "RowError", "check_source", "read_dataset"]
