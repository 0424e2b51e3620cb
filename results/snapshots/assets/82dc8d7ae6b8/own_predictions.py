"""A visitor's own file of predictions: CSV, TSV or JSON lines, with columns as `import` has them.

Standard library only, for the visitor's browser.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluator.rank.difficulty import Samples

#: What the columns of every file of predictions may be called, in order of preference. Here a visitor's
#: file has no use for answers and models; `evaluator.score.predictions` reads them too.
COLUMNS = {
    "id": ("id", "uid", "qid", "example_id", "case_id", "pairID", "idx"),
    "label": ("label", "pred", "prediction", "predicted", "predicted_label"),
    "answer": ("answer", "prediction", "prediction_text", "text"),
    "confidence": ("confidence",),
    "probabilities": ("probabilities", "probs"),
    "model": ("model",),
}
#: Other words for labels, in any case; those that `evaluator.data.tasks.known` has.
WORDS = {
    **dict.fromkeys(("entailed", "entailment", "entails", "e"), "entailed"),
    **dict.fromkeys(("neutral", "n"), "neutral"),
    **dict.fromkeys(("contradictory", "contradiction", "contradicts", "c"), "contradictory"),
}
#: How many ids and labels a sentence names.
NAMED = 5

#: The cells of a row by column, and the line it is in.
Cells = tuple[int, Mapping[str, Any]]


@dataclass
class OwnPredictions:
    """What a file says: `record` is as a stored `PredictionSet`, as far as rankings need it.

    `answered` counts the examples that it answers, `missing` those that it does not, `invalid` the answers
    that are no label, `confidences` the answers that come with one; `notes` say this in sentences.
    """

    record: dict[str, Any]
    answered: int = 0
    missing: int = 0
    invalid: int = 0
    confidences: int = 0
    notes: list[str] = field(default_factory=list)


def read_own(text: str, name: str, ids: Sequence[str], labels: Sequence[str]) -> OwnPredictions:
    """The predictions in a file's `text` for the examples `ids`, whose answers may be `labels`.

    An example without an answer and an answer that is no label count as wrong, and notes say so. Raises
    ValueError naming file, line, field, value and fix for anything else, such as an id that is unknown.
    """
    at = {one: row for row, one in enumerate(ids)}
    places = {label: place for place, label in enumerate(labels)}
    lines: dict[str, int] = {}
    predicted, confidence = [-1] * len(ids), _nothing(len(ids))
    others: dict[str, None] = {}
    unlikely = 0
    for line, cells in _rows(text, name):
        where = f"{name}, line {line}"
        example = _id(cells, where)
        if example not in at:
            known = ", ".join(map(repr, ids[:3]))
            raise ValueError(
                f"{where}: id: {example!r} is no example of the dataset, whose ids are {known}..."
            )
        if example in lines:
            raise ValueError(f"{where}: id: {example!r} is in line {lines[example]} too; keep one of them")
        lines[example] = line
        label = _meant(_label(cells, where), labels)
        predicted[at[example]] = places.get(label, -1)
        others |= {} if label in places else {label: None}
        shares = _probabilities(cells, labels, where)
        confidence[at[example]] = _confidence(cells, label, shares, where)
        unlikely += label in shares and shares[label] < max(shares.values())
    if not lines:
        raise ValueError(f"{name}: has no predictions; give it one row an example, with id and label")
    record = {"labels": list(labels), "predicted": predicted, "resolution": 1}
    stated = {"exact_confidence": confidence} if any(one is not None for one in confidence) else {}
    own = OwnPredictions(record | stated)
    own.answered, own.missing = len(lines), len(ids) - len(lines)
    own.invalid = sum(predicted[at[example]] < 0 for example in lines)
    own.confidences = sum(one is not None for one in confidence)
    absent = [one for one in ids if one not in lines]
    own.notes = [*_notes(own, absent, list(others), labels), *_unlikely_note(unlikely)]
    return own


def _nothing(size: int) -> list[float | None]:
    return [None] * size


def _rows(text: str, name: str) -> Iterator[Cells]:
    """Every row as cells by column; the first line shows its format."""
    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        yield from _json_rows(text, name)
    else:
        yield from _table_rows(text, name)


def _json_rows(text: str, name: str) -> Iterator[Cells]:
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        try:
            cells = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{name}, line {line}: is not JSON ({error}); write one object a line") from None
        if not isinstance(cells, dict):
            raise ValueError(f"{name}, line {line}: is not an object; write one with id and label")
        yield line, cells


def _table_rows(text: str, name: str) -> Iterator[Cells]:
    first = text.partition("\n")[0]
    delimiter = "\t" if "\t" in first else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header = _next(reader, name)
    if header is None or not {*COLUMNS["id"]} & {*header}:
        named = ", ".join(map(repr, header or [])) or "nothing"
        raise ValueError(f"{name}, line 1: id: no column of it; name the columns id and label, not {named}")
    twice = [column for column in header if header.count(column) > 1]
    if twice:
        raise ValueError(f"{name}, line 1: {twice[0]!r} names two columns; give each a name of its own")
    while (row := _next(reader, name)) is not None:
        if row and len(row) != len(header):
            counts = f"has {len(row)} columns, not {len(header)}"
            raise ValueError(f"{name}, line {reader.line_num}: {counts}; correct the row")
        if row:
            yield reader.line_num, dict(zip(header, row, strict=True))


def _next(reader: Any, name: str) -> list[str] | None:
    try:
        return next(reader, None)
    except csv.Error as error:
        raise ValueError(f"{name}, line {reader.line_num}: {error}; correct the quotes") from None


def _cell(cells: Mapping[str, Any], field: str) -> Any:
    """What a row says under one of the names of a field; an empty cell says nothing."""
    value = next((cells[name] for name in COLUMNS[field] if name in cells), None)
    return None if value == "" else value


def _id(cells: Mapping[str, Any], where: str) -> str:
    value = _cell(cells, "id")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"{where}: id: {value!r} is not an id; give each row the id of its example")
    return str(value)


def _label(cells: Mapping[str, Any], where: str) -> str:
    if not {*COLUMNS["label"]} & {*cells}:
        raise ValueError(f"{where}: label: missing; give each row the label that the model chose")
    value = _cell(cells, "label")
    return str(value).lower() if isinstance(value, bool) else str("" if value is None else value)


def _meant(word: str, labels: Sequence[str]) -> str:
    """The label that a word stands for; the word itself if it is one, or stands for none."""
    meant = WORDS.get(word.lower(), word)
    return word if word in labels or meant not in labels else meant


def _confidence(
    cells: Mapping[str, Any], label: str, shares: Mapping[str, float], where: str
) -> float | None:
    """How sure the model says it is of `label`; where it has no share, of the likeliest of all labels."""
    value = _cell(cells, "confidence")
    if value is not None:
        return _share(value, f"{where}: confidence")
    return shares[label] if label in shares else max(shares.values(), default=None)


def _probabilities(cells: Mapping[str, Any], known: Sequence[str], where: str) -> dict[str, float]:
    """The probabilities of those of the `known` labels for which a row gives one."""
    stated = {**_shares(cells, where), **_apart(cells, known)}
    shares = {_meant(word, known): share for word, share in stated.items() if share not in (None, "")}
    return {name: _share(shares[name], f"{where}: probabilities.{name}") for name in known if name in shares}


def _apart(cells: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    """Probabilities that have a column for each label, of its name with "probabilities." in front or, where
    all labels have one, without."""
    start = "probabilities."
    apart = {name.removeprefix(start): value for name, value in cells.items() if name.startswith(start)}
    named = {name: value for name, value in cells.items() if _meant(name, known) in known}
    all_named = {_meant(name, known) for name in named} == set(known)
    return named if all_named and not apart and not {*COLUMNS["probabilities"]} & {*cells} else apart


def _shares(cells: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    value = _cell(cells, "probabilities")
    try:
        shares = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        shares = value
    if shares is not None and not isinstance(shares, dict):
        fix = "write an object, with each label and its probability, or leave it out"
        raise ValueError(f"{where}: probabilities: {value!r} is no object; {fix}")
    return shares or {}


def _share(value: Any, where: str) -> float:
    try:
        share = float(value)
    except (TypeError, ValueError, OverflowError):
        share = math.nan
    if isinstance(value, bool) or not 0 <= share <= 1:
        raise ValueError(f"{where}: {value!r} is not a number from 0 to 1; correct it or leave it out")
    return share


def _notes(
    own: OwnPredictions, missing: Sequence[str], others: Sequence[str], labels: Sequence[str]
) -> Iterator[str]:
    if missing:
        what = (
            "example has no answer and counts" if len(missing) == 1 else "examples have no answer and count"
        )
        yield f"{len(missing)} {what} as wrong: {_named(missing)}."
    if own.invalid:
        what = "answer is no label and counts" if own.invalid == 1 else "answers are no labels and count"
        yield f"{own.invalid} {what} as wrong: {_named(others)}; labels are {', '.join(labels)}."


def _unlikely_note(count: int) -> Iterator[str]:
    if count:
        what = "label is not the most probable one" if count == 1 else "labels are not the most probable ones"
        yield f"{count} {what} by the file's own probabilities; look whether its columns are mixed up."


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(name or "(empty)" for name in names[:NAMED])
    return shown + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def add_own(samples: Samples, model: str, text: str, name: str) -> OwnPredictions:
    """Add a model to samples from the text of a file; `name` is what messages call the file, and
    what sentences call the model.

    Its answers may be the gold labels, or what counts as one of them. Raises ValueError, as `read_own` does.
    """
    own = read_own(text, name, samples.ids, list(dict.fromkeys([*samples.answers, *samples.merge])))
    samples.add(model, own.record)
    samples.labels[model] = name
    return own


def add_json(samples: Samples, text: str) -> str:
    """`add_own` for a page: ``{"model", "text", "name"}`` in, what was read from the file out."""
    given = json.loads(text)
    own = add_own(samples, given["model"], given["text"], given["name"])
    summary = {name: value for name, value in vars(own).items() if name != "record"}
    document = {"model": given["model"], "examples": len(samples.ids)} | summary
    return json.dumps(document, allow_nan=False, separators=(",", ":"))
