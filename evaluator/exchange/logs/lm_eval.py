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
``acc_norm`` per character of the choice (`lm_eval.api.task.ConfigurableTask.process_results`). Numbers are
written as texts, and so are lists of right answers. Before version 0.4.7 rows have no ``filter``.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.data.nodes import Node, wrong
from evaluator.data.tasks import is_text
from evaluator.exchange.logs.base import (
    AGAIN,
    NONE,
    Answer,
    EvaluationLog,
    LoggedExample,
    LoggedExamples,
    LoggedTask,
    document,
)
from evaluator.exchange.logs.published import (
    UNKNOWN,
    name_if_any,
    public,
    scores_of,
    setting,
    settings_of,
    version,
    word_if_any,
)
from evaluator.records.errors import UserError

TOOL = "lm-evaluation-harness"
HOME = "https://github.com/EleutherAI/lm-evaluation-harness"
FIX = "give the samples_*.jsonl as the harness wrote it, or move it away"
#: Arguments of a model that decide its numbers. Others may hold keys, hosts and folders, and stay out.
ARGUMENTS = (
    "pretrained", "model", "peft", "delta", "tokenizer", "revision", "subfolder", "dtype", "max_length",
    "max_gen_toks", "add_bos_token", "load_in_8bit", "load_in_4bit", "gptqmodel", "autogptq", "quantization",
    "temperature", "enable_thinking",
)  # fmt: skip
#: Metrics that the harness gives as shares of one in every task but those of `PERCENTS`.
SHARES = frozenset({"acc", "acc_norm", "acc_bytes", "acc_mutual_info", "exact_match"})
#: Tasks whose own code gives F1 as a share of one, by the start of their names.
F1_SHARES = ("coqa", "drop", "mlqa", "qasper", "record", "xquad")
#: Tasks whose own code gives these metrics in per cent, by the start of their names.
PERCENTS = {
    "squadv2": (
        "exact",
        "f1",
        "HasAns_exact",
        "HasAns_f1",
        "NoAns_exact",
        "NoAns_f1",
        "best_exact",
        "best_f1",
    ),
    "scrolls_": ("em", "f1", "rouge1", "rouge2", "rougeL"),
}
#: What of a task's settings is said elsewhere, or is of the model.
NOT_COMPARED = ("task", "task_alias", "tag", "group", "num_fewshot", "metadata", "generation_kwargs", "class")
SEEDS = ("random_seed", "numpy_seed", "torch_seed", "fewshot_seed")
#: Metrics whose answer is the likeliest choice, as it is or per character.
LIKELIEST, PER_CHARACTER = ("acc", "brier_score", "likelihood"), ("acc_norm",)
#: The first version whose rows name their filter.
FILTER_SINCE = "0.4.7"
#: What a JSON file with ``results`` has, of which any is enough, that tells the harness from other programs.
OWN = frozenset({"config", "configs", "versions", "n-shot", "n-samples", "lm_eval_version", "git_hash", ","})
_LAST = datetime(2200, 1, 1, tzinfo=UTC).timestamp()


def is_log(whole: Node) -> bool:
    """Whether a JSON file is of the harness."""
    return isinstance(whole.get("results"), dict) and not OWN.isdisjoint(_said(whole))


def _said(whole: Node) -> Iterator[str]:
    """The keys of the file, and ``,`` where a task has a number under ``metric,filter``."""
    yield from whole.value
    for task in whole.value["results"].values():
        if isinstance(task, dict) and any("," in key for key in task):
            yield ","


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
        model=_model(whole, config),
        git=word_if_any(whole.get("git_hash")),
        date=_date(whole),
        model_kind=None if config.get("model") in UNKNOWN else public(config.get("model")),
        model_arguments=_arguments(config),
        limit=f"{config.number('limit'):g}" if config.has("limit") else None,
        chat_template=bool(whole.get("chat_template")),
        summaries=frozenset(_groups(whole, results)),
    )


def _groups(whole: Node, results: Node) -> Iterator[str]:
    """The groups of tasks, whose numbers are means over tasks that are here, too."""
    for name, parts in whole.part("group_subtasks").value.items():
        if isinstance(parts, list) and not results.value.keys().isdisjoint(map(str, parts)):
            yield name


def _model(whole: Node, config: Node) -> str | None:
    """What the harness calls the model: newer versions say it, older ones have it among the arguments."""
    arguments = _given_arguments(config)
    said = (whole.get("model_name"), arguments.get("pretrained"), arguments.get("model"))
    return next(filter(None, map(name_if_any, said)), None)


def _date(whole: Node) -> str | None:
    if not whole.has("date"):
        return None
    seconds = whole.number("date")
    if not 0 <= seconds < _LAST:
        raise whole.wrong("date", "is no time of a run", "give seconds since 1970, as the harness does")
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _given_arguments(config: Node) -> dict[str, Any]:
    """A model's arguments. They are ``name=value,name=value``, or an object."""
    given = config.get("model_args")
    if isinstance(given, str):
        pairs = [part.split("=", 1) for part in given.split(",")]
        return {pair[0].strip(): pair[1].strip() for pair in pairs if len(pair) == 2}
    if given is not None and not isinstance(given, dict):
        raise config.wrong("model_args", "is neither a text nor an object", AGAIN)
    return given or {}


def _arguments(config: Node) -> dict[str, str]:
    """What of a model's arguments may be published."""
    given = _given_arguments(config)
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
    samples, config = _samples_file(path, name), whole.part("configs").part(name)
    delimiter = config.text("target_delimiter") if config.has("target_delimiter") else " "
    percents = next((some for start, some in PERCENTS.items() if name.startswith(start)), ())
    return LoggedTask(
        name=name,
        values=values,
        errors=errors,
        shares=frozenset(_shares(name, config, values)) - _keys(values, percents),
        percents=_keys(values, percents),
        higher={metric: flag for metric, flag in higher.items() if isinstance(flag, bool)},
        version=version(whole.part("versions"), name),
        shots=shots,
        effective=effective,
        original=original,
        settings=_settings(whole),
        definition=_definition(whole, name, config),
        examples=None if samples is None else partial(_examples, samples, tuple(values), delimiter),
    )


def _keys(values: Iterable[str], metrics: Iterable[str]) -> frozenset[str]:
    """The keys, ``metric,filter``, of some metrics."""
    return frozenset(key for key in values if key.partition(",")[0] in metrics)


def _shares(task: str, config: Node, values: Iterable[str]) -> frozenset[str]:
    """The numbers that are shares of one. F1 is one where the harness computes it, not code of the task."""
    listed = config.entries("metric_list") if isinstance(config.get("metric_list"), list) else []
    own = [one.get("metric") for one in listed if isinstance(one.value, dict)]
    is_own = "f1" in own and not config.has("process_results")
    return _keys(values, {*SHARES, "f1"} if is_own or task.startswith(F1_SHARES) else SHARES)


def _settings(whole: Node) -> dict[str, str]:
    """What a source says in words: what was asked for when the harness was run."""
    config = whole.part("config")
    given = config.get("gen_kwargs")
    found = settings_of(config.part("gen_kwargs"), given) if isinstance(given, dict) else {}
    found |= settings_of(config, [] if isinstance(given, dict) else ["gen_kwargs"])
    return found | settings_of(whole, ["system_instruction", "fewshot_as_multiturn"])


def _definition(whole: Node, name: str, config: Node) -> dict[str, str]:
    """How the task asks and scores, which a changed definition of the same version may decide anew."""
    found = settings_of(config, [key for key in config.value if key not in NOT_COMPARED])
    generation = config.part("generation_kwargs")
    found |= settings_of(generation, generation.value, "generation_kwargs")
    if subtasks := setting(whole.part("group_subtasks").get(name)):
        found["subtasks"] = subtasks
    return found | settings_of(whole.part("config"), SEEDS)


def _samples_file(path: Path, task: str) -> Path | None:
    """The file of the examples of a task: beside the results, and of the same date."""
    if not is_text(task) or "/" in task or not path.name.startswith("results_"):
        return None
    date = path.name.removeprefix("results_").removesuffix(".json")
    found = path.with_name(f"samples_{task}_{date}.jsonl")
    return found if found.is_file() else None


def _examples(path: Path, metrics: tuple[str, ...], delimiter: str) -> LoggedExamples:
    """The examples, each of which has a row for each filter. `metrics` are those of the results.

    `delimiter` is between a prompt and what might follow it.
    """
    found: dict[str, LoggedExample] = {}
    unusable = []
    with path.open("rb") as file:
        for line, content in enumerate(file, start=1):
            try:
                row = document(path, content, f"{path}:{line}", FIX)
                one = _example(line, row, metrics, delimiter)
                found[one.id] = _joined(row, found[one.id], one) if one.id in found else one
            except UserError as error:
                unusable.append(error)
    if not found and not unusable:
        raise UserError(path, "has no examples", AGAIN)
    return LoggedExamples(path, tuple(found.values()), tuple(unusable))


def _joined(row: Node, first: LoggedExample, second: LoggedExample) -> LoggedExample:
    """One example with what two filters made of its answer."""
    if set(first.answers) & set(second.answers):
        raise row.wrong("doc_id", f"is there already on line {first.line}, with the same filter", FIX)
    if (first.gold, first.choices) != (second.gold, second.choices):
        raise row.wrong("target", f"is not that of line {first.line}", FIX)
    answers, scores = {**first.answers, **second.answers}, {**first.scores, **second.scores}
    return first._replace(answers=answers, scores=scores)


def _example(line: int, row: Node, metrics: tuple[str, ...], delimiter: str) -> LoggedExample:
    end = f",{_filter(row, metrics)}"
    mine = {key: key.removesuffix(end) for key in metrics if key.endswith(end)}
    prompts, ends = _requests(row)
    replies = row.entries("filtered_resps")
    choices = _choices(ends, delimiter) if len(ends) > 1 else ()
    answers: dict[str, Answer] = {}
    gold: tuple[Answer, ...] = ()
    if not choices:
        # Only what was generated is an answer; else the one reply is how likely a text is.
        answers = dict.fromkeys(mine, _reply(row, replies)) if ends == [None] else {}
        gold = _gold(row, ())
    elif len(set(prompts)) == 1:
        if len(replies) < len(choices):
            raise row.wrong("filtered_resps", f"are not as many as the {len(choices)} choices", FIX)
        likely = [_log_likelihood(reply) for reply in replies[: len(choices)]]
        lengths = [len(choice) for choice in choices]
        choices = tuple(choice.removeprefix(" ") for choice in choices)
        answers, gold = _likeliest(likely, lengths, mine), _gold(row, choices)
    # Else the choices are in the prompts, and the row does not say which of them is right.
    return LoggedExample(
        line=line,
        id=str(row.name("doc_id")),
        asked=prompts[0],
        fields=row.part("doc").value,
        choices=choices if gold else (),
        gold=gold,
        answers=answers,
        scores=scores_of(row, mine),
    )


def _filter(row: Node, metrics: tuple[str, ...]) -> str:
    """The filter that a row is of: the only one of the results where rows do not say it."""
    if row.get("filter") is not None or "filter" in row.value:
        return row.text("filter")
    filters = {key.partition(",")[2] for key in metrics}
    if len(filters) != 1:
        problem = f"missing, and the results have the filters {', '.join(sorted(filters))}"
        fix = f"run it with lm-evaluation-harness {FILTER_SINCE} or later, {NONE}"
        raise UserError(f"{row.where}: filter", problem, fix)
    [only] = filters
    return only


def _requests(row: Node) -> tuple[list[str], list[str | None]]:
    """The prompts, and what might follow each; None where the model was to write it.

    For mutual information the choices follow once more, after no prompt at all.
    """
    requests = row.part("arguments")
    if not requests.value:
        raise row.wrong("arguments", "says not what was asked", FIX)
    asked = [requests.part(name) for name in requests.value]
    prompts = [one.text("arg_0") for one in asked]
    # Of one text that is scored whole there is no second argument.
    ends = [None if isinstance(one.get("arg_1"), dict) else str(one.get("arg_1") or "") for one in asked]
    half = len(asked) // 2
    if half > 1 and any(prompts[:half]) and not any(prompts[half:]) and ends[:half] == ends[half:]:
        return prompts[:half], ends[:half]
    return prompts, ends


def _choices(ends: list[str | None], delimiter: str) -> tuple[str, ...]:
    """What might follow a prompt, without the delimiter, which chat templates leave out."""
    texts = [end or "" for end in ends]
    whole = all(text.startswith(delimiter) for text in texts)
    return tuple(text.removeprefix(delimiter) if whole else text for text in texts)


def _likeliest(likely: list[float], lengths: list[int], metrics: dict[str, str]) -> dict[str, Answer]:
    """The choice that each metric takes for the answer; metrics that rest on something else are left out."""
    by_character = [value / max(1, length) for value, length in zip(likely, lengths, strict=True)]
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
    target = replace(target, value=_as_list(target.value))
    targets = target.items() if isinstance(target.value, list) else [target]
    if not targets:
        raise row.wrong("target", "has no right answer", FIX)
    return tuple(_target(one, choices) for one in targets)


def _as_list(target: Any) -> Any:
    """A list of right answers that the harness wrote as a text, ``['a', 'b']`` or ``[0, 2]``."""
    if not (isinstance(target, str) and target.startswith("[") and target.endswith("]")):
        return target
    try:
        found = ast.literal_eval(target)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return target
    is_list = isinstance(found, list) and found and repr(found) == target
    return found if is_list and {type(one) for one in found} in ({str}, {int}) else target


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
