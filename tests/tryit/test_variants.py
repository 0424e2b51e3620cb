"""The variants that a page shows are those that the suites make offline, to the last character."""

from __future__ import annotations

import json
import random
import sys
import unicodedata
from pathlib import Path

import pytest
from in_pyodide import in_pyodide

from evaluator.data.suites.fairness import fairness, placebo
from evaluator.data.suites.make import Definition, make
from evaluator.data.suites.robustness import robustness
from evaluator.data.suites.robustness.spelling import list_text, misspellings
from evaluator.data.tasks import get_task
from evaluator.tryit import answering
from site_src.generator.browser_copies import LISTS, MISSPELLINGS, MODULES

pytestmark = pytest.mark.slow

PROGRAM = """
import json
from evaluator.tryit.answering import open_models, variants_json
for asked in json.loads(text):
    models = open_models(json.dumps({"task": asked["task"]}))
    for example in asked["examples"]:
        print(variants_json(models, json.dumps({"example": example})))
"""
TASKS = {"sentiment": 400, "nli": 200}
GAZETTEER = {"recogniser": "gazetteer"}
#: What parts words, joins them, is no letter though it looks like one, or is nothing at all.
HOSTILE = [
    *" \t\n\r\0\x1c\x85\xa0\xad\u1680\u2003\u2028\u2029\u3000\u200b\u200d\u202e\u2060\ufeff\ufffd\U0010ffff",
    *"'’‘ʼ`´′＇\"“”()[]{}<>&#@/\\_-‐–—…!?.,;:%$€0٣²½",
    *"ßẞİıǅﬁÅå\u0301\u030aΣςДя映👩🏽‍🚀🇬🇧𝐛𝖊𝕔𝒶𝓊𝓈ｅ",
    "n't", "n’t", "don't", "not", "3rd", "a@b.org", "http://x.org/a", "#tag", "Maria", "her uncle", "Red Robin",
]  # fmt: skip
#: The characters of the Unicode version that this Python knows; a later one may know more.
KNOWN = [
    chr(at) for at in range(sys.maxunicode + 1) if unicodedata.category(chr(at)) not in ("Cn", "Co", "Cs")
]


def drawn_text(chance: random.Random, words: list[str]) -> str:
    """Words that people misspell, in any case, among hostile and any other characters."""

    def piece() -> str:
        kind = chance.random()
        if kind < 0.6:
            word = chance.choice(words)
            return chance.choice(
                [word, word, word.title(), word.upper(), word.swapcase(), word[:1] + word[1:].upper()]
            )
        return (
            chance.choice(HOSTILE)
            if kind < 0.85
            else "".join(chance.choices(KNOWN, k=chance.randrange(1, 5)))
        )

    def gap() -> str:
        return " " if chance.random() < 0.75 else chance.choice([*HOSTILE, ""])

    return "".join(piece() + gap() for _ in range(chance.randrange(25)))


def drawn() -> list[dict[str, object]]:
    """Examples of each task."""
    chance, words = random.Random(19), sorted(misspellings())
    return [
        {
            "task": task,
            "examples": [
                {name: drawn_text(chance, words) for name in get_task(task).fields} for _ in range(count)
            ],
        }
        for task, count in TASKS.items()
    ]


def offline(task: str, examples: list[dict[str, str]]) -> list[dict[str, dict[str, str]]]:
    """The variants of each example by transformation, of an example whose id is its texts."""
    fields = get_task(task).perturbable
    transformations = (*robustness(), *fairness(GAZETTEER), *placebo(GAZETTEER))
    named = [{**example, "id": "\n".join(example[name] for name in fields)} for example in examples]
    made = make(
        Definition("all", "robustness", transformations, answering.SEED),
        "d",
        "sha256:0",
        fields,
        named,
        [{} for _ in named],
    )
    found: list[dict[str, dict[str, str]]] = [{} for _ in examples]
    for one in made.variants:
        found[one.row][one.transformation] = {**examples[one.row], **one.texts}
    return found


def test_a_page_makes_the_variants_of_the_suites(tmp_path: Path) -> None:
    """Hundreds of texts, hostile ones too, under every transformation, with none left out."""
    asked = drawn()
    printed = in_pyodide(
        PROGRAM, (*MODULES, *LISTS), tmp_path, json.dumps(asked), {MISSPELLINGS: list_text()}
    )
    shown = [
        {one["name"]: one["example"] for one in json.loads(line)["variants"]} for line in printed.splitlines()
    ]
    made = [variants for one in asked for variants in offline(one["task"], one["examples"])]
    assert sum("SpellingError" in variants for variants in made) > 400
    assert len(shown) == len(made) == sum(TASKS.values())
    for at, (page, suite) in enumerate(zip(shown, made, strict=True)):
        assert page == suite, at


def test_without_the_list_the_page_says_so(tmp_path: Path) -> None:
    """Every other variant is made, and SpellingError is named with what to do."""
    example = {"statement": "because they believe in the beginning"}
    asked = json.dumps([{"task": "sentiment", "examples": [example]}])
    found = json.loads(in_pyodide(PROGRAM, (*MODULES, *LISTS), tmp_path, asked))
    assert [one["why"] for one in found["others"] if one["name"] == "SpellingError"] == [
        "the list of misspellings is not here"
    ]
    made = offline("sentiment", [example])[0]
    assert {one["name"] for one in found["variants"]} == made.keys() - {"SpellingError"}
