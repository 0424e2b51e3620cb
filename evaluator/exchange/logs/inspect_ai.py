"""Reads logs of Inspect, version 0.3: ``.json``, or ``.eval``, which is a zip of JSON files.

The format is `inspect_ai.log.EvalLog`, version 2. ``eval`` has task, model, dataset and the packages'
versions; ``results.scores`` has for each scorer its metrics, of which ``stderr`` is the standard error of the
others; ``samples`` have ``id``, ``epoch``, ``input``, ``choices``, ``target`` and, by scorer, ``scores`` with
``value`` and ``answer``. In an ``.eval`` file the samples are files of their own, compressed by Zstandard in
newer versions. A metric is called ``metric,scorer`` here.

A sample may have ``total_time`` and ``working_time`` (without waiting for others), in seconds, and in
``model_usage`` the tokens of each model. Their means over the samples are metrics under these names, those of
tokens of the model that is evaluated.

A value of "C" counts as 1, "P" as one half, "I" and "N" as 0 (`inspect_ai.scorer.value_to_float`).
"""

from __future__ import annotations

import io
import math
import re
import statistics
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
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
    pyarrow,
)
from evaluator.exchange.logs.published import (
    name_if_any,
    public,
    scores_of,
    setting,
    settings_of,
    version,
    word_if_any,
)
from evaluator.records.errors import UserError

TOOL = "Inspect"
HOME = "https://inspect.aisi.org.uk"
FIX = "give a log as Inspect wrote it, .json or .eval"
#: Metrics that are shares of one: of any scorer, and of scorers whose values are at most one.
SHARES, UP_TO_ONE = ("accuracy",), ("mean",)
SCORERS = frozenset({
    "answer", "choice", "exact", "f1", "includes", "match", "math", "model_graded_fact", "model_graded_qa",
    "pattern",
})  # fmt: skip
#: Means, whose standard errors `stderr` are.
MEANS = (*SHARES, *UP_TO_ONE)
#: What of ``eval.config`` decides numbers, beside epochs.
LIMITS = (
    "limit", "sample_id", "sample_shuffle", "message_limit", "token_limit", "token_limit_type", "time_limit",
    "working_limit", "cost_limit", "turn_limit", "fail_on_error", "continue_on_fail", "score_on_error",
)  # fmt: skip
#: What the settings of generation say of connections, and not of answers.
CONNECTION = (
    "max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections",
    "adaptive_connections", "cache", "cache_prompt", "batch", "extra_headers",
)  # fmt: skip
#: Metrics that say how sure the others are, and are no numbers of a board.
ABOUT_OTHERS = ("stderr", "bootstrap_stderr")
VALUES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
ZIP = b"PK\x03\x04"
#: Zstandard, in the list of methods of a zip (APPNOTE 6.3.8, 4.4.5).
ZSTANDARD = 93
#: No part of a log may be larger once it is unpacked, in bytes.
LARGEST_PART = 4 * 10**9

#: What a sample may say that it took, and of each model in it.
TIMES = ("total_time", "working_time")
TOKENS = (
    "input_tokens", "output_tokens", "input_tokens_cache_read", "input_tokens_cache_write",
    "reasoning_tokens",
)  # fmt: skip
#: What of ``eval.config`` decides how long a sample takes.
AT_ONCE = ("max_samples", "max_tasks", "max_subprocesses", "max_sandboxes")

OpenSamples = Callable[[], Iterator[Node]]


def is_log(whole: Node) -> bool:
    """Whether a JSON file is a log of Inspect."""
    return "eval" in whole.value and "plan" in whole.value


def read(path: Path, whole: Node) -> EvaluationLog:
    """The log in a JSON file. Raises `UserError`."""

    def samples() -> Iterator[Node]:
        for line, sample in enumerate(whole.entries("samples"), start=1):
            yield Node(sample.value, where=f"{path}:{line}")

    return _log(path, whole, samples)


def read_zip(path: Path, content: bytes) -> EvaluationLog:
    """The log in an ``.eval`` file. Raises `UserError`."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except zipfile.BadZipFile as error:
        raise UserError(path, f"not a zip: {error}", FIX) from None
    if "header.json" not in archive.namelist():
        raise UserError(f"{path}: header.json", "missing, as the run did not end", "run it again")

    def unpacked(name: str) -> Node:
        return document(path, part(path, archive, content, name), f"{path}: {name}", FIX)

    def samples() -> Iterator[Node]:
        for name in archive.namelist():
            if name.startswith("samples/") and name.endswith(".json"):
                yield unpacked(name)

    return _log(path, unpacked("header.json"), samples)


def _log(path: Path, whole: Node, samples: OpenSamples) -> EvaluationLog:
    if whole.get("status") != "success":
        fix = "finish the run, since numbers of a part of it compare with nothing"
        raise whole.wrong("status", "is not success", fix)
    about = whole.part("eval")
    name = about.text("model")
    provider, _, model = name.partition("/")
    day = about.text("created")[:10] if about.has("created") else None
    if day is not None and not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", day):
        raise about.wrong("created", "is no time of a run", AGAIN)
    return EvaluationLog(
        path=path,
        tool=TOOL,
        home=HOME,
        tool_version=word_if_any(about.part("packages").get("inspect_ai")),
        tasks=(about.text("task"),),
        read_task=partial(_task, path, whole, samples),
        model=name_if_any(name),
        date=day,
        model_kind=public(provider),
        model_arguments={"model": public(model)} if model else {},
    )


def _task(path: Path, whole: Node, samples: OpenSamples, name: str) -> LoggedTask:
    about, results = whole.part("eval"), whole.part("results")
    config, data = about.part("config"), about.part("dataset")
    epochs = max(1, config.count("epochs")) if config.has("epochs") else 1
    effective = original = None
    if results.has("completed_samples") and data.has("samples"):
        effective, original = results.count("completed_samples") // epochs, data.count("samples")
    entries = results.entries("scores")
    scorers = [score.text("name") for score in entries]
    found = _Numbers()
    for score, scorer in zip(entries, scorers, strict=True):
        reducer = (setting(score.get("reducer")) or "mean") if epochs > 1 else None
        # A scorer has an entry for each reducer.
        suffix = f"{scorer},{reducer}" if reducer and scorers.count(scorer) > 1 else scorer
        found.add(score, suffix, reducer)
    kept = config.get("log_samples") is not False
    model, metrics = about.text("model"), tuple(found.values)
    if kept:
        found.add_costs(_costs_by_example(samples, model), _pace(about))
    return LoggedTask(
        name=name,
        values=found.values,
        errors=found.errors,
        shares=frozenset(found.shares),
        units=found.units,
        higher=dict.fromkeys(found.units, False),
        version=version(about, "task_version"),
        effective=effective,
        original=original,
        scored={key: count for key, count in found.scored.items() if original is None or count <= original},
        settings=_settings(about, name, epochs),
        own=found.own,
        definition={"epochs": str(epochs)} | _definition(about, whole.part("plan")),
        examples=partial(_examples, path, samples, metrics, model) if kept else None,
    )


@dataclass
class _Numbers:
    """The numbers of all scorers, by ``metric,scorer``."""

    values: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, Any] = field(default_factory=dict)
    shares: set[str] = field(default_factory=set)
    scored: dict[str, int] = field(default_factory=dict)
    own: dict[str, dict[str, str]] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)

    def add_costs(self, costs: Mapping[str, list[float]], pace: dict[str, str]) -> None:
        """Take what each example took, by name, as its mean and the standard error of that."""
        for name, each in costs.items():
            self.values[name] = statistics.fmean(each)
            if len(each) > 1:
                self.errors[name] = statistics.stdev(each) / math.sqrt(len(each))
            self.scored[name] = len(each)
            self.own[name] = pace
            self.units[name] = "s" if name in TIMES else "tokens"

    def add(self, score: Node, suffix: str, reducer: str | None) -> None:
        """Take the numbers of one scorer, which end in `suffix`. Raises `UserError` where they are there."""
        metrics = score.part("metrics")
        found = {f"{key},{suffix}": metrics.part(key) for key in metrics.value}
        if self.values.keys() & found.keys():
            raise score.wrong("name", "is there already", AGAIN)
        error = next((found[key] for one in ABOUT_OTHERS if (key := f"{one},{suffix}") in found), None)
        for key, metric in found.items():
            name = key.partition(",")[0]
            if name in ABOUT_OTHERS:
                continue
            self.values[key] = metric.get("value")
            if name in MEANS and error is not None:
                self.errors[key] = error.get("value")
            if name in SHARES or (name in UP_TO_ONE and score.get("scorer") in SCORERS):
                self.shares.add(key)
            if score.has("unscored_samples") and score.count("unscored_samples"):
                self.scored[key] = score.count("scored_samples")
            params = {**settings_of(score.part("params"), score.part("params").value, score.text("name"))}
            params |= settings_of(metric.part("params"), metric.part("params").value, name)
            self.own[key] = params | ({"reducer": reducer} if reducer else {})


def _settings(about: Node, task: str, epochs: int) -> dict[str, str]:
    """What a source says in words: epochs, arguments of the task, its data, settings of generation."""
    arguments, data = about.part("task_args"), about.part("dataset")
    found = {"epochs": str(epochs)} if epochs > 1 else {}
    found |= settings_of(arguments, arguments.value)
    for name in ("name", "location"):
        said = setting(data.get(name))
        # Where a file was on somebody's machine decides nothing, and its name is the dataset's.
        if said is not None and "(" not in said and said not in (task, *found.values()):
            found[f"dataset {name}" if name == "location" else "dataset"] = said
    generation = about.part("model_generate_config")
    found |= settings_of(generation, [name for name in generation.value if name not in CONNECTION])
    return found | settings_of(about.part("config"), LIMITS[:3])


def _pace(about: Node) -> dict[str, str]:
    """What decides how fast answers come, or whether they are asked for at all, and not what they are."""
    names = [name for name in CONNECTION if name != "extra_headers"]
    return settings_of(about.part("model_generate_config"), names) | settings_of(
        about.part("config"), AT_ONCE
    )


def _definition(about: Node, plan: Node) -> dict[str, str]:
    """What else decides numbers: solvers and their arguments, limits, samples, and models in other roles."""
    data, generation, solver = about.part("dataset"), plan.part("config"), about.part("solver_args")
    found = settings_of(about.part("config"), LIMITS[3:])
    found |= settings_of(data, ["shuffled"], "dataset")
    if ids := data.get("sample_ids"):
        found |= {"sample ids": setting(sorted(map(str, ids)) if isinstance(ids, list) else ids) or ""}
    found |= settings_of(about, ["solver", "model_roles", "sandbox"])
    found |= settings_of(solver, solver.value, "solver")
    found |= settings_of(generation, [name for name in generation.value if name not in CONNECTION], "plan")
    for place, step in enumerate(plan.entries("steps") if plan.has("steps") else [], start=1):
        found |= settings_of(step, ["solver", "params"], f"step {place}")
    return found


def part(path: Path, archive: zipfile.ZipFile, content: bytes, name: str) -> bytes:
    """A file of the zip, unpacked and checked against its checksum."""
    info = archive.getinfo(name)
    try:
        if info.file_size > LARGEST_PART:
            raise zipfile.BadZipFile("it is too large")
        if info.compress_type != ZSTANDARD:
            return archive.read(name)
        # Python's own zipfile knows Zstandard from 3.14 on. A file's header has 30 bytes and two texts.
        start = info.header_offset + 30
        start += sum(int.from_bytes(content[start - 30 + at : start - 28 + at], "little") for at in (26, 28))
        packed = content[start : start + info.compress_size]
        arrow = pyarrow(path)
        unpacked = bytes(
            arrow.CompressedInputStream(arrow.BufferReader(packed), "zstd").read(info.file_size + 1)
        )
        if len(unpacked) != info.file_size or zlib.crc32(unpacked) != info.CRC:
            raise zipfile.BadZipFile("its checksum does not fit")
        return unpacked
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError) as error:
        raise UserError(f"{path}: {name}", f"cannot be unpacked: {error}", "fetch the log again") from None


def _costs(sample: Node, model: str) -> dict[str, float]:
    """Seconds that a sample took, and tokens of `model` in it, as far as it says."""
    tokens = sample.part("model_usage").part(model)
    found = scores_of(sample, {name: name for name in TIMES}) | scores_of(
        tokens, {one: one for one in TOKENS}
    )
    return {name: value for name, value in found.items() if value >= 0}


def _costs_by_example(samples: OpenSamples, model: str) -> dict[str, list[float]]:
    """The costs of each example that has any, by name: means over its epochs.

    None where a sample cannot be read, since the numbers of scorers are known without.
    """
    found: dict[str, dict[str, list[float]]] = {}
    try:
        for sample in samples():
            for name, value in _costs(sample, model).items():
                found.setdefault(name, {}).setdefault(str(sample.name("id")), []).append(value)
    except UserError:
        return {}
    return {name: [statistics.fmean(epochs) for epochs in each.values()] for name, each in found.items()}


def _examples(path: Path, samples: OpenSamples, metrics: tuple[str, ...], model: str) -> LoggedExamples:
    reads = (
        partial(_example, line, sample, metrics, model) for line, sample in enumerate(samples(), start=1)
    )
    return LoggedExamples.of(path, reads)


def _example(line: int, sample: Node, metrics: tuple[str, ...], model: str) -> LoggedExample:
    choices = sample.texts("choices") if sample.get("choices") else ()
    target = sample.child("target")
    targets = target.items() if isinstance(target.value, list) else [target]
    asked = _prompt(sample.child("input"))
    scores = sample.part("scores")
    answers: dict[str, Answer] = {}
    found: dict[str, float] = {}
    for key in metrics:
        scorer = key.split(",")[1]
        if scores.has(scorer):
            score = scores.part(scorer)
            said = score.get("value")
            found |= {key: VALUES[said]} if said in (*VALUES,) else scores_of(score, {key: "value"})
            if score.has("answer"):
                answers[key] = _choice(score.text("answer"), choices)
            elif not found.get(key):  # Versions before 0.3.28 keep the answers of some scorers nowhere.
                answers[key] = None
    return LoggedExample(
        line=line,
        id=str(sample.name("id")),
        asked=asked,
        fields={"text": asked, **sample.part("metadata").value},
        choices=choices,
        gold=tuple(_choice(one.as_text(), choices) for one in targets),
        answers=answers,
        scores=found | _costs(sample, model),
        trial=sample.count("epoch") if sample.has("epoch") else 0,
    )


def _choice(given: str, choices: tuple[str, ...]) -> Answer:
    """An answer, where there are choices the place of the one that its letter or text names."""
    if len(given) == 1 and 0 <= ord(given) - ord("A") < len(choices):
        return ord(given) - ord("A")
    return choices.index(given) if given in choices else given


def _prompt(value: Node) -> str:
    """What the model was asked: a text, or the texts of what users say in a chat."""
    if isinstance(value.value, str):
        return value.as_text()
    said = [one for one in value.items() if one.get("role") == "user" and isinstance(one.get("content"), str)]
    return "\n".join(one.text("content") for one in said)
