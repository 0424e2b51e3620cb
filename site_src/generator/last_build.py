"""What of the last build is kept: parts of the site whose inputs are the same, and whose files are whole.

A part is all that lies under one folder, such as a board's pages. A record beside the pages says what each
part was made from. Without it, or with one that was changed, everything is made again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluator.records.canonical import digest
from site_src.generator.output import untouched_folders, whole_files
from site_src.generator.pages.index_page import BoardSummary

RECORD = ".steelyard-parts"


class KeptPart(BaseModel):
    """A folder of the site: the hash of what it is made from and, of a board, what other pages say of it.

    `results` are, by model, the hashes of what the sections of results on its page are made from.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    inputs: str
    summary: BoardSummary | None = None
    results: dict[str, str] = {}


class Parts(BaseModel):
    """The parts of a site by folder, and their hash, which shows whether anybody changed them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str
    parts: dict[str, KeptPart]

    @classmethod
    def of(cls, parts: Mapping[str, KeptPart]) -> Parts:
        return cls(sha256=_digest(parts), parts=dict(sorted(parts.items())))

    @property
    def is_whole(self) -> bool:
        return self.sha256 == _digest(self.parts)


def _digest(parts: Mapping[str, KeptPart]) -> str:
    return digest({name: part.model_dump(mode="json") for name, part in parts.items()})


class LastBuild:
    """The site in `output`, whose parts may be taken over into a new one in `folder`.

    `kept` has the sizes of the files of each folder that is: `output.replace` moves them.
    """

    def __init__(self, output: Path, folder: Path) -> None:
        self._output, self._folder, self._parts = output, folder, _parts_of(output)
        self._files = whole_files(output) if self._parts else {}
        self.parts: dict[str, KeptPart] = {}
        self.kept: dict[str, dict[str, int]] = {}

    def keep(self, name: str, inputs: str) -> KeptPart | None:
        """Take a part over if it was made from `inputs` and is whole; None if not."""
        part = self._parts.get(name)
        if part is None or part.inputs != inputs:
            return None
        files = {path: size for path, size in self._files.items() if path.startswith(f"{name}/")}
        sizes = {path: size for path, size in files.items() if size is not None}
        if len(sizes) < len(files) or not untouched_folders(self._output, files):
            return None
        self.parts[name], self.kept[name] = part, sizes
        return part

    def pages(self, board: str, results: Mapping[str, str]) -> dict[str, Path]:
        """The whole pages of a board's models, by id, whose sections of results were made from `results`."""
        known = self._parts[board].results if board in self._parts else {}
        same = [model for model, hash_ in results.items() if known.get(model) == hash_]
        paths = {model: f"{board}/models/{model}/index.html" for model in same}
        return {
            model: self._output / path for model, path in paths.items() if self._files.get(path) is not None
        }

    def made(self, name: str, part: KeptPart) -> None:
        """Record a part that was made anew."""
        self.parts[name] = part

    def write(self) -> None:
        """Write the record of the new site."""
        (self._folder / RECORD).write_text(Parts.of(self.parts).model_dump_json() + "\n", encoding="utf-8")


def _parts_of(output: Path) -> Mapping[str, KeptPart]:
    try:
        found = Parts.model_validate_json((output / RECORD).read_bytes())
    except (OSError, ValidationError):
        return {}
    return found.parts if found.is_whole else {}
