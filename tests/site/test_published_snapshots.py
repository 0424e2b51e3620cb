"""The snapshots that this repository has published keep working, whatever becomes of the site around them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page
from site_pages import open_board
from site_sample import write_world
from site_server import served

from evaluator.publish.snapshots.repository import load
from evaluator.rank import dynascore
from site_src.generator.build import build

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "results" / "snapshots"
SNAPSHOTS = sorted(path.parent.name for path in PUBLISHED.glob("*/snapshot.json"))
#: Whether every row of the page has the rank that is expected of its model.
RANKED_AS = """(expected) => {
  const rows = [...document.querySelectorAll("#rows > tr")];
  return rows.every((row) => expected[row.dataset.model] === row.querySelector(".place").textContent);
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a site of other boards is served that has these snapshots; ends in a slash."""
    folder = tmp_path_factory.mktemp("published")
    boards, results = write_world(folder)
    shutil.copytree(PUBLISHED, results / "snapshots")
    build(boards, results, folder / "build")
    with served(folder / "build") as found:
        yield found


@pytest.mark.parametrize("snapshot", SNAPSHOTS)
def test_a_published_snapshot_opens_and_is_weighed_anew(page: Page, address: str, snapshot: str) -> None:
    """Its page shows the frozen ranks, and at other weights those that the scorer gives for its cells."""
    frozen = load(PUBLISHED, snapshot)
    open_board(page, f"{address}snapshots/{snapshot}/")
    models, ranks = frozen.data.models, frozen.ranking.ranks
    page.wait_for_function(RANKED_AS, arg=dict(zip(models, map(place, ranks), strict=True)))
    last = [metric["name"] for metric in frozen.data.plain()["metrics"]][-1]
    weights = {name: 5.0 if name == last else 0.0 for name in frozen.weights.metrics}
    rows = dynascore.Board.from_dict(frozen.data.plain()).rank(weights, frozen.weights.datasets).rows
    parts = ",".join(f"{quote(name, safe='')}:{weight:g}" for name, weight in weights.items())
    page.goto(f"{address}snapshots/{snapshot}/#v1;m={parts}")
    page.wait_for_function(RANKED_AS, arg={row.model: place(row.rank) for row in rows})


def place(rank: int | None) -> str:
    return "—" if rank is None else str(rank)
