"""The store: complete files or none, equal bytes for equal records, and small ones."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.records.base import SCHEMA_VERSION
from evaluator.records.canonical import digest
from evaluator.records.examples import Examples
from evaluator.records.predictions import PredictionSet
from evaluator.records.references import DatasetRef, ModelRef, PredictionsRef
from evaluator.records.result import Result, Score
from evaluator.records.scratch import write_atomic
from evaluator.records.store import COMPACT, EXAMPLES, KINDS, READABLE, Store, StoreError, dump, kinds
from evaluator.records.suites import SuiteCard

GOLDEN = Path(__file__).parents[1] / "golden"
RESULTS = Path(__file__).parents[2] / "results"


def pair(model: str = "m", examples: int = 1000, shift: int = 0) -> tuple[Result, PredictionSet]:
    """A result and its predictions, as large as real ones."""
    predictions = PredictionSet(
        task="sentiment",
        model=model,
        dataset="d",
        dataset_revision=digest("d"),
        ids_sha256=digest([str(i) for i in range(examples)]),
        labels=("negative", "neutral", "positive"),
        predicted=tuple((i * 7 + shift) % 3 for i in range(examples)),
        resolution=1000,
        probabilities={
            "negative": tuple((i * 37 + shift) % 501 for i in range(examples)),
            "neutral": tuple((i * 91 + shift) % 499 for i in range(examples)),
        },
    )
    golden = Result.model_validate_json((GOLDEN / "result-v3.json").read_bytes())
    result = golden.model_copy(
        update={
            "model": ModelRef(id=model, label=model),
            "dataset": DatasetRef(id="d", revision=digest("d"), examples=examples),
            "tags": {},
            "predictions": PredictionsRef(sha256=predictions.content_hash(), examples=examples),
        }
    )
    return result, predictions


def test_what_is_saved_is_found_again(tmp_path: Path) -> None:
    """A result and its predictions come back equal."""
    store = Store(tmp_path)
    result, predictions = pair()
    store.save(result, predictions)
    assert store.find("sentiment", "d", "m") == result
    assert list(store.results()) == [result]
    assert store.predictions(result) == predictions


def test_ten_thousand_results_stay_under_100_mb(tmp_path: Path) -> None:
    """10,000 results of 1,000 examples and two labels, predictions included, take less than 100 MB."""
    store = Store(tmp_path)
    result, predictions = pair()
    assert predictions.probabilities is not None
    binary = predictions.model_copy(
        update={
            "predicted": tuple(label % 2 for label in predictions.predicted),
            "labels": ("negative", "positive"),
            "probabilities": {"negative": tuple(2 * p for p in predictions.probabilities["neutral"])},
        }
    )
    reference = PredictionsRef(sha256=binary.content_hash(), examples=1000)
    written = store.save(result.model_copy(update={"predictions": reference}), binary)
    assert 10_000 * sum(path.stat().st_size for path in written) < 100e6


def test_predictions_take_about_ten_bytes_an_example(tmp_path: Path) -> None:
    """Labels and the probabilities of three labels take about ten bytes an example."""
    assert Store(tmp_path).save(*pair())[1].stat().st_size < 11_000


def test_a_changed_prediction_is_a_small_diff(tmp_path: Path) -> None:
    """One changed example changes one line of the predictions' column."""
    store = Store(tmp_path)
    result, predictions = pair()
    before = store.save(result, predictions)[1].read_text().splitlines()
    changed = predictions.model_copy(update={"predicted": (2, *predictions.predicted[1:])})
    after = dump(changed.plain()).decode().splitlines()
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_replacing_a_result_leaves_no_old_predictions(tmp_path: Path) -> None:
    """After a new result is saved, only its own predictions are left, and other models' are untouched."""
    store = Store(tmp_path)
    store.save(*pair("m.1"))
    store.save(*pair("m"))
    store.save(*pair("m", shift=1))
    names = [path.name for path in tmp_path.rglob("*.predictions.json")]
    assert sorted(name.rsplit(".", 3)[0] for name in names) == ["m", "m.1"]
    assert store.predictions(pair("m", shift=1)[0]) == pair("m", shift=1)[1]


def test_equal_records_give_equal_bytes(tmp_path: Path) -> None:
    """Saving the same result into two places writes the same bytes."""
    first, second = (Store(tmp_path / name).save(*pair()) for name in ("a", "b"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_changed_predictions_are_noticed(tmp_path: Path) -> None:
    """Predictions that are not those a result was computed from are an error naming the file."""
    store = Store(tmp_path)
    result, predictions = pair()
    path = store.save(result, predictions)[1]
    document = json.loads(path.read_bytes())
    document["predicted"][0] = 2 - document["predicted"][0]
    path.write_bytes(dump(document))
    with pytest.raises(StoreError, match=r"m\.[0-9a-f]{12}\.predictions\.json: content hash"):
        store.predictions(result)


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b"[" * 100_000, None])
def test_predictions_that_cannot_be_read_are_named(tmp_path: Path, content: bytes | None) -> None:
    """Whatever is in their file, if it is there at all."""
    store = Store(tmp_path)
    result, predictions = pair()
    path = store.save(result, predictions)[1]
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(StoreError, match=r"m\.[0-9a-f]{12}\.predictions\.json: "):
        store.predictions(result)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"kind": "result"}', b"\xff"])
def test_a_file_that_is_no_result_is_named(tmp_path: Path, content: bytes) -> None:
    """If a result's file has anything else in it, the error names the file."""
    path = tmp_path / "t" / "d" / "m.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"m\.json: "):
        list(Store(tmp_path).results())


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=40) | st.dictionaries(st.text(), inner, max_size=4)
)


@given(documents)
def test_the_layout_is_json(document: object) -> None:
    """Whatever is laid out reads back as the same data."""
    assert json.loads(dump(document)) == document


@given(documents, st.integers(1, 9))
def test_a_list_has_the_same_lines_however_many_items_are_packed_at_a_time(
    document: object, packed: int
) -> None:
    """A row that is begun with some of them goes on with the next."""
    whole = dump(document)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evaluator.records.store.layout.PACKED", packed)
        assert dump(document) == whole


def test_a_long_list_is_wrapped() -> None:
    """Long columns are wrapped at about 120 characters a line."""
    assert max(map(len, dump({"column": list(range(1000))}).decode().splitlines())) <= 125


@given(st.lists(st.integers() | st.text(max_size=30) | st.none(), min_size=121, max_size=400))
def test_wrapping_loses_nothing(items: list[object]) -> None:
    """A column of any kinds of items reads back as it is, and lines end where the next item would not fit."""
    text = dump({"column": items}).decode()
    assert json.loads(text) == {"column": items}
    rows = text.split("\n")[2:-3]
    assert all(row.endswith(",") for row in rows[:-1])


def test_no_column_holds_what_json_has_not() -> None:
    """NaN in a column of floats is refused, as everywhere."""
    with pytest.raises(ValueError, match="JSON"):
        dump({"column": [0.5] * 200 + [float("nan")]})


KILLED = """
import sys
from pathlib import Path
from evaluator.records.scratch import write_atomic
path, n = Path(sys.argv[1]), 0
print("ready", flush=True)
while True:
    n += 1
    write_atomic(path, (b"%d" % (n % 10)) * 2_000_000)
"""


def test_a_killed_writer_leaves_a_complete_file(tmp_path: Path) -> None:
    """Whenever a writer is killed, the file is one of the contents it wrote, whole."""
    path = tmp_path / "file"
    write_atomic(path, b"0" * 2_000_000)
    for delay in (0.0, 0.003, 0.007, 0.013, 0.021):
        writer = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(delay)
        os.kill(writer.pid, signal.SIGKILL)
        writer.communicate()
        content = path.read_bytes()
        assert content == content[:1] * 2_000_000


def test_migrate_rewrites_only_what_is_out_of_date(tmp_path: Path) -> None:
    """A store at the newest version has nothing to migrate; an older layout of the same data neither."""
    store = Store(tmp_path)
    path = store.save(*pair())[0]
    path.write_text(json.dumps(json.loads(path.read_bytes())))
    assert store.migrate() == []
    document = json.loads(path.read_bytes())
    del document["status"]
    path.write_text(json.dumps(document))
    assert store.migrate() == [path]
    assert store.migrate() == []


def test_migrate_brings_version_1_up_to_date(tmp_path: Path) -> None:
    """A result of version 1 and its predictions become files of the newest version that fit each other."""
    old = json.loads((GOLDEN / "result-v1.json").read_bytes())
    predictions = json.loads((GOLDEN / "predictions-v1.json").read_bytes())
    old["predictions"] = {"sha256": digest(predictions), "examples": len(predictions["predicted"])}
    store = Store(tmp_path)
    path = store.path(old["task"], old["dataset"]["id"], old["model"]["id"])
    sibling = path.with_name(f"{path.stem}.{digest(predictions)[7:19]}.predictions.json")
    write_atomic(path, dump(old))
    write_atomic(sibling, dump(predictions))
    assert store.migrate() == [path]
    assert not sibling.exists()
    document = json.loads(path.read_bytes())
    assert document["schema_version"] == SCHEMA_VERSION
    assert document["scores"] == old["scores"]
    assert list(store.predictions(store.load(path)).predicted or ()) == predictions["predicted"]


def test_records_about_a_dataset_are_one_table_of_kinds() -> None:
    """Every module-level kind is in the table, no two are of one record, and no file name is of two kinds."""
    listed = [value for value in vars(kinds).values() if isinstance(value, kinds.DatasetKind)]
    assert sorted(map(id, listed)) == sorted(map(id, KINDS))
    assert len({kind.record for kind in KINDS}) == len(KINDS)
    for path in RESULTS.rglob("*.json"):
        assert len([kind for kind in KINDS if kind.names.fullmatch(path.name)]) <= 1


def test_json_is_laid_out_in_one_place() -> None:
    """Only the module of the layout makes layouts; the store's other modules write no JSON themselves."""
    sources = {
        path: path.read_text(encoding="utf-8") for path in (RESULTS.parent / "evaluator").rglob("*.py")
    }
    assert [path.name for path, text in sources.items() if "JsonLayout(" in text] == ["layout.py"]
    store = {
        path.name for path, text in sources.items() if path.parent.name == "store" and "json.dump" in text
    }
    assert store == {"layout.py"}


def test_examples_are_found_by_revision_and_are_no_results(tmp_path: Path) -> None:
    """A dataset's own files are stored once, beside the results on it, and are not listed as results."""
    store = Store(tmp_path)
    examples = Examples.model_validate_json((GOLDEN / "examples-v3.json").read_bytes())
    path = store.save_examples(examples)
    assert path == tmp_path / "sentiment/reviews/559b0e0349be.examples.json"
    assert store.save_examples(examples) is None
    assert store.examples("sentiment", "reviews", examples.revision) == examples
    assert store.examples("sentiment", "reviews", digest("another")) is None
    assert store.paths() == []
    assert store.results_on("sentiment", "reviews") == []
    moved = path.rename(path.with_name("0" * 12 + ".examples.json"))
    with pytest.raises(
        StoreError, match=r"has the content of sentiment/reviews/559b0e0349be.examples.json; restore"
    ):
        store.load_record(EXAMPLES, moved)


def test_results_on_a_dataset_are_its_own(tmp_path: Path) -> None:
    """The results on a dataset are those in its folder, without predictions, cards or examples."""
    store = Store(tmp_path)
    result, predictions = pair()
    store.save(result, predictions)
    other = result.model_copy(update={"dataset": DatasetRef(id="e"), "predictions": result.predictions})
    store.save(other, predictions)
    store.save_examples(
        Examples(task="sentiment", dataset="d", revision=digest("d"), ids=tuple(map(str, range(1000))))
    )
    assert store.results_on("sentiment", "d") == [result]


@pytest.mark.parametrize("suffix", ["predictions", "variants", "suite", "examples"])
def test_a_model_cannot_be_named_like_what_lies_beside_results(tmp_path: Path, suffix: str) -> None:
    """A result that would never be found again is refused, and nothing is written."""
    with pytest.raises(StoreError, match="give the model another id"):
        Store(tmp_path).save(*pair(f"m.{suffix}"))
    assert not list(tmp_path.rglob("*.json"))


def test_migrate_brings_cards_of_suites_up_to_date(tmp_path: Path) -> None:
    """A suite's card of version 2 becomes one of the newest version, and says the same."""
    old = SuiteCard.model_validate_json((GOLDEN / "suite-v3.json").read_bytes())
    path = tmp_path / old.task / old.dataset.id / f"{old.name}.suite.json"
    write_atomic(path, (GOLDEN / "suite-v2.json").read_bytes())
    store = Store(tmp_path)
    assert store.migrate(write=False) == [path]
    assert store.migrate() == [path]
    assert path.read_bytes() == (GOLDEN / "suite-v3.json").read_bytes()
    assert store.migrate() == []


def test_scores_keep_every_bit(tmp_path: Path) -> None:
    """A score is read back as the same float."""
    store = Store(tmp_path)
    result, predictions = pair()
    value = 0.1 + 0.2
    result = result.model_copy(update={"scores": {"accuracy": Score(value=value, unit="%", version="1")}})
    store.save(result, predictions)
    assert next(store.results()).scores["accuracy"].value == value


# The site writes the RO-Crate files of snapshots, and nobody reads them back.
STORED = [path for path in RESULTS.rglob("*.json") if not path.name.startswith("ro-crate")]


@pytest.mark.parametrize("path", sorted(STORED), ids=lambda path: path.name)
def test_every_stored_byte_is_as_it_is_written_today(path: Path) -> None:
    """Each JSON file among the results, snapshots too, has the only bytes that its content may have."""
    content = path.read_bytes()
    assert dump(json.loads(content), COMPACT if path.name == "snapshot.json" else READABLE) == content
