"""The page that ranks models by difficult examples: the default ranking, and the data for all others."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.rank.difficulty import Samples
from evaluator.rank.difficulty_order import CONFIDENCE, DifficultyQuestion, plain_number
from evaluator.rank.difficulty_sentences import TITLES, moved_words, title_of
from evaluator.records.datasets import Difficulty, DifficultyTable, Examples
from evaluator.records.result import Result
from evaluator.records.store import Store
from site_src.generator import formats
from site_src.generator.datasets import DatasetView
from site_src.generator.pages.board import BoardView
from site_src.generator.pages.dataset import best_first, examples_of
from site_src.generator.pages.examples import document_of
from site_src.generator.results import Fact
from site_src.generator.table import RankSet
from site_src.generator.urls import answers_file, dataset_file

if TYPE_CHECKING:
    from site_src.generator.site import Site


#: How many models, the best ones, can be chosen at most, as each is a line of the page.
OFFERED = 100
#: How many of them are ranked until a visitor chooses.
CHOSEN = 20
#: What the values of a source mean, by its algorithm.
MEANINGS = {
    "wsbias-1": "The share of simple classifiers, trained on random parts of this test set, that get an"
    " example right when it is held out. A high value is an easy example.",
    "wsbias-2": "The share of four simple classifiers, trained on the training set, that get an example"
    " right. A high value is an easy example.",
    "wood": "How similar an example is to the training examples most like it, on average. A high value is an"
    " example close to what models were trained on, which is taken to be easy.",
    CONFIDENCE: "How sure each model is of its own answer. Every model has its own order of examples, and the"
    " surer an answer, the more it weighs.",
    "imported": "Values that were published elsewhere. A high value is an easy example.",
}


@dataclass(frozen=True)
class SourceView:
    """Something that says how difficult samples are. `file` has its values; None for confidences.

    `sharing` are the labels, by id, of the models built on the encoder that the values were made with.
    """

    name: str
    label: str
    meaning: str
    percentages: tuple[float, ...] = ()
    file: str | None = None
    facts: tuple[Fact, ...] = ()
    sharing: Mapping[str, str] = field(default_factory=dict)

    @property
    def warning(self) -> str | None:
        """Which models the source cannot judge fairly; None without any."""
        who = " and ".join(map(formats.isolated, self.sharing.values()))
        are, their, gets = (
            ("is", "its", "it gets") if len(self.sharing) == 1 else ("are", "their", "they get")
        )
        return (
            who
            and (
                f"{who} {are} built on the encoder that these difficulties were computed with. Examples that"
                f" {gets} wrong may count as hard for that reason, so {their} place is no fair comparison."
            )
        ) or None


@dataclass(frozen=True)
class RankRow:
    """One model of the default ranking. `moved`: places up (positive) from its rank by accuracy; `verdict`:
    whether that is more than chance; `ties`: what the order of ties does.

    `shares_encoder`: it is built on the encoder that says what is hard.
    """

    id: str
    label: str
    numbers: Mapping[str, Any]
    ranks: RankSet | None
    interval: tuple[float, float] | None
    moved: int | None
    verdict: str
    ties: str
    shares_encoder: bool


@dataclass(frozen=True)
class _Stored:
    """What the store has of a dataset; `results` and the `paths` of their answers are the best models'."""

    examples: Examples
    difficulties: Sequence[Difficulty]
    results: Sequence[Result]
    paths: Mapping[str, Path]


def is_difficult(board: BoardView, dataset: DatasetView, store: Store) -> bool:
    """Whether the dataset has such a page: published right answers, models' answers, and a difficulty."""
    stored = _stored(board, dataset, store)
    if stored is None or not stored.results:
        return False
    return bool(stored.difficulties) or any(map(_is_confident, map(document_of, stored.paths.values())))


def write_difficulty(site: Site, view: BoardView, dataset: DatasetView) -> None:
    """Write the page of what is hard in a dataset that `is_difficult`, and the values that it ranks by.

    Raises `UserError` at a file it cannot read.
    """
    store = site.store
    stored = _stored(view, dataset, store)
    assert stored is not None
    examples, results = stored.examples, stored.results
    chosen = {model: document_of(path) for model, path in list(stored.paths.items())[:CHOSEN]}
    sources = [_source(store, difficulty, results) for difficulty in stored.difficulties]
    if any(map(_is_confident, chosen.values())):
        sources.append(SourceView(CONFIDENCE, title_of(CONFIDENCE), MEANINGS[CONFIDENCE]))
    samples = Samples.read(
        examples.model_dump(mode="json"),
        chosen,
        [difficulty.model_dump(mode="json") for difficulty in stored.difficulties],
        {result.model.id: result.model.label for result in results},
    )
    question = DifficultyQuestion(metric=sources[0].name, percent=_percent(sources[0]))
    answer, noise = samples.page_answer(question), samples.noise(question)
    rows = [_row(view, sources[0], numbers, answer, noise) for numbers in answer["models"]]
    table = store.difficulty_table(examples.task, examples.dataset, examples.revision)
    island = {
        "examples": dataset_file(examples.dataset, "examples", store.record_path(examples)),
        "models": [
            {"id": result.model.id, "label": result.model.label, "file": answers_file(result)}
            for result in results
        ],
        "sources": [
            {
                "name": source.name,
                "label": source.label,
                "meaning": source.meaning,
                "percentages": source.percentages,
                "file": source.file,
                "shares_encoder": list(source.sharing),
                "warning": source.warning,
            }
            for source in sources
        ],
        "chosen": list(chosen),
        "percent": question.percent,
        "answer": answer,
        "noise": noise,
    }
    answering = sum(result.predictions is not None for result in best_first(view, dataset))
    site.write(
        f"{view.spec.id}/difficulty/{dataset.spec.id}/index.html",
        "difficulty.html",
        3,
        view=view,
        spec=dataset.spec,
        sources=sources,
        # How many models have answers and cannot be chosen.
        others=answering - len(stored.paths),
        answer=answer,
        noise=noise,
        rows=rows,
        # The splits that all models share, with the mean share of right answers in each.
        splits=[
            {**split, **said}
            for split, said in zip(answer["splits"] or [], answer["words"]["splits"], strict=True)
        ],
        # Whether anybody is in a dead heat with the leader.
        level=sum(row.ranks is not None and row.ranks.best == 1 for row in rows) > 1,
        case_words=CASE_WORDS,
        tables=source_tables(table, stored.difficulties, results[:CHOSEN]),
        island=island,
    )
    site.put_predictions(
        view, {_file(store, difficulty): store.record_path(difficulty) for difficulty in stored.difficulties}
    )


def _row(
    view: BoardView,
    source: SourceView,
    numbers: Mapping[str, Any],
    answer: Mapping[str, Any],
    noise: Mapping[str, Any],
) -> RankRow:
    id_, rank, by_accuracy = numbers["model"], numbers["rank"], numbers["accuracy_rank"]
    known = noise["models"].get(id_)
    return RankRow(
        id=id_,
        label=view.assembled.entries[id_].label,
        numbers=numbers,
        ranks=RankSet(*known["set"]) if known else None,
        interval=(known["value"][0], known["value"][1]) if known else None,
        moved=None if rank is None or by_accuracy is None else by_accuracy - rank,
        verdict=known["verdict"] if known else moved_words(None),
        ties=answer["words"]["ties"][id_],
        shares_encoder=id_ in source.sharing,
    )


def _stored(board: BoardView, dataset: DatasetView, store: Store) -> _Stored | None:
    examples = examples_of(dataset, store)
    if examples is None or examples.gold is None:
        return None
    difficulties = store.difficulties(examples.task, examples.dataset, examples.revision)
    usual = list(TITLES)
    difficulties.sort(key=lambda one: usual.index(one.name) if one.name in usual else len(usual))
    answered = [r for r in best_first(board, dataset) if r.dataset.revision == examples.revision]
    # Of several answers to an example, no single one is right or wrong.
    found = [
        (result, path)
        for result in answered
        if (path := store.predictions_file(result)) and result.model.made_from.get("runs", 1) == 1
    ][:OFFERED]
    paths = {result.model.id: path for result, path in found}
    return _Stored(examples, difficulties, [result for result, _ in found], paths)


def _is_confident(predictions: Mapping[str, Any]) -> bool:
    """Whether predictions say how confident the model is."""
    return bool(predictions.get("exact_confidence"))


def _file(store: Store, difficulty: Difficulty) -> str:
    path = store.record_path(difficulty)
    return dataset_file(difficulty.dataset, f"difficulty-{difficulty.name}", path)


def _source(store: Store, difficulty: Difficulty, results: Sequence[Result]) -> SourceView:
    return SourceView(
        name=difficulty.name,
        label=title_of(difficulty.name),
        meaning=MEANINGS[difficulty.algorithm],
        percentages=tuple(sorted(map(plain_number, difficulty.percentages or ()))),
        file=_file(store, difficulty),
        facts=_facts(difficulty),
        sharing={
            result.model.id: result.model.label
            for result in results
            if difficulty.shares_encoder(result.model)
        },
    )


def _facts(difficulty: Difficulty) -> tuple[Fact, ...]:
    """Everything that decided the values, and who published them."""
    source = difficulty.source
    spec = [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in difficulty.spec.items()
    ]
    cited = [] if source is None else [("Citation", source.citation), ("Link", source.link)]
    return (("Algorithm", difficulty.algorithm), *spec, *cited)


def _percent(source: SourceView) -> float:
    """The usual share of the training set where there is one, else the first there is."""
    usual = DifficultyQuestion(metric=source.name).percent
    return usual if usual in source.percentages or not source.percentages else source.percentages[0]


#: What a right and a wrong answer count by each case of the paper.
CASE_WORDS = {
    1: "1 and −1",
    2: "1 and 0",
    3: "0 and −1",
    4: "1 and −0.5",
    5: "0.5 and −1",
    6: "1 and −1, each weighed by 1/B",
    7: "1 and −1, each weighed by B",
    8: "1 and −1, times 1/B",
    9: "1 and −1, times B",
}
#: What a column's numbers were made by: the kind of splits, and what became of ties.
WAYS = {
    ("equal", "mean"): "7 equal splits, ties share weights",
    ("equal", "stable"): "7 equal splits, ties in order",
    ("continuous", None): "no splits",
}


@dataclass(frozen=True)
class DifficultyLine:
    """The numbers of one model: for each way, those of all cases, in per cent and with their ranks."""

    model: str
    label: str
    cells: tuple[tuple[float | None, int | None], ...]


@dataclass(frozen=True)
class SourceTable:
    """All numbers by one difficulty. Each of `ways` has a column for each of its cases."""

    label: str
    ways: tuple[tuple[str, tuple[int, ...]], ...]
    lines: tuple[DifficultyLine, ...]

    @property
    def starts(self) -> list[int]:
        """The columns with which ways begin."""
        return list(itertools.accumulate((len(cases) for _, cases in self.ways[:-1]), initial=0))


def source_tables(
    table: DifficultyTable | None, difficulties: Iterable[Difficulty], results: Sequence[Result]
) -> tuple[SourceTable, ...]:
    """The stored table by difficulty, of the models of these results.

    Numbers by other difficulty values than the present ones, or of other answers, are left out; so there may
    be none, as where nothing is stored.
    """
    if table is None:
        return ()
    models: list[str] = table.table["models"]
    chosen = [
        (models.index(result.model.id), result)
        for result in results
        if result.predictions and table.predictions.get(result.model.id) == result.predictions.sha256
    ]
    present = {difficulty.name: difficulty.content_hash() for difficulty in difficulties}
    stale = {name for name, hashed in table.difficulties.items() if present.get(name) != hashed}
    rows = [row for row in table.table["rows"] if row["metric"] not in stale]
    by_source = itertools.groupby(rows, key=_label)
    return tuple(_source_table(label, list(found), chosen) for label, found in by_source if chosen)


def _source_table(
    label: str, rows: Sequence[Mapping[str, Any]], chosen: Sequence[tuple[int, Result]]
) -> SourceTable:
    ordered = sorted(rows, key=lambda row: row["case"])
    by_way = {way: [row for row in ordered if (row["kind"], row.get("ties")) == way] for way in WAYS}
    columns = [row for found in by_way.values() for row in found]
    ways = [(WAYS[way], tuple(row["case"] for row in found)) for way, found in by_way.items() if found]
    lines = [
        DifficultyLine(
            result.model.id,
            result.model.label,
            tuple((column["value"][at], column["rank"][at]) for column in columns),
        )
        for at, result in chosen
    ]
    return SourceTable(label, tuple(ways), tuple(lines))


def _label(row: Mapping[str, Any]) -> str:
    """What a row's numbers are by."""
    title, percent = title_of(row["metric"]), row.get("percent")
    if several := row.get("percents"):
        return f"{title}, mean of {', '.join(map(str, several))} % of the training set"
    return title if percent is None else f"{title}, {percent} % of the training set"
