"""`steelyard check` says what is not ranked: columns that no model has a number for, and models that lack one."""

from __future__ import annotations

from pathlib import Path

from measured_world import checked
from snapshot_world import ACCURACY

THROUGHPUT = '{ name = "throughput", label = "Throughput", unit = "/s" }'


def show_throughput(world: Path, weights: str = "") -> None:
    """The board of the first dataset, with these `weights` or other lines, shows throughput too, which no model
    has."""
    path = world / "board.toml"
    old = f'datasets = ["first"]\nmetrics = [{ACCURACY}]'
    assert old in path.read_text()
    new = f'datasets = ["first"]\n{weights}metrics = [{ACCURACY}, {THROUGHPUT}]'
    path.write_text(path.read_text().replace(old, new))


def test_a_check_names_models_and_columns_that_take_no_part(world: Path) -> None:
    """A note each, by board: a board under construction is no mistake."""
    show_throughput(world)
    found = checked(world)
    assert found.problems == []
    assert [note.removeprefix("board.toml: boards: ") for note in found.notes if "boards:" in note] == [
        "feelings: Delta is not ranked: no value on Second set",
        "first-only: no model has a value for Throughput: it takes no part, and its weight is shared out among"
        " the other metrics",
    ]


def test_a_preset_that_ranks_no_model_is_named(world: Path) -> None:
    """A page does not offer it; another one of the board is not mentioned."""
    presets = ", ".join(
        f'{{ name = "{name}", label = "L", weights = {{ {name} = 1 }} }}'
        for name in ("throughput", "accuracy")
    )
    show_throughput(world, f"presets = [{presets}]\n")
    assert [note for note in checked(world).notes if "preset" in note] == [
        "board.toml: boards: first-only: preset throughput ranks no model: no model has a value for anything"
        " that has weight: there is nothing to rank by"
    ]


def test_a_board_with_results_that_ranks_nobody_is_a_problem(world: Path) -> None:
    """Its page would be a table without ranks."""
    show_throughput(world, "weights = { throughput = 1 }\n")
    assert (
        "board.toml: boards: first-only: no model has a value for anything that has weight: there is nothing to"
        " rank by" in checked(world).problems
    )
