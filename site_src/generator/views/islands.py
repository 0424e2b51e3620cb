"""What the scripts of a board's page start from, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluator.records.board import Assembled, BoardEntry, DatasetSpec
from site_src.generator.views.cards import card_of
from site_src.generator.views.columns import ShownColumn


def _island_metric(column: ShownColumn) -> dict[str, Any]:
    spec = column.spec
    return {
        "name": spec.name,
        "label": spec.label,
        "unit": spec.unit,
        "decimals": spec.decimals,
        "colour": column.colour,
        "amounts": column.amounts,
        "one": column.one,
        "cost": spec.direction == "lower",
        "cap": spec.cap if spec.cap != "max" else None,
    }


def board_island(
    assembled: Assembled,
    columns: tuple[ShownColumn, ...],
    scoring: tuple[DatasetSpec, ...],
    weights: Mapping[str, float],
    presets: list[dict[str, Any]],
) -> dict[str, Any]:
    """What the page's scripts know of the board and its models, their numbers apart."""
    board = assembled.board
    dataset_weights = {dataset.id: assembled.dataset_weights.get(dataset.id, 0.0) for dataset in scoring}
    return {
        "id": board.id,
        "title": board.title,
        "base": board.base,
        "epsilon": board.epsilon,
        "epsilon_kind": board.epsilon_kind,
        "rate": board.rate,
        "metrics": [_island_metric(column) for column in columns],
        "datasets": {dataset.id: dataset.label for dataset in scoring},
        "models": [_island_model(assembled.entries[name]) for name in assembled.data["models"]],
        "weights": {"metrics": weights, "datasets": dataset_weights},
        "presets": presets,
        "updated": assembled.timestamp,
    }


def _island_model(entry: BoardEntry) -> dict[str, Any]:
    """What visitors find models by; what is not known of a model is left out."""
    card = card_of(entry.results.values())
    facts = {"tags": list(card.tags), "parameters": card.parameters, "licence": card.licence}
    known = {name: fact for name, fact in facts.items() if fact}
    return {"id": entry.id, "label": entry.label, "provenance": entry.provenance, **known}


def first_ranking(
    assembled: Assembled, columns: tuple[ShownColumn, ...], ranking: Mapping[str, Any]
) -> dict[str, Any]:
    """The default ranking as columns in the order of the board's models (see ``ranking.js``)."""
    rows = {model["model"]: model for model in ranking["models"]}
    models, places = assembled.data["models"], {name: i for i, name in enumerate(assembled.data["models"])}
    names = [column.name for column in columns]
    return {
        "order": [places[name] for name in rows],
        "ranks": [rows[name]["rank"] for name in models],
        "scores": [rows[name]["dynascore"] for name in models],
        "z_scores": [rows[name]["mean_z_score"] for name in models],
        "contributions": [[_contribution(rows[model], name) for model in models] for name in names],
        "values": [[rows[model]["values"][name] for model in models] for name in names],
        "rates": ranking["exchange_rates"],
        "notes": ranking["notes"],
    }


def _contribution(row: Mapping[str, Any], metric: str) -> float | None:
    """What a metric adds to a score: 0 without weight, None for a model without a rank."""
    return None if row["rank"] is None else row["contributions"].get(metric, 0.0)
