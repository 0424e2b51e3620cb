"""Rankings by what is hard: WSBias, WOOD and WMProb from per-example records.

Like `rank.dynascore` it runs in the visitor's browser too, so it and the modules it is made of import
the standard library and one another only: `difficulty_order` divides the examples, `difficulty_rows` scores
each model, `difficulty_noise` says what chance may do, and `difficulty_sentences` puts it in words. The
bits are the same on every Python from 3.11 on: counts are whole numbers, sums go through `math.fsum`.

Definition (Mishra & Arunkumar 2021, "How Robust are Model Rankings"): every example has a difficulty B
and belongs to a split with a weight W, and a model's metric is ``100 * sum(K W) / sum(d W)``, where K is
the reward d if its answer is right and the penalty e if it is wrong. For WSBias and WOOD a high B means
easy; for WMProb B is the model's own confidence, so that each model has its own order.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.rank.difficulty_noise import ACCURACY, VALUE, Influenced, Noise
from evaluator.rank.difficulty_order import (
    CONFIDENCE,
    DifficultyQuestion,
    Division,
    Order,
    continuous,
    divide,
    field_error,
    mean_of,
    plain_number,
)
from evaluator.rank.difficulty_rows import (
    DifficultyRow,
    ModelAnswers,
    continuous_row,
    influence,
    most_moved,
    ranks,
    split_row,
    unit,
)
from evaluator.rank.difficulty_sentences import (
    answer_words,
    chart_words,
    heat_sentence,
    lead_sentence,
    moved_words,
    moves_within_noise,
    noise_sentences,
    ranking_notes,
    sample_sentences,
)

#: Name and version of the definition; the version changes whenever numbers would.
DEFINITION = "difficulty/2"

#: The name of a source, which of its columns (the per cent of a WOOD, else nothing), and whether examples
#: with B = 0 are left out. Of confidences: the model, as each has an order of its own.
Key = tuple[str, str, bool]

#: To how many decimals `evaluator.measure.difficulty.algorithms` keeps its values.
WOOD_DECIMALS = 6
#: The values that models are ranked by, and the ranks.
RANKED_BY = {"value": "rank", "accuracy": "accuracy_rank", "accuracy_scored": "accuracy_scored_rank"}


@dataclass(frozen=True)
class DifficultyRanking:
    """The ranking that a question asks for: rows by rank, then by name, those without a value last."""

    question: DifficultyQuestion
    direction: str
    examples: int
    rows: list[DifficultyRow]
    notes: list[str]

    def plain(self) -> dict[str, Any]:
        """The ranking as plain JSON data; what each model has for itself under "wmprob" is null for all."""
        shared = self.rows[0] if self.rows and self.question.metric != CONFIDENCE else None
        return {
            "metric": self.question.metric,
            "direction": self.direction,
            "examples": self.examples,
            "scored": shared.scored if shared else None,
            "left_out": shared.left_out if shared else None,
            "ties": shared.ties if shared else None,
            "splits": [split.outline() for split in shared.splits] if shared else None,
            "models": [row.plain() for row in self.rows],
            "counts": self.counts(),
            "notes": self.notes,
        }

    def counts(self) -> list[str]:
        """Which samples count and how ties are treated, in sentences."""
        return sample_sentences(self.question, self.examples, self.rows[0] if self.rows else None)


class Samples:
    """The examples of a dataset with their difficulties, and what models answered; ready for questions.

    Sorted once for each difficulty; sums of right answers along each order are kept, so that moving a
    threshold costs a look-up a model and split, however many examples there are.
    """

    def __init__(
        self, ids: Sequence[str], answers: Sequence[str], gold: Sequence[int], merge: Mapping[str, str]
    ) -> None:
        self.ids, self.answers, self.merge = list(ids), list(answers), dict(merge)
        self.gold = [self.answers[at] for at in gold]
        #: Which examples share a source; empty where none do.
        self.groups: list[int] = []
        self.models: dict[str, ModelAnswers] = {}
        self.labels: dict[str, str] = {}
        self.sources: dict[str, dict[str, list[float | None]]] = {}
        self.decimals: dict[str, int] = {}
        self._ids_sha256: str | None = None
        self._orders: dict[Key, Order] = {}

    @classmethod
    def read(
        cls,
        examples: Mapping[str, Any],
        predictions: Mapping[str, Mapping[str, Any]],
        difficulties: Iterable[Mapping[str, Any]] = (),
        labels: Mapping[str, str] | None = None,
    ) -> Samples:
        """From plain JSON records: `Examples` with gold labels, `PredictionSet` by model id, `Difficulty`.

        `labels` are the models' names for people. Raises ValueError naming record, field, value and fix.
        """
        gold = examples.get("gold")
        if gold is None:
            raise ValueError(
                f"examples of {examples.get('dataset')}: gold: missing; rankings by difficulty need the gold"
                " labels: set show_gold = true for the dataset in the board file and evaluate it"
            )
        samples = cls(examples["ids"], examples["labels"], gold, examples.get("merge", {}))
        samples.groups = list(examples.get("clusters") or ())
        for record in difficulties:
            samples._add_source(record)
        for model, record in predictions.items():
            samples.add(model, record)
        samples.labels = dict(labels or {})
        return samples

    def metrics(self) -> dict[str, list[float]]:
        """What a question may be about: each source with its percentages (most have none); "wmprob" last."""
        known = {
            name: sorted(map(plain_number, filter(None, columns))) for name, columns in self.sources.items()
        }
        confident = any(model.confident for model in self.models.values())
        return known | ({CONFIDENCE: []} if confident else {})

    def add(self, model: str, record: Mapping[str, Any]) -> None:
        """Take a model's predictions, a plain `PredictionSet`, in place of those it had."""
        predicted = record.get("predicted")
        if predicted is None:
            raise ValueError(
                f"predictions of {model}: predicted: missing; only answers that are labels can be right or"
                " wrong"
            )
        self._check(record, len(predicted), f"predictions of {model}: predicted")
        self.remove(model)
        self.models[model] = ModelAnswers.read(record, self.gold, self.merge)

    def remove(self, model: str) -> None:
        """Forget a model, if it is known."""
        self.models.pop(model, None)
        self._orders.pop((CONFIDENCE, model, False), None)

    def answer(self, question: DifficultyQuestion) -> DifficultyRanking:
        """Rank the models that the question names. Raises ValueError for an unknown name."""
        rows = self._rows(question)
        valued = [row for row in rows if row.value is not None]
        for value, rank in RANKED_BY.items():
            for row, place in zip(valued, ranks([getattr(row, value) for row in valued]), strict=True):
                setattr(row, rank, place)
        last = len(rows) + 1
        rows.sort(key=lambda row: (row.rank or last, row.model))
        direction = "hard-high" if question.metric == CONFIDENCE else "easy-high"
        confident = {row.model: self.models[row.model].confident for row in rows}
        notes = list(
            ranking_notes(
                question, len(self.ids), rows, confident, self.decimals.get(question.metric), self.label
            )
        )
        return DifficultyRanking(question, direction, len(self.ids), rows, notes)

    def points(self, question: DifficultyQuestion) -> dict[str, Any]:
        """What drawings show of each example: its difficulty, its split (-1: none), and who is right.

        Under "wmprob", difficulty and split are by model. Ties are cut in the dataset's order.
        """
        chosen = self._chosen(question)
        places = {model: self._places(question, model) for model in chosen}
        difficulty = {model: values for model, (values, _) in places.items()}
        split = {model: splits for model, (_, splits) in places.items()}
        shared = question.metric != CONFIDENCE and bool(chosen)
        return {
            "difficulty": difficulty[chosen[0]] if shared else difficulty,
            "split": split[chosen[0]] if shared else split,
            "right": {model: self.models[model].marks for model in chosen},
        }

    def influence(self, question: DifficultyQuestion, model: str) -> list[float] | None:
        """By how much each example moves a model's value, in per cent and in the dataset's order.

        Difficulties and splits stay as they are. None where the model has no value.
        """
        return influence(self.weighed(question, model), self.models[model].counted(question), question)

    def page_answer(self, question: DifficultyQuestion) -> dict[str, Any]:
        """The plain answer to a question, and in ``words`` what a page says of it.

        See `answer_words` and `chart_words`.
        """
        found = self.answer(question)
        shared = bool(found.rows) and question.metric != CONFIDENCE
        words = answer_words(question, found.rows, shared, self.label)
        charts = chart_words(question, found.rows, self._agreed(question, found.rows), self.label)
        return {**found.plain(), "words": {**words, "charts": charts}}

    def _agreed(self, question: DifficultyQuestion, rows: Sequence[DifficultyRow]) -> tuple[int, int, int]:
        """How many examples have a difficulty, and how many of them all models and no model get right.

        Where every model has difficulties of its own, they are those of the best by accuracy.
        """
        if not rows:
            return 0, 0, 0
        first = min(rows, key=lambda row: row.accuracy_rank or len(rows) + 1)
        values = self._values(question, first.model)
        drawn = int("".join("0" if value is None else "1" for value in values) or "0", 2)
        everybody, anybody = drawn, 0
        for row in rows:
            marks = int(self.models[row.model].marks or "0", 2)
            everybody &= marks
            anybody |= marks
        return drawn.bit_count(), everybody.bit_count(), (drawn & ~anybody).bit_count()

    def noise(self, question: DifficultyQuestion) -> dict[str, Any]:
        """What other examples from the same source may do to a ranking; difficulties and splits stay.

        By model, ``value`` is its 95 % interval and ``set`` its rank set, as on a board. ``moved`` is how
        many ranks it gains against the ranking by accuracy, at least and at most, and ``verdict`` says in
        words whether that is more than chance. A swap is a pair in another order than by accuracy; it is
        ``certain`` where both orders are told apart. ``lead`` says who leads, ``heat`` whether others could
        be first, ``within`` how many and ``sentences`` which changes of rank are within noise.
        """
        rows = [row for row in self.answer(question).rows if row.value is not None]
        noise = Noise(self.influenced(question, rows), self.groups)
        by_value, by_accuracy = noise.sets(VALUE), noise.sets(ACCURACY)
        found = {
            row.model: {"value": interval and [*interval], "set": held and [*held], "moved": [*moved]}
            for row, interval, held, moved in zip(
                rows, noise.intervals(VALUE), by_value.sets, noise.moves(), strict=True
            )
        }
        moved = {model: of["moved"] for model, of in found.items()}
        apart = {*by_value.separated}.intersection((down, up) for up, down in by_accuracy.separated)
        return {
            "models": {model: {**of, "verdict": moved_words(of["moved"])} for model, of in found.items()},
            "swaps": [
                {"up": up.model, "down": down.model, "certain": (i, j) in apart}
                for i, up in enumerate(rows)
                for j, down in enumerate(rows)
                if up.swaps_with(down)
            ],
            "lead": lead_sentence(question, rows, by_value.sets, self.label),
            "heat": heat_sentence(rows, by_value.sets),
            "within": moves_within_noise(rows, moved),
            "sentences": noise_sentences(question, rows, moved, self.label),
        }

    def influenced(
        self, question: DifficultyQuestion, rows: Sequence[DifficultyRow]
    ) -> dict[str, Influenced]:
        """The two columns that ranks are by, of models that have a value, in the order of `rows`."""
        weights = [self.weighed(question, row.model) for row in rows]
        models = [self.models[row.model] for row in rows]
        moved = [
            influence(own, model.counted(question), question) or [0.0] * len(own)
            for own, model in zip(weights, models, strict=True)
        ]
        right = [[100.0 * one - row.accuracy for one in self.models[row.model].right] for row in rows]
        most = max((most_moved(own, question) for own in weights), default=0.0)
        return {
            VALUE: Influenced([row.value or 0.0 for row in rows], moved, most, question.ends),
            ACCURACY: Influenced([row.accuracy for row in rows], right, 100.0, (0.0, 100.0)),
        }

    def label(self, model: str) -> str:
        """A model's name for people."""
        return self.labels.get(model, model)

    def _add_source(self, record: Mapping[str, Any]) -> None:
        name = record["name"]
        values = record.get("values")
        columns = record.get("percentages") or {} if values is None else {"": values}
        for column in columns.values():
            self._check(record, len(column), f"difficulty {name}: values")
        self.sources[name] = {percent: list(column) for percent, column in columns.items()}
        self.decimals |= {name: WOOD_DECIMALS} if record.get("algorithm") == "wood" else {}

    def _check(self, record: Mapping[str, Any], rows: int, where: str) -> None:
        """Refuse a record about other examples than these."""
        if rows != len(self.ids):
            raise ValueError(f"{where}: {rows} for {len(self.ids)} examples; take those of the same revision")
        digest = record.get("ids_sha256")
        self._ids_sha256 = self._ids_sha256 or digest
        if digest not in (None, self._ids_sha256):
            fix = "take those of one revision"
            raise ValueError(f"{where}: ids_sha256: {digest} is not {self._ids_sha256}; {fix}")

    def _chosen(self, question: DifficultyQuestion) -> list[str]:
        for model in question.models or ():
            if model not in self.models:
                raise field_error("models", model, f"is none of {', '.join(self.models)}")
        if question.metric != CONFIDENCE:
            self._column(question)
        return list(dict.fromkeys(question.models if question.models is not None else self.models))

    def _column(self, question: DifficultyQuestion) -> str:
        """Which column of its source a question is about; several with a plus between them."""
        if question.metric not in self.sources:
            known = ", ".join(self.metrics()) or "none: nothing is stored for the dataset"
            raise field_error("metric", question.metric, f"is none of the difficulties here, {known}")
        columns = self.sources[question.metric]
        column = "" if "" in columns else question.column
        for part in column.split("+"):
            if part not in columns:
                raise field_error(
                    "percent", plain_number(part), f"is none of those stored, {', '.join(columns)}"
                )
        return column

    def _values(self, question: DifficultyQuestion, model: str) -> Sequence[float | None]:
        """The difficulty of every example, for a model."""
        if question.metric == CONFIDENCE:
            return self.models[model].confidence
        columns, column = self.sources[question.metric], self._column(question)
        return columns.get(column) or mean_of([columns[part] for part in column.split("+")])

    def _order(self, question: DifficultyQuestion, model: str) -> Order:
        own = question.metric == CONFIDENCE
        without_zeros = question.inverts and question.zeros == "drop"
        key = question.metric, model if own else self._column(question), without_zeros
        if key not in self._orders:
            self._orders[key] = Order(self._values(question, model), not own, without_zeros)
        return self._orders[key]

    def _rows(self, question: DifficultyQuestion) -> list[DifficultyRow]:
        """The models that the question names, scored and not yet ranked."""
        divided: dict[Order, Division] = {}
        rows = []
        for model in self._chosen(question):
            order, answers = self._order(question, model), self.models[model]
            if question.kind == "continuous":
                rows.append(continuous_row(question, model, answers, order))
                continue
            if order not in divided:
                divided[order] = divide(order, question)
            rows.append(split_row(question, model, answers, order, divided[order]))
            if question.metric in self.decimals:
                rows[-1].ties["rounded"] = rows[-1].ties["examples"]
        return rows

    def _places(self, question: DifficultyQuestion, model: str) -> tuple[Sequence[float | None], list[int]]:
        """The difficulty of each example and its split, -1 where it has none."""
        order = self._order(question, model)
        splits = [-1] * len(self.ids)
        if question.kind != "continuous":
            bounds = divide(order, question).bounds
            for split, (low, high) in enumerate(itertools.pairwise(bounds)):
                for at in range(low, high):
                    splits[order.rows[at]] = -1 if at in order.dropped else split
        return self._values(question, model), splits

    def weighed(self, question: DifficultyQuestion, model: str) -> list[float]:
        """What each example of the dataset weighs, its factor included; 0 where it does not count."""
        order = self._order(question, model)
        answers, split = self.models[model], question.kind != "continuous"
        along = divide(order, question).each() if split else continuous(order, question)
        beside = question.highest_weight * unit(question) if answers.absent(question) else 0.0
        weights = [beside] * len(self.ids)
        factors = answers.factors(order, question)
        for row, weight, factor in zip(order.rows, along, factors, strict=True):
            weights[row] = weight * factor
        return weights


def open_samples(text: str) -> Samples:
    """`Samples` for a page: ``{"examples", "predictions": {id: record}, "difficulties", "labels"}``."""
    given = json.loads(text)
    return Samples.read(
        given["examples"], given["predictions"], given.get("difficulties", ()), given.get("labels")
    )


def answer_json(samples: Samples, text: str) -> str:
    """`Samples.page_answer`: a question's fields in."""
    return _json(samples.page_answer(DifficultyQuestion.read(json.loads(text))))


def points_json(samples: Samples, text: str) -> str:
    """`Samples.points` for a page: a question's fields in."""
    return _json(samples.points(DifficultyQuestion.read(json.loads(text))))


def noise_json(samples: Samples, text: str) -> str:
    """`Samples.noise` for a page: a question's fields in."""
    return _json(samples.noise(DifficultyQuestion.read(json.loads(text))))


def remove_json(samples: Samples, text: str) -> str:
    """`Samples.remove` for a page: ``{"model"}`` in, ``{}`` out."""
    samples.remove(json.loads(text)["model"])
    return _json({})


def _json(document: Any) -> str:
    return json.dumps(document, allow_nan=False, separators=(",", ":"))
