"""Reads the folder of one run of HELM, version 0.5: ``run_spec.json``, ``stats.json`` and what it kept.

The format is what `helm.benchmark.runner.Runner.run_one` writes. ``run_spec.json`` names scenario and model.
``stats.json`` is a list of numbers, each with a ``name`` (``name``, ``split`` and, if any, ``sub_split`` and
``perturbation``) and its ``mean``; HELM gives no standard errors. ``per_instance_stats.json`` has the same
numbers for each ``instance_id`` and training trial, and ``scenario_state.json`` what was asked and answered.
The files do not say which version of HELM wrote them.

A metric is called ``name,split`` here, with the perturbation behind it where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.exchange.logs import checks
from evaluator.exchange.logs.base import Answer, EvaluationLog, LoggedExample, LoggedExamples, LoggedTask
from evaluator.records.errors import UserError

TOOL = "HELM"
HOME = "https://github.com/stanford-crfm/helm"
FILES = ("run_spec.json", "stats.json")
FIX = "give the folder of a run as helm-run wrote it, with run_spec.json and stats.json"
#: Metrics that are shares of one.
SHARES = frozenset({
    "exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "f1_score",
    "rouge_1", "rouge_2", "rouge_l", "bleu_1", "bleu_4", "classification_macro_f1", "classification_micro_f1",
})  # fmt: skip
#: Arguments in the name of a run that say which model it is of, and not what it was asked.
OF_MODEL = ("model=", "model_deployment=")


def is_log(folder: Path) -> bool:
    """Whether a folder is that of a run."""
    return all((folder / name).is_file() for name in FILES)


def read(folder: Path) -> EvaluationLog:
    """The log in a folder. Raises `UserError`."""
    run, stats = (folder / name for name in FILES)
    content = stats.read_bytes()
    spec = _object(run, checks.parsed(run, run.read_bytes(), FIX))
    adapter = checks.mapping(run, "adapter_spec", spec.get("adapter_spec"))
    name = _task_name(checks.text(run, "name", spec.get("name")))
    rows = checks.list_(stats, "the whole", checks.parsed(stats, content, FIX))
    return EvaluationLog(
        path=stats,
        sha256=checks.hash_of(content),
        tool=TOOL,
        home=HOME,
        tool_version="of unknown version",
        tasks=(name,),
        read_task=partial(_task, stats, rows, adapter),
        shares=SHARES,
        model_arguments={"model": checks.public(adapter["model"])} if adapter.get("model") else {},
    )


def _object(path: Path, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise checks.wrong(path, "the whole", value, "is not an object", FIX)
    return value


def _task_name(run: str) -> str:
    """The name of a run, without the model: ``mmlu:subject=anatomy`` of ``mmlu:subject=anatomy,model=x``."""
    scenario, _, arguments = run.partition(":")
    kept = [part for part in arguments.split(",") if part and not part.startswith(OF_MODEL)]
    return ":".join(filter(None, [scenario, ",".join(kept)]))


def _task(path: Path, rows: list[Any], adapter: dict[str, Any], name: str) -> LoggedTask:
    stats, state = path.with_name("per_instance_stats.json"), path.with_name("scenario_state.json")
    values = dict(_numbers(path, "", rows, twice=False))
    kept = stats.is_file() and state.is_file()
    shots = adapter.get("max_train_instances")
    return LoggedTask(
        name=name,
        values=values,
        shots=None if shots is None else checks.count(path, "adapter_spec.max_train_instances", shots),
        examples=partial(_examples, stats, state, tuple(values)) if kept else None,
    )


def _numbers(path: Path | str, within: str, rows: list[Any], twice: bool) -> Iterator[tuple[str, Any]]:
    """The name and the mean of each number that was computed. Raises `UserError`, also for a name that
    is there before, unless `twice`."""
    seen = set()
    for place, row in enumerate(rows):
        where = f"{within}{place}"
        stat = checks.mapping(path, where, row)
        parts = checks.mapping(path, f"{where}.name", stat.get("name"))
        key = _key(path, where, parts)
        if key in seen and not twice:
            raise checks.wrong(path, f"{where}.name", key, "is there already", checks.AGAIN)
        seen.add(key)
        if stat.get("count"):
            yield key, stat.get("mean")


def _key(path: Path | str, where: str, name: dict[str, Any]) -> str:
    perturbed = checks.mapping(path, f"{where}.name.perturbation", name.get("perturbation"))
    parts = [
        checks.text(path, f"{where}.name.name", name.get("name")),
        name.get("split"),
        name.get("sub_split"),
    ]
    parts += [perturbed.get("name"), perturbed.get("computed_on")]
    return ",".join(part for part in parts if isinstance(part, str))


def _examples(stats: Path, state: Path, metrics: tuple[str, ...]) -> LoggedExamples:
    """The examples as they are, without the perturbed ones, whose numbers have names of their own."""
    scores = _scores(stats, metrics)
    document = _object(state, checks.parsed(state, state.read_bytes(), FIX))
    rows: dict[str, LoggedExample] = {}
    requests = checks.list_(state, "request_states", document.get("request_states"))
    for place, request in enumerate(requests, start=1):
        where = f"request_states.{place - 1}"
        instance = checks.mapping(
            state, f"{where}.instance", checks.mapping(state, where, request).get("instance")
        )
        if instance.get("perturbation") is not None:
            continue
        one = _example(state, where, place, request, instance, metrics)
        if one.id in rows:
            fix = "take its numbers with --examples none, or run it with one training trial"
            raise checks.wrong(state, f"{where}.instance.id", one.id, "was asked more than once", fix)
        if one.id not in scores:
            raise checks.wrong(state, f"{where}.instance.id", one.id, f"is not in {stats}", checks.AGAIN)
        rows[one.id] = one._replace(scores=scores[one.id])
    if scores.keys() != rows.keys():
        lacking = min(scores.keys() - rows.keys())
        raise checks.wrong(stats, "instance_id", lacking, f"is not in {state}", checks.AGAIN)
    return LoggedExamples(state, tuple(rows.values()))


def _scores(path: Path, metrics: tuple[str, ...]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for place, row in enumerate(checks.list_(path, "the whole", checks.parsed(path, path.read_bytes(), FIX))):
        entry = checks.mapping(path, f"{place}", row)
        if entry.get("perturbation") is not None:
            continue
        id_ = checks.identifier(path, f"{place}.instance_id", entry.get("instance_id"))
        if id_ in found:
            fix = "take its numbers with --examples none, or run it with one training trial"
            raise checks.wrong(path, f"{place}.instance_id", id_, "has numbers more than once", fix)
        stats = checks.list_(path, f"{place}.stats", entry.get("stats"))
        numbers = dict(_numbers(path, f"{place}.stats.", stats, twice=False))
        found[id_] = {
            key: checks.number(path, f"{place}.{key}", numbers[key]) for key in metrics if key in numbers
        }
    if not found:
        raise UserError(f"{path}: has no examples; {FIX}")
    return found


def _example(
    path: Path,
    where: str,
    place: int,
    request: dict[str, Any],
    instance: dict[str, Any],
    metrics: tuple[str, ...],
) -> LoggedExample:
    choices, gold = _references(path, where, instance)
    mapped = _mapped(path, where, request)
    answers: dict[str, Answer] = {}
    if request.get("reference_index") is None:
        reply = _reply(path, where, request)
        said: Answer = reply if reply is None else mapped.get(reply, reply)
        said = choices.index(said) if mapped and said in choices else said
        answers = dict.fromkeys(metrics, said)
    given = checks.mapping(path, f"{where}.instance.input", instance.get("input"))
    asked = checks.text(path, f"{where}.instance.input.text", given.get("text"))
    return LoggedExample(
        line=place,
        id=checks.identifier(path, f"{where}.instance.id", instance.get("id")),
        asked=asked,
        fields={"text": asked},
        choices=choices if mapped else (),
        gold=gold if mapped else tuple(choices[one] for one in gold),
        answers=answers,
        scores={},
    )


def _references(path: Path, where: str, instance: dict[str, Any]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """What may be answered, and the places of what is right."""
    found, gold = [], []
    rows = checks.list_(path, f"{where}.instance.references", instance.get("references"))
    for place, row in enumerate(rows):
        field = f"{where}.instance.references.{place}"
        reference = checks.mapping(path, field, row)
        output = checks.mapping(path, f"{field}.output", reference.get("output"))
        found.append(checks.text(path, f"{field}.output.text", output.get("text")))
        if "correct" in checks.list_(path, f"{field}.tags", reference.get("tags")):
            gold.append(place)
    if not gold:
        raise checks.wrong(path, f"{where}.instance.references", found, "has no right answer", checks.AGAIN)
    return tuple(found), tuple(gold)


def _mapped(path: Path, where: str, request: dict[str, Any]) -> dict[str, str]:
    """Which choice each letter stands for; nothing where the answer is a text."""
    found = checks.mapping(path, f"{where}.output_mapping", request.get("output_mapping"))
    return {key: checks.text(path, f"{where}.output_mapping.{key}", value) for key, value in found.items()}


def _reply(path: Path, where: str, request: dict[str, Any]) -> str | None:
    """The first completion, without space around it, as HELM compares it; None where there is none."""
    result = checks.mapping(path, f"{where}.result", request.get("result"))
    completions = checks.list_(path, f"{where}.result.completions", result.get("completions", []))
    if not completions:
        return None
    field = f"{where}.result.completions.0"
    return checks.text(path, f"{field}.text", checks.mapping(path, field, completions[0]).get("text")).strip()
