"""From predictions to scores: everything that is computed without running a model."""
