"""Everything that runs a model: workers and their isolation, models, timing, runs that plan, drive and resume."""
