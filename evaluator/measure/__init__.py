"""What runs a model: workers and their isolation, models, timing, and runs of them."""
