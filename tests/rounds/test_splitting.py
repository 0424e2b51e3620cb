"""Parts of a round: nobody and nothing in two of them, and each label equally often."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.records.errors import UserError
from evaluator.rounds.splitting import MEASURED, PARTS, SplitPiece, split

LABELS = ("negative", "positive")
pieces = st.lists(
    st.builds(
        SplitPiece,
        writer=st.sampled_from("abcdefgh"),
        prompt=st.none() | st.sampled_from("12345"),
        label=st.sampled_from(LABELS),
        hard=st.booleans(),
    ),
    max_size=40,
)
shares = st.fixed_dictionaries({part: st.sampled_from([0.0, 0.2, 1.0]) for part in PARTS}).filter(
    lambda found: any(found.values())
)


@given(pieces, shares, st.integers(0, 3))
def test_a_split_keeps_its_promises_or_says_why_there_is_none(
    given_pieces: list[SplitPiece], given_shares: dict[str, float], seed: int
) -> None:
    """No writer or prompt in two parts; what is measured on is hard and balanced; nothing gets lost."""
    try:
        parts, left_out = split(given_pieces, LABELS, given_shares, seed)
    except UserError as error:
        refused = str(error)
        assert "collect more" in refused
        return
    assert (parts, left_out) == split(given_pieces, LABELS, given_shares, seed)
    for of in ("writer", "prompt"):
        where = [{getattr(given_pieces[at], of) for at in parts[part]} - {None} for part in PARTS]
        assert sum(map(len, where)) == len(set().union(*where))
    for part in MEASURED:
        counts = Counter(given_pieces[at].label for at in parts[part])
        assert len(set(counts.values())) <= 1
        assert len(counts) in (0, len(LABELS))
        assert all(given_pieces[at].hard for at in parts[part])
    for part, share in given_shares.items():
        assert bool(parts[part]) == bool(share)
    everything = [at for part in PARTS for at in parts[part]]
    assert len(set(everything)) == len(everything)
    assert len(everything) + sum(left_out.values()) == len(given_pieces)


def test_too_little_is_said_with_what_there_is() -> None:
    """The message counts what fooled a model by label, and says what can be done."""
    one = [SplitPiece("a", None, "negative", True), SplitPiece("b", None, "positive", False)]
    with pytest.raises(UserError, match=r"fooled a model: 1 negative, 0 positive; collect more"):
        split(one, LABELS, {"test": 1.0}, 0)


def test_where_everybody_has_prompts_of_their_own_nothing_is_left_out() -> None:
    """Writers who share no prompt lose only what one label has more of than the other."""
    chosen = [SplitPiece(f"w{at % 4}", f"p{at % 4}", LABELS[at // 4 % 2], True) for at in range(32)]
    parts, left_out = split(chosen, LABELS, {"dev": 1.0, "test": 1.0}, 0)
    assert {part: len(numbers) for part, numbers in parts.items()} == {
        "train": 0,
        "dev": 16,
        "test": 16,
    }
    assert not left_out
