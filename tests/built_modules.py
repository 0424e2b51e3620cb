"""What a real build of a site loads, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: Pages are all rendered in the one process: what another one imports would not be seen.
BUILD = """
import json, sys
from pathlib import Path
from site_publish import write_published, write_snapshots
from evaluator.cli import reference
from site_src.generator import parallel
from site_src.generator.build import build
folder = Path(sys.argv[1])
boards, results = write_published(folder)
write_snapshots(boards, results, 2)
parallel.BLOCK = sys.maxsize
build(boards, results, folder / "build", reference=reference.pages())
files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
print(json.dumps(files))
"""


def modules_of_a_build(folder: Path) -> dict[str, Path | None]:
    """Every module that building the published sample world in `folder` has loaded, and its file."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "site")])
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(folder)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    files = json.loads(done.stdout).items()
    return {name: Path(file) if file is not None else None for name, file in files}
