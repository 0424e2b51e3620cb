"""What pages say of other weights, and of a board that a model leaves."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import random
from dataclasses import asdict, replace
from typing import Any

import pytest
from test_rank_sets import random_board

from evaluator.rank import what_if
from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.tradeoffs import NOBODY, corner_weights, triangle
from evaluator.rank.what_if import (
    Certain,
    FirstPlace,
    Mixtures,
    leaving,
    open_certain,
    open_first_place,
    open_leaving,
    smallest_change,
    weightings,
)

#: What runs in the browser's Python: these imports, functions of this module, and the loop.
PROGRAM = """
from __future__ import annotations
import hashlib
import json
import math
import random
from dataclasses import asdict
from typing import Any
from evaluator.rank import what_if
from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.what_if import open_certain, open_first_place, open_leaving
"""
LOOP = """
what_if.WEIGHTINGS = 40
text = "\\n".join(answers(*one) for one in drawn(10, 60))
print(hashlib.sha256(text.encode()).hexdigest())
"""
#: The hash of what `answers` says of 60 random boards: the same on every Python.
GOLDEN = "a113307601b70e1c60ae7e926a075860177e0854f230b304d463e8e80c7e087c"


def drawn(seed: int, count: int = 40) -> list[tuple[Board, Certainty, Question]]:
    """Random boards with weight on something, some of them with models under the floor."""
    chance, found = random.Random(seed), []
    while len(found) < count:
        board, data, question = random_board(chance)
        if any((question.metrics or {}).values()):
            floored = [name for name in board.models if chance.random() < 0.15]
            board = Board(
                board.models, list(board.metrics.values()), board.values, board.base, floored=floored
            )
            data["d"] |= sampled(chance, len(board.models))
            found.append((board, Certainty.from_dict(board, data), question))
    return found


def sampled(chance: random.Random, models: int, examples: int = 40) -> dict[str, Any]:
    """Covariances that answers can have: of right and wrong ones, and of a number that goes with them."""
    right = [[100.0 * chance.randrange(2) for _ in range(examples)] for _ in range(models)]
    other = [[value / 3 + chance.uniform(0, 60) for value in row] for row in right]
    pairs = [(i, j) for i in range(models) for j in range(i)]
    apart = {
        name: [[a - b for a, b in zip(rows[i], rows[j], strict=True)] for i, j in pairs]
        for name, rows in {"a": right, "b": other}.items()
    }
    covariances = [
        [x, y, 1e-9, [round(1e9 * of(one, two)) for one, two in zip(apart[x], apart[y], strict=True)]]
        for x, y in [("a", "a"), ("a", "b"), ("b", "b")]
    ]
    return {"examples": examples, "clusters": examples, "covariances": covariances, "right": {}, "apart": {}}


def of(one: list[float], two: list[float]) -> float:
    """The covariance of two means."""
    n = len(one)
    m, k = math.fsum(one) / n, math.fsum(two) / n
    return math.fsum((a - m) * (b - k) for a, b in zip(one, two, strict=True)) / (n - 1) / n


def finished(steps: Any) -> Any:
    """What is found after the last step."""
    while not steps.step():
        pass
    return json.loads(steps.json())


def test_a_mixture_scores_and_varies_as_its_weights_do() -> None:
    """Scores and variances at mixtures are those of a ranking at the mixed weights."""
    chance = random.Random(4)
    for board, certainty, question in drawn(11):
        ends = [{name: chance.randrange(1, 9) / 10 for name in board.metrics} for _ in range(3)]
        ends = [{name: weight / math.fsum(end.values()) for name, weight in end.items()} for end in ends]
        mixtures, parts = Mixtures(certainty, question, ends), chance.choice(list(weightings(3)))
        mixed = {
            name: sum(p * end[name] for p, end in zip(parts, ends, strict=True)) for name in board.metrics
        }
        asked = replace(question, metrics=mixed)
        columns = board.columns(asked)
        scores = columns.scores if columns.z_scores is None else columns.z_scores
        assert mixtures.scores(parts) == pytest.approx(scores, nan_ok=True)
        model = chance.randrange(len(board.models))
        row = certainty.variances(asked, columns)
        expected = [*row.before(model), 0.0, *row.after(model)]
        found = [mixtures.variance(model, other, parts) for other in range(len(board.models))]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_shares_of_weightings_are_counted_as_rankings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model leads, or is in a dead heat, under as many weightings as rankings and rank sets at them say."""
    monkeypatch.setattr(what_if, "WEIGHTINGS", 25)
    for board, certainty, question in drawn(5):
        model = random.Random(len(board.models)).choice(board.models)
        index = board.models.index(model)
        found = finished(FirstPlace(certainty, question, model))
        names = [name for name, weight in (question.metrics or {}).items() if weight]
        led = level = 0
        unknown = False
        for parts in weightings(len(names)):
            asked = replace(question, metrics=dict(zip(names, parts, strict=True)))
            ranks = board.columns(asked).ranks
            led += ranks[index] == 1.0
            if ranks[index] != 1.0:
                certain = certainty.sets(asked).sets[index]
                unknown = unknown or (
                    certain is None and ranks[index] == ranks[index] and index not in board.floored
                )
                level += certain is not None and certain[0] == 1
        assert (found["share"], found["weighed"]) == (led / 25, len(names))
        assert found["level"] == (None if unknown else level / 25)


def test_the_change_of_a_weight_is_the_smallest_that_changes_the_lead() -> None:
    """At the weight that is found a model leads alone, or stops to lead and the one that is named does; at none that
    is clearly nearer, in any metric."""
    begun = ended = beyond = until = 0
    for board, _, question in drawn(6, 30):
        weights, leader = dict(question.metrics or {}), first(board, question)
        for index, model in enumerate(board.models):
            change = smallest_change(board, question, index)
            for name in board.metrics:
                for weight in tried(weights, name, change):
                    leads = first(board, replace(question, metrics={**weights, name: weight}))
                    assert leads in (model, None) if model == leader else leads != model
            if change:
                at = replace(question, metrics={**weights, change.metric: change.weight})
                assert first(board, at) == board.models[change.leader]
                assert (change.leader == index) == (model != leader)
                assert 0.0 <= change.weight <= what_if.LARGEST
                begun, ended = begun + (model != leader), ended + (model == leader)
                further = further_away(weights, change)
                leaders = {first(board, replace(question, metrics=one)) for one in further}
                assert not change.beyond or leaders <= {board.models[change.leader], None}
                beyond += change.beyond
                middle = (change.weight + change.until) / 2.0
                for weight in (middle, change.until):
                    at = replace(question, metrics={**weights, change.metric: weight})
                    assert first(board, at) == board.models[change.leader]
                until += change.until != change.weight
    assert (begun > 20, ended > 5, beyond > 20, until > 20) == (True, True, True, True)


@pytest.mark.parametrize("order", ["uvw", "wuv"])
def test_a_model_without_a_number_hides_no_change(order: str) -> None:
    """Wherever it stands, the others lead at the weights at which they lead on a board without it."""
    cells = {"u": (90.0, 1.0), "v": (80.0, 5.0), "w": (70.0, None)}
    values: Any = {name: [cells[model][at] for model in order] for at, name in enumerate("ab")}
    board = Board([*order], [RankedMetric("a"), RankedMetric("b")], {"d": values}, "a")
    question, two = Question({"a": 4.0, "b": 8.0}), board.among([order.index(model) for model in "uv"])
    for model in "uv":
        found = smallest_change(board, question, order.index(model))
        alone = smallest_change(two, question, "uv".index(model))
        assert found is not None
        assert alone is not None
        assert (found.metric, found.weight) == (alone.metric, alone.weight)


def further_away(weights: dict[str, float], change: what_if.Change) -> list[dict[str, float]]:
    """Weights at which a metric counts more than a change asks for, or less, whichever way that is."""
    before, end = weights.get(change.metric, 0.0), what_if.LARGEST
    if change.weight < before:
        end = 0.0
    steps = [change.weight + (end - change.weight) * step / 10 for step in range(1, 11)]
    return [{**weights, change.metric: weight} for weight in steps]


def first(board: Board, question: Question) -> str | None:
    columns = board.columns(question)
    found = [index for index in columns.order if columns.ranks[index] == 1.0]
    return board.models[found[0]] if len(found) == 1 else None


def tried(weights: dict[str, float], name: str, change: what_if.Change | None) -> list[float]:
    """Weights of a metric that are nearer to its present one than a change found, by more than its rounding."""
    reach = what_if.LARGEST if change is None else 0.9 * abs(change.weight - weights.get(change.metric, 0.0))
    before = weights.get(name, 0.0)
    near = [before + sign * reach * step / 40 for step in range(1, 41) for sign in (-1, 1)]
    return [weight for weight in near if 0 <= weight <= what_if.LARGEST]


def test_a_leader_is_certain_where_its_rank_set_is_the_first_alone() -> None:
    """At every point of a triangle, as `Certainty.sets` says it at the weights there."""
    seen = set()
    for board, certainty, question in drawn(8, 25):
        names, steps = list(board.metrics), 4
        found = finished(Certain(certainty, question, names, steps))
        winners = triangle(board, question, names, steps)
        corners = list(corner_weights(board, question, names))
        grid = [(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps - i + 1)]
        for parts, winner, certain in zip(grid, winners, found, strict=True):
            mixed = {n: sum(p * c[n] for p, c in zip(parts, corners, strict=True)) / steps for n in names}
            held = (
                certainty.sets(replace(question, metrics=mixed)).sets[winner] if winner != NOBODY else (1, 1)
            )
            assert certain == (held == (1, 1))
            seen.add(certain)
    assert seen == {0, 1}


def test_the_leaving_of_one_of_few_models_within_limits_moves_nobody() -> None:
    """Their scores are those among all, whoever of them leaves."""
    cells: Any = {"a": [90.0, 80.0, 79.0, 70.0, 50.0, 40.0], "b": [1.0, 2.0, 30.0, 20.0, 5.0, 6.0]}
    board = Board([*"uvwxyz"], [RankedMetric("a"), RankedMetric("b")], {"d": cells}, "a")
    asked = Question(among=board.models[:4])
    assert board.columns(asked).scale.kept
    assert leaving(board, asked) == {}


def test_what_changes_once_a_model_leaves_is_what_a_board_without_it_says() -> None:
    """Each move is from the place among those that stay to the place on a board that never had the model."""
    moved = 0
    for board, _, question in drawn(9):
        ranked = [
            m for m in board.columns(question).order if not math.isnan(board.columns(question).ranks[m])
        ]
        moves = leaving(board, question)
        for gone in ranked:
            stay = [name for at, name in enumerate(board.models) if at != gone]
            cells = {
                n: [v for at, v in enumerate(column) if at != gone] for n, column in board.values["d"].items()
            }
            floored = [board.models[at] for at in board.floored if at != gone]
            other = Board(stay, list(board.metrics.values()), {"d": cells}, board.base, floored=floored)
            after = [stay[at] for at in other.columns(question).order]
            before = [board.models[at] for at in ranked if at != gone]
            expected = [
                (board.models.index(name), place, after.index(name) + 1)
                for place, name in enumerate(before, 1)
                if after.index(name) + 1 != place
            ]
            assert moves.get(gone, []) == expected
            moved += bool(expected)
    assert moved > 10


def answers(board: Board, certainty: Certainty, question: Question) -> str:
    """All that a page gets of a board, as its worker asks for it."""
    asked: dict[str, Any] = {"question": asdict(question)}
    lead = finished(open_first_place(certainty, json.dumps({**asked, "model": board.models[0]})))
    points = finished(open_certain(certainty, json.dumps({**asked, "metrics": ["a", "b", "c"], "steps": 6})))
    return repr([lead, points, finished(open_leaving(certainty, json.dumps(asked)))])


def test_bits_are_the_same_on_every_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """What 60 random boards give, as one hash, which no version of Python or machine may change."""
    monkeypatch.setattr(what_if, "WEIGHTINGS", 40)
    text = "\n".join(answers(*one) for one in drawn(10, 60))
    assert hashlib.sha256(text.encode()).hexdigest() == GOLDEN


def in_the_browser() -> str:
    parts = (random_board, drawn, sampled, of, finished, answers)
    return "\n".join([PROGRAM, *map(inspect.getsource, parts), LOOP])


def test_a_model_that_is_not_there_is_named() -> None:
    """The message has the name and those that there are."""
    board, certainty, question = drawn(1, 1)[0]
    with pytest.raises(ValueError, match=r"model: 'nobody' is none of m0, m1"):
        FirstPlace(certainty, question, "nobody")
    assert board.models[:2] == ["m0", "m1"]
