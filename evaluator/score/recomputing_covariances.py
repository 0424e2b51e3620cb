"""Whether stored covariances are what the stored predictions give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.records.board import Boards
from evaluator.records.datasets import Covariances
from evaluator.records.errors import UserError
from evaluator.records.kinds import COVARIANCES
from evaluator.records.store import Store
from evaluator.score.covariances import derive
from evaluator.score.metrics import METRICS
from evaluator.score.recomputed import BROKEN, TOLERANCE, Recomputed
from evaluator.score.remade_suites import RemadeSuites

#: Libraries of another version may round the last part of a covariance up where these round it down.
PARTS_APART = 2

#: The dataset of a record as far as it is at hand, or None.
Find = Callable[[Covariances], Dataset | None]


def recompute_covariances(
    store: Store, boards: Boards, suites: RemadeSuites, find: Find, found: Recomputed
) -> None:
    """Derive every file of covariances again and add to `found` what differs.

    Files that cannot be read are passed over: others name them.
    """
    for path in store.record_paths(COVARIANCES):
        try:
            kept: Covariances = store.load_record(COVARIANCES, path)
            dataset = find(kept)
            if dataset is None:
                found.leave(f"no right answers of {kept.dataset} here, so no covariances", path)
                continue
            if kept.sources and not dataset.has_inputs:
                found.leave(f"no data of {kept.dataset} here to say what its examples are from", path)
                continue
            _compare(path, kept, derive(dataset, boards, store, suites), found)
        except UserError:
            continue
        except BROKEN as error:
            found.wrong(path, f"nothing can be derived again: {error}")


def _compare(path: Path, kept: Covariances, again: Covariances, found: Recomputed) -> None:
    """Compare what both say of the models and metrics that they share; sizes of the dataset always."""
    found.compare(path, "", _sizes(kept), _sizes(again))
    if kept.sources != again.sources:
        found.wrong(path, "sources: other examples belong together than the data say; run steelyard evaluate")
        return
    models = [model for model, source in kept.models.items() if again.models.get(model) == source]
    if len(models) < len(kept.models):
        found.leave("covariances are of other predictions; run steelyard evaluate", path)
    for name, version in kept.versions.items():
        if _asks_a_network(name):
            found.leave(f"{name} asks a network, and no two machines give the same covariances", path)
            continue
        if again.versions.get(name) != version:
            found.leave("covariances are of another version of a metric; run steelyard evaluate", path)
            continue
        known = [model for model in models if model not in again.unknown.get(name, {})]
        left = [model for model in models if model not in known and model not in kept.unknown.get(name, {})]
        found.leave(f"no texts of {kept.dataset} here, so no covariances of its suites", path, len(left))
        _compare_metric(path, kept, again, name, known, found)


def _asks_a_network(name: str) -> bool:
    return name in METRICS and METRICS[name].tolerance > TOLERANCE


def _sizes(one: Covariances) -> dict[str, float | None]:
    return {"examples": float(one.examples), "clusters": float(one.clusters)}


def _compare_metric(
    path: Path, kept: Covariances, again: Covariances, name: str, models: Sequence[str], found: Recomputed
) -> None:
    """What counts and covariances say of a metric, with itself and with every other."""
    found.compare(path, "unit: ", {name: kept.unit.get(name)}, {name: again.unit.get(name)})
    for model in set(models).intersection(kept.unknown.get(name, {})):
        found.wrong(path, f"unknown: {name}: {model} is named, but its values are known")
    for what in ("right", "apart"):
        if _counts(kept, what, name, models) != _counts(again, what, name, models):
            found.wrong(path, f"{what}: {name}: is not what the predictions give")
    partners = {pair.second for one in (kept, again) for pair in one.pairs if pair.first == name}
    partners = {other for other in partners if not _asks_a_network(other)}
    for other in sorted(partners):
        both = [model for model in models if model not in again.unknown.get(other, {})]
        stored, recomputed = (_values(one, (name, other), both) for one in (kept, again))
        reach = PARTS_APART * max((pair.step for pair in again.pairs), default=0.0)
        if len(stored) != len(recomputed) or any(
            abs(a - b) > reach for a, b in zip(stored, recomputed, strict=True)
        ):
            found.wrong(path, f"pairs: {name} and {other}: are not what the predictions give")


def _counts(one: Covariances, what: str, name: str, models: Sequence[str]) -> list[int]:
    if what == "right":
        places = list(one.models)
        return [one.right[name][places.index(model)] for model in models] if name in one.right else []
    return [one.apart[name][place] for place in _places(one, models)] if name in one.apart else []


def _values(one: Covariances, names: tuple[str, str], models: Sequence[str]) -> list[float]:
    pair = next((pair for pair in one.pairs if (pair.first, pair.second) == names), None)
    return [pair.step * pair.parts[place] for place in _places(one, models)] if pair else []


def _places(one: Covariances, models: Sequence[str]) -> Iterator[int]:
    """Where the pairs of some models stand in the triangles of a record."""
    places = {model: place for place, model in enumerate(one.models)}
    for index, model in enumerate(models):
        for other in models[:index]:
            i, j = sorted((places[model], places[other]))
            yield j * (j - 1) // 2 + i
