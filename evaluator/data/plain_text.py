"""Bytes of files as text: plain or compressed by gzip, in UTF-8 or in UTF-16.

A compressed file may say much more than it holds: a small one can fill the memory.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

#: What a file may always have unpacked, and above that how many times its packed size: texts reach about ten
#: times, very regular tables thirty. No file may have more than the last, in bytes.
ALWAYS = 64 * 10**6
TIMES = 100
NEVER = 4 * 10**9


#: How every file begins that is compressed by gzip (RFC 1952).
_GZIP = b"\x1f\x8b"
_SURROGATE = re.compile("[\ud800-\udfff]")


class PackedError(ValueError):
    """A compressed file that is broken, or holds too much."""


def is_text(value: str) -> bool:
    """Whether `value` can be written as UTF-8: it has no lone surrogates."""
    return value.isascii() or _SURROGATE.search(value) is None


class FileText:
    """The text of a file, which is decoded as it is read and never held whole, unless it is compressed.

    `source` is the file or its bytes. Bytes that are not UTF-8 become lone surrogates (PEP 383). UTF-16, as
    spreadsheets and PowerShell write it, begins with a mark. What is compressed is unpacked first. Raises
    `PackedError`, beginning with `where`, if that fails, and OSError where the file cannot be read.
    """

    def __init__(self, source: Path | bytes, where: str) -> None:
        self._source = source
        with self._bytes() as file:
            start = file.read(len(_GZIP))
            if start == _GZIP:
                self._source = unpacked(start + file.read(), where)
        with self._bytes() as file:
            utf_16 = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        self._coding = ("utf-16", "replace") if utf_16 else ("utf-8-sig", "surrogateescape")

    def lines(self, newline: str = "\n") -> Iterator[str]:
        """The lines with their ends: a newline, or where `newline` is empty any that the csv module knows."""
        with io.TextIOWrapper(self._bytes(), *self._coding, newline=newline) as text:
            yield from text

    def whole(self) -> str:
        """All of it, with line ends as they are."""
        with io.TextIOWrapper(self._bytes(), *self._coding, newline="") as text:
            return text.read()

    def _bytes(self) -> BinaryIO:
        return io.BytesIO(self._source) if isinstance(self._source, bytes) else self._source.open("rb")


def text_of(data: bytes, where: str) -> str:
    """The text of a file's bytes; see `FileText`. Raises `PackedError`."""
    return FileText(data, where).whole()


def unpacked(data: bytes, where: str) -> bytes:
    """What a gzip file holds. Raises `PackedError`, beginning with `where`, if it is broken or too much."""
    limit = most_unpacked(len(data))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = file.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        fix = "fetch the file again, or drop .gz from its name if it is not compressed"
        raise PackedError(f"{where}: is not a whole gzip file ({error}); {fix}") from error
    if len(content) > limit:
        fix = "if it is really so regular, unpack it and name the unpacked file"
        raise PackedError(
            f"{where}: its {len(data):,} bytes unpack to more than {limit:,}, the most that is read; {fix}"
        )
    return content


def most_unpacked(packed: int) -> int:
    """How many bytes may come out of so many: 64 MB or a hundred times as many, and never more than 4 GB."""
    return min(max(ALWAYS, TIMES * packed), NEVER)
