"""What is raised before any score is computed."""


class PlanError(ValueError):
    """Work that cannot start; the message names what is missing and the fix."""
