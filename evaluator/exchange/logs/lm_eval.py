"""Reads ``results_*.json`` and ``samples_*.jsonl`` of EleutherAI's lm-evaluation-harness, version 0.4.

The format is what `lm_eval.evaluator.simple_evaluate` returns and `lm_eval.loggers.EvaluationTracker` saves:
``results`` holds numbers by task and ``"metric,filter"``, with ``"metric_stderr,filter"`` beside them;
``versions``, ``n-shot``, ``n-samples`` ({original, effective}) and ``higher_is_better`` are by task;
``config`` has the kind of model, its arguments and the limit; ``lm_eval_version``, ``git_hash`` and ``date``
(seconds since 1970) are of the whole. Later minor versions add fields, which are not looked at.

With ``--log_samples`` there is a ``samples_TASK_*.jsonl`` beside it for each task, a row for each example and
filter: ``doc_id``, ``doc`` (the example's own fields), ``target``, ``arguments`` (what was asked),
``filtered_resps`` and a number for each metric. Where the answer is a choice, ``filtered_resps`` has the
log-likelihood of each, and the answer that a metric is about is the choice with the greatest, for
``acc_norm`` per character of the choice (`lm_eval.api.task.ConfigurableTask.process_results`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.data.tasks import is_text
from evaluator.exchange.logs import checks
from evaluator.exchange.logs.base import Answer, EvaluationLog, LoggedExample, LoggedExamples, LoggedTask
from evaluator.records.errors import UserError

TOOL = "lm-evaluation-harness"
HOME = "https://github.com/EleutherAI/lm-evaluation-harness"
FIX = "give a results_*.json of lm-evaluation-harness 0.4"
FIX_SAMPLES = "give the samples_*.jsonl as the harness wrote it, or move it away"
#: Arguments of a model that decide its numbers. Others may hold keys, hosts and folders, and stay out.
ARGUMENTS = (
    "pretrained", "model", "peft", "delta", "tokenizer", "revision", "subfolder", "dtype", "max_length",
    "max_gen_toks", "add_bos_token", "load_in_8bit", "load_in_4bit", "gptqmodel", "autogptq", "quantization",
    "temperature", "enable_thinking",
)  # fmt: skip
#: Metrics that the harness gives as shares of one in most tasks.
SHARES = frozenset({"acc", "acc_norm", "acc_bytes", "acc_mutual_info", "exact_match", "f1"})
#: Metrics whose answer is the likeliest choice, as it is or per character.
LIKELIEST, PER_CHARACTER = ("acc", "exact_match", "brier_score", "likelihood"), ("acc_norm",)
_LAST = datetime(2200, 1, 1, tzinfo=UTC).timestamp()


def is_log(document: Mapping[str, Any]) -> bool:
    """Whether a JSON file is of the harness."""
    return "results" in document


def read(path: Path, content: bytes, document: dict[str, Any]) -> EvaluationLog:
    """The log in a file of that content. Raises `UserError`."""
    results = document.get("results")
    if not isinstance(results, dict) or not results:
        raise checks.wrong(path, "results", results, "has no tasks", FIX)
    config = checks.mapping(path, "config", document.get("config"))
    limit = config.get("limit")
    return EvaluationLog(
        path=path,
        sha256=checks.hash_of(content),
        tool=TOOL,
        home=HOME,
        # Where the harness finds no version or commit, what it writes instead is not a single word.
        tool_version=checks.word_if_any(document.get("lm_eval_version")) or "of unknown version",
        tasks=tuple(results),
        read_task=partial(_task, path, document),
        shares=SHARES,
        git=checks.word_if_any(document.get("git_hash")),
        date=_date(path, document.get("date")),
        model_kind=None if config.get("model") in checks.UNKNOWN else checks.public(config["model"]),
        model_arguments=_arguments(path, config.get("model_args")),
        # How many examples of each task, or which share of them; None for all.
        limit=None if limit is None else f"{checks.number(path, 'config.limit', limit):g}",
        chat_template=bool(document.get("chat_template")),
    )


def _date(path: Path, value: Any) -> str | None:
    if value is None:
        return None
    seconds = checks.number(path, "date", value)
    if not 0 <= seconds < _LAST:
        fix = "give seconds since 1970, as the harness does"
        raise checks.wrong(path, "date", value, "is no time of a run", fix)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _arguments(path: Path, value: Any) -> dict[str, str]:
    """What of a model's arguments may be published. They are ``name=value,name=value``, or an object."""
    if value is None:
        return {}
    if isinstance(value, str):
        pairs = [part.split("=", 1) for part in value.split(",")]
        value = {pair[0].strip(): pair[1].strip() for pair in pairs if len(pair) == 2}
    if not isinstance(value, dict):
        fix = "give the file as the harness wrote it"
        raise checks.wrong(path, "config.model_args", value, "is neither a text nor an object", fix)
    return {
        name: checks.public(value[name])
        for name in ARGUMENTS
        if isinstance(value.get(name), str | int | float)
    }


def _task(path: Path, document: Mapping[str, Any], name: str) -> LoggedTask:
    results = checks.mapping(path, f"results.{name}", document["results"].get(name))
    numbers = {key: value for key, value in results.items() if "," in key}
    errors = {key.replace("_stderr,", ",", 1): value for key, value in numbers.items() if "_stderr," in key}
    values = {key: value for key, value in numbers.items() if "_stderr," not in key}
    higher = _of_task(path, document, "higher_is_better", name)
    effective, original = _samples(path, document, name)
    samples = _samples_file(path, name)
    return LoggedTask(
        name=name,
        values=values,
        errors=errors,
        higher={metric: flag for metric, flag in higher.items() if isinstance(flag, bool)},
        version=checks.version(
            path, f"versions.{name}", checks.mapping(path, "versions", document.get("versions")).get(name)
        ),
        shots=_shots(path, document, name),
        effective=effective,
        original=original,
        examples=None if samples is None else partial(_examples, samples, tuple(values)),
    )


def _of_task(path: Path, document: Mapping[str, Any], table: str, task: str) -> dict[str, Any]:
    """What a table of the file says of a task."""
    return checks.mapping(path, f"{table}.{task}", checks.mapping(path, table, document.get(table)).get(task))


def _shots(path: Path, document: Mapping[str, Any], task: str) -> int | None:
    where, value = f"n-shot.{task}", checks.mapping(path, "n-shot", document.get("n-shot")).get(task)
    if value in checks.UNKNOWN:
        where = f"configs.{task}.num_fewshot"
        value = _of_task(path, document, "configs", task).get("num_fewshot")
    return None if value in checks.UNKNOWN else checks.count(path, where, value)


def _samples(path: Path, document: Mapping[str, Any], task: str) -> tuple[int | None, int | None]:
    samples = _of_task(path, document, "n-samples", task)
    if not samples:
        return None, None
    effective, original = (
        checks.count(path, f"n-samples.{task}.{name}", samples.get(name))
        for name in ("effective", "original")
    )
    if not 0 < effective <= original:
        fix = "give at least one example, and no more than there are"
        raise checks.wrong(path, f"n-samples.{task}.effective", effective, f"does not fit {original}", fix)
    return effective, original


def _samples_file(path: Path, task: str) -> Path | None:
    """The file of the examples of a task: beside the results, and of the same date."""
    if not is_text(task) or "/" in task or not path.name.startswith("results_"):
        return None
    date = path.name.removeprefix("results_").removesuffix(".json")
    found = path.with_name(f"samples_{task}_{date}.jsonl")
    return found if found.is_file() else None


def _examples(path: Path, metrics: tuple[str, ...]) -> LoggedExamples:
    """The examples, each of which has a row for each filter. `metrics` are those of the results."""
    found: dict[str, LoggedExample] = {}
    for line, row in _rows(path):
        one = _example(f"{path}:{line}", line, row, metrics)
        found[one.id] = _joined(path, found[one.id], one) if one.id in found else one
    if not found:
        raise UserError(f"{path}: has no examples; {FIX_SAMPLES}")
    return LoggedExamples(path, tuple(found.values()))


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open("rb") as file:
        for line, content in enumerate(file, start=1):
            row = checks.parsed(f"{path}:{line}", content, FIX_SAMPLES)
            if not isinstance(row, dict):
                raise checks.wrong(f"{path}:{line}", "row", row, "is not an object", FIX_SAMPLES)
            yield line, row


def _joined(path: Path, first: LoggedExample, second: LoggedExample) -> LoggedExample:
    """One example with what two filters made of its answer."""
    if set(first.answers) & set(second.answers):
        where = f"{path}:{second.line}"
        problem = f"is there already on line {first.line}, with the same filter"
        raise checks.wrong(where, "doc_id", second.id, problem, FIX_SAMPLES)
    if (first.gold, first.choices) != (second.gold, second.choices):
        raise checks.wrong(
            f"{path}:{second.line}", "target", second.gold, f"is not {first.gold}", FIX_SAMPLES
        )
    answers, scores = first.answers | dict(second.answers), first.scores | dict(second.scores)  # type: ignore[operator]
    return first._replace(answers=answers, scores=scores)


def _example(where: str, line: int, row: dict[str, Any], metrics: tuple[str, ...]) -> LoggedExample:
    filter_ = checks.text(where, "filter", row.get("filter"))
    mine = [key for key in metrics if key.endswith(f",{filter_}")]
    prompt, choices = _prompt(where, row)
    replies = checks.list_(where, "filtered_resps", row.get("filtered_resps"))
    answers: dict[str, Answer]
    if len(choices) > 1:
        answers = _likeliest(where, replies, choices, mine)
    else:
        choices, answers = (), {key: _reply(where, replies) for key in mine}
    named = {key: key.removesuffix(f",{filter_}") for key in mine}
    return LoggedExample(
        line=line,
        id=checks.identifier(where, "doc_id", row.get("doc_id")),
        asked=prompt,
        fields=checks.mapping(where, "doc", row.get("doc")),
        choices=choices,
        gold=_gold(where, row.get("target"), choices),
        answers=answers,
        scores={
            key: checks.number(where, name, float(row[name]) if isinstance(row[name], bool) else row[name])
            for key, name in named.items()
            if isinstance(row.get(name), bool | int | float)
        },
    )


def _prompt(where: str, row: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The prompt, and what might follow it: as many texts as there were requests."""
    requests = checks.mapping(where, "arguments", row.get("arguments"))
    if not requests:
        raise checks.wrong(where, "arguments", row.get("arguments"), "says not what was asked", FIX_SAMPLES)
    pairs = []
    for name, request in requests.items():
        parts = checks.mapping(where, f"arguments.{name}", request)
        place = f"arguments.{name}.arg_0"
        ending = parts.get("arg_1")
        pairs.append(
            (checks.text(where, place, parts.get("arg_0")), ending if isinstance(ending, str) else "")
        )
    return pairs[0][0], tuple(ending.removeprefix(" ") for _, ending in pairs)


def _likeliest(
    where: str, replies: list[Any], choices: tuple[str, ...], metrics: list[str]
) -> dict[str, Answer]:
    """The choice that each metric takes for the answer; metrics that rest on something else are left out."""
    if len(replies) != len(choices):
        problem = f"are not as many as the {len(choices)} choices"
        raise checks.wrong(where, "filtered_resps", len(replies), problem, FIX_SAMPLES)
    likely = [_log_likelihood(where, place, reply) for place, reply in enumerate(replies)]
    by_character = [value / max(1, len(choice)) for value, choice in zip(likely, choices, strict=True)]
    answers: dict[str, Answer] = {}
    for key in metrics:
        name = key.partition(",")[0]
        if name in LIKELIEST:
            answers[key] = likely.index(max(likely))
        elif name in PER_CHARACTER:
            answers[key] = by_character.index(max(by_character))
    return answers


def _log_likelihood(where: str, place: int, reply: Any) -> float:
    """The first of a pair, which the harness writes as a text; the second says whether it is greedy."""
    field = f"filtered_resps.{place}"
    value = reply[0] if isinstance(reply, list) and reply else reply
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not found <= 0:
        raise checks.wrong(where, field, reply, "is not a log-likelihood", FIX_SAMPLES)
    return found


def _reply(where: str, replies: list[Any]) -> str | None:
    """The text that is left of the answer; None where a filter left nothing."""
    if len(replies) != 1:
        fix = "only tasks with one answer an example can be taken example by example"
        raise checks.wrong(where, "filtered_resps", len(replies), "are not one answer", fix)
    reply = replies[0]
    if isinstance(reply, list) and len(reply) == 1:
        reply = reply[0]
    return None if reply is None else checks.text(where, "filtered_resps.0", reply)


def _gold(where: str, target: Any, choices: tuple[str, ...]) -> tuple[Answer, ...]:
    """The right answers: places of choices, or texts."""
    targets = target if isinstance(target, list) else [target]
    if not targets:
        raise checks.wrong(where, "target", target, "has no right answer", FIX_SAMPLES)
    return tuple(_target(where, one, choices) for one in targets)


def _target(where: str, target: Any, choices: tuple[str, ...]) -> Answer:
    if not choices:
        return str(target) if isinstance(target, int | float) else checks.text(where, "target", target)
    if isinstance(target, str) and target.removeprefix(" ") in choices:
        return choices.index(target.removeprefix(" "))
    place = int(target) if isinstance(target, str) and target.isdecimal() and len(target) < 9 else target
    if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(choices):
        raise checks.wrong(where, "target", target, f"is none of the {len(choices)} choices", FIX_SAMPLES)
    return place
