"""Browser copies: what a page needs to run a model, in a folder named by what it holds.

Models in plain Python run there unchanged: their folder is copied, and VADER's package. Linear models become
weights (`linear_export`), neural classifiers a network and a tokeniser (`encoder_export`). Everything else is
refused with the reason.
"""

from __future__ import annotations

import ast
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from evaluator.measure.models import open_model
from evaluator.measure.models.prepared import file_sha256
from evaluator.measure.worker import ModelToLoad
from evaluator.records.browser import ENCODER, BrowserCopy, CopyFile
from evaluator.records.scratch import scratch_folder
from evaluator.records.store import COPY, copy_folder, dump
from evaluator.tryit.errors import NotInBrowserError

#: The folders of a copy: what the adapter opens, and what can be imported.
MODEL, PACKAGES = "model", "packages"
VADER = "vaderSentiment"

Adapter = tuple[str, dict[str, Any]]


def make_copy(id_: str, model: ModelToLoad, target: Path) -> tuple[BrowserCopy, Path]:
    """Make the copy of a model under `target`; return its manifest and its folder.

    Models of libraries are opened in this process. Raises `NotInBrowserError` where no page
    can run the model, and what opening it raises.
    """
    if model.adapter not in MAKERS:
        raise NotInBrowserError(f"no page can run models of the adapter {model.adapter}")
    target.mkdir(parents=True, exist_ok=True)
    with scratch_folder(target / id_) as scratch:
        fresh = scratch / "copy"
        (fresh / MODEL).mkdir(parents=True)
        adapter, options = MAKERS[model.adapter](model, fresh)
        copy = BrowserCopy(
            model=id_,
            task=model.task,
            labels=model.labels,
            adapter=adapter,
            options=options,
            files=dict(_files(fresh)),
        )
        (fresh / COPY).write_bytes(dump(copy.plain()))
        folder = copy_folder(target, id_, copy.content_hash())
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    return copy, folder


def _files(folder: Path) -> Iterator[tuple[str, CopyFile]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            yield name, CopyFile(sha256=file_sha256(path), size=path.stat().st_size)


def _majority(model: ModelToLoad, folder: Path) -> Adapter:
    shutil.copy(model.directory / "majority.json", folder / MODEL)
    return model.adapter, dict(model.options)


def _whole_context(model: ModelToLoad, folder: Path) -> Adapter:
    return model.adapter, dict(model.options)


def _lexicon(model: ModelToLoad, folder: Path) -> Adapter:
    """VADER's package as it is installed, with its licence."""
    for file in metadata.files(VADER) or ():
        if (file.parts[0] == VADER and file.suffix in (".py", ".txt")) or file.name.startswith("LICENSE"):
            place = folder / PACKAGES / VADER / file.name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(file.locate()), place)
    return model.adapter, dict(model.options)


def _handler(model: ModelToLoad, folder: Path) -> Adapter:
    """The handler's whole folder, if all that its modules import is there or in the standard library."""
    paths = [path for path in sorted(model.directory.rglob("*")) if "__pycache__" not in path.parts]
    for path in paths:
        if path.is_symlink():
            raise NotInBrowserError(f"{path} is a link; put the file itself there")
        if path.suffix == ".py":
            _check_imports(path, model.directory)
        if path.is_file():
            place = folder / MODEL / path.relative_to(model.directory)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
    return model.adapter, dict(model.options)


def _check_imports(path: Path, directory: Path) -> None:
    neighbours = {other.stem for other in directory.iterdir()}
    for node in ast.walk(ast.parse(path.read_bytes())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
        for name in names:
            top = name.partition(".")[0]
            if top not in sys.stdlib_module_names and top not in neighbours:
                raise NotInBrowserError(
                    f"{path.name} imports {top}, which is not in Python's standard library"
                )


def _linear(model: ModelToLoad, folder: Path) -> Adapter:
    # numpy and the model's own library are only needed here.
    from evaluator.tryit.linear_export import export

    opened = open_model(model.adapter, model.directory, model.options, model.task, model.labels)
    export(opened, folder / MODEL)
    return "linear", {}


def _encoder(model: ModelToLoad, folder: Path) -> Adapter:
    # As above; torch is only needed where the model is one of torch.
    from evaluator.tryit.encoder_export import export

    opened = open_model(model.adapter, model.directory, model.options, model.task, model.labels)
    return ENCODER, dict(export(opened, model.directory, model.options, folder / MODEL))


MAKERS: dict[str, Callable[[ModelToLoad, Path], Adapter]] = {
    "majority": _majority,
    "whole-context": _whole_context,
    "lexicon": _lexicon,
    "handler": _handler,
    "sklearn": _linear,
    "fasttext": _linear,
    "transformers": _encoder,
    "embeddings": _encoder,
    "onnx": _encoder,
}
