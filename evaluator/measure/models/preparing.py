"""Recipe, training set, options and seed in, a model's directory out.

A directory is named by the hash of everything that decides its content, appears complete or not at
all, and is not made twice. ``python -m evaluator.measure.models.preparing`` does it in a process of its own
(`prepare_in_process`): training libraries stay out of the caller, and what they print goes to stderr.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset, DatasetSource, read_dataset
from evaluator.measure.models import ADAPTERS
from evaluator.measure.models.base import EXTRAS, MissingPackage, known_options, label_fields
from evaluator.measure.models.prepared import Prepared, ReportProgress, Training
from evaluator.measure.models.recipes import RECIPES
from evaluator.records.base import digest, directory_files
from evaluator.records.errors import UserError
from evaluator.records.scratch import scratch_folder, sync_directory
from evaluator.score.inputs import recipe_version

DETAILS = "recipe.json"
THREADS = "2"


def prepare(
    recipe: str,
    options: Mapping[str, Any],
    train: Dataset | None,
    seed: int,
    target: Path,
    source: Path | None = None,
    progress: ReportProgress = lambda done, total: None,
) -> Prepared:
    """Return the model that `recipe` makes, from its folder in `target` if it was made before.

    `source` is the folder of another model, for a recipe that works from one. Equal arguments and library
    versions give equal predictions. Raises `UserError` if the recipe or an option is unknown or the
    training set is missing, `MissingPackage` if a library is.
    """
    details = _details(recipe, options, train, seed, source)
    folder, made = _folder(details, target), RECIPES[recipe]
    if not folder.exists():
        training = Training.of(train, source, progress) if made.trained and train else Training([], [], ())
        with scratch_folder(folder) as temporary:
            origin = made.build(training, details["options"], seed, temporary)
            text = json.dumps({**details, "origin": origin}, indent=2, sort_keys=True) + "\n"
            (temporary / DETAILS).write_text(text, encoding="utf-8")
            for file in temporary.rglob("*"):
                sync_directory(file)
            if not folder.exists():
                temporary.rename(folder)
    return _open(folder)


def prepare_in_process(
    recipe: str,
    options: Mapping[str, Any],
    train: DatasetSource | None,
    seed: int,
    target: Path,
    timeout_s: float = 3600.0,
    source: Path | None = None,
    progress: ReportProgress = lambda done, total: None,
) -> Prepared:
    """`prepare` in a process of its own, started only if the model does not exist yet.

    Raises `UserError` for anything that goes wrong there, and after `timeout_s` seconds; and, as
    `prepare`, `MissingPackage` and `evaluator.data.datasets.DatasetError`.
    """
    folder = _folder(_details(recipe, options, read_dataset(train) if train else None, seed, source), target)
    if not folder.exists():
        _run(recipe, (recipe, dict(options), train, seed, target, source), timeout_s, progress)
    return _open(folder)


def is_prepared(
    recipe: str,
    options: Mapping[str, Any],
    train: DatasetSource | None,
    seed: int,
    target: Path,
    source: Path | None = None,
) -> bool:
    """Whether `prepare` would find the model made. Raises what it raises before it makes one."""
    details = _details(recipe, options, read_dataset(train) if train else None, seed, source)
    return _folder(details, target).exists()


def check_recipe(
    recipe: str, options: Mapping[str, Any], task: str | None, source: str | Path | None = None
) -> None:
    """Raise `UserError` unless there is such a recipe, with such options, that learns from a training
    set of the `task`; None where there is no training set. `source` is the folder of another model."""
    if recipe not in RECIPES:
        raise UserError("recipe", f"{recipe!r} is none of {', '.join(RECIPES)}")
    made = RECIPES[recipe]
    known_options(f"recipe {recipe}", options, tuple(made.options))
    if made.from_directory and source is None:
        raise UserError("directory", "missing", f"the recipe {recipe} makes its model of the one in a folder")
    if made.trained and task is None:
        raise UserError("train", "missing", f"the recipe {recipe} needs a training set")
    if made.trained and task is not None:
        label_fields(f"recipe {recipe}", task, made.fields)


def missing_extras(recipe: str | None, adapter: str | None) -> set[str]:
    """The extras of Steelyard that a model of a recipe, or of an adapter, needs and that are missing."""
    made = RECIPES.get(recipe or "")
    opens = ADAPTERS.get((made.adapter if made else adapter) or "")
    needed = [*(made.packages if made else ()), *(opens.packages if opens else ())]
    return {EXTRAS[package] for package in needed if package in EXTRAS and find_spec(package) is None}


def _details(
    recipe: str, options: Mapping[str, Any], train: Dataset | None, seed: int, source: Path | None
) -> dict[str, Any]:
    """Everything that decides what a recipe makes, as JSON data. Raises `UserError`."""
    check_recipe(recipe, options, train.task if train else None, source)
    made = RECIPES[recipe]
    if made.trained and train is not None and train.gold_labels != train.labels:
        raise UserError(
            "train",
            f"{train.id} merges the labels {', '.join(train.labels)} into {', '.join(train.gold_labels)}",
            "train on a dataset that does not",
        )
    libraries = {}
    for module, distribution in made.packages.items():
        try:
            libraries[distribution] = version(distribution)
        except PackageNotFoundError:
            raise MissingPackage(module) from None
    merged = {**made.options, **options}
    return {
        "recipe": recipe,
        "version": recipe_version(recipe),
        "options": merged,
        "inputs": directory_files(source) if made.from_directory and source else made.inputs(merged),
        "seed": seed,
        "train": train.revision if made.trained and train else None,
        "libraries": libraries,
        **({"train_parts": dict(train.parts)} if made.trained and train and train.parts else {}),
    }


def _folder(details: Mapping[str, Any], target: Path) -> Path:
    return target / f"{details['recipe']}-{digest(details).removeprefix('sha256:')[:16]}"


def _open(folder: Path) -> Prepared:
    """What `prepare` made in a folder."""
    details = json.loads((folder / DETAILS).read_bytes())
    recipe = RECIPES[details["recipe"]]
    given = {name: details["options"][name] for name in recipe.serving}
    serving = {name: value for name, value in given.items() if value is not None}
    return replace(Prepared.existing(recipe.adapter, folder, serving), details=details)


def _run(recipe: str, job: tuple[Any, ...], timeout_s: float, progress: ReportProgress) -> None:
    """Prepare a model in a process of its own, whose steps go to `progress`. Raises `UserError`."""
    environment = {**os.environ, "OMP_NUM_THREADS": THREADS, "TOKENIZERS_PARALLELISM": "false"}
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "evaluator.measure.models.preparing"]
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log, env=environment) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        ending = threading.Timer(timeout_s, process.kill)
        ending.start()
        try:
            with suppress(BrokenPipeError), process.stdin as sink:
                pickle.dump(job, sink)
            for line in process.stdout:
                done, total = map(int, line.split())
                progress(done, total)
            code = process.wait()
        finally:
            late = ending.finished.is_set()
            ending.cancel()
            process.kill()
        if code == 0:
            return
        log.seek(0)
        lines = log.read().decode(errors="replace").strip().splitlines()
        why, fix = lines[-1] if lines else f"its process ended with exit code {code}", ""
        if late:
            why, fix = f"not ready after {timeout_s:g} s", "give it more time"
        elif code < 0:
            why = f"its process was ended by signal {-code}; is there enough memory?"
        raise UserError(f"recipe {recipe}", why, fix)


def main() -> None:
    """Read a job from stdin and prepare it; all that is printed goes to stderr.

    To stdout go lines, about one a second: how many of how many steps are done.
    """
    reply, last = os.fdopen(os.dup(1), "w", buffering=1), -math.inf
    os.dup2(2, 1)

    def progress(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= 1:
            last = time.monotonic()
            reply.write(f"{done} {total}\n")

    recipe, options, train, seed, target, source = pickle.load(sys.stdin.buffer)
    try:
        prepare(recipe, options, read_dataset(train) if train else None, seed, target, source, progress)
    except (UserError, MissingPackage) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
