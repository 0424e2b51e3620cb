"""The examples of a dataset as columns: a million of them take a third of the memory that objects would."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload


class TextColumn(Sequence[str]):
    """Texts, one after the other in UTF-8; they are text that can be written so."""

    def __init__(self) -> None:
        self._bytes, self._ends = bytearray(), array("Q", [0])

    def append(self, text: str) -> None:
        """Add a text at the end."""
        self._bytes += text.encode()
        self._ends.append(len(self._bytes))

    def extend(self, texts: Sequence[str]) -> None:
        """Add texts at the end."""
        whole, start = "".join(texts), len(self._bytes)
        lengths = map(len, texts if whole.isascii() else map(str.encode, texts))
        self._bytes += whole.encode()
        self._ends.extend(start + end for end in itertools.accumulate(lengths))

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[at] for at in range(len(self))[place]]
        at = range(len(self))[place]
        return self._bytes[self._ends[at] : self._ends[at + 1]].decode()

    def __iter__(self) -> Iterator[str]:
        return (self._bytes[start:end].decode() for start, end in itertools.pairwise(self._ends))

    def __len__(self) -> int:
        return len(self._ends) - 1


class ExampleColumns(Sequence[dict[str, Any]]):
    """Examples, each an object with an ``id`` and the `fields`, which are texts; made when asked for."""

    def __init__(self, fields: Sequence[str]) -> None:
        self.ids: list[str] = []
        self._texts = {name: TextColumn() for name in fields}

    def append(self, id_: str, inputs: Mapping[str, str]) -> None:
        """Add an example at the end; `inputs` has each of the fields."""
        self.ids.append(id_)
        for name, texts in self._texts.items():
            texts.append(inputs[name])

    def extend(self, ids: Sequence[str], inputs: Mapping[str, Sequence[str]]) -> None:
        """Add examples at the end; `inputs` has a column for each of the fields."""
        self.ids.extend(ids)
        for name, texts in self._texts.items():
            texts.extend(inputs[name])

    def column(self, field: str) -> Sequence[str]:
        """One of the fields, of every example."""
        return self._texts[field]

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[dict[str, Any], ...]: ...
    def __getitem__(self, place: int | slice) -> dict[str, Any] | tuple[dict[str, Any], ...]:
        if isinstance(place, slice):
            return tuple(self[at] for at in range(len(self))[place])
        return {"id": self.ids[place], **{name: texts[place] for name, texts in self._texts.items()}}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = ("id", *self._texts)
        return (
            dict(zip(names, row, strict=True)) for row in zip(self.ids, *self._texts.values(), strict=True)
        )

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(other) != len(self):
            return False
        return all(one == another for one, another in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment] # its examples are objects that may change
