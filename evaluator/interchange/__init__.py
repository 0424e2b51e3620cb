"""What other tools write and read: results of lm-evaluation-harness, Hugging Face metadata, CSV."""
