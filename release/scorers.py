"""Writes the hashes of this version's scorer to the list that the program ships.

A snapshot that was frozen by this version can then be ranked again by every later one. Run it whenever a file
of ``evaluator/rank`` has changed; a test says so where that was forgotten.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaluator import __version__
from evaluator.publish.snapshots.scorers import KNOWN, file_hash, shipped


def main() -> None:
    known = json.loads(KNOWN.read_text("utf-8")) if KNOWN.exists() else {}
    known[__version__] = {name: file_hash(content) for name, content in shipped().items()}
    KNOWN.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
