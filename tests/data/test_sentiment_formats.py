"""Formats of sentiment data, on sentences written for this project (CC0)."""

from pathlib import Path
from typing import Any

import pytest
from broken_files import as_lines, fuzz, read_or_explain
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.datasets import Dataset, DatasetError, DatasetSource, read_dataset

BINARY, TERNARY = ("negative", "positive"), ("negative", "neutral", "positive")


def source(folder: Path, form: str, data: str | bytes, **more: Any) -> DatasetSource:
    file = folder / "data"
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return DatasetSource("toy", "sentiment", file, form, **more)


def statements(dataset: Dataset) -> list[str]:
    return [example["statement"] for example in dataset.examples]


def error(made: DatasetSource) -> str:
    with pytest.raises(DatasetError) as caught:
        read_dataset(made)
    return str(caught.value).removeprefix(str(made.path))


# --- SST trees ---

TREES = """\
(3 (2 It) (3 (4 (2 really) (3 shines)) (2 .)))
(0 (2 Never) (1 (1 again) (2 !)))
(2 (2 (2 A) (2 film)) (2 (2 -LRB-) (2 (2 1\\/2) (2 -RRB-))))
(1 (2 So) (1 tired))
(4 Superb)
"""


def test_sst_trees_map_five_labels_to_three(tmp_path: Path) -> None:
    """0 and 1 are negative, 2 neutral, 3 and 4 positive; the words are the leaves, unescaped."""
    dataset = read_dataset(source(tmp_path, "sst-trees", TREES))
    assert dataset.labels == TERNARY
    assert dataset.gold == ("positive", "negative", "neutral", "negative", "positive")
    assert statements(dataset) == [
        "It really shines .",
        "Never again !",
        "A film ( 1/2 )",
        "So tired",
        "Superb",
    ]


def test_binary_sst_leaves_neutral_roots_out(tmp_path: Path) -> None:
    """With two labels a neutral tree is counted as dropped, and ids stay those of the lines."""
    dataset = read_dataset(source(tmp_path, "sst-trees", TREES, labels=BINARY))
    assert dataset.dropped == {"neutral": 1}
    assert [example["id"] for example in dataset.examples] == ["0", "1", "3", "4"]
    assert dataset.revision != read_dataset(source(tmp_path, "sst-trees", TREES)).revision


BAD_TREES = {
    "open": ("(3 (2 It) (3 shines)", "brackets left open: 1"),
    "two": ("(3 It) (2 is)", "the line has 2 of them"),
    "label": ("(5 It)", "'5' is not a label"),
    "three": ("(3 (2 a) (2 b) (2 c))", "0 words and 3 nodes"),
    "blank": ("", "is blank"),
}


@pytest.mark.parametrize("name", BAD_TREES)
def test_a_broken_tree_is_named(name: str, tmp_path: Path) -> None:
    """A line that is no tree is an error with its line and what is wrong; skipped, it is counted."""
    tree, problem = BAD_TREES[name]
    made = source(tmp_path, "sst-trees", f"(4 Fine)\n{tree}\n(4 Fine)\n")
    assert error(made).startswith(":2: ")
    assert problem in error(made)
    assert [row.line for row in read_dataset(made, skip_malformed=True).skipped] == [2]


def test_a_tree_may_be_deep(tmp_path: Path) -> None:
    """Nesting has no limit, whether the tree is whole or not."""
    deep = "(2 (2 x) " * 20_000 + "(2 y)" + ")" * 20_000
    assert statements(read_dataset(source(tmp_path, "sst-trees", deep))) == ["x " * 20_000 + "y"]
    assert "left open" in error(source(tmp_path, "sst-trees", deep[:-1]))


words = st.text("ab'-.", min_size=1, max_size=4)
trees = st.recursive(
    st.tuples(st.sampled_from("01234"), words),
    lambda inner: st.tuples(st.sampled_from("01234"), inner, inner),
    max_leaves=8,
)


def as_written(tree: tuple[Any, ...]) -> str:
    return tree[1] if len(tree) == 2 else f"{as_written(tree[1])} {as_written(tree[2])}"


def in_brackets(tree: tuple[Any, ...]) -> str:
    inside = tree[1] if len(tree) == 2 else f"{in_brackets(tree[1])} {in_brackets(tree[2])}"
    return f"({tree[0]} {inside})"


@fuzz
@given(st.lists(trees, min_size=1, max_size=5))
def test_any_tree_is_read_back(tmp_path: Path, made: list[tuple[Any, ...]]) -> None:
    """The statement is the tree's words and the gold label that of its root, for any binary tree."""
    dataset = read_dataset(source(tmp_path, "sst-trees", "\n".join(map(in_brackets, made))))
    assert statements(dataset) == [as_written(tree) for tree in made]
    assert dataset.gold == tuple(
        TERNARY[(int(tree[0]) + 1) // 2] if tree[0] != "1" else "negative" for tree in made
    )


# --- GLUE ---

GLUE = 'sentence\tlabel\nhides nothing , and shines \t1\n"quoted" and dull \t0\n'


def test_glue_sst2(tmp_path: Path) -> None:
    """GLUE's table has a header, no quoting, and spaces at the ends that are kept."""
    dataset = read_dataset(source(tmp_path, "glue-sst2", GLUE))
    assert statements(dataset) == ["hides nothing , and shines ", '"quoted" and dull ']
    assert dataset.gold == ("positive", "negative")
    assert dataset.labels == BINARY


BAD_GLUE = {
    "test set": (
        "index\tsentence\n0\tfine\n",
        ":1: label: no such column; GLUE publishes its test set without",
    ),
    "label": ("sentence\tlabel\nfine\t-1\n", ":2: label: '-1' is not in label_map"),
}


@pytest.mark.parametrize("name", BAD_GLUE)
def test_a_wrong_glue_file_is_named(name: str, tmp_path: Path) -> None:
    """What is wrong with a GLUE file is reported with file and line."""
    data, expected = BAD_GLUE[name]
    assert error(source(tmp_path, "glue-sst2", data)).startswith(expected)


# --- DynaSent ---


def responses(**workers: int) -> dict[str, list[str]]:
    names = iter(f"w{number}" for number in range(100))
    return {
        response: [next(names) for _ in range(workers.get(response, 0))]
        for response in ("positive", "negative", "neutral", "mixed")
    }


def round_one(number: int, sentence: str, gold: str | None, **workers: int) -> dict[str, Any]:
    return {
        "hit_ids": [f"y{number}"],
        "sentence": sentence,
        "indices_into_review_text": [0, len(sentence)],
        "model_0_label": "neutral",
        "model_0_probs": {"negative": 0.1, "positive": 0.2, "neutral": 0.7},
        "text_id": f"r1-{number:07}",
        "review_id": f"abc{number}",
        "review_rating": 3,
        "label_distribution": responses(**workers),
        "gold_label": gold,
    }


ROUND_ONE = [
    round_one(1, "The soup was cold twice.", "negative", negative=4, mixed=1),
    round_one(2, "We will come back!", "positive", positive=3, neutral=2),
    round_one(3, "Lovely room, awful staff.", "mixed", mixed=3, negative=2),
    round_one(4, "It is on Main Street.", "neutral", neutral=5),
    round_one(5, "Well, that was a thing.", None, positive=1, negative=2, neutral=2),
]


def test_dynasent_gold_votes_and_what_is_left_out(tmp_path: Path) -> None:
    """Gold needs three of five; mixed and no majority are dropped and counted; all responses are kept."""
    dataset = read_dataset(source(tmp_path, "dynasent", as_lines(ROUND_ONE), options={"round": 1}))
    assert dataset.labels == TERNARY
    assert [example["id"] for example in dataset.examples] == ["r1-0000001", "r1-0000002", "r1-0000004"]
    assert dataset.gold == ("negative", "positive", "neutral")
    assert dataset.dropped == {"mixed": 1, "no majority": 1}
    assert dataset.votes[0] == ("negative",) * 4 + ("mixed",)
    assert sorted(dataset.votes[1]) == ["neutral"] * 2 + ["positive"] * 3
    assert dataset.validated == (True, True, True)
    assert dataset.tags == ({"round": "1"},) * 3


def test_binary_dynasent_drops_neutral(tmp_path: Path) -> None:
    """With two labels, examples whose gold label is neutral are dropped and counted."""
    dataset = read_dataset(source(tmp_path, "dynasent", as_lines(ROUND_ONE), labels=BINARY))
    assert dataset.gold == ("negative", "positive")
    assert dataset.dropped == {"mixed": 1, "neutral": 1, "no majority": 1}


BAD_DYNASENT: dict[str, tuple[dict[str, Any], str]] = {
    "gold": (
        {"gold_label": "positive"},
        "gold_label: 'positive' is not what most of the workers chose, which is 'negative'",
    ),
    "four": ({"label_distribution": responses(negative=4)}, "has 4 responses of 4 workers"),
    "twice": (
        {"label_distribution": {"negative": ["w1", "w2", "w3", "w4", "w4"]}},
        "5 responses of 4 workers",
    ),
    "round": ({"text_id": "r2-0000001"}, "text_id: 'r2-0000001' is not of round 1"),
}


@pytest.mark.parametrize("name", BAD_DYNASENT)
def test_a_wrong_dynasent_row_is_named(name: str, tmp_path: Path) -> None:
    """A row that is not as published is an error with line, field and value; skipped, it is counted."""
    change, expected = BAD_DYNASENT[name]
    rows = [ROUND_ONE[1], {**ROUND_ONE[0], **change}]
    made = source(tmp_path, "dynasent", as_lines(rows), options={"round": 1})
    assert error(made).startswith(":2: ")
    assert expected in error(made)
    assert len(read_dataset(made, skip_malformed=True).skipped) == 1


@pytest.mark.parametrize(
    "number",
    [
        0,
        3,
        True,
    ],
)
def test_dynasent_has_two_rounds(number: Any, tmp_path: Path) -> None:
    """A round that there is not is refused."""
    made = source(tmp_path, "dynasent", as_lines(ROUND_ONE), options={"round": number})
    assert f"dataset toy: options.round: {number!r} is not a round" in error(made)


@fuzz
@given(
    st.lists(
        st.lists(st.sampled_from(["positive", "negative", "neutral", "mixed"]), min_size=5, max_size=5),
        min_size=1,
    )
)
def test_dynasent_majorities(tmp_path: Path, judged: list[list[str]]) -> None:
    """Whatever five people answered, the gold label is the one of three of them, or the row is dropped."""
    rows, expected = [], []
    for number, answers in enumerate(judged):
        counts = {answer: answers.count(answer) for answer in answers}
        gold = max(counts, key=counts.__getitem__) if max(counts.values()) > 2 else None
        rows.append(round_one(number, f"Sentence {number}.", gold, **counts))
        expected += [gold] if gold in TERNARY else []
    dataset = read_or_explain(source(tmp_path, "dynasent", as_lines(rows)))
    assert (list(dataset.gold) if dataset else []) == expected


# --- Reviews ---

ZHANG_THREE = '"5","A title","Fine\\nand ""quoted"""\n"1","Bad","Broke, twice"\n"3","So so","It is a lamp"\n'
ZHANG_TWO = '"4","Good soup"\n"2","Cold soup"\n'


def test_reviews_of_zhang(tmp_path: Path) -> None:
    """Without columns: stars first, text last, doubled quotes and \\n turned back; a title is not read."""
    dataset = read_dataset(source(tmp_path, "reviews", ZHANG_THREE))
    assert statements(dataset) == ['Fine\nand "quoted"', "Broke, twice", "It is a lamp"]
    assert dataset.gold == ("positive", "negative", "neutral")
    assert statements(read_dataset(source(tmp_path, "reviews", ZHANG_TWO))) == ["Good soup", "Cold soup"]


def test_binary_reviews_drop_three_stars(tmp_path: Path) -> None:
    """With two labels three stars are dropped and counted as neutral."""
    dataset = read_dataset(source(tmp_path, "reviews", ZHANG_THREE, labels=BINARY))
    assert dataset.gold == ("positive", "negative")
    assert dataset.dropped == {"neutral": 1}


def test_reviews_with_a_header(tmp_path: Path) -> None:
    """Columns by name are looked up in the header; stars may have decimals; a backslash is a backslash."""
    data = 'review_id,stars,text\nr1,5.0,"Two\nlines"\nr2,2.0,C:\\new\n'
    columns = {"id": "review_id", "label": "stars", "statement": "text"}
    dataset = read_dataset(source(tmp_path, "reviews", data, columns=columns))
    assert dataset.examples[1] == {"id": "r2", "statement": "C:\\new"}
    assert statements(dataset)[0] == "Two\nlines"
    assert dataset.gold == ("positive", "negative")


def test_polarity_is_not_taken_for_stars(tmp_path: Path) -> None:
    """A file with only the labels 1 and 2 is refused unless the board file says what they mean."""
    data = '"2","Good soup"\n"1","Cold soup"\n'
    assert "label: only 1 and 2 are found" in error(source(tmp_path, "reviews", data, labels=BINARY))
    polarity = {"1": "negative", "2": "positive"}
    made = source(tmp_path, "reviews", data, labels=BINARY, label_map=polarity)
    assert read_dataset(made).gold == ("positive", "negative")


BAD_REVIEWS: dict[str, tuple[str, dict[str, Any], str]] = {
    "stars": ('"5","a"\n"6","b"\n', {}, ":2: label: '6' is not in label_map"),
    "narrow": ('"5"\n"4"\n', {}, ": columns: missing, and the file has 1 columns"),
    "quote": ('"5","a"\n"4","b\n', {}, ":2: row: '' is not CSV"),
}


@pytest.mark.parametrize("name", BAD_REVIEWS)
def test_a_wrong_review_file_is_named(name: str, tmp_path: Path) -> None:
    """What is wrong with reviews is reported with file, line and field."""
    data, more, expected = BAD_REVIEWS[name]
    assert expected in error(source(tmp_path, "reviews", data, **more))


# --- Anything at all ---

WHOLE = {
    "sst-trees": TREES,
    "glue-sst2": GLUE,
    "dynasent": as_lines(ROUND_ONE).decode(),
    "reviews": ZHANG_THREE,
}
