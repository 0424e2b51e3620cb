"""WordPiece tokenisers of the library tokenizers, described for `evaluator.browser_models.wordpiece`.

What the library makes of a character is asked of the library itself, of every character there is.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from evaluator.browser_models.errors import NotInBrowserError
from evaluator.browser_models.wordpiece import HANGUL
from evaluator.models.base import need

#: Every code point that a text may have.
CODES = (*range(0xD800), *range(0xE000, 0x110000))
#: A combining mark that every other one comes after in NFD, and one that every mark of the same class comes
# before.
FIRST, LAST = "\u0334", "\u0301"
Normalise = Callable[[str], str]
#: What an added token must be for it to be found in the text as it was typed, wherever it stands.
PLAIN = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}


def described(tokenizer: Any) -> dict[str, Any]:
    """A `tokenizers.Tokenizer` as JSON. Raises `NotInBrowserError` where a page could not do exactly the
    same.
    """
    spec = json.loads(tokenizer.to_str())
    for part, kind in (
        ("model", "WordPiece"),
        ("normalizer", "BertNormalizer"),
        ("pre_tokenizer", "BertPreTokenizer"),
    ):
        found = (spec[part] or {}).get("type")
        if found != kind:
            raise NotInBrowserError(f"its tokeniser has the {part.replace('_', '-')} {found}, not {kind}")
    model = spec["model"]
    normalise = tokenizer.normalizer.normalize_str
    return {
        "vocabulary": _vocabulary(model["vocab"]),
        "unknown": model["unk_token"],
        "prefix": model["continuing_subword_prefix"],
        "longest_word": model["max_input_chars_per_word"],
        "special": _special(spec["added_tokens"]),
        **_templates(spec["post_processor"]),
        "characters": characters(normalise),
        "marks": marks(normalise, bool(spec["normalizer"]["clean_text"])),
        **words(tokenizer.pre_tokenizer.pre_tokenize_str),
    }


def _vocabulary(numbers: Mapping[str, int]) -> list[str]:
    if sorted(numbers.values()) != list(range(len(numbers))):
        raise NotInBrowserError("the pieces of its tokeniser are not numbered one after the other")
    return sorted(numbers, key=numbers.__getitem__)


def _special(added: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    found = {}
    for token in added:
        for name, value in PLAIN.items():
            if token[name] != value:
                raise NotInBrowserError(f"its tokeniser has the added token {token['content']} with {name}")
        found[token["content"]] = token["id"]
    return found


def _templates(spec: Mapping[str, Any] | None) -> dict[str, list[dict[str, int]]]:
    """What stands around one text, and around two."""
    kind = (spec or {}).get("type")
    if spec is not None and kind == "TemplateProcessing":
        return {name: list(_template(spec[name], spec["special_tokens"])) for name in ("single", "pair")}
    if spec is not None and kind == "BertProcessing":
        (_, start), (_, end) = spec["cls"], spec["sep"]
        single = [{"token": start, "type": 0}, {"text": 0, "type": 0}, {"token": end, "type": 0}]
        return {"single": single, "pair": [*single, {"text": 1, "type": 1}, {"token": end, "type": 1}]}
    raise NotInBrowserError(f"its tokeniser has the post-processor {kind}")


def _template(parts: Iterable[Mapping[str, Any]], special: Mapping[str, Any]) -> Iterator[dict[str, int]]:
    for part in parts:
        ((kind, what),) = part.items()
        if kind == "Sequence":
            yield {"text": "AB".index(what["id"]), "type": what["type_id"]}
        else:
            yield from ({"token": number, "type": what["type_id"]} for number in special[what["id"]]["ids"])


def characters(normalise: Normalise) -> dict[str, Any]:
    """What a normaliser makes of each character, for `wordpiece.Characters`."""
    removed, spaced, changed = [], [], {}
    for code, found in each(normalise):
        if not found:
            removed.append(code)
        elif found == f" {chr(code)} ":
            spaced.append(code)
        elif found != chr(code):
            changed[chr(code)] = found
    syllables = {chr(code): unicodedata.normalize("NFD", chr(code)) for code in HANGUL}
    hangul = syllables.items() <= changed.items()
    if hangul:
        changed = {character: text for character, text in changed.items() if ord(character) not in HANGUL}
    return {"changed": changed, "removed": runs(removed), "spaced": runs(spaced), "hangul": hangul}


def marks(normalise: Normalise, cleans: bool) -> dict[str, Any]:
    """Which marks a normaliser leaves, for `wordpiece.Marks`; none where it does not normalise to NFD."""
    if normalise(f"a{LAST}") != "a":
        return {"staying": "", "cleaned": [], "known": []}
    normalizers = need("tokenizers").normalizers
    decompose = normalizers.NFD().normalize_str
    clean = normalizers.BertNormalizer(
        clean_text=cleans, handle_chinese_chars=False, strip_accents=False, lowercase=False
    ).normalize_str
    combining = [chr(code) for code in CODES if unicodedata.combining(chr(code))]
    moved = {mark for mark in combining if _is_moved(mark, decompose)}
    left = {mark for mark in moved if normalise(mark)}
    apart = {chr(code): text for code, text in each(decompose) if text != chr(code) and code not in HANGUL}
    known = moved | set(apart)
    return {
        "staying": "".join(sorted(one for one in known if not left.isdisjoint(apart.get(one, one)))),
        "cleaned": runs(code for code, found in each(clean) if not found),
        "known": runs(sorted(map(ord, known))),
    }


def _is_moved(mark: str, decompose: Normalise) -> bool:
    """Whether the library puts a mark in order; one that came into Unicode later it leaves where it is."""
    alone = decompose(mark)
    before, after = decompose(mark + FIRST), decompose(LAST + mark)
    return before == FIRST + alone != mark + FIRST or after == alone + LAST != LAST + mark


def words(pre_tokenise: Callable[[str], list[Any]]) -> dict[str, list[list[int]]]:
    """Which characters part words: `spaces` are dropped, a mark of `punctuation` is a word."""

    def parts(text: str) -> int:
        return len(pre_tokenise(f"a{text}a"))

    mixed = (code for block in _blocks() if parts(block) > 1 for code in map(ord, block))
    counts = {code: parts(chr(code)) for code in mixed}
    return {
        "spaces": runs(code for code, count in counts.items() if count == 2),
        "punctuation": runs(code for code, count in counts.items() if count == 3),
    }


def each(normalise: Normalise) -> Iterator[tuple[int, str]]:
    """Every code point, and what a normaliser makes of it; most blocks it leaves as they are, or removes."""
    for block in _blocks():
        whole = normalise(block)
        for character in block:
            if whole in ("", block):
                yield ord(character), character if whole else ""
            else:
                yield ord(character), normalise(character)


def _blocks() -> Iterator[str]:
    """All characters, 256 at a time."""
    for start in range(0, len(CODES), 256):
        yield "".join(map(chr, CODES[start : start + 256]))


def runs(codes: Iterable[int]) -> list[list[int]]:
    """Ascending code points as the first and the last of each run."""
    found: list[list[int]] = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found
