"""Models of the hub in a worker, whose home is another one and which sees no cache but the model's own."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.measure.models.pretrained import cache, cached_files
from evaluator.measure.worker import ModelToLoad, Worker

pytestmark = pytest.mark.slow

COMMIT = "0123456789" * 4
VARIABLES = ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME")


@pytest.mark.parametrize("given", [(), ("HF_HOME",), ("XDG_CACHE_HOME",), VARIABLES])
def test_the_cache_is_where_the_hubs_own_package_has_it(
    given: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whatever variables are set, the folder is the one that huggingface_hub uses."""
    constants = importlib.import_module("huggingface_hub.constants")
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in given:
        monkeypatch.setenv(name, str(tmp_path / name))
    try:
        assert str(cache()) == importlib.reload(constants).HF_HUB_CACHE
    finally:
        monkeypatch.undo()
        importlib.reload(constants)


def test_a_cached_model_is_opened_by_its_worker(
    save_bert: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hub model, which the cache keeps as links to files beside it, is loaded and answers; others stay hidden."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    for model in ("org/wanted", "org/other"):
        _cache(model, save_bert, tmp_path / model.partition("/")[2])
    options = {"model": "org/wanted", "revision": COMMIT}
    spec = ModelToLoad("transformers", Path(), options, "sentiment", ("LABEL_0", "LABEL_1"))
    with Worker(spec) as worker:
        worker.start()
        assert worker.predict({"statement": "good film"}).output["label"] in spec.labels


def _cache(model: str, save_bert: Callable[..., None], saved: Path) -> None:
    """Put a model into the cache as a download would."""
    save_bert(saved)
    folder = cached_files(model)
    blobs, snapshot = folder / "blobs", folder / "snapshots" / COMMIT
    blobs.mkdir(parents=True)
    snapshot.mkdir(parents=True)
    for file in saved.iterdir():
        file.rename(blobs / file.name)
        (snapshot / file.name).symlink_to(Path("../../blobs") / file.name)
