"""What is wrong with a collection."""


class CollectError(ValueError):
    """A collection that cannot go on; the message names the file, the field, the value and the fix."""
