"""Reads ``results_*.json`` of Hugging Face's lighteval, and its details in Parquet.

The format is what `lighteval.logging.evaluation_tracker.EvaluationTracker` saves. In
``results/MODEL/results_DATE.json``, ``results`` has numbers by ``task|shots`` and metric, with
``METRIC_stderr`` beside them; ``all`` has means over tasks. With ``--save-details`` there is
``details/MODEL/DATE/details_TASK|SHOTS_DATE.parquet``, a row an example in no order: ``doc`` (``id``, the
number of the example in the task, ``query``, ``choices``, ``gold_index``, ``specific``), ``model_response``
(``text``, ``logprobs``) and ``metric``. The files seldom say which version of lighteval wrote them.

Before 0.11 a row has no id, but ``example`` (what was asked), ``choices`` with ``gold_index`` or ``gold``
alone, ``predictions`` (texts, or log-probabilities of the choices), ``metrics`` and ``specifics``. The
settings of a task may be kept under its name without the shots, and its version under ``versions``.

Where a response has a log-probability for each choice, the answer is the likeliest; this is what the metric
``acc`` is about, but no metric that divides by lengths.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.data.nodes import Node, finite
from evaluator.exchange.logs.base import (
    AGAIN,
    Answer,
    EvaluationLog,
    LoggedExample,
    LoggedExamples,
    LoggedTask,
    pyarrow,
)
from evaluator.exchange.logs.published import (
    name_if_any,
    public,
    scores_of,
    settings_of,
    version,
    word_if_any,
)
from evaluator.records.errors import UserError

TOOL = "lighteval"
HOME = "https://github.com/huggingface/lighteval"
SHARES = frozenset(
    {"acc", "acc_norm", "em", "qem", "pem", "pqem", "f1", "extractive_match", "mcc_single_token"}
)
#: What of a task's settings decides its numbers, beside shots and version.
DEFINITION = (
    "name", "prompt_function", "hf_repo", "hf_subset", "hf_revision", "hf_filter", "evaluation_splits",
    "few_shots_split", "few_shots_select", "generation_size", "generation_grammar", "stop_sequence",
    "num_samples", "must_remove_duplicate_docs", "suite", "metrics", "metric", "solver", "scorer",
)  # fmt: skip
#: What of a model's settings decides how it is asked.
ASKED = (
    "system_prompt", "use_chat_template", "override_chat_template", "max_length", "add_special_tokens",
    "multichoice_continuations_start_space", "pairwise_tokenization", "reasoning_effort",
)  # fmt: skip
#: Metrics whose answer is the likeliest choice as it is.
LIKELIEST = frozenset({"acc", "loglikelihood_acc"})
ERROR = "_stderr"
#: The columns of the details, now and before 0.11.
NOW = ["doc", "model_response", "metric"]
BEFORE = ("example", "choices", "gold", "gold_index", "predictions", "metrics", "specifics")
#: The entry that has means over tasks.
ALL = "all"


def is_log(whole: Node) -> bool:
    """Whether a JSON file is of lighteval."""
    return "config_general" in whole.value


def is_copy(path: Path) -> bool:
    """Whether a file is the same as the one of its name in ``results``: the first versions write both."""
    roots = [folder for folder in path.parents if folder.name == "details"]
    if not roots:
        return False
    other = roots[0].with_name("results") / path.relative_to(roots[0])
    return other.is_file() and other.read_bytes() == path.read_bytes()


def read(path: Path, whole: Node) -> EvaluationLog:
    """The log in a file. Raises `UserError`."""
    results, config = whole.part("results"), whole.part("config_general")
    if not results.value:
        raise whole.wrong("results", "has no tasks", AGAIN)
    return EvaluationLog(
        path=path,
        tool=TOOL,
        home=HOME,
        tool_version=word_if_any(config.get("lighteval_sha")),
        tasks=tuple(results.value),
        read_task=partial(_task, path, whole),
        summaries=frozenset({ALL}),
        model=name_if_any(config.get("model_name") or config.part("model_config").get("model_name")),
        date=_date(path),
        model_arguments={"model": public(config.get("model_name"))} if config.has("model_name") else {},
        limit=f"{config.number('max_samples'):g}" if config.has("max_samples") else None,
    )


def _date(path: Path) -> str | None:
    """The day in the file's name; the times in the file count from when the machine started."""
    stamp = path.stem.removeprefix("results_")[:10]
    try:
        return datetime.strptime(stamp, "%Y-%m-%d").replace(tzinfo=UTC).strftime("%Y-%m-%d")
    except ValueError:
        return None


def _task(path: Path, whole: Node, name: str) -> LoggedTask:
    results = whole.part("results").part(name).value
    base, _, shots = name.rpartition("|")
    configs = whole.part("config_tasks")
    config = configs.part(name if configs.has(name) else base)
    values = {key: value for key, value in results.items() if not key.endswith(ERROR)}
    effective, original = (
        None if config.get(key) in (None, -1) else config.count(key)
        for key in ("effective_num_docs", "original_num_docs")
    )
    metrics = config.entries("metrics") if config.get("metrics") else []
    # A group of several metrics has lists of names and of directions, which are not looked at.
    said = [(row.get("metric_name"), row.get("higher_is_better")) for row in metrics]
    details = _details_file(path, name)
    return LoggedTask(
        name=name,
        values=values,
        shares=frozenset(SHARES.intersection(values)),
        errors={key.removesuffix(ERROR): value for key, value in results.items() if key.endswith(ERROR)},
        higher={key: flag for key, flag in said if isinstance(key, str) and isinstance(flag, bool)},
        version=version(config, "version") or version(whole.part("versions"), name),
        shots=int(shots) if base and shots.isdecimal() and len(shots) < 6 else None,
        effective=effective,
        original=original,
        settings=_settings(whole.part("config_general")),
        definition=settings_of(config, DEFINITION)
        | settings_of(whole.part("config_general").part("model_config"), ASKED),
        examples=None if details is None else partial(_examples, details, tuple(values)),
    )


def _settings(config: Node) -> dict[str, str]:
    """What a source says in words: how few-shot examples were drawn, and how answers were generated."""
    model = config.part("model_config")
    generation = model.part("generation_parameters")
    seeds = settings_of(config, ["num_fewshot_seeds"])
    if seeds.get("num_fewshot_seeds") == "1":
        seeds = {}
    return seeds | settings_of(generation, generation.value)


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
    parquet, arrow = pyarrow(path, "pyarrow.parquet"), pyarrow(path)
    try:
        kept = set(parquet.read_schema(path).names)
        columns = [name for name in BEFORE if name in kept] if "example" in kept else NOW
        rows: list[Any] = parquet.read_table(path, columns=columns).to_pylist()
    except (arrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise UserError(path, f"no details in Parquet: {str(error)[:200]}", AGAIN) from None
    nodes = [Node(row, where=f"{path}:{line}") for line, row in enumerate(rows, start=1)]
    read = _example_before if "example" in kept else _example
    return LoggedExamples.of(path, (partial(read, line, node, metrics) for line, node in enumerate(nodes, 1)))


def _example_before(line: int, row: Node, metrics: tuple[str, ...]) -> LoggedExample:
    """An example as versions before 0.11 kept it; its id is a hash of what was asked."""
    said = [_said(one) for one in row.entries("predictions")]
    likely = [one for one in said if not isinstance(one, str)]
    choices, gold = row.get("choices"), row.get("gold_index")
    if not choices:  # texts, all of which are right
        choices = list(row.texts("gold"))
        gold = list(range(len(choices)))
    asked = json.dumps([row.text("example"), choices])
    doc = {
        "id": hashlib.sha256(asked.encode()).hexdigest()[:12],
        "query": row.text("example"),
        "choices": choices,
        "gold_index": gold,
        "specific": row.get("specifics"),
    }
    response = {"logprobs": likely} if likely else {"text": said}
    now = {"doc": doc, "model_response": response, "metric": row.get("metrics")}
    return _example(line, Node(now, where=row.where), metrics)


def _said(prediction: Node) -> Any:
    """A text, or a log-probability, which may be in a pair with whether that choice would be generated."""
    value = prediction.value
    return value[0] if isinstance(value, list) and value else value


def _example(line: int, node: Node, metrics: tuple[str, ...]) -> LoggedExample:
    doc, response = node.part("doc"), node.part("model_response")
    choices = doc.texts("choices")
    gold = _gold(doc, len(choices))
    likely = [
        finite(one.place, one.value, one.where)
        for one in (response.entries("logprobs") if response.get("logprobs") else [])
    ]
    answers: dict[str, Answer]
    if likely:
        if len(likely) != len(choices):
            problem = f"are not as many as the {len(choices)} choices"
            raise response.wrong("logprobs", problem, AGAIN)
        answers = dict.fromkeys(LIKELIEST.intersection(metrics), likely.index(max(likely)))
    else:
        answers = dict.fromkeys(metrics, _reply(response))
    return LoggedExample(
        line=line,
        id=str(doc.name("id")),
        asked=doc.text("query"),
        fields=doc.part("specific").value,
        choices=tuple(choice.removeprefix(" ") for choice in choices) if likely else (),
        gold=gold if likely else tuple(choices[place].strip() for place in gold),
        answers=answers,
        scores=scores_of(node.part("metric"), {key: key for key in metrics}),
    )


def _gold(doc: Node, choices: int) -> tuple[int, ...]:
    """The places of the right choices, of which there may be one or a list."""
    value = doc.get("gold_index")
    places = value if isinstance(value, list) else [value]
    for place in places:
        if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < choices:
            raise doc.wrong("gold_index", f"is none of the {choices} choices", AGAIN)
    if not places:
        raise doc.wrong("gold_index", "has no right answer", AGAIN)
    return tuple(places)


def _reply(response: Node) -> str | None:
    """The text that the model answered, as lighteval scores it; None where there is none."""
    key = "text_post_processed" if response.get("text_post_processed") else "text"
    replies = response.texts(key) if response.get(key) else ()
    return replies[0].strip() if replies else None
