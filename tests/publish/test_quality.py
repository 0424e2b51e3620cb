"""The criteria of a good benchmark: what proves them, what states them, and what `check --quality` prints."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.cli import main
from evaluator.exchange.tables import ranked_board
from evaluator.publish.quality import BoardFacts, assess, counts, evidence_of, facts_of
from evaluator.records.board import CRITERIA, STAGES, load_boards
from evaluator.records.store import Store

ROOT = Path(__file__).parents[2]
#: What the files of the repository's own board of SST-2 prove.
PROVEN = {
    "interpretation", "literature", "bounds", "chance", "automatic", "sensitivity", "data-access",
    "local-models", "replication", "uncertainty", "requirements", "quick-start", "code-documentation",
    "metric-documentation", "checked", "origin", "versions", "archive",
}  # fmt: skip
BOARD = """
title = "T"

[quality]
contact = "Ada, ada@example.org"
feedback = "The issues of the repository"

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
metrics = [{ name = "accuracy", label = "Accuracy", unit = "%" }]

[boards.quality]
feedback = "A list for mail"
interpretation = "Read the page on Dynascores."
"""


@pytest.fixture(scope="module")
def facts() -> BoardFacts:
    """The repository's own board of SST-2, with one snapshot."""
    boards = load_boards(ROOT / "board.toml")
    [spec] = [board for board in boards.boards if board.id == "sst-2"]
    board = ranked_board(spec, boards, Store(ROOT / "results"))
    sets = {row.model: board.rank_sets.sets[row.model] for row in board.ranking.rows if row.rank is not None}
    return facts_of(boards, board.assembled, sets, 1)


def proven(facts: BoardFacts) -> set[str]:
    return {one.criterion.id for one in assess(facts) if one.verdict == "proven"}


def test_there_are_46_criteria_in_the_order_of_their_stages(facts: BoardFacts) -> None:
    """Each has a name of its own and a sentence; what is proven is one of them."""
    assert len({criterion.id for criterion in CRITERIA}) == len(CRITERIA) == 46
    stages = [STAGES.index(criterion.stage) for criterion in CRITERIA]
    assert stages == sorted(stages)
    assert set(stages) == set(range(len(STAGES)))
    assert {criterion.id for criterion in CRITERIA} >= evidence_of(facts).keys()
    assert all(criterion.asks.endswith(".") for criterion in CRITERIA)


def test_the_repositorys_own_files_prove_what_they_should(facts: BoardFacts) -> None:
    """Of SST-2 everything but people, an address of the code, and licences and notes that are missing."""
    assert proven(facts) == PROVEN
    assert evidence_of(facts).keys() - PROVEN == {
        "people",
        "code",
        "limitations",
        "licence",
        "annotation",
        "saturation",
    }
    assert counts(assess(facts))["proven"] == len(PROVEN)
    evidence = {one.criterion.id: one.evidence for one in assess(facts)}
    assert evidence["uncertainty"] is not None
    assert evidence["uncertainty"].text == "The rank sets of 8 of 8 ranked models are known"


def changed(facts: BoardFacts, part: str, changes: dict[str, Any]) -> BoardFacts:
    """The same facts, a part of which says something else; of results those of the first model."""
    assembled, boards = facts.assembled, facts.boards
    if part == "facts":
        return dataclasses.replace(facts, **changes)
    if part == "board":
        changes = {"board": facts.assembled.board.model_copy(update=changes)}
    elif part == "results":
        id_, entry = next(iter(assembled.entries.items()))
        results = {name: one.model_copy(update=changes) for name, one in entry.results.items()}
        changes = {"entries": assembled.entries | {id_: dataclasses.replace(entry, results=results)}}
    elif part != "assembled":
        new = boards.site.model_copy(update=changes)
        if part == "datasets":
            new = tuple(one.model_copy(update=changes) for one in boards.datasets)
        return dataclasses.replace(facts, boards=boards.model_copy(update={part: new}))
    return dataclasses.replace(facts, assembled=dataclasses.replace(assembled, **changes))


@pytest.mark.parametrize(
    ("part", "changes", "lost", "won"),
    [
        ("facts", {"snapshots": 0}, {"versions", "archive"}, set()),
        ("facts", {"known_sets": 0}, {"uncertainty"}, set()),
        ("datasets", {"citation": None}, {"literature"}, set()),
        ("datasets", {"link": None}, {"data-access"}, set()),
        ("datasets", {"link": None, "citation": None}, {"literature", "data-access", "origin"}, set()),
        ("site", {"source": "https://example.org/code"}, set(), {"code"}),
        ("site", {"licence": "CC-BY-4.0"}, set(), {"licence"}),
        ("board", {"note": "Few sentences."}, set(), {"limitations"}),
        ("board", {"floor": None}, {"chance"}, set()),
        ("results", {"predictions": None}, {"automatic", "replication"}, set()),
        ("results", {"suites": {}}, set(), set()),
        ("results", {"measurement": None}, {"requirements"}, set()),
    ],
)
def test_a_proof_follows_the_files(
    facts: BoardFacts, part: str, changes: dict[str, Any], lost: set[str], won: set[str]
) -> None:
    """What a change of the files takes away or brings is exactly what stops or begins to be proven."""
    after = proven(changed(facts, part, changes))
    assert (PROVEN - after, after - PROVEN) == (lost, won)


def test_a_score_of_people_proves_what_is_about_them(facts: BoardFacts) -> None:
    """One model reaches it on the board's dataset."""
    people = {"people": {"human": facts.assembled.entries["vader"]}, "solved": {"sst-2": ("vader",)}}
    assert proven(changed(facts, "assembled", people)) - PROVEN == {"people", "annotation", "saturation"}


def test_a_metric_without_description_or_bounds_is_named(facts: BoardFacts) -> None:
    """The criteria of metrics are not met where one metric is not described, or may have any value."""
    first, *others = facts.assembled.board.metrics
    strange = first.model_copy(update={"name": "perplexity", "unit": "", "description": ""})
    after = changed(facts, "board", {"metrics": (strange, *others)})
    assert PROVEN - proven(after) == {"bounds", "metric-documentation"}
    evidence = {one.criterion.id: one.evidence for one in assess(after)}
    assert evidence["metric-documentation"] is not None
    assert evidence["metric-documentation"].text == "Without description: Accuracy"


# What a board file states


@pytest.fixture
def stated(tmp_path: Path) -> Path:
    (tmp_path / "board.toml").write_text(BOARD)
    return tmp_path


def printed(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as end:
        main(["check", "--board", str(folder / "board.toml"), "--quality", *arguments])
    assert end.value.code in (0, None)
    return capsys.readouterr().out


def test_what_is_stated_is_marked_so_and_takes_nothing_from_a_proof(
    stated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A board's own statement counts before that for all; a proven criterion stays proven beside one."""
    document = json.loads(printed(stated, capsys, "--json"))["boards"]["b"]
    rows = {row["id"]: row for row in document["criteria"]}
    assert (rows["contact"]["verdict"], rows["contact"]["statement"]) == ("stated", "Ada, ada@example.org")
    assert rows["feedback"]["statement"] == "A list for mail"
    assert rows["interpretation"]["verdict"] == "proven"
    assert rows["interpretation"]["statement"] == "Read the page on Dynascores."
    assert rows["automatic"]["verdict"] == "not met"
    assert sum(document["counts"].values()) == len(rows) == 46


def test_the_list_says_what_would_state_a_criterion(stated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line a criterion, with number, verdict and evidence; what is not met names its key."""
    heading, *lines = printed(stated, capsys, "b").splitlines()
    assert heading == "b: 4 proven, 2 stated, 40 not met"
    assert len(lines) == 46
    assert (
        lines[4] == "  5 not met  Experts of the field took part. say how it is met under [quality] experts"
    )
    assert lines[38].endswith("somebody reads it. A list for mail")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--quality", "c"], "--quality 'c': the board file has no such board; there is b"),
        (["--against", "main", "--quality"], "--against: is for a repository, and this checks quality"),
        (["model", "--quality"], "--quality and model: give one of them"),
        (["--quality", "b", "--task", "sentiment"], "--task: is for a model, and this checks quality"),
    ],
)
def test_what_has_nothing_to_do_with_quality_is_refused(
    stated: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """The message names the options."""
    with pytest.raises(SystemExit) as end:
        main(["check", "--board", str(stated / "board.toml"), *arguments])
    assert end.value.code == 2
    assert message in capsys.readouterr().err
