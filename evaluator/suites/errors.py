"""What is wrong with a suite, its options or its data."""


class SuiteError(ValueError):
    """A suite that cannot be made; the message names file, field, value and fix."""
