"""The copy of a model that runs in a visitor's browser, and how far it agrees with the measured model.

Copies are in a work folder; they are no results and are not committed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from evaluator.records.base import (
    SCHEMA_VERSION,
    Count,
    Digest,
    Record,
    Share,
    Slug,
    Version,
    file_sha256,
    is_empty,
    parse_record,
    short,
)

#: The fewest stored examples that a copy is compared on, and the least share of equal answers to be offered.
LEAST_EXAMPLES = 500
LEAST_AGREEMENT = 0.99
#: The adapter of copies with a network and a tokeniser, which Python does not run.
ENCODER = "encoder"


def _inside(name: str) -> str:
    """A file's name that leads nowhere but into the copy's own folder."""
    parts = name.split("/")
    if not all(parts) or {".", ".."} & set(parts) or "\\" in name or not name.isprintable():
        raise ValueError(f"{name!r} is no name of a file in the copy's folder")
    return name


FileName = Annotated[str, AfterValidator(_inside)]


class CopyFile(Record):
    """A file of a browser copy."""

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] = Field(description="of its bytes")
    size: Count = Field(description="its bytes")


class BrowserCopy(Record):
    """What a page needs to run a model: ``copy.json`` in the copy's folder, which is no result.

    `adapter` is one of `measure.models.ADAPTERS` that needs the standard library only, ``linear``, or
    ``encoder``, whose network and tokeniser Python does not run; its option `weights` is the type of number
    that the network's weights are kept as. Files under ``model/`` are what it opens; those under
    ``packages/`` can be imported.
    """

    schema_version: Version = Field(default=SCHEMA_VERSION, description="of this record")
    kind: Literal["browser-copy"] = Field(default="browser-copy", description="which record this is")
    model: Slug = Field(description="the model's id")
    task: Slug = Field(description="the task")
    labels: tuple[str, ...] = Field(description="what it chooses from; none where the answer is a text")
    adapter: Slug = Field(description="what opens it in the browser")
    options: dict[str, Any] = Field(description="of the adapter")
    files: dict[FileName, CopyFile] = Field(description="each file by its name in the folder")

    @property
    def size(self) -> int:
        """Bytes of all its files together."""
        return sum(file.size for file in self.files.values())

    @property
    def has_network(self) -> bool:
        """Whether it needs what runs networks, and not Python."""
        return self.adapter == ENCODER


class BrowserCheck(Record):
    """How far a browser copy agrees with its model. ``results/<task>/<dataset>/<model>.browser.json``.

    The copy answered the first `asked` examples of the dataset in `runtime`; its answers were compared with
    the stored ones, whose hash is `predictions`. A difference of probability is that of the label which the
    measured model chose, where both say how sure they are.
    """

    schema_version: Version = Field(default=SCHEMA_VERSION, description="of this record")
    kind: Literal["browser-check"] = Field(default="browser-check", description="which record this is")
    task: Slug = Field(description="the task")
    dataset: Slug = Field(description="the dataset's id")
    dataset_revision: Digest = Field(description="which examples")
    model: Slug = Field(description="the model's id")
    predictions: Digest = Field(description="hash of the stored answers that were compared with")
    copy_sha256: Digest = Field(description="hash of the copy's manifest, and so of all its files")
    revision: Digest = Field(description="hash of the model that was copied")
    size: Count = Field(description="bytes of the copy's files")
    runtime: str = Field(description="what ran the copy")
    weights: Literal["float32", "float16"] | None = Field(
        default=None,
        description="type of number that a network's copy keeps weights as; left out: it is no network",
    )
    asked: Annotated[int, Field(ge=LEAST_EXAMPLES)] = Field(
        description="examples that the copy was asked about"
    )
    agreed: Count = Field(description="how many it answered as the measured model did")
    differing: tuple[Count, ...] = Field(
        default=(), exclude_if=is_empty, description="rows of the examples that it answered otherwise"
    )
    largest_difference: Share | None = Field(
        default=None, description="of a probability, 0 to 1; null: one of the two says none"
    )
    tool: str = Field(description="name and version of what wrote this file")

    @property
    def offered(self) -> bool:
        """Whether it agrees often enough to stand for the measured model on a page."""
        return self.agreed >= LEAST_AGREEMENT * self.asked


#: A copy's manifest in its folder, and the folder of all copies in a work folder.
COPY, COPIES = "copy.json", "browser"


def copy_folder(copies: Path, model: str, sha256: str) -> Path:
    """Where the copy of a model with this hash of its manifest is, whether or not it exists."""
    return copies / f"{model}-{short(sha256)}"


def find_copy(copies: Path, model: str, sha256: str) -> BrowserCopy | None:
    """The manifest of a copy whose files are all there as it says; None where they are not."""
    folder = copy_folder(copies, model, sha256)
    if not (folder / COPY).is_file():
        return None
    copy = parse_record((folder / COPY).read_bytes(), BrowserCopy, folder / COPY)
    whole = all(
        (folder / name).is_file() and file_sha256(folder / name) == file.sha256
        for name, file in copy.files.items()
    )
    return copy if whole and copy.content_hash() == sha256 else None
