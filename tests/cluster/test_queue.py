"""Which assignment goes to which slot, whatever happens to the slots."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from evaluator.cluster.queue import MOST_LOSSES, Queue, QueueItem

NODES = ("a", "b", "c")


class AnyWeather(RuleBasedStateMachine):
    """Slots come, go and are lost in any order, and assignments with them."""

    slots = Bundle("slots")

    def __init__(self) -> None:
        super().__init__()
        self.queue, self.items, self.over = Queue(), list[QueueItem](), set[QueueItem]()
        self.names = iter(range(1_000_000))

    @rule(timed=st.booleans())
    def an_order(self, timed: bool) -> None:
        self.items.append(QueueItem(len(self.items) + 1, timed))
        self.queue.add(self.items[-1])

    @rule(target=slots, node=st.sampled_from(NODES))
    def a_slot_comes(self, node: str) -> str:
        name = f"{node}{next(self.names)}"
        self.queue.joined(name, node, timing=node != "c")
        return name

    @rule()
    def orders_are_given(self) -> None:
        before = set(self.queue.under_way)
        for given in self.queue.next():
            assert given.slot not in before
            assert 0 <= given.share[0] < given.share[1]
            before.add(given.slot)
            node = self.queue.slots[given.slot]
            others = (
                set(self.queue.slots.values()) - {"c"} if given.item.timed else set(self.queue.slots.values())
            )
            assert node not in given.item.losses or others <= set(given.item.losses), "there was another node"

    @rule(slot=slots)
    def an_answer_comes(self, slot: str) -> None:
        if slot in self.queue.under_way:
            self.over.add(self.queue.done(slot))

    @rule(slot=slots)
    def the_scheduler_forgets(self, slot: str) -> None:
        self.queue.put_back(slot)

    @rule(slot=consumes(slots))
    def a_slot_is_lost(self, slot: str) -> None:
        if slot in self.queue.under_way:
            item, verdict = self.queue.lost(slot)
            assert (verdict == "failed") == (len(item.losses) > 1)
            assert (verdict == "given up") == (
                max(item.losses.values()) >= MOST_LOSSES and len(item.losses) == 1
            )
            if verdict != "again":
                self.over.add(item)
        self.queue.left_by(slot)

    @invariant()
    def nothing_is_forgotten_or_done_twice(self) -> None:
        assert self.queue.left == len(self.items) - len(self.over)
        under_way = list(self.queue.under_way.values())
        assert len(set(under_way)) == len(under_way)
        assert not self.over.intersection(under_way)
        assert self.queue.under_way.keys() <= self.queue.slots.keys()

    @invariant()
    def a_timing_is_alone_on_a_node_that_is_fit_for_it(self) -> None:
        for slot, item in self.queue.under_way.items():
            if item.timed:
                node = self.queue.slots[slot]
                assert node != "c"
                assert [self.queue.slots[other] for other in self.queue.under_way].count(node) == 1

    def teardown(self) -> None:
        """Whatever was before, two good nodes bring everything to its end."""
        for node in ("a", "b"):
            self.queue.joined(f"{node} at last", node, timing=True)
        while self.queue.left:
            for _ in self.queue.next():
                pass
            assert self.queue.under_way, "somebody waits for ever"
            for slot in list(self.queue.under_way):
                self.over.add(self.queue.done(slot))
        assert self.over == set(self.items)


AnyWeather.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
test_in_any_weather = AnyWeather.TestCase


def test_timings_go_first_and_only_as_many_nodes_are_kept_free_as_there_are_timings() -> None:
    """A node that waits to time a model gets nothing new; the others go on with what is not timed."""
    queue = Queue()
    for node in NODES[:2]:
        for number in range(2):
            queue.joined(f"{node}{number}", node, timing=True)
    for number in range(5):
        queue.add(QueueItem(number, timed=False))
    assert len(list(queue.next())) == 4
    queue.add(QueueItem(9, timed=True))
    queue.done("a0")
    queue.done("b0")
    assert [(given.slot, given.item.timed) for given in queue.next()] == [("b0", False)]
    queue.done("a1")
    [given] = queue.next()
    assert given.item.timed
    assert given.slot.startswith("a")
