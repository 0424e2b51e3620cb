"""A small world for the site's tests: boards and results as the evaluator would leave them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import site_examples
import site_suites

from evaluator.records.base import check_link
from evaluator.score.metrics import METRICS

SOURCE = {"citation": "Ma et al. 2021, 'Dynaboard', Table 2", "link": "https://arxiv.org/abs/2106.06052"}
CREATED = "2026-11-21T15:20:00Z"

#: accuracy, throughput, memory, fairness, robustness as Table 2 prints them for sentiment.
TABLE_2 = {
    "deberta": ("DeBERTa", 76.07, 7.50, 4.80, 94.08, 79.21),
    "roberta": ("RoBERTa", 73.74, 8.95, 4.14, 93.87, 77.81),
    "t5": ("T5", 73.20, 7.12, 9.06, 93.44, 77.99),
    "albert": ("ALBERT", 70.61, 10.24, 2.04, 93.34, 78.44),
    "bert": ("BERT", 68.71, 8.83, 6.04, 93.49, 72.75),
    "majority": ("Majority Baseline", 35.93, 35.14, 1.07, 100.0, 100.0),
    "fasttext": ("FastText", 53.32, 32.54, 1.69, 78.52, 65.82),
}
UNITS = {"perf": "F1", "throughput": "ex/s", "memory": "GB", "fairness": "%", "robustness": "%"}

HOSTILE = [
    "<script>window.hacked=1</script>",
    '"><img src=x onerror="window.hacked=1">',
    "</script><script>window.hacked=1</script>",
    "<svg onload=window.hacked=1>",
    "{{ 7 * 7 }}",
    "\u202egnp.exe",
    "x" * 10_000,
    # Formulas of a spreadsheet, each way that one can begin.
    '=HYPERLINK("https://example.org","x")',
    "+1-1",
    "-1+1",
    "@SUM(1+1)",
    "\t=1+1",
    r"\input{/etc/passwd} 50% & _ # $ { } ~ ^ \\",
    # Isolates and embeddings that nothing closes, and one end too many.
    "\u2067\u202d\u2066\u202e\u2069 sdrawkcab \u2069\u2069",
]
SCRIPT = "javascript:window.hacked=1"
#: One source for all of them, so that they are ranked together.
HOSTILE_SOURCE = {"citation": HOSTILE[0], "link": SCRIPT, "note": HOSTILE[1]}

LINK = "https://example.org/rounds"

#: Macro-F1 on each of `ROUND_EXAMPLES`; people have no estimate on the challenge set.
ROUND_EXAMPLES = {"round-1": 3600, "round-2": 720, "challenge": 120}
ROUNDS = {
    "roberta": ("RoBERTa", 89.25, 79.2, 61.5),
    "mix": ("Mix of two", 84.5, 71.25, 58.0),
    "lexicon": ("A lexicon", 55.0, 41.75, 44.25),
    "human": ("People", 88.1, 90.5, None),
}
ESTIMATE = {
    "citation": "Estimated from synthetic annotators, as Potts et al. 2021 (DynaSent) do",
    "note": "5 responses to each example, shuffled",
}
#: One tag with few values, one of them on few examples, and one with many.
TAGS = {
    "domain": {
        "books": {"examples": 400, "scores": {"macro-f1": 75.5, "mcc": 0.61}},
        "hotels": {"examples": 308, "scores": {"macro-f1": 66.125, "mcc": 0.48}},
        "zoos": {"examples": 12, "scores": {"macro-f1": 91.0, "mcc": 0.9}},
    },
    "functionality": {
        f"function_{at:02}_h": {"examples": 20 + at, "scores": {"macro-f1": (at * 37 % 29) * 3.5, "mcc": 0.1}}
        for at in range(29)
    },
}
FAILURES = [
    {
        "kind": "invalid-answer",
        "message": "line 7: output.label: 'pos' is none of negative, neutral, positive; answer one of them",
        "count": 3,
        "first_ids": ["r2-0007", "r2-0031", "r2-0100"],
    },
    {
        "kind": "missing",
        "message": "no prediction is given for this example, which counts as wrong",
        "count": 1,
        "first_ids": ["r2-0500"],
    },
]

BOARDS = """
title = "Steelyard"

[[datasets]]
id = "table-2"
label = "Dynaboard sentiment, averaged"
task = "sentiment"
citation = "Ma et al. 2021"

[[datasets]]
id = "reviews"
label = "Reviews"
task = "sentiment"
licence = "CC BY 4.0"
link = "https://example.org/reviews"
citation = "Nobody 2020"

[[datasets]]
id = "tweets"
label = "Tweets"
task = "sentiment"

[[datasets]]
id = "old"
label = "Old letters"
task = "sentiment"
role = "evaluation"

[[datasets]]
id = "hostile"
label = "<b onmouseover=window.hacked=1>data</b>"
task = "hostile"

[[datasets]]
id = "round-1"
label = "Dynamic round 1"
task = "dynamic"
round = 1
licence = "CC BY 4.0"
citation = "Nobody 2021"
link = "https://example.org/rounds"

[[datasets]]
id = "round-2"
label = "Dynamic round 2"
task = "dynamic"
round = 2

[[datasets]]
id = "challenge"
label = "Challenge"
task = "dynamic"
role = "evaluation"

[[datasets]]
id = "alone"
label = "Alone"
task = "solo"

[[datasets]]
id = "letters"
label = "Letters to the editor"
task = "perturbed"
licence = "CC BY 4.0"

[[datasets]]
id = "sealed"
label = "Sealed letters"
task = "perturbed"
role = "evaluation"
licence = "research use"

[[datasets]]
id = "nothing"
label = "Nothing yet"
task = "nothing"

[[boards]]
id = "sentiment"
title = "Sentiment analysis"
summary = "Seven models ranked by utility: task performance traded against speed, memory, fairness and robustness."
models_from = [2016, 2020]
task = "sentiment"
base = "perf"
datasets = ["table-2"]
metrics = [
  { name = "perf", label = "Macro-F1", unit = "F1" },
  { name = "throughput", label = "Throughput", unit = "ex/s" },
  { name = "memory", label = "Memory", unit = "GB", direction = "lower", cap = 32.0 },
  { name = "fairness", label = "Fairness", unit = "%" },
  { name = "robustness", label = "Robustness", unit = "%" },
]
presets = [
  { name = "accuracy-only", label = "Accuracy only", weights = { perf = 1 } },
  { name = "edge-device", label = "Edge device", weights = { perf = 1, throughput = 1, memory = 1 } },
]

[[boards]]
id = "measured"
title = "Measured here"
summary = "Two datasets that rank and one that does not."
task = "sentiment"
base = "accuracy"
datasets = ["reviews", "tweets", "old"]
metrics = [
  { name = "accuracy", label = "Accuracy", unit = "%" },
  { name = "throughput", label = "Throughput", unit = "ex/s", decimals = 1 },
  { name = "memory", label = "Memory", unit = "GB", decimals = 3, direction = "lower", cap = "max" },
]
weights = { accuracy = 4, throughput = 1, memory = 1 }

[[boards]]
id = "hostile"
title = "<i onclick=window.hacked=1>Hostile</i>"
task = "hostile"
base = "perf"
datasets = ["hostile"]
metrics = [
  { name = "perf", label = "</script><script>window.hacked=1</script>", unit = "<b>" },
  { name = "speed", label = "=1+1 \\\\input{x} % & _ $ \\u202e\\u2066", unit = "'\\"&" },
]

[[boards]]
id = "rounds"
title = "Rounds with people"
summary = "Models that are known by their predictions only."
task = "dynamic"
base = "macro-f1"
datasets = ["round-1", "round-2", "challenge"]
metrics = [
  { name = "macro-f1", label = "Macro-F1", unit = "%" },
  { name = "mcc", label = "Matthews correlation", unit = "", decimals = 3 },
  { name = "throughput", label = "Throughput", unit = "ex/s" },
  { name = "memory", label = "Memory", unit = "GB", direction = "lower", cap = 8.0 },
]
presets = [
  { name = "macro-f1-only", label = "Macro-F1 only", weights = { macro-f1 = 1 } },
  { name = "edge-device", label = "Edge device", weights = { macro-f1 = 1, throughput = 1 } },
]
weights = { macro-f1 = 3, mcc = 1 }
dataset_weights = { round-1 = 1, round-2 = 3 }

[[boards]]
id = "perturbed"
title = "Under perturbation"
task = "perturbed"
base = "accuracy"
datasets = ["letters", "sealed"]
metrics = [
  { name = "accuracy", label = "Accuracy", unit = "%" },
  { name = "fairness", label = "Fairness", unit = "%" },
  { name = "robustness", label = "Robustness", unit = "%" },
]

[[boards]]
id = "solo"
title = "One model"
group = "Small ones"
task = "solo"
base = "perf"
datasets = ["alone"]
metrics = [{ name = "perf", label = "Performance", unit = "%" }]

[[boards]]
id = "nothing"
title = "Nothing yet"
task = "nothing"
base = "perf"
datasets = ["nothing"]
metrics = [{ name = "perf", label = "Performance", unit = "%" }]
"""


def write_world(folder: Path) -> tuple[Path, Path]:
    """Write the boards file and the results; return their paths."""
    boards, results = folder / "board.toml", folder / "results"
    boards.write_text(BOARDS, encoding="utf-8")
    for document in documents():
        path = results / document["task"] / document["dataset"]["id"] / f"{document['model']['id']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    for card in suite_cards():
        path = results / card["task"] / card["dataset"]["id"] / f"{card['name']}.suite.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(card, ensure_ascii=False), encoding="utf-8")
    site_examples.write_examples(results, HOSTILE)
    return boards, results


def write_crowd(folder: Path, models: int) -> tuple[Path, Path]:
    """A world of one board with many models; return the paths of the boards file and the results."""
    boards, results = folder / "board.toml", folder / "results"
    head, rest = BOARDS.split("[[boards]]", 2)[:2]
    boards.parent.mkdir(parents=True, exist_ok=True)
    boards.write_text(f"{head}[[boards]]{rest}", encoding="utf-8")
    for at in range(models):
        values = (90 - at / 7, 5 + at * 7 % 31, 1 + at * 3 % 17 / 4, 80 + at * 11 % 19, 60 + at * 13 % 37)
        scores = dict(zip(UNITS, values, strict=True))
        document = result("sentiment", "table-2", f"crowd-{at:04}", f"Model {at}", scores, source=SOURCE)
        path = results / "sentiment" / "table-2" / f"crowd-{at:04}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document), encoding="utf-8")
    return boards, results


def documents() -> list[dict[str, Any]]:
    """Every result of the sample world."""
    reported = [
        result("sentiment", "table-2", id_, label, dict(zip(UNITS, values, strict=True)), source=SOURCE)
        for id_, (label, *values) in TABLE_2.items()
    ]
    alone = [result("solo", "alone", "only", "The only one", {"perf": 61.25}, source=SOURCE)]
    own = [*measured_documents(), *rounds_documents(), *perturbed_documents()]
    return [*reported, *hostile_documents(), *alone, *own]


def suite_cards() -> list[dict[str, Any]]:
    """The cards of every suite of the sample world."""
    cards = [
        site_suites.card("perturbed", "letters", kind, site_suites.SAMPLES) for kind in site_suites.SPECS
    ]
    sealed = site_suites.card("perturbed", "sealed", "robustness", [])
    return [*cards, sealed, site_suites.hostile_card(HOSTILE)]


def perturbed_documents() -> list[dict[str, Any]]:
    """Three models tried with suites; one with robustness as it was made before, one with none."""
    found = []
    for id_, (label, accuracy, shares) in site_suites.TRIED.items():
        document = result(
            "perturbed", "letters", id_, label, {"accuracy": accuracy}, provenance="predictions"
        )
        hashed = "0" if id_ == "aged" else "1"
        document["suites"] = {
            kind: site_suites.tried(kind, share, accuracy, hashed) for kind, share in shares.items()
        }
        document["scores"] |= {
            kind: {"value": share, "unit": "%", "version": f"agreement-1/sha256:{hashed * 64}"}
            for kind, share in shares.items()
        }
        found.append(document)
    return found


def hostile_documents() -> list[dict[str, Any]]:
    """Models with markup in their names, and in all else that people outside may write."""
    found = []
    for index, text in enumerate(HOSTILE):
        scores = {"perf": 50.0 + index, "speed": 3.0 * index}
        document = result("hostile", "hostile", f"h{index}", text, scores, source=HOSTILE_SOURCE)
        card = {"description": text, "languages": [text], "paper": SCRIPT, "link": accepted(text)}
        document["model"]["card"] = card
        document["dataset"]["dropped"] = {text: 3}
        document["dataset"]["revision"] = site_examples.DIGEST
        document["predictions"] = {"sha256": site_examples.DIGEST, "examples": len(HOSTILE)}
        document["failures"] = [{"kind": text, "message": text, "count": 9, "first_ids": [text]}]
        document["tags"] = {
            text: {value: {"examples": 40, "scores": {"perf": 1.0 * at}} for at, value in enumerate(HOSTILE)},
            f"many {text}": {
                f"{text} {at}": {"examples": 4, "scores": {"perf": 9.0 * at}} for at in range(9)
            },
        }
        document["suites"] = {"h": site_suites.hostile_tried(text)}
        found.append(document)
    people = result("hostile", "hostile", "human", HOSTILE[1], {"perf": 99.0}, provenance="human")
    people["dataset"] |= {"revision": site_examples.DIGEST, "dropped": {HOSTILE[1]: 3}}
    return [*found, people]


def rounds_documents() -> list[dict[str, Any]]:
    """Predictions made elsewhere on two rounds and a challenge set, beside people on the rounds."""
    found = []
    for id_, (label, *values) in ROUNDS.items():
        for (dataset, examples), macro_f1 in zip(ROUND_EXAMPLES.items(), values, strict=True):
            human = id_ == "human"
            scores = {"macro-f1": macro_f1} if human else {"macro-f1": macro_f1, "mcc": 0.9 - macro_f1 / 100}
            if macro_f1 is None:
                continue
            document = result(
                "dynamic", dataset, id_, label, scores, provenance="human" if human else "predictions"
            )
            document["dataset"] |= {"examples": examples, "dropped": {"no gold label": 65}}
            if human:
                document["scores"]["macro-f1"]["interval"] = [macro_f1 - 1.5, macro_f1 + 1.5]
            document["source"] = ESTIMATE if human else {"citation": "Nobody 2021, Rounds", "link": LINK}
            found.append(document)
    by = {(document["model"]["id"], document["dataset"]["id"]): document for document in found}
    mix = by["mix", "round-2"]
    mix["model"] |= {
        "card": {"description": "Half of two models."},
        "made_from": {"predictions": "sha256:" + "5e" * 32},
    }
    by["lexicon", "round-2"]["model"]["made_from"] = {"options": {"encoder": "somewhere/tfidf"}}
    mix["scores"]["mcc"]["threshold"] = -1.25
    mix["tags"] = TAGS
    mix["failures"] = FAILURES
    return found


def measured_documents() -> list[dict[str, Any]]:
    """Models with measurements; one failed, one without a cell, long and right-to-left names."""
    models = {
        "bert-small": ("Small BERT", 78.24, 71.0, 85.1, 0.412),
        "tfidf": ("TF-IDF + logistic regression", 81.05, 64.5, 3120.4, 0.171),
        "vader": ("VADER", 63.43, 66.2, 9120.8, 0.044),
        "long": ("A model whose name goes on and on, " * 4 + "to the end", 70.1, 60.9, 412.0, 0.9),
        "rtl": ("مصنف المشاعر العربي", 74.9, 69.3, 910.5, 0.35),
    }
    found = []
    for id_, (label, reviews, tweets, speed, memory) in models.items():
        for dataset, accuracy in (("reviews", reviews), ("tweets", tweets), ("old", reviews - 9)):
            scores = {"accuracy": accuracy, "throughput": speed, "memory": memory}
            document = result("sentiment", dataset, id_, label, scores, measurement=MEASUREMENT)
            document["model"] |= {"card": {**CARD, **FACTS.get(id_, {})}} | OPENED.get((id_, dataset), {})
            found.append(document)
    partial = {"accuracy": 77.7, "throughput": 55.0, "memory": 1.5}
    found.append(
        result("sentiment", "reviews", "partial", "Tweets missing", partial, measurement=MEASUREMENT)
    )
    found.append(failed("sentiment", "reviews", "broken", "Broken model"))
    return found


def accepted(link: str) -> str:
    """The link, or a script in its place where records would refuse it."""
    try:
        return check_link(link)
    except ValueError:
        return SCRIPT


def result(
    task: str,
    dataset: str,
    model: str,
    label: str,
    scores: Mapping[str, float],
    source: Mapping[str, str] | None = None,
    measurement: Mapping[str, Any] | None = None,
    provenance: str | None = None,
) -> dict[str, Any]:
    """One result as JSON: reported if it has a source, else measured, unless `provenance` says otherwise."""
    digest = "sha256:" + "ab" * 32
    units = {**UNITS, "accuracy": "%", "speed": "x", "macro-f1": "%", "mcc": ""}
    versions = {name: metric.version for name, metric in METRICS.items()}
    return {
        "schema_version": 1,
        "kind": "result",
        "task": task,
        "model": {"id": model, "label": label, "card": CARD if measurement else {}},
        "dataset": {"id": dataset, "revision": None if source else digest, "examples": 1821},
        "provenance": provenance or ("reported" if source else "measured"),
        "scores": {
            name: {"value": v, "unit": units[name], "version": versions.get(name, "1")}
            for name, v in scores.items()
        },
        "measurement": measurement,
        "predictions": None if source else {"sha256": digest, "examples": 1821},
        "source": source,
        "created": CREATED,
        "tool": "steelyard 0.1.0",
    }


def failed(task: str, dataset: str, model: str, label: str) -> dict[str, Any]:
    """A run that came to nothing."""
    failure = {
        "kind": "crash",
        "message": "the process ended with signal 11",
        "count": 3,
        "first_ids": ["17", "18"],
    }
    document = result(task, dataset, model, label, {}, measurement=None)
    return {**document, "status": "failed", "failures": [failure]}


CARD = {
    "description": "A classifier of short English texts.",
    "parameters": 22713216,
    "languages": ["en"],
    "licence": "Apache-2.0",
    "link": "https://example.org/model",
}

#: What sets some of the measured models apart, to be found by.
FACTS = {
    "bert-small": {"tags": ["transformer"]},
    "tfidf": {"tags": ["linear", "baseline"], "parameters": 24_000, "licence": "MIT"},
    "vader": {"tags": ["lexicon", "baseline"], "parameters": None, "licence": None},
}

PROMPT = {
    "template": "Review: {{ statement }}\nIs it {{ answers | join(' or ') }}?\nAnswer:",
    "instruction": "Say how each review is meant.",
    "separator": "\n\n",
    "delimiter": " ",
    "answers": {"negative": "bad", "positive": "good"},
    "scoring": "log-likelihood",
    "normalise": "tokens",
    "examples": 2,
    "drawn_from": "reviews-train",
    "seed": 7,
    "shown": [
        {"inputs": {"statement": "we loved it"}, "answer": "good"},
        {"inputs": {"statement": "dull,\nsimply dull. " * 40}, "answer": "bad"},
    ],
    "sha256": "sha256:" + "7a" * 32,
}
WRITTEN = {
    "template": HOSTILE[0] + " {{ question }}",
    "separator": "\n\n",
    "delimiter": "",
    "chat": True,
    "chat_options": {"enable_thinking": False, HOSTILE[1]: HOSTILE[2]},
    "scoring": "generation",
    "max_new_tokens": 1024,
    "stop": [HOSTILE[0]],
    "pattern": HOSTILE[1],
    "unanswerable": HOSTILE[2],
    "sha256": "sha256:" + "7b" * 32,
}
PARITY = {
    "source": "sha256:" + "7c" * 32,
    "texts": 1200,
    "dataset": "reviews-train",
    "same_label": 1199,
    "largest_difference": 0.00000123,
}
#: What is said of how some models were opened, by model and dataset.
OPENED: dict[tuple[str, str], dict[str, Any]] = {
    ("bert-small", "reviews"): {"prompt": PROMPT},
    ("rtl", "reviews"): {"prompt": WRITTEN},
    ("tfidf", "reviews"): {"parity": PARITY},
}
MEMORY = {
    "mean_bytes": 412_000_000,
    "peak_bytes": 498_112_000,
    "mean_pss_bytes": 401_555_000,
    "loaded_bytes": 388_000_000,
    "interval_ms": 25.0,
    "ticks": 812,
    "missed_ticks": 3,
}

MEASUREMENT = {
    "protocol": "3",
    "fingerprint": {
        "cpu": "Example CPU @ 2.60GHz",
        "cores": 2,
        "governor": None,
        "memory_bytes": 8_000_000_000,
        "os": "Linux 6.1",
        "python": "3.11.7",
        "libraries": {"numpy": "2.3.1", "torch": "2.13.0"},
        "threads": 1,
        "affinity": [0],
        "reference_ns": 18_250_000,
    },
    "sandbox": {"memory": "8 GB"},
    "isolation": {
        "layers": ["pid", "network", "ipc", "landlock", "seccomp"],
        "landlock_abi": 7,
        "missing": {"mount": "mount: Operation not permitted"},
        "memory": "processes and files",
    },
    "overhead_ns": 61_000,
    "repeats": [
        {
            "throughput": 85.1,
            "requests": 851,
            "time_ns": 10_100_000_000,
            "waited_ns": 100_000_000,
            "reference_ns": 18_250_000,
            "load_ns": 1_930_000_000,
            "first_call_ns": 41_000_000,
            "warmup_requests": 20,
            "order_seed": 7,
            "memory": MEMORY,
        }
    ],
    "latency": {
        "requests": 851,
        "mean_ns": 11_750_000,
        "p50": {"value_ns": 11_200_000, "low_ns": 11_050_000, "high_ns": 11_340_000},
        "p90": {"value_ns": 14_800_000, "low_ns": 14_200_000, "high_ns": 15_900_000},
        "p99": None,
        "histogram": [[69, 12], [70, 240], [71, 391], [72, 143], [73, 40], [74, 18], [76, 5], [79, 2]],
    },
    "repeated_input_ratio": 0.98,
    "noise": {
        "verdict": "suspect",
        "reasons": ["the host took 3.1 % of the CPU time", "one pass is 7 % slower than the others"],
        "load_before": 0.35,
        "load_after": 1.02,
        "steal_share": 0.031,
        "pressure_share": 0.02,
    },
}
