"""Commits result files, and nothing else, with a message that says what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from evaluator.measure.run.outcome import Outcome
from evaluator.records.base import HUMAN
from evaluator.records.git import GitError, Repository
from evaluator.score.recomputed import counted
from evaluator.score.report import scores_line


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
    own = {id(outcome): _changed(repository, _own_files(results, outcome)) for outcome in outcomes}
    shared = _changed(repository, {file for outcome in outcomes for file in _shared_files(results, outcome)})
    files = [*(file for found in own.values() for file in found), *shared]
    if not files:
        return "nothing to commit: every result is as it was"
    text = message([outcome for outcome in outcomes if own[id(outcome)]])
    repository.run("add", "--all", "--", *files)
    repository.run("commit", "--quiet", "--message", text, "--", *files)
    return f"committed {repository.text('rev-parse', '--short', 'HEAD')}: {text.splitlines()[0]}"


def message(outcomes: Sequence[Outcome]) -> str:
    """A subject that names models and datasets, and a line for each result: of what succeeded only.

    Where nothing did, the subject says how many failed.
    """
    done = [outcome for outcome in outcomes if outcome.status not in ("failed", "not run")]
    if not outcomes:
        return "Update what results share"
    if not done:
        return f"Record {counted(len(outcomes), 'failed evaluation')}"
    models = dict.fromkeys(outcome.result.model.id for outcome in done)
    datasets = dict.fromkeys(outcome.result.dataset.id for outcome in done)
    subject = f"Measure {_listed(list(models), 'models')} on {_listed(list(datasets), 'datasets')}"
    return "\n".join([subject, "", *(_line(outcome) for outcome in done)])


def _listed(names: Sequence[str], many: str) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{len(names)} {many}"


def _line(outcome: Outcome) -> str:
    result = outcome.result
    where = f"{result.model.id} on {result.dataset.id}"
    noise = f" (timing {result.measurement.noise.verdict})" if result.measurement else ""
    return f"- {where}: {scores_line(result)}{noise}"


def _folder(results: Path, outcome: Outcome) -> str:
    return f"{results.resolve()}/{outcome.result.task}/{outcome.result.dataset.id}"


def _own_files(results: Path, outcome: Outcome) -> list[str]:
    """Patterns for the result file and its predictions, old ones included."""
    model = f"{_folder(results, outcome)}/{outcome.result.model.id}"
    # Twelve digits of the hash, so that the predictions of a model whose id starts alike stay out.
    digits = "?" * 12
    return [f"{model}.json", f"{model}.{digits}.predictions.json", f"{model}.{digits}.variants.json"]


def _shared_files(results: Path, outcome: Outcome) -> list[str]:
    """Patterns for what all results on a dataset share."""
    folder = _folder(results, outcome)
    kinds = ("suite", "examples", "covariances", "difficulty-*")
    return [f"{folder}/{HUMAN}.json", *(f"{folder}/*.{kind}.json" for kind in kinds)]


def _changed(repository: Repository, patterns: Iterable[str]) -> list[str]:
    """The patterns that git sees a change in."""
    return [one for one in sorted(patterns) if repository.text("status", "--porcelain", "--", one)]
