"""Commits result files, and nothing else, with a message that says what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from evaluator.rank.formats import counted
from evaluator.records.base import HUMAN
from evaluator.records.git import GitError, Repository
from evaluator.records.result import Result
from evaluator.score.scores import scores_line, timing_words


def check_repository(results: Path) -> None:
    """Raise `GitError` unless results can be committed; called before anything is measured."""
    results.mkdir(parents=True, exist_ok=True)
    try:
        Repository(results)
    except GitError as error:
        raise GitError(f"--commit: {error}") from None


def commit_results(folder: Path, results: Sequence[Result], moved: Sequence[Result] = ()) -> str:
    """Commit the files of `results` in `folder` that differ from the last commit; a line for the user.

    So are those of the results that were `moved`, under both ids, which the message does not name.

    Whatever else is changed or staged in the repository stays as it is. Raises `GitError`.
    """
    repository = Repository(folder)
    own = [(result, _changed(repository, _own_files(folder, result))) for result in results]
    shared = _changed(repository, {file for result in results for file in _shared_files(folder, result)})
    moves = _changed(repository, {file for result in moved for file in _own_files(folder, result)})
    files = sorted({*(file for _, found in own for file in found), *shared, *moves})
    if not files:
        return "nothing to commit: every result is as it was"
    text = _message([result for result, found in own if found])
    repository.run("add", "--all", "--", *files)
    repository.run("commit", "--quiet", "--message", text, "--", *files)
    return f"committed {repository.text('rev-parse', '--short', 'HEAD')}: {text.splitlines()[0]}"


def _message(results: Sequence[Result]) -> str:
    """A subject that names models and datasets, and a line for each result: of what succeeded only.

    Where nothing did, the subject says how many failed.
    """
    done = [result for result in results if result.status == "complete"]
    if not results:
        return "Update what results share"
    if not done:
        return f"Record {counted(len(results), 'failed evaluation')}"
    models = dict.fromkeys(result.model.id for result in done)
    datasets = dict.fromkeys(result.dataset.id for result in done)
    subject = f"Measure {_listed(list(models), 'models')} on {_listed(list(datasets), 'datasets')}"
    return "\n".join([subject, "", *map(_line, done)])


def _listed(names: Sequence[str], many: str) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{len(names)} {many}"


def _line(result: Result) -> str:
    return f"- {result.model.id} on {result.dataset.id}: {scores_line(result)}{timing_words(result)}"


def _own_files(folder: Path, result: Result) -> list[str]:
    """Patterns for the result file and its predictions, old ones included."""
    model = f"{folder.resolve()}/{result.task}/{result.dataset.id}/{result.model.id}"
    # Twelve digits of the hash, so that the predictions of a model whose id starts alike stay out.
    digits = "?" * 12
    return [f"{model}.json", f"{model}.{digits}.predictions.json", f"{model}.{digits}.variants.json"]


def _shared_files(folder: Path, result: Result) -> list[str]:
    """Patterns for what all results on a dataset share."""
    place = f"{folder.resolve()}/{result.task}/{result.dataset.id}"
    kinds = ("suite", "examples", "covariances", "difficulty-*")
    return [f"{place}/{HUMAN}.json", *(f"{place}/*.{kind}.json" for kind in kinds)]


def _changed(repository: Repository, patterns: Iterable[str]) -> list[str]:
    """The patterns that git sees a change in."""
    return [one for one in sorted(patterns) if repository.text("status", "--porcelain", "--", one)]
