"""What goes wrong between Steelyard's records and the files of other tools."""

from __future__ import annotations


class InterchangeError(ValueError):
    """A file or a wish that cannot be taken as it is; the message names the field, the value and the fix."""
