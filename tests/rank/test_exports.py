"""What is exported is read back as it was shown, with any characters in names."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shown_boards import HOSTILE, shown_board, view_of

from evaluator.rank.exports import WARNING, WRITERS, Export, examples_csv
from evaluator.rank.formats import visible

ADDRESS = "https://example.org/board/#v1;q=x"
NAMES = st.one_of(st.text(min_size=1, max_size=40), st.sampled_from(HOSTILE))
#: Two models, two metrics, a dataset and a title.
TABLES = st.tuples(NAMES, NAMES, NAMES, NAMES, NAMES, NAMES)


def exported(
    names: tuple[str, ...] = ("BERT", "SVM", "Accuracy", "Memory", "SST-2", "Board"), **view: Any
) -> Export:
    one, other, accuracy, memory, dataset, title = names
    shown = shown_board(
        (one, other),
        ((12345.678, -0.004), (1.0, None)),
        labels=(accuracy, memory),
        dataset=dataset,
        title=title,
    )
    certainty = {"sets": [[1, 2], None], "given": {}, "gap": 0.5, "words": "as the page says"}
    return Export(shown, view_of(shown, **view), [0, 1], certainty, ["measured", "reported"], ADDRESS)


@given(TABLES)
def test_csv_is_read_back_cell_for_cell_and_no_cell_is_a_formula(names: tuple[str, ...]) -> None:
    """Rows have one shape; a cell begins with a sign only where it is a number."""
    table = exported(names)
    head, *rows = csv.reader(io.StringIO(WRITERS["csv"](table), newline=""), strict=True)
    assert len(rows) == 2
    assert {len(row) for row in rows} == {len(head)}
    for cell in [*head, *(cell for row in rows for cell in row)]:
        assert re.fullmatch(r"-?\d+(\.\d+)?", cell) or not re.match(
            r"\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]", cell
        )
    assert [row[:3] for row in rows] == [["1", "1", "2"], ["", "", ""]]
    assert rows[0][3].replace("'", "") == visible(names[0]).replace("'", "")
    assert [row[6:8] for row in rows] == [["12345.68", "1.00"], ["-0.00", ""]]


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=4))
def test_examples_are_read_back_row_for_row(rows: list[tuple[str, str]]) -> None:
    """Ids and answers may hold anything; none is a formula."""
    found = [*csv.reader(io.StringIO(examples_csv(rows), newline=""), strict=True)]
    assert [[cell.replace("'", "") for cell in row] for row in found] == [
        [visible(cell).replace("'", "") for cell in row] for row in rows
    ]
    assert not [cell for row in found for cell in row if re.match(r"\s*[=+\-@\t\r]", cell)]


@given(TABLES)
def test_json_is_read_back_whole_and_nothing_in_it_is_invisible(names: tuple[str, ...]) -> None:
    """In full precision; what nobody sees is written as an escape."""
    table = exported(names)
    text = WRITERS["json"](table)
    assert json.loads(text) == json.loads(json.dumps(table.record()))
    packed = re.sub(r"\s+", "", text)
    assert visible(packed) == packed


@given(TABLES)
def test_latex_is_a_tabular_of_equal_rows(names: tuple[str, ...]) -> None:
    """The terms are comments, and names are text that no package obeys."""
    comments, body = re.split(r"(?m)^\\begin\{tabular\}.*$", WRITERS["tex"](exported(names)))
    assert all(line.startswith("% ") for line in comments.rstrip().split("\n"))
    lines = [line for line in body.split("\n") if line.endswith("\\\\")]
    assert len(lines) == 3
    for line in lines:
        assert len(re.split(r"(?<!\\)&", line[:-3])) == 6


@given(TABLES)
def test_markdown_is_a_table_of_equal_rows(names: tuple[str, ...]) -> None:
    """It comes with the warning, and no name becomes HTML."""
    text = WRITERS["md"](exported(names))
    assert WARNING in text
    assert "<" not in text.replace(f"<{ADDRESS}>", "")
    lines = [line for line in text.split("\n") if line.startswith("| ")]
    assert len(lines) == 4
    assert {len(re.split(r" (?<!\\)\| ", line[2:-2])) for line in lines} == {6}


@given(TABLES)
def test_html_is_a_table_in_which_names_are_text(names: tuple[str, ...]) -> None:
    """Whatever names hold, there are the tags of two rows."""
    text = WRITERS["html"](exported(names))
    assert (text.count("<tr>"), text.count("<td>"), text.count("<script")) == (3, 12, 0)


def test_the_terms_are_those_of_the_numbers() -> None:
    """Weights, base, threshold and rates, and what narrows the models down."""
    limits = [{"metric": "memory", "bound": "most", "value": 2}]
    table = exported(search=" bert ", filters=[{"kind": "licence", "value": ""}], limits=limits, among="left")
    assert dict(table.facts) == {
        "Board": "Board",
        "Results of": "2026-11-21T15:20:00Z",
        "Ranked by": "Dynascore",
        "Weights of metrics": "Accuracy 4, Memory 1",
        "Weights of datasets": "SST-2 1",
        "Base metric": "Accuracy",
        "Threshold": "0.0001, relative",
        "Exchange rates": "mean of slopes",
        "Searched for": "bert",
        "Filtered by": "licence not stated",
        "Limits": "Memory at most 2 GB",
        "Ranked among": "only the models that filters and limits leave",
        "How sure ranks are": "as the page says",
    }


@pytest.mark.parametrize(
    ("view", "titles"),
    [
        ({}, ["Dynascore (%)", "Accuracy (%)", "Memory (GB)"]),
        ({"hidden": ["memory"]}, ["Dynascore (%)", "Accuracy (%)"]),
    ],
)
def test_columns_are_those_shown(view: dict[str, Any], titles: list[str]) -> None:
    """A hidden one is left out."""
    assert [column.title for column in exported(**view).columns] == titles


def test_a_record_says_of_a_model_without_a_rank_that_nothing_adds_to_it() -> None:
    """Contributions and score are null, as is its rank set; its values are there."""
    first, second = exported().record()["models"]
    assert (first["rank_set"], first["provenance"]) == ([1, 2], "measured")
    assert (second["rank"], second["dynascore"], second["contributions"]["acc"]) == (None, None, None)
    assert second["values"] == {"acc": -0.004, "memory": None}
