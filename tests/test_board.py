"""board.toml: what it may say, and how results become the cells of a board."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evaluator.board import BoardError, assemble, load_boards
from evaluator.records import DatasetRef, ModelRef, Result, Score, Source, digest

GOLDEN = Result.model_validate_json((Path(__file__).parent / "golden" / "result-v3.json").read_bytes())
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


def test_other_data_is_not_compared(board_file: Path) -> None:
    """A result on another revision of the dataset loses its cells and is flagged as stale."""
    old = result("x", 99.0, dataset=DatasetRef(id="d", revision=digest("old"), examples=10))
    boards = load_boards(board_file)
    assembled = assemble(boards.boards[0], boards, [old, result("y", 60.0), result("z", 61.0)])
    assert assembled.data["values"]["d"]["accuracy"] == [None, 60.0, 61.0]
    assert "accuracy on d was measured on other data" in assembled.entries["x"].stale[0]


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


def test_a_new_measurement_wins_a_tie(tmp_path: Path, board_file: Path) -> None:
    """With as many old as new numbers, the newest ones decide which are comparable."""
    old = result("x", 1.0, dataset=DatasetRef(id="d", revision=digest("old")), created="2020-01-01T00:00:00Z")
    new = result("y", 2.0, created="2021-01-01T00:00:00Z")
    assert cells(board_file, [old, new])["accuracy"] == [None, 2.0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('base = "accuracy"', 'base = "f1"', "base: 'f1' is none of accuracy, throughput, memory"),
        ('datasets = ["d"]', 'datasets = ["e"]', "boards: b: datasets: 'e' is none of d"),
        (", cap = 16.0", "", 'cap: a metric with direction "lower" needs one'),
        ('unit = "%"', 'unit = "%", colour = "red"', "colour: Extra inputs are not permitted"),
        ('id = "d"', 'id = "d/../x"', r"datasets.0.id: .*\(got 'd/../x'\)"),
        ("[[boards]]", "[[boards", "not valid TOML"),
    ],
)
def test_a_wrong_board_file_is_refused_by_field(board_file: Path, old: str, new: str, message: str) -> None:
    """A mistake in board.toml is named by file and field."""
    board_file.write_text(TOML.replace(old, new, 1))
    with pytest.raises(BoardError, match=rf"(?s)board\.toml: .*{message}"):
        load_boards(board_file)


def test_a_missing_board_file_says_where_to_run(tmp_path: Path) -> None:
    """Without a board.toml the error says what to do."""
    with pytest.raises(BoardError, match="no such file; run from the folder"):
        load_boards(tmp_path / "board.toml")


@pytest.mark.parametrize("name", ["CON", "con.v2", "Aux", "lpt1", "COM0.x", "d."])
def test_ids_that_windows_cannot_have(board_file: Path, name: str) -> None:
    """An id becomes the name of files and folders, which every file system must be able to have."""
    board_file.write_text(TOML.replace('"d"', f'"{name}"'))
    with pytest.raises(BoardError, match=rf"datasets: id: '{name}' .*Windows.*; choose another id"):
        load_boards(board_file)


@pytest.mark.parametrize("name", ["console", "com10", "nul-model", "a.con", "com"])
def test_ids_that_only_look_like_those(board_file: Path, name: str) -> None:
    """What is no device is an id."""
    board_file.write_text(TOML.replace('"d"', f'"{name}"'))
    assert load_boards(board_file).datasets[0].id == name


@pytest.mark.parametrize("whose", ['model = "M1"', 'models = { x = "M1" }'])
def test_ids_that_differ_in_capitals_only(board_file: Path, whose: str) -> None:
    """m1 and M1 are the same file on Windows and macOS, also where only predictions name one of them."""
    model = '[[models]]\nid = "{}"\nlabel = "M"\ntask = "sentiment"\n'
    message = "models: id: 'M1' is 'm1' on file systems that do not tell capitals apart; choose another id"
    board_file.write_text(TOML + model.format("m1") + model.format("M1"))
    with pytest.raises(BoardError, match=message):
        load_boards(board_file)
    board_file.write_text(
        TOML + model.format("m1") + f'[[predictions]]\ndataset = "d"\npath = "p"\n{whose}\n'
    )
    with pytest.raises(BoardError, match=message):
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
    "place", ["datasets.0.link", "models.0.card.link", "models.0.card.paper", "site.url"]
)
def test_links_that_hide_something_are_refused(board_file: Path, place: str, link: str) -> None:
    """Wherever the board file takes an address, file, field, value and fix are named."""
    toml = TOML.replace('task = "sentiment"\n', f'task = "sentiment"\nlink = "{link}"\n', 1)
    if place.startswith("models"):
        card = f'card = {{ {place.rpartition(".")[2]} = "{link}" }}'
        toml = f'{TOML}[[models]]\nid = "m"\nlabel = "M"\ntask = "sentiment"\n{card}\n'
    elif place == "site.url":
        toml = f'{TOML}[site]\nurl = "{link}"\n'
    board_file.write_text(toml, encoding="utf-8")
    with pytest.raises(BoardError) as caught:
        load_boards(board_file)
    said = str(caught.value)
    assert said.startswith(f"{board_file}: {place}: ")
    assert "(got '" in said
    # An address of a site is refused earlier where it is none at all.
    assert re.search(HIDING[link], said) or (place == "site.url" and "should match pattern" in said)


@pytest.mark.parametrize(
    "link", ["https://example.org/@me", "doi:10.1000/1", "https://example.org/é?q=%40#x"]
)
def test_links_that_hide_nothing(board_file: Path, link: str) -> None:
    """An @ after the host, other schemes and letters of any script are fine."""
    board_file.write_text(TOML.replace('label = "D"', f'label = "D"\nlink = "{link}"'))
    assert load_boards(board_file).datasets[0].link == link


def test_brackets_without_end(board_file: Path) -> None:
    """A file that nests without end is no TOML, which the message says."""
    board_file.write_text("title = " + "[" * 5_000)
    with pytest.raises(BoardError, match=r"board\.toml: not valid TOML: brackets are nested too deeply"):
        load_boards(board_file)
