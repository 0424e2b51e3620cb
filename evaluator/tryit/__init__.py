"""Models that run in a visitor's browser: which ones can be copied there, and how far the copies agree.

`answering`, `linear` and `features` run in the browser; they import the standard library and what runs
there, too. The other modules make copies and check them.
"""
