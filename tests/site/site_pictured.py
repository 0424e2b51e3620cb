"""The small world that pictures are taken of: one board that every kind of page has something of.

Dates, ids and numbers are fixed, so that two builds of it look the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import site_suites
from site_examples import (
    DIGEST,
    at_percent,
    examples,
    ids,
    is_right,
    labelled,
    read,
    save,
    save_difficulty,
    write,
    write_table,
)
from site_sample import MEASUREMENT, failed, result
from site_snapshots import freeze_board
from varying import varying

from evaluator.measure.worker import ModelToLoad
from evaluator.records.browser import COPIES, BrowserCheck
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.covariances import source
from evaluator.tryit.copies import make_copy
from site_src.generator.build import build

BOARD, TASK, DATASET = "reviews", "sentiment", "visitors"
LABELS = ["negative", "positive"]
COUNT = 60
METRICS = ("accuracy", "throughput", "memory", "fairness", "robustness")
TIMED, SUITES = METRICS[1:3], METRICS[3:]
#: Label, how often, of ten, it is right, examples per second, gigabytes, fairness, robustness.
MODELS: dict[str, tuple[str, int, float, float, float, float]] = {
    "bert-small": ("Small BERT", 9, 85.1, 0.412, 97.25, 88.5),
    "tfidf": ("TF-IDF + logistic regression", 8, 1560.2, 0.171, 98.75, 83.25),
    "distilled": ("Distilled transformer", 8, 212.6, 0.301, 96.5, 86.0),
    "lexicon": ("Lexicon of 7,500 words", 6, 9120.8, 0.044, 99.5, 71.75),
    "majority": ("Majority", 5, 21500.0, 0.031, 100.0, 100.0),
}
#: It keeps its answer whatever is done to a text, since it has no other.
ONE_ANSWER = "majority"
QUIET = {"verdict": "ok", "reasons": []}
NOISE = {"lexicon": {"verdict": "suspect", "reasons": ["the host took 3.1 % of the CPU time"]}}
PREDICTED = {"ensemble": ("Ensemble of three", 91.25)}
PUBLISHED = {"citation": "Nobody 2021, 'Reviews'", "link": "https://example.org/reviews-paper"}
SENTENCES = (
    "The soup was cold, and nobody at the counter cared.",
    "A museum that is small, quiet and well worth the walk.",
    "We waited an hour for a room that smelled of paint.",
    "The guide knew every stone of the place and made us laugh.",
    "Not the worst beach of the island, but close.",
    "Bread as it should be, and the coffee is not bad either.",
)
#: What each of the sentences is about; one is not tagged.
PLACES = ("restaurant", "museum", "hotel", "museum", "", "restaurant")
#: When the snapshots are taken, in seconds since 1970.
EARLIER, LATER = 1_800_000_000, 1_800_864_000

BOARDS = """
title = "Steelyard"

[site]
url = "https://example.org/board/"
browser_models = ["majority"]

[[datasets]]
id = "visitors"
label = "Visitors' book"
task = "sentiment"
licence = "CC BY 4.0"
link = "https://example.org/visitors"
citation = "Nobody 2020, The visitors' book"
show_text = true
show_gold = true

[[datasets]]
id = "letters"
label = "Old letters"
task = "sentiment"
role = "evaluation"

[[models]]
id = "majority"
label = "Majority"
task = "sentiment"
recipe = "majority"
train = "letters"

[[collect]]
id = "guests"
label = "Guests fool the majority"
task = "sentiment"
models = ["majority"]
goal = "Write what a guest of a place may say, and what a model gets wrong that always answers the same."
board = "reviews"
site = true
licence = "CC0-1.0"

[[boards]]
id = "reviews"
title = "Reviews of places"
summary = "Six small models on what visitors wrote: how often they are right, how fast, and how steadily."
models_from = [2014, 2025]
task = "sentiment"
base = "accuracy"
floor = "majority"
datasets = ["visitors", "letters"]
metrics = [
  { name = "accuracy", label = "Accuracy", unit = "%" },
  { name = "throughput", label = "Throughput", unit = "examples/s", decimals = 1 },
  { name = "memory", label = "Memory", unit = "GB", decimals = 3, direction = "lower", cap = 8.0 },
  { name = "fairness", label = "Fairness", unit = "%" },
  { name = "robustness", label = "Robustness", unit = "%" },
]
weights = { accuracy = 4, throughput = 1, memory = 1, fairness = 1, robustness = 1 }
presets = [
  { name = "accuracy-only", label = "Accuracy only", weights = { accuracy = 1 } },
  { name = "edge-device", label = "Edge device", weights = { accuracy = 1, throughput = 1, memory = 1 } },
]
"""


@dataclass(frozen=True)
class Pictured:
    """The built site, and the ids of its two snapshots."""

    site: Path
    earlier: str
    later: str


def build_pictured(folder: Path) -> Pictured:
    """Write the world under `folder`, freeze its board before and after a change, and build the site."""
    boards, results = folder / "board.toml", folder / "results"
    boards.write_text(BOARDS, encoding="utf-8")
    write_results(results)
    write_copy(folder, Store(results))
    earlier = freeze_board(boards, results, BOARD, EARLIER, note="As in the first report")
    make_faster(results / TASK / DATASET / "tfidf.json")
    later = freeze_board(boards, results, BOARD, LATER, {"accuracy": 2, "throughput": 1})
    build(boards, results, folder / "build", with_method=True)
    return Pictured(folder / "build", earlier.id, later.id)


def write_copy(folder: Path, store: Store) -> None:
    """The browser copy of the one model that a page can run, and how far it agrees with the answers shown."""
    (folder / "majority").mkdir()
    (folder / "majority" / "majority.json").write_text('{"counts": {"negative": 29, "positive": 31}}')
    model = ModelToLoad("majority", folder / "majority", {}, TASK, tuple(LABELS))
    copy, _ = make_copy("majority", model, folder / ".steelyard" / COPIES)
    result = store.find(TASK, DATASET, "majority")
    assert result is not None
    assert result.predictions is not None
    check = BrowserCheck(
        task=TASK,
        dataset=DATASET,
        dataset_revision=DIGEST,
        model="majority",
        predictions=result.predictions.sha256,
        copy_sha256=copy.content_hash(),
        revision=DIGEST,
        size=copy.size,
        runtime="Pyodide",
        asked=1821,
        agreed=1821,
        largest_difference=0.0,
        tool="steelyard",
    )
    store.save_record(check)


def make_faster(path: Path) -> None:
    """What changes between the two snapshots beside the weights."""
    document = read(path)
    document["scores"]["throughput"]["value"] *= 3
    save(path, document)


def write_results(results: Path) -> None:
    folder = results / TASK / DATASET
    folder.mkdir(parents=True)
    hashed = write_examples(results)
    measured_ones = measured()
    for document in measured_ones:
        if document["model"]["id"] == ONE_ANSWER:
            document["predictions"]["sha256"] = hashed
    for document in [*measured_ones, *beside_them()]:
        path = results / TASK / document["dataset"]["id"] / f"{document['model']['id']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, document)
    for kind in SUITES:
        save(folder / f"{kind}.suite.json", site_suites.card(TASK, DATASET, kind, site_suites.SAMPLES))
    save(folder / "abababababab.covariances.json", covariances(measured_ones))


def measured() -> list[dict[str, Any]]:
    """Models that ran here, twice each, under both suites."""
    return [measured_one(id_, label, *numbers) for id_, (label, *numbers) in MODELS.items()]


def measured_one(
    id_: str, label: str, right: int, speed: float, memory: float, *agreements: float
) -> dict[str, Any]:
    correct = accuracy(right)
    values = dict(zip(METRICS, (correct, speed, memory, *agreements), strict=True))
    passes = [{**MEASUREMENT["repeats"][0], "throughput": speed * share} for share in (0.99, 1.01)]
    timing = {**MEASUREMENT, "repeats": passes, "noise": {**MEASUREMENT["noise"], **NOISE.get(id_, QUIET)}}
    document = result(TASK, DATASET, id_, label, values, measurement=timing)
    suites = {kind: site_suites.tried(kind, values[kind], correct) for kind in SUITES}
    return {**document, "suites": suites, "tags": by_place(right)}


def accuracy(right: int, place: str | None = None) -> float:
    """In per cent, of answers as `labelled` makes them; with `place` on the examples about that."""
    tagged = [at for at in range(COUNT) if place in (None, PLACES[at % len(PLACES)])]
    return 100 * sum(is_right(at, right) and at % 50 != 49 for at in tagged) / len(tagged)


def by_place(right: int) -> dict[str, Any]:
    """A model's scores by the tag of the examples."""
    found = {}
    for place in dict.fromkeys(filter(None, PLACES)):
        count = COUNT // len(PLACES) * PLACES.count(place)
        found[place] = {"examples": count, "scores": {"accuracy": accuracy(right, place)}}
    return {"place": found}


def beside_them() -> list[dict[str, Any]]:
    """Whoever did not run here: predictions, a paper's number, people; a run that failed; an old dataset."""
    predictions = [
        result(TASK, DATASET, id_, label, {"accuracy": value}, provenance="predictions")
        for id_, (label, value) in PREDICTED.items()
    ]
    paper = result(TASK, DATASET, "published", "As published", {"accuracy": 93.1}, source=PUBLISHED)
    people = result(TASK, DATASET, "human", "People", {"accuracy": 96.25}, provenance="human")
    people["source"] = {"citation": "Estimated from five answers to each example"}
    letters = [
        result(TASK, "letters", id_, label, {"accuracy": accuracy(right) - 11.5}, measurement=MEASUREMENT)
        for id_, (label, right, *_) in MODELS.items()
    ]
    return [*predictions, paper, people, failed(TASK, DATASET, "broken", "Broken model"), *letters]


def covariances(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How the numbers vary with the examples, as ``steelyard evaluate`` keeps it."""
    vary = varying(len(documents), ["accuracy"], TIMED, SUITES)
    models = {document["model"]["id"]: source(Result.model_validate(document)) for document in documents}
    names = ("first", "second", "step", "parts")
    return {
        "schema_version": 1,
        "kind": "covariances",
        "task": TASK,
        "dataset": DATASET,
        "revision": DIGEST,
        **{name: vary[name] for name in ("examples", "clusters", "unit", "right", "apart")},
        "models": models,
        "versions": {name: documents[0]["scores"][name]["version"] for name in ("accuracy", *SUITES)},
        "pairs": [dict(zip(names, pair, strict=True)) for pair in vary["covariances"]],
    }


def write_examples(results: Path) -> str:
    """Texts, right labels, answers, and two sources of how difficult the examples are.

    Returns the hash of the answers that are all alike, which are read where a board is put together.
    """
    names = ids("v", COUNT)
    texts = [f"{at + 1}. {SENTENCES[at % len(SENTENCES)]}" for at in range(COUNT)]
    tags = {"place": [PLACES[at % len(PLACES)] for at in range(COUNT)]}
    document = examples(TASK, DATASET, names, LABELS) | {"texts": texts, "tags": tags}
    write(results, document, {model: numbers[1] for model, numbers in MODELS.items()}, labelled)
    path = results / TASK / DATASET / f"{ONE_ANSWER}.abababababab.predictions.json"
    save(path, read(path) | {"predicted": [0] * COUNT})
    hashed = PredictionSet.model_validate(read(path)).content_hash()
    bias = {"algorithm": "wsbias-1", "spec": {"seed": 5, "encoder": {"name": "tfidf"}}}
    values = [at * 7 % 12 / 11 for at in range(COUNT)]
    save_difficulty(results, TASK, DATASET, names, {"name": "wsbias-1", **bias, "values": values})
    shares = {"1": at_percent(names, 1), "10": at_percent(names, 10)}
    wood = {"algorithm": "wood", "spec": {"encoder": "tfidf"}, "percentages": shares}
    save_difficulty(results, TASK, DATASET, names, {"name": "wood", **wood})
    write_table(results / TASK / DATASET, ["wsbias-1", "wood"], MODELS, {ONE_ANSWER: hashed})
    path.rename(path.with_name(f"{ONE_ANSWER}.{hashed.removeprefix('sha256:')[:12]}.predictions.json"))
    return hashed
