"""Steelyard's evaluator: everything that runs a model or computes a number."""

__version__ = "0.1.0"
