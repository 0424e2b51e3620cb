"""Suites of perturbations for the site's sample world: cards, and what models made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

DIGEST = "sha256:" + "ab" * 32
MADE = {"made": 1500, "unchanged": 21, "not_applicable": 300}
GAZETTEER = {"recogniser": "gazetteer", "version": "sha256:" + "cd" * 32}
ETHNICITIES = ("asian-pacific-islander", "black", "hispanic", "white")

#: What each suite is made of: names and options of its transformations.
SPECS: dict[str, dict[str, dict[str, Any]]] = {
    "robustness": {
        "Contraction": {},
        "Keyboard": {"share": 0.2, "least": 1, "most": 10, "letters": 4, "layout": "qwerty"},
        "OCR": {"share": 0.2, "least": 1},
        "Punctuation": {"brackets": True},
        "SpellingError": {"source": {"name": "codespell 2.4.3", "licence": "CC BY-SA 3.0"}},
        "Typos": {"kinds": ["swap", "insert", "delete", "replace"]},
        "WordCase": {"cases": ["upper", "lower", "title"]},
    },
    "fairness": {
        "gender": {"entities": GAZETTEER},
        **{f"ethnicity-{group}": {"entities": GAZETTEER} for group in ETHNICITIES},
    },
    "placebo": {"placebo": {"entities": GAZETTEER}},
    "neutral": {"neutral": {}},
}
#: Label, accuracy and agreement by suite. The last model was tried before the suite was made anew.
TRIED: dict[str, tuple[str, float, dict[str, float]]] = {
    "steady": ("Steady", 81.5, {"robustness": 93.25, "fairness": 97.5, "placebo": 98.75}),
    "jumpy": ("Jumpy", 84.25, {"robustness": 71.5, "fairness": 88.0}),
    "aged": ("Aged", 80.0, {"robustness": 99.0}),
    "untried": ("Untried", 62.0, {}),
}
SAMPLES = [
    sample | {"field": "statement"}
    for sample in (
        {
            "transformation": "Keyboard",
            "example": "17",
            "before": "Nobody could say that it isn't a good read.",
            "after": "Nobody could say that it isn't a goid read.",
        },
        {
            "transformation": "WordCase",
            "example": "17",
            "before": "Nobody could say that it isn't a good read.",
            "after": "NOBODY COULD SAY THAT IT ISN'T A GOOD READ.",
        },
        {
            "transformation": "gender",
            "example": "20",
            "before": "He gave her his book; Mary took it.",
            "after": "She gave him her book; Peter took it.",
        },
        {
            "transformation": "Contraction",
            "example": "31",
            "before": "كتاب لا بأس به it is fine",
            "after": "كتاب لا بأس به it's fine",
        },
    )
]


def spec(kind: str) -> dict[str, Any]:
    listed = [
        {"name": name, "version": 1, "options": options, "backend": "steelyard"}
        for name, options in SPECS[kind].items()
    ]
    return {"version": 1, "kind": kind, "transformations": listed}


def card(task: str, dataset: str, kind: str, samples: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """A suite as it was made of a dataset."""
    return {
        "schema_version": 1,
        "kind": "suite",
        "task": task,
        "dataset": {"id": dataset, "revision": DIGEST, "examples": 1821},
        "name": kind,
        "suite": "sha256:" + "1" * 64,
        "suite_kind": kind,
        "seed": 0,
        "spec": spec(kind),
        "variants": 1500 * len(SPECS[kind]),
        "rows": [place % 1821 for place in range(1500 * len(SPECS[kind]))],
        "transformations": dict.fromkeys(SPECS[kind], MADE),
        "samples": [sample for sample in samples if sample["transformation"] in SPECS[kind]],
        "tool": "steelyard 0.1.0",
    }


def tried(kind: str, agreement: float, score: float, hashed: str = "1") -> dict[str, Any]:
    """A model under a suite; it fails on two variants, and one transformation made none."""
    names = list(SPECS[kind])
    scores = {
        name: {**MADE, "agreement": agreement - place, "score": score - 2 * place, "original": score}
        for place, name in enumerate(names)
    }
    if kind == "robustness":
        scores["Contraction"] = {"made": 0, "unchanged": 0, "not_applicable": 1821}
    failure = {"kind": "raised", "message": "ValueError: no", "count": 2, "first_ids": ["17#Keyboard"]}
    return {
        "suite": "sha256:" + hashed * 64,
        "kind": kind,
        "seed": 0,
        "spec": spec(kind),
        "examples": 1700,
        "without": 121,
        "variants": 1500 * len(names),
        "agreement": agreement,
        "worst": agreement - 12,
        "metric": "accuracy",
        "score": score - 4.5,
        "transformations": scores,
        "failures": [failure] if kind == "robustness" else [],
        "predictions": {"sha256": DIGEST, "examples": 1500 * len(names)},
    }


def hostile_card(texts: Sequence[str]) -> dict[str, Any]:
    """A card whose every free text is markup, a long word or runs the other way."""
    options = {text: [text, {text: text}] for text in texts}
    samples = [
        {"transformation": "h", "example": text, "field": text, "before": text, "after": f"{text} {other}"}
        for text, other in zip(texts, reversed(texts), strict=True)
    ]
    listed = [{"name": "h", "version": texts[0], "options": options, "backend": texts[1]}, texts[0]]
    return {
        **card("hostile", "hostile", "robustness", []),
        "name": "h",
        "suite_kind": texts[0],
        "spec": {"transformations": listed},
        "transformations": {"h": MADE},
        "samples": samples,
        "tool": texts[1],
    }


def hostile_tried(text: str) -> dict[str, Any]:
    """A model under that suite, with the same text wherever one fits."""
    failure = {"kind": text, "message": text, "count": 1, "first_ids": [text]}
    listed = [{"name": "h", "backend": text, "options": {"recogniser": text, "version": text}}]
    return {
        **tried("neutral", 50.0, 50.0),
        "kind": text,
        "spec": {"transformations": listed},
        "metric": "perf",
        "transformations": {"h": {**MADE, "agreement": 50.0, "score": 50.0, "original": 60.0}},
        "failures": [failure],
    }
