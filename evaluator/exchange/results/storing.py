"""What was taken out of files of results, stored: all is made and checked before the first is written."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluator.exchange.results.labels import Labels, ReadImport, column_of
from evaluator.exchange.results.reading import CellTable, read_results
from evaluator.exchange.results.taking import Reported, Taken, TakenModel, take
from evaluator.rank.formats import counted
from evaluator.records.board import Boards, MetricSpec
from evaluator.records.board.comparing import WITHOUT_VALUES
from evaluator.records.board.imports import ImportSpec
from evaluator.records.errors import UserError
from evaluator.records.references import DatasetRef, ModelCard, ModelRef, Source
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.keeping import keep_covariances
from evaluator.score.published import AS_PUBLISHED
from evaluator.score.scores import TOOL
from evaluator.score.values import ScoredExamples, check_values, keep_values, known_examples

TASK = "scored"
#: How many mistakes a message names.
NAMED = 20


@dataclass(frozen=True)
class StoredResult:
    """A model on a dataset, and whether anything was written of it."""

    status: Literal["imported", "unchanged"]
    result: Result


@dataclass(frozen=True)
class _ByExample:
    """A model's values on examples, what people said in place of a judge, and what the source published."""

    examples: ScoredExamples
    model: ModelRef
    values: Mapping[str, NDArray[np.float64]]
    human: Mapping[str, NDArray[np.float64]]
    published: Mapping[str, float]
    source: Source
    accept_differences: bool


def read_import(spec: ImportSpec, boards: Boards, data: Path) -> ReadImport:
    """What the files of a table of the board file say now; their paths start at `data`. `UserError`."""
    table = table_of(spec, data)
    taken = take(spec, table, {name: _metric(boards, spec, name) for name in spec.metrics})
    return ReadImport(spec, taken, cited(spec, spec.path))


def table_of(spec: ImportSpec, data: Path) -> CellTable:
    """The table that a mapping is about, of its files. Raises `UserError`."""
    tables = read_results([data / path for path in spec.path])
    return next((one for one in tables if _fits(one, spec)), tables[0])


def _fits(table: CellTable, spec: ImportSpec) -> bool:
    """Whether a table has the columns that the mapping is about; a folder may have several."""
    known = set(table.frame.columns)
    columns = [one.column or one.human for one in spec.metrics.values() if "*" not in one.column]
    return spec.model in known and (spec.rows == "values" or not columns or bool(known & set(columns)))


def _metric(boards: Boards, spec: ImportSpec, name: str) -> MetricSpec:
    about = {spec.dataset} if spec.dataset else set(spec.datasets.ids.values() if spec.datasets else ())
    scored = [board for board in boards.boards if board.task in (TASK, None)]  # None: of several tasks
    scored.sort(key=lambda board: about.isdisjoint(board.datasets))  # boards of these datasets first
    shown = (metric for board in scored for metric in board.metrics)
    found = next((metric for metric in shown if metric.name == name), None)
    if found is None:
        place, fix = f"board file: imports: {', '.join(spec.path)}", "add it to a board, or delete it there"
        raise UserError(place, f"no board shows the metric {name!r}", fix)
    return found


def cited(spec: ImportSpec, paths: Sequence[str]) -> Source:
    """Where the numbers are from: as the mapping says, else the file that they were given in."""
    if spec.source is not None:
        return spec.source
    named = "/".join(part for part in Path(paths[0]).parts[-2:] if part not in ("/", ".", ".."))
    more = f" and {counted(len(paths) - 1, 'more file')}" if len(paths) > 1 else ""
    return Source(citation=f"as given in {named}{more}")


def store_imports(
    imports: Sequence[ReadImport], boards: Boards, store: Store, created: str
) -> list[StoredResult]:
    """Store all numbers, or none: raises `UserError` that names everything that cannot be stored.

    A result that says what is stored already is not written again.
    """
    models = _models([one.taken for one in imports], boards)
    by_example = list(_by_example(imports, models, boards, store))
    having = {(one.examples.id, one.model.id): set(one.values) for one in by_example}
    reported = list(_reported(imports, models, boards, having, created))
    for dataset, model in dict.fromkeys([*having, *((one.dataset.id, one.model.id) for one in reported)]):
        _check_replaced(store, dataset, model)
    _check(by_example, boards, store)
    done = [_kept(one, boards, store, created) for one in by_example]
    done += [_merged(one, imports, store) for one in reported]
    for dataset in dict.fromkeys(one.examples.id for one in by_example):
        known = known_examples(dataset, boards.dataset(dataset).label, store)
        if known is not None:
            keep_covariances(known.dataset(), boards, store)
    return _once(done)


def _models(taken: Sequence[Taken], boards: Boards) -> dict[str, ModelRef]:
    """Each model once, with the card that all files together give it, without those that were removed.

    What the board file says of a model comes before what files say.
    """
    found: dict[str, TakenModel] = {}
    for one in taken:
        for id_, model in one.models.items():
            found[id_] = _both(found[id_], model) if id_ in found else model
    refs = {}
    for id_, model in found.items():
        known = boards.model(id_)
        if known is None or known.removed is None:
            card = known.card if known and known.card != ModelCard() else model.card
            label = known.label if known else model.label
            refs[id_] = ModelRef(id=id_, label=label, made_from=dict(model.facts), card=card)
    return refs


def _both(first: TakenModel, second: TakenModel) -> TakenModel:
    said = second.card.model_dump(exclude_defaults=True) | first.card.model_dump(exclude_defaults=True)
    tags = tuple(dict.fromkeys([*first.card.tags, *second.card.tags]))
    return replace(first, card=ModelCard(**{**said, "tags": tags}), facts={**second.facts, **first.facts})


def _by_example(
    imports: Sequence[ReadImport], models: Mapping[str, ModelRef], boards: Boards, store: Store
) -> Iterator[_ByExample]:
    """All values by example: of the files, and those stored of models that they have published numbers of."""
    accept = any(one.spec.accept_differences for one in imports)
    labels = Labels(imports, boards, store)
    given = [(one, dataset) for one in imports for dataset in one.taken.examples]
    done = set()
    for one, dataset in given:
        found = one.taken.examples[dataset]
        examples = ScoredExamples(
            dataset, boards.dataset(dataset).label, found.ids, found.tags, found.clusters
        )
        for model, values in found.values.items():
            if model in models:
                published, human = _published(imports, dataset, model), labels.of(examples, model, values)
                yield _ByExample(examples, models[model], values, human, published, one.source, accept)
                done.add((dataset, model))
    new = {dataset for dataset, _ in done}
    reported = dict.fromkeys(name for one in imports for name in one.taken.reported if name not in new)
    again = [(dataset, model) for dataset in reported for model in models]
    again += [pair for pair in labels.given if pair not in done and pair[1] in models]
    for dataset, model in dict.fromkeys(again):
        known = known_examples(dataset, boards.dataset(dataset).label, store)
        old = store.find(TASK, dataset, model)
        if known is None or old is None or old.predictions is None or old.source is None:
            labels.check_idle(dataset, model)
            continue
        stored = store.predictions(old)
        values = {name: column_of(cells, stored.trials) for name, cells in (stored.values or {}).items()}
        human = {name: column_of(cells, stored.trials) for name, cells in stored.human.items()}
        human |= labels.of(known, model, values)
        published = _published(imports, dataset, model)
        yield _ByExample(known, old.model, values, human, published, old.source, accept)


def _published(imports: Sequence[ReadImport], dataset: str, model: str) -> dict[str, float]:
    numbers = (one.taken.reported.get(dataset, {}).get(model, {}) for one in imports)
    return {name: number.value for found in numbers for name, number in found.items()}


def _reported(
    imports: Sequence[ReadImport],
    models: Mapping[str, ModelRef],
    boards: Boards,
    having: Mapping[tuple[str, str], set[str]],
    created: str,
) -> Iterator[Result]:
    """A result for each model and dataset of the numbers that no examples imply.

    Where other models of a dataset have examples and one has none, its numbers are kept apart from theirs.
    """
    with_examples = {dataset for dataset, _ in having}
    for one in imports:
        for dataset, found in one.taken.reported.items():
            for model, numbers in found.items():
                own = having.get((dataset, model), set())
                rest = {name: number for name, number in numbers.items() if name not in own}
                if rest and model in models:
                    apart = dataset in with_examples and not own
                    settings = dict([WITHOUT_VALUES]) if apart else {}
                    yield Result(
                        task=TASK,
                        model=models[model],
                        dataset=DatasetRef(id=dataset, examples=_examples(rest.values())),
                        provenance="reported",
                        scores={
                            name: Score(
                                value=number.value,
                                unit=_metric(boards, one.spec, name).unit,
                                version=AS_PUBLISHED,
                                standard_error=number.standard_error,
                                settings=settings,
                            )
                            for name, number in rest.items()
                        },
                        source=one.source,
                        created=created,
                        tool=TOOL,
                    )


def _examples(numbers: Iterable[Reported]) -> int | None:
    """On how many examples numbers are, if all say the same."""
    counts = {one.examples for one in numbers}
    return counts.pop() if len(counts) == 1 else None


def _check_replaced(store: Store, dataset: str, model: str) -> None:
    """Raise `UserError` where a result would be replaced that came about in another way."""
    place = store.path(TASK, dataset, model)
    store.check_new(place)
    old = store.find(TASK, dataset, model)
    if old is not None and old.provenance != "reported":
        fix = "give the model another name, or delete the result first"
        raise UserError(f"{place}: provenance", f"holds a result that is {old.provenance}", fix)


def _check(given: Sequence[_ByExample], boards: Boards, store: Store) -> None:
    """Raise `UserError` with all values by example that cannot be stored."""
    mistakes = []
    for one in given:
        try:
            check_values(
                one.examples,
                one.model,
                one.values,
                boards,
                store,
                published=_unrounded(one),
                accept_differences=one.accept_differences,
                human=one.human,
            )
        except UserError as error:
            mistakes.append(str(error))
    if mistakes:
        more = f"\n(and {len(mistakes) - NAMED} more)" if len(mistakes) > NAMED else ""
        raise UserError("", "\n".join(mistakes[:NAMED]) + more)


def _kept(one: _ByExample, boards: Boards, store: Store, created: str) -> StoredResult:
    kept = keep_values(
        one.examples,
        one.model,
        one.values,
        boards,
        store,
        source=one.source,
        created=created,
        published=_unrounded(one),
        accept_differences=one.accept_differences,
        human=one.human,
    )
    return StoredResult(kept.status, kept.result)


def _unrounded(one: _ByExample) -> dict[str, float]:
    """The published numbers that examples can be asked about.

    Where each example's number was rounded, their mean may be off by half of the last digit, so that a
    published number that is so near is what they imply.
    """
    found = {}
    for name, number in one.published.items():
        if name in one.values:
            values = one.values[name]
            rows = values[~np.isnan(values).all(axis=1)]
            digits = max((_digits(value) for value in rows[~np.isnan(rows)].tolist()), default=0)
            implied = float(np.mean(np.nanmean(rows, axis=1))) if len(rows) else math.nan
            if not (digits and abs(implied - number) <= 0.5 * 10.0**-digits):
                found[name] = number
    return found


def _digits(value: float) -> int:
    """How many decimals a number has as it is written."""
    return max(0, -int(Decimal(repr(value)).normalize().as_tuple().exponent))


def _merged(new: Result, imports: Sequence[ReadImport], store: Store) -> StoredResult:
    """Store published numbers, with those that the model has from other columns and of examples."""
    old = store.find(TASK, new.dataset.id, new.model.id)
    if old is not None:
        ours = {
            name
            for one in imports
            if new.dataset.id in one.taken.reported and new.model.id in one.taken.models
            for name in one.spec.metrics
        }
        others = {
            name: score
            for name, score in old.scores.items()
            if name not in new.scores and (name not in ours or score.version != AS_PUBLISHED)
        }
        scores = {**others, **new.scores}
        kept = (
            {"scores": scores}
            if old.predictions is None
            else {**_of(old), "scores": {**old.scores, **scores}}
        )
        new = new.model_copy(update=kept)
        if old.model_copy(update={"created": new.created, "tool": new.tool}) == new:
            return StoredResult("unchanged", old)
    predictions = store.predictions(old) if old is not None and old.predictions is not None else None
    store.save(new, predictions)
    return StoredResult("imported", new)


def _of(old: Result) -> dict[str, object]:
    """What a result with values by example keeps where published numbers come beside them."""
    return {
        name: getattr(old, name) for name in ("model", "dataset", "predictions", "source", "tags", "failures")
    }


def _once(done: Iterable[StoredResult]) -> list[StoredResult]:
    """Each model and dataset once: imported where any part of it was."""
    found: dict[tuple[str, str], StoredResult] = {}
    for one in done:
        key = (one.result.dataset.id, one.result.model.id)
        before = found.get(key)
        found[key] = replace(one, status="imported") if before and before.status == "imported" else one
    return list(found.values())


def summary(done: Sequence[StoredResult]) -> str:
    """``223 models on 1 dataset: 223 imported``."""
    models = {one.result.model.id for one in done}
    datasets = {one.result.dataset.id for one in done}
    kinds = Counter(one.status for one in done)
    statuses = ", ".join(f"{number:,} {status}" for status, number in sorted(kinds.items()))
    return f"{counted(len(models), 'model')} on {counted(len(datasets), 'dataset')}: {statuses}"
