"""Collections that visitors may write for: which have a page, and which of their models answer there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.records.board import Boards, CollectSpec
from evaluator.records.errors import UserError
from evaluator.rounds.collection import Collection
from site_src.generator.browser_copies import Candidate

CHECK_AGAIN = "run steelyard check --browser"


@dataclass(frozen=True)
class OpenCollection:
    """A collection with ``site = true``; `why` says why it has no page, and is "" for one that has.

    `loop` has the models that answer on the page, each with its copy; `absent` says of the others why not.
    """

    collection: Collection
    loop: tuple[Candidate, ...]
    absent: tuple[tuple[str, str], ...]
    why: str = ""

    @property
    def spec(self) -> CollectSpec:
        """Its table of the board file."""
        return self.collection.spec

    @property
    def line(self) -> str:
        """What decides, beside the board file and the copies, what its page says."""
        path = self.collection.data / self.spec.prompts if self.spec.prompts else None
        known = hashlib.sha256(path.read_bytes()).hexdigest() if path and path.is_file() else "no prompts"
        return f"collect {self.spec.id} {known} {self.why} {[one.line for one in self.loop]}"


def open_collections(boards: Boards, root: Path, tried: Sequence[Candidate]) -> tuple[OpenCollection, ...]:
    """The collections of a board file in the folder `root` that get a page, in its order."""
    data = root / boards.data
    return tuple(_opened(Collection(spec, boards, root, data), tried) for spec in boards.collect if spec.site)


def _opened(collection: Collection, tried: Sequence[Candidate]) -> OpenCollection:
    try:
        labels, _ = collection.labels, collection.prompts
    except UserError as error:
        return OpenCollection(collection, (), (), str(error))
    found = [(name, *_member(name, labels, tried)) for name in collection.spec.models]
    loop = tuple(one for _, one, _ in found if one is not None)
    absent = tuple((name, why) for name, one, why in found if one is None)
    why = "" if loop else "; ".join(f"{name}: {reason}" for name, reason in absent)
    return OpenCollection(collection, loop, absent, why)


def _member(name: str, labels: tuple[str, ...], tried: Sequence[Candidate]) -> tuple[Candidate | None, str]:
    """A model's copy with these labels, of which the revision is known; or why there is none."""
    mine = [one for one in tried if one.model == name]
    for one in mine:
        if one.copy and one.check and one.check.revision and sorted(one.copy.labels) == sorted(labels):
            return one, ""
    reasons = [one.why for one in mine if one.why]
    if reasons or not mine:
        return None, (reasons or ["it has no browser copy"])[0]
    if not any(one.check and one.check.revision for one in mine):
        return None, f"its copy does not say of which revision it is; {CHECK_AGAIN} {name}"
    return None, f"its copy has other labels than {', '.join(labels)}"


def warnings(found: Sequence[OpenCollection]) -> Iterator[str]:
    """A line of each collection that visitors cannot write for though the board file says that they may."""
    for one in found:
        if one.why:
            yield f"{one.spec.id} has no page to collect for it: {one.why}"
