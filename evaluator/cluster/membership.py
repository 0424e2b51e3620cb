"""The members of the cluster: each worker, what its machine was found to be, and whether it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evaluator.cluster.connecting import START
from evaluator.cluster.node_card import NodeCard, class_of, differences, versions
from evaluator.records.board import Boards
from evaluator.records.errors import UserError


class Membership:
    """The workers by their addresses, one a machine; of a cluster that is `local` all are on this machine.

    Models are timed on machines of the first one's class only, and there by one worker. `say` is told of
    workers that are refused, and of classes.
    """

    def __init__(self, boards: Boards, local: bool, say: Callable[[str], None]) -> None:
        self.isolation, self.local, self.say = boards.measure.isolation, local, say
        self.hosts: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self.classes: dict[str, str] = {}
        self._here = versions()
        self._showing: dict[str, str] = {}
        self._first: NodeCard | None = None

    @property
    def first_class(self) -> str | None:
        """The class whose machines are timed on; None before there is one."""
        return class_of(self._first, self._first) if self._first else None

    def update(self, present: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], dict[str, bool]]:
        """Those that are gone, and those to be asked what they are: whether for their machine's card, too.

        `present` is what the scheduler says of each worker. Raises `UserError` if every one is refused.
        """
        known = {**self.hosts, **self._showing}
        gone = sorted(address for address in known if address not in present)
        for address in gone:
            self.hosts.pop(address, None)
            self._showing.pop(address, None)
        self.refused = {address: why for address, why in self.refused.items() if address in present}
        asked = {}
        for address in sorted(present.keys() - known.keys() - self.refused.keys()):
            worker, host = present[address], present[address]["host"]
            taken = [other for other, where in {**self.hosts, **self._showing}.items() if where == host]
            if worker["resources"].get("slot") != 1:
                self.refuse(address, f"it does not offer the resource slot=1; start it with: {START}")
            elif worker["memory_limit"]:
                self.refuse(address, f"Dask would kill it for the memory of a model; start it with: {START}")
            elif taken and not self.local:
                self.refuse(address, f"{taken[0]} is on the same machine; start one worker a machine")
            elif not taken or host in self.classes:
                self._showing[address] = host
                asked[address] = host not in self.classes
        if present and present.keys() == self.refused.keys():
            reasons = "\n".join(f"  {address}: {why}" for address, why in sorted(self.refused.items()))
            raise UserError(f"none of the cluster's workers can be used:\n{reasons}")
        return gone, asked

    def forget(self, address: str) -> None:
        """What a worker is did not arrive: it is to be asked again."""
        self._showing.pop(address, None)

    def showed(self, address: str, found: Mapping[str, str], card: NodeCard | None) -> None:
        """A worker showed its versions, perhaps its machine's card: from now on it is used, or refused."""
        host = self._showing.pop(address, None)
        if host is None:
            return
        if different := differences(self._here, found):
            self.refuse(address, f"other versions: {'; '.join(different)}; install the same there")
        elif card is not None and (problem := self._judged(host, card)):
            self.refuse(address, problem)
        else:
            self.hosts[address] = host

    def may_time(self, address: str) -> bool:
        """Whether models are timed by a worker."""
        host = self.hosts[address]
        first = min(other for other, where in self.hosts.items() if where == host)
        return self.classes[host] == self.first_class and address == first

    def share_of(self, address: str) -> tuple[int, int]:
        """Which part of its machine's CPUs a worker may use, from 0, and of how many."""
        workers = sorted(other for other, host in self.hosts.items() if host == self.hosts[address])
        return workers.index(address), len(workers)

    def refuse(self, address: str, problem: str) -> None:
        """Give a worker nothing, for as long as it is there."""
        self.hosts.pop(address, None)
        self._showing.pop(address, None)
        self.say(f"{address} is not used: {problem}")
        self.refused[address] = problem

    def _judged(self, host: str, card: NodeCard) -> str | None:
        """Take in what a machine is; why it is refused, if it is."""
        if self.isolation == "required" and card.missing:
            reasons = "; ".join(f"{layer}: {why}" for layer, why in card.missing.items())
            return f"measure.isolation is required, and models cannot be isolated there: {reasons}"
        self._first = self._first or card
        found = class_of(card, self._first)
        other = found != self.first_class
        self.classes[host] = found
        self.say(f"node {host} is of class {found}" + (": nothing is timed there" if other else ""))
        return None
