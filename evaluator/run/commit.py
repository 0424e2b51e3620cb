"""Commits result files, and nothing else, with a message that says what was measured."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from evaluator.run.evaluate import Outcome


class CommitError(ValueError):
    """Git is missing, the results are in no repository, or git refused; the message says which."""


def check_repository(results: Path) -> None:
    """Raise `CommitError` unless results can be committed; called before anything is measured."""
    results.mkdir(parents=True, exist_ok=True)
    _git(results, "rev-parse", "--show-toplevel")


def commit_results(results: Path, outcomes: Sequence[Outcome]) -> str:
    """Commit the files that `outcomes` wrote; return a line for the user.

    Whatever else is changed or staged in the repository stays as it is. Raises `CommitError`.
    """
    written = [outcome for outcome in outcomes if outcome.written]
    paths = [str(path.resolve()) for path in _touched(results, written)]
    if not paths or not _git(results, "status", "--porcelain", "--", *paths):
        return "nothing to commit: every result is as it was"
    _git(results, "add", "--all", "--", *paths)
    _git(results, "commit", "--quiet", "--message", message(written), "--", *paths)
    return f"committed {_git(results, 'rev-parse', '--short', 'HEAD')}: {message(written).splitlines()[0]}"


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
    scores = ", ".join(f"{name} {score.value:.4g} {score.unit}" for name, score in result.scores.items())
    noise = f" (timing {result.measurement.noise.verdict})" if result.measurement else ""
    return f"- {where}: {scores}{noise}"


def _touched(results: Path, outcomes: Sequence[Outcome]) -> list[Path]:
    """The files written, and those of the same models that writing them removed."""
    paths = [path for outcome in outcomes for path in outcome.written]
    stale = [
        results / line
        for outcome in outcomes
        for line in _git(
            results,
            "ls-files",
            "--deleted",
            "--",
            str((outcome.written[0].parent / f"{outcome.result.model.id}.*.predictions.json").resolve()),
        ).splitlines()
    ]
    return paths + stale


def _git(directory: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=directory, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise CommitError("--commit: git is not installed; install it or leave --commit out") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise CommitError(f"--commit: git {arguments[0]} in {directory}: {said}")
    return done.stdout.strip()
