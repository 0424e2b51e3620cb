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
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.exchange.logs import checks
from evaluator.exchange.logs.base import Answer, EvaluationLog, LoggedExample, LoggedExamples, LoggedTask
from evaluator.exchange.logs.checks import pyarrow
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

OpenSamples = Callable[[], Iterator[tuple[int, Any]]]


def is_log(document: Mapping[str, Any]) -> bool:
    """Whether a JSON file is a log of Inspect."""
    return "eval" in document and "plan" in document


def read(path: Path, content: bytes, document: dict[str, Any]) -> EvaluationLog:
    """The log in a JSON file. Raises `UserError`."""
    return _log(path, content, document, partial(_in_document, path, document))


def read_zip(path: Path, content: bytes) -> EvaluationLog:
    """The log in an ``.eval`` file. Raises `UserError`."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except zipfile.BadZipFile as error:
        raise UserError(f"{path}: not a zip: {error}; {FIX}") from None
    if "header.json" not in archive.namelist():
        raise UserError(f"{path}: header.json: missing, as the run did not end; run it again")
    header = checks.parsed(path, part(path, archive, content, "header.json"), FIX)
    if not isinstance(header, dict):
        raise checks.wrong(path, "header.json", header, "is not an object", FIX)
    return _log(path, content, header, partial(_in_zip, path, archive, content))


def _log(path: Path, content: bytes, document: dict[str, Any], samples: OpenSamples) -> EvaluationLog:
    if document.get("status") != "success":
        fix = "finish the run, since numbers of a part of it compare with nothing"
        raise checks.wrong(path, "status", document.get("status"), "is not success", fix)
    about = checks.mapping(path, "eval", document.get("eval"))
    name = checks.text(path, "eval.task", about.get("task"))
    provider, _, model = checks.text(path, "eval.model", about.get("model")).partition("/")
    packages = checks.mapping(path, "eval.packages", about.get("packages"))
    return EvaluationLog(
        path=path,
        sha256=checks.hash_of(content),
        tool=TOOL,
        home=HOME,
        tool_version=checks.word_if_any(packages.get("inspect_ai")) or "of unknown version",
        tasks=(name,),
        read_task=partial(_task, path, document, samples),
        shares=SHARES,
        date=_date(path, about.get("created")),
        model_kind=checks.public(provider),
        model_arguments={"model": checks.public(model)} if model else {},
    )


def _date(path: Path, value: Any) -> str | None:
    """The day of a time in ISO 8601."""
    if value is None:
        return None
    day = checks.text(path, "eval.created", value)[:10]
    if not (
        len(day) == 10 and day[4] == day[7] == "-" and day.replace("-", "").isdecimal() and day.isascii()
    ):
        raise checks.wrong(path, "eval.created", value, "is no time of a run", checks.AGAIN)
    return day


def _task(path: Path, document: dict[str, Any], samples: OpenSamples, name: str) -> LoggedTask:
    about = checks.mapping(path, "eval", document.get("eval"))
    values, errors = _numbers(path, document)
    effective, original = _sizes(path, document, about)
    config = checks.mapping(path, "eval.config", about.get("config"))
    kept = config.get("log_samples") is not False
    return LoggedTask(
        name=name,
        values=values,
        errors=errors,
        version=checks.version(path, "eval.task_version", about.get("task_version")),
        effective=effective,
        original=original,
        examples=partial(_examples, path, samples, tuple(values)) if kept else None,
    )


def _numbers(path: Path, document: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The numbers of all scorers, and the standard errors of those that are means."""
    values: dict[str, Any] = {}
    errors: dict[str, Any] = {}
    results = checks.mapping(path, "results", document.get("results"))
    for place, row in enumerate(checks.list_(path, "results.scores", results.get("scores"))):
        where = f"results.scores.{place}"
        score = checks.mapping(path, where, row)
        scorer = checks.text(path, f"{where}.name", score.get("name"))
        metrics = checks.mapping(path, f"{where}.metrics", score.get("metrics"))
        own = {
            f"{key},{scorer}": checks.mapping(path, f"{where}.{key}", one).get("value")
            for key, one in metrics.items()
        }
        if values.keys() & own.keys():
            raise checks.wrong(path, f"{where}.name", scorer, "is there already", checks.AGAIN)
        error = own.get(f"stderr,{scorer}", own.get(f"bootstrap_stderr,{scorer}"))
        values |= {key: value for key, value in own.items() if not key.startswith(ABOUT_OTHERS)}
        errors |= {f"{share},{scorer}": error for share in SHARES if error is not None}
    return values, errors


def _sizes(path: Path, document: dict[str, Any], about: dict[str, Any]) -> tuple[int | None, int | None]:
    """How many examples were answered, of how many."""
    results = checks.mapping(path, "results", document.get("results"))
    original = checks.mapping(path, "eval.dataset", about.get("dataset")).get("samples")
    if results.get("completed_samples") is None or original is None:
        return None, None
    epochs = checks.mapping(path, "eval.config", about.get("config")).get("epochs") or 1
    completed = checks.count(path, "results.completed_samples", results["completed_samples"])
    return completed // max(1, checks.count(path, "eval.config.epochs", epochs)), checks.count(
        path, "dataset.samples", original
    )


def _in_document(path: Path, document: dict[str, Any]) -> Iterator[tuple[int, Any]]:
    yield from enumerate(checks.list_(path, "samples", document.get("samples")), start=1)


def _in_zip(path: Path, archive: zipfile.ZipFile, content: bytes) -> Iterator[tuple[int, Any]]:
    names = [name for name in archive.namelist() if name.startswith("samples/") and name.endswith(".json")]
    for place, name in enumerate(names, start=1):
        yield place, checks.parsed(f"{path}: {name}", part(path, archive, content, name), FIX)


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
        raise UserError(f"{path}: {name}: cannot be unpacked: {error}; fetch the log again") from None


def _examples(path: Path, samples: OpenSamples, metrics: tuple[str, ...]) -> LoggedExamples:
    rows: dict[str, LoggedExample] = {}
    for line, sample in samples():
        one = _example(f"{path}:{line}", line, sample, metrics)
        if one.id in rows:
            fix = "take its numbers with --examples none, or run it with one epoch"
            raise checks.wrong(f"{path}:{line}", "id", one.id, "was asked more than once", fix)
        rows[one.id] = one
    if not rows:
        raise UserError(f"{path}: samples: there are none; {FIX}")
    return LoggedExamples(path, tuple(rows.values()))


def _example(where: str, line: int, value: Any, metrics: tuple[str, ...]) -> LoggedExample:
    sample = checks.mapping(where, "sample", value)
    choices = tuple(
        checks.text(where, "choices", one)
        for one in checks.list_(where, "choices", sample.get("choices") or [])
    )
    target = sample.get("target")
    targets = target if isinstance(target, list) else [target]
    asked = _prompt(where, sample.get("input"))
    scores = checks.mapping(where, "scores", sample.get("scores"))
    answers: dict[str, Answer] = {}
    found: dict[str, float] = {}
    for key in metrics:
        scorer = key.partition(",")[2]
        if scorer in scores:
            score = checks.mapping(where, f"scores.{scorer}", scores[scorer])
            answers[key] = _answer(where, f"scores.{scorer}.answer", score.get("answer"), choices)
            found |= _value(where, key, score.get("value"))
    return LoggedExample(
        line=line,
        id=checks.identifier(where, "id", sample.get("id")),
        asked=asked,
        fields={"text": asked, **checks.mapping(where, "metadata", sample.get("metadata"))},
        choices=choices,
        gold=tuple(_answer(where, "target", checks.text(where, "target", one), choices) for one in targets),
        answers=answers,
        scores=found,
    )


def _value(where: str, key: str, value: Any) -> dict[str, float]:
    """What a scorer made of the answer, by the metric; nothing where it is not one number."""
    if isinstance(value, str) and value in VALUES:
        return {key: VALUES[value]}
    if isinstance(value, bool | int | float):
        return {key: checks.number(where, key, float(value) if isinstance(value, bool) else value)}
    return {}


def _answer(where: str, field: str, value: Any, choices: tuple[str, ...]) -> Answer:
    """An answer, where there are choices the place of the one that its letter or text names."""
    if value is None:
        return None
    given = checks.text(where, field, value)
    if len(given) == 1 and 0 <= ord(given) - ord("A") < len(choices):
        return ord(given) - ord("A")
    return choices.index(given) if given in choices else given


def _prompt(where: str, value: Any) -> str:
    """What the model was asked: a text, or the texts of what users say in a chat."""
    if isinstance(value, str):
        return checks.text(where, "input", value)
    messages = [checks.mapping(where, "input", one) for one in checks.list_(where, "input", value)]
    given = [one.get("content") for one in messages if one.get("role") == "user"]
    return "\n".join(checks.text(where, "input.content", one) for one in given if isinstance(one, str))
