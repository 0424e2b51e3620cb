"""What nodes show: classes by hardware and speed, and versions that differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.cluster.connecting import ClusterAddress
from evaluator.cluster.membership import TOLERANCE, Membership, NodeCard, class_of, differences, versions
from evaluator.records.board import Boards
from evaluator.records.errors import UserError
from evaluator.records.measurement import Fingerprint

START = {"resources": {"slot": 1}, "memory_limit": 0}


def card(reference_ns: int = 1_000_000, overhead_ns: int = 100_000, **fields: object) -> NodeCard:
    machine = {
        "cpu": "C",
        "cores": 4,
        "memory_bytes": 8_000_000_000,
        "os": "O",
        "python": "P",
        "libraries": {},
    }
    found = {**machine, "threads": 1, "affinity": (3,), "reference_ns": reference_ns, **fields}
    return NodeCard(Fingerprint(**found), overhead_ns, {})


@given(st.floats(0.8, 1.25), st.floats(0.8, 1.25))
def test_a_node_is_of_the_first_ones_class_if_both_speeds_are_within_the_tolerance(
    one: float, other: float
) -> None:
    """Else its name says that it is slower or faster, by what differs most."""
    found = class_of(card(round(1_000_000 * one), round(100_000 * other)), card())
    factors = [max(ratio, 1 / ratio) for ratio in (one, other)]
    furthest = (one, other)[factors.index(max(factors))]
    if abs(max(factors) - 1 - TOLERANCE) < 1e-4 or abs(factors[0] - factors[1]) < 1e-4:
        return
    end = "" if max(factors) <= 1 + TOLERANCE else "-slower" if furthest > 1 else "-faster"
    assert found == class_of(card(), card()) + end


def test_another_machine_is_of_another_class_however_fast() -> None:
    """What `Fingerprint.key` does not count, such as which CPU a model is pinned to, makes no difference."""
    assert class_of(card(cores=8), card()) != class_of(card(), card())
    assert class_of(card(affinity=(1,)), card()) == class_of(card(), card())


def test_versions_that_differ_are_listed_one_by_one() -> None:
    """What is not installed on one side differs, too; the hash of Steelyard's own code is among them."""
    here = versions()
    assert differences(here, here) == []
    there = {**here, "numpy": "1.0", "Steelyard": "0.1.0 (00000000)"}
    del there["pydantic"]
    assert differences(here, there) == [
        f"Steelyard 0.1.0 (00000000), here {here['Steelyard']}",
        f"numpy 1.0, here {here['numpy']}",
        f"pydantic none, here {here['pydantic']}",
    ]


def membership(said: list[str], local: bool = False) -> Membership:
    boards = Boards.model_construct(measure=Boards.model_fields["measure"].default)
    return Membership(boards, local, said.append)


def present(*addresses: str, **wrong: object) -> dict[str, dict[str, object]]:
    return {address: {"host": address[0], **START, **wrong} for address in addresses}


def test_a_worker_is_used_once_it_has_shown_what_it_is() -> None:
    """What got lost is asked for again; machines of another class than the first are not timed on."""
    said: list[str] = []
    who = membership(said)
    assert who.update(present("a1", "b1")) == ([], {"a1": True, "b1": True})
    who.forget("a1")
    assert who.update(present("a1", "b1")) == ([], {"a1": True})
    who.showed("a1", versions(), card())
    who.showed("b1", versions(), card(2_000_000))
    assert who.hosts == {"a1": "a", "b1": "b"}
    assert (who.may_time("a1"), who.may_time("b1")) == (True, False)
    assert said[1].endswith("-slower: nothing is timed there")
    assert who.update(present("b1")) == (["a1"], {})
    who.showed("a1", versions(), None)
    assert who.hosts == {"b1": "b"}, "it is gone: nobody waits for what it shows"


def test_workers_of_this_machine_share_its_cores_and_one_of_them_times() -> None:
    """The others wait until the first has shown the machine's card."""
    who = membership([], local=True)
    assert who.update(present("a1", "a2")) == ([], {"a1": True})
    who.showed("a1", versions(), card())
    assert who.update(present("a1", "a2")) == ([], {"a2": False})
    who.showed("a2", versions(), None)
    assert (who.may_time("a1"), who.may_time("a2")) == (True, False)
    assert (who.share_of("a1"), who.share_of("a2")) == ((0, 2), (1, 2))


def test_who_is_refused_gets_nothing_and_when_all_are_the_reasons_are_listed() -> None:
    """Other versions, a second worker on a machine, and how a worker was started."""
    said: list[str] = []
    who = membership(said)
    who.update(present("a1", "b1"))
    who.showed("a1", {**versions(), "numpy": "1.0"}, card())
    who.showed("b1", versions(), card())
    wrong = present("d1", memory_limit=4_000_000_000) | present("e1", resources={})
    who.update(present("a1", "b1", "b2") | wrong)
    assert sorted(who.refused) == ["a1", "b2", "d1", "e1"]
    assert [line.split(" is not used: ")[0] for line in said if "not used" in line] == [
        "a1", "b2", "d1", "e1",
    ]  # fmt: skip
    with pytest.raises(
        UserError, match=r"(?s)none of the cluster's workers.*a1: other versions: numpy 1.0, here"
    ):
        who.update(present("a1"))


@pytest.mark.parametrize(
    "text", ["local:0", "local", "host:8786", "tcp://host", "tcp://host:1/x", "slurm", ""]
)
def test_an_address_that_is_none_says_what_one_is(text: str) -> None:
    """The forms are listed."""
    with pytest.raises(UserError, match=r"is no cluster; give local:N .* tcp://HOST:PORT .* or slurm"):
        ClusterAddress.parse(text)
