"""What other programs follow: an Atom feed (RFC 4287) of the snapshots, and the sitemap."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from markupsafe import escape

from evaluator.publish.changes import renames
from evaluator.publish.snapshots.differing import renamed_between
from evaluator.publish.snapshots.repository import Listed, folder_of, listed, load
from evaluator.records.board import Boards
from evaluator.records.references import left
from evaluator.records.snapshot import Snapshot
from site_src.generator import formats

#: How many snapshots, the newest, are in the feed; the page of snapshots has them all.
NEWEST = 50
#: Namespace of the ids of feeds and entries, which stay the same when a site gets another address.
NAMESPACE = uuid.UUID("6b1f6f0e-3f7c-5a0e-9a39-6a5c2f1f4d6e")


@dataclass(frozen=True)
class FeedEntry:
    """A snapshot as the feed lists it."""

    id: str
    title: str
    updated: str
    address: str
    data: str
    summary: str


@dataclass(frozen=True)
class Feed:
    """Everything in the feed, the newest entry first."""

    id: str
    updated: str
    entries: tuple[FeedEntry, ...]


def snapshot_feed(boards: Boards, results: Path) -> Feed | None:
    """The feed of the snapshots among `results`; None as long as there are none.

    Addresses are relative to the feed's own where board.toml does not say where the site is. Raises
    `evaluator.records.errors.UserError` at a snapshot that cannot be read.
    """
    root = folder_of(results)
    known = listed(root)
    if not known:
        return None
    base = f"{boards.site.url}snapshots/" if boards.site.url else ""
    return Feed(
        id=_urn(f"feed {known[0].id}"),
        updated=max(entry.created for entry in known),
        entries=tuple(
            FeedEntry(
                id=_urn(entry.id),
                title=f"{entry.title}, {formats.moment(entry.created)}",
                updated=entry.created,
                address=f"{base}{entry.id}/",
                data=f"{base}{entry.id}/snapshot.json",
                summary=_summary(load(root, entry.id), _left(entry, known, root, renames(boards))),
            )
            for entry in known[: -NEWEST - 1 : -1]
        ),
    )


def _left(entry: Listed, known: Sequence[Listed], root: Path, renamed: Mapping[str, str]) -> list[str]:
    """A sentence about each model of the board's snapshot before that is gone, also under a new id."""
    before = [one for one in known if one.board == entry.board and one.created < entry.created]
    if not before:
        return []
    old, new = load(root, max(before, key=lambda one: one.created).id), load(root, entry.id)
    reasons = {removal.id: removal for removal in new.removed}
    ids = renamed_between(old, new, renamed)
    labels = old.data.labels["models"]
    return [
        left(labels.get(model, model), reasons.get(ids.get(model, model))).rstrip(".") + "."
        for model in old.data.models
        if ids.get(model, model) not in new.data.models
    ]


def _urn(name: str) -> str:
    return uuid.uuid5(NAMESPACE, name).urn


def _summary(snapshot: Snapshot, gone: Sequence[str]) -> str:
    """The first three models, under which weights, who is gone, and the note on the snapshot."""
    labels = snapshot.data.labels
    ranks = zip(snapshot.ranking.ranks, snapshot.data.models, strict=True)
    ranked = sorted((rank, model) for rank, model in ranks if rank is not None)
    names = [labels["models"].get(model, model) for _, model in ranked[:3]]
    weights = ", ".join(
        f"{labels['metrics'].get(name, name)} {formats.weight(value)}"
        for name, value in snapshot.weights.metrics.items()
    )
    first = f"First: {formats.listed(names)}." if names else "No model is ranked."
    sentences = [first, f"{formats.counted(len(ranked), 'model')} ranked, weights {weights}.", *gone]
    return " ".join([*sentences, snapshot.note] if snapshot.note else sentences)


def write_sitemap(folder: Path, url: str | None) -> None:
    """Write where the pages in `folder` are, if the site's address `url` is known.

    A sitemap holds full addresses only, so without `url` there is none. Tables in frames of other pages are
    left out: searches should lead to the board.
    """
    robots = "User-agent: *\nAllow: /\n"
    if url is not None:
        found = (path.relative_to(folder).as_posix() for path in folder.rglob("index.html"))
        pages = sorted(path.removesuffix("index.html") for path in found)
        lines = [
            f"<url><loc>{escape(url + quote(page))}</loc></url>\n"
            for page in pages
            if not page.endswith("/embed/")
        ]
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        (folder / "sitemap.xml").write_text("".join([head, *lines, "</urlset>\n"]), encoding="utf-8")
        robots += f"\nSitemap: {url}sitemap.xml\n"
    (folder / "robots.txt").write_text(robots, encoding="utf-8")
