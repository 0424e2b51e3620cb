"""What the library tokenizers puts around texts, described for `evaluator.tryit.assembling`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evaluator.tryit.errors import NotInBrowserError

#: A part of a template, as `evaluator.tryit.assembling.Template` has it.
AssembledPart = dict[str, int]


def templates(spec: Mapping[str, Any] | None) -> dict[str, list[AssembledPart]]:
    """What stands around one text, and around two, by a post-processor of ``tokenizer.json``.

    Raises `NotInBrowserError` for one that is not known.
    """
    if spec is None or spec["type"] == "ByteLevel":
        return {"single": [_text(0, 0)], "pair": [_text(0, 0), _text(1, 1)]}
    if spec["type"] == "TemplateProcessing":
        return {name: list(_template(spec[name], spec["special_tokens"])) for name in ("single", "pair")}
    if spec["type"] == "Sequence":
        # ByteLevel only moves offsets.
        others = [one for one in spec["processors"] if one["type"] != "ByteLevel"]
        if len(others) < 2:
            return templates(others[0] if others else None)
    if spec["type"] not in _FIXED:
        raise NotInBrowserError(f"its tokeniser has the post-processor {spec['type']}")
    (_, start), (_, end) = spec["cls"], spec["sep"]
    between, type_ = _FIXED[spec["type"]]
    single = [_token(start, 0), _text(0, 0), _token(end, 0)]
    return {
        "single": single,
        "pair": [*single, *[_token(end, 0)] * between, _text(1, type_), _token(end, type_)],
    }


#: How many more separators stand between two texts, and the segment of the second.
_FIXED = {"BertProcessing": (0, 1), "RobertaProcessing": (1, 0)}


def _text(place: int, type_: int) -> AssembledPart:
    return {"text": place, "type": type_}


def _token(number: int, type_: int) -> AssembledPart:
    return {"token": number, "type": type_}


def _template(parts: Iterable[Mapping[str, Any]], special: Mapping[str, Any]) -> Iterator[AssembledPart]:
    for part in parts:
        ((kind, what),) = part.items()
        if kind == "Sequence":
            yield _text("AB".index(what["id"]), what["type_id"])
        else:
            yield from (_token(number, what["type_id"]) for number in special[what["id"]]["ids"])
