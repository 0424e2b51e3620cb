"""What a board file may say of the columns of a TSV, CSV or JSON lines file, beyond text and label."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from broken_files import as_lines, error

from evaluator.data.datasets import DatasetError, DatasetSource, read_dataset
from evaluator.records.board import DatasetSpec
from evaluator.score.examples import dataset_source

ALL = {
    "text": "text",
    "label": "label",
    "id": "uid",
    "votes": "votes",
    "validated": "checked",
    "tag.genre": "genre",
    "tag.year": "year",
}
ROWS = [
    {"uid": "a", "text": "One", "label": "x", "votes": ["x", "x", "other"], "checked": True, "genre": "news", "year": 1999},
    {"uid": "b", "text": "Two", "label": "y", "votes": [], "checked": 0, "genre": None, "year": ""},
    {"uid": "c", "text": "Three", "label": "y", "votes": [1, True], "checked": "False", "genre": "blog", "year": 2.5},
]  # fmt: skip


def lines(folder: Path, rows: Any, columns: Mapping[str, str | int] = ALL, **more: Any) -> DatasetSource:
    file = folder / "data.jsonl"
    file.write_bytes(as_lines(rows))
    made = DatasetSource("toy", "classification", file, "jsonl", columns, labels=("x", "y"))
    return replace(made, **more)


def qa(folder: Path, rows: Any) -> DatasetSource:
    columns = {"context": "context", "question": "question", "answers": "answers"}
    return replace(lines(folder, rows), task="qa", columns=columns, labels=())


def refused(made: DatasetSource) -> str:
    return error(made).removeprefix(str(made.path))


def test_every_column_of_json_lines(tmp_path: Path) -> None:
    """Tags, votes and validation are read beside text and label; a null or empty tag is none."""
    dataset = read_dataset(lines(tmp_path, ROWS))
    assert dataset.examples[0] == {"id": "a", "text": "One"}
    assert dataset.gold == ("x", "y", "y")
    assert dataset.tags == ({"genre": "news", "year": "1999"}, {}, {"genre": "blog", "year": "2.5"})
    assert dataset.votes == (("x", "x", "other"), (), ("1", "true"))
    assert dataset.validated == (True, False, False)


def test_votes_are_labels_where_the_map_knows_them(tmp_path: Path) -> None:
    """A response is mapped as a gold label is; one that the map does not know stays as it is."""
    made = lines(tmp_path, ROWS, label_map={"x": "y", "y": "x"})
    assert read_dataset(made).votes == (("y", "y", "other"), (), ("1", "true"))


def test_without_labels_the_majority_of_the_votes_is_gold(tmp_path: Path) -> None:
    """More than half must agree, on a label; other examples are left out and counted. The votes stay."""
    votes = {"a": ["x", "x", "y"], "b": ["x", "y"], "c": [], "d": ["mixed", "mixed", "y"], "e": ["y"]}
    rows = [{"text": f"Text {name}", "uid": name, "votes": several} for name, several in votes.items()]
    made = lines(tmp_path, rows, {"text": "text", "id": "uid", "votes": "votes"})
    dataset = read_dataset(made)
    assert [example["id"] for example in dataset.examples] == ["a", "e"]
    assert dataset.gold == ("x", "y")
    assert dataset.votes == (("x", "x", "y"), ("y",))
    assert dataset.dropped == {"no majority": 2, "mixed": 1}
    assert dataset.has_votes
    rows[0]["votes"] = "x"
    assert refused(lines(tmp_path, rows, {"text": "text", "id": "uid", "votes": "votes"})).startswith(
        ":1: votes: 'x' is not a list of responses"
    )


@pytest.mark.parametrize(("form", "separator"), [("tsv", "\t"), ("csv", ",")])
def test_tables_have_tags_and_validation(form: str, separator: str, tmp_path: Path) -> None:
    """In TSV and CSV tags and validation are read by name and by number."""
    file = tmp_path / f"data.{form}"
    columns = {"text": "text", "label": "label", "tag.genre": "genre", "validated": "ok"}
    rows = [["text", "label", "genre", "ok"], ["One", "x", "news", "1"], ["Two", "y", "", "false"]]
    file.write_text("\n".join(separator.join(row) for row in rows))
    made = DatasetSource("toy", "classification", file, form, columns, labels=("x", "y"))
    by_name = read_dataset(made)
    assert by_name.tags == ({"genre": "news"}, {})
    assert by_name.validated == (True, False)
    file.write_text("\n".join(separator.join(row) for row in rows[1:]))
    numbers = {name: rows[0].index(str(column)) for name, column in columns.items()}
    by_number = read_dataset(replace(made, columns=numbers))
    assert by_number.tags == by_name.tags
    assert by_number.gold == by_name.gold


def test_texts_as_gold(tmp_path: Path) -> None:
    """Where a task asks for texts, answers are a string or a list of them, and there are no labels."""
    rows = [
        {"context": "Rain fell.", "question": "What fell?", "answers": ["Rain", "rain"]},
        {"context": "Rain fell.", "question": "Did it?", "answers": "fell"},
    ]
    dataset = read_dataset(qa(tmp_path, rows))
    assert dataset.gold == (("Rain", "rain"), ("fell",))
    assert dataset.labels == dataset.gold_labels == ()
    file = tmp_path / "data.tsv"
    file.write_text("Rain fell.\tIt rained.\n")
    made = DatasetSource("toy", "generation", file, "tsv", {"text": 0, "answers": 1})
    assert read_dataset(made).gold == (("It rained.",),)


BAD_ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "validated": ({"checked": "maybe"}, "validated: 'maybe' is not true or false"),
    "votes": ({"votes": "x"}, "votes: 'x' is not a list of responses"),
    "tag": ({"genre": ["news"]}, "tags.genre: ['news'] is not a text"),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_a_wrong_value_names_its_field(name: str, tmp_path: Path) -> None:
    """A tag, vote or validation of the wrong kind is an error with line, field and value."""
    change, expected = BAD_ROWS[name]
    message = refused(lines(tmp_path, [ROWS[0], {**ROWS[1], **change}]))
    assert message.startswith(":2: ")
    assert expected in message


@pytest.mark.parametrize("answers", [None, 5, [""], "", {"text": "a"}, ["\ud800"]])
def test_wrong_answers(answers: Any, tmp_path: Path) -> None:
    """Answers must be one or more texts with something in them."""
    rows = [{"context": "Rain.", "question": "What?", "answers": answers}]
    assert refused(qa(tmp_path, rows)).startswith(":1: answers: ")


def test_a_question_with_an_empty_list_of_answers_has_none(tmp_path: Path) -> None:
    """As SQuAD v2 has such questions: the empty answer is right."""
    rows = [{"context": "Rain.", "question": "What?", "answers": answers} for answers in ([], ["Rain"])]
    assert read_dataset(qa(tmp_path, rows)).gold == (("",), ("Rain",))


def test_a_file_without_any_answers_is_no_file_of_questions_without_answer(tmp_path: Path) -> None:
    """Test files are published so: saying nothing would be right throughout."""
    rows = [{"context": "Rain.", "question": "What?", "answers": []}] * 2
    message = refused(qa(tmp_path, rows))
    assert "answers: no question has any; a test file published without answers cannot be scored" in message


BAD_SOURCES: dict[str, tuple[dict[str, Any], str]] = {
    "tag": ({"columns": {**ALL, "tag.": "genre"}}, "columns.tag.: classification has no such field"),
    "answers": ({"columns": {**ALL, "answers": "a"}}, "columns.answers: classification has no such field"),
    "option": ({"options": {"round": 1}}, "options.round: jsonl has no such option; leave options out"),
    "other task": ({"format": "sst-trees"}, "task: sst-trees is no data for classification; use sentiment"),
    "own columns": (
        {"format": "sst-trees", "task": "sentiment", "labels": ()},
        "columns: sst-trees has columns of its own; leave columns out",
    ),
    "no labels": ({"labels": ()}, "labels: () are no labels"),
    "merged": (
        {
            "format": "hans",
            "task": "nli",
            "columns": {},
            "labels": (),
            "label_map": {"entailment": "neutral"},
        },
        "label_map.entailment: 'neutral' is not a label; map it to one of",
    ),
}


@pytest.mark.parametrize("name", BAD_SOURCES)
def test_a_wrong_declaration_names_its_field(name: str, tmp_path: Path) -> None:
    """Settings that cannot work are refused before the file is read, with the dataset, the field and the fix."""
    change, expected = BAD_SOURCES[name]
    with pytest.raises(DatasetError) as caught:
        read_dataset(replace(lines(tmp_path, []), **change))
    assert str(caught.value).startswith(f"dataset toy: {expected}")


def test_revision_covers_what_is_declared(tmp_path: Path) -> None:
    """Options, tags and columns are part of a revision, where they are set."""
    plain = lines(tmp_path, ROWS)
    others = [
        replace(plain, tags={"round": "1"}),
        replace(plain, columns={**ALL, "tag.genre": "uid"}),
        replace(plain, label_map={"x": "y", "y": "x"}),
    ]
    revisions = {read_dataset(made).revision for made in [plain, *others]}
    assert len(revisions) == len(others) + 1
    spelled_out = replace(plain, label_map={"x": "x", "y": "y"})
    assert read_dataset(spelled_out).revision == read_dataset(plain).revision


def spec(**fields: Any) -> DatasetSpec:
    return DatasetSpec(id="d", label="D", task="sentiment", **fields)


def test_a_board_names_formats_options_and_rounds(tmp_path: Path) -> None:
    """A dataset of board.toml needs no columns or labels where its format has them; a round is a tag."""
    made = dataset_source(
        spec(path="r1.jsonl", format="dynasent", options={"round": 1}, round=1, tags={"kind": "dev"}),
        tmp_path,
    )
    assert made.path == tmp_path / "r1.jsonl"
    assert made.tags == {"kind": "dev", "round": "1"}
    assert made.options == {"round": 1}
    assert spec(round=2).all_tags == {"round": "2"}
    assert not spec(round=2).readable


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"path": "a.tsv"}, "path: given, so format must be given too"),
        ({"round": 1, "tags": {"round": "1"}}, "tags.round: round is given too"),
        ({"round": 0}, "round"),
        ({"columns": {"text": 1.5}}, "columns"),
    ],
)
def test_a_wrong_dataset_of_a_board(fields: dict[str, Any], message: str) -> None:
    """What cannot be in a board file is refused with its field."""
    with pytest.raises(ValueError, match=message):
        spec(**fields)
