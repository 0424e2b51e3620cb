"""Models of one task, open in a browser: what a page asks of them, in JSON; standard library only."""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial, wraps
from pathlib import Path
from types import ModuleType
from typing import Any

from evaluator.data.suites.base import Transformation, UndecidedError
from evaluator.data.suites.entities import GAZETTEER, recogniser
from evaluator.data.suites.errors import SuiteError
from evaluator.data.suites.perturbing import changed_texts, seed_of
from evaluator.data.suites.robustness import FACTORIES
from evaluator.data.tasks import Prediction, get_task
from evaluator.measure.models import Model, open_model
from evaluator.score.metrics.squad_pair import token_f1
from evaluator.tryit import encoder, linear
from evaluator.tryit.encoder import EncoderCopy

#: The seed of the suites that boards have unless they say otherwise.
SEED = 0


@dataclass
class OwnModules:
    """The modules that a model brought, which no other model sees: two may have neighbours of one name."""

    folder: Path
    modules: dict[str, ModuleType] = field(default_factory=dict)
    path: list[str] = field(default_factory=list)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """While its code runs it finds its own modules, and only its own."""
        usual = list(sys.path)
        sys.path[:0] = self.path
        sys.modules.update(self.modules)
        try:
            yield
        finally:
            self.modules = {name: found for name, found in sys.modules.items() if self._is_own(found)}
            for name in self.modules:
                del sys.modules[name]
            self.path, sys.path[:] = [one for one in sys.path if one not in usual], usual

    def _is_own(self, module: ModuleType) -> bool:
        return str(getattr(module, "__file__", None) or "").startswith(f"{self.folder}/")


@dataclass(frozen=True)
class OpenModel:
    """A model, the labels that it chooses from, and its modules."""

    model: Model | EncoderCopy
    labels: tuple[str, ...]
    own: OwnModules


@dataclass
class OpenModels:
    """The models that are open, by id, all of one task."""

    task: str
    models: dict[str, OpenModel] = field(default_factory=dict)


def open_models(text: str) -> OpenModels:
    """No model yet, of ``{"task": name}``."""
    return OpenModels(json.loads(text)["task"])


def add_json(models: OpenModels, text: str) -> str:
    """Open the model of ``{"model", "folder", "adapter", "options", "labels"}``.

    Raises what its adapter raises.
    """
    spec = json.loads(text)
    folder, labels = Path(spec["folder"]), tuple(spec["labels"])
    packages = str(folder / "packages")
    if packages not in sys.path:
        sys.path.append(packages)
    own = OwnModules(folder / "model")
    with own.shown():
        opened = _opened(spec["adapter"], folder / "model", spec["options"], models.task, labels)
    models.models[spec["model"]] = OpenModel(opened, labels, own)
    return json.dumps({"open": list(models.models)})


def _opened(
    adapter: str, folder: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]
) -> Model | EncoderCopy:
    if adapter == encoder.ADAPTER:
        return encoder.open_model(folder, task, labels)
    if adapter == "linear":
        return linear.open_model(folder, options, task, labels)
    return open_model(adapter, folder, options, task, labels)


def ask_json(models: OpenModels, text: str) -> str:
    """What a model answers to examples: ``{"model", "examples"}`` in, a list of answers out, in their order.

    An answer has `answer`, a label or a text, `confidence` and `probabilities` where there are any, and `ms`;
    or `error`. An encoder is asked by `question_json` and `answer_json` instead.
    """
    asked = json.loads(text)
    model = models.models[asked["model"]]
    return json.dumps([_answer(models.task, model, example) for example in asked["examples"]])


def question_json(models: OpenModels, text: str) -> str:
    """What an encoder's network is given for examples: ``{"model", "examples"}`` in, a list out, in their
    order.

    Each has `inputs`, as `EncoderCopy.question` says, and `ms`; or `error`.
    """
    asked = json.loads(text)
    model = models.models[asked["model"]]
    return json.dumps([_question(models.task, model, example) for example in asked["examples"]])


def answer_json(models: OpenModels, text: str) -> str:
    """An encoder's answers, as `ask_json` gives them, by what its network made of questions.

    ``{"model", "outputs"}`` in: each output has `logits`, and the `ms` of its question and of the network; or
    the `error` of either, which is the answer then.
    """
    given = json.loads(text)
    model = models.models[given["model"]]
    return json.dumps([_decided(models.task, model, output) for output in given["outputs"]])


def _or_error(work: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """What a piece of work gives, or an `error` that says why it fails: the next one is done anyway."""

    @wraps(work)
    def attempt(*given: Any) -> dict[str, Any]:
        try:
            return work(*given)
        except (Exception, SystemExit) as error:
            return {"error": f"{type(error).__name__}: {error}"[:500]}

    return attempt


@_or_error
def _answer(task: str, model: OpenModel, example: Mapping[str, str]) -> dict[str, Any]:
    get_task(task).check_example(example, "")
    assert not isinstance(model.model, EncoderCopy)
    with model.own.shown():
        began = time.perf_counter()
        output = model.model.predict(dict(example))
        ms = _ms_since(began)
    return {**_plain(get_task(task).check_output(output, model.labels), model.labels), "ms": ms}


@_or_error
def _question(task: str, model: OpenModel, example: Mapping[str, str]) -> dict[str, Any]:
    get_task(task).check_example(example, "")
    assert isinstance(model.model, EncoderCopy)
    began = time.perf_counter()
    inputs = model.model.question(example)
    return {"inputs": inputs, "ms": _ms_since(began)}


@_or_error
def _decided(task: str, model: OpenModel, output: Mapping[str, Any]) -> dict[str, Any]:
    if "error" in output:
        return dict(output)
    assert isinstance(model.model, EncoderCopy)
    answer = model.model.answer(output["logits"])
    return {**_plain(get_task(task).check_output(answer, model.labels), model.labels), "ms": output["ms"]}


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def _plain(prediction: Prediction, labels: Sequence[str]) -> dict[str, Any]:
    if prediction.text is not None:
        return {"answer": prediction.text, "confidence": prediction.confidence, "probabilities": None}
    shares = prediction.probabilities
    sure = prediction.confidence
    if sure is None and shares is not None:
        sure = shares[prediction.label]
    return {
        "answer": labels[prediction.label],
        "confidence": sure,
        "probabilities": None if shares is None else dict(zip(labels, shares, strict=True)),
    }


def variants_json(models: OpenModels, text: str) -> str:
    """The texts of ``{"example"}`` under each transformation; the seed is of the texts themselves.

    Those of the robustness and fairness suites and of the placebo, each with its `suite`. `variants` are
    those that changed something; `others` say why the rest did not.
    """
    example = json.loads(text)["example"]
    fields = get_task(models.task).perturbable
    texts = {name: example[name] for name in fields}
    variants, others = [], []
    for suite, name, factory in _transformations():
        about = {"suite": suite, "name": name}
        try:
            variants.append({**about, "example": {**example, **_perturbed(name, factory, texts)}})
        except _NoVariantError as error:
            others.append({**about, "why": str(error)})
    return json.dumps({"variants": variants, "others": others})


def token_f1_json(models: OpenModels, text: str) -> str:
    """The token F1 of ``{"answer", "right"}``, 0 to 1."""
    return json.dumps(token_f1(**json.loads(text)))


@cache
def _transformations() -> tuple[tuple[str, str, Callable[[], Transformation]], ...]:
    """The suite, the name and the factory of each transformation."""
    # What reads lists of names is not needed before somebody asks for variants.
    from evaluator.data.suites import fairness
    from evaluator.data.suites.fairness.names import read_names

    names, known = read_names(), recogniser(GAZETTEER)
    found = [("robustness", name, factory) for name, factory in FACTORIES.items()]
    for suite, edits in (("fairness", fairness.fairness_edits), ("placebo", fairness.placebo_edits)):
        found += [
            (suite, name, partial(Transformation, name, fairness.VERSION, edit))
            for name, edit in edits(names, known).items()
        ]
    return tuple(found)


class _NoVariantError(Exception):
    """A transformation that gives no variant; the message says why."""


def _perturbed(name: str, factory: Callable[[], Transformation], texts: Mapping[str, str]) -> dict[str, str]:
    rng = random.Random(seed_of(SEED, name, "\n".join(texts.values())))
    try:
        changed = changed_texts(factory(), texts, rng, {})
    except SuiteError:
        raise _NoVariantError("the list of misspellings is not here") from None
    except UndecidedError:
        raise _NoVariantError("the text does not show what a word in it is") from None
    if not changed:
        raise _NoVariantError("there is nothing to change")
    return changed
