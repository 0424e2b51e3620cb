"""Logs of evaluation tools: which tool wrote a file or folder, and what it says."""

from __future__ import annotations

from pathlib import Path

from evaluator.interchange.logs import lm_eval
from evaluator.interchange.logs.base import (
    EvaluationLog,
    LoggedExample,
    LoggedExamples,
    LoggedTask,
    parsed,
    wrong,
)

__all__ = ["EvaluationLog", "LoggedExample", "LoggedExamples", "LoggedTask", "read_log"]

#: The tools whose results are JSON files, the one that is known by the least last.
READERS = (lm_eval,)
KNOWN = "a results_*.json of lm-evaluation-harness 0.4"


def read_log(path: Path) -> EvaluationLog:
    """What a tool wrote in a file or folder. Raises `InterchangeError` if no known tool wrote it."""
    content = path.read_bytes()
    document = parsed(path, content, f"give {KNOWN}")
    if isinstance(document, dict):
        for reader in READERS:
            if reader.is_log(document):
                return reader.read(path, content, document)
    raise wrong(path, "the whole", document, "is of no tool that is known", f"give {KNOWN}")
