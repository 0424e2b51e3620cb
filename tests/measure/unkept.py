"""The command line with models that nothing keeps in, so that they can tell a test what they saw.

``python tests/measure/unkept.py evaluate`` does what ``steelyard evaluate`` does, as on a system without any layer.
"""

from __future__ import annotations

from evaluator import cli
from evaluator.measure.isolation.launcher import LAYERS
from evaluator.measure.isolation.probing import Layers
from evaluator.measure.worker import process

NOTHING = Layers((), 0, False, dict.fromkeys(LAYERS, "switched off"))


def main() -> None:
    process.probe = lambda: NOTHING
    cli.main()


if __name__ == "__main__":
    main()
