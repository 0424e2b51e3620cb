"""What is read as data: tables, tasks, datasets in their published formats, perturbation suites."""
