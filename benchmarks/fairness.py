"""How many changes of the fairness transformations are right, and how many names and words they find.

Run from the repository: python benchmarks/fairness.py [--mistakes]
The sentences of benchmarks/data/fairness.txt and fairness_more.txt are annotated by hand, and so are those of
fairness_unseen.txt, by somebody who had seen neither rules nor lists; nothing was fitted to these.
A change is right where it is of exactly what the annotation marks for that transformation. `--mistakes` lists
the others.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.data.suites.base import Transformation, UndecidedError, apply
from evaluator.data.suites.fairness import fairness, neutral, placebo
from evaluator.data.suites.fairness.names import SHARED, read_names

DATA = Path(__file__).parent / "data"
MARKS = {"[": "name", "{": "word", "<": "verb"}
_MARK = re.compile(r"\[(.+?)\]|\{(.+?)\}|<(.+?)>")
GAZETTEER = {"recogniser": "gazetteer"}


@dataclass(frozen=True)
class Sentence:
    """A text, and its marks by where they start and end."""

    text: str
    marks: dict[tuple[int, int], str]

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


def sentences(name: str = "fairness.txt") -> list[Sentence]:
    """The annotated sentences of a file, in its order."""
    lines = (DATA / name).read_text("utf-8").splitlines()
    return [_read(line) for line in lines if line and line[0] != "#"]


def _read(line: str) -> Sentence:
    text, place, marks = "", 0, {}
    for mark in _MARK.finditer(line):
        text += line[place : mark.start()]
        inner = next(filter(None, mark.groups()))
        marks[len(text), len(text) + len(inner.rstrip("."))] = MARKS[mark.group()[0]]
        text, place = text + inner, mark.end()
    return Sentence(text + line[place:], marks)


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
    sets = [*sentences(), *sentences("fairness_more.txt")], sentences("fairness_unseen.txt")
    fitted, unseen = map(len, sets)
    print(f"{fitted} sentences, and {unseen} that nothing was fitted to\n")
    heads = ("transformation", *("changes", "precision", "recall") * 2, "unclear")
    print(f"| {' | '.join(heads)} |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for transformation, about in transformations():
        known, new = (count(transformation, about, texts) for texts in sets)
        print(
            f"| {transformation.name} | {known.made} | {known.precision:.3f} | {known.recall:.2f} |"
            f" {new.made} | {new.precision:.3f} | {new.recall:.2f} | {new.undecided} |"
        )
        if asked.mistakes:
            print("".join(f"  {mistake}\n" for mistake in (*known.mistakes, *new.mistakes)), end="")


if __name__ == "__main__":
    main()
