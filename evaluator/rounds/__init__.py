"""Collecting examples that fool models: people write and validate, commands check, merge and freeze."""
