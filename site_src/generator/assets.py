"""Assets and the scorer, published under content hashes so that pages and snapshots share them."""

from __future__ import annotations

from pathlib import Path

from evaluator.rank import FILES
from site_src.generator.output import publish
from site_src.generator.runtime import RANK, publish_runtime
from site_src.generator.urls import Shared

SOURCE = Path(__file__).parent.parent / "assets"


def asset_files() -> dict[str, Path]:
    """Every asset by the name it is published under: its room and its own name."""
    files = (path for path in sorted(SOURCE.glob("*/*")) if path.is_file())
    return {path.relative_to(SOURCE).as_posix(): path for path in files}


def publish_shared(output: Path, cache: Path | None = None) -> Shared:
    """Write assets, scorer and runtime into `output`; the modules keep their relative imports."""
    runtime = publish_runtime(output, cache)
    return Shared(
        assets=publish(output, "assets", asset_files()),
        scorer=publish(output, "scorer", {name: RANK / name for name in FILES}),
        runtime=runtime.directory,
    )
