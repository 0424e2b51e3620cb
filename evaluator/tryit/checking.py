"""A browser copy compared with the stored answers of the model that was measured."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task
from evaluator.records.browser import LEAST_EXAMPLES, BrowserCheck, BrowserCopy
from evaluator.records.predictions import PredictionSet
from evaluator.score.columns import answers_of
from evaluator.score.results import TOOL
from evaluator.tryit import encoder
from evaluator.tryit.errors import BrowserCheckError

SCRIPT = Path(__file__).with_name("ask.mjs")
#: Seconds that a copy may take for all its answers.
TIMEOUT_S = 1800.0


@dataclass(frozen=True)
class NetworkRuntime:
    """What runs networks: what records call it, its two files, and the page's module that asks it."""

    name: str
    script: Path
    wasm: Path
    page: Path


@dataclass(frozen=True)
class Runtime:
    """What runs copies: node, the folder of Pyodide's files, what records call it, and its modules' texts.

    `networks` is called where a copy has a network.
    """

    node: str
    pyodide: Path
    name: str
    modules: Mapping[str, str]
    networks: Callable[[], NetworkRuntime]

    def name_for(self, copy: BrowserCopy) -> str:
        """What runs a copy, in words."""
        return f"{self.name}, {self.networks().name}" if copy.has_network else self.name

    def network_job(self, copy: BrowserCopy) -> dict[str, Any]:
        """What `ask.mjs` needs for the network of a copy; nothing where it has none."""
        if not copy.has_network:
            return {}
        networks = self.networks()
        paths = {"script": networks.script, "wasm": networks.wasm, "page": networks.page}
        return {"network": f"model/{encoder.NETWORK}", "networks": {k: str(v) for k, v in paths.items()}}


def check_copy(
    copy: BrowserCopy,
    folder: Path,
    dataset: Dataset,
    predictions: PredictionSet,
    runtime: Runtime,
    most: int | None = None,
    revision: str | None = None,
) -> BrowserCheck:
    """Ask the copy in `folder` about the first `most` examples, all by default, and compare.

    `revision` is the hash of the model that was copied.

    Raises `BrowserCheckError` where there are fewer than `LEAST_EXAMPLES`, or Pyodide fails.
    """
    examples = dataset.examples[:most]
    if len(examples) < LEAST_EXAMPLES:
        raise BrowserCheckError(
            f"{dataset.id}: {len(examples)} examples; a browser copy is compared on {LEAST_EXAMPLES} or more"
        )
    fields = get_task(dataset.task).fields
    given = ask(copy, folder, [{field: example[field] for field in fields} for example in examples], runtime)
    stored = answers_of(dataset, predictions)[: len(given)]
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
        runtime=runtime.name_for(copy),
        weights=copy.options["weights"] if copy.has_network else None,
        asked=len(given),
        agreed=len(given) - len(differing),
        differing=tuple(differing),
        largest_difference=_largest_difference(given, predictions),
        tool=TOOL,
    )


def ask(
    copy: BrowserCopy, folder: Path, examples: Sequence[Mapping[str, str]], runtime: Runtime
) -> list[dict[str, Any]]:
    """What the copy answers in Pyodide; see `answering.ask_json`. Raises `BrowserCheckError`."""
    spec = {
        "model": copy.model,
        "folder": f"/copies/{copy.model}",
        "adapter": copy.adapter,
        "options": copy.options,
        "labels": copy.labels,
    }
    job = {
        "modules": dict(runtime.modules),
        "folder": str(folder),
        "files": list(copy.files),
        "task": copy.task,
        "spec": spec,
        "examples": list(examples),
        **runtime.network_job(copy),
    }
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "job.json")
        path.write_text(json.dumps(job), encoding="utf-8")
        lines = _run(runtime, path, copy.model)
    return [answer for line in lines for answer in json.loads(line)]


def _run(runtime: Runtime, job: Path, model: str) -> list[str]:
    # Text is never run as a program there, as no page allows it.
    command = [
        runtime.node,
        "--disallow-code-generation-from-strings",
        str(SCRIPT),
        str(runtime.pyodide),
        str(job),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        raise BrowserCheckError(f"{model}: its copy took more than {TIMEOUT_S:g} s; ask it less") from None
    # What a model prints is no answer.
    lines = [line for line in done.stdout.splitlines() if line.startswith("[{")]
    if done.returncode:
        lines = [line for line in done.stderr.strip().splitlines() if line.strip()]
        reason = next(
            (line for line in reversed(lines) if "Error" in line), (lines or ["it says nothing"])[-1]
        )
        raise BrowserCheckError(f"{model}: its copy does not run in Pyodide: {reason.strip()}")
    return lines


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
    for row, (answer, sure) in enumerate(zip(given, stored, strict=False)):
        if sure is None or "error" in answer:
            continue
        label = predictions.predicted[row] if predictions.predicted else -1
        here = _probability(answer, predictions.labels[label] if label >= 0 else None)
        if here is not None:
            found.append(abs(here - sure))
    return max(found, default=None)


def _probability(answer: Mapping[str, Any], label: str | None) -> float | None:
    """What the copy says of a label, or of its own answer where the model's were no labels."""
    if answer["probabilities"] is not None and label is not None:
        return float(answer["probabilities"][label])
    is_own = label is None or answer["answer"] == label
    return answer["confidence"] if is_own else None
