"""Edits change what they say and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.suites.edits import Edit, apply, moved, touches


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(st.text(max_size=30))
    marks = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = list(zip(marks[::2], marks[1::2], strict=False))
    return text, [Edit(start, end, draw(st.text(max_size=4))) for start, end in pairs]


@given(edited())
def test_what_no_edit_touches_stays_and_is_found(case: tuple[str, list[Edit]]) -> None:
    """Every stretch outside the edits is the same text, where `moved` says it is."""
    text, edits = case
    after = apply(text, edits)
    ends = [0, *(edit.end for edit in edits)]
    starts = [*(edit.start for edit in edits), len(text)]
    for place, (start, end) in enumerate(zip(ends, starts, strict=True)):
        shift = sum(len(e.text) - (e.end - e.start) for e in edits[:place])
        assert after[start + shift : end + shift] == text[start:end]
    for edit in edits:
        kept = [(0, edit.start)] if edit is edits[0] and edit.start else []
        assert [after[a:b] for a, b in moved(kept, edits)] == [text[a:b] for a, b in kept]


def test_a_span_behind_an_edit_moves_with_it() -> None:
    """An answer behind a longer word is found further on."""
    text = "It isn't in Paris."
    edits = [Edit(3, 8, "is not")]
    [(start, end)] = moved([(12, 17)], edits)
    assert apply(text, edits)[start:end] == "Paris"


@pytest.mark.parametrize("edits", [[Edit(0, 3, ""), Edit(2, 4, "")], [Edit(0, 9, "")], [Edit(-1, 0, "x")]])
def test_edits_that_do_not_fit_are_refused(edits: list[Edit]) -> None:
    """Edits that overlap or leave the text are an error."""
    with pytest.raises(ValueError, match="overlaps another edit or leaves"):
        apply("abcd", edits)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (Edit(0, 2, "x"), False),
        (Edit(0, 3, "x"), True),
        (Edit(5, 6, "x"), False),
        (Edit(2, 2, "x"), True),
        (Edit(5, 5, "x"), True),
        (Edit(6, 6, "x"), False),
    ],
)
def test_touching_is_changing_or_lengthening(edit: Edit, expected: bool) -> None:
    """An edit touches a span if it changes a character of it or inserts at its edge."""
    assert touches(edit, [(2, 5)]) is expected
