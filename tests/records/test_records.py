"""Records: what is accepted, how old files are brought up to date, and that the schemas are theirs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evaluator.records import published_schemas as schemas
from evaluator.records.base import SCHEMA_VERSION, describe_errors, parts
from evaluator.records.canonical import BLOCK, canonical, digest
from evaluator.records.covariances import Covariances
from evaluator.records.difficulty import Difficulty, DifficultyTable
from evaluator.records.examples import Examples
from evaluator.records.migrations import MigrationError, migrate
from evaluator.records.predictions import PredictionSet
from evaluator.records.result import Failure, Result
from evaluator.records.snapshot import Snapshot
from evaluator.records.store import COMPACT, READABLE, dump
from evaluator.records.suites import SuiteCard

GOLDEN = Path(__file__).parents[1] / "golden"
KINDS = {
    "result-v1.json": Result,
    "predictions-v1.json": PredictionSet,
    "result-v2.json": Result,
    "predictions-v2.json": PredictionSet,
    "answers-v2.json": PredictionSet,
    "suite-v2.json": SuiteCard,
    "result-v3.json": Result,
    "predictions-v3.json": PredictionSet,
    "answers-v3.json": PredictionSet,
    "suite-v3.json": SuiteCard,
    "examples-v3.json": Examples,
    "covariances-v3.json": Covariances,
    "difficulty-v3.json": Difficulty,
    "difficulty-table-v3.json": DifficultyTable,
    "snapshot-v3.json": Snapshot,
}
AnyRecord = (
    Result | PredictionSet | SuiteCard | Examples | Covariances | Difficulty | DifficultyTable | Snapshot
)
NEWEST = {name: record for name, record in KINDS.items() if f"-v{SCHEMA_VERSION}." in name}


@pytest.mark.parametrize(("name", "record"), KINDS.items())
def test_golden_files_still_read(name: str, record: type[AnyRecord]) -> None:
    """A real file of every schema version migrates to today's record."""
    document = json.loads((GOLDEN / name).read_bytes())
    assert record.model_validate(migrate(document)).schema_version == SCHEMA_VERSION


@pytest.mark.parametrize("kind", ["result", "predictions", "answers", "suite"])
def test_version_3_only_adds(kind: str) -> None:
    """A file of version 2 keeps every field it has: only the version changes."""
    old = json.loads((GOLDEN / f"{kind}-v2.json").read_bytes())
    assert KINDS[f"{kind}-v2.json"].model_validate(migrate(old)).plain() == old | {"schema_version": 3}


@pytest.mark.parametrize("version", ["v1", "v2", "v3"])
@pytest.mark.parametrize(
    ("message", "fields"),
    [
        ("while timing: over 5 s", {"message": "over 5 s", "stage": "timing"}),
        ("while trying fairness: gone", {"message": "gone", "stage": "suites", "suite": "fairness"}),
        ("predict raised ValueError: while timing: x", {}),
    ],
)
def test_stages_that_stood_in_messages_are_fields(version: str, message: str, fields: dict[str, str]) -> None:
    """A result of any version says the stage of a failure in a field, and reads the same to people."""
    old = json.loads((GOLDEN / f"result-{version}.json").read_bytes())
    failure = {"kind": "timeout", "message": message, "count": 1, "first_ids": []}
    result = Result.model_validate(migrate({**old, "failures": [failure]}))
    assert result.failures[0].plain() == failure | fields
    assert result.failures[0].full_message == message


def test_a_stage_that_goes_without_saying_is_not_written() -> None:
    """Results without such failures keep their bytes."""
    failure = Failure(kind="raised", message="x", count=1)
    assert failure.stage == "predicting"
    assert {"stage", "suite"} & failure.plain().keys() == set()


@pytest.mark.parametrize("fields", [{"stage": "suites"}, {"suite": "fairness"}, {"stage": "loading"}])
def test_a_stage_and_its_suite_belong_together(fields: dict[str, str]) -> None:
    """A suite without its stage, the stage without a suite and an unknown stage are refused."""
    with pytest.raises(ValidationError, match=r"suite|stage"):
        Failure(kind="raised", message="x", count=1, **fields)


def test_version_1_predictions_keep_their_probabilities() -> None:
    """Predictions of version 1 counted in thousandths, and say so once they are brought up to date."""
    old = json.loads((GOLDEN / "predictions-v1.json").read_bytes())
    new = PredictionSet.model_validate(migrate(old))
    assert new.resolution == 1000
    assert new.plain()["probabilities"] == old["probabilities"]


@pytest.mark.parametrize(("name", "record"), NEWEST.items())
def test_golden_files_are_written_byte_for_byte(name: str, record: type[AnyRecord]) -> None:
    """Reading and writing a file of the newest version gives the same bytes."""
    content = (GOLDEN / name).read_bytes()
    layout = COMPACT if record is Snapshot else READABLE
    assert dump(record.model_validate_json(content).plain(), layout) == content


@pytest.mark.parametrize(
    ("name", "hashed"),
    {
        "result-v1.json": "sha256:9961e7ed20fd55246209b26ded286edc62b2f3d84f6d0634551753a564d1d0b6",
        "predictions-v1.json": "sha256:f1db1fd1960d65cc25ffd9f146a74a922304c7a4253c93413517ee2dcb7eaf06",
        "result-v2.json": "sha256:23333bdc5a4ebef73e0ff7e9550be01b1ec93d8ac74c739c5f23728fbd746004",
        "predictions-v2.json": "sha256:bc3428d9ee2331b58a8f26e6b055fdf5ee26220b2e24aea7da63a0c2cad418ec",
        "answers-v2.json": "sha256:bf85e721a062bf4a773041bff65eed3aa6ffb9e77728fd14865a32685f27b9a3",
        "suite-v2.json": "sha256:c07f65ed5df26ff311de0e0ee23b21b43d92110dec4a5dc9ccbe87e51a36ba15",
        "result-v3.json": "sha256:384417fbc5355b4242a7b581d10e0712e0c6af550898c6a5fed49514123b8628",
        "predictions-v3.json": "sha256:b5aa7a51b669e61e9b6324bffb7b4530f8946e275caf5a0950cc77c7087560f4",
        "answers-v3.json": "sha256:94f5390ead49a59254625c2213743ca6e4d0e5f3bfa8f3f5294999d6e665f379",
        "suite-v3.json": "sha256:a225014537fe9d3a7022a541835b8c451b7d7867adb314748912f3634a41782e",
        "examples-v3.json": "sha256:311d43c6bc92d9be1b6d64a7d7ab4d94dc2548573c0f3fdeb327bf9a83ca3972",
        "covariances-v3.json": "sha256:d414df3c278c29ca5ef4196be847670b860c7fe65092ba520468f2165e40734c",
        "difficulty-v3.json": "sha256:477014ee857a3bdc96f1312f91d48c435a3d0910f907c3a8a41a775f209004b9",
        "difficulty-table-v3.json": "sha256:d6731b6d0e15d42e82101096b4c17747063db08929b2f2d8b35f430ec21e6cdc",
        "snapshot-v3.json": "sha256:b4847dc540f024efaabcaea3c9537aa8ebebe3909339c3cdddbb79d09ff06d52",
    }.items(),
)
def test_canonical_hashes_do_not_change(name: str, hashed: str) -> None:
    """The canonical hash of a golden file is what it was when the file was written."""
    assert digest(json.loads((GOLDEN / name).read_bytes())) == hashed


def test_schemas_are_those_of_the_records(tmp_path: Path) -> None:
    """The committed JSON Schemas are what the records generate (else run: make schemas)."""
    for path in schemas.write(tmp_path):
        assert path.read_bytes() == (schemas.FOLDER / path.name).read_bytes(), path.name


@pytest.mark.parametrize("name", NEWEST)
def test_files_fit_their_schema(name: str) -> None:
    """What is written validates against the committed schema, so others can check it without us."""
    document = json.loads((GOLDEN / name).read_bytes())
    schema = json.loads((schemas.FOLDER / f"{document['kind']}.schema.json").read_bytes())
    jsonschema.validate(document, schema)


def test_migrations_run_one_step_a_version() -> None:
    """An old document passes through every step of its chain, in order."""
    chain = {
        "result": {
            1: lambda document: {**document, "path": [*document["path"], "1->2"]},
            2: lambda document: {**document, "path": [*document["path"], "2->3"]},
        }
    }
    old = {"kind": "result", "schema_version": 1, "path": []}
    assert migrate(old, chain, 3) == {"kind": "result", "schema_version": 3, "path": ["1->2", "2->3"]}
    assert old["path"] == []


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            {"schema_version": 1},
            "kind: None is none of browser-check, browser-copy, covariances, difficulty, difficulty-table, examples, predictions, result, snapshot, suite",
        ),
        ({"kind": "result"}, "schema_version: None is not a whole number"),
        ({"kind": "result", "schema_version": 99}, "99 is newer than 3.*upgrade steelyard"),
        ({"kind": "result", "schema_version": True}, "True is not a whole number"),
    ],
)
def test_unknown_documents_are_refused(document: dict[str, object], message: str) -> None:
    """A document that cannot be brought up to date says why."""
    with pytest.raises(MigrationError, match=message):
        migrate(document)


def test_a_missing_step_is_an_error() -> None:
    """A gap in the chain is named."""
    with pytest.raises(MigrationError, match="no migration of a result from 1 to 2"):
        migrate({"kind": "result", "schema_version": 1}, {"result": {}}, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"surprise": 1}, "surprise: Extra inputs are not permitted"),
        ({"scores": {"accuracy": {"value": float("nan"), "unit": "%", "version": "1"}}}, "finite number"),
        ({"provenance": "reported"}, "source: missing; a reported number must cite"),
        ({"created": "yesterday"}, r"created: .*\(got 'yesterday'\)"),
        ({"model": {"id": "../escape", "label": "x"}}, r"model.id: .*\(got '../escape'\)"),
    ],
)
def test_bad_results_are_refused_by_field(change: dict[str, object], message: str) -> None:
    """A wrong field is named together with its value."""
    document = json.loads((GOLDEN / "result-v3.json").read_bytes())
    with pytest.raises(ValidationError) as caught:
        Result.model_validate(document | change)
    assert re.search(message, describe_errors(caught.value, "r.json"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"predicted": [0, 2]}, r"predicted\[1\]: 2 is not -1 or an index"),
        ({"confidence": [1]}, "confidence: 1 values for 2 examples"),
        ({"probabilities": {"negative": [1, 2, 3]}}, "probabilities.negative: 3 values for 2 examples"),
        ({"confidence": [1, 1001]}, "confidence: has values over resolution, which is 1000"),
        ({"answers": [[0, 4], None]}, "predicted/answers: give exactly one of them"),
        ({"predicted": None}, "predicted/answers: give exactly one of them"),
        ({"scores": {"f1": [1, 2, 3]}}, "scores.f1: 3 values for 2 examples"),
        ({"scores": {"f1": [0, 1001]}}, "scores.f1: has values over resolution, which is 1000"),
    ],
)
def test_prediction_columns_must_fit(change: dict[str, object], message: str) -> None:
    """Columns of different lengths, and labels that do not exist, are refused."""
    good = {
        "task": "sentiment",
        "model": "m",
        "dataset": "d",
        "dataset_revision": digest("d"),
        "ids_sha256": digest(["0", "1"]),
        "labels": ["negative", "positive"],
        "predicted": [0, 1],
        "resolution": 1000,
    }
    assert PredictionSet.model_validate(good)
    with pytest.raises(ValidationError, match=message):
        PredictionSet.model_validate(good | change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ids": []}, "ids: .*at least 1 item"),
        ({"ids": ["a", "b", "a"]}, "ids: 'a' is there more than once"),
        ({"gold": [0, 1]}, "gold: 2 values for 3 examples"),
        ({"gold": [0, 1, 2]}, r"gold\[2\]: 2 is not an index into"),
        ({"gold": [0, -1, 1]}, r"gold.1: .*greater than or equal to 0"),
        ({"merge": {"neutral": "other"}}, "merge.neutral: 'other' is none of"),
    ],
)
def test_examples_must_fit(change: dict[str, object], message: str) -> None:
    """Gold labels are one for each example and labels of the dataset, and an id means one example."""
    good = {
        "task": "nli",
        "dataset": "d",
        "revision": digest("d"),
        "ids": ["a", "b", "c"],
        "labels": ["entailed", "not-entailed"],
        "merge": {"entailed": "entailed", "neutral": "not-entailed", "contradictory": "not-entailed"},
        "gold": [0, 1, 1],
    }
    assert Examples.model_validate(good)
    with pytest.raises(ValidationError) as caught:
        Examples.model_validate(good | change)
    assert re.search(message, describe_errors(caught.value, "e.json"))


def test_examples_are_joined_with_predictions() -> None:
    """Examples and predictions of one revision have the same hash of their ids, and so the same rows."""
    examples = Examples.model_validate_json((GOLDEN / "examples-v3.json").read_bytes())
    predictions = PredictionSet.model_validate_json((GOLDEN / "predictions-v3.json").read_bytes())
    assert examples.ids_sha256 == predictions.ids_sha256
    result = Result.model_validate_json((GOLDEN / "result-v3.json").read_bytes())
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


#: Items of a long column; numbers in texts, and floats that RFC 8785 writes in its own way, among them.
column_items = st.sampled_from(
    [
        st.integers(-(2**53) + 1, 2**53 - 1),
        st.floats(allow_nan=False, allow_infinity=False) | st.none(),
        st.floats(0, 1) | st.sampled_from([0.0, -0.0, 1.0, 1e-7, 1e16, 1e21, 12.0]) | st.integers(0, 3),
        st.text() | st.sampled_from(["-0.0", "1.0", "1e-07", "12345678901234567890"]),
        json_values,
    ]
)


@given(column_items.flatmap(lambda items: st.lists(items, min_size=1, max_size=5)), st.sampled_from([1, 60]))
def test_long_columns_are_canonical_too(items: list[object], times: int) -> None:
    """However long a list is, its bytes are those that RFC 8785 asks for."""
    document = {"column": items * times, "nested": {"é": items, "a": items * times}}
    assert canonical(document) == rfc8785.dumps(document)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, "\ud800"])
def test_what_is_no_json_has_no_canonical_form(value: object) -> None:
    """Also in a long column, in which nothing looks at each item."""
    for document in ([value], [value] * 200, {"column": [value] * 200}):
        with pytest.raises(ValueError):  # noqa: PT011 - of the library, or of the encoder
            canonical(document)


def test_a_column_of_several_blocks_is_one_list() -> None:
    """Columns are written a block at a time."""
    document = list(range(2 * BLOCK + 1))
    assert json.loads(canonical(document)) == document


@given(json_values)
def test_the_hash_is_that_of_the_content(value: object) -> None:
    """Writing a document to JSON and back, keys in any order, does not change its hash."""
    if isinstance(value, dict):
        value = dict(reversed(value.items()))
    assert canonical(json.loads(json.dumps(value))) == canonical(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nan_never_gets_a_hash(value: float) -> None:
    """NaN and infinities are errors at the boundary."""
    with pytest.raises(ValueError):  # noqa: PT011
        digest({"value": value})


@given(st.floats(0, 1), st.sampled_from([1000, 1_000_000]))
def test_quantising_moves_a_probability_by_half_a_part_at_most(share: float, resolution: int) -> None:
    """Quantising a probability moves it by at most half a part of the resolution."""
    assert abs(parts(share, resolution) / resolution - share) <= 0.5 / resolution + 1e-12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "latest"}, "id: String should match"),
        ({"models": []}, "models: are not those of data.models, in that order"),
        ({"board": {"id": "b"}}, "board: id, title or task is missing"),
        ({"weights": {"metrics": {"accuracy": -1.0}, "datasets": {}}}, "weights.metrics.accuracy: .*greater"),
        ({"scorer": {"dynascore.py": "unknown"}}, r"scorer.dynascore.py: .*\(got 'unknown'\)"),
    ],
)
def test_snapshots_must_fit_together(change: dict[str, object], message: str) -> None:
    """A snapshot whose parts do not fit is refused by field."""
    document = json.loads((GOLDEN / "snapshot-v3.json").read_bytes())
    with pytest.raises(ValidationError) as caught:
        Snapshot.model_validate(document | change)
    assert re.search(message, describe_errors(caught.value, "snapshot.json"))
