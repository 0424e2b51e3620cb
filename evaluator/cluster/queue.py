"""Which assignment goes to which slot: never more than free slots, and a timing alone on its node.

A slot does one assignment at a time. What is timed goes first, to nodes that are fit for timing; such a node
gets no other assignment until its last one is done. An assignment that lost its slot goes to another node if
there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

#: An assignment that was lost so often on one and the same node is given up.
MOST_LOSSES = 5
#: What to do about a lost assignment: it is waiting again, it is held against the model, or neither.
LossVerdict = Literal["again", "failed", "given up"]


@dataclass(eq=False)
class QueueItem:
    """The assignment of unit number `unit`, from 1, and how often each node was lost with it."""

    unit: int
    timed: bool
    losses: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class SlotItem:
    """An item for a slot, which may use part `share[0]`, from 0, of `share[1]` of its node's CPUs."""

    slot: str
    item: QueueItem
    share: tuple[int, int]


class Queue:
    """Items that wait or are under way, and the slots that are there, by their addresses."""

    def __init__(self) -> None:
        self._waiting: list[QueueItem] = []
        self._nodes: dict[str, str] = {}
        self._timing: set[str] = set()
        self.under_way: dict[str, QueueItem] = {}

    @property
    def left(self) -> int:
        """How many items are not done."""
        return len(self._waiting) + len(self.under_way)

    @property
    def slots(self) -> dict[str, str]:
        """The node of each slot."""
        return dict(self._nodes)

    def add(self, item: QueueItem) -> None:
        """Put an item at the end."""
        self._waiting.append(item)

    def joined(self, slot: str, node: str, timing: bool) -> None:
        """A slot is there; `timing`: its node is fit for that."""
        self._nodes[slot] = node
        if timing:
            self._timing.add(node)

    def done(self, slot: str) -> QueueItem:
        """The item of a slot is done. KeyError if it had none."""
        return self.under_way.pop(slot)

    def put_back(self, slot: str) -> None:
        """What the slot was given goes back to the front; its loss does not count."""
        if item := self.under_way.pop(slot, None):
            self._waiting.insert(0, item)

    def left_by(self, slot: str) -> None:
        """The slot is gone, and with it nothing that it was given: see `lost` for that."""
        node = self._nodes.pop(slot, None)
        if node not in self._nodes.values():
            self._timing.discard(node or "")

    def lost(self, slot: str) -> tuple[QueueItem, LossVerdict]:
        """The slot was lost with its item. KeyError if it had none."""
        item, node = self.under_way.pop(slot), self._nodes[slot]
        item.losses[node] += 1
        if len(item.losses) > 1:
            return item, "failed"
        if item.losses[node] >= MOST_LOSSES:
            return item, "given up"
        self._waiting.insert(0, item)
        return item, "again"

    def share_of(self, slot: str) -> tuple[int, int]:
        """Which part of its node's CPUs a slot may use, from 0, and of how many."""
        beside = sorted(self._slots(self._nodes[slot]))
        return beside.index(slot), len(beside)

    def next(self) -> Iterator[SlotItem]:
        """Give waiting items to free slots; each is under way from then on."""
        taken = {self._nodes[slot] for slot, item in self.under_way.items() if item.timed}
        for item in [item for item in self._waiting if item.timed]:
            nodes = self._fit(item, self._timing - taken)
            if nodes:
                node = min(nodes, key=lambda node: (self._busy(node), node))
                taken.add(node)
                if not self._busy(node):
                    yield self._give(item, min(self._slots(node)))
        for item in [item for item in self._waiting if not item.timed]:
            nodes = self._fit(item, set(self._nodes.values()) - taken)
            free = [slot for slot in self._nodes if slot not in self.under_way and self._nodes[slot] in nodes]
            if free:
                yield self._give(item, min(free, key=lambda slot: (self._busy(self._nodes[slot]), slot)))

    def _give(self, item: QueueItem, slot: str) -> SlotItem:
        self._waiting.remove(item)
        self.under_way[slot] = item
        return SlotItem(slot, item, self.share_of(slot))

    def _fit(self, item: QueueItem, nodes: set[str]) -> set[str]:
        """Those of `nodes` that were not lost with the item, unless there are no others at all."""
        able = self._timing if item.timed else set(self._nodes.values())
        return nodes - set(item.losses) if able - set(item.losses) else nodes

    def _slots(self, node: str) -> Iterable[str]:
        return [slot for slot, where in self._nodes.items() if where == node]

    def _busy(self, node: str) -> int:
        return sum(slot in self.under_way for slot in self._slots(node))
