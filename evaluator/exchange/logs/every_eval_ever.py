"""Reads documents of Every Eval Ever, version 0.3, which many leaderboards and tools are converted to.

The format is that of https://github.com/evaleval/every_eval_ever (arXiv:2606.14516). A document is of one
model: ``model_info``, ``eval_library`` and ``source_metadata``, and ``evaluation_results`` with
``evaluation_name``, ``metric_config`` (``lower_is_better``, ``metric_unit``, ``min_score``, ``max_score``),
``score_details`` (``score``, ``uncertainty``) and ``generation_config``. Rows of examples are in
``UUID_samples.jsonl`` beside it: ``sample_id``, ``evaluation_result_id``, ``input``, ``answer_attribution``
and ``evaluation.score``. What is exported here (`evaluator.exchange.every_eval_ever`) is read, too.

A task is an ``evaluation_name``, without the metric that some sources have at its end.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from evaluator.data.nodes import Node
from evaluator.exchange.logs.base import (
    AGAIN,
    Answer,
    EvaluationLog,
    LoggedExample,
    LoggedExamples,
    LoggedTask,
    document,
)
from evaluator.exchange.logs.published import (
    name_if_any,
    public,
    scores_of,
    setting,
    settings_of,
    word_if_any,
)

TOOL = "Every Eval Ever"
HOME = "https://github.com/evaleval/every_eval_ever"
SHARES, PERCENTS = ("proportion", "fraction", "share"), ("percent", "percentage", "%")
#: Arguments of generation that name the model, and decide nothing that is not said elsewhere.
OF_MODEL = ("execution_command",)
#: What of the data decides the numbers, and what details about them have in their names that do.
DATA = ("dataset_name", "hf_repo", "hf_split", "samples_number", "sample_ids")
DETAILS = re.compile("config|domain|language|reported_by|revision|section|split|subject|subset|track|version")
#: Numbers that were copied from a publication.
COPIED = "documentation"
#: The name of a metric behind that of its task.
_DOTTED = re.compile(r"(\S+)\.([A-Za-z][\w-]*)")
#: What stands before the names of metrics that are exported here.
OWN = "steelyard."
#: The title of a source, which cannot be a place.
_TITLE = re.compile(r"\w[\w .,:;()&+'’-]{0,99}")


def is_log(whole: Node) -> bool:
    """Whether a JSON file is a document of the format."""
    return isinstance(whole.get("evaluation_results"), list) and isinstance(whole.get("model_info"), dict)


def read(path: Path, whole: Node) -> EvaluationLog:
    """The log in a file. Raises `UserError`."""
    library, model = whole.part("eval_library"), whole.part("model_info")
    tasks = _tasks(whole.entries("evaluation_results"))
    if not tasks:
        raise whole.wrong("evaluation_results", "has no numbers", AGAIN)
    return EvaluationLog(
        path=path,
        tool=TOOL,
        home=HOME,
        tasks=tuple(tasks),
        read_task=lambda name: _task(path, whole, name, tasks[name]),
        model=name_if_any(model.get("id")) or name_if_any(model.get("name")),
        tool_version=word_if_any(whole.get("schema_version")),
        date=_date(whole.get("evaluation_timestamp")),
        model_kind=word_if_any(library.get("name")),
        model_arguments={"model": public(model.get("id"))} if model.has("id") else {},
    )


def _tasks(results: Sequence[Node]) -> dict[str, dict[str, Node]]:
    """The results by task and metric; ``tau_bench.retail.pass_1`` is a metric of ``tau_bench.retail``."""
    whole: dict[str, list[Node]] = {}
    dotted: dict[str, list[tuple[str, Node]]] = {}
    for result in results:
        name = result.text("evaluation_name")
        if found := _DOTTED.fullmatch(name):
            dotted.setdefault(found[1], []).append((found[2], result))
        else:
            whole.setdefault(name, []).append(result)
    tasks: dict[str, dict[str, Node]] = {}
    for name, pairs in dotted.items():
        if len(dict(pairs)) == len(pairs):
            tasks[name] = dict(pairs)
            continue
        for last, result in pairs:
            whole.setdefault(f"{name}.{last}", []).append(result)
    return tasks | {name: dict(zip(_names(own), own, strict=True)) for name, own in whole.items()}


def _date(stamp: Any) -> str | None:
    """The day of a moment, which is written in either of two ways."""
    if not isinstance(stamp, str):
        return None
    if re.fullmatch(r"[0-9]{9,10}(\.[0-9]*)?", stamp):
        return datetime.fromtimestamp(float(stamp), UTC).strftime("%Y-%m-%d")
    return stamp[:10] if re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", stamp) else None


def _task(path: Path, whole: Node, name: str, found: Mapping[str, Node]) -> LoggedTask:
    metrics = {key: result.part("metric_config") for key, result in found.items()}
    values: dict[str, Any] = {}
    errors: dict[str, Any] = {}
    counts: dict[str, int] = {}
    for key, result in found.items():
        details, unknown = result.part("score_details"), metrics[key].get("has_unknown_level")
        if not (unknown and details.get("score") == -1):
            values[key] = details.at("score")
        uncertainty = details.part("uncertainty")
        errors[key] = uncertainty.part("standard_error").get("value")
        if uncertainty.has("num_samples"):
            counts[key] = uncertainty.count("num_samples")
    most = max(counts.values(), default=None)
    samples = _samples_file(path, whole)
    return LoggedTask(
        name=name,
        values=values,
        errors=errors,
        shares=frozenset(key for key in values if _scale(metrics[key]) == 1),
        percents=frozenset(key for key in values if _scale(metrics[key]) == 100),
        units={key: unit for key in values if (unit := _unit(metrics[key]))},
        higher={
            key.partition(",")[0]: not one.flag("lower_is_better")
            for key, one in metrics.items()
            if one.has("lower_is_better")
        },
        rounded=True,
        effective=most or None,
        scored={key: count for key, count in counts.items() if 0 < count < (most or 0)},
        settings=_settings(whole),
        own={key: _own(result, whole) for key, result in found.items()},
        examples=None if samples is None else partial(_examples, samples, found),
    )


def _names(results: Sequence[Node]) -> list[str]:
    """What the metrics of a task are called, with the id of the result behind it where two have one name."""
    names = [_name(result.part("metric_config")) for result in results]
    ids = [str(one.get("evaluation_result_id") or place) for place, one in enumerate(results, 1)]
    return [
        name if names.count(name) == 1 else f"{name},{id_.replace(',', ' ')}"
        for name, id_ in zip(names, ids, strict=True)
    ]


def _name(metric: Node) -> str:
    said = map(name_if_any, (metric.get("metric_name"), metric.get("metric_id"), "score"))
    name = next(filter(None, said)).removeprefix(OWN)
    return re.sub(r"\s+", "_", name.replace(",", " ").strip().lower())


def _scale(metric: Node) -> int | None:
    """The value of all that can be had: 1 of a share, 100 of per cent; None of all other numbers."""
    unit, bounds = metric.get("metric_unit"), (metric.get("min_score"), metric.get("max_score"))
    if unit in PERCENTS or (unit is None and bounds == (0, 100)):
        return 100
    return 1 if unit in SHARES or (unit is None and bounds == (0, 1)) else None


def _unit(metric: Node) -> str | None:
    """The unit of a number that is neither a share nor in per cent."""
    unit = word_if_any(metric.get("metric_unit"))
    return None if _scale(metric) or unit in ("none", "unknown") else unit


def _settings(whole: Node) -> dict[str, str]:
    """What a source says in words: where the numbers are from, and what found them."""
    source, library = whole.part("source_metadata"), whole.part("eval_library")
    name = source.get("source_name") or source.get("source_organization_name")
    found = {
        "source": name if isinstance(name, str) and _TITLE.fullmatch(name) else setting(name),
        "library": word_if_any(library.get("name")),
        "library version": word_if_any(library.get("version")),
    }
    return {name: value for name, value in found.items() if value is not None and value != "unknown"}


def _own(result: Node, whole: Node) -> dict[str, str]:
    """What decides one number: its data, its metric's parameters and judges, how answers were generated."""
    metric, data = result.part("metric_config"), result.part("source_data")
    details = data.part("additional_details")
    parameters = metric.part("metric_parameters")
    found = {
        **settings_of(data, DATA),
        **settings_of(details, filter(DETAILS.search, details.value), "dataset"),
        **settings_of(metric, ["metric_id", "llm_scoring"]),
        **settings_of(parameters, parameters.value, "metric"),
    }
    # A publication ranks together what it lists, agents and ways of asking included.
    if whole.part("source_metadata").get("source_type") == COPIED:
        return found
    generation = result.part("generation_config")
    arguments, more = generation.part("generation_args"), generation.part("additional_details")
    found |= settings_of(arguments, [name for name in arguments.value if name not in OF_MODEL])
    return found | settings_of(more, [name for name in more.value if "model" not in name])


def _samples_file(path: Path, whole: Node) -> Path | None:
    """The rows of examples, which lie beside the document."""
    said = whole.part("detailed_evaluation_results").get("file_path")
    names = [f"{path.stem}_samples.jsonl"]
    if isinstance(said, str) and PurePosixPath(said).name:
        names.insert(0, PurePosixPath(said).name)
    # Unlike `Path.is_file` it takes any text: what is too long for a name is no file.
    return next((found for name in names if os.path.isfile(found := path.with_name(name))), None)


def _examples(path: Path, results: Mapping[str, Node]) -> LoggedExamples:
    """The examples of a task: a row is of one metric of one example, or of another trial of it."""
    ids = {
        str(result.get("evaluation_result_id")): key
        for key, result in results.items()
        if result.has("evaluation_result_id")
    }
    names: dict[str, list[str]] = {}
    for key, result in results.items():
        names.setdefault(result.text("evaluation_name"), []).append(key)
    found: dict[tuple[str, int], LoggedExample] = {}
    times: Counter[tuple[str, str]] = Counter()
    with path.open("rb") as file:
        for line, content in enumerate(file, start=1):
            row = document(path, content, f"{path}:{line}")
            named = names.get(str(row.get("evaluation_name")))
            if named is None:
                continue
            only = named[0] if len(named) == 1 else None
            said = ids.get(str(row.get("evaluation_result_id")), only)
            if said is None:
                raise row.wrong("evaluation_result_id", "is none of the document's results", AGAIN)
            one = _example(line, said, row)
            place = (one.id, times[one.id, said])
            times[one.id, said] += 1
            if first := found.get(place):
                one = first._replace(
                    answers={**first.answers, **one.answers}, scores={**first.scores, **one.scores}
                )
            found[place] = one._replace(trial=place[1])
    # Of numbers in per cent, examples are often said to be right or wrong as 1 and 0.
    scores = {key: [one.scores[key] for one in found.values() if key in one.scores] for key in results}
    verdicts = {
        key
        for key, result in results.items()
        if _scale(result.part("metric_config")) == 100 and set(scores[key]) <= {0.0, 1.0}
    }
    rows = (
        one._replace(scores={key: 100 * x if key in verdicts else x for key, x in one.scores.items()})
        for one in found.values()
    )
    return LoggedExamples(path, tuple(rows))


def _example(line: int, key: str, row: Node) -> LoggedExample:
    given, scores = row.part("input"), row.part("evaluation")
    choices = given.texts("choices") if given.get("choices") else ()
    gold = given.texts("reference") if given.get("reference") else ()
    asked = given.text("raw") if given.has("raw") else ""
    answers = [one for one in row.entries("answer_attribution") if one.get("is_terminal")]
    said = answers[-1].text("extracted_value") if answers else None
    return LoggedExample(
        line=line,
        id=str(row.name("sample_id")),
        asked=asked,
        fields={"text": asked},
        choices=choices,
        gold=tuple(_choice(one, choices) for one in gold),
        answers={key: _choice(said, choices)},
        scores=scores_of(scores, {key: "score"}),
    )


def _choice(given: str | None, choices: Sequence[str]) -> Answer:
    return choices.index(given) if given is not None and given in choices else given
