"""A board in the format of Every Eval Ever, version 0.3.0: a document for each model, rows for each example.

The format is that of https://github.com/evaleval/every_eval_ever (arXiv:2606.14516),
whose package of the same version validates what is made here in the tests. Files lie where its datastore
wants them: ``data/COLLECTION/DEVELOPER/MODEL/UUID.json`` and, with the rows, ``UUID_samples.jsonl``.

A document is of one model and one kind of source, since the format says once a document whether numbers were
found by running an evaluation or copied from a publication. Everything is decided by the results: the same
results give the same bytes, and "retrieved" is when the newest of them was made.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task
from evaluator.data.tasks.known import SCORED
from evaluator.exchange.hub import hub_model, on_the_hub
from evaluator.exchange.logs import helm, inspect_ai, lighteval, lm_eval, mteb, promptfoo
from evaluator.exchange.tables import ExportedFiles, RankedBoard
from evaluator.records.base import TIMING
from evaluator.records.board import BoardEntry, DatasetSpec, MetricSpec
from evaluator.records.result import Result
from evaluator.score.answers import answers_of
from evaluator.score.scores import metric_names, values_by_example
from evaluator.score.standard_errors import StandardError, StandardErrors, dataset_at_hand, standard_errors

VERSION = "0.3.0"
#: Metrics that the format's registry knows, by the names that they have here.
CANONICAL = {"accuracy": "accuracy", "macro-f1": "f1_macro", "micro-f1": "f1_micro", "f1": "f1"}
RUN, PUBLISHED = "evaluation_run", "documentation"
#: The value, in per cent, of an answer that is entirely right.
RIGHT = 100.0
#: The packages of tools whose logs are imported, by the names that results have for the tools.
PACKAGES = {
    lm_eval.TOOL: "lm_eval",
    inspect_ai.TOOL: "inspect_ai",
    helm.TOOL: "crfm-helm",
    lighteval.TOOL: "lighteval",
    mteb.TOOL: "mteb",
    promptfoo.TOOL: "promptfoo",
}


def every_eval_ever(board: RankedBoard, data: Path, models: Iterable[str] = ()) -> ExportedFiles:
    """The documents of `models`, or of all models of the board; `data` is where datasets may be.

    Rows of examples are written where the dataset is here and its texts and gold labels may be shown; else
    the second part of what is returned says why not.
    """
    export = _Export(board, data)
    files: dict[str, bytes] = {}
    for model in models or board.assembled.entries:
        entry = board.assembled.entries[model]
        for kind in (RUN, PUBLISHED):
            files |= export.files(entry, kind)
    return ExportedFiles(files, tuple(export.left_out))


def _kind(result: Result) -> str:
    return PUBLISHED if result.provenance == "reported" else RUN


class _Export:
    """The documents of one board."""

    def __init__(self, board: RankedBoard, data: Path) -> None:
        self.board, self.site = board, _slug(board.boards.title)
        # A board's title is a question that may be put anew; its id stays.
        self.name = f"{self.site}-{board.spec.id}"
        self.metrics = {name: board.metrics_on(name) for name in board.spec.datasets}
        self.errors: dict[str, StandardErrors] = {}
        self.shown: dict[str, Dataset] = {}
        self.left_out: list[str] = []
        # By model, its name on the Hub, if its card links to it and no other card links to the same one. What
        # a recipe made here is not what its card leads to.
        cards = {
            entry.id: name
            for entry in board.assembled.entries.values()
            for result in entry.results.values()
            if not result.model.made_from.get("recipe") and (name := hub_model(result.model.card.link))
        }
        times = Counter(cards.values())
        self.on_the_hub = {model: name for model, name in cards.items() if times[name] == 1}
        for dataset in board.spec.datasets:
            self._look_at(board.boards.dataset(dataset), data)

    def _look_at(self, spec: DatasetSpec, data: Path) -> None:
        entries = self.board.assembled.entries.values()
        results = [entry.results[spec.id] for entry in entries if spec.id in entry.results]
        found = dataset_at_hand(spec, data, [result.dataset.revision for result in results])
        names = list(self.metrics[spec.id])
        self.errors[spec.id] = standard_errors(results, names, found, self.board.boards, self.board.store)
        if spec.task == SCORED.name:
            problem = "they want texts, which a source of scores does not give"
        elif hidden := [name for name in ("show_text", "show_gold") if not getattr(spec, name)]:
            problem = f"board.toml does not say {' and '.join(hidden)}"
        elif found is None:
            problem = "its file, as it was then, is not here; give --data"
        else:
            self.shown[spec.id] = found
            return
        if any(result.predictions for result in results):
            self.left_out.append(f"{spec.id}: rows of examples: {problem}")

    def files(self, entry: BoardEntry, kind: str) -> dict[str, bytes]:
        """The document of a model's results of one kind, and its rows; none without a number."""
        every = [entry.results[name] for name in self.board.spec.datasets if name in entry.results]
        results = [result for result in every if _kind(result) == kind]
        numbers = [
            self._number(result, metric)
            for result in results
            for name, metric in self.metrics[result.dataset.id].items()
            if name in result.scores
        ]
        if not numbers:
            return {}
        document = self._head(entry, results, kind) | {"evaluation_results": numbers}
        # Where the datastore wants a document; the UUID is a hash of its id.
        developer, model = document["model_info"]["id"].split("/")
        seed = hashlib.sha256(document["evaluation_id"].encode()).digest()
        id_ = uuid.UUID(bytes=seed[:16], version=4)
        name = f"data/{self.name}/{developer}/{model}/{id_}"
        rows = b"".join(line for result in results for line in self._rows(document, result))
        files = {f"{name}_samples.jsonl": rows} if rows else {}
        if rows:
            document["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": f"{name}_samples.jsonl",
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(rows).hexdigest(),
                "total_rows": rows.count(b"\n"),
            }
        text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        return {f"{name}.json": text.encode(), **files}

    def _head(self, entry: BoardEntry, results: list[Result], kind: str) -> dict[str, Any]:
        board, boards = self.board, self.board.boards
        newest = max(results, key=lambda result: result.created)
        moment = datetime.datetime.fromisoformat(board.assembled.timestamp or newest.created)
        retrieved = str(int(moment.timestamp()))
        model, reported = self._model(entry, newest), ["reported"] if kind == PUBLISHED else []
        # Who measured whom, as far as a board file says: of others' predictions and numbers it does not.
        made_here = any(model.id == entry.id and model.recipe for model in boards.models)
        party = "first_party" if made_here else "third_party"
        return {
            "schema_version": VERSION,
            "evaluation_id": "/".join([self.name, model["id"], retrieved, *reported]),
            "evaluation_timestamp": newest.created,
            "retrieved_timestamp": retrieved,
            "source_metadata": {
                "source_name": board.title,
                "source_type": kind,
                "source_organization_name": boards.title,
                **({"source_organization_url": boards.site.url} if boards.site.url else {}),
                "evaluator_relationship": party if newest.provenance == "measured" else "other",
                "additional_details": _texts(
                    rank=board.rank_words(entry.id),
                    metric_weights=json.dumps(board.assembled.metric_weights),
                    dataset_weights=json.dumps(board.assembled.dataset_weights),
                    trades="" if (trades := board.ranking.trades) is None else json.dumps(trades),
                    licence=boards.site.licence,
                    kept_apart="; ".join((*entry.failures, *entry.kept_apart)),
                    stale=board.stale_words(entry.id),
                ),
            },
            "eval_library": _library(newest),
            "model_info": model,
        }

    def _model(self, entry: BoardEntry, newest: Result) -> dict[str, Any]:
        """Who made a model is known of those on the Hub; the site stands for the others."""
        model, found = newest.model, self.on_the_hub.get(entry.id)
        measured = newest.provenance == "measured"
        card = {
            name: ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
            for name, value in model.card.plain().items()
        }
        return {
            "name": entry.label,
            "id": found or f"{self.site}/{entry.id}",
            "developer": found.split("/")[0] if found else self.site,
            **({"inference_engine": {"name": model.adapter}} if model.adapter else {}),
            "additional_details": {
                "deployment_type": "self_deployed" if measured else "unknown",
                "model_availability": "open_weights" if found else "unknown",
                **_texts(board_id=entry.id, revision=model.revision, recipe=model.made_from.get("recipe")),
                **_texts(**card),
            },
        }

    def _number(self, result: Result, metric: MetricSpec) -> dict[str, Any]:
        spec, score = self.board.boards.dataset(result.dataset.id), result.scores[metric.name]
        error = self.errors[spec.id].get((metric.name, result.model.id))
        config: dict[str, Any] = {
            "evaluation_name": spec.label,
            "evaluation_result_id": f"{spec.id}/{metric.name}",
            "evaluation_timestamp": result.created,
            "source_data": _source_data(spec, result),
            "metric_config": _metric(metric, result),
            "score_details": {
                "score": score.value,
                "details": _provenance(result, metric.name),
                **({"uncertainty": _uncertainty(error)} if error else {}),
            },
        }
        if result.model.prompt:
            config["generation_config"] = {
                "generation_args": {"prompt_template": result.model.prompt.template}
            }
        return config

    def _rows(self, document: Mapping[str, Any], result: Result) -> Iterator[bytes]:
        """A line of JSON for each example and each metric that scores one example, in per cent.

        The mean of a metric's lines is the result's number, in the same unit. None where the predictions are
        not of exactly these examples, or their texts are not here.
        """
        dataset = self.shown.get(result.dataset.id)
        if dataset is None or result.dataset.revision != dataset.revision or result.predictions is None:
            return
        if not dataset.has_inputs:
            return
        about = {
            "schema_version": VERSION,
            "evaluation_id": document["evaluation_id"],
            "model_id": document["model_info"]["id"],
            "evaluation_name": self.board.boards.dataset(dataset.id).label,
        }
        predictions = self.board.store.predictions(result)
        known = [
            name
            for name in metric_names(dataset, predictions, list(self.metrics[dataset.id]))
            if name in self.metrics[dataset.id] and name in result.scores and result.scores[name].unit == "%"
        ]
        for trial, run in enumerate(predictions.runs(), 1):
            answers = [run.labels[label] if label >= 0 else text for label, text in answers_of(dataset, run)]
            which = {"run": f"{trial}"} if predictions.trials > 1 else {}
            for name, column in values_by_example(dataset, run, known).items():
                number = {"evaluation_result_id": f"{dataset.id}/{name}"}
                for row, (answer, value) in enumerate(zip(answers, column.tolist(), strict=True)):
                    line = {**about, **number, **_row(dataset, row, answer, value, which)}
                    yield json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _row(
    dataset: Dataset, row: int, answer: str | None, value: float, which: Mapping[str, str]
) -> dict[str, Any]:
    """An example's texts, one a line, its right answers, what the model said and what that is worth."""
    example, gold, task = dataset.examples[row], dataset.gold[row], get_task(dataset.task)
    raw = "\n".join(str(example[field]) for field in task.fields)
    reference = list(gold) if task.answer == "text" else [gold]
    choices = {} if task.answer == "text" else {"choices": list(dataset.labels)}
    # The same for the same example of any model.
    identity = (raw + "".join(reference)).encode("utf-8", "surrogatepass")
    # The whole of an answer counts: models answer with a label or a text, and nothing is cut out of it.
    attribution = {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": answer,
        "extraction_method": "whole answer",
        "is_terminal": True,
    }
    tags = {**(dataset.tags[row] if dataset.tags else {}), **which}
    return {
        "sample_id": example["id"],
        "sample_hash": hashlib.sha256(identity).hexdigest(),
        "interaction_type": "single_turn",
        "input": {"raw": raw, "reference": reference, **choices},
        "output": {"raw": [] if answer is None else [answer]},
        "answer_attribution": [] if answer is None else [attribution],
        "evaluation": {"score": value, "is_correct": value >= RIGHT},
        **({"error": "no valid answer"} if answer is None else {}),
        **({"metadata": tags} if tags else {}),
    }


def _library(newest: Result) -> dict[str, str]:
    """What found the numbers: of reported ones, the tool whose log was imported, if there was one."""
    if newest.provenance != "reported":
        name, _, version = newest.tool.partition(" ")
        return {"name": name, "version": version or "unknown"}
    for tool, name in PACKAGES.items():
        if tool in newest.model.made_from:
            return {"name": name, "version": str(newest.model.made_from[tool])}
    return {"name": "unknown", "version": "unknown"}


def _source_data(spec: DatasetSpec, result: Result) -> dict[str, Any]:
    """A dataset; the kinds of source are the format's own."""
    about = {"licence": spec.licence, "citation": spec.citation, "round": spec.round}
    details = _texts(**about, revision=result.dataset.revision, examples=result.dataset.examples)
    source: dict[str, Any] = {"source_type": "other"}
    if place := on_the_hub(spec):
        source = {"source_type": "hf_dataset", "hf_repo": place.id}
    elif spec.link:
        source = {"source_type": "url", "url": [spec.link]}
    return {"dataset_name": spec.label, "additional_details": details, **source}


def _metric(metric: MetricSpec, result: Result) -> dict[str, Any]:
    score = result.scores[metric.name]
    # JSON has no infinity, so the format has words.
    low: float | str = 0.0 if metric.name in TIMING else "-Infinity"
    is_share = score.unit == "%" and 0.0 <= score.value <= 100.0
    return {
        **({"evaluation_description": metric.description} if metric.description else {}),
        "metric_id": CANONICAL.get(metric.name, f"steelyard.{metric.name}"),
        "metric_name": metric.label,
        "metric_unit": "percent" if score.unit == "%" else score.unit or "none",
        "lower_is_better": metric.direction == "lower",
        "score_type": "continuous",
        "min_score": 0.0 if is_share else low,
        "max_score": 100.0 if is_share else "Infinity",
        "additional_details": {"definition": score.version},
    }


def _uncertainty(error: StandardError) -> dict[str, Any]:
    found: dict[str, Any] = {
        "standard_error": {"value": error.value, "method": error.method},
        **({"num_samples": error.units} if error.units is not None else {}),
    }
    if error.interval:
        low, high = error.interval
        bounds = {"lower": low, "upper": high, "confidence_level": 0.95, "method": "Wilson score"}
        found["confidence_interval"] = bounds
    return found


def _provenance(result: Result, metric: str) -> dict[str, str]:
    """How a number came about; of a timing, on which machine and under what."""
    found: dict[str, Any] = {"provenance": result.provenance, "tool": result.tool}
    if result.source:
        found |= {"citation": result.source.citation, "link": result.source.link}
    if metric in TIMING and result.measurement:
        machine = result.measurement.fingerprint
        found |= {"protocol": result.measurement.protocol, "machine": machine.key, "cpu": machine.cpu}
        found |= {"threads": machine.threads, "noise": result.measurement.noise.verdict}
    return _texts(**found)


def _texts(**details: Any) -> dict[str, str]:
    """Details, which the format wants as texts; what is not known is left out."""
    return {name: str(value) for name, value in details.items() if value not in (None, "", ())}


def _slug(text: str) -> str:
    """A name as the datastore's folders take it."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.") or "site"
