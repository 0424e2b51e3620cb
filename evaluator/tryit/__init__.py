"""Models that run in a visitor's browser: which ones can be copied there, and how far the copies agree.

`answering` and `linear` run in the browser, in Python; they import the standard library and what runs there,
too. `copies` and `networks` make copies, and `checking` compares them with the models.
"""
