"""Models of one task, open in a browser: what a page asks of them, in JSON; standard library only."""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from evaluator.data.suites.base import SuiteKind, Transformation, UndecidedError, changed_texts, seed_of
from evaluator.data.suites.entities import GAZETTEER, recogniser
from evaluator.data.suites.robustness import FACTORIES
from evaluator.data.tasks import get_task
from evaluator.measure.models import open_model
from evaluator.measure.models.base import Model
from evaluator.records.errors import UserError
from evaluator.score.metrics.squad_pair import token_f1
from evaluator.tryit import linear

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
        open_ = linear.open_model if spec["adapter"] == "linear" else partial(open_model, spec["adapter"])
        opened = open_(folder / "model", spec["options"], models.task, labels)
    models.models[spec["model"]] = OpenModel(opened, labels, own)
    return json.dumps({"open": list(models.models)})


def ask_json(models: OpenModels, text: str) -> str:
    """What a model answers to examples: ``{"model", "examples"}`` in, a list of answers out, in their order.

    An answer has `answer`, a label or a text, `confidence` and `probabilities` where there are any, and `ms`;
    or `error`, which says why there is none.
    """
    asked = json.loads(text)
    model = models.models[asked["model"]]
    return json.dumps([_answer(models.task, model, example) for example in asked["examples"]])


def _answer(task: str, model: OpenModel, example: Mapping[str, str]) -> dict[str, Any]:
    try:
        get_task(task).check_example(example, "")
        with model.own.shown():
            began = time.perf_counter()
            output = model.model.predict(dict(example))
            ms = (time.perf_counter() - began) * 1000
        prediction = get_task(task).check_output(output, model.labels)
    # A model may raise whatever it likes, and exit; the next example is asked about anyway.
    except (Exception, SystemExit) as error:
        return {"error": f"{type(error).__name__}: {error}"[:500]}
    if prediction.text is not None:
        return {
            "answer": prediction.text,
            "confidence": prediction.confidence,
            "probabilities": None,
            "ms": ms,
        }
    shares, confidence = prediction.probabilities, prediction.confidence
    if confidence is None and shares is not None:
        confidence = shares[prediction.label]
    return {
        "answer": model.labels[prediction.label],
        "confidence": confidence,
        "probabilities": None if shares is None else dict(zip(model.labels, shares, strict=True)),
        "ms": ms,
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
        changed, why = _changed(name, factory, texts)
        if changed:
            variants.append({"suite": suite, "name": name, "example": {**example, **changed}})
        else:
            others.append({"suite": suite, "name": name, "why": why})
    return json.dumps({"variants": variants, "others": others})


def _changed(
    name: str, factory: Callable[[], Transformation], texts: Mapping[str, str]
) -> tuple[dict[str, str], str]:
    """The texts under a transformation; none, and why, where it gives no variant."""
    rng = random.Random(seed_of(SEED, name, "\n".join(texts.values())))
    try:
        changed = changed_texts(factory(), texts, rng, {})
    except UserError:
        return {}, "the list of misspellings is not here"
    except UndecidedError:
        return {}, "the text does not show what a word in it is"
    return changed or {}, "there is nothing to change"


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
    kinds: tuple[SuiteKind, ...] = ("fairness", "placebo")
    for kind in kinds:
        found += [
            (kind, name, partial(Transformation, name, fairness.VERSION, edit))
            for name, edit in fairness.edits_of(kind, names, known).items()
        ]
    return tuple(found)
