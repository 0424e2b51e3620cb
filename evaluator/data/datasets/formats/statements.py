"""Statements with a sentiment, or hateful ones: SST, SST-2, DynaSent, reviews, LFTW and HateCheck."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from evaluator.data.datasets.formats import generic
from evaluator.data.datasets.formats.base import (
    DatasetSource,
    Format,
    GivenItem,
    Item,
    Left,
    each,
    no_columns,
)
from evaluator.data.nodes import Node, wrong
from evaluator.data.tables import BadRow, read_table
from evaluator.data.tasks import FieldError, show
from evaluator.records.errors import UserError

TERNARY = ("negative", "neutral", "positive")

# The Stanford Sentiment Treebank (Socher et al. 2013): its trees, and SST-2 as GLUE publishes it.
#: Very negative, negative, neutral, positive, very positive.
FIVE_TO_THREE = {"0": "negative", "1": "negative", "2": "neutral", "3": "positive", "4": "positive"}
#: What the Penn Treebank writes for characters that mean something in a tree.
ESCAPES = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "\\/": "/", "\\*": "*",
}  # fmt: skip
ESCAPED = re.compile("|".join(re.escape(written) for written in ESCAPES))
TOKEN = re.compile(r"[()]|[^() ]+")


def _read_trees(data: bytes, source: DatasetSource) -> Iterator[GivenItem]:
    """One tree a line: the root's label is the gold label, the words at the leaves are the statement."""
    for row in read_table(data, "lines", source.where).rows():
        if isinstance(row, BadRow):
            yield row
            continue
        try:
            label, words = _tree(row.cells[0])
        except ValueError as error:
            fix = "write (label word) or (label tree tree), with labels 0 to 4"
            yield BadRow(row.line, wrong("tree", row.cells[0], f"is no tree: {error}", fix))
        else:
            yield Item(row.line, {"statement": " ".join(words)}, label)


def _tree(line: str) -> tuple[str, list[str]]:
    """The root's label and the words of ``(label word)`` or ``(label tree tree)``, with labels 0 to 4.

    Without recursion: a line may be nested to any depth. Raises ValueError.
    """
    # Of each open bracket its label, and how many words and trees are in it; the first is around the root.
    labels, inside, words = [""], [[0, 0]], list[str]()
    root = ""
    for token in TOKEN.findall(line):
        if token == "(":
            labels.append("")
            inside.append([0, 0])
        elif len(labels) == 1:
            raise ValueError("a bracket closes nothing" if token == ")" else f"{token!r} is outside of it")
        elif token == ")":
            root, found = labels.pop(), inside.pop()
            if not root or found not in ([1, 0], [0, 2]):
                raise ValueError(f"a node has {found[0]} words and {found[1]} nodes in it")
            inside[-1][1] += 1
        elif labels[-1]:
            inside[-1][0] += 1
            words.append(ESCAPED.sub(lambda found: ESCAPES[found.group()], token))
        elif token in FIVE_TO_THREE:
            labels[-1] = token
        else:
            raise ValueError(f"{token!r} is not a label")
    if len(labels) > 1:
        raise ValueError(f"brackets left open: {len(labels) - 1}")
    if inside[0][1] != 1:
        raise ValueError(f"the line has {inside[0][1]} of them")
    return root, words


def _read_glue(data: bytes, source: DatasetSource) -> Iterator[GivenItem]:
    header = read_table(data, "tsv", source.where).frame.columns
    if "label" not in header:
        problem, fix = (
            "no such column; GLUE publishes its test set without labels",
            "use dev.tsv or train.tsv",
        )
        raise UserError(f"{source.where}:1: label", problem, fix)
    return generic.published(data, source, "tsv", {"statement": "sentence", "label": "label"})


TREES = Format(
    "sst-trees",
    ("sentiment",),
    _read_trees,
    TERNARY,
    FIVE_TO_THREE,
    about="the Stanford Sentiment Treebank: one tree in brackets a line, with labels 0 to 4",
    columns={"the root's label": "label: five become three", "the leaves": "statement"},
)
GLUE = Format(
    "glue-sst2",
    ("sentiment",),
    _read_glue,
    labels=("negative", "positive"),
    label_map={"0": "negative", "1": "positive"},
    about="SST-2 as GLUE publishes it: train.tsv or dev.tsv, with a header",
    columns={"sentence": "statement", "label": "label"},
)


# DynaSent v1.1 (Potts et al. 2021): sentences with five people's responses each, rounds 1 and 2. The gold
# label is the response chosen by at least three of the five. Examples for which that is "mixed", or there
# is none, are no part of the ternary task: they are left out and counted.
RESPONSES = (*TERNARY, "mixed")
ANNOTATORS, MAJORITY = 5, 3
DYNASENT_ROUNDS = (1, 2)


def _check_dynasent(source: DatasetSource) -> None:
    no_columns(source)
    number = source.options.get("round")
    if number is not None and (type(number) is not int or number not in DYNASENT_ROUNDS):
        raise FieldError("options.round", number, f"{show(number)} is not a round", "use 1 or 2")


def _read_dynasent(data: bytes, source: DatasetSource) -> Iterator[GivenItem]:
    number = source.options.get("round")
    return each(read_table(data, "jsonl", source.where), lambda line, row: [_dynasent(line, row, number)])


def _dynasent(line: int, row: Node, number: int | None) -> Item | Left:
    values = {"id": row.name("text_id"), "statement": row.text("sentence")}
    if number is not None and not str(values["id"]).startswith(f"r{number}-"):
        raise row.wrong("text_id", f"is not of round {number}", "read it as the round it is of")
    votes = _responses(row.child("label_distribution"))
    gold = next((response for response in RESPONSES if votes.count(response) >= MAJORITY), None)
    _check_stated(row, gold)
    if gold is None or gold == "mixed":
        return Left(line, gold or "no majority")
    return Item(line, values, gold, {"round": str(number)} if number else {}, votes, validated=True)


def _responses(distribution: Node) -> tuple[str, ...]:
    """The responses of five people, from the list of workers under each. Raises `FieldError` for others."""
    workers = {name: distribution.texts(name) for name in RESPONSES if distribution.has(name)}
    for name, value in distribution.value.items():
        if name not in RESPONSES:
            fix = f"use {', '.join(RESPONSES)}"
            raise wrong(distribution.place, value, f"is under {show(name)}, which is no response", fix)
    everyone = [worker for given in workers.values() for worker in given]
    if not len(everyone) == len(set(everyone)) == ANNOTATORS:
        problem = f"has {len(everyone)} responses of {len(set(everyone))} workers"
        raise wrong(distribution.place, distribution.value, problem, "give one each of five workers")
    return tuple(name for name, given in workers.items() for _ in given)


def _check_stated(row: Node, gold: str | None) -> None:
    stated = row.at("gold_label")
    if stated != gold:
        chosen = "who do not agree" if gold is None else f"which is {show(gold)}"
        problem = f"{'null ' if stated is None else ''}is not what most of the workers chose, {chosen}"
        raise row.wrong("gold_label", problem, "correct one or the other")


DYNASENT = Format(
    "dynasent",
    ("sentiment",),
    _read_dynasent,
    labels=TERNARY,
    label_map={label: label for label in TERNARY},
    options=("round",),
    check=_check_dynasent,
    about="DynaSent 1.1, rounds 1 and 2: JSON lines; gold is what three of five people chose",
    columns={
        "text_id": "id",
        "sentence": "statement",
        "gold_label": "checked against the responses",
        "label_distribution": "the responses of five people, which decide the label",
    },
)


# Reviews with stars, as of Amazon and Yelp. Without `columns` the file is one of Zhang et al. 2015
# ("full"): no header, the stars first, perhaps a title, the text last. In these files, and in any read by
# column numbers, \n stands for a line's end. Their "polarity" files look the same but say 1 for negative
# and 2 for positive.
BY_STARS = ("negative", "negative", "neutral", "positive", "positive")
STARS = {
    f"{stars}{decimals}": label for stars, label in enumerate(BY_STARS, start=1) for decimals in ("", ".0")
}
LOW = {"1", "1.0", "2", "2.0"}


def _check_reviews(source: DatasetSource) -> None:
    if source.columns:
        generic.check_columns(source, "csv")


def _read_reviews(data: bytes, source: DatasetSource) -> Iterator[GivenItem]:
    named = any(isinstance(column, str) for column in source.columns.values())
    table = read_table(data, "csv", source.where, header=named)
    if not named:
        table = replace(table, frame=table.frame.map(lambda cell: cell.replace("\\n", "\n")))
    if not source.columns:
        width = len(table.frame.columns)
        if width not in (2, 3):
            problem = f"missing, and the file has {width} columns, not stars, perhaps a title, and text"
            fix = "say which columns hold the statement and the label"
            raise UserError(f"{source.where}:1: columns", problem, fix)
        source = replace(source, columns={"label": 0, "statement": width - 1})
    stars = table.frame.get(source.columns["label"])
    if source.label_map == STARS and stars is not None and len(stars) and stars.isin(LOW).all():
        problem = "only 1 and 2 are found, as in files of polarity, where 2 is positive"
        fix = 'say what they mean, as in label_map = { 1 = "negative", 2 = "positive" }'
        raise UserError(f"{source.where}:{table.frame.index[0]}: label", problem, fix)
    return generic.mapped(table, source, "csv")


REVIEWS = Format(
    "reviews",
    ("sentiment",),
    _read_reviews,
    TERNARY,
    STARS,
    check=_check_reviews,
    about="Amazon and Yelp reviews: CSV without header, of stars, perhaps a title, and a text",
    columns={"0": "label: 1 and 2 stars negative, 3 neutral, 4 and 5 positive", "the last": "statement"},
)


# Hate speech: Learning From The Worst (Vidgen et al. 2021) and HateCheck (Röttger et al. 2021).
HATE_LABELS = ("not-hateful", "hateful")
LFTW_SPLITS = ("train", "dev", "test")
LFTW_ROUNDS = ("1", "2", "3", "4")

#: Columns of the tables v0.2.2 and v0.2.3; they have others too.
LFTW_COLUMNS = {
    "id": "acl.id",
    "statement": "text",
    "label": "label",
    "tag.type": "type",
    "tag.round": "round.base",
    "tag.split": "split",
}
#: Columns of test_suite_cases.csv; it has others too.
HATECHECK_COLUMNS = {
    "id": "case_id",
    "statement": "test_case",
    "label": "label_gold",
    "tag.functionality": "functionality",
    "tag.target_ident": "target_ident",
    "cluster": "templ_id",
}


def _check_lftw(source: DatasetSource) -> None:
    no_columns(source)
    split, number = source.options.get("split"), source.options.get("round")
    if split is not None and split not in LFTW_SPLITS:
        fix = f"use one of {', '.join(LFTW_SPLITS)}"
        raise FieldError("options.split", split, f"{show(split)} is not a split", fix)
    if number is not None and (type(number) is not int or number not in map(int, LFTW_ROUNDS)):
        raise FieldError("options.round", number, f"{show(number)} is not a round", "use 1, 2, 3 or 4")


def _read_lftw(data: bytes, source: DatasetSource) -> Iterator[GivenItem]:
    """The examples of one split and one round, or of all; those of others are left out and counted."""
    for row in generic.published(data, source, "csv", LFTW_COLUMNS):
        yield _chosen(row, source.options) if isinstance(row, Item) else row


def _chosen(item: Item, options: Any) -> GivenItem:
    split, number = item.tags["split"], item.tags["round"]
    known = (("split", split, LFTW_SPLITS, "split"), ("round.base", number, LFTW_ROUNDS, "round"))
    for field, value, values, what in known:
        if value not in values:
            return BadRow(item.line, wrong(field, value, f"is not a {what}", f"write {', '.join(values)}"))
    if split != options.get("split", split):
        return Left(item.line, "in another split")
    if number != str(options.get("round", number)):
        return Left(item.line, "in another round")
    tags = {name: value for name, value in item.tags.items() if name != "split"}
    return Item(item.line, item.values, item.gold, tags)


LFTW = Format(
    "lftw",
    ("hate-speech",),
    _read_lftw,
    labels=HATE_LABELS,
    label_map={"nothate": "not-hateful", "hate": "hateful"},
    options=("split", "round"),
    check=_check_lftw,
    about="Learning From The Worst, tables 0.2.2 and 0.2.3: CSV",
    columns={column: name for name, column in LFTW_COLUMNS.items()},
)
HATECHECK = Format(
    "hatecheck",
    ("hate-speech",),
    lambda data, source: generic.published(data, source, "csv", HATECHECK_COLUMNS),
    labels=HATE_LABELS,
    label_map={"non-hateful": "not-hateful", "hateful": "hateful"},
    about="HateCheck, test_suite_cases.csv; the cases of one template are a cluster",
    columns={column: name for name, column in HATECHECK_COLUMNS.items()},
)
