"""``steelyard browser-check``: make browser copies of models, and compare them with the models."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.asked_model import work_option
from evaluator.cli.options import check_known, completes, project_options, writable_store
from evaluator.cli.printing import note, print_json, summarise

if TYPE_CHECKING:
    from evaluator.records.board import Boards, DatasetSpec, ModelSpec
    from evaluator.records.browser import BrowserCheck
    from evaluator.records.result import Result
    from evaluator.records.store import Store
    from evaluator.tryit.checking import NetworkRuntime, Runtime


@click.command("browser-check")
@click.argument("models", nargs=-1, shell_complete=completes("models"))
@click.option(
    "--examples",
    type=click.IntRange(min=500),
    help="Ask about the first so many examples of each dataset, 500 or more.  [default: all]",
)
@work_option
@project_options
def command(
    models: tuple[str, ...],
    examples: int | None,
    board_file: Path,
    data: Path | None,
    results: Path | None,
    work: Path | None,
    as_json: bool,
) -> int:
    """Copy MODELS for the browser, ask the copies about stored examples, and keep how far they agree.

    Without MODELS it takes those of browser_models under [site] in the board file. The copies run in
    Pyodide, and their networks in onnxruntime-web, both in Node.js; they stay in the work folder, where build
    finds them. Exits with 1 if a model cannot run in a page or its copy agrees on less than 99 %.

    \b
    Example:
      steelyard browser-check vader tfidf-logreg
    """
    from evaluator.measure.models import ModelError
    from evaluator.score.reading import read_boards
    from evaluator.tryit.errors import BrowserCheckError, NotInBrowserError

    boards = read_boards(board_file)
    for name in models:
        check_known("MODELS", name, [model.id for model in boards.models], "the board file has no such model")
    chosen = models or boards.site.browser_models
    if not chosen:
        raise click.UsageError(
            f"MODELS: none is given, and [site] browser_models in {board_file} is empty; name some"
        )
    root = board_file.parent
    checking = _Checking(
        boards,
        writable_store(board_file, boards, results),
        root,
        data or root / boards.data,
        work or root / ".steelyard",
        _runtime(),
        examples,
    )
    checks: list[BrowserCheck] = []
    problems = 0
    for model in (model for model in boards.models if model.id in chosen):
        try:
            for check in checking.of_model(model):
                checks.append(check)
                if not as_json:
                    summarise(_line(check))
        except (NotInBrowserError, BrowserCheckError, ModelError) as error:
            problems += 1
            note(f"{model.id}: {error}")
    if as_json:
        print_json([check.plain() for check in checks])
    return 1 if problems or not all(check.offered for check in checks) else 0


@dataclass(frozen=True)
class _Checking:
    """Everything that checks of several models share."""

    boards: Boards
    store: Store
    root: Path
    data: Path
    work: Path
    runtime: Runtime
    examples: int | None

    def of_model(self, model: ModelSpec) -> Iterator[BrowserCheck]:
        """A check on each dataset with stored answers. Raises `BrowserCheckError` where there is none."""
        from evaluator.tryit.errors import BrowserCheckError

        found = False
        for spec in self.boards.datasets_for(model):
            result = self.store.find(spec.task, spec.id, model.id)
            if result is not None and result.predictions is not None:
                found = True
                yield self._on(model, spec, result)
        if not found:
            raise BrowserCheckError("no answers of it are stored to compare with; run evaluate first")

    def _on(self, model: ModelSpec, spec: DatasetSpec, result: Result) -> BrowserCheck:
        from evaluator.data.datasets import read_dataset
        from evaluator.measure.run.loading import board_prepared
        from evaluator.measure.worker import ModelToLoad
        from evaluator.records.store import COPIES
        from evaluator.score.reading import dataset_source
        from evaluator.tryit.checking import check_copy
        from evaluator.tryit.copies import make_copy

        dataset = read_dataset(dataset_source(spec, self.data))
        made = board_prepared(model, self.boards, self.root, self.data, self.work)
        to_load = ModelToLoad(made.adapter, made.directory, made.options, model.task, dataset.labels)
        copy, folder = make_copy(model.id, to_load, self.work / COPIES)
        predictions = self.store.predictions(result)
        check = check_copy(copy, folder, dataset, predictions, self.runtime, self.examples, made.revision)
        self.store.save_record(check)
        return check


def _runtime() -> Runtime:
    """Pyodide in Node.js, with what the site's pages run. `BrowserCheckError` where there is no node."""
    from evaluator.tryit.checking import Runtime
    from evaluator.tryit.errors import BrowserCheckError
    from site_src.generator.browser_copies import module_texts
    from site_src.generator.distribution import cache_folder
    from site_src.generator.runtime import VERSION, stock_files

    node = shutil.which("node")
    if node is None:
        raise BrowserCheckError("node is not installed; install Node.js, which runs Pyodide here")
    pyodide = stock_files(cache_folder())["pyodide.mjs"].parent
    return Runtime(node, pyodide, f"Pyodide {VERSION} in Node.js", module_texts(), _networks)


def _networks() -> NetworkRuntime:
    """onnxruntime-web, which is fetched when the first network is to run."""
    from evaluator.tryit.checking import NetworkRuntime
    from site_src.generator.assets import SOURCE
    from site_src.generator.distribution import cache_folder
    from site_src.generator.networks import ONNXRUNTIME, SCRIPT, WASM

    files = ONNXRUNTIME.files(cache_folder())
    name = f"{ONNXRUNTIME.title} {ONNXRUNTIME.version}"
    return NetworkRuntime(name, files[SCRIPT], files[WASM], SOURCE / "scorer" / "networks.js")


def _line(check: BrowserCheck) -> str:
    worst = check.largest_difference
    apart = "" if worst is None else f"; probabilities differ by at most {worst:.1g}"
    left = "" if check.offered else "; under 99 %, so the site does not offer it"
    counts = f"agrees on {check.agreed} of {check.asked}"
    return f"{check.model} on {check.dataset}: {counts}, {check.size / 1e6:.1f} MB{apart}{left}"
