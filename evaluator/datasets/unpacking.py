"""Files compressed by gzip, which may say much more than they hold: a small one can fill the memory."""

from __future__ import annotations

import gzip
import io
import zlib

from evaluator.datasets.source import DatasetError

#: What a file may always have unpacked, and above that how many times its packed size: texts reach about ten
#: times, very regular tables thirty. No file may have more than the last, in bytes.
ALWAYS = 64 * 10**6
TIMES = 100
NEVER = 4 * 10**9


def unpacked(data: bytes, where: str) -> bytes:
    """What a gzip file holds. Raises `DatasetError`, beginning with `where`, if it is broken or too much."""
    limit = most_unpacked(len(data))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = file.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        fix = "fetch the file again, or drop .gz from its name if it is not compressed"
        raise DatasetError(f"{where}: is not a whole gzip file ({error}); {fix}") from error
    if len(content) > limit:
        fix = "if it is really so regular, unpack it and name the unpacked file"
        raise DatasetError(
            f"{where}: its {len(data):,} bytes unpack to more than {limit:,}, the most that is read; {fix}"
        )
    return content


def most_unpacked(packed: int) -> int:
    """How many bytes may come out of so many: 64 MB or a hundred times as many, and never more than 4 GB."""
    return min(max(ALWAYS, TIMES * packed), NEVER)
