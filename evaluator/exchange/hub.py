"""One model's numbers as metadata of its repository on the Hugging Face Hub, in either of two formats.

- ``.eval_results/*.yaml``, as https://huggingface.co/docs/hub/eval-results describes it and
  `huggingface_hub` 2.4 reads it (`parse_eval_result_entries`): a list of ``dataset`` (``id``, ``task_id``),
  ``value``, ``date``, ``source`` (``url``, ``name``) and ``notes``. ``verifyToken`` is what the Hub signs
  when it has run an evaluation itself, and ``dataset.revision`` a commit on the Hub: neither is known here.
- ``model-index``, the older block in the front matter of a model card, as `huggingface_hub.EvalResult` and
  https://github.com/huggingface/hub-docs/blob/main/modelcard.md describe it. ``verified`` is for the Hub.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml  # type: ignore[import-untyped, unused-ignore]

from evaluator.exchange.tables import Exported, RankedBoard
from evaluator.records.base import TIMING
from evaluator.records.board import DatasetSpec, MetricSpec
from evaluator.records.board.score import SCORE
from evaluator.records.errors import UserError, or_one_of
from evaluator.records.result import Result, Score

#: The Hub's task types, by Steelyard's tasks; another task keeps its name.
TASK_TYPES = {
    "sentiment": "text-classification",
    "hate-speech": "text-classification",
    "nli": "text-classification",
    "classification": "text-classification",
    "qa": "question-answering",
    "generation": "text-generation",
}
_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)
_TASK = re.compile(r"[\w.:@ -]{1,100}", re.ASCII)
_LINK = re.compile(r"https?://(?:www\.)?(?:huggingface\.co|hf\.co)/datasets/([^?#]+?)/?(?:[?#].*)?")
_MODEL = re.compile(r"https?://(?:www\.)?(?:huggingface\.co|hf\.co)/([^/?#]+/[^/?#]+)/?")
_AVERAGED = re.compile(r"(micro|macro|weighted)-(f1|precision|recall)")


@dataclass(frozen=True)
class HubDataset:
    """A dataset on the Hub, and the id of a task in its ``eval.yaml``, where it is a benchmark."""

    id: str
    task: str | None = None


def hub_dataset(text: str) -> HubDataset:
    """``ORG/NAME`` or ``ORG/NAME#TASK``. Raises `UserError`."""
    id_, sign, task = text.partition("#")
    if not _ID.fullmatch(id_) or (sign and not _TASK.fullmatch(task)):
        raise UserError(f"--hub: {text!r} is no dataset on the Hub; write ORG/NAME or ORG/NAME#TASK")
    return HubDataset(id_, task or None)


def on_the_hub(spec: DatasetSpec) -> HubDataset | None:
    """The dataset that a link in the board file leads to, if it leads to the Hub."""
    found = _LINK.fullmatch(spec.link or "")
    return HubDataset(found[1]) if found and _ID.fullmatch(found[1]) else None


def hub_model(link: str | None) -> str | None:
    """The owner and name of the model on the Hub that a link leads to; None for any other link."""
    found = _MODEL.fullmatch(link or "")
    is_model = found and _ID.fullmatch(found[1]) and not found[1].startswith(("datasets/", "spaces/"))
    return found[1] if found and is_model else None


def eval_results(board: RankedBoard, model: str, hub: Mapping[str, HubDataset], metric: str) -> Exported:
    """A value of `metric`, in the board's unit, for each dataset that has a task on the Hub.

    Datasets of equal id and task there raise `UserError`, and so does an empty result.
    """
    spec = _metric(board, metric)
    entries: dict[HubDataset, dict[str, Any]] = {}
    left_out = []
    for dataset, result, place in _results(board, model, hub):
        own = _on(board, dataset.id, spec)
        if own.name not in result.scores:
            left_out.append(f"{dataset.id}: has no {own.name}")
        elif place is None or place.task is None:
            left_out.append(f"{dataset.id}: say its task on the Hub with --hub {dataset.id}=ORG/NAME#TASK")
        elif place in entries:
            problem = f"{place.id}#{place.task} is given twice"
            raise UserError(f"--hub {dataset.id}", problem, "give each its own")
        else:
            entries[place] = {
                "dataset": {"id": place.id, "task_id": place.task},
                "value": result.scores[own.name].value,
                # A reported number is as old as its source, whose date is unknown.
                **({} if result.provenance == "reported" else {"date": result.created}),
                **_source(board, result),
                "notes": _notes(result, own, board.words(model)),
            }
    return Exported(_some(list(entries.values()), model, left_out), tuple(left_out))


def model_index(
    board: RankedBoard, model: str, hub: Mapping[str, HubDataset], metrics: Sequence[str]
) -> Exported:
    """The ``model-index`` of a model: `metrics`, in the board's units, on every dataset of the board.

    No `metrics` means all but those that are about one machine only. A dataset that is not on the Hub
    has its id here. Raises `UserError` for two datasets of one id there, and for an empty result.
    """
    specs = [_metric(board, name) for name in metrics]
    specs = specs or [spec for spec in board.spec.metrics if spec.name not in TIMING]
    found: dict[str, dict[str, Any]] = {}
    left_out = []
    for dataset, result, place in _results(board, model, hub):
        id_ = place.id if place else dataset.id
        here = {own.name: own for own in (_on(board, dataset.id, spec) for spec in specs)}
        values = [
            _index_metric(own, result.scores[name]) for name, own in here.items() if name in result.scores
        ]
        if not values:
            left_out.append(f"{dataset.id}: has none of {', '.join(here)}")
        elif id_ in found:
            raise UserError(f"--hub {dataset.id}", f"{id_} is given twice", "give each its own")
        else:
            found[id_] = {
                "task": {"type": TASK_TYPES.get(result.task, result.task), "name": result.task},
                "dataset": {"name": dataset.label, "type": id_},
                "metrics": values,
                **_source(board, result),
            }
    results = _some(list(found.values()), model, left_out)
    name = board.assembled.entries[model].label
    return Exported({"model-index": [{"name": name, "results": results}]}, tuple(left_out))


def front_matter(exported: Exported, rank: str) -> str:
    """A ``model-index`` as YAML, below a comment with words about a rank, for which it has no field."""
    # A line break, or a sign that YAML refuses, would end the comment or the document.
    words = "".join(char if char.isprintable() else " " for char in rank)
    return (f"# {words}\n" if words else "") + as_yaml(exported.document)


def as_yaml(document: Any) -> str:
    """YAML that any reader takes, in the order given; a date stays a text."""
    text = _yaml(document, unicode=True)
    # Next-line marks and others that nobody sees would come back as something else: escape them.
    return text if text.replace("\n", "").isprintable() else _yaml(document, unicode=False)


def _yaml(document: Any, unicode: bool) -> str:
    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=unicode, width=100)
    return text


def _metric(board: RankedBoard, name: str) -> MetricSpec:
    known = {spec.name: spec for spec in board.spec.metrics}
    if name not in known:
        raise UserError(f"--metric: {name!r} is no metric of {board.spec.id}{or_one_of(name, known)}")
    return known[name]


def _on(board: RankedBoard, dataset: str, metric: MetricSpec) -> MetricSpec:
    """A metric as a dataset has it: the one that its score is made of in place of the score."""
    main = board.assembled.mains.get(dataset)
    return board.metrics_on(dataset)[main.name] if main and metric.name == SCORE else metric


def _results(
    board: RankedBoard, model: str, hub: Mapping[str, HubDataset]
) -> Iterator[tuple[DatasetSpec, Result, HubDataset | None]]:
    """A model's results with their datasets, and where these are on the Hub."""
    results = board.assembled.entries[model].results
    for spec in map(board.boards.dataset, board.spec.datasets):
        if spec.id in results:
            yield spec, results[spec.id], hub.get(spec.id) or on_the_hub(spec)


def _some(found: list[Any], model: str, left_out: Sequence[str]) -> list[Any]:
    if not found:
        why = "; ".join(left_out) or "it has no results on this board"
        raise UserError(f"model {model}: nothing to export: {why}")
    return found


def _source(board: RankedBoard, result: Result) -> dict[str, Any]:
    """The board's own page; where that has no address, where the numbers were published."""
    cited, site = result.source, board.boards.site.url
    if site:
        return {"source": {"url": f"{site}{board.spec.id}/", "name": board.title}}
    if cited and (cited.link or "").startswith(("https://", "http://")):
        return {"source": {"url": cited.link, "name": cited.citation}}
    return {}


def _notes(result: Result, spec: MetricSpec, words: str) -> str:
    """What the number is and how it came about, since the format has no place for the metric."""
    how = {
        "measured": f"measured by {result.tool}",
        "recorded": f"answers recorded from an endpoint, scored by {result.tool}",
        "predictions": f"scored by {result.tool} from predictions",
        "reported": f"reported by {result.source.citation if result.source else 'its source'}",
    }
    examples = f"{result.dataset.examples} examples" if result.dataset.examples else ""
    version = f"definition {result.scores[spec.name].version}"
    parts = [
        f"{spec.label} ({result.scores[spec.name].unit})",
        examples,
        version,
        how[result.provenance],
        words,
    ]
    return ", ".join(filter(None, parts))


def _index_metric(spec: MetricSpec, score: Score) -> dict[str, Any]:
    averaged = _AVERAGED.fullmatch(spec.name)
    return {
        "type": averaged[2] if averaged else spec.name.replace("-", "_"),
        "value": score.value,
        "name": f"{spec.label} ({score.unit})",
        **({"args": {"average": averaged[1]}} if averaged else {}),
    }
