"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# How long an example takes says nothing on a machine that does other things too.
settings.register_profile("steelyard", deadline=None)
settings.load_profile("steelyard")
