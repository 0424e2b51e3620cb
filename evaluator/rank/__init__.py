"""What is computed in the browser too: scorer, rank sets, trade-offs, what-ifs, difficulty. Standard library only."""
