"""Commits result files, and nothing else, with a message that says what was measured."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from evaluator.records import HUMAN
from evaluator.run.evaluate import Outcome
from evaluator.run.report import scores_line


class CommitError(ValueError):
    """Git is missing, the results are in no repository, or git refused; the message says which."""


def check_repository(results: Path) -> None:
    """Raise `CommitError` unless results can be committed; called before anything is measured."""
    results.mkdir(parents=True, exist_ok=True)
    _git(results, "rev-parse", "--show-toplevel")


def commit_results(results: Path, outcomes: Sequence[Outcome]) -> str:
    """Commit the result files of `outcomes` that differ from the last commit; return a line for the user.

    Whatever else is changed or staged in the repository stays as it is. Raises `CommitError`.
    """
    changed = {id(outcome): _changed_files(results, outcome) for outcome in outcomes}
    files = [file for found in changed.values() for file in found]
    if not files:
        return "nothing to commit: every result is as it was"
    said = message([outcome for outcome in outcomes if changed[id(outcome)]])
    _git(results, "add", "--all", "--", *files)
    _git(results, "commit", "--quiet", "--message", said, "--", *files)
    return f"committed {_git(results, 'rev-parse', '--short', 'HEAD')}: {said.splitlines()[0]}"


def message(outcomes: Sequence[Outcome]) -> str:
    """A subject that names models and datasets, and a line for each result."""
    models = dict.fromkeys(outcome.result.model.id for outcome in outcomes)
    datasets = dict.fromkeys(outcome.result.dataset.id for outcome in outcomes)
    subject = f"Measure {_listed(list(models), 'models')} on {_listed(list(datasets), 'datasets')}"
    return "\n".join([subject, "", *(_line(outcome) for outcome in outcomes)])


def _listed(names: Sequence[str], many: str) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{len(names)} {many}"


def _line(outcome: Outcome) -> str:
    result = outcome.result
    where = f"{result.model.id} on {result.dataset.id}"
    if outcome.status == "failed":
        return f"- {where}: failed ({result.failures[0].kind})"
    noise = f" (timing {result.measurement.noise.verdict})" if result.measurement else ""
    return f"- {where}: {scores_line(result)}{noise}"


def _changed_files(results: Path, outcome: Outcome) -> list[str]:
    """Patterns for the result file and its predictions, old ones included, that git sees a change in."""
    result = outcome.result
    folder = f"{results.resolve()}/{result.task}/{result.dataset.id}"
    # Twelve digits of the hash, so that the predictions of a model whose id merely starts alike stay out.
    patterns = (
        f"{folder}/{result.model.id}.json",
        f"{folder}/{result.model.id}.{'?' * 12}.predictions.json",
        f"{folder}/{result.model.id}.{'?' * 12}.variants.json",
        f"{folder}/{HUMAN}.json",
        f"{folder}/*.suite.json",
        f"{folder}/*.examples.json",
    )
    return [pattern for pattern in patterns if _git(results, "status", "--porcelain", "--", pattern)]


def _git(directory: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=directory, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise CommitError("--commit: git is not installed; install it or leave --commit out") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise CommitError(f"--commit: git {arguments[0]} in {directory}: {said}")
    return done.stdout.strip()
