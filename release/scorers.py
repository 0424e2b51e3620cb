"""Writes the hashes of this version's scorer to the list that the program ships.

A snapshot that was frozen by this version can then be ranked again by every later one. Run it whenever a file
of ``evaluator/rank`` has changed; a test says so where that was forgotten. A scorer of this repository's own
snapshots stays on the list, under their time, when the version gets another one before its release.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaluator import __version__
from evaluator.publish.snapshots.scorers import KNOWN, file_hash, shipped

ROOT = Path(__file__).parents[1]


def main() -> None:
    known = json.loads(KNOWN.read_text("utf-8"))
    before = known.get(__version__)
    now = {name: file_hash(content) for name, content in shipped().items()}
    for path in sorted(ROOT.glob("results/snapshots/*/snapshot.json")):
        snapshot = json.loads(path.read_text("utf-8"))
        if snapshot["scorer"] == before != now:
            known[f"{__version__} of {snapshot['created']}"] = before
    known[__version__] = now
    KNOWN.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
