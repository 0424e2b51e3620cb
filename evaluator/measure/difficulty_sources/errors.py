"""What can go wrong with a source of difficulty."""


class SourceError(ValueError):
    """A source that cannot be computed or read; the message names what is wrong and the fix."""
