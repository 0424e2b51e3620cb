"""The one rule for characters that nobody sees. `site_src/assets/base/invisible.js` has the same.

Control characters, marks that turn the direction of all text after them, characters without width, line
separators, byte-order marks and tags. The joiners U+200C and U+200D stay: scripts and emoji are written
with them.
"""

from __future__ import annotations

import re

_INVISIBLE = re.compile(
    "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e"
    "\\u2060-\\u206f\\ufeff\\ufff0-\\ufffb\\ufffe\\uffff\\U000e0000-\\U000e007f]"
)


def visible(text: str) -> str:
    """`text` on one line, with one space in place of every run of spaces and invisible characters."""
    return " ".join(_INVISIBLE.sub(" ", text).split())
