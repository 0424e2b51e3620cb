"""Reads the folder of one run of HELM: ``run_spec.json``, ``stats.json`` and what it kept.

The format is what `helm.benchmark.runner.Runner.run_one` writes. ``run_spec.json`` names scenario and model.
``stats.json`` is a list of numbers, each with a ``name`` (``name``, ``split`` and, if any, ``sub_split`` and
``perturbation``) and its ``mean``; HELM gives no standard errors. ``per_instance_stats.json`` has the same
numbers for each ``instance_id`` and training trial, in one entry or in one for each group of metrics, and
``scenario_state.json`` what was asked and answered; an input or an output is an object with a ``text`` there,
and a text itself in version 0.1. The files do not say which version of HELM wrote them.

A metric is called ``name,split`` here, with the perturbation behind it where there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.data.nodes import Node, wrong
from evaluator.exchange.logs.base import (
    AGAIN,
    Answer,
    EvaluationLog,
    LoggedExample,
    LoggedExamples,
    LoggedTask,
    document,
)
from evaluator.exchange.logs.published import name_if_any, public, scores_of, settings_of

TOOL = "HELM"
HOME = "https://github.com/stanford-crfm/helm"
FILES = ("run_spec.json", "stats.json")
#: Metrics that are shares of one.
SHARES = frozenset({
    "exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "f1_score",
    "rouge_1", "rouge_2", "rouge_l", "bleu_1", "bleu_4", "classification_macro_f1", "classification_micro_f1",
})  # fmt: skip
#: Settings that a source says in words; all others of a run but its model are of the definition of its task.
SAID = (
    "max_eval_instances", "num_train_trials", "train_trial_index", "temperature", "max_tokens",
)  # fmt: skip
#: What `adapter_spec` says of the model, and what is said elsewhere.
NOT_COMPARED = ("model", "model_deployment", "max_train_instances", *SAID)
#: Arguments in the name of a run that say which model it is of, and not what it was asked.
OF_MODEL = ("model=", "model_deployment=")


def is_log(folder: Path) -> bool:
    """Whether a folder is that of a run."""
    return all((folder / name).is_file() for name in FILES)


def read(folder: Path) -> EvaluationLog:
    """The log in a folder. Raises `UserError`."""
    run, stats = (folder / name for name in FILES)
    spec = document(run)
    adapter = spec.part("adapter_spec")
    # The name without the model: ``mmlu:subject=anatomy`` of ``mmlu:subject=anatomy,model=x``.
    scenario, _, arguments = spec.text("name").partition(":")
    kept = [part for part in arguments.split(",") if part and not part.startswith(OF_MODEL)]
    return EvaluationLog(
        path=stats,
        tool=TOOL,
        home=HOME,
        tasks=(":".join(filter(None, [scenario, ",".join(kept)])),),
        read_task=partial(_task, stats, document(stats).items(), spec),
        model=name_if_any(adapter.get("model")),
        model_arguments={"model": public(adapter.get("model"))} if adapter.get("model") else {},
    )


def _task(path: Path, rows: list[Node], spec: Node, name: str) -> LoggedTask:
    adapter = spec.part("adapter_spec")
    stats, state = path.with_name("per_instance_stats.json"), path.with_name("scenario_state.json")
    values = _numbers(rows)
    kept = stats.is_file() and state.is_file()
    return LoggedTask(
        name=name,
        values=values,
        shares=frozenset(key for key in values if key.partition(",")[0] in SHARES),
        shots=adapter.count("max_train_instances") if adapter.has("max_train_instances") else None,
        scored=dict(_instances(values)),
        settings=settings_of(adapter, SAID),
        definition=_definition(spec),
        examples=partial(_examples, stats, state, tuple(values)) if kept else None,
    )


def _definition(spec: Node) -> dict[str, str]:
    adapter, scenario = spec.part("adapter_spec"), spec.part("scenario_spec")
    return {
        **settings_of(adapter, [name for name in adapter.value if name not in NOT_COMPARED]),
        **settings_of(scenario, ["class_name"], "scenario"),
        **settings_of(scenario.part("args"), scenario.part("args").value, "scenario"),
        **settings_of(spec, ["data_augmenter_spec", "annotators"]),
    }


def _instances(values: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """On how many instances each number is: HELM counts those of a split."""
    for key in values:
        count = values.get(",".join(["num_instances", *key.split(",")[1:2]]))
        if isinstance(count, int | float) and 0 < count < 2**53 and count == int(count):
            yield key, int(count)


def _numbers(rows: list[Node]) -> dict[str, Any]:
    """The mean of each number that was computed, by its name. Raises `UserError` if one is there twice."""
    means: dict[str, Any] = {}
    for row in rows:
        name = row.part("name")
        perturbed = name.part("perturbation")
        parts = [name.text("name"), name.get("split"), name.get("sub_split")]
        parts += [perturbed.get("name"), perturbed.get("computed_on")]
        key = ",".join(part for part in parts if isinstance(part, str))
        if key in means:
            raise row.wrong("name", "is there already", AGAIN)
        means[key] = row.get("mean") if row.get("count") else ...
    return {key: mean for key, mean in means.items() if mean is not ...}


def _examples(stats: Path, state: Path, metrics: tuple[str, ...]) -> LoggedExamples:
    """The examples as they are, without the perturbed ones, whose numbers have names of their own."""
    scores = _scores(stats, metrics)
    requests = enumerate(document(state).entries("request_states"), start=1)
    reads = (partial(_example, place, one, metrics, scores) for place, one in requests)
    found = LoggedExamples.of(state, reads)
    asked, scored = Counter(row.id for row in found.rows), Counter(id_ for id_, _ in scores)
    lacking = [id_ for id_ in sorted(asked | scored) if asked[id_] != scored[id_]]
    if lacking and not found.unusable:
        problem = f"is in one of {state.name} and {stats.name} only, or in other trials"
        raise wrong("id", lacking[0], problem, AGAIN, str(state))
    return found


def _trial(node: Node) -> int:
    """Which of several draws of the examples in the prompt an example was asked with."""
    return node.count("train_trial_index") if node.has("train_trial_index") else 0


def _scores(path: Path, metrics: tuple[str, ...]) -> dict[tuple[str, int], dict[str, float]]:
    """The numbers of each example that are among `metrics`, by its id and trial."""
    found: dict[tuple[str, int], list[Node]] = {}
    for entry in document(path).items():
        if not entry.has("perturbation"):
            key = (str(entry.name("instance_id")), _trial(entry))
            found.setdefault(key, []).extend(entry.entries("stats"))
    keys = {key: key for key in metrics}
    return {one: scores_of(Node(_numbers(rows), where=str(path)), keys) for one, rows in found.items()}


def _example(
    place: int,
    request: Node,
    metrics: tuple[str, ...],
    scores: Mapping[tuple[str, int], Mapping[str, float]],
) -> LoggedExample | None:
    """An example as it was asked in one trial; None for a perturbed one.

    Where each choice was asked about alone, the first of these requests stands for the example.
    """
    instance = request.part("instance")
    is_first = request.get("reference_index") in (None, 0) and request.get("request_mode") != "calibration"
    if instance.has("perturbation") or not is_first:
        return None
    id_, trial = str(instance.name("id")), _trial(request)
    references = instance.entries("references")
    choices = tuple(_text(one.child("output")) for one in references)
    tags = [[tag.value for tag in one.entries("tags")] for one in references]
    gold = [at for at, several in enumerate(tags) if "correct" in several]
    if not gold:
        raise instance.wrong("references", "has no right answer", AGAIN)
    # Which choice each letter stands for; nothing where the answer is a text.
    mapping = request.part("output_mapping")
    mapped = {key: mapping.text(key) for key in mapping.value}
    answers: dict[str, Answer] = {}
    if not request.has("reference_index"):
        reply = _reply(request.part("result"))
        said: Answer = reply if reply is None else mapped.get(reply, reply)
        said = choices.index(said) if mapped and said in choices else said
        answers = dict.fromkeys(metrics, said)
    asked = _text(instance.child("input"))
    return LoggedExample(
        line=place,
        id=id_,
        asked=asked,
        fields={"text": asked},
        choices=choices if mapped else (),
        gold=tuple(gold) if mapped else tuple(choices[one] for one in gold),
        answers=answers,
        scores=scores.get((id_, trial), {}),
        trial=trial,
    )


def _text(node: Node) -> str:
    """An input or an output."""
    return node.as_text() if isinstance(node.value, str) else node.text("text")


def _reply(result: Node) -> str | None:
    """The first completion, without space around it, as HELM compares it; None where there is none."""
    completions = result.entries("completions") if result.has("completions") else []
    return completions[0].text("text").strip() if completions else None
