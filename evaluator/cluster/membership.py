"""The members of the cluster: each worker, what its node was found to be, and whether it is used."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from typing import Any

from evaluator.cluster.connecting import ClusterError, wrong_start
from evaluator.cluster.node_card import NodeCard, class_of, differences, versions
from evaluator.records.board import Boards


class Membership:
    """The workers by their addresses; `say` is told of those that are refused, and of classes."""

    def __init__(self, boards: Boards, say: Callable[[str], None]) -> None:
        self.settings, self.isolation, self.say = boards.cluster, boards.measure.isolation, say
        self.refused: dict[str, str] = {}
        self.classes: dict[str, str] = {}
        self._here = versions()
        self._known: dict[str, str] = {}
        self._showing: dict[str, str] = {}
        self._first: NodeCard | None = None

    @property
    def first_class(self) -> str | None:
        """The class whose nodes are timed on; None before there is one."""
        return class_of(self._first, self._first) if self._first else None

    def update(self, present: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], dict[str, bool]]:
        """Those that are gone, and those to be asked what they are: whether for the card of their node, too.

        `present` is what the scheduler says of each worker.
        """
        gone = sorted(address for address in self._known if address not in present)
        for address in gone:
            self.forget(address)
        self.refused = {address: why for address, why in self.refused.items() if address in present}
        asked = {}
        for address in sorted(present.keys() - self._known.keys() - self.refused.keys()):
            node = present[address]["host"]
            if problem := wrong_start(present[address]):
                self.refuse(address, problem)
            elif node in self.classes or node not in self._showing.values():
                self._known[address] = self._showing[address] = node
                asked[address] = node not in self.classes
        return gone, asked

    def forget(self, address: str) -> None:
        """What a worker is did not arrive: it is to be asked again."""
        self._known.pop(address, None)
        self._showing.pop(address, None)

    def showed(self, address: str, found: Mapping[str, str], card: bytes | None) -> str | None:
        """A worker showed its versions, and perhaps its node's card: the node, None if it is refused."""
        node = self._showing.pop(address, None)
        if node is None:
            return None
        problem = None
        if different := differences(self._here, found):
            problem = f"other versions: {'; '.join(different)}; install the same there"
        elif card is not None:
            problem = self._judged(node, pickle.loads(card))
        if problem is not None:
            self.refuse(address, problem)
        return None if problem else node

    def fit_for_timing(self, node: str) -> bool:
        """Whether models are timed there."""
        return self.classes[node] == self.first_class

    def refuse(self, address: str, problem: str) -> None:
        """Give a worker nothing, for as long as it is there."""
        self._known.pop(address, None)
        self._showing.pop(address, None)
        if self.refused.get(address) != problem:
            self.say(f"{address} is not used: {problem}")
        self.refused[address] = problem

    def check_any(self, present: Mapping[str, object]) -> None:
        """Raise `ClusterError` if workers are there and every one is refused."""
        if present and present.keys() == self.refused.keys():
            reasons = "\n".join(f"  {address}: {why}" for address, why in sorted(self.refused.items()))
            raise ClusterError(f"none of the cluster's workers can be used:\n{reasons}")

    def _judged(self, node: str, card: NodeCard) -> str | None:
        """Take in what a node is; why it is refused, if it is."""
        if self.isolation == "required" and card.missing:
            reasons = "; ".join(f"{layer}: {why}" for layer, why in card.missing.items())
            return f"measure.isolation is required, and models cannot be isolated there: {reasons}"
        self._first = self._first or card
        found = class_of(card, self._first)
        other = found != self.first_class
        self.classes[node] = found
        self.say(f"node {node} is of class {found}" + (": nothing is timed there" if other else ""))
        return None
