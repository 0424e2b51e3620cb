"""`steelyard check` says what is not ranked: columns that no model has a number for, and models that lack one."""

from __future__ import annotations

from pathlib import Path

from tests.publish.measured_world import checked

THROUGHPUT = '\n[[boards.metrics]]\nname = "throughput"\nlabel = "Throughput"\nunit = "/s"\n'
EMPTY = '\n[[boards]]\nid = "empty"'


def test_a_check_names_models_and_columns_that_take_no_part(world: Path) -> None:
    """A note each, by board: a board under construction is no mistake."""
    path = world / "board.toml"
    path.write_text(path.read_text().replace(EMPTY, THROUGHPUT + EMPTY))
    found = checked(world)
    assert found.problems == []
    assert [note.removeprefix("board.toml: boards: ") for note in found.notes if "boards:" in note] == [
        "feelings: Delta is not ranked: no value on Second set",
        "first-only: no model has a value for Throughput: it takes no part, and its weight is shared out among"
        " the other metrics",
    ]


def test_a_board_with_results_that_ranks_nobody_is_a_problem(world: Path) -> None:
    """Its page would be a table without ranks."""
    path = world / "board.toml"
    text = path.read_text().replace(EMPTY, THROUGHPUT + "\n[boards.weights]\nthroughput = 1\n" + EMPTY)
    path.write_text(text)
    assert (
        "board.toml: boards: first-only: no model has a value for anything that has weight: there is nothing to"
        " rank by" in checked(world).problems
    )
