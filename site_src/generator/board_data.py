"""What the scripts of a board's page start from: its models and metrics, and rankings by columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluator.rank import dynascore
from evaluator.rank.tradeoffs import pareto_front
from evaluator.records.board import Assembled, BoardEntry, BoardSpec, MetricSpec, idle_presets
from site_src.generator.results import card_of
from site_src.generator.table import ShownColumn

#: A page of up to so many models has the ranking at each preset too, so that a link to one shows it at once.
PRESET_MODELS = 150
#: Decimals of the scores that it has: those that a page shows, and two more for the lengths of bars.
PRESET_DECIMALS = 4


def without_absent(assembled: Assembled) -> tuple[Assembled, tuple[MetricSpec, ...]]:
    """The board without metrics that nobody has a number for, and these metrics.

    Only metrics without weight are left out, such as the throughput of models known by their
    predictions, so that no score changes; and only once there is some result. Presets that weigh one of them
    go too, and those that rank nobody.
    """
    idle = idle_presets(assembled)
    kept = tuple(preset for preset in assembled.board.presets if preset.name not in idle)
    assembled = replace(assembled, board=assembled.board.model_copy(update={"presets": kept}))
    board, data = assembled.board, assembled.data
    everyone = [*assembled.entries.values(), *assembled.people.values()]
    results = [result for entry in everyone for result in entry.results.values()]
    found = {board.base, *board.trades}
    found |= {name for name, weight in assembled.metric_weights.items() if weight > 0}
    found |= {name for result in results for name in result.scores}
    absent = tuple(metric for metric in board.metrics if results and metric.name not in found)
    if not absent:
        return assembled, ()
    names = {metric.name for metric in absent}
    metrics = tuple(metric for metric in board.metrics if metric.name not in names)
    presets = tuple(p for p in board.presets if not any(p.weights.get(name) for name in names))
    values = {
        dataset: {name: column for name, column in columns.items() if name not in names}
        for dataset, columns in data["values"].items()
    }
    labels = {**data["labels"], "metrics": {metric.name: metric.label for metric in metrics}}
    cells = [metric for metric in data["metrics"] if metric["name"] not in names]
    return replace(
        assembled,
        board=board.model_copy(update={"metrics": metrics, "presets": presets}),
        data={**data, "metrics": cells, "values": values, "labels": labels},
        metric_weights={name: w for name, w in assembled.metric_weights.items() if name not in names},
    ), absent


def whole_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """The same weights as whole numbers, where that changes no bit of a score; else as they are.

    The scorer divides by the largest weight first, so equal quotients give equal scores.
    """
    smallest = min((weight for weight in weights.values() if weight > 0), default=1.0)
    whole = {name: float(round(weight / smallest)) for name, weight in weights.items()}
    largest, most = max(weights.values(), default=0.0), max(whole.values(), default=0.0)
    same = all(whole[name] / most == weights[name] / largest for name in weights) if most else not largest
    return whole if same and most <= 20 else dict(weights)


def presets_of(board: BoardSpec) -> list[dict[str, Any]]:
    names = [metric.name for metric in board.metrics]
    return [
        {
            "name": preset.name,
            "label": preset.label,
            "weights": whole_weights({name: preset.weights.get(name, 0.0) for name in names}),
        }
        for preset in board.presets
    ]


def board_island(
    assembled: Assembled,
    columns: tuple[ShownColumn, ...],
    weights: Mapping[str, float],
    presets: list[dict[str, Any]],
) -> dict[str, Any]:
    """What the page's scripts know of the board and its models, their numbers apart."""
    board, silent = assembled.board, assembled.one_answer
    dataset_weights = {name: assembled.dataset_weights.get(name, 0.0) for name in assembled.weighed}
    return {
        "id": board.id,
        "title": board.title,
        "base": board.base,
        "epsilon": board.epsilon,
        "epsilon_kind": board.epsilon_kind,
        "rate": board.rate,
        "by": board.by,
        **({"trades": assembled.data["trades"]} if "trades" in assembled.data else {}),
        "metrics": [
            {
                "name": column.name,
                "label": column.label,
                "unit": column.spec.unit,
                "decimals": column.spec.decimals,
                "colour": column.colour,
                "amounts": column.amounts,
                "one": column.one,
                "cost": column.spec.direction == "lower",
                "cap": column.spec.cap if column.spec.cap != "max" else None,
                **({"one_answer": silent[column.name]} if column.name in silent else {}),
            }
            for column in columns
        ],
        "datasets": assembled.weighed,
        **(
            {"parts_of": {name: one.whole for name, one in assembled.parts.items()}}
            if assembled.parts
            else {}
        ),
        "models": [_island_model(assembled.entries[name]) for name in assembled.data["models"]],
        "weights": {"metrics": weights, "datasets": dataset_weights},
        "presets": presets,
        "updated": assembled.timestamp,
    }


def _island_model(entry: BoardEntry) -> dict[str, Any]:
    """What visitors find models by; what is not known of a model is left out."""
    card = card_of(entry.results.values())
    tags = [*card.tags, *filter(None, [card.quantisation])]
    facts = {"tags": tags, "parameters": card.parameters, "licence": card.licence}
    facts["released"] = card.released.isoformat() if card.released else None
    facts |= {"effort": card.effort, "context": card.context}
    known = {name: fact for name, fact in facts.items() if fact}
    if card.thinking_budget is not None:  # one of 0 says that it is not to think
        known["budget"] = card.thinking_budget
    return {"id": entry.id, "label": entry.label, "provenance": entry.provenance, **known}


def first_ranking(
    assembled: Assembled, columns: tuple[ShownColumn, ...], ranking: Mapping[str, Any]
) -> dict[str, Any]:
    """The default ranking as columns in the order of the board's models (see ``ranking.js``)."""
    rows = {model["model"]: model for model in ranking["models"]}
    places = {name: index for index, name in enumerate(assembled.data["models"])}
    ordered, names = [rows[name] for name in places], [column.name for column in columns]
    return {
        "by": assembled.board.by,
        "order": [places[name] for name in rows],
        "ranks": [row["rank"] for row in ordered],
        "scores": [row["dynascore"] for row in ordered],
        "z_scores": [row["mean_z_score"] for row in ordered],
        # 0 without weight, None for a model without a rank.
        "contributions": [
            [None if row["rank"] is None else row["contributions"].get(name, 0.0) for row in ordered]
            for name in names
        ],
        "values": [[row["values"][name] for row in ordered] for name in names],
        "rates": ranking["exchange_rates"],
        "notes": ranking["notes"],
    }


def preset_rankings(
    assembled: Assembled,
    columns: tuple[ShownColumn, ...],
    presets: Sequence[Mapping[str, Any]],
    scorer: dynascore.Board | None,
) -> dict[str, dict[str, Any]]:
    """What a ranking at each preset, by its name, has otherwise than the one at the default weights.

    Nothing where trade-offs rank, which presets do not have, and of boards with too many models.
    """
    if scorer is None or assembled.board.by == "trades" or len(scorer.models) > PRESET_MODELS:
        return {}
    found = {}
    for preset in presets:
        ranking = scorer.rank(preset["weights"], assembled.dataset_weights).to_dict()
        whole = first_ranking(assembled, columns, ranking)
        found[preset["name"]] = {
            "order": whole["order"],
            "ranks": whole["ranks"],
            "scores": _shortened(whole["scores"]),
            "z_scores": None,  # by which no preset ranks
            "contributions": [_shortened(column) for column in whole["contributions"]],
            "notes": whole["notes"],
        }
    return found


def _shortened(values: Sequence[float | None]) -> list[float | None]:
    return [None if value is None else round(value, PRESET_DECIMALS) for value in values]


def first_axes(
    columns: Sequence[ShownColumn], base: str, assembled: Assembled, ranking: Mapping[str, Any]
) -> dict[str, Any]:
    """The metrics that a board's scatter shows first, across and up, and the places of the models that none
    beats at both; no axes with one metric only. And the corners that a map of weights has first, and of how
    many metrics all ranked models have a value (``whole``).
    """
    up = next(column for column in columns if column.name == base)
    rows = {model["model"]: model for model in ranking["models"]}
    ranked = [model["values"] for model in rows.values() if model["rank"] is not None]
    gaps = {column.name: sum(values[column.name] is None for values in ranked) for column in columns}
    # A chart loses no leader: metrics that all ranked models have come first, then those that most have.
    fullest = sorted(columns, key=lambda column: gaps[column.name])
    whole = sum(not count for count in gaps.values())
    corners = {"corners": [column.name for column in fullest[:3]], "whole": whole}
    others = [column for column in fullest if column.name != base]
    if not others:
        return {"axes": [], "front": [], **corners}
    others = [column for column in others if gaps[column.name] == gaps[others[0].name]]
    axes = next((column for column in others if column.name == "throughput"), others[0]), up
    silent = assembled.one_answer
    models = list(enumerate(rows[name] for name in assembled.data["models"] if name in rows))
    across, along = (
        [None if at in silent.get(axis.name, ()) else model["values"][axis.name] for at, model in models]
        for axis in axes
    )
    signs = (-1 if axis.spec.direction == "lower" else 1 for axis in axes)
    front = list(pareto_front(across, along, *signs))
    return {"axes": [axis.name for axis in axes], "front": front, **corners}


def middle_of(models: Sequence[Mapping[str, Any]]) -> str | None:
    """The median model, which bars compare others with: of two the better; None where none is ranked."""
    ranked = [model["model"] for model in models if model["rank"] is not None]
    return ranked[(len(ranked) - 1) // 2] if ranked else None
