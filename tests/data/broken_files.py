"""Files that are nearly right: one value of a valid one replaced, or some of its bytes."""

import copy
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from evaluator.data.datasets import Dataset, DatasetError, DatasetSource, read_dataset

fuzz = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

LOCATED = re.compile(r":\d+: [^ :]+: .+; .+", re.DOTALL)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


def error(source: DatasetSource) -> str:
    """The message of the `DatasetError` that reading `source` raises."""
    with pytest.raises(DatasetError) as caught:
        read_dataset(source)
    return str(caught.value)


def read_or_explain(source: DatasetSource) -> Dataset | None:
    """The dataset without its malformed rows, or None after a `DatasetError` that says where and what.

    Strict reading must then agree: the same dataset, or an error about the first malformed row.
    """
    try:
        dataset = read_dataset(replace(source, skip_malformed=True))
    except DatasetError as caught:
        said = str(caught)
        assert said.startswith(str(source.path))
        rest = said.removeprefix(str(source.path))
        whole = (": has no examples", ": is not a whole gzip file", ": is empty", ": is not whole UTF-16")
        assert LOCATED.match(rest) or rest.startswith(whole)
        return None
    if dataset.skipped:
        first = dataset.skipped[0]
        assert error(source) == f"{source.path}:{first.line}: {first.error}"
        assert all(row.error.field and row.error.fix and row.line >= 1 for row in dataset.skipped)
    else:
        assert read_dataset(source) == dataset
    assert len(dataset.examples) == len(dataset.gold) == len(dataset.tags) == len(dataset.votes) > 0
    return dataset


def accounted(dataset: Dataset) -> int:
    """How many rows ended as an example, as skipped or as dropped."""
    return len(dataset.examples) + len(dataset.skipped) + sum(dataset.dropped.values())


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value within a JSON value, its own () first."""
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [path, *(place for key, child in children for place in places(child, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy of a JSON value in which the value at `path` is replaced, or removed if `new` is ..."""
    if not path:
        return new
    made = copy.deepcopy(value)
    parent = made
    for key in path[:-1]:
        parent = parent[key]
    if new is ...:
        del parent[path[-1]]
    else:
        parent[path[-1]] = new
    return made


@st.composite
def altered(draw: st.DrawFn, value: Any) -> Any:
    """`value` with one or two of the values in it replaced by any JSON value, or taken out."""
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from(places(value)))
        value = replaced(value, path, draw(json_values if not path else json_values | st.just(...)))
    return value


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """`data` with a stretch of up to 20 bytes replaced by up to 5 of any others."""
    start = draw(st.integers(0, len(data)))
    end = draw(st.integers(start, min(len(data), start + 20)))
    nasty = st.sampled_from([b"\n", b"\t", b'"', b"\xff", b"{", b"\\ud800", b"\r", b"\x00", b"null", b"-"])
    return data[:start] + draw(st.binary(max_size=5) | nasty) + data[end:]


def as_lines(rows: list[Any]) -> bytes:
    """JSON lines of `rows`."""
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def written(folder: Path, name: str, data: bytes, task: str, form: str) -> DatasetSource:
    """A source of `form` in a file of that name."""
    path = folder / name
    path.write_bytes(data)
    return DatasetSource("toy", task, path, form)
