"""What pages show, as data: columns, rows, words and the places of marks."""
