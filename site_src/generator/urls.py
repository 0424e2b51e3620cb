"""Every address of the site, in one class.

All addresses are relative, so that the site works under any sub-path, except for those of the one page that
may be shown at any depth, whose `root` is a full address. Folders end in a slash.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evaluator.records.result import Result
from site_src.generator import formats


class Weight(NamedTuple):
    """How large a Python is: `size` as hosts send it, `bytes` of the files that pages count as they come."""

    size: int
    bytes: int


NO_PYTHON = Weight(0, 0)


@dataclass(frozen=True)
class Shared:
    """Folders named by content hash, relative to the root, that all pages and snapshots share.

    `lean` is the folder in the runtime's that has a Python for ranking alone, where there is one.
    """

    assets: str
    scorer: str
    runtime: str
    python: Weight = NO_PYTHON
    lean: tuple[str, Weight] | None = None

    def weighed(self) -> dict[str, str | int]:
        """What scripts know of the Python that they load first, beside where it is."""
        folder, weight = self.lean or ("", self.python)
        return {"size": weight.size, "bytes": weight.bytes, **({"lean": folder} if folder else {})}


class Urls:
    """Addresses as seen from one page, which is `depth` folders under the site's root.

    `page` is the page's own address from the root; `site` is the root's own, where it is known.
    """

    def __init__(self, depth: int, shared: Shared, page: str | None = None, site: str | None = None) -> None:
        self.root = "../" * depth or "./"
        self.shared, self.page, self.site = shared, page, site

    def canonical(self) -> str | None:
        """The page's one full address; None where the site's is not known, or the page has none."""
        return None if self.page is None else self.absolute(self.page)

    def absolute(self, path: str) -> str | None:
        """The full address of what is at `path` from the root; None where the site's is not known."""
        return None if self.site is None else f"{self.site}{path}"

    def home(self) -> str:
        return self.root

    def method(self, page: str = "") -> str:
        """The method's main page, or one of its others by its own address, such as ``metrics/``."""
        return f"{self.root}method/{page}"

    def board(self, board: str) -> str:
        return f"{self.root}{board}/"

    def models(self, board: str) -> str:
        """The folder that holds a board's models, which is no page itself."""
        return f"{self.board(board)}models/"

    def model(self, board: str, model: str) -> str:
        return f"{self.models(board)}{model}/"

    def suite(self, board: str, dataset: str, suite: str) -> str:
        return f"{self.root}{board}/suites/{dataset}/{suite}/"

    def dataset(self, board: str, dataset: str) -> str:
        return f"{self.root}{board}/datasets/{dataset}/"

    def examples(self, board: str, dataset: str) -> str:
        """Where a dataset's examples can be read, by their tags."""
        return f"{self.dataset(board, dataset)}examples/"

    def difficulty(self, board: str, dataset: str) -> str:
        """Where the models are ranked by what is hard in a dataset."""
        return f"{self.root}{board}/difficulty/{dataset}/"

    def quality(self, board: str) -> str:
        """Which criteria of a good benchmark a board meets."""
        return f"{self.board(board)}quality/"

    def try_it(self, board: str, model: str = "") -> str:
        """Where visitors ask a board's models in their browser, or the place of one of them there."""
        return f"{self.board(board)}try/" + (f"#model-{model}" if model else "")

    def collect(self, board: str, collection: str) -> str:
        """Where visitors write for a collection of a board, and its models answer in their browser."""
        return f"{self.board(board)}collect/{collection}/"

    def compare(self, board: str) -> str:
        return f"{self.root}{board}/compare/"

    def predictions(self, board: str) -> str:
        """Where the predictions of a board's models are, and the ids of their examples."""
        return f"{self.root}{board}/predictions/"

    def badge(self, board: str, model: str) -> str:
        """A model's badge, a picture."""
        return f"{self.board(board)}badges/{model}.svg"

    def snapshots(self) -> str:
        """The page of all snapshots."""
        return f"{self.root}snapshots/"

    def snapshot(self, snapshot: str) -> str:
        return f"{self.snapshots()}{snapshot}/"

    def snapshot_diff(self, old: str, new: str) -> str:
        return f"{self.snapshots()}diff/{old}..{new}/"

    def asset(self, name: str) -> str:
        return f"{self.root}{self.shared.assets}/{name}"

    def scorer(self) -> str:
        return f"{self.root}{self.shared.scorer}/dynascore.py"

    def runtime(self) -> str:
        return f"{self.root}{self.shared.runtime}/"

    def python(self) -> dict[str, str | int]:
        """What scripts load Python from."""
        return {"scorer": self.scorer(), "runtime": self.runtime(), **self.shared.weighed()}

    def from_root(self, path: str) -> str:
        """What is published at a path from the root."""
        return f"{self.root}{path}"


class FrozenUrls(Urls):
    """Addresses as seen from the page of a snapshot, whose files are its own or shared by snapshots.

    `Shared` here names folders relative to the one that holds all snapshots. The runtime is not among
    them: a script finds out at run time where it is.
    """

    def __init__(self, shared: Shared, controls: str) -> None:
        super().__init__(2, shared)
        self.folder = controls

    def asset(self, name: str) -> str:
        return f"../{self.shared.assets}/{name}"

    def controls(self) -> str:
        """The parts of the page that only a script uses."""
        return f"../{self.folder}/controls.html"

    def scorer(self) -> str:
        return f"../{self.shared.scorer}/dynascore.py"


def hashed(name: str, content: bytes) -> str:
    """A file's name with a hash of its content."""
    return f"{name}.{hashlib.sha256(content).hexdigest()[:12]}.json"


def dataset_file(dataset: str, name: str, path: Path) -> str:
    """The name of the record of a dataset's examples, such as ``round-1/examples.0123456789ab.json``."""
    return f"{dataset}/{hashed(name, path.read_bytes())}"


def answers_file(result: Result) -> str:
    """The name of a model's predictions. Raises ValueError for a result that has none."""
    if result.predictions is None:
        raise ValueError(f"predictions: {result.model.id} has none on {result.dataset.id}")
    return f"{result.dataset.id}/{result.model.id}.{formats.short_hash(result.predictions.sha256)}.json"
