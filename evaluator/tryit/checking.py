"""Browser copies compared with the stored answers of the models that were measured."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset, read_dataset
from evaluator.data.tasks import get_task
from evaluator.measure.run.plan import board_prepared
from evaluator.measure.worker import ModelToLoad
from evaluator.records.board import Boards, ModelSpec
from evaluator.records.browser import COPIES, LEAST_EXAMPLES, BrowserCheck, BrowserCopy
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet
from evaluator.records.store import Store
from evaluator.score.answers import answers_of
from evaluator.score.examples import dataset_source
from evaluator.score.scores import TOOL
from evaluator.tryit.copies import make_copy
from site_src.generator import networks
from site_src.generator.browser_copies import module_texts
from site_src.generator.distribution import cache_folder
from site_src.generator.runtime import VERSION, stock_files
from site_src.generator.scripts import SOURCE

SCRIPT = Path(__file__).with_name("ask.mjs")
#: Seconds that a copy may take for all its answers.
TIMEOUT_S = 1800.0


def check_model(
    model: ModelSpec, boards: Boards, store: Store, root: Path, data: Path, work: Path, most: int | None
) -> Iterator[BrowserCheck]:
    """Make the browser copy of a board's model, and compare it on each dataset with stored answers.

    The copy is left in the working folder, where a build finds it. Each check is stored, and yielded as soon
    as it is there. `root` is the folder of the board file, `most` the number of examples of each dataset, all
    by default. Raises `UserError` where no page can run the model, or nothing is stored to compare with, and
    `UserError` where it cannot be opened.
    """
    found = False
    for spec in boards.datasets_for(model):
        result = store.find(spec.task, spec.id, model.id)
        if result is None or result.predictions is None:
            continue
        found = True
        dataset = read_dataset(dataset_source(spec, data))
        made = board_prepared(model, boards, root, data, work)
        to_load = ModelToLoad(made.adapter, made.directory, made.options, model.task, dataset.labels)
        copy, folder = make_copy(model.id, to_load, work / COPIES)
        check = check_copy(copy, folder, dataset, store.predictions(result), made.revision, most)
        store.save_record(check)
        yield check
    if not found:
        raise UserError(model.id, "no answers of it are stored to compare with", "run evaluate first")


def check_copy(
    copy: BrowserCopy,
    folder: Path,
    dataset: Dataset,
    predictions: PredictionSet,
    revision: str,
    most: int | None = None,
) -> BrowserCheck:
    """Ask the copy in `folder` about the first `most` examples, all by default, and compare.

    `revision` is the hash of the model that was copied. Raises `UserError` where there are fewer than
    `LEAST_EXAMPLES`, or the copy cannot be run.
    """
    examples = dataset.examples[:most]
    if len(examples) < LEAST_EXAMPLES:
        raise UserError(
            dataset.id, f"{len(examples)} examples", f"a browser copy is compared on {LEAST_EXAMPLES} or more"
        )
    fields = get_task(dataset.task).fields
    given = ask(copy, folder, [{field: example[field] for field in fields} for example in examples])
    first = predictions.runs()[0]
    stored = answers_of(dataset, first)[: len(given)]
    differing = [
        row
        for row, (new, old) in enumerate(zip(given, stored, strict=True))
        if not _is_same(new, old, dataset)
    ]
    return BrowserCheck(
        task=dataset.task,
        dataset=dataset.id,
        dataset_revision=dataset.revision,
        model=copy.model,
        predictions=predictions.content_hash(),
        copy_sha256=copy.content_hash(),
        revision=revision,
        size=copy.size,
        runtime=f"{networks.NAME if copy.has_network else f'Pyodide {VERSION}'} in Node.js",
        weights=copy.options["weights"] if copy.has_network else None,
        asked=len(given),
        agreed=len(given) - len(differing),
        differing=tuple(differing),
        largest_difference=_largest_difference(given, predictions),
        tool=TOOL,
    )


def ask(copy: BrowserCopy, folder: Path, examples: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    """What the copy answers in Node.js, by the very files that a page loads; see `answering.ask_json`.

    Raises `UserError` where there is no Node.js, or the copy ends or takes too long.
    """
    node = shutil.which("node")
    if node is None:
        raise UserError("node", "it is not installed", "install Node.js, which runs browser copies here")
    spec = {
        "model": copy.model,
        "folder": f"/copies/{copy.model}",
        "adapter": copy.adapter,
        "options": copy.options,
        "labels": copy.labels,
    }
    job = {"folder": str(folder), "spec": spec, "examples": list(examples)}
    cache = cache_folder()
    if copy.has_network:
        paths = {**networks.files(cache), "page": SOURCE / "scorer" / "networks.js"}
        job["networks"] = {name: str(path) for name, path in paths.items()}
    else:
        pyodide = stock_files(cache)["pyodide.mjs"].parent
        job |= {
            "pyodide": str(pyodide),
            "modules": module_texts(),
            "files": list(copy.files),
            "task": copy.task,
        }
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "job.json")
        path.write_text(json.dumps(job), encoding="utf-8")
        # Text is never run as a program there, as no page allows it.
        command = [node, "--disallow-code-generation-from-strings", str(SCRIPT), str(path)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            fix = "ask about fewer examples"
            raise UserError(copy.model, f"its copy has not answered in {TIMEOUT_S:.0f} s", fix) from None
    if done.returncode:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        why = next(
            (line for line in reversed(said) if "Error" in line), f"node exited with {done.returncode}"
        )
        raise UserError(copy.model, f"its copy does not run in Node.js ({why})", "it cannot be offered")
    # What a model prints is no answer.
    lines = [line for line in done.stdout.splitlines() if line.startswith("[{")]
    return [answer for line in lines for answer in json.loads(line)]


def _is_same(given: Mapping[str, Any], stored: tuple[int, str | None], dataset: Dataset) -> bool:
    """Whether the copy answered as the measured model did, no valid answer included."""
    label, text = stored
    if get_task(dataset.task).answer == "text":
        return given.get("answer") == text
    return given.get("answer") == (dataset.labels[label] if label >= 0 else None)


def _largest_difference(given: Sequence[Mapping[str, Any]], predictions: PredictionSet) -> float | None:
    """Of the probability of the label that the measured model chose; None where nothing can be compared."""
    found = []
    stored = predictions.exact_confidence or [None] * len(given)
    for row, (answer, confidence) in enumerate(zip(given, stored, strict=False)):
        if confidence is None or "error" in answer:
            continue
        label = predictions.predicted[row] if predictions.predicted else -1
        here = _probability(answer, predictions.labels[label] if label >= 0 else None)
        if here is not None:
            found.append(abs(here - confidence))
    return max(found, default=None)


def _probability(answer: Mapping[str, Any], label: str | None) -> float | None:
    """What the copy says of a label, or of its own answer where the model's were no labels."""
    if answer["probabilities"] is not None and label is not None:
        return float(answer["probabilities"][label])
    is_own = label is None or answer["answer"] == label
    return answer["confidence"] if is_own else None
