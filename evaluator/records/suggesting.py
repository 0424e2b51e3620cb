"""What somebody may have meant by a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable

#: How many names are listed beside a suggestion; more would bury it.
FEW = 8


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean x?`` if `name` is nearly one of those known, in any case, else nothing."""
    import difflib

    folded = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), list(folded), n=1)
    return f"; did you mean {folded[near[0]]}?" if near else ""


def or_one_of(name: str, known: Iterable[str]) -> str:
    """``; did you mean x?``, then ``; there are a, b, c`` unless these are many and one of them is near."""
    names = list(known)
    near = did_you_mean(name, names)
    if near and len(names) > FEW:
        return near
    # A question ends the sentence before; the list begins another one.
    start = f"{near} There" if near else "; there"
    return f"{start} {'is' if len(names) == 1 else 'are'} {', '.join(names) or 'none'}"
