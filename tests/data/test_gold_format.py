"""Gold answers without texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.data.datasets import DatasetError, DatasetSource, read_dataset

COLUMNS = {"id": "id", "label": "gold"}
MAP = {"0": "negative", "1": "positive"}


def source(path: Path, **changes: object) -> DatasetSource:
    given = {
        "columns": COLUMNS,
        "labels": ("negative", "positive"),
        "label_map": MAP,
    }
    return DatasetSource(id="gold", task="sentiment", path=path, format="gold", **{**given, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("gold.csv", "id,gold\n7,1\n8,0\n"),
        ("gold.tsv", "id\tgold\n7\t1\n8\t0\n"),
        ("gold.jsonl", '{"id": 7, "gold": 1}\n{"id": "8", "gold": 0}\n'),
    ],
)
def test_gold_answers_are_read_without_texts(tmp_path: Path, name: str, content: str) -> None:
    """Ids and labels are all a gold file needs, in any of its three forms."""
    path = tmp_path / name
    path.write_text(content)
    dataset = read_dataset(source(path))
    assert dataset.examples == ({"id": "7"}, {"id": "8"})
    assert dataset.gold == ("positive", "negative")
    assert not dataset.has_inputs


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": {"label": "gold"}}, "columns.id: missing"),
        ({"columns": {**COLUMNS, "statement": "text"}}, "columns.statement: is no part of gold answers"),
        ({"columns": {"id": 0, "label": 1}}, "columns.id: 0 is not a name"),
    ],
)
def test_columns_that_do_not_fit_are_named(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    """A mapping that lacks ids, or maps texts, is refused with the field."""
    path = tmp_path / "gold.csv"
    path.write_text("id,gold\n7,1\n")
    with pytest.raises(DatasetError, match=message):
        read_dataset(source(path, **changes))


def test_a_suffix_that_says_nothing_is_refused(tmp_path: Path) -> None:
    """A gold file must be named after its form."""
    path = tmp_path / "gold.txt"
    path.write_text("id,gold\n7,1\n")
    with pytest.raises(
        DatasetError, match=r"path: 'gold.txt' does not end in one of csv, tsv, jsonl, json, parquet"
    ):
        read_dataset(source(path))
