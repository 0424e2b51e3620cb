"""Our formulas and the metrics that ask a network agree with their references; the documentation says how far."""

from __future__ import annotations

import re

import pytest
from agreement_kinds import Comparison, agree

pytestmark = pytest.mark.slow

#: What is kept of an input is rounded: confidences and difficulties as factors, and distances.
#: Networks compute in single precision, BERTScore in per cent.
TOLERANCE = {"Distance": 6e-7, "Shortcuts": 1e-6, "Own confidence": 1e-6, "`bertscore`": 1e-4}
TOLERANCE |= dict.fromkeys(("`bleurt`", "`comet`", "`bartscore`", "`prism`", "`perplexity`"), 1e-4)
INPUTS = 20
ROW = re.compile(r"^\| (?!what|---)(.+?) \| .+ \| (\d+) \| (\d+) \| (\S+) \|$", re.MULTILINE)


def tolerance(name: str) -> float:
    return next((most for start, most in TOLERANCE.items() if name.startswith(start)), 1e-9)


@pytest.mark.parametrize("group", ["The Dynascore", "Rankings by difficulty", "Metrics that ask a network"])
def test_we_agree_with_the_reference(group: str) -> None:
    """On the nasty inputs and on some random ones; labels and texts are in `test_reference_metrics`."""
    from agreement import GROUPS

    def apart(comparison: Comparison) -> bool:
        return agree(comparison, INPUTS, seed=7).difference > tolerance(comparison.name)

    assert [comparison.name for comparison in GROUPS[group] if apart(comparison)] == []


def test_the_page_lists_every_comparison_and_no_other() -> None:
    """As the command wrote it, with differences that the tests allow."""
    from agreement import GROUPS, PAGE

    rows = ROW.findall(PAGE.read_text("utf-8"))
    comparisons = [one for group in GROUPS.values() for one in group]
    assert [name for name, *_ in rows] == [one.name for one in comparisons]
    for one, (name, drawn, nasty, largest) in zip(comparisons, rows, strict=True):
        assert int(drawn) * one.every >= 1000
        assert int(nasty) >= 2
        assert float(largest) <= tolerance(name)
