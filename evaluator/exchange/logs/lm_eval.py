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
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from evaluator.data.nodes import Node, wrong
from evaluator.data.tasks import is_text
from evaluator.exchange.logs.base import (
    AGAIN,
    UNKNOWN,
    Answer,
    EvaluationLog,
    LoggedExample,
    LoggedExamples,
    LoggedTask,
    document,
    public,
    scores_of,
    version,
    word_if_any,
)

TOOL = "lm-evaluation-harness"
HOME = "https://github.com/EleutherAI/lm-evaluation-harness"
FIX = "give the samples_*.jsonl as the harness wrote it, or move it away"
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


def is_log(whole: Node) -> bool:
    """Whether a JSON file is of the harness."""
    return "results" in whole.value


def read(path: Path, whole: Node) -> EvaluationLog:
    """The log in a file. Raises `UserError`."""
    results, config = whole.part("results"), whole.part("config")
    if not results.value:
        raise whole.wrong("results", "has no tasks", "give a results_*.json of lm-evaluation-harness 0.4")
    return EvaluationLog(
        path=path,
        tool=TOOL,
        home=HOME,
        # Where the harness finds no version or commit, what it writes instead is not a single word.
        tool_version=word_if_any(whole.get("lm_eval_version")),
        tasks=tuple(results.value),
        read_task=partial(_task, path, whole),
        shares=SHARES,
        git=word_if_any(whole.get("git_hash")),
        date=_date(whole),
        model_kind=None if config.get("model") in UNKNOWN else public(config.get("model")),
        model_arguments=_arguments(config),
        limit=f"{config.number('limit'):g}" if config.has("limit") else None,
        chat_template=bool(whole.get("chat_template")),
    )


def _date(whole: Node) -> str | None:
    if not whole.has("date"):
        return None
    seconds = whole.number("date")
    if not 0 <= seconds < _LAST:
        raise whole.wrong("date", "is no time of a run", "give seconds since 1970, as the harness does")
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _arguments(config: Node) -> dict[str, str]:
    """What of a model's arguments may be published. They are ``name=value,name=value``, or an object."""
    given = config.get("model_args")
    if isinstance(given, str):
        pairs = [part.split("=", 1) for part in given.split(",")]
        given = {pair[0].strip(): pair[1].strip() for pair in pairs if len(pair) == 2}
    elif given is not None and not isinstance(given, dict):
        raise config.wrong("model_args", "is neither a text nor an object", AGAIN)
    given = given or {}
    return {name: public(given[name]) for name in ARGUMENTS if isinstance(given.get(name), str | int | float)}


def _task(path: Path, whole: Node, name: str) -> LoggedTask:
    numbers = {key: one for key, one in whole.part("results").part(name).value.items() if "," in key}
    errors = {key.replace("_stderr,", ",", 1): value for key, value in numbers.items() if "_stderr," in key}
    values = {key: value for key, value in numbers.items() if "_stderr," not in key}
    higher = whole.part("higher_is_better").part(name).value
    said = ((whole.part("n-shot"), name), (whole.part("configs").part(name), "num_fewshot"))
    shots = next((node.count(key) for node, key in said if node.get(key) not in UNKNOWN), None)
    effective = original = None
    answered = whole.part("n-samples").part(name)
    if answered.value:
        effective, original = answered.count("effective"), answered.count("original")
        if not 0 < effective <= original:
            fix = "give at least one example, and no more than there are"
            raise answered.wrong("effective", f"does not fit {original}", fix)
    samples = _samples_file(path, name)
    return LoggedTask(
        name=name,
        values=values,
        errors=errors,
        higher={metric: flag for metric, flag in higher.items() if isinstance(flag, bool)},
        version=version(whole.part("versions"), name),
        shots=shots,
        effective=effective,
        original=original,
        examples=None if samples is None else partial(_examples, samples, tuple(values)),
    )


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
    with path.open("rb") as file:
        for line, content in enumerate(file, start=1):
            row = document(path, content, f"{path}:{line}", FIX)
            one = _example(line, row, metrics)
            found[one.id] = _joined(row, found[one.id], one) if one.id in found else one
    return LoggedExamples.of(path, found.values())


def _joined(row: Node, first: LoggedExample, second: LoggedExample) -> LoggedExample:
    """One example with what two filters made of its answer."""
    if set(first.answers) & set(second.answers):
        raise row.wrong("doc_id", f"is there already on line {first.line}, with the same filter", FIX)
    if (first.gold, first.choices) != (second.gold, second.choices):
        raise row.wrong("target", f"is not that of line {first.line}", FIX)
    answers, scores = {**first.answers, **second.answers}, {**first.scores, **second.scores}
    return first._replace(answers=answers, scores=scores)


def _example(line: int, row: Node, metrics: tuple[str, ...]) -> LoggedExample:
    end = f",{row.text('filter')}"
    mine = {key: key.removesuffix(end) for key in metrics if key.endswith(end)}
    prompt, choices = _prompt(row)
    replies = row.entries("filtered_resps")
    answers: dict[str, Answer]
    if len(choices) > 1:
        if len(replies) != len(choices):
            raise row.wrong("filtered_resps", f"are not as many as the {len(choices)} choices", FIX)
        answers = _likeliest([_log_likelihood(reply) for reply in replies], choices, mine)
    else:
        choices, answers = (), dict.fromkeys(mine, _reply(row, replies))
    return LoggedExample(
        line=line,
        id=str(row.name("doc_id")),
        asked=prompt,
        fields=row.part("doc").value,
        choices=choices,
        gold=_gold(row, choices),
        answers=answers,
        scores=scores_of(row, mine),
    )


def _prompt(row: Node) -> tuple[str, tuple[str, ...]]:
    """The prompt, and what might follow it: as many texts as there were requests."""
    requests = row.part("arguments")
    if not requests.value:
        raise row.wrong("arguments", "says not what was asked", FIX)
    asked = [requests.part(name) for name in requests.value]
    ends = [end if isinstance(end := one.get("arg_1"), str) else "" for one in asked]
    return asked[0].text("arg_0"), tuple(end.removeprefix(" ") for end in ends)


def _likeliest(likely: list[float], choices: tuple[str, ...], metrics: dict[str, str]) -> dict[str, Answer]:
    """The choice that each metric takes for the answer; metrics that rest on something else are left out."""
    by_character = [value / max(1, len(choice)) for value, choice in zip(likely, choices, strict=True)]
    answers: dict[str, Answer] = {}
    for key, name in metrics.items():
        if name in LIKELIEST:
            answers[key] = likely.index(max(likely))
        elif name in PER_CHARACTER:
            answers[key] = by_character.index(max(by_character))
    return answers


def _log_likelihood(reply: Node) -> float:
    """The first of a pair, which the harness writes as a text; the second says whether it is greedy."""
    value = reply.value[0] if isinstance(reply.value, list) and reply.value else reply.value
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not found <= 0:
        raise wrong(reply.place, reply.value, "is not a log-likelihood", FIX, reply.where)
    return found


def _reply(row: Node, replies: list[Node]) -> str | None:
    """The text that is left of the answer; None where a filter left nothing."""
    if len(replies) != 1:
        fix = "only tasks with one answer an example can be taken example by example"
        raise row.wrong("filtered_resps", "are not one answer", fix)
    [reply] = replies
    if isinstance(reply.value, list) and len(reply.value) == 1:
        [reply] = reply.items()
    return None if reply.value is None else reply.as_text()


def _gold(row: Node, choices: tuple[str, ...]) -> tuple[Answer, ...]:
    """The right answers: places of choices, or texts."""
    target = row.child("target")
    targets = target.items() if isinstance(target.value, list) else [target]
    if not targets:
        raise row.wrong("target", "has no right answer", FIX)
    return tuple(_target(one, choices) for one in targets)


def _target(node: Node, choices: tuple[str, ...]) -> Answer:
    target = node.value
    if not choices:
        return str(target) if isinstance(target, int | float) else node.as_text()
    if isinstance(target, str) and target.removeprefix(" ") in choices:
        return choices.index(target.removeprefix(" "))
    place = int(target) if isinstance(target, str) and target.isdecimal() and len(target) < 9 else target
    if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(choices):
        raise wrong(node.place, target, f"is none of the {len(choices)} choices", FIX, node.where)
    return place
