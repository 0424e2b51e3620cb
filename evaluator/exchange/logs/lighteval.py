"""Reads ``results_*.json`` of Hugging Face's lighteval, version 0.10 and later, and its details in Parquet.

The format is what `lighteval.logging.evaluation_tracker.EvaluationTracker` saves. In
``results/MODEL/results_DATE.json``, ``results`` has numbers by ``task|shots`` and metric, with
``METRIC_stderr`` beside them; ``all`` has means over tasks. With ``--save-details`` there is
``details/MODEL/DATE/details_TASK|SHOTS_DATE.parquet``, a row an example in no order: ``doc`` (``id``, the
number of the example in the task, ``query``, ``choices``, ``gold_index``, ``specific``), ``model_response``
(``text``, ``logprobs``) and ``metric``. The files seldom say which version of lighteval wrote them.

Where a response has a log-probability for each choice, the answer is the likeliest; this is what the metric
``acc`` is about, but no metric that divides by lengths.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.exchange.logs import checks
from evaluator.exchange.logs.base import Answer, EvaluationLog, LoggedExample, LoggedExamples, LoggedTask
from evaluator.exchange.logs.checks import pyarrow
from evaluator.records.errors import UserError

TOOL = "lighteval"
HOME = "https://github.com/huggingface/lighteval"
SHARES = frozenset(
    {"acc", "acc_norm", "em", "qem", "pem", "pqem", "f1", "extractive_match", "mcc_single_token"}
)
#: Metrics whose answer is the likeliest choice as it is.
LIKELIEST = frozenset({"acc", "loglikelihood_acc"})
ERROR = "_stderr"
#: The entry that has means over tasks.
ALL = "all"


def is_log(document: Mapping[str, Any]) -> bool:
    """Whether a JSON file is of lighteval."""
    return "config_general" in document


def read(path: Path, content: bytes, document: dict[str, Any]) -> EvaluationLog:
    """The log in a file of that content. Raises `UserError`."""
    results = checks.mapping(path, "results", document.get("results"))
    if not results:
        raise checks.wrong(path, "results", results, "has no tasks", checks.AGAIN)
    config = checks.mapping(path, "config_general", document.get("config_general"))
    model = config.get("model_name")
    limit = config.get("max_samples")
    return EvaluationLog(
        path=path,
        sha256=checks.hash_of(content),
        tool=TOOL,
        home=HOME,
        tool_version=checks.word_if_any(config.get("lighteval_sha")) or "of unknown version",
        tasks=tuple(results),
        read_task=partial(_task, path, document),
        shares=SHARES,
        date=_date(path),
        model_arguments={} if model is None else {"model": checks.public(model)},
        limit=None if limit is None else f"{checks.number(path, 'config_general.max_samples', limit):g}",
    )


def _date(path: Path) -> str | None:
    """The day in the file's name; the times in the file count from when the machine started."""
    stamp = path.stem.removeprefix("results_")[:10]
    try:
        return datetime.strptime(stamp, "%Y-%m-%d").replace(tzinfo=UTC).strftime("%Y-%m-%d")
    except ValueError:
        return None


def _task(path: Path, document: dict[str, Any], name: str) -> LoggedTask:
    results = checks.mapping(
        path, f"results.{name}", checks.mapping(path, "results", document.get("results")).get(name)
    )
    values = {key: value for key, value in results.items() if not key.endswith(ERROR)}
    base, _, shots = name.rpartition("|")
    config = _config(path, document, name)
    effective, original = (_size(path, config, key) for key in ("effective_num_docs", "original_num_docs"))
    details = _details_file(path, name)
    return LoggedTask(
        name=name,
        values=values,
        errors={key.removesuffix(ERROR): value for key, value in results.items() if key.endswith(ERROR)},
        higher=_directions(path, config, name),
        version=checks.version(path, f"config_tasks.{name}.version", config.get("version")),
        shots=int(shots) if base and shots.isdecimal() and len(shots) < 6 else None,
        effective=effective,
        original=original,
        examples=None if details is None else partial(_examples, details, tuple(values)),
    )


def _config(path: Path, document: dict[str, Any], task: str) -> dict[str, Any]:
    configs = checks.mapping(path, "config_tasks", document.get("config_tasks"))
    return checks.mapping(path, f"config_tasks.{task}", configs.get(task))


def _directions(path: Path, config: dict[str, Any], task: str) -> dict[str, bool]:
    """Whether more is better, by metric."""
    where = f"config_tasks.{task}.metrics"
    rows = [
        checks.mapping(path, where, row) for row in checks.list_(path, where, config.get("metrics") or [])
    ]
    said = [(row.get("metric_name"), row.get("higher_is_better")) for row in rows]
    # A group of several metrics has lists of names and of directions, which are not looked at.
    return {name: flag for name, flag in said if isinstance(name, str) and isinstance(flag, bool)}


def _size(path: Path, config: dict[str, Any], key: str) -> int | None:
    value = config.get(key)
    return None if value in (None, -1) else checks.count(path, f"config_tasks.{key}", value)


def _details_file(path: Path, task: str) -> Path | None:
    """The file of a task's examples: in the folder ``details`` beside ``results``, of the same date."""
    date = path.stem.removeprefix("results_")
    roots = [folder for folder in path.parents if folder.name == "results"]
    if not roots or task == ALL or "/" in task or "\0" in task:
        return None
    model = path.parent.relative_to(roots[0])
    found = roots[0].with_name("details") / model / date / f"details_{task}_{date}.parquet"
    return found if found.is_file() else None


def _examples(path: Path, metrics: tuple[str, ...]) -> LoggedExamples:
    rows: dict[str, LoggedExample] = {}
    for line, row in _rows(path):
        one = _example(f"{path}:{line}", line, row, metrics)
        if one.id in rows:
            raise checks.wrong(f"{path}:{line}", "doc.id", one.id, "is there already", checks.AGAIN)
        rows[one.id] = one
    if not rows:
        raise UserError(f"{path}: has no examples; {checks.AGAIN}")
    return LoggedExamples(path, tuple(rows.values()))


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    parquet, arrow = pyarrow(path, "pyarrow.parquet"), pyarrow(path)
    try:
        rows = parquet.read_table(path, columns=["doc", "model_response", "metric"]).to_pylist()
    except (arrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise UserError(f"{path}: no details in Parquet: {str(error)[:200]}; {checks.AGAIN}") from None
    yield from enumerate(rows, start=1)


def _example(where: str, line: int, row: dict[str, Any], metrics: tuple[str, ...]) -> LoggedExample:
    doc = checks.mapping(where, "doc", row.get("doc"))
    response = checks.mapping(where, "model_response", row.get("model_response"))
    scores = checks.mapping(where, "metric", row.get("metric"))
    choices = tuple(
        checks.text(where, "doc.choices", one)
        for one in checks.list_(where, "doc.choices", doc.get("choices"))
    )
    gold = _gold(where, doc.get("gold_index"), choices)
    likely = response.get("logprobs") or []
    answers: dict[str, Answer]
    if checks.list_(where, "model_response.logprobs", likely):
        numbers = [checks.number(where, "model_response.logprobs", one) for one in likely]
        if len(numbers) != len(choices):
            problem = f"are not as many as the {len(choices)} choices"
            raise checks.wrong(where, "model_response.logprobs", len(numbers), problem, checks.AGAIN)
        answers = dict.fromkeys(LIKELIEST.intersection(metrics), numbers.index(max(numbers)))
    else:
        answers = dict.fromkeys(metrics, _reply(where, response))
    own = {key: scores[key] for key in metrics if isinstance(scores.get(key), bool | int | float)}
    return LoggedExample(
        line=line,
        id=checks.identifier(where, "doc.id", doc.get("id")),
        asked=checks.text(where, "doc.query", doc.get("query")),
        fields=checks.mapping(where, "doc.specific", doc.get("specific")),
        choices=tuple(choice.removeprefix(" ") for choice in choices) if likely else (),
        gold=gold if likely else tuple(choices[place].strip() for place in gold),
        answers=answers,
        scores={key: checks.number(where, key, float(value)) for key, value in own.items()},
    )


def _gold(where: str, value: Any, choices: tuple[str, ...]) -> tuple[int, ...]:
    places = value if isinstance(value, list) else [value]
    for place in places:
        if checks.count(where, "doc.gold_index", place) >= len(choices):
            raise checks.wrong(
                where, "doc.gold_index", place, f"is none of the {len(choices)} choices", checks.AGAIN
            )
    if not places:
        raise checks.wrong(where, "doc.gold_index", value, "has no right answer", checks.AGAIN)
    return tuple(places)


def _reply(where: str, response: dict[str, Any]) -> str | None:
    """The text that the model answered, as lighteval scores it; None where there is none."""
    said = response.get("text_post_processed") or response.get("text") or []
    replies = checks.list_(where, "model_response.text", said)
    return checks.text(where, "model_response.text", replies[0]).strip() if replies else None
