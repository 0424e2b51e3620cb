"""What other tools write and read: logs of evaluation tools, Hugging Face metadata, CSV."""
