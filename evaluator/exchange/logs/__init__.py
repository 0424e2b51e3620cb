"""Logs of evaluation tools: which tool wrote a file or folder, and what it says."""

from __future__ import annotations

from pathlib import Path

from evaluator.exchange.logs import helm, inspect_ai, lighteval, lm_eval, mteb
from evaluator.exchange.logs.base import EvaluationLog, LoggedExample, LoggedExamples, LoggedTask
from evaluator.exchange.logs.checks import parsed, wrong
from evaluator.records.errors import UserError

__all__ = ["EvaluationLog", "LoggedExample", "LoggedExamples", "LoggedTask", "is_log", "read_log"]

#: The tools whose results are a JSON file; the last one is known by the least.
READERS = (inspect_ai, lighteval, mteb, lm_eval)
KNOWN = (
    "a results_*.json of lm-evaluation-harness 0.4 or of lighteval, a .json or .eval of Inspect,"
    " the folder of a run of HELM, or a task's JSON of MTEB"
)


def is_log(path: Path) -> bool:
    """Whether a tool wrote a file or folder, as far as its content says so: a JSON object that holds others
    is no file of predictions."""
    if path.is_dir() or (path.name in helm.FILES and helm.is_log(path.parent)):
        return True
    with path.open("rb") as file:
        start = file.read(len(inspect_ai.ZIP))
    if start == inspect_ai.ZIP:
        return True
    try:
        document = parsed(path, path.read_bytes(), "") if path.suffix == ".json" else None
    except UserError:
        return False
    if not isinstance(document, dict):
        return False
    return any(isinstance(value, dict | list) for value in document.values())


def read_log(path: Path) -> EvaluationLog:
    """What a tool wrote in a file or folder. Raises `UserError` if no known tool wrote it."""
    folder = path if path.is_dir() else path.parent
    if helm.is_log(folder) and (path.is_dir() or path.name in helm.FILES):
        return helm.read(folder)
    if path.is_dir():
        raise UserError(f"{path}: is of no tool that is known; give {KNOWN}")
    content = path.read_bytes()
    if content.startswith(inspect_ai.ZIP):
        return inspect_ai.read_zip(path, content)
    document = parsed(path, content, f"give {KNOWN}")
    if isinstance(document, dict):
        for reader in READERS:
            if reader.is_log(document):
                log: EvaluationLog = reader.read(path, content, document)
                return log
    raise wrong(path, "the whole", document, "is of no tool that is known", f"give {KNOWN}")
