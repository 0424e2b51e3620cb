"""Reads what promptfoo writes with ``-o results.json``, version 3 of its results and later ones of that form.

``results.results`` has a row for each test, provider and prompt: ``testIdx``, ``promptIdx`` (a provider with
a prompt), ``provider`` (``id``, ``label``), ``prompt``, ``vars``, ``testCase`` with its assertions,
``success``, ``score``, ``namedScores``, ``latencyMs``, ``cost``, ``response`` and ``failureReason``, which is
2 where the provider failed. ``results.prompts`` has for each ``promptIdx`` what promptfoo counted itself. The
file of `promptfoo.evaluate` is ``results`` alone.

A provider is a model, with its prompt where a provider has several. What promptfoo asks again
(``--repeat``) is a test of its own with the same variables and assertions: here, a further trial of one
example. A test whose provider failed, and the time and cost of an answer from the cache, are missing.
"""

from __future__ import annotations

import hashlib
import json
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.data.nodes import Node
from evaluator.exchange.logs.base import AGAIN, EvaluationLog, LoggedExample, LoggedExamples, LoggedTask
from evaluator.exchange.logs.published import name_if_any, scores_of, word_if_any

TOOL = "promptfoo"
HOME = "https://www.promptfoo.dev"
#: Metrics of every row, beside the named ones, and whether more is better.
PASS, SCORE, LATENCY, COST = "pass", "assertion_score", "latency_ms", "cost_usd"
HIGHER = {PASS: True, SCORE: True, LATENCY: False, COST: False}
UNITS = {LATENCY: "ms", COST: "USD"}
#: The `failureReason` of a row whose provider gave no answer.
PROVIDER_FAILED = 2
_FILE = re.compile(r"([\w.-]+\.\w{1,8}): ")
#: What of a test decides how an answer to it is scored.
DECIDES = ("vars", "assert", "threshold", "options", "assertScoringFunction")


def is_log(whole: Node) -> bool:
    """Whether a JSON file is of promptfoo."""
    summary = _summary(whole)
    return isinstance(summary.get("results"), list) and not {"stats", "prompts"}.isdisjoint(summary.value)


def _summary(whole: Node) -> Node:
    return whole.part("results") if isinstance(whole.get("results"), dict) else whole


def read(path: Path, whole: Node) -> list[EvaluationLog]:
    """A log for each provider and prompt. Raises `UserError`."""
    summary = _summary(whole)
    rows: dict[int, list[Node]] = {}
    for row in summary.entries("results"):
        rows.setdefault(row.count("promptIdx"), []).append(row)
    if not rows:
        raise summary.wrong("results", "has no rows", AGAIN)
    providers = {place: _provider(found[0]) for place, found in rows.items()}
    labels = [str(found[0].part("prompt").get("label")) for _, found in sorted(rows.items())]
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels), start=1)}
    times = Counter(providers.values())
    prompts = summary.entries("prompts") if summary.has("prompts") else []
    task = name_if_any(whole.part("config").get("description")) or path.stem
    stamp = summary.get("timestamp")
    return [
        EvaluationLog(
            path=path,
            tool=TOOL,
            home=HOME,
            tasks=(task,),
            read_task=partial(_task, path, found, prompts[place] if place < len(prompts) else Node({})),
            model=_model(providers[place], found[0], numbers, times[providers[place]] > 1),
            tool_version=word_if_any(whole.part("metadata").get("promptfooVersion")),
            date=stamp[:10] if isinstance(stamp, str) and stamp[4:5] == "-" else None,
        )
        for place, found in sorted(rows.items())
    ]


def _provider(row: Node) -> str | None:
    provider = row.get("provider")
    if isinstance(provider, dict):
        return name_if_any(provider.get("label")) or name_if_any(provider.get("id"))
    return name_if_any(provider)


def _model(provider: str | None, row: Node, numbers: Mapping[str, int], has_several: bool) -> str | None:
    """A provider, with what its prompt is called, which is not its text, where it has several."""
    if provider is None or not has_several:
        return provider
    label = row.part("prompt").get("label")
    number = numbers[str(label)]
    # The label of a prompt in a file begins with that file's name.
    file = _FILE.match(label) if isinstance(label, str) else None
    label = name_if_any(file[1] if file else label)
    is_name = label is not None and len(label) <= 40 and "{{" not in label
    return f"{provider} ({label if is_name else f'prompt {number}'})"


def _task(path: Path, rows: Sequence[Node], prompt: Node, name: str) -> LoggedTask:
    examples = _examples(path, rows)
    values = {
        key: [one.scores[key] for one in examples.rows if key in one.scores]
        for key in dict.fromkeys(key for one in examples.rows for key in one.scores)
    }
    means: dict[str, Any] = {key: statistics.fmean(found) for key, found in values.items()}
    tests = {one.id for one in examples.rows}
    return LoggedTask(
        name=name,
        values=means | _published(prompt.part("metrics")),
        shares=frozenset({PASS}),
        units=UNITS,
        higher=dict.fromkeys(means, True) | HIGHER,
        effective=len(tests),
        original=len(tests),
        scored={key: count for key in values if (count := _with(key, examples)) < len(tests)},
        settings={"trials": str(trials)} if (trials := _trials(examples)) > 1 else {},
        definition={"tests": _hash(sorted(map(_definition, rows)))},
        examples=lambda: examples,
    )


def _published(metrics: Node) -> dict[str, float]:
    """What promptfoo counted itself: how many tests passed, of those that were answered."""
    if not (metrics.has("testPassCount") and metrics.has("testFailCount")):
        return {}
    passed, failed = metrics.count("testPassCount"), metrics.count("testFailCount")
    return {PASS: passed / (passed + failed)} if passed + failed else {}


def _with(key: str, examples: LoggedExamples) -> int:
    return len({one.id for one in examples.rows if key in one.scores})


def _trials(examples: LoggedExamples) -> int:
    return 1 + max(one.trial for one in examples.rows)


def _definition(row: Node) -> str:
    test = row.part("testCase")
    return _hash([test.get(key) for key in DECIDES] if test.value else row.get("vars"))


def _hash(value: Any) -> str:
    whole = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _examples(path: Path, rows: Sequence[Node]) -> LoggedExamples:
    """The tests in their order, those with the same variables and assertions as trials of one example."""
    ordered = sorted(rows, key=lambda row: row.count("testIdx"))
    same = [_definition(row) for row in ordered]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(same))}
    said = {key: _said_id(row) for key, row in zip(same, ordered, strict=True)}
    has_ids = None not in said.values() and len(set(said.values())) == len(said)
    ids = said if has_ids else numbers
    reads = (partial(_example, str(ids[key]), row) for key, row in zip(same, ordered, strict=True))
    return LoggedExamples.of(path, reads)


def _said_id(row: Node) -> str | None:
    """What a test calls itself."""
    for where in (row.part("testCase").part("metadata"), row.part("vars")):
        value = where.get("id")
        if isinstance(value, int | str) and not isinstance(value, bool) and value != "":
            return str(value)
    return None


def _example(id_: str, row: Node) -> LoggedExample:
    asked, response = row.part("prompt"), row.part("response")
    said = response.get("output")
    failed = row.get("failureReason") == PROVIDER_FAILED
    return LoggedExample(
        line=row.count("testIdx"),
        id=id_,
        asked=asked.text("raw") if isinstance(asked.get("raw"), str) else "",
        fields=row.part("vars").value,
        choices=(),
        gold=(),
        answers={PASS: said} if isinstance(said, str) else {},
        scores={} if failed else _scores(row, from_cache=bool(response.get("cached"))),
    )


def _scores(row: Node, from_cache: bool) -> Mapping[str, float]:
    named = (
        row.part("namedScores") if row.has("namedScores") else row.part("gradingResult").part("namedScores")
    )
    found = scores_of(named, {f"{name},named" if name in HIGHER else name: name for name in named.value})
    found |= scores_of(row, {PASS: "success", SCORE: "score"})
    return found if from_cache else found | scores_of(row, {LATENCY: "latencyMs", COST: "cost"})
