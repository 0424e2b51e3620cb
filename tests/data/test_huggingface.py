"""Datasets of the hub, from a cache laid out as the hub's own client lays it out; nothing is fetched."""

import importlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.data.datasets import DatasetError, DatasetSource, read_dataset

pytestmark = pytest.mark.slow

COMMIT = "0123456789" * 4
COLUMNS = {"statement": "text", "label": "label", "id": "uid", "tag.kind": "meta.kind", "votes": "votes"}
OPTIONS = {"dataset": "someone/toy", "config": "main", "split": "test", "revision": COMMIT}
LABELS = ("negative", "positive")
README = """\
---
configs:
- config_name: main
  data_files:
  - split: test
    path: data/test-*
---
"""
ROWS = [
    {"uid": 7, "text": "Fine,\nreally", "label": 1, "meta": {"kind": 1, "when": None}, "votes": ["positive"]},
    {"uid": 8, "text": "Not fine", "label": 0, "meta": {"kind": 0, "when": None}, "votes": []},
]

Cached = Callable[..., DatasetSource]


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cached:
    """Puts rows into a cache of this test's own, for an offline client; gives the source that reads them."""
    import datasets
    from huggingface_hub import constants

    features = datasets.Features(
        {
            "uid": datasets.Value("int64"),
            "text": datasets.Value("string"),
            "label": datasets.ClassLabel(names=LABELS),
            "meta": {"kind": datasets.ClassLabel(names=["short", "long"]), "when": datasets.Value("date32")},
            "votes": datasets.List(datasets.Value("string")),
        }
    )
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)

    def put(rows: list[dict[str, Any]] = ROWS, **changes: Any) -> DatasetSource:
        folder = tmp_path / "hub" / "datasets--someone--toy" / "snapshots" / COMMIT
        (folder / "data").mkdir(parents=True, exist_ok=True)
        (folder / "README.md").write_text(README)
        file = folder / "data" / "test-00000-of-00001.parquet"
        datasets.Dataset.from_list(rows, features=features).to_parquet(file)
        options = {**OPTIONS, **changes.pop("options", {})}
        made = DatasetSource("toy", "sentiment", None, "huggingface", COLUMNS, labels=LABELS, options=options)
        return replace(made, **changes)

    return put


def refused(made: DatasetSource, skip: bool = False) -> str:
    with pytest.raises(DatasetError) as caught:
        read_dataset(replace(made, skip_malformed=skip))
    return str(caught.value)


def test_a_cached_dataset(cached: Cached) -> None:
    """Texts, class labels by name (or by number, if the map knows numbers only), ids, nested tags, votes and references
    come from the mapped columns; other rows are another revision."""
    dataset = read_dataset(cached())
    assert dataset.examples == (
        {"id": "7", "statement": "Fine,\nreally"},
        {"id": "8", "statement": "Not fine"},
    )
    assert dataset.gold == ("positive", "negative")
    assert dataset.tags == ({"kind": "long"}, {"kind": "short"})
    assert dataset.votes == (("positive",), ())
    by_number = {"0": "positive", "1": "negative"}
    assert read_dataset(cached(label_map=by_number)).gold == ("negative", "positive")
    other = [{**row, "text": f"{row['text']}!"} for row in ROWS]
    assert read_dataset(cached(other)).revision != dataset.revision
    texts = cached(ROWS[:1], task="generation", labels=(), columns={"text": "text", "answers": "votes"})
    assert read_dataset(texts).gold == (("positive",),)


def test_a_row_without_a_label_is_left_out(cached: Cached) -> None:
    """The hub's -1, for no label, is counted; a malformed row beside it has its number in the error."""
    rows = [ROWS[0], {**ROWS[1], "label": -1}, {**ROWS[1], "uid": 9, "text": None}]
    made = cached(rows)
    assert refused(made).startswith("dataset toy:3: ")
    read = read_dataset(replace(made, skip_malformed=True))
    assert ([row.line for row in read.skipped], read.dropped) == ([3], {"no gold label": 1})
    assert read.left_out == {"8", "9"}


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "branch": ({"options": {"revision": "main"}}, "options.revision: 'main' does not pin someone/toy"),
    "short": ({"options": {"revision": COMMIT[:7]}}, "options.revision: '0123456' does not pin"),
    "no revision": ({"options": {"revision": None}}, "options.revision: missing"),
    "no split": ({"options": {"split": ""}}, "options.split: '' is not a string"),
    "no dataset": ({"options": {"dataset": 5}}, "options.dataset: 5 is not a string"),
    "odd dataset": ({"options": {"dataset": "a//b c"}}, "options.dataset: "),
    "split": ({"options": {"split": "train"}}, f"someone/toy at {COMMIT} cannot be loaded (Unknown split"),
    "config": ({"options": {"config": "x"}}, f"someone/toy at {COMMIT} cannot be loaded (BuilderConfig 'x'"),
    "option": ({"options": {"token": "x"}}, "options.token: huggingface has no such option"),
    "column": (
        {"columns": {**COLUMNS, "id": "key"}},
        "columns.id: 'key' is not a column; use one of uid, text",
    ),
    "number": ({"columns": {"statement": 0, "label": 1}}, "columns.statement: 0 is not a key"),
    "path": ({"path": Path("x")}, "path: huggingface fetches its data by options; leave path out"),
    "pin": ({"sha256": "0" * 64}, "sha256: there is no file to pin"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_declaration_is_named(name: str, cached: Cached) -> None:
    """What cannot work is refused with the dataset, the field, the value and the fix."""
    change, expected = WRONG[name]
    assert refused(cached(**change)).startswith(f"dataset toy: {expected}")


def test_what_is_not_cached(cached: Cached, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offline, or where no hub answers, it is refused at once, with the command that fetches it."""
    message = refused(cached(options={"dataset": "someone/else"}))
    assert "someone/else is not in the cache, and HF_HUB_OFFLINE forbids fetching it" in message
    assert f"hf download someone/else --repo-type dataset --revision {COMMIT}" in message
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    message = refused(cached(options={"revision": "f" * 40}))
    assert "someone/toy is not in the cache, and http://127.0.0.1:9 is not reached (" in message


def test_a_missing_package_names_the_extra(cached: Cached, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library, the error says which extra has it."""
    find = importlib.import_module

    def without(name: str) -> Any:
        if name == "datasets":
            raise ModuleNotFoundError(name, name=name)
        return find(name)

    made = cached()
    monkeypatch.setattr(importlib, "import_module", without)
    assert refused(made) == (
        "dataset toy: the package datasets is not installed; run: pip install 'steelyard[datasets]'"
    )


def test_damaged_files_are_refused(cached: Cached, tmp_path: Path) -> None:
    """A column that JSON has no word for, and a file that its reader cannot read, with the row or the commit."""
    dates = [{**ROWS[0], "meta": {"kind": 0, "when": "2020-01-02"}}]
    made = cached(dates, columns={**COLUMNS, "tag.kind": "meta.when"})
    assert refused(made).startswith("dataset toy:1: row: Object of type date is not JSON serializable")
    made = cached()
    file = next(tmp_path.rglob("*.parquet"))
    file.write_bytes(file.read_bytes()[:50])
    assert f"someone/toy at {COMMIT} cannot be loaded (" in refused(made, skip=True)
