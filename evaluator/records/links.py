"""Links that people give: the visible address is where a link leads, and it holds no password."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

from evaluator.rank.formats import visible

#: Something before the host, also where a browser would add slashes that were left out.
_CREDENTIALS = re.compile(r"(?i)((https?|ftp):/*|//)[^/?#]*@")


def check_link(link: str) -> str:
    """The link as it is. Raises ValueError, with the fix, where it hides something or is none.

    Refused are characters that nobody sees or that turn the direction of text, backslashes (browsers
    read them as slashes), and names or passwords before the host.
    """
    for mark in link:
        if mark == "\\" or not mark.isprintable() or visible(f"a{mark}b") != f"a{mark}b":
            fix = "remove it, or write it as %XX"
            raise ValueError(f"holds U+{ord(mark):04X}, which hides where it leads; {fix}")
    try:
        urlsplit(link)
    except ValueError as error:
        raise ValueError(f"is no address ({error}); correct it") from None
    if _CREDENTIALS.match(link):
        raise ValueError("holds a name or a password before its host, which would be published; remove it")
    return link


Link = Annotated[str, AfterValidator(check_link)]
