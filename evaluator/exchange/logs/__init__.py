"""Logs of evaluation tools: which tool wrote a file or folder, and what it says."""

from __future__ import annotations

from pathlib import Path

from evaluator.data.nodes import Node
from evaluator.exchange.logs import (
    every_eval_ever,
    helm,
    hub,
    inspect_ai,
    lighteval,
    lm_eval,
    mteb,
    promptfoo,
)
from evaluator.exchange.logs.base import EvaluationLog, document
from evaluator.records.errors import UserError

#: The tools whose results are a JSON file of one model; the last one is known by the least.
READERS = (inspect_ai, lighteval, mteb, every_eval_ever, lm_eval)
KNOWN = (
    "give a results_*.json of lm-evaluation-harness 0.4 or of lighteval, a .json or .eval of Inspect,"
    " the folder of a run of HELM, a task's JSON of MTEB, a document of Every Eval Ever, a results.json of"
    " promptfoo, or a model card or .eval_results of the Hub"
)


def is_log(path: Path) -> bool:
    """Whether a tool wrote a file or folder, as far as its content says so: a JSON object that holds others
    is no file of predictions."""
    if path.is_dir() or hub.is_log(path) or (path.name in helm.FILES and helm.is_log(path.parent)):
        return True
    with path.open("rb") as file:
        if file.read(len(inspect_ai.ZIP)) == inspect_ai.ZIP:
            return True
    try:
        value = document(path).value if path.suffix == ".json" else None
    except UserError:
        return False
    if isinstance(value, dict):
        return any(isinstance(part, dict | list) for part in value.values())
    return hub.is_leaderboard(value)


def is_of_tool(path: Path) -> bool:
    """Whether a known tool wrote a file, or one in a folder, as far as its content says so."""
    if path.is_dir():
        return helm.is_log(path) or any(map(is_of_tool, sorted(path.rglob("*"))))
    if hub.is_log(path) or path.suffix.lower() == ".eval":
        return True
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    try:
        whole = document(path)
    except UserError:
        return False
    if not isinstance(whole.value, dict):
        return hub.is_leaderboard(whole.value)
    return promptfoo.is_log(whole) or any(reader.is_log(whole) for reader in READERS)


def read_logs(path: Path) -> list[EvaluationLog]:
    """What a tool wrote in a file, or in the folder of a run of HELM: a log for each model.

    Raises `UserError` if no known tool wrote it.
    """
    folder = path if path.is_dir() else path.parent
    if helm.is_log(folder) and (path.is_dir() or path.name in helm.FILES):
        return [helm.read(folder)]
    found = None if path.is_dir() else logs_in(path)
    if not found:
        raise UserError(path, "is of no tool that is known", KNOWN)
    return found


def logs_in(path: Path) -> list[EvaluationLog]:
    """The logs in a file; none if it is of no known tool. Raises `UserError` for one that is broken."""
    content = path.read_bytes()
    if content.startswith(inspect_ai.ZIP):
        return [inspect_ai.read_zip(path, content)]
    if hub.may_be_log(path):
        return hub.read(path, content)
    whole = document(path, content, fix=KNOWN)
    if hub.is_leaderboard(whole.value):
        return hub.read_leaderboard(path, whole)
    return _of_json(path, whole) if isinstance(whole.value, dict) else []


def _of_json(path: Path, whole: Node) -> list[EvaluationLog]:
    if promptfoo.is_log(whole):
        return promptfoo.read(path, whole)
    for reader in READERS:
        if reader.is_log(whole):
            log: EvaluationLog = reader.read(path, whole)
            return [log]
    return []
