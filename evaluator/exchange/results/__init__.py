"""Any file of results as numbers of a board: it is read, understood, shown to a person, and stored."""
