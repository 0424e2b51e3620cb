"""WordPiece tokenisers of the library tokenizers, described for `evaluator.tryit.wordpiece`.

What the library turns a character into is found by asking the library about every one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from evaluator.measure.models.base import need
from evaluator.tryit.assembling_export import templates
from evaluator.tryit.characters import HANGUL
from evaluator.tryit.characters_export import CODES, LAST, blocks, each, is_moved, runs
from evaluator.tryit.errors import NotInBrowserError
from evaluator.tryit.normalising import Normalise
from evaluator.tryit.vocabularies import vocabulary

#: What an added token must be for it to be found in the text as it was typed, wherever it stands.
PLAIN = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}


def described(tokenizer: Any, spec: Mapping[str, Any]) -> dict[str, Any]:
    """A `tokenizers.Tokenizer` of the model WordPiece as JSON, by its ``tokenizer.json``.

    Raises `NotInBrowserError` where a page could not do exactly the same.
    """
    for part, kind in (
        ("normalizer", "BertNormalizer"),
        ("pre_tokenizer", "BertPreTokenizer"),
    ):
        found = (spec[part] or {}).get("type")
        if found != kind:
            raise NotInBrowserError(f"its tokeniser has the {part.replace('_', '-')} {found}, not {kind}")
    model = spec["model"]
    normalise = tokenizer.normalizer.normalize_str
    return {
        "vocabulary": vocabulary(model["vocab"]),
        "unknown": model["unk_token"],
        "prefix": model["continuing_subword_prefix"],
        "longest_word": model["max_input_chars_per_word"],
        "special": _special(spec["added_tokens"]),
        **templates(spec["post_processor"]),
        "characters": characters(normalise),
        "marks": marks(normalise, bool(spec["normalizer"]["clean_text"])),
        **words(tokenizer.pre_tokenizer.pre_tokenize_str),
    }


def _special(added: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    found = {}
    for token in added:
        for name, value in PLAIN.items():
            if token[name] != value:
                raise NotInBrowserError(f"its tokeniser has the added token {token['content']} with {name}")
        found[token["content"]] = token["id"]
    return found


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
    moved = {mark for mark in combining if is_moved(mark, decompose)}
    left = {mark for mark in moved if normalise(mark)}
    apart = {chr(code): text for code, text in each(decompose) if text != chr(code) and code not in HANGUL}
    known = moved | set(apart)
    return {
        "staying": "".join(sorted(one for one in known if not left.isdisjoint(apart.get(one, one)))),
        "cleaned": runs(code for code, found in each(clean) if not found),
        "known": runs(sorted(map(ord, known))),
    }


def words(pre_tokenise: Callable[[str], list[Any]]) -> dict[str, list[list[int]]]:
    """Which characters part words: `spaces` are dropped, a mark of `punctuation` is a word."""

    def parts(text: str) -> int:
        return len(pre_tokenise(f"a{text}a"))

    mixed = (code for block in blocks() if parts(block) > 1 for code in map(ord, block))
    counts = {code: parts(chr(code)) for code in mixed}
    return {
        "spaces": runs(code for code, count in counts.items() if count == 2),
        "punctuation": runs(code for code, count in counts.items() if count == 3),
    }
