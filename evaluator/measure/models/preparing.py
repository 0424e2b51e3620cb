"""Recipe, training set, options and seed in, a model's directory out.

A directory is named by the hash of everything that decides its content, appears complete or not at
all, and is never made twice. ``python -m evaluator.measure.models.preparing`` does it in a process of its own
(`prepare_in_process`): training libraries stay out of the caller, and what they print goes to stderr.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from evaluator.data.datasets import Dataset, DatasetSource, read_dataset
from evaluator.measure.models.base import EXTRAS, MissingPackage, known_options, label_fields
from evaluator.measure.models.prepared import Prepared, Recipe, ReportProgress, Training, directory_files
from evaluator.measure.models.recipes import RECIPES
from evaluator.records.base import digest
from evaluator.records.errors import UserError

DETAILS = "recipe.json"
THREADS = "2"


#: The packages that an adapter imports when it opens a model, of those that are extras.
OF_ADAPTERS = {
    "lexicon": ("vaderSentiment",),
    "sklearn": ("sklearn", "joblib"),
    "embeddings": ("torch", "transformers"),
    "fasttext": ("floret",),
    "onnx": ("onnxruntime", "tokenizers"),
    "transformers": ("torch", "transformers"),
    "transformers-qa": ("torch", "transformers"),
    "transformers-text2text": ("torch", "transformers"),
    "transformers-causal": ("torch", "transformers"),
}


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
    found = _find(details, target)
    if found is not None:
        return found
    with _locked(_folder(details, target)) as folder:
        if not folder.exists():
            _build(details, train, seed, folder, source, progress)
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
    details = _details(recipe, options, read_dataset(train) if train else None, seed, source)
    found = _find(details, target)
    if found is not None:
        return found
    job = {
        "recipe": recipe,
        "options": dict(options),
        "train": _plain(train),
        "seed": seed,
        "target": str(target),
        "source": None if source is None else str(source),
    }
    return _open(_run(recipe, job, timeout_s, progress))


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
    return _find(details, target) is not None


def recipe_version(recipe: str) -> int | None:
    """The version of a recipe, which changes whenever what it makes would; None if it is unknown."""
    return RECIPES[recipe].version if recipe in RECIPES else None


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
    return {EXTRAS[package] for package in _needed(recipe, adapter) if find_spec(package) is None}


def _needed(recipe: str | None, adapter: str | None) -> Iterator[str]:
    made = RECIPES.get(recipe) if recipe else None
    if made is not None:
        yield from (package for package in made.packages if package in EXTRAS)
    yield from OF_ADAPTERS.get((made.adapter if made else adapter) or "", ())


def _details(
    recipe: str, options: Mapping[str, Any], train: Dataset | None, seed: int, source: Path | None
) -> dict[str, Any]:
    """Everything that decides what a recipe makes, as JSON data. Raises `UserError`."""
    check_recipe(recipe, options, train.task if train else None, source)
    made = RECIPES[recipe]
    if made.trained and train is not None:
        _check_labels(train)
    merged = {**made.options, **options}
    return {
        "recipe": recipe,
        "version": made.version,
        "options": merged,
        "inputs": directory_files(source) if made.from_directory and source else made.inputs(merged),
        "seed": seed,
        "train": train.revision if made.trained and train else None,
        "libraries": _libraries(made),
        # Named only where there are several, so that models made before keep their folders.
        **({"train_parts": dict(train.parts)} if made.trained and train and train.parts else {}),
    }


def _check_labels(train: Dataset) -> None:
    """Raise `UserError` if the labels of a training set are not those that models answer with."""
    if train.gold_labels != train.labels:
        raise UserError(
            "train",
            f"{train.id} merges the labels {', '.join(train.labels)} into {', '.join(train.gold_labels)}",
            "train on a dataset that does not",
        )


def _libraries(recipe: Recipe) -> dict[str, str]:
    found = {}
    for module, distribution in recipe.packages.items():
        try:
            found[distribution] = version(distribution)
        except PackageNotFoundError:
            raise MissingPackage(module) from None
    return found


def _folder(details: Mapping[str, Any], target: Path) -> Path:
    return target / f"{details['recipe']}-{digest(details).removeprefix('sha256:')[:16]}"


def _find(details: Mapping[str, Any], target: Path) -> Prepared | None:
    folder = _folder(details, target)
    return _open(folder) if folder.exists() else None


def _open(folder: Path) -> Prepared:
    """A folder that `_build` made."""
    details = json.loads((folder / DETAILS).read_bytes())
    recipe = RECIPES[details["recipe"]]
    given = {name: details["options"][name] for name in recipe.serving}
    serving = {name: value for name, value in given.items() if value is not None}
    existing = Prepared.existing(recipe.adapter, folder, serving)
    return Prepared(recipe.adapter, folder, serving, existing.revision, details)


@contextmanager
def _locked(folder: Path) -> Iterator[Path]:
    """Keep other processes from making the same folder; the lock goes when its holder dies."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def _build(
    details: dict[str, Any],
    train: Dataset | None,
    seed: int,
    folder: Path,
    source: Path | None,
    progress: ReportProgress,
) -> None:
    """Fill a temporary folder, flush it to disk, and give it its name."""
    recipe = RECIPES[details["recipe"]]
    training = Training.of(train, source, progress) if recipe.trained and train else Training([], [], ())
    temporary = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    try:
        origin = recipe.build(training, details["options"], seed, temporary)
        text = json.dumps({**details, "origin": origin}, indent=2, sort_keys=True) + "\n"
        (temporary / DETAILS).write_text(text, encoding="utf-8")
        for file in temporary.rglob("*"):
            _flush(file)
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def _plain(source: DatasetSource | None) -> dict[str, Any] | None:
    """A source as JSON data; `_source` reads it back."""
    if source is None:
        return None
    return {
        **vars(source),
        "path": None if source.path is None else str(source.path),
        "columns": dict(source.columns),
        "label_map": dict(source.label_map),
        "labels": list(source.labels),
        "options": dict(source.options),
        "tags": dict(source.tags),
        "also": [_plain(one) for one in source.also],
    }


def _source(fields: Mapping[str, Any]) -> DatasetSource:
    path = None if fields["path"] is None else Path(fields["path"])
    also = tuple(map(_source, fields["also"]))
    return DatasetSource(**{**fields, "path": path, "labels": tuple(fields["labels"]), "also": also})


def _run(recipe: str, job: Mapping[str, Any], timeout_s: float, progress: ReportProgress) -> Path:
    """The folder that a process of its own made; its steps go to `progress`."""
    folder: str | None = None
    with tempfile.TemporaryFile() as log, _started(log) as process:
        ending = threading.Timer(timeout_s, process.kill)
        ending.start()
        try:
            _write(process, job)
            assert process.stdout is not None
            for line in process.stdout:
                message = json.loads(line)
                folder = message.get("directory", folder)
                if "done" in message:
                    progress(message["done"], message["total"])
            code = process.wait()
        finally:
            late = ending.finished.is_set()
            ending.cancel()
            process.kill()
        if code == 0 and folder is not None:
            return Path(folder)
        if late:
            raise UserError(f"recipe {recipe}", f"not ready after {timeout_s:g} s", "give it more time")
        log.seek(0)
        raise UserError(f"recipe {recipe}", _why(code, log.read()))


def _started(log: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "evaluator.measure.models.preparing"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        env={**os.environ, "OMP_NUM_THREADS": THREADS, "TOKENIZERS_PARALLELISM": "false"},
    )


def _write(process: subprocess.Popen[bytes], job: Mapping[str, Any]) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as sink:
        sink.write(json.dumps(job).encode())


def _why(code: int, log: bytes) -> str:
    """The last line of a failed process, or how it ended."""
    lines = log.decode(errors="replace").strip().splitlines()
    if code < 0:
        return f"its process was ended by signal {-code}; is there enough memory?"
    return lines[-1] if lines else f"its process ended with exit code {code}"


def main() -> None:
    """Read a job from stdin, prepare it, and write JSON lines to stdout; all else goes to stderr.

    Each is ``{"done": ..., "total": ...}``, about once a second, and the last ``{"directory": ...}``.
    """
    reply = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    job = json.load(sys.stdin)
    train = read_dataset(_source(job["train"])) if job["train"] else None
    target = Path(job["target"])
    try:
        source = Path(job["source"]) if job["source"] else None
        progress = _Teller(reply).progress
        prepared = prepare(job["recipe"], job["options"], train, job["seed"], target, source, progress)
    except (UserError, MissingPackage) as error:
        sys.exit(str(error))
    reply.write(json.dumps({"directory": str(prepared.directory)}) + "\n")
    reply.close()


class _Teller:
    """Writes how far the work is, about once a second."""

    def __init__(self, reply: IO[str]) -> None:
        self.reply, self.last = reply, -math.inf

    def progress(self, done: int, total: int) -> None:
        """So many of all steps are done."""
        if time.monotonic() - self.last >= 1:
            self.last = time.monotonic()
            self.reply.write(json.dumps({"done": done, "total": total}) + "\n")


if __name__ == "__main__":
    main()
