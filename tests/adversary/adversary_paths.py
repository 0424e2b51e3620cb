"""Where the helpers of other tests are, which the campaign uses too; to be imported before them."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
sys.path += [str(TESTS / folder) for folder in ("", "data", "exchange", "publish")]
