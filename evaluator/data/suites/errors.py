"""What is wrong with a suite, its options or its data."""


class SuiteError(ValueError):
    """A suite that cannot be made; the message names file, field, value and fix."""


class SuitePackageError(SuiteError):
    """A package that a suite needs is not installed; the message says how to get it."""
