"""Which layers are found, and what a board that requires them says where one is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evaluator.measure.isolation.launcher import LAYERS, Plan, from_text
from evaluator.measure.isolation.probing import ROOT, Layers, common, probe
from evaluator.measure.run.plan import check_isolation
from evaluator.records.board import MeasureSettings
from evaluator.records.errors import UserError


def test_every_layer_works_or_says_why_not() -> None:
    """A layer is among those that work, or has its reason."""
    found = probe()
    assert {*found.names, *found.missing} == set(LAYERS)
    assert all(found.missing.values())


def test_layers_can_be_left_out() -> None:
    """Without a layer the rest is the same; files of one's own need processes of one's own."""
    layers = Layers(("user", "pid", "mount", "network", "ipc"), 7, True, {})
    less = layers.without(frozenset({"pid", "landlock"}))
    assert less.names == ("network", "ipc", "seccomp")
    assert (less.namespaces, less.landlock) == (("user", "network", "ipc"), 0)
    assert layers.without(frozenset(LAYERS)).namespaces == ()


def test_a_board_may_require_all_layers() -> None:
    """What is missing is refused by name, with its reason and what to do; by default it is not."""
    missing = Layers((), 7, True, {"pid": "unshare: not permitted; allow it", "mount": "it needs pid"})
    with pytest.raises(UserError) as caught:
        check_isolation(MeasureSettings(isolation="required"), missing)
    for words in ("measure.isolation", "pid: unshare: not permitted; allow it", 'isolation = "best"'):
        assert words in str(caught.value)
    check_isolation(MeasureSettings(), missing)
    check_isolation(MeasureSettings(isolation="required"), Layers(("pid",), 7, True, {}))


def test_a_plan_survives_the_way_to_the_launcher() -> None:
    """The launcher reads what was written, odd names too."""
    plan = Plan(
        parent=1,
        link=3,
        cpus=[0],
        namespaces=["pid"],
        landlock=True,
        seccomp=False,
        read=["/a b", "/ünï\n"],
        scratch="/steelyard",
        size=2**40,
        command=["python", ""],
    )
    assert vars(from_text(plan.to_text())) == vars(plan)


def test_workers_may_read_libraries_and_the_package_only() -> None:
    """Neither the project around the package nor anything above it is on the list, nor is /etc as a whole."""
    places = common()
    project = Path(ROOT)
    for path in map(Path, places):
        assert path not in (project, project / "tests", Path("/etc"), Path("/"))
        assert path not in project.parents
    assert os.path.join(ROOT, "evaluator") in places
