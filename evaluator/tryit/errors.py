"""What can go wrong with a model's browser copy."""

from __future__ import annotations


class NotInBrowserError(ValueError):
    """A model that no page can run; the message says why."""


class BrowserCheckError(RuntimeError):
    """A browser copy that could not be compared; the message says what to do."""
