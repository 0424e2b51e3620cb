"""SentencePiece's map of characters, as the library tokenizers applies it; standard library only.

What a reader sees as one character is changed as a whole if it takes fewer than six bytes: it becomes what
the map has of its shortest beginning, and the rest is lost. Of a longer one each character is changed by
itself. Clusters end as Unicode Standard Annex 29 says. Its rules about Hangul and flags are left out: their
clusters have six bytes or more, and `charsmap_export` sees to it that no key begins with one of theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from evaluator.tryit.characters import Runs, in_pattern

#: Bytes of a cluster that is not changed as a whole.
LONG = 6


def charsmap(step: Mapping[str, Any]) -> Callable[[str], str]:
    """The step of a description by `charsmap_export.described`."""
    changed: Mapping[str, str] = step["changed"]
    table = {ord(key): text for key, text in changed.items() if len(key) == 1}
    joining, clusters = patterns(step["clusters"])

    def of_cluster(cluster: str) -> str:
        if len(cluster) > 1 and len(cluster.encode()) < LONG:
            for beginning in _beginnings(cluster):
                if beginning in changed:
                    return changed[beginning]
        return cluster.translate(table)

    def normalise(text: str) -> str:
        # Most texts have nothing that joins characters.
        if not joining.search(text):
            return text.translate(table)
        return "".join(map(of_cluster, clusters.findall(text)))

    return normalise


def _beginnings(text: str) -> Iterator[str]:
    return (text[:length] for length in range(1, len(text) + 1))


def patterns(kinds: Mapping[str, Runs]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What tells that a text may have clusters of several characters, and what matches a cluster."""
    of = {name: f"[{in_pattern(runs)}]" for name, runs in kinds.items()}
    emoji = f"{of['emoji']}(?:{of['extending']}*\u200d{of['emoji']})*"
    linked = f"{of['passed']}*{of['linking']}(?:{of['passed']}|{of['linking']})*"
    consonants = f"{of['consonants']}(?:{linked}{of['consonants']})*"
    other = f"[^{in_pattern(kinds['control'])}]"
    joined = f"{of['prepended']}*(?:{emoji}|{consonants}|{other}){of['attached']}*"
    joining = f"\r|{of['attached']}|{of['prepended']}"
    return re.compile(joining), re.compile(f"\r\n|{of['control']}|{joined}")
