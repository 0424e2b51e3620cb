"""board.toml: what it may say, and how results become the cells of a board."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluator.cli import group
from evaluator.records.base import digest
from evaluator.records.board import assemble, load_boards
from evaluator.records.errors import UserError
from evaluator.records.measurement import Measurement
from evaluator.records.references import DatasetRef, ModelRef, Source, left
from evaluator.records.result import Result, Score
from evaluator.records.store import Store

GOLDEN = Result.model_validate_json((Path(__file__).parents[1] / "golden" / "result.json").read_bytes())
TOML = """
title = "T"

[[datasets]]
id = "d"
label = "D"
task = "sentiment"

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "accuracy"
datasets = ["d"]
metrics = [
  { name = "accuracy", label = "Accuracy", unit = "%" },
  { name = "throughput", label = "Throughput", unit = "examples/s" },
  { name = "memory", label = "Memory", unit = "GB", direction = "lower", cap = 16.0 },
]
"""


@pytest.fixture
def board_file(tmp_path: Path) -> Path:
    path = tmp_path / "board.toml"
    path.write_text(TOML)
    return path


def result(model: str, accuracy: float, **changes) -> Result:
    base = GOLDEN.model_copy(
        update={
            "model": ModelRef(id=model, label=model.upper()),
            "dataset": DatasetRef(id="d", revision=digest("d"), examples=10),
            "scores": GOLDEN.scores | {"accuracy": Score(value=accuracy, unit="%", version="accuracy-1")},
        }
    )
    return base.model_copy(update=changes)


def cells(board_file: Path, results: list[Result]) -> dict[str, list[float | None]]:
    boards = load_boards(board_file)
    return assemble(boards.boards[0], boards, results).data["values"]["d"]


def test_results_become_cells(board_file: Path) -> None:
    """Results on a board's datasets fill its cells, models sorted by id, others left out."""
    elsewhere = result("z", 1.0, dataset=DatasetRef(id="other", revision=digest("d")))
    boards = load_boards(board_file)
    assembled = assemble(boards.boards[0], boards, [result("y", 60.0), elsewhere, result("x", 50.0)])
    assert assembled.data["models"] == ["x", "y"]
    assert assembled.data["values"]["d"]["accuracy"] == [50.0, 60.0]
    assert assembled.entries["x"].label == "X"
    assert assembled.timestamp == GOLDEN.created


def test_a_model_is_called_what_the_board_file_says_now(board_file: Path) -> None:
    """Its name and card are those of its table, whatever they were when it was measured; people, and models
    without a table of the task, keep what their results say."""
    tables = "".join(
        f'[[models]]\nid = "{id_}"\nlabel = "New {id_}"\ntask = "{task}"\ncard = {{ licence = "MIT" }}\n'
        for id_, task in (("x", "sentiment"), ("z", "nli"))
    )
    board_file.write_text(TOML + tables)
    boards = load_boards(board_file)
    people = result("human", 90.0, provenance="human", measurement=None)
    results = [result(model, 50.0) for model in "xyz"]
    assembled = assemble(boards.boards[0], boards, [*results, people])
    assert assembled.data["labels"]["models"] == {"x": "New x", "y": "Y", "z": "Z"}
    cards = {id_: entry.results["d"].model.card.licence for id_, entry in assembled.entries.items()}
    assert cards == {"x": "MIT", "y": None, "z": None}
    assert assembled.people["human"].label == "HUMAN"


def test_no_board_shows_anything_of_a_dataset_that_the_file_has_no_more(board_file: Path) -> None:
    """Its results may still be there, and are looked at by whatever checks them."""
    boards = load_boards(board_file)
    assert (boards.metrics_of("d")[0], boards.metrics_of("gone")) == ("accuracy", [])


def test_other_data_is_not_compared(board_file: Path) -> None:
    """A result on another revision of the dataset loses its cells and is flagged as stale."""
    old = result("x", 99.0, dataset=DatasetRef(id="d", revision=digest("old"), examples=10))
    boards = load_boards(board_file)
    assembled = assemble(boards.boards[0], boards, [old, result("y", 60.0), result("z", 61.0)])
    assert assembled.data["values"]["d"]["accuracy"] == [None, 60.0, 61.0]
    assert "accuracy on d was measured on other data" in str(assembled.entries["x"].stale[0])


def test_timings_of_another_machine_are_not_compared(board_file: Path) -> None:
    """Throughput and memory from another machine are left out, accuracy is kept."""
    assert GOLDEN.measurement is not None
    fingerprint = GOLDEN.measurement.fingerprint.model_copy(update={"cpu": "another"})
    measurement = GOLDEN.measurement.model_copy(update={"fingerprint": fingerprint})
    found = cells(board_file, [result("x", 1.0, measurement=measurement), result("y", 2.0), result("z", 3.0)])
    assert found["accuracy"] == [1.0, 2.0, 3.0]
    assert found["throughput"][0] is None
    assert found["memory"][0] is None
    assert None not in found["throughput"][1:]


def test_a_reported_number_is_not_compared_with_a_measured_one(board_file: Path) -> None:
    """A number a paper reports is flagged beside numbers measured here."""
    reported = result("x", 90.0, provenance="reported", source=Source(citation="P"), measurement=None)
    assert cells(board_file, [reported, result("y", 60.0), result("z", 61.0)])["accuracy"][0] is None


def test_a_failed_run_leaves_empty_cells_and_a_reason(board_file: Path) -> None:
    """A failed model is on the board without numbers, with what went wrong."""
    document = GOLDEN.plain() | {
        "model": {"id": "x", "label": "X"},
        "dataset": {"id": "d"},
        "status": "failed",
        "scores": {},
        "failures": [{"kind": "exited", "message": "it exited", "count": 1}],
    }
    boards = load_boards(board_file)
    assembled = assemble(boards.boards[0], boards, [Result.model_validate(document), result("y", 60.0)])
    assert assembled.data["values"]["d"]["accuracy"] == [None, 60.0]
    assert assembled.entries["x"].failures == ["d: it exited"]


def test_a_missing_board_file_says_where_to_run(tmp_path: Path) -> None:
    """Without a board.toml the error says what to do."""
    with pytest.raises(UserError, match="no such file; run from the folder"):
        load_boards(tmp_path / "board.toml")


def timed(verdict: str, *reasons: str) -> Measurement:
    """The golden measurement with another verdict."""
    assert GOLDEN.measurement is not None
    noise = GOLDEN.measurement.noise.model_copy(update={"verdict": verdict, "reasons": reasons})
    return GOLDEN.measurement.model_copy(update={"noise": noise})


def test_an_invalid_timing_counts_as_missing(board_file: Path) -> None:
    """Its throughput and memory leave their cells, with the reasons of the verdict; its accuracy stays."""
    boards = load_boards(board_file)
    wrong = result("x", 1.0, measurement=timed("invalid", "the host took 20 %", "too short"))
    assembled = assemble(boards.boards[0], boards, [wrong, result("y", 2.0)])
    found = assembled.data["values"]["d"]
    assert found["accuracy"] == [1.0, 2.0]
    assert found["throughput"][0] is found["memory"][0] is None
    assert None not in (found["throughput"][1], found["memory"][1])
    assert assembled.entries["x"].kept_apart == (
        "throughput and memory on d: its timing is invalid: the host took 20 %; too short",
    )
    assert assembled.entries["x"].suspect == ()


def test_a_suspect_timing_is_ranked_and_marked(board_file: Path) -> None:
    """Its numbers stay in their cells, and the entry says which metrics are in doubt and why."""
    boards = load_boards(board_file)
    doubtful = result("x", 1.0, measurement=timed("suspect", "too short"))
    assembled = assemble(boards.boards[0], boards, [doubtful, result("y", 2.0)])
    assert None not in assembled.data["values"]["d"]["throughput"]
    [timing] = assembled.entries["x"].suspect
    assert str(timing) == "throughput and memory on d: its timing is suspect: too short"
    assert assembled.entries["y"].timings == []
    assert assembled.entries["x"].kept_apart == ()


@pytest.fixture
def doubted(board_file: Path) -> Path:
    """The board file beside results of a quiet, a suspect and an invalid timing."""
    store = Store(board_file.parent / "results")
    verdicts = {"good": ("ok",), "shaky": ("suspect", "too short"), "wrong": ("invalid", "much steal")}
    for name, verdict in verdicts.items():
        store.save(result(name, 50.0, measurement=timed(*verdict)))
    return board_file


def rank(board_file: Path, *options: str) -> str:
    done = CliRunner().invoke(group, ["rank", "b", "--board", str(board_file), *options])
    assert done.exit_code == 0, done.output
    return done.output


def test_rank_marks_suspect_timings_and_leaves_out_invalid_ones(doubted: Path) -> None:
    """In the table a "?" behind the number, a dash for the invalid one, and a note with each reason."""
    said = rank(doubted)
    table = [line for line in said[: said.index("Exchange")].splitlines() if not line.startswith("note")]
    rows = {line.split()[2]: line.split() for line in table[2:5]}
    assert all(figure.endswith("?") for figure in rows["SHAKY"][5:])
    assert not any(figure.endswith("?") for figure in rows["GOOD"])
    assert (rows["WRONG"][0], rows["WRONG"][5:]) == ("-", ["-", "-"])
    again = "run: steelyard evaluate --remeasure --model"
    assert f"note: the timing of SHAKY is suspect: too short; {again} shaky\n" in said
    assert f"note: the timing of WRONG is invalid and counts as missing: much steal; {again} wrong\n" in said


def test_rank_says_in_json_which_timings_are_in_doubt(doubted: Path) -> None:
    """Every model has the reasons of what is kept apart, and its suspect timings with their metrics."""
    models = {row["model"]: row for row in json.loads(rank(doubted, "--json"))["models"]}
    assert (models["good"]["reasons"], models["good"]["suspect"]) == ([], [])
    assert models["shaky"]["suspect"] == [
        {"dataset": "d", "metrics": ["throughput", "memory"], "reasons": ["too short"]}
    ]
    assert models["wrong"]["rank"] is None
    assert "its timing is invalid: much steal" in models["wrong"]["reasons"][0]


@pytest.mark.parametrize("name", ["CON", "con.v2", "Aux", "lpt1", "COM0.x", "d."])
def test_ids_that_windows_cannot_have(board_file: Path, name: str) -> None:
    """An id becomes the name of files and folders, which every file system must be able to have."""
    board_file.write_text(TOML.replace('"d"', f'"{name}"'))
    with pytest.raises(UserError, match=rf": datasets: {name}: id: '{name}' .*Windows.*; choose another id"):
        load_boards(board_file)


@pytest.mark.parametrize("whose", ['model = "M1"', 'models = { x = "M1" }'])
def test_ids_that_differ_in_capitals_only(board_file: Path, whose: str) -> None:
    """m1 and M1 are the same file on Windows and macOS, also where only predictions name one of them."""
    model = '[[models]]\nid = "{}"\nlabel = "M"\ntask = "sentiment"\n'
    message = "'M1' is 'm1' on file systems that do not tell capitals apart; choose another id"
    board_file.write_text(TOML + model.format("m1") + model.format("M1"))
    with pytest.raises(UserError, match=message):
        load_boards(board_file)
    board_file.write_text(
        TOML + model.format("m1") + f'[[predictions]]\ndataset = "d"\npath = "p"\n{whose}\n'
    )
    with pytest.raises(UserError, match=message):
        load_boards(board_file)


@pytest.mark.parametrize("whose", ['model = "m"', 'models = { x = "m" }'])
def test_two_files_cannot_have_the_answers_of_one_model(board_file: Path, whose: str) -> None:
    """An import would store both, and the last one would stay."""
    table = '[[predictions]]\ndataset = "d"\npath = "{}"\n{}\n'
    board_file.write_text(TOML + table.format("p", 'model = "m"') + table.format("q", whose))
    with pytest.raises(UserError, match=r"answers of 'm' to 'd' already; keep one of them"):
        load_boards(board_file)


def test_two_names_in_a_file_cannot_be_one_model(board_file: Path) -> None:
    """The answers under the second name would take the place of those under the first."""
    board_file.write_text(
        TOML + '[[predictions]]\ndataset = "d"\npath = "p"\nmodels = { x = "m", y = "m" }\n'
    )
    with pytest.raises(UserError, match=r"answers of 'm' to 'd' already; keep one of them"):
        load_boards(board_file)


HIDING = {
    "https://me:secret@example.org/": "a name or a password before its host",
    "https:/me@example.org/": "a name or a password before its host",
    "//me@example.org/": "a name or a password before its host",
    "https://example.org/\u202egpj.exe": r"holds U\+202E",
    "https://exa\u200bmple.org/": r"holds U\+200B",
    "https://example.org/a\u00a0b": r"holds U\+00A0",
    "https://example.org\\\\@evil.example/": r"holds U\+005C",
    "http://[example.org/": "is no address",
}


@pytest.mark.parametrize("link", HIDING)
@pytest.mark.parametrize(
    "place", ["datasets: d: link", "models: m: card: link", "models: m: card: paper", "site: url"]
)
def test_links_that_hide_something_are_refused(board_file: Path, place: str, link: str) -> None:
    """Wherever the board file takes an address, file, field, value and fix are named."""
    toml = TOML.replace('task = "sentiment"\n', f'task = "sentiment"\nlink = "{link}"\n', 1)
    if place.startswith("models"):
        card = f'card = {{ {place.rpartition(" ")[2]} = "{link}" }}'
        toml = f'{TOML}[[models]]\nid = "m"\nlabel = "M"\ntask = "sentiment"\n{card}\n'
    elif place == "site: url":
        toml = f'{TOML}[site]\nurl = "{link}"\n'
    board_file.write_text(toml, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_boards(board_file)
    said = str(caught.value)
    assert re.match(rf"{re.escape(str(board_file))}: {place}: ", said)
    assert "(got '" in said
    # An address of a site is refused earlier where it is none at all.
    assert re.search(HIDING[link], said) or (place == "site: url" and "should match pattern" in said)


REMOVED = """
[[models]]
id = "a"
label = "A"
task = "sentiment"
removed = { reason = "its author withdrew it", date = 2026-11-01 }
"""


def test_a_removed_model_is_on_no_board_and_named_there(board_file: Path) -> None:
    """Its results stay where they are, and nothing of them is laid out; the board knows when it left, and why."""
    board_file.write_text(TOML + REMOVED)
    boards = load_boards(board_file)
    assembled = assemble(boards.boards[0], boards, [result("a", 90.0), result("b", 80.0)])
    assert list(assembled.entries) == assembled.data["models"] == ["b"]
    [model] = assembled.removed
    assert left(model.label, model.removed) == "A was removed on 2026-11-01: its author withdrew it"
    assert left("B", None) == "B left; no reason is given"


def test_a_removed_model_is_named_on_the_boards_that_it_was_on(board_file: Path) -> None:
    """By its stored results, wherever there are some; else by its table."""
    other = TOML.partition("[[datasets]]")[2].replace('"d"', '"e"').replace('id = "b"', 'id = "c"')
    board_file.write_text(f"{TOML}[[datasets]]{other}{REMOVED}")
    boards = load_boards(board_file)

    def named(results: list[Result]) -> list[str]:
        return [board.id for board in boards.boards if assemble(board, boards, results).removed]

    assert named([]) == ["b", "c"]
    assert named([result("a", 90.0)]) == ["b"]
    board_file.write_text(f'{TOML}[[datasets]]{other}{REMOVED}datasets = ["e"]\n')
    boards = load_boards(board_file)
    assert named([]) == ["c"]


@pytest.mark.parametrize(
    ("options", "card", "said"),
    [
        ('effort = "high"', "", ("high", None)),
        ("extra = { thinking = { budget_tokens = 2048 } }", "", (None, 2048)),
        ("extra = { reasoning = { max_tokens = 512 } }", 'effort = "own"', ("own", 512)),
        ('effort = "high"', 'effort = "low"', ("low", None)),
    ],
)
def test_how_a_model_behind_an_endpoint_is_asked_is_in_its_card(
    tmp_path: Path, options: str, card: str, said: tuple[str | None, int | None]
) -> None:
    """Unless its card says something else."""
    model = f'id = "m"\nlabel = "M"\ntask = "sentiment"\nadapter = "endpoint"\ncard = {{ {card} }}'
    path = tmp_path / "board.toml"
    endpoint = '[[endpoints]]\nid = "e"\nurl = "http://127.0.0.1:1/v1"\n'
    asked = f'options = {{ endpoint = "e", model = "x", {options} }}'
    path.write_text(f"{TOML}{endpoint}[[models]]\n{model}\n{asked}\n")
    [found] = load_boards(path).models
    assert (found.card.effort, found.card.thinking_budget) == said
