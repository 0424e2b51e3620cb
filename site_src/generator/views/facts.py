"""A line of the tables that say what a dataset, a suite, a result or a model is."""

from __future__ import annotations

#: What the line is about, and what it says; a line that says nothing is left out where that may be.
Fact = tuple[str, str | None]
