"""What goes wrong between Steelyard's records and the files of other tools."""

from __future__ import annotations


class InterchangeError(ValueError):
    """A file or a request that cannot be used as it is; the message names field, value and fix."""
