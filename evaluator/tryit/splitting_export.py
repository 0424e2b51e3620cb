"""Pre-tokenisers of the library tokenizers, described for `evaluator.tryit.splitting`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluator.tryit.characters_export import Step, matching
from evaluator.tryit.errors import NotInBrowserError


def described(spec: Mapping[str, Any] | None) -> Iterator[Step]:
    """The steps of a pre-tokeniser of ``tokenizer.json``. Raises `NotInBrowserError` for one not known."""
    if spec is None:
        return
    kind = spec["type"]
    if kind == "Sequence":
        for one in spec["pretokenizers"]:
            yield from described(one)
    elif kind == "WhitespaceSplit":
        yield {"type": "words", "spaces": matching(r"\s")}
    elif kind == "Metaspace":
        yield _metaspace(spec)
    elif kind == "Split" and _is_after(spec):
        yield {"type": "after", "text": spec["pattern"]["String"]}
    elif kind == "ByteLevel":
        yield from _byte_level(spec)
    else:
        raise NotInBrowserError(f"its tokeniser has the pre-tokenizer {kind}")


def _is_after(spec: Mapping[str, Any]) -> bool:
    return "String" in spec["pattern"] and spec["behavior"] == "MergedWithPrevious" and not spec["invert"]


def _metaspace(spec: Mapping[str, Any]) -> Step:
    names = {"mark": "replacement", "prepends": "prepend_scheme", "splits": "split"}
    return {"type": "metaspace", **{name: spec[theirs] for name, theirs in names.items()}}


def _byte_level(spec: Mapping[str, Any]) -> Iterator[Step]:
    if spec["add_prefix_space"]:
        yield {"type": "prefix"}
    if spec["use_regex"]:
        classes = {"letters": r"\p{L}", "numbers": r"\p{N}", "spaces": r"\s"}
        yield {"type": "gpt2", **{name: matching(pattern) for name, pattern in classes.items()}}
    yield {"type": "bytes"}
