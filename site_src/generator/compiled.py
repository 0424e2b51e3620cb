"""Compiled templates in the cache: compiling them takes a third of the time that a small site does.

Each folder of templates has a folder of its own there, which says whose it is, so that two versions of this
program on one machine leave each other's alone.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket

from evaluator.records.scratch import remove_leftovers, write_atomic

FOLDER = "templates"
#: Names the folder of templates that the compiled ones beside it were made from.
ORIGIN = "origin.txt"
SUFFIX = ".compiled"


class CompiledTemplates(jinja2.BytecodeCache):
    """The compiled templates of the folder `templates`, kept in `cache`."""

    def __init__(self, cache: Path, templates: Path) -> None:
        origin = str(templates.resolve())
        self.folder = cache / FOLDER / hashlib.sha256(origin.encode()).hexdigest()[:12]
        if not (self.folder / ORIGIN).exists():
            write_atomic(self.folder / ORIGIN, origin.encode())

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        return _file_name(name)

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(FileNotFoundError):
            bucket.bytecode_from_string((self.folder / bucket.key).read_bytes())

    def dump_bytecode(self, bucket: Bucket) -> None:
        write_atomic(self.folder / bucket.key, bucket.bytecode_to_string())

    def remove_unneeded(self, names: Iterable[str]) -> None:
        """Keep only what is compiled from templates called `names`, and folders whose templates exist."""
        needed = {ORIGIN, *map(_file_name, names)}
        remove_leftovers(self.folder)
        for path in self.folder.iterdir():
            if path.name.endswith(SUFFIX) and path.name not in needed:
                path.unlink(missing_ok=True)
        for path in self.folder.parent.iterdir():
            if path.is_file():
                # Earlier versions put compiled templates here.
                path.unlink(missing_ok=True)
            elif not _may_be_needed(path):
                shutil.rmtree(path, ignore_errors=True)


def _file_name(template: str) -> str:
    return hashlib.sha256(template.encode()).hexdigest()[:24] + SUFFIX


def _may_be_needed(folder: Path) -> bool:
    """Whether the templates of a folder of compiled ones still exist, or are not recorded yet."""
    try:
        return Path((folder / ORIGIN).read_text(encoding="utf-8")).is_dir()
    except OSError:
        return True
