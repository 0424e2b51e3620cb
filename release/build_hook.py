"""What the wheel has otherwise than the repository: the site's package has a private name.

`site_src` says little about whose it is, and two projects may well have a folder of that name. In the wheel
it is `_steelyard_site`: ``wheel.sources`` in pyproject.toml moves the files, and the hook below writes the
new name into the modules that mention the old one. An editable installation keeps the repository's names.
`evaluator` is not renamed: it is the public Python API, and results, documents and notebooks name it.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGES = ("evaluator", "site_src")
REPOSITORY_NAME = re.compile(r"\bsite_src\b")
WHEEL_NAME = "_steelyard_site"


class PrivateSiteName(BuildHookInterface[Any]):
    """Puts modules with the wheel's name of the site's package in the place of those of the repository."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built; `version` is ``standard`` or ``editable``."""
        if version != "standard":
            return
        self.renamed = tempfile.TemporaryDirectory()
        for module in _naming_the_site(Path(self.root)):
            path = Path(self.renamed.name) / module
            path.parent.mkdir(parents=True, exist_ok=True)
            text = (Path(self.root) / module).read_text("utf-8")
            path.write_text(REPOSITORY_NAME.sub(WHEEL_NAME, text), "utf-8")
            build_data["force_include"][str(path)] = module

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called when the wheel is there."""
        if version == "standard":
            self.renamed.cleanup()


def _naming_the_site(root: Path) -> list[str]:
    """The modules of the wheel that mention `site_src`, as paths from the root."""
    modules = [path for package in PACKAGES for path in (root / package).rglob("*.py")]
    kept = [path for path in sorted(modules) if "node_modules" not in path.parts]
    return [
        path.relative_to(root).as_posix() for path in kept if REPOSITORY_NAME.search(path.read_text("utf-8"))
    ]
