"""Bytes of files as text: plain or compressed by gzip, in UTF-8 or in UTF-16.

A compressed file may say much more than it holds: a small one can fill the memory.
"""

from __future__ import annotations

import codecs
import gzip
import io
import zlib

#: What a file may always have unpacked, and above that how many times its packed size: texts reach about ten
#: times, very regular tables thirty. No file may have more than the last, in bytes.
ALWAYS = 64 * 10**6
TIMES = 100
NEVER = 4 * 10**9


#: How every file begins that is compressed by gzip (RFC 1952).
_GZIP = b"\x1f\x8b"


class PackedError(ValueError):
    """A compressed file that is broken, or holds too much."""


def is_text(value: str) -> bool:
    """Whether `value` can be written as UTF-8: it has no lone surrogates."""
    return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)


def text_of(data: bytes, where: str) -> str:
    """The text of a file's bytes, unpacked first where they are compressed.

    Bytes that are not UTF-8 become lone surrogates (PEP 383). UTF-16, as spreadsheets and PowerShell write
    it, begins with a mark. Raises `PackedError`, beginning with `where`, if unpacking fails.
    """
    data = unpacked(data, where) if data.startswith(_GZIP) else data
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    return data.decode("utf-8-sig", errors="surrogateescape")


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
