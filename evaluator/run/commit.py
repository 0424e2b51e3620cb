"""Commits result files, and nothing else, with a message that says what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evaluator.git import GitError, Repository
from evaluator.records import HUMAN
from evaluator.run.evaluate import Outcome
from evaluator.scoring.report import scores_line


def check_repository(results: Path) -> None:
    """Raise `GitError` unless results can be committed; called before anything is measured."""
    results.mkdir(parents=True, exist_ok=True)
    try:
        Repository(results)
    except GitError as error:
        raise GitError(f"--commit: {error}") from None


def commit_results(results: Path, outcomes: Sequence[Outcome]) -> str:
    """Commit the result files of `outcomes` that differ from the last commit; return a line for the user.

    Whatever else is changed or staged in the repository stays as it is. Raises `GitError`.
    """
    repository = Repository(results)
    changed = {id(outcome): _changed_files(repository, results, outcome) for outcome in outcomes}
    files = [file for found in changed.values() for file in found]
    if not files:
        return "nothing to commit: every result is as it was"
    text = message([outcome for outcome in outcomes if changed[id(outcome)]])
    repository.run("add", "--all", "--", *files)
    repository.run("commit", "--quiet", "--message", text, "--", *files)
    return f"committed {repository.text('rev-parse', '--short', 'HEAD')}: {text.splitlines()[0]}"


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


def _changed_files(repository: Repository, results: Path, outcome: Outcome) -> list[str]:
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
        f"{folder}/*.covariances.json",
        f"{folder}/*.difficulty-*.json",
    )
    return [pattern for pattern in patterns if repository.text("status", "--porcelain", "--", pattern)]
