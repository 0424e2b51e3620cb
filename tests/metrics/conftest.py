"""Tests of metrics share definitions written out and tiny networks with the command of the agreement page."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
