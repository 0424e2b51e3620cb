"""Readers of published data files, each format by its name."""

from evaluator.data.datasets.formats import FORMATS
from evaluator.data.datasets.formats.base import DatasetError, DatasetSource
from evaluator.data.datasets.read import Dataset, check_source, read_dataset, revision_of

__all__ = [
    "FORMATS",
    "Dataset",
    "DatasetError",
    "DatasetSource",
    "check_source",
    "read_dataset",
    "revision_of",
]
