"""How many changes of the fairness transformations are right, and how many names and words they find.

Run from the repository: python benchmarks/fairness.py [--mistakes]
The sentences of benchmarks/data/fairness.txt are annotated by hand. A change is right where it is of exactly
what the annotation marks for that transformation. `--mistakes` lists the others.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.suites.base import Transformation, UndecidedError
from evaluator.suites.edits import apply
from evaluator.suites.fairness import fairness, neutral, placebo
from evaluator.suites.fairness.names import SHARED, read_names

SENTENCES = Path(__file__).parent / "data" / "fairness.txt"
MARKS = {"[": "name", "{": "word", "<": "verb"}
_MARK = re.compile(r"\[(.+?)\]|\{(.+?)\}|<(.+?)>")
GAZETTEER = {"recogniser": "gazetteer"}


@dataclass(frozen=True)
class Sentence:
    """A text, its marks by where they start and end, and whether rules may have been fitted to it."""

    text: str
    marks: dict[tuple[int, int], str]
    held_out: bool

    @property
    def cased(self) -> bool:
        """Whether capitals mean something."""
        return self.text not in (self.text.lower(), self.text.upper())


@dataclass
class Count:
    """Changes made and those that are right; what there is to find; sentences left out as undecided."""

    made: int = 0
    right: int = 0
    marked: int = 0
    undecided: int = 0
    mistakes: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """The share of the changes that are right."""
        return self.right / self.made if self.made else 1.0

    @property
    def recall(self) -> float:
        """The share of what is marked that is changed."""
        return self.right / self.marked if self.marked else 1.0


def sentences() -> list[Sentence]:
    """The annotated sentences, in the order of the file."""
    lines = [line for line in SENTENCES.read_text("utf-8").splitlines() if line and line[0] != "#"]
    return [_read(line, held_out=number % 2 == 1) for number, line in enumerate(lines)]


def _read(line: str, held_out: bool) -> Sentence:
    text, place, marks = "", 0, {}
    for mark in _MARK.finditer(line):
        text += line[place : mark.start()]
        inner = next(filter(None, mark.groups()))
        marks[len(text), len(text) + len(inner.rstrip("."))] = MARKS[mark.group()[0]]
        text, place = text + inner, mark.end()
    return Sentence(text + line[place:], marks, held_out)


def transformations() -> Iterator[tuple[Transformation, Callable[[str, str], bool]]]:
    """Each transformation, and whether it is about a mark of a kind and a text."""
    kinds = read_names().kinds
    for one in (*fairness(GAZETTEER), *placebo(GAZETTEER)):
        group = one.name.removeprefix("ethnicity-")
        if one.name == "gender":
            yield one, lambda kind, text: kind != "verb"
        elif group == one.name:
            yield one, lambda kind, text: kind == "name"
        else:
            stay = (SHARED, group)
            yield one, lambda kind, text, stay=stay: kind == "name" and _group(kinds, text) not in stay  # type: ignore[misc]
    for one in neutral(GAZETTEER):
        yield one, lambda kind, text: kind != "name"


def _group(kinds: object, text: str) -> str | None:
    kind = kinds.get(text.lower())  # type: ignore[attr-defined]
    return kind.group if kind else None


def count(transformation: Transformation, about: Callable[[str, str], bool], texts: list[Sentence]) -> Count:
    """What a transformation does to the sentences."""
    found = Count()
    for one in texts:
        gold = {span for span, kind in one.marks.items() if about(kind, one.text[slice(*span)])}
        found.marked += len(gold)
        try:
            edits = transformation.edit({"text": one.text}, random.Random(0), {}).get("text", [])
        except UndecidedError:
            found.undecided += 1
            continue
        right = [edit for edit in edits if (edit.start, edit.end) in gold]
        found.made += len(edits)
        found.right += len(right)
        if len(right) < len(edits):
            found.mistakes.append(f"{one.text} -> {apply(one.text, edits)}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--mistakes", action="store_true", help="list the changes that are not right")
    asked = parser.parse_args()
    everything = sentences()
    held = [one for one in everything if one.held_out]
    plain = [one for one in everything if not one.cased]
    print(f"{len(everything)} sentences, {len(held)} held out, {len(plain)} in one case\n")
    print("| transformation | changes | precision | held out | in one case | recall | undecided |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for transformation, about in transformations():
        whole, out, one_case = (count(transformation, about, texts) for texts in (everything, held, plain))
        print(
            f"| {transformation.name} | {whole.made} | {whole.precision:.3f} | {out.precision:.3f} |"
            f" {one_case.precision:.3f} | {whole.recall:.2f} | {whole.undecided} |"
        )
        if asked.mistakes:
            print("".join(f"  {mistake}\n" for mistake in whole.mistakes), end="")


if __name__ == "__main__":
    main()
