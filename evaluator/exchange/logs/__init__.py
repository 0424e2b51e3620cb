"""Logs of evaluation tools: which tool wrote a file or folder, and what it says."""

from __future__ import annotations

from pathlib import Path

from evaluator.exchange.logs import helm, inspect_ai, lighteval, lm_eval, mteb
from evaluator.exchange.logs.base import EvaluationLog, document
from evaluator.records.errors import UserError

#: The tools whose results are a JSON file; the last one is known by the least.
READERS = (inspect_ai, lighteval, mteb, lm_eval)
KNOWN = (
    "give a results_*.json of lm-evaluation-harness 0.4 or of lighteval, a .json or .eval of Inspect,"
    " the folder of a run of HELM, or a task's JSON of MTEB"
)


def is_log(path: Path) -> bool:
    """Whether a tool wrote a file or folder, as far as its content says so: a JSON object that holds others
    is no file of predictions."""
    if path.is_dir() or (path.name in helm.FILES and helm.is_log(path.parent)):
        return True
    with path.open("rb") as file:
        if file.read(len(inspect_ai.ZIP)) == inspect_ai.ZIP:
            return True
    try:
        value = document(path).value if path.suffix == ".json" else None
    except UserError:
        return False
    return isinstance(value, dict) and any(isinstance(part, dict | list) for part in value.values())


def read_log(path: Path) -> EvaluationLog:
    """What a tool wrote in a file or folder. Raises `UserError` if no known tool wrote it."""
    folder = path if path.is_dir() else path.parent
    if helm.is_log(folder) and (path.is_dir() or path.name in helm.FILES):
        return helm.read(folder)
    if path.is_dir():
        raise UserError(path, "is of no tool that is known", KNOWN)
    content = path.read_bytes()
    if content.startswith(inspect_ai.ZIP):
        return inspect_ai.read_zip(path, content)
    whole = document(path, content, fix=KNOWN)
    if isinstance(whole.value, dict):
        for reader in READERS:
            if reader.is_log(whole):
                log: EvaluationLog = reader.read(path, whole)
                return log
    raise UserError(path, "is of no tool that is known", KNOWN)
