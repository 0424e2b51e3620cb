"""Records: what is accepted, which hash it has, and that the schemas are theirs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evaluator.records.base import Record, canonical, describe_errors, digest, dump, parse_record, parts
from evaluator.records.datasets import Examples
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet
from evaluator.records.result import Failure, Result
from evaluator.records.snapshot import Snapshot
from evaluator.records.store import RECORDS, SCHEMAS, write_schemas

GOLDEN = Path(__file__).parents[1] / "golden"
#: A file of each kind, with the canonical hash that it always has.
HASHES = {
    "answers": "sha256:4c130dfc794ae001404f771b7700cc03c6c19c508a990ec6f7cb2f6a517a3d8f",
    "covariances": "sha256:b1292a45af4d4d6a536b8ede542a501402349920804c88a8b1c866e1bd1ba04c",
    "difficulty-table": "sha256:d5d32832fff85736930b79dbbe29f579b3e61244a8019c83ef2af0021417c61e",
    "difficulty": "sha256:3a6698abd32a24e1a66b8cafbd5168d65d747e553b4fe4ffa4f34aab5763d705",
    "examples": "sha256:e605a12e13b493f2e3bda7433f41d6c16e8ac6dbc0634f75c7285fefa4ba23f0",
    "predictions": "sha256:b0ea92a8ab5db8161126a8e6d1f4fcb1dc59b84c4fca2378265e19a5d79986a4",
    "result": "sha256:92dc7d09f9b06a229bc6a73dafda4f77d27cc1681860121f77a5d4e2bcf6fbb6",
    "snapshot": "sha256:f2f46980b87cb1b6f7cde747f88271398724884489da56b4069a3ae41cc44372",
    "suite": "sha256:ce27be6168f46deb6bbb6b085b33814b4e8cb8bf81ad8c9492e1f19b3af63045",
}


@pytest.mark.parametrize(("name", "hashed"), HASHES.items())
def test_files_keep_their_bytes_and_hash_and_fit_the_published_schema(name: str, hashed: str) -> None:
    """Reading and writing a file gives the same bytes; others can check it without this program."""
    content = (GOLDEN / f"{name}.json").read_bytes()
    document = json.loads(content)
    record = parse_record(content, RECORDS[document["kind"]], name)
    assert dump(record.plain(), compact=name == "snapshot") == content
    assert record.content_hash() == hashed
    jsonschema.validate(document, json.loads((SCHEMAS / f"{document['kind']}.json").read_bytes()))


def test_schemas_are_those_of_the_records(tmp_path: Path) -> None:
    """The committed JSON Schemas are what the records generate (else run: make schemas)."""
    write_schemas(tmp_path)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (SCHEMAS / path.name).read_bytes(), path.name
    assert len(list(SCHEMAS.iterdir())) == len(RECORDS)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "f.json: not a JSON record: .*; restore the file"),
        (b"[]", "f.json: not a JSON record: .*; restore the file"),
        (b"\xff", "f.json: not a JSON record: .*; restore the file"),
        (b"[" * 100_000, "f.json: not a JSON record: .*; restore the file"),
        (b"{}", "f.json: schema_version is None, and this version of steelyard reads 1; restore the file"),
        (b'{"schema_version": true}', "f.json: schema_version is True, .*; restore the file"),
        (b'{"schema_version": 2}', "f.json: schema_version is 2, .*; run: pip install --upgrade steelyard"),
        (b'{"schema_version": 1, "kind": "suite"}', r"f.json: kind: .*'result' \(got 'suite'\)"),
    ],
)
def test_what_is_no_record_of_this_version_says_what_to_do(content: bytes, message: str) -> None:
    """The file, what is wrong with it, and the fix."""
    with pytest.raises(UserError, match=message):
        parse_record(content, Result, "f.json")


def test_a_stage_that_goes_without_saying_is_not_written() -> None:
    """Results without such failures keep their bytes."""
    failure = Failure(kind="raised", message="x", count=1)
    assert failure.stage == "predicting"
    assert {"stage", "suite"} & failure.plain().keys() == set()


PREDICTIONS = {
    "task": "sentiment",
    "model": "m",
    "dataset": "d",
    "dataset_revision": digest("d"),
    "ids_sha256": digest(["0", "1"]),
    "labels": ["negative", "positive"],
    "predicted": [0, 1],
    "resolution": 1000,
}
#: Two examples with two trials each.
VALUES = {
    "task": "scored",
    "model": "m",
    "dataset": "d",
    "dataset_revision": digest("d"),
    "ids_sha256": digest(["0", "1"]),
    "resolution": 1,
    "trials": 2,
    "values": {"cost": [1.5, None, 0, 2]},
}
EXAMPLES = {
    "task": "nli",
    "dataset": "d",
    "revision": digest("d"),
    "ids": ["a", "b", "c"],
    "labels": ["entailed", "not-entailed"],
    "merge": {"entailed": "entailed", "neutral": "not-entailed", "contradictory": "not-entailed"},
    "gold": [0, 1, 1],
}
FAILURE = {"kind": "raised", "message": "x", "count": 1}


def golden(name: str) -> dict[str, object]:
    document: dict[str, object] = json.loads((GOLDEN / f"{name}.json").read_bytes())
    return document


@pytest.mark.parametrize(
    ("record", "good", "change", "message"),
    [
        (Result, golden("result"), {"surprise": 1}, "surprise: Extra inputs are not permitted"),
        (
            Result,
            golden("result"),
            {"scores": {"accuracy": {"value": float("nan"), "unit": "%", "version": "1"}}},
            "finite number",
        ),
        (Result, golden("result"), {"provenance": "reported"}, "source: missing; a reported number must"),
        (Result, golden("result"), {"created": "yesterday"}, r"created: .*\(got 'yesterday'\)"),
        (Result, golden("result"), {"model": {"id": "../escape", "label": "x"}}, r"model.id: .*\(got '../"),
        (Failure, FAILURE, {"stage": "suites"}, "suite"),
        (Failure, FAILURE, {"suite": "fairness"}, "suite"),
        (Failure, FAILURE, {"stage": "loading"}, "stage"),
        (PredictionSet, PREDICTIONS, {"predicted": [0, 2]}, r"predicted\[1\]: 2 is not -1 or an index"),
        (
            PredictionSet,
            PREDICTIONS,
            {"probabilities": {"negative": [1, 2, 3]}},
            "probabilities.negative: 3 values for 2 examples",
        ),
        (PredictionSet, PREDICTIONS, {"exact_confidence": [1.0]}, "exact_confidence: 1 values for 2"),
        (
            PredictionSet,
            PREDICTIONS,
            {"answers": [[0, 4], None]},
            "predicted/answers: give exactly one of them",
        ),
        (
            PredictionSet,
            PREDICTIONS,
            {"predicted": None},
            "predicted/answers/values: give one of them",
        ),
        (PredictionSet, PREDICTIONS, {"scores": {"f1": [0, 1001]}}, "scores.f1: has values over resolution"),
        (PredictionSet, VALUES, {"trials": 3}, "trials: 4 rows are not 3 of each example"),
        (PredictionSet, VALUES, {"values": {"cost": [1, 2], "solved": [1]}}, "values.solved: 1 values for"),
        (PredictionSet, VALUES, {"predicted": [0]}, "trials: 1 rows are not 2 of each example"),
        (Examples, EXAMPLES, {"clusters": [0]}, "clusters: 1 values for 3 examples"),
        (Examples, EXAMPLES, {"ids": []}, "ids: .*at least 1 item"),
        (Examples, EXAMPLES, {"ids": ["a", "b", "a"]}, "ids: 'a' is there more than once"),
        (Examples, EXAMPLES, {"gold": [0, 1]}, "gold: 2 values for 3 examples"),
        (Examples, EXAMPLES, {"gold": [0, 1, 2]}, r"gold\[2\]: 2 is not an index into"),
        (Examples, EXAMPLES, {"merge": {"neutral": "other"}}, "merge.neutral: 'other' is none of"),
        (Snapshot, golden("snapshot"), {"id": "latest"}, "id: String should match"),
        (Snapshot, golden("snapshot"), {"models": []}, "models: are not those of data.models, in that"),
        (Snapshot, golden("snapshot"), {"board": {"id": "b"}}, "board: id or title is missing"),
        (
            Snapshot,
            golden("snapshot"),
            {"weights": {"metrics": {"accuracy": -1.0}, "datasets": {}}},
            "weights.metrics.accuracy: .*greater",
        ),
        (
            Snapshot,
            golden("snapshot"),
            {"scorer": {"dynascore.py": "unknown"}},
            r"scorer.dynascore.py: .*\(got 'unknown'\)",
        ),
    ],
)
def test_a_wrong_field_is_named_with_its_value(
    record: type[Record], good: dict[str, object], change: dict[str, object], message: str
) -> None:
    """Each record as it is accepted, with a change that is refused."""
    record.model_validate(good)
    with pytest.raises(ValidationError) as caught:
        record.model_validate(good | change)
    assert re.search(message, describe_errors(caught.value, "r.json"))


def test_examples_are_joined_with_predictions() -> None:
    """Examples and predictions of one revision have the same hash of their ids, and so the same rows."""
    examples = Examples.model_validate(golden("examples"))
    predictions = PredictionSet.model_validate(golden("predictions"))
    assert examples.ids_sha256 == predictions.ids_sha256
    result = Result.model_validate(golden("result"))
    right = sum(map(int.__eq__, examples.gold or (), predictions.predicted or ()))
    assert 100 * right / len(examples.ids) == result.scores["accuracy"].value


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(json_values)
def test_the_hash_is_that_of_the_content(value: object) -> None:
    """A document that is written to a file and read, keys in any order, has the same hash."""
    again = json.loads(dump(value))
    assert again == value
    assert digest(dict(reversed(again.items())) if isinstance(again, dict) else again) == digest(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, "\ud800"])
def test_what_is_no_json_has_no_canonical_form(value: object) -> None:
    """NaN, infinities, numbers that others would round and half a character are errors."""
    with pytest.raises(ValueError):  # noqa: PT011 - of the library
        canonical({"column": [value]})


def test_nan_is_not_written() -> None:
    """NaN in a file is refused as it is in a hash."""
    with pytest.raises(ValueError, match="JSON"):
        dump({"column": [0.5, float("nan")]})


@given(st.floats(0, 1), st.sampled_from([1000, 1_000_000]))
def test_quantising_moves_a_probability_by_half_a_part_at_most(share: float, resolution: int) -> None:
    """Quantising a probability moves it by at most half a part of the resolution."""
    assert abs(parts(share, resolution) / resolution - share) <= 0.5 / resolution + 1e-12
