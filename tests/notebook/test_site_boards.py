"""A published site opens as its board file does, and says what it cannot give, or what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from site_server import served

from evaluator import Leaderboard, OpenBoard
from evaluator.records.errors import UserError
from site_src.generator.build import build

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
READABLE = ROOT / "examples" / "readable" / "board.toml"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """The folder and the address of the site of the sentences to read."""
    folder = tmp_path_factory.mktemp("site") / "build"
    build(READABLE, ROOT / "results", folder)
    with served(folder) as address:
        yield folder, address


def test_a_site_has_the_boards_of_its_file(site: tuple[Path, str], board: OpenBoard) -> None:
    """Numbers, rankings, rank sets and predictions are the same."""
    published = Leaderboard.open(site[1])
    assert published.boards == Leaderboard.open(READABLE).boards
    other = published.board("sentences")
    pd.testing.assert_frame_equal(other.to_pandas(), board.to_pandas())
    assert (other.models, other.datasets, other.metrics) == (
        board.models,
        dict(board.datasets),
        board.metrics,
    )
    weights = {"accuracy": 2.0, "memory": 1.0}
    columns = ["rank", "best_rank", "worst_rank", "leads", "dynascore"]
    pd.testing.assert_frame_equal(
        other.rank(weights).to_pandas()[columns], board.rank(weights).to_pandas()[columns]
    )
    frames = [one.predictions("vader", "sentences").to_pandas() for one in (other, board)]
    pd.testing.assert_frame_equal(*frames)


def test_what_a_site_does_not_have_is_said(site: tuple[Path, str]) -> None:
    """Names, texts, and an address without a site."""
    published = Leaderboard.open(site[1])
    with pytest.raises(UserError, match="board: 'sentence' is not there; did you mean sentences"):
        published.board("sentence")
    with pytest.raises(UserError, match="a site has no texts and right answers; open the board file"):
        published.dataset("sentences")
    with pytest.raises(UserError, match=r"the server answers 404 .*; give the address of the site's front"):
        Leaderboard.open(f"{site[1]}nowhere/")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"cells": None}, "board.json: "),
        ({"models": [{}]}, "board.json: lacks what is read of it .*; the site may be older or newer"),
        ({"certainty": {"data": "https://example.org/x", "sha256": ""}}, "which is not of the site"),
        ({"certainty": {"data": "board.json", "sha256": "0"}}, "sha256: .*, not 0; build the site again"),
    ],
)
def test_a_document_that_is_not_as_written_is_refused(
    site: tuple[Path, str], changed: dict[str, object], message: str
) -> None:
    """Another site's addresses, other bytes than the hash says, and fields that lack."""
    path = site[0] / "sentences" / "board.json"
    kept = path.read_bytes()
    path.write_text(json.dumps(json.loads(kept) | changed))
    try:
        with pytest.raises(UserError, match=message):
            Leaderboard.open(site[1]).board("sentences")
    finally:
        path.write_bytes(kept)
