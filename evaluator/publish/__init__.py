"""A leaderboard's repository: a new one, what a change to it does, and its site on a branch.

`scaffolding` makes one, `checking`, `changes` and `moves` say what a change does to the results, and
`branch` publishes the built site. Nothing here runs a model or opens a file that board.toml names.
"""
