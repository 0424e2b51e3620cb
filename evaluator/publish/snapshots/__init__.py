"""Snapshots: a board frozen with all its numbers and its scorer, checked, compared, followed over time.

They are in ``results/snapshots/<id>/`` and never change. `freezing` makes one, `repository` writes and reads
them, `verifying` finds every change and ranks again with the scorer that is in the snapshot, `differing` says
who moved and why, and how models did over time.
"""
