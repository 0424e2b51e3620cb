"""Which scripts a script imports, and these in turn."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

#: The scripts and styles of pages, by folder.
SOURCE = Path(__file__).parents[1] / "assets"
#: The address in an import of another script; imports in comments are of types only.
IMPORT = re.compile(
    rb'(?P<before>^(?:import\b|export\b|\} from\b)[^"\n]*|\bawait import\()"(?P<path>\.\.?/[a-z/-]+\.js)"',
    re.MULTILINE,
)


def with_imports(root: Path, names: Iterable[str]) -> dict[str, bytes]:
    """The files of these names under `root`, and all scripts that they import, sorted by name."""
    found: dict[str, bytes] = {}
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = (root / name).read_bytes()
            todo += _imported(name, found[name])
    return dict(sorted(found.items()))


@cache
def preloaded(*names: str) -> list[str]:
    """The scripts that those of these names, under `SOURCE`, import as soon as they start, nearest first."""
    found = dict.fromkeys(names)
    todo = list(names)
    while todo:
        name = todo.pop(0)
        script = (SOURCE / name).read_bytes()
        imports = [_resolved(name, one) for one in IMPORT.finditer(script) if b"await" not in one["before"]]
        fresh = [one for one in dict.fromkeys(imports) if one not in found]
        found.update(dict.fromkeys(fresh))
        todo += fresh
    return [name for name in found if name not in names]


def readdressed(name: str, script: bytes, address: Callable[[str], str]) -> bytes:
    """The same script, whose imports name what `address` makes of each imported script's name."""

    def rewritten(found: re.Match[bytes]) -> bytes:
        return b'%b"%b"' % (found["before"], address(_resolved(name, found)).encode())

    return IMPORT.sub(rewritten, script)


def _imported(name: str, script: bytes) -> Iterator[str]:
    return (_resolved(name, found) for found in IMPORT.finditer(script))


def _resolved(name: str, found: re.Match[bytes]) -> str:
    """The name of what a script imports."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), found["path"].decode()))
