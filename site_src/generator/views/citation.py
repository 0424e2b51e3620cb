"""How a view of a snapshot is cited: BibTeX, RIS, CFF, APA and one plain sentence.

`assets/parts/cite.js` says the same of any view.

Names are data: everything in them stays text in the program that reads a citation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.publish.snapshots.repository import record_bytes
from evaluator.publish.snapshots.scoring import file_hash
from evaluator.records.invisible import visible
from evaluator.records.snapshot import Snapshot
from site_src.generator.views import formats
from site_src.generator.views.board import BoardView, Control

#: BibTeX counts braces even behind a backslash, so a brace becomes a command.
_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{sign: f"\\{sign}" for sign in "$&#%_"},
}
MONTHS = ["January", "February", "March", "April", "May", "June"]
MONTHS += ["July", "August", "September", "October", "November", "December"]
#: Names of datasets and publishers may be of any length; no citation needs more of one.
LONGEST = 300
#: The formats of citations, and what pages call them.
FORMAT_NAMES = {
    "sentence": "In a sentence",
    "apa": "APA",
    "bibtex": "BibTeX",
    "ris": "RIS",
    "cff": "CITATION.cff",
}
#: What the hash of a citation is of.
HASHED = "SHA-256 of snapshot.json"


@dataclass(frozen=True)
class Citation:
    """A snapshot as it is cited. `url` is where it is published, or a place to be filled in.

    `sha256` are the 64 digits of the hash of its ``snapshot.json``.
    """

    id: str
    sha256: str
    created: str
    board: str
    publisher: str
    url: str
    models: int
    metrics: tuple[tuple[str, str], ...]
    datasets: tuple[tuple[str, str], ...]

    @property
    def title(self) -> str:
        return f"{self.board}: snapshot of {self.moment}"

    @property
    def moment(self) -> str:
        """When it was frozen, to the second, in UTC."""
        return f"{self.created[:10]} {self.created[11:19]} UTC"

    @property
    def sentence(self) -> str:
        """Datasets, weights of the metrics and time, as the method's paper asks for with every score."""
        return (
            f"Dynascores of {formats.counted(self.models, 'model')}"
            f" on {_weighed(self.datasets, len(self.datasets) > 1)}"
            f" at metric weights {_weighed(self.metrics, True)}: {self.board}, snapshot {self.id},"
            f" frozen {self.moment}, SHA-256 {self.sha256}."
        )

    def bibtex(self) -> str:
        """An entry for BibTeX and biblatex."""
        fields = {
            "author": f"{{{tex(self.publisher)}}}",
            "title": f"{{{tex(self.title)}}}",
            "year": self.created[:4],
            "month": str(int(self.created[5:7])),
            "howpublished": "Leaderboard snapshot",
            "version": self.id,
            "note": tex(self.sentence),
            "url": self.url,
        }
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
        return f"@misc{{steelyard-{self.id.lower()},\n{lines}}}\n"

    def ris(self) -> str:
        """A record in the format of reference managers; each field is one line."""
        fields = [
            ("TY", "DATA"),
            ("AU", self.publisher),
            ("TI", self.title),
            ("PY", self.created[:4]),
            ("DA", self.created[:10].replace("-", "/")),
            ("ET", self.id),
            ("PB", self.publisher),
            ("N1", self.sentence),
            ("UR", self.url),
            ("ER", ""),
        ]
        return "".join(f"{name}  - {value}\r\n" for name, value in fields)

    def cff(self) -> str:
        """CITATION.cff, version 1.2.0."""
        absolute = self.url.startswith("https://")
        lines = [
            "cff-version: 1.2.0",
            "type: dataset",
            f"message: {quoted('Cite this snapshot with its datasets, its weights and its time.')}",
            f"title: {quoted(self.title)}",
            "authors:",
            f"  - name: {quoted(self.publisher)}",
            f"abstract: {quoted(self.sentence)}",
            f"version: {quoted(self.id)}",
            f"date-released: {quoted(self.created[:10])}",
            "identifiers:",
            "  - type: other",
            f"    value: {quoted(f'sha256:{self.sha256}')}",
            f"    description: {quoted(HASHED)}",
            *([f"url: {quoted(self.url)}"] if absolute else []),
        ]
        return "\n".join(lines) + "\n"

    @property
    def apa(self) -> str:
        """A reference as the American Psychological Association asks for."""
        year, month, day = (int(part) for part in self.created[:10].split("-"))
        when = f"{year}, {MONTHS[month - 1]} {day}"
        what = f"{self.board} (Snapshot {self.id}, SHA-256 {self.sha256}) [Leaderboard]"
        return f"{self.publisher}. ({when}). {what}. {self.url}"

    def island(self) -> dict[str, Any]:
        """What the script beside the panel needs to say the same of any view."""
        return {
            "id": self.id,
            "sha256": self.sha256,
            "created": self.created,
            "board": self.board,
            "publisher": self.publisher,
            "models": self.models,
        }


def citation_of(view: BoardView, snapshot: Snapshot, publisher: str, url: str) -> Citation:
    """The citation of a snapshot's page at the weights that it shows first."""
    return Citation(
        id=snapshot.id,
        sha256=file_hash(record_bytes(snapshot)).removeprefix("sha256:"),
        created=snapshot.created,
        board=plain(view.spec.title),
        publisher=plain(publisher),
        url=url,
        models=len(view.rows),
        metrics=_controls(view.metric_controls),
        datasets=_controls(view.dataset_controls),
    )


def plain(text: str) -> str:
    """One line of text, of some length at most, without anything that cannot be seen."""
    line = visible(text)
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def tex(text: str) -> str:
    """A text that TeX prints as it is and BibTeX can read."""
    return re.sub(r'[\\{}^~<>|"$&#%_]', lambda found: _TEX[found[0]], text)


def quoted(text: str) -> str:
    """A YAML scalar: JSON's strings are such, once nothing is in them that cannot be printed."""
    return json.dumps(text, ensure_ascii=False)


def _controls(controls: Sequence[Control]) -> tuple[tuple[str, str], ...]:
    """Names with their weights, those that weigh anything."""
    return tuple((plain(item.label), formats.weight(item.value)) for item in controls if item.value > 0)


def _weighed(named: Sequence[tuple[str, str]], with_weights: bool) -> str:
    return formats.listed([f"{name} ({weight})" if with_weights else name for name, weight in named])
