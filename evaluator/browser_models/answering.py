"""Models of one task, open in a browser: what a page asks of them, in JSON; standard library only."""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from evaluator.browser_models import linear
from evaluator.metrics.squad_pair import token_f1
from evaluator.models import Model, open_model
from evaluator.suites.base import UndecidedError
from evaluator.suites.errors import SuiteError
from evaluator.suites.perturbing import changed_texts, seed_of
from evaluator.suites.robustness import FACTORIES
from evaluator.tasks import Prediction, get_task

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

    model: Model
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
) -> Model:
    if adapter == "linear":
        return linear.open_model(folder, options, task, labels)
    return open_model(adapter, folder, options, task, labels)


def ask_json(models: OpenModels, text: str) -> str:
    """What a model answers to examples: ``{"model", "examples"}`` in, a list of answers out, in their order.

    An answer has `answer`, a label or a text, `confidence` and `probabilities` where there are any, and `ms`;
    or `error`.
    """
    asked = json.loads(text)
    model = models.models[asked["model"]]
    return json.dumps([_answer(models.task, model, example) for example in asked["examples"]])


def _answer(task_name: str, model: OpenModel, example: Mapping[str, str]) -> dict[str, Any]:
    task = get_task(task_name)
    try:
        task.check_example(example, "")
        with model.own.shown():
            began = time.perf_counter()
            output = model.model.predict(dict(example))
            ms = (time.perf_counter() - began) * 1000
        return {**_plain(task.check_output(output, model.labels), model.labels), "ms": ms}
    except (Exception, SystemExit) as error:
        return {"error": f"{type(error).__name__}: {error}"[:500]}


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
    """The texts of ``{"example"}`` under each robustness transformation; the seed is of the texts themselves.

    `variants` are those that changed something; `others` say why the rest did not.
    """
    example = json.loads(text)["example"]
    fields = get_task(models.task).perturbable
    texts = {name: example[name] for name in fields}
    variants, others = [], []
    for name in FACTORIES:
        try:
            changed = _perturbed(name, texts)
            variants.append({"name": name, "example": {**example, **changed}})
        except _NoVariantError as error:
            others.append({"name": name, "why": str(error)})
    return json.dumps({"variants": variants, "others": others})


def token_f1_json(models: OpenModels, text: str) -> str:
    """The token F1 of ``{"answer", "right"}``, 0 to 1."""
    return json.dumps(token_f1(**json.loads(text)))


class _NoVariantError(Exception):
    """A transformation that gives no variant; the message says why."""


def _perturbed(name: str, texts: Mapping[str, str]) -> dict[str, str]:
    rng = random.Random(seed_of(SEED, name, "\n".join(texts.values())))
    try:
        changed = changed_texts(FACTORIES[name](), texts, rng, {})
    except SuiteError:
        raise _NoVariantError("needs lists of words that this page does not have") from None
    except UndecidedError:
        raise _NoVariantError("the text does not show what a word in it is") from None
    if not changed:
        raise _NoVariantError("finds nothing to change")
    return changed
