"""Reads logs of Inspect, version 0.3: ``.json``, or ``.eval``, which is a zip of JSON files.

The format is `inspect_ai.log.EvalLog`, version 2. ``eval`` has task, model, dataset and the packages'
versions; ``results.scores`` has for each scorer its metrics, of which ``stderr`` is the standard error of the
others; ``samples`` have ``id``, ``epoch``, ``input``, ``choices``, ``target`` and, by scorer, ``scores`` with
``value`` and ``answer``. In an ``.eval`` file the samples are files of their own, compressed by Zstandard in
newer versions. A metric is called ``metric,scorer`` here.

A value of "C" counts as 1, "P" as one half, "I" and "N" as 0 (`inspect_ai.scorer.value_to_float`).
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
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
    public,
    pyarrow,
    scores_of,
    version,
    word_if_any,
)
from evaluator.records.errors import UserError

TOOL = "Inspect"
HOME = "https://inspect.aisi.org.uk"
FIX = "give a log as Inspect wrote it, .json or .eval"
SHARES = frozenset({"accuracy", "mean"})
#: Metrics that say how sure the others are, and are no numbers of a board.
ABOUT_OTHERS = ("stderr", "bootstrap_stderr")
VALUES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
ZIP = b"PK\x03\x04"
#: Zstandard, in the list of methods of a zip (APPNOTE 6.3.8, 4.4.5).
ZSTANDARD = 93
#: No part of a log may be larger once it is unpacked, in bytes.
LARGEST_PART = 4 * 10**9

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
    provider, _, model = about.text("model").partition("/")
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
        shares=SHARES,
        date=day,
        model_kind=public(provider),
        model_arguments={"model": public(model)} if model else {},
    )


def _task(path: Path, whole: Node, samples: OpenSamples, name: str) -> LoggedTask:
    about, results = whole.part("eval"), whole.part("results")
    config, data = about.part("config"), about.part("dataset")
    values: dict[str, Any] = {}
    errors: dict[str, Any] = {}
    for score in results.entries("scores"):
        scorer, metrics = score.text("name"), score.part("metrics")
        own = {f"{key},{scorer}": metrics.part(key).get("value") for key in metrics.value}
        if values.keys() & own.keys():
            raise score.wrong("name", "is there already", AGAIN)
        error = own.get(f"stderr,{scorer}", own.get(f"bootstrap_stderr,{scorer}"))
        values |= {key: value for key, value in own.items() if not key.startswith(ABOUT_OTHERS)}
        # These are means, and the standard errors are of means.
        errors |= {f"{share},{scorer}": error for share in SHARES if error is not None}
    effective = original = None
    if results.has("completed_samples") and data.has("samples"):
        epochs = config.count("epochs") if config.has("epochs") else 1
        effective, original = results.count("completed_samples") // max(1, epochs), data.count("samples")
    kept = config.get("log_samples") is not False
    return LoggedTask(
        name=name,
        values=values,
        errors=errors,
        version=version(about, "task_version"),
        effective=effective,
        original=original,
        examples=partial(_examples, path, samples, tuple(values)) if kept else None,
    )


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


def _examples(path: Path, samples: OpenSamples, metrics: tuple[str, ...]) -> LoggedExamples:
    rows = (_example(line, sample, metrics) for line, sample in enumerate(samples(), start=1))
    return LoggedExamples.of(path, rows)


def _example(line: int, sample: Node, metrics: tuple[str, ...]) -> LoggedExample:
    choices = sample.texts("choices") if sample.get("choices") else ()
    target = sample.child("target")
    targets = target.items() if isinstance(target.value, list) else [target]
    asked = _prompt(sample.child("input"))
    scores = sample.part("scores")
    answers: dict[str, Answer] = {}
    found: dict[str, float] = {}
    for key in metrics:
        scorer = key.partition(",")[2]
        if scores.has(scorer):
            score = scores.part(scorer)
            answers[key] = _choice(score.text("answer"), choices) if score.has("answer") else None
            said = score.get("value")
            found |= {key: VALUES[said]} if said in (*VALUES,) else scores_of(score, {key: "value"})
    return LoggedExample(
        line=line,
        id=str(sample.name("id")),
        asked=asked,
        fields={"text": asked, **sample.part("metadata").value},
        choices=choices,
        gold=tuple(_choice(one.as_text(), choices) for one in targets),
        answers=answers,
        scores=found,
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
