"""Renders stored results as a static site. Imports neither models, worker nor measure."""
