"""Encoders: real ones, small. What they say of themselves decides what is kept and found again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evaluator.measure.difficulty.embeddings import TextEncoder, open_encoder
from evaluator.records.base import digest

TEXTS = ["good film", "not good", "very very dull film", "kind", "bad film", "good film"]
REVISION = digest("corpus")


def tfidf(corpus: list[str], revision: str = REVISION) -> TextEncoder:
    return open_encoder("tfidf", corpus, revision, 0)


def ignored(done: int) -> None:
    """Progress of no interest."""


@pytest.mark.parametrize("kind", ["tfidf", pytest.param("network", marks=pytest.mark.slow)])
def test_the_order_of_texts_changes_nothing(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Embeddings have length 1, the same for the same text, and do not depend on the order of the texts."""
    encoder = (
        tfidf(TEXTS) if kind == "tfidf" else open_encoder(str(request.getfixturevalue("network")), (), "", 0)
    )
    found = encoder.embed(TEXTS, tmp_path / "a", ignored)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert (found[0] == found[5]).all()
    assert not np.allclose(found[0], found[1])
    backwards = encoder.embed(TEXTS[::-1], tmp_path / "b", ignored)
    assert (backwards[::-1] == found).all()


@pytest.mark.slow
def test_an_encoder_is_known_by_its_files(network: Path, tmp_path: Path) -> None:
    """The description of a folder has its name and the hash of its files, not its path."""
    before = open_encoder(str(network), (), "", 0).spec
    assert before["name"] == "tiny-encoder"
    assert str(tmp_path) not in str(before)
    moved = network.rename(tmp_path / "elsewhere")
    assert open_encoder(str(moved), (), "", 0).spec["files"] == before["files"]
    (moved / "extra.json").write_text("{}")
    assert open_encoder(str(moved), (), "", 0).spec["files"] != before["files"]


def test_tfidf_is_known_by_what_it_learnt_its_words_from(tmp_path: Path) -> None:
    """A text without a known word is like no other; another corpus is another encoder."""
    encoder = tfidf(TEXTS)
    assert encoder.spec["fitted_on"] == REVISION
    assert encoder.spec != tfidf(TEXTS[:3], digest("other")).spec
    unknown = encoder.embed(["zebra quagga"], tmp_path, ignored)
    assert not unknown.any()
