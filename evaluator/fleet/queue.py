"""Which errand goes to which slot: never more than there are free slots, and a timing alone on its node.

A slot does one errand at a time. What is timed goes first, to nodes that are fit for timing; such a node gets
no other errand until its last one is done. An errand that lost its slot goes to another node if there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

#: An errand that was lost so often on one and the same node is given up.
MOST_LOSSES = 5
#: What to do about an errand that was lost: it is waiting again, it is held against the model, or neither.
Verdict = Literal["again", "failed", "given up"]


@dataclass(eq=False)
class Order:
    """The errand of unit number `unit`, from 1, and how often each node was lost with it."""

    unit: int
    timed: bool
    losses: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Given:
    """An order for a slot, which may use part `share[0]`, from 0, of `share[1]` of its node's CPUs."""

    slot: str
    order: Order
    share: tuple[int, int]


class Queue:
    """Orders that wait or are under way, and the slots that are there, by their addresses."""

    def __init__(self) -> None:
        self._waiting: list[Order] = []
        self._nodes: dict[str, str] = {}
        self._timing: set[str] = set()
        self.under_way: dict[str, Order] = {}

    @property
    def left(self) -> int:
        """How many orders are not done."""
        return len(self._waiting) + len(self.under_way)

    @property
    def slots(self) -> dict[str, str]:
        """The node of each slot."""
        return dict(self._nodes)

    def add(self, order: Order) -> None:
        """Put an order at the end."""
        self._waiting.append(order)

    def joined(self, slot: str, node: str, timing: bool) -> None:
        """A slot is there; `timing`: its node is fit for that."""
        self._nodes[slot] = node
        if timing:
            self._timing.add(node)

    def done(self, slot: str) -> Order:
        """The order of a slot is done. KeyError if it had none."""
        return self.under_way.pop(slot)

    def put_back(self, slot: str) -> None:
        """What the slot was given goes back to the front, and nobody is to blame."""
        if order := self.under_way.pop(slot, None):
            self._waiting.insert(0, order)

    def left_by(self, slot: str) -> None:
        """The slot is gone, and with it nothing that it was given: see `lost` for that."""
        node = self._nodes.pop(slot, None)
        if node not in self._nodes.values():
            self._timing.discard(node or "")

    def lost(self, slot: str) -> tuple[Order, Verdict]:
        """The slot was lost with its order. KeyError if it had none."""
        order, node = self.under_way.pop(slot), self._nodes[slot]
        order.losses[node] += 1
        if len(order.losses) > 1:
            return order, "failed"
        if order.losses[node] >= MOST_LOSSES:
            return order, "given up"
        self._waiting.insert(0, order)
        return order, "again"

    def share_of(self, slot: str) -> tuple[int, int]:
        """Which part of its node's CPUs a slot may use, from 0, and of how many."""
        beside = sorted(self._slots(self._nodes[slot]))
        return beside.index(slot), len(beside)

    def next(self) -> Iterator[Given]:
        """Give waiting orders to free slots; each is under way from then on."""
        taken = {self._nodes[slot] for slot, order in self.under_way.items() if order.timed}
        for order in [order for order in self._waiting if order.timed]:
            nodes = self._fit(order, self._timing - taken)
            if nodes:
                node = min(nodes, key=lambda node: (self._busy(node), node))
                taken.add(node)
                if not self._busy(node):
                    yield self._give(order, min(self._slots(node)))
        for order in [order for order in self._waiting if not order.timed]:
            nodes = self._fit(order, set(self._nodes.values()) - taken)
            free = [slot for slot in self._nodes if slot not in self.under_way and self._nodes[slot] in nodes]
            if free:
                yield self._give(order, min(free, key=lambda slot: (self._busy(self._nodes[slot]), slot)))

    def _give(self, order: Order, slot: str) -> Given:
        self._waiting.remove(order)
        self.under_way[slot] = order
        return Given(slot, order, self.share_of(slot))

    def _fit(self, order: Order, nodes: set[str]) -> set[str]:
        """Those of `nodes` that were not lost with the order, unless there are no others at all."""
        able = self._timing if order.timed else set(self._nodes.values())
        return nodes - set(order.losses) if able - set(order.losses) else nodes

    def _slots(self, node: str) -> Iterable[str]:
        return [slot for slot, where in self._nodes.items() if where == node]

    def _busy(self, node: str) -> int:
        return sum(slot in self.under_way for slot in self._slots(node))
