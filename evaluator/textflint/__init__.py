"""TextFlint 0.1.0 as a second backend of the robustness suites, in its own environment and process."""

from evaluator.textflint.client import (
    ServerAnswer,
    TextFlint,
    edits_between,
    textflint,
    transformations,
)
from evaluator.textflint.environment import Environment
from evaluator.textflint.install import install

__all__ = [
    "Environment",
    "ServerAnswer",
    "TextFlint",
    "edits_between",
    "install",
    "textflint",
    "transformations",
]
