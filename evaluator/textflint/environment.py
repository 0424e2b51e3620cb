"""The virtual environment that TextFlint runs in, and what says that it is whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.data.suites.errors import SuiteError

#: Changes whenever `install` would make another environment of the same packages.
LAYOUT = 1
#: Written last, once everything else is there and works.
MANIFEST = "steelyard.json"
RESOURCES = ("keyboard.json", "spelling.txt")
INSTALL = "run: steelyard textflint install --into"


@dataclass(frozen=True)
class Environment:
    """An environment made by `evaluator.textflint.install`.

    `versions` are those of TextFlint, of its libraries and of Python; `resources` are the SHA-256 of the
    rules that TextFlint is given; together they decide its variants. `sources` say where the misspellings
    come from: package, version, licence.
    """

    path: Path
    versions: Mapping[str, str]
    resources: Mapping[str, str]
    sources: Sequence[Mapping[str, str]]

    @classmethod
    def load(cls, path: Path) -> Environment:
        """The environment in `path`. Raises `SuiteError` if there is none, or another than was made."""
        try:
            found = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
            layout = found["layout"]
            sources = tuple(map(dict, found["sources"]))
            environment = cls(path, dict(found["versions"]), dict(found["resources"]), sources)
        except FileNotFoundError:
            raise SuiteError(
                f"textflint: {path}: TextFlint is not installed there; {INSTALL} {path}"
            ) from None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise SuiteError(f"textflint: {path / MANIFEST}: {error!r}; {INSTALL} {path}") from None
        if layout != LAYOUT:
            raise SuiteError(f"textflint: {path}: layout {layout!r}, not {LAYOUT}; {INSTALL} {path}")
        environment._check_resources()
        return environment

    def save(self) -> None:
        """Write the manifest; from now on `load` takes the environment."""
        content = {
            "layout": LAYOUT,
            "versions": dict(self.versions),
            "resources": dict(self.resources),
            "sources": [dict(source) for source in self.sources],
        }
        (self.path / MANIFEST).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return python_of(self.path)

    @property
    def rules(self) -> Path:
        """The folder of its resources."""
        return self.path / "resources"

    def _check_resources(self) -> None:
        for name in RESOURCES:
            if self.resources.get(name) != sha256(self.rules / name):
                where = self.rules / name
                raise SuiteError(f"textflint: {where}: missing, or not as installed; {INSTALL} {self.path}")


def python_of(path: Path) -> Path:
    """The interpreter of a virtual environment."""
    return path / "bin" / "python"


def sha256(path: Path) -> str | None:
    """The SHA-256 of a file, None without one."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
