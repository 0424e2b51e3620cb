"""`steelyard snapshot diff` and the history: who moved, why, and that the parts make the whole."""

from __future__ import annotations

import datetime
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publishing_world import commit_all
from snapshot_world import made, steelyard, write_model
from varying import varying

from evaluator.cli import main
from evaluator.publish.snapshots.differing import REASONS, Move, difference, history
from evaluator.publish.snapshots.freezing import certainty_bytes
from evaluator.publish.snapshots.repository import CERTAINTY, listed, save
from evaluator.rank import dynascore
from evaluator.rank.moves import RULE
from evaluator.records.references import Removal
from evaluator.records.snapshot import Snapshot, SnapshotMachine, SnapshotRemoval
from evaluator.records.store import Store

OLD = {"a": [90.0, 30.0], "b": [85.0, 20.0], "c": [70.0, 10.0]}
VALUES = st.none() | st.integers(0, 400).map(lambda value: value / 4)
NAMES = ["base", "other", "third"]


@st.composite
def boards(draw: st.DrawFn) -> Snapshot:
    """A board of some of five models, on two or three metrics, at any weights."""
    models = draw(st.lists(st.sampled_from("abcde"), min_size=1, unique=True))
    metrics = NAMES[: draw(st.integers(2, 3))]
    cells = {model: [draw(VALUES) for _ in metrics] for model in sorted(models)}
    weights = {name: float(draw(st.integers(0, 4))) for name in metrics}
    missing = draw(st.sampled_from(["unranked", "worst"]))
    return made(cells, metrics, weights if any(weights.values()) else {metrics[0]: 1.0}, missing=missing)


@given(boards(), boards())
def test_the_parts_sum_to_the_whole(old: Snapshot, new: Snapshot) -> None:
    """For any two boards: at one set of weights each model's changes of rank sum to its whole change exactly, of
    score but for rounding; models that are not ranked in both have none, nor has a score what it would be at
    other weights."""
    found = difference(old, new)
    assert {move.model for move in found.moves} == {*old.data.models, *new.data.models}
    for move in found.moves:
        places = [_place(snapshot, move.model) for snapshot in (old, new)]
        assert [(place.rank, place.score) for place in (move.old, move.new)] == places
        start, end = move.reweighed, move.new
        if start.rank is None or end.rank is None or start.score is None or end.score is None:
            assert (move.ranks, move.scores) == (None, None)
            continue
        assert move.ranks is not None
        assert list(move.ranks) == list(REASONS)
        assert sum(move.ranks.values()) == end.rank - start.rank
        assert found.reweighed or start == move.old
        assert (move.scores is None) == (not found.same_scale)
        if move.scores is not None:
            assert list(move.scores) == list(REASONS)
            largest = max(1.0, *(abs(part) for part in move.scores.values()))
            whole = end.score - start.score
            assert math.isclose(math.fsum(move.scores.values()), whole, abs_tol=1e-9 * largest)


def test_by_trade_offs_exchange_rates_move_nobody() -> None:
    """A model that joins changes no other score, and a new trade-off is a new term."""
    terms = {"by": "trades", "trades": {"memory": "25 %"}}
    old, joined = made(OLD, **terms), made({**OLD, "d": [99.0, 1.0]}, second=1, **terms)
    found = difference(old, joined)
    for move in found.moves:
        if move.model != "d":
            assert move.scores == dict.fromkeys(REASONS, 0.0)
            assert move.ranks == {**dict.fromkeys(REASONS, 0), "models": 1}
    again = made(OLD, second=1, by="trades", trades={"memory": 5.0})
    found = difference(old, again)
    assert found.terms == {"trades": ({"memory": "25 %"}, {"memory": 5.0})}
    for move in found.moves:
        assert move.scores is not None
        assert {name for name, part in move.scores.items() if part} == {"terms"}


def test_another_protocol_of_timing_is_told() -> None:
    """Of snapshots that were timed by one protocol, or where one was not timed at all, there is nothing to say."""

    def timed(*protocols: str) -> Snapshot:
        machine = {"cpu": "c", "cores": 1, "memory_bytes": 1, "os": "o", "python": "3", "threads": 1}
        machines = tuple(SnapshotMachine(protocol=protocol, **machine) for protocol in protocols)
        return made(OLD).model_copy(update={"machines": machines})

    found = difference(timed("2", "2"), timed("3", "2"))
    assert found.timed_anew == (
        "throughput and memory were measured by protocol 2 before and by protocol 2 and 3 now, which alone may"
        " change them"
    )
    assert found.to_dict()["protocols"] == (("2",), ("2", "3"))
    for old, new in ((timed("3"), timed("3", "3")), (timed(), timed("3")), (timed("2"), timed())):
        assert difference(old, new).timed_anew == ""


@given(boards(), boards())
def test_after_a_change_of_weights_models_move_from_where_the_new_ones_put_them(
    old: Snapshot, new: Snapshot
) -> None:
    """For any two boards: what is compared with the new ranks is what the scorer makes of the old numbers at the
    new weights, and scores are compared only where these are the whole of the new weights."""
    weights = {str(m["name"]): new.weights.metrics.get(str(m["name"]), 0.0) for m in old.data.metrics}
    ranking = dynascore.Board.from_dict(old.data.plain()).rank(weights, {"d": 1.0})
    ranks, found = {row.model: row.rank for row in ranking.rows}, difference(old, new)
    for move in found.moves:
        assert move.reweighed.rank == ranks.get(move.model)
    assert found.same_scale == (sum(weights.values()) == sum(new.weights.metrics.values()))


def _place(snapshot: Snapshot, model: str) -> tuple[Any, Any]:
    if model not in snapshot.data.models:
        return None, None
    place = snapshot.data.models.index(model)
    return snapshot.ranking.ranks[place], snapshot.ranking.scores[place]


@given(boards())
def test_a_board_does_not_differ_from_itself(board: Snapshot) -> None:
    """Nothing is added, removed or changed, and nobody moves."""
    found = difference(board, board)
    assert (found.added, found.removed, found.cells, found.terms, found.weights) == ((), (), (), {}, {})
    for move in found.moves:
        assert move.scores is None or not any(move.scores.values())
        assert move.ranks is None or not any(move.ranks.values())


def moves(old: Snapshot, new: Snapshot) -> dict[str, Move]:
    return {move.model: move for move in difference(old, new).moves}


def parts(move: Move) -> set[str]:
    """What a model's score is changed by."""
    assert move.scores is not None
    return {reason for reason, change in move.scores.items() if abs(change) > 1e-9}


def test_what_weights_alone_change_is_said_apart() -> None:
    """Nobody moves once the old numbers are ranked at the new weights, and no score changes."""
    old, new = made(OLD, weights={"accuracy": 1.0}), made(OLD, weights={"accuracy": 1.0, "memory": 3.0})
    found = difference(old, new)
    assert found.weights == {"metrics": {"accuracy": (1.0, 0.25), "memory": (0.0, 0.75)}}
    assert found.rates == {"accuracy": [1.0] * 4, "memory": [old.ranking.exchange_rates["memory"].rate] * 4}
    assert [(move.model, move.old.rank, move.reweighed.rank, move.new.rank) for move in found.moves] == [
        ("c", 3, 1, 1),
        ("b", 2, 2, 2),
        ("a", 1, 3, 3),
    ]
    for move in found.moves:
        assert (parts(move), set((move.ranks or {}).values()), move.within_noise) == (set(), {0}, None)


def test_a_renamed_model_is_the_same_model() -> None:
    """It neither left nor entered, in both directions of the order of names, and its cells are compared; a
    removal under its new id is its own, and an id that another model has is no new id."""
    old = made(OLD)
    for id_ in ("aa", "z"):
        new = made({id_: [91.0, 30.0], "b": OLD["b"], "c": OLD["c"]})
        found = difference(old, new, None, {"a": id_})
        assert (found.added, found.removed, found.renamed) == ((), (), {"a": id_})
        assert [(cell.model, cell.old, cell.new) for cell in found.cells] == [(id_, 90.0, 91.0)]
        [move] = [move for move in found.moves if move.model == id_]
        assert (move.label, move.old.rank, move.new.rank) == (id_.capitalize(), 2, 2)
        assert move.scores is not None
    said = Removal(reason="its author withdrew it", date=datetime.date(2026, 11, 1))
    gone = difference(old, made({"b": OLD["b"], "c": OLD["c"]}), {"z": said}, {"a": "z"})
    assert (gone.removed, gone.removals) == (("z",), {"z": said})
    both = difference(old, made({"b": OLD["b"], "c": OLD["c"]}), None, {"a": "b"})
    assert (both.removed, both.renamed) == (("a",), {})


def test_who_left_and_why_is_in_the_newer_snapshot_or_said_by_now() -> None:
    """Of two that left, one was removed with a reason; the board file may give one later."""
    old, new = made(OLD), made({"c": OLD["c"]})
    said = Removal(reason="its author withdrew it", date=datetime.date(2026, 11, 1))
    knows = new.model_copy(update={"removed": (SnapshotRemoval(id="a", label="A", **dict(said)),)})
    assert difference(old, new).removals == {}
    assert difference(old, knows).removals == {"a": said}
    later = said.model_copy(update={"reason": "its data were not its own"})
    assert difference(old, knows, {"a": later, "b": later, "c": later}).removals == {"a": said, "b": later}
    assert difference(old, knows).to_dict()["removals"] == {
        "a": {"reason": "its author withdrew it", "date": "2026-11-01"}
    }


def test_changed_terms_are_a_step_of_their_own() -> None:
    """Another base metric, or a metric more that brings its weight, is neither results nor weights."""
    first = difference(made(OLD), made(OLD, base="memory"))
    assert first.terms == {"base": ("accuracy", "memory")}
    more = {name: [*row, 50.0 - row[0] / 3] for name, row in OLD.items()}
    weights = {"accuracy": 2.0, "memory": 1.0, "size": 1.0}
    second = difference(made(OLD, weights={"accuracy": 2.0, "memory": 1.0}),
                        made(more, ("accuracy", "memory", "size"), weights))  # fmt: skip
    assert list(second.terms) == ["metric size"]
    assert {part for move in first.moves for part in parts(move)} <= {"terms", "rates"}
    assert (second.reweighed, second.same_scale) == (False, False)
    assert second.weights["metrics"]["size"] == (0.0, 0.25)
    moved = {part for move in second.moves for part, places in (move.ranks or {}).items() if places}
    assert moved <= {"terms", "rates"}


def test_another_scorer_is_named() -> None:
    """What no step accounts for, because another scorer made the old numbers, is put down to the scorer."""
    old = made(OLD)
    scores = tuple(score and score + 1 for score in old.ranking.scores)
    older = old.model_copy(update={"ranking": old.ranking.model_copy(update={"scores": scores})})
    for move in difference(older, old).moves:
        assert parts(move) == {"scorer"}


def vary(apart: int) -> dict[str, Any]:
    """Three models, each two of which differ on so many of 1,000 examples."""
    made_up = varying(3, ["accuracy"], ["memory"])
    return {"d": {**made_up, "apart": {"accuracy": [apart] * 3}, "right": {"accuracy": [900, 850, 700]}}}


def test_a_move_is_within_noise_where_its_sets_overlap(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of models that changed places: few examples that tell them apart leave it open, and many do not; nothing is said
    of those that stayed, and of sets that are unknown. The command says so beside the ranks, and the rule below."""
    weights, swapped = {"accuracy": 1.0, "memory": 0.0}, OLD | {"a": [85.0, 30.0], "b": [90.0, 20.0]}
    for second, (varied, said) in enumerate(((vary(900), True), (vary(150), False), (None, None))):
        old, new = (
            made(cells, weights=weights, second=2 * second + at, vary=varied)
            for at, cells in enumerate((OLD, swapped))
        )
        found = {move.model: move for move in difference(old, new).moves}
        assert [found[model].within_noise for model in "abc"] == [said, said, None]
        plain = difference(old, new).to_dict()["moves"][0]
        assert plain["within_noise"] is said
        assert plain["new"]["rank_set"] == (new.certainty and new.certainty.sets[1])
        files = {CERTAINTY: certainty_bytes(varied)} if varied else {}
        with pytest.raises(SystemExit) as exit_:
            main(["snapshot", "diff", *(str(save(tmp_path, one, files)) for one in (old, new))])
        assert exit_.value.code == 0
        printed = capsys.readouterr().out
        words = {True: "within noise  ", False: "more than noise", None: ""}[said]
        assert (words in printed, RULE in printed) == (True, said is not None)


def test_the_command_says_who_moved_and_why(frozen: Path) -> None:
    """In words with a table, as JSON, by ids and by folders."""
    write_model(Store(frozen / "results"), "omega")
    write_model(Store(frozen / "results"), "gamma", shift=30.0)
    commit_all(frozen)
    weights = ["--weight", "accuracy=1", "--weight", "calibration-error=1"]
    done = steelyard(frozen, "snapshot", "feelings", *weights, at=1_800_086_400)
    assert done.returncode == 0, done.stderr
    old, _, new = (entry.id for entry in listed(frozen / "results" / "snapshots"))
    done = steelyard(frozen, "snapshot", "diff", old, new)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "Feelings: 2027-01-15T08:00:00Z to 2027-01-16T08:00:00Z"
    assert "new models: Omega" in lines
    assert "changed results: 2 cells, of Gamma" in lines
    assert any(line.startswith("changed exchange rate of calibration-error: ") for line in lines)
    assert any(line.split()[:4] == ["3", "->", "1", "Gamma"] for line in lines)
    as_json = json.loads(steelyard(frozen, "snapshot", "diff", "--json", old, new).stdout)
    assert (as_json["added"], len(as_json["cells"])) == (["omega"], 2)
    gamma = next(move for move in as_json["moves"] if move["model"] == "gamma")
    assert sum(gamma["ranks"].values()) == -2
    for board in ((), ("feelings",)):
        newest = steelyard(frozen, "snapshot", "diff", *board).stdout
        assert newest.splitlines()[1:] == lines
        assert f"{old} is compared with {new}, the newest two of feelings" in newest.splitlines()[0]
    folders = [f"results/snapshots/{name}" for name in (old, new)]
    assert steelyard(frozen, "snapshot", "diff", *folders).stdout == done.stdout
    same = steelyard(frozen, "snapshot", "diff", old, old).stdout
    assert same.splitlines()[-1] == "no model moved, and no score changed"


def test_the_command_follows_a_new_id(frozen: Path) -> None:
    """With `was` in the board file, a model that has another id is named as renamed, under its new name."""
    board = frozen / "board.toml"
    board.write_text(
        board.read_text() + '\n[[models]]\nid = "omega"\nwas = "gamma"\nlabel = "Omega"\ntask = "sentiment"\n'
    )
    assert steelyard(frozen, "evaluate").returncode == 0
    commit_all(frozen)
    assert steelyard(frozen, "snapshot", "feelings", at=1_800_086_400).returncode == 0
    done = steelyard(frozen, "snapshot", "diff", "feelings")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "renamed: gamma is omega now" in lines
    assert not [line for line in lines if line.startswith("new models") or "left" in line]


def test_the_command_names_what_it_cannot_find(frozen: Path) -> None:
    """An id that is none and a folder without a snapshot are named."""
    done = steelyard(frozen, "snapshot", "diff", "yesterday", "today")
    assert (done.returncode, "'yesterday' is no id of a snapshot" in done.stderr) == (2, True)
    done = steelyard(frozen, "snapshot", "diff", "results", "results")
    assert (done.returncode, "snapshot.json: no such file" in done.stderr) == (1, True)


def test_the_newest_two_are_compared_only_where_a_board_has_two(frozen: Path) -> None:
    """With one snapshot of each board there is nothing to compare; a board without any is named."""
    done = steelyard(frozen, "snapshot", "diff")
    assert (done.returncode, "it takes two snapshots of a board to compare, and " in done.stderr) == (1, True)
    done = steelyard(frozen, "snapshot", "diff", "feeling")
    assert (done.returncode, "did you mean feelings?" in done.stderr) == (2, True)


def test_the_history_has_every_snapshot_of_a_model(tmp_path: Path) -> None:
    """By model: id, time, rank and score of each snapshot that it is in, in order of time."""
    first, second = made(OLD, second=5), made(OLD | {"z": [95.0, None]}, second=9)
    save(tmp_path, second)
    save(tmp_path, first)
    found = history(tmp_path, "b")
    assert list(found) == ["a", "b", "c", "z"]
    assert [point.snapshot for point in found["a"]] == [first.id, second.id]
    assert [(point.created, point.place.rank) for point in found["z"]] == [("2026-01-01T00:00:09Z", None)]
    assert found["b"][0].place.score == first.ranking.scores[1]
    assert history(tmp_path, "elsewhere") == {}
    renamed = history(tmp_path, "b", {"a": "new", "b": "c"})
    assert [point.snapshot for point in renamed["new"]] == [first.id, second.id]
    assert "b" in renamed
