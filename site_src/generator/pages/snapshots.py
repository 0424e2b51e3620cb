"""Snapshots on the site: copied byte for byte; and the pages about them, which each build makes again."""

from __future__ import annotations

import itertools
import json
import math
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.publish.changes import renames
from evaluator.publish.snapshots.differing import REASONS, Point, difference, history
from evaluator.publish.snapshots.repository import ASSETS, RECORD, VERSIONS, Listed, folder_of, listed, load
from evaluator.publish.snapshots.scorers import file_hash
from evaluator.publish.snapshots.verifying import verify_all
from evaluator.rank import moves
from evaluator.rank.moves import within_noise
from evaluator.records.board import Boards
from evaluator.records.errors import UserError
from evaluator.records.references import left
from site_src.generator import formats
from site_src.generator.board_data import whole_weights
from site_src.generator.feeds import snapshot_feed

if TYPE_CHECKING:
    from site_src.generator.site import Site


#: How many pairs of a board, the newest, get a page of what changed; `snapshot diff` compares all others.
COMPARED = 12
#: Changed cells that a page shows one by one.
CELLS = 60
#: Problems of snapshots that are named.
NAMED = 5
REASON_NAMES = {
    "models": "Models",
    "results": "Results",
    "terms": "Terms",
    "rates": "Exchange rates",
    "scorer": "Scorer",
}
REASON_MEANINGS = {
    "models": "models that came or left",
    "results": "new numbers of models that are in both",
    "terms": "metrics, datasets, caps, base metric, threshold or missing values",
    "rates": "they follow from all of these",
    "scorer": "another scorer",
}


@dataclass(frozen=True)
class CitedSnapshot:
    """The newest snapshot of a board; `sha256` are the 64 digits of the hash of its ``snapshot.json``."""

    id: str
    sha256: str


@dataclass(frozen=True)
class SnapshotItem:
    """One snapshot in the list. `before`: the one it can be compared with on a page, None without."""

    id: str
    created: str
    note: str | None
    weights: str
    leader: str | None
    score: float | None
    before: str | None

    @property
    def moment(self) -> str:
        return formats.moment(self.created)


@dataclass(frozen=True)
class BoardSnapshots:
    """The snapshots of one board, the newest first. `live`: the site still has the board."""

    id: str
    title: str
    live: bool
    items: tuple[SnapshotItem, ...]
    history: History | None


def publish_snapshots(results: Path, folder: Path) -> None:
    """Copy all snapshots among `results` into ``snapshots/`` of a site, each byte as it is.

    Raises `evaluator.records.errors.UserError`, with the file's name, when one is not what it was.
    """
    root, target = folder_of(results), folder / "snapshots"
    if not root.is_dir():
        return
    problems = verify_all(root, rank=False).problems
    if problems:
        more = [f"and {len(problems) - NAMED} more"] if len(problems) > NAMED else []
        raise UserError("", "\n".join([*map(str, problems[:NAMED]), *more, "nothing was built"]))
    target.mkdir(parents=True, exist_ok=True)
    if not (root / VERSIONS).exists():
        return
    shutil.copyfile(root / VERSIONS, target / VERSIONS)
    for name in (*(entry.id for entry in listed(root)), ASSETS):
        if (root / name).is_dir():
            shutil.copytree(root / name, target / name, copy_function=shutil.copyfile)


def newest(results: Path) -> dict[str, CitedSnapshot]:
    """The newest snapshot of each board that has one."""
    root = folder_of(results)
    ids = {board: entries[-1].id for board, entries in _by_board(root).items()}
    hashes = {id_: file_hash((root / id_ / RECORD).read_bytes()) for id_ in ids.values()}
    return {board: CitedSnapshot(id_, hashes[id_].removeprefix("sha256:")) for board, id_ in ids.items()}


def frozen_boards(boards: Boards, results: Path) -> tuple[BoardSnapshots, ...]:
    """Every board of the site and every other one that was ever frozen, with its snapshots."""
    root = folder_of(results)
    entries = _by_board(root)
    known = {board.id: board.title for board in boards.boards}
    former = {name: found[-1].title for name, found in entries.items() if name not in known}
    return tuple(
        _board_snapshots(root, name, title, name in known, entries.get(name, []), renames(boards))
        for name, title in {**known, **former}.items()
    )


def _by_board(root: Path) -> dict[str, list[Listed]]:
    """What is listed, by board and in the order of time."""
    found: dict[str, list[Listed]] = defaultdict(list)
    for entry in sorted(listed(root), key=lambda entry: entry.created):
        found[entry.board].append(entry)
    return found


def _board_snapshots(
    root: Path,
    board: str,
    title: str,
    live: bool,
    entries: Sequence[Listed],
    renamed: Mapping[str, str],
) -> BoardSnapshots:
    documents = [_document(root / entry.id / RECORD) for entry in entries]
    before, items = None, []
    for at, (entry, document) in enumerate(zip(entries, documents, strict=True)):
        items.append(_item(entry, document, before if at >= len(entries) - COMPARED else None))
        before = entry.id
    labels = {name: label for d in documents for name, label in _labels(d, "models").items()}
    labels = {new: labels[old] for old, new in renamed.items() if old in labels} | labels
    drawn = (
        history_of(history(root, board, renamed), [entry.id for entry in entries], labels)
        if entries
        else None
    )
    return BoardSnapshots(board, title, live, tuple(reversed(items)), drawn)


def _document(path: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UserError(path, f"cannot be read: {error}", "run: steelyard snapshot verify") from None
    return document


def _item(entry: Listed, document: Mapping[str, Any], before: str | None) -> SnapshotItem:
    ranks, scores = document["ranking"]["ranks"], document["ranking"]["scores"]
    models, labels = document["data"]["models"], _labels(document, "models")
    first = next((at for at, rank in enumerate(ranks) if rank == 1), None)
    metrics = _labels(document, "metrics")
    weights = whole_weights(document["weights"]["metrics"])
    described = ", ".join(
        f"{metrics.get(name, name)} {formats.weight(value)}" for name, value in weights.items() if value
    )
    return SnapshotItem(
        id=entry.id,
        created=entry.created,
        note=document.get("note"),
        weights=described,
        leader=None if first is None else labels.get(models[first], models[first]),
        score=None if first is None else scores[first],
        before=before,
    )


def _labels(document: Mapping[str, Any], kind: str) -> dict[str, str]:
    labels: dict[str, str] = document["data"]["labels"].get(kind, {})
    return labels


#: How many snapshots, the newest, the picture shows; the list beside it has all.
COLUMNS = 24
#: Room in the picture for ranks and names, for dates above, and a row's height (see ``charts/figures.js``).
SIDES, TOP, ROW = 320, 44, 22
#: Smallest and largest distance between two snapshots, and about that from the first to the last.
CLOSEST, WIDEST, WHOLE = 28, 144, 560

#: Rank and score, and whether the move from the column before is within noise: None if unknown, if there is
#: no move, or if the weights changed, which examples do not explain.
HistoryCell = tuple[int | None, float | None, bool | None]


@dataclass(frozen=True)
class History:
    """Snapshots, each with its time, and the table: a row for each model, and what it was in each of them."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, tuple[HistoryCell, ...]], ...]
    left_out: int

    @property
    def noise(self) -> bool:
        """Whether it says of any move whether it is within noise."""
        return any(noise is not None for _, cells in self.rows for _, _, noise in cells)

    @property
    def lines(self) -> int:
        """How many models any of the snapshots ranks."""
        return sum(any(rank is not None for rank, _, _ in cells) for _, cells in self.rows)

    @property
    def width(self) -> int:
        """Of the picture, in pixels."""
        apart = len(self.columns) - 1
        return SIDES + apart * max(CLOSEST, min(WIDEST, WHOLE // max(1, apart)))

    @property
    def height(self) -> int:
        """Of the picture, in pixels."""
        columns = zip(*(cells for _, cells in self.rows), strict=True)
        ranked = (sum(rank is not None for rank, _, _ in column) for column in columns)
        return TOP + ROW * max(ranked, default=0)


def history_of(
    points: Mapping[str, Sequence[Point]], snapshots: Sequence[str], labels: Mapping[str, str]
) -> History:
    """The history of `points` (see `publish.snapshots.history`); `snapshots` are ids, oldest first."""
    shown = list(snapshots[-COLUMNS:])
    times = {point.snapshot: point.created for found in points.values() for point in found}
    rows = []
    for model, found in points.items():
        at = {point.snapshot: point for point in found}
        cells = itertools.starmap(_cell, itertools.pairwise([None, *map(at.get, shown)]))
        rows.append((labels.get(model, model), tuple(cells)))
    rows.sort(key=lambda row: (row[1][-1][0] or math.inf, row[0]))
    columns = tuple((id_, times.get(id_, "")) for id_ in shown)
    return History(columns, tuple(rows), len(snapshots) - len(shown))


def _cell(before: Point | None, point: Point | None) -> HistoryCell:
    if point is None:
        return None, None, None
    comparable = before is not None and before.weights == point.weights
    noise = within_noise(before.place, point.place) if before and comparable else None
    return point.place.rank, point.place.score, noise


def write_snapshots(site: Site) -> None:
    """Write the snapshots as they are, where their pages find what changes, the list of them and its feed."""
    publish_snapshots(site.store.root, site.folder)
    shared = site.shared
    # Pages that were frozen before there was another know of the whole Python only.
    current = {"runtime": f"{shared.runtime}/", **shared.python._asdict(), "first": shared.weighed()}
    site.put("runtime/current.json", json.dumps(current) + "\n")
    site.write("snapshots/index.html", "snapshots.html", 1, frozen_boards=site.frozen_boards, noise=moves)
    feed = snapshot_feed(site.boards, site.store.root)
    site.environment.globals["has_feed"] = feed is not None
    if feed is not None:
        site.write("snapshots/feed.xml", "feed.xml", 1, feed=feed)


def diff_jobs(site: Site) -> Iterator[Callable[[], None]]:
    """Pages of what changed from one snapshot to the next."""
    for board in site.frozen_boards:
        yield from (
            partial(_write_diff, site, board, item.before, item.id) for item in board.items if item.before
        )


def _write_diff(site: Site, board: BoardSnapshots, old: str, new: str) -> None:
    root, items = folder_of(site.store.root), {item.id: item for item in board.items}
    snapshots = load(root, old), load(root, new)
    removals = {model.id: model.removed for model in site.boards.models if model.removed}
    found = difference(*snapshots, removals, renames(site.boards))
    labels: dict[str, str] = {}
    names: dict[str, str] = {}
    for snapshot in snapshots:
        labels |= {model: model for model in snapshot.data.models} | snapshot.data.labels.get("models", {})
        names |= snapshot.data.labels.get("metrics", {})
        names |= {dataset.id: dataset.label for dataset in snapshot.datasets}
    labels |= {move.model: move.label for move in found.moves}
    rates = [(names.get(n, n), steps[0], steps[-1]) for n, steps in found.rates.items() if steps]
    site.write(
        f"snapshots/diff/{old}..{new}/index.html",
        "snapshot_diff.html",
        3,
        board=board,
        old=items[old],
        new=items[new],
        found=found,
        labels=labels,
        left=[left(labels[id_], found.removals.get(id_)).rstrip(".") for id_ in found.removed],
        reasons=[
            reason
            for reason in REASONS
            if any(
                abs((move.scores or {}).get(reason, 0)) > 1e-9 or (move.ranks or {}).get(reason)
                for move in found.moves
            )
        ],
        # What changed, before and after: cells by model, dataset and metric; rates and weights by name.
        cells=[
            (labels[c.model], names.get(c.dataset, c.dataset), names.get(c.metric, c.metric), c.old, c.new)
            for c in found.cells[:CELLS]
        ],
        rates=[rate for rate in rates if rate[1] != rate[2]],
        weights=[
            (names.get(name, name), *pair) for named in found.weights.values() for name, pair in named.items()
        ],
        reason_names=REASON_NAMES,
        reason_meanings=REASON_MEANINGS,
        noise=moves,
    )
