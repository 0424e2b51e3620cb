"""Tokenisers of subwords in a browser: they number texts as the library does, or are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword_tokenizers import BYTE_PAIRS, PIECES, byte_level, charsmap, from_spec
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

from evaluator.tryit.encoder_export import described
from evaluator.tryit.errors import NotInBrowserError
from evaluator.tryit.subwords import Subwords

#: Where libraries part: contractions, spaces of all kinds, marks, joined emoji, what parts lines, pieces.
ODD = (
    *(
        "'s",
        "'S",
        "'ll",
        "' re",
        "’ve",
        "don't",
        "film",
        "films a",
        "goods",
        "xyz",
        "``",
        "''",
        "12",
        "½",
        "Ⅷ",
    ),
    *(" ", "  ", "    ", "\t", "\n", "\r\n", "\r", "\x0b", "\x85", "\xa0", "\u2003", "\u2028", "\u3000"),
    *("\0", "\x01", "\x1c", "\x7f", "\xad", "\u200b", "\u200d", "\u2060", "\ufeff", "\ufffd", "\ue000"),
    *(
        "é",
        "e\u0301",
        "e\u0323\u0301",
        "e\u0301\u0323",
        "\u0344",
        "\u0301",
        "ﬁ",
        "ＡＢ",
        "Å",
        "ß",
        "ẞ",
        "İ",
        "ſ",
        "Σ",
    ),
    *("不好", "豈", "각", "\u1100\u1161\u11a8", "ｶﾞ", "क्\u0958\u0301", "ก็", "\u0600a", "\u0378", "\U0001e900"),
    *("😀", "👩‍👩‍👧", "©\u200d", "©\u200d©", "🇩🇪🇫🇷🇮", "❤️", "👍🏽", "\U000e0041", "\U0001d165", "\U00010400"),
    *(
        "<s>",
        "</s>",
        "<mask>",
        " <mask> ",
        "<mask",
        "<unk>",
        "<pad>",
        "[SEP]",
        "[UNK]",
        "▁",
        "▁▁",
        "▁a",
        "<0x41>",
    ),
    *("a" * 300, "film" * 40, "#" * 70),
)
TEXT = st.lists(
    st.one_of(
        st.sampled_from(ODD),
        st.sampled_from(["It's", "good", "film", "a ", " 1999", "."]),
        st.text(max_size=4),
    ),
    max_size=14,
).map("".join)


def both(make: Callable[[], Tokenizer]) -> tuple[Tokenizer, Subwords]:
    """The library's tokeniser, and the page's made of its description as the page reads it."""
    library = make()
    return library, Subwords(json.loads(json.dumps(described(library))))


@pytest.fixture(scope="module", params=BYTE_PAIRS, ids=lambda make: make.__name__)
def pairs_of_bytes(request: pytest.FixtureRequest) -> tuple[Tokenizer, Subwords]:
    return both(request.param)


@given(texts=st.tuples(TEXT, TEXT), most=st.integers(6, 400))
@settings(max_examples=300)
def test_byte_pairs_are_numbered_as_the_library_numbers_them(
    pairs_of_bytes: tuple[Tokenizer, Subwords], texts: tuple[str, str], most: int
) -> None:
    """Whatever is typed, alone or as a pair, and wherever it is cut: the same tokens of the same texts."""
    check_alike(*pairs_of_bytes, texts, most)


@pytest.fixture(scope="module", params=PIECES, ids=lambda make: make.__name__)
def sentence_pieces(request: pytest.FixtureRequest) -> tuple[Tokenizer, Subwords]:
    return both(request.param)


@given(texts=st.tuples(TEXT, TEXT), most=st.integers(6, 400))
@settings(max_examples=300)
def test_sentence_pieces_are_numbered_as_the_library_numbers_them(
    sentence_pieces: tuple[Tokenizer, Subwords], texts: tuple[str, str], most: int
) -> None:
    """So are those of Unigram models and of BPE as SentencePiece has it, after all kinds of normalising."""
    check_alike(*sentence_pieces, texts, most)


def check_alike(library: Tokenizer, page: Subwords, texts: tuple[str, str], most: int) -> None:
    first, second = texts
    library.enable_truncation(most)
    assert page.encode([first], most) == numbers(library.encode(first))
    library.no_truncation()
    special = library.num_special_tokens_to_add(is_pair=True)
    fits = len(library.encode(second, add_special_tokens=False).ids) + special < most
    library.enable_truncation(most, strategy="only_first" if fits else "longest_first")
    assert page.encode([first, second], most) == numbers(library.encode(first, second))


def numbers(encoded: Any) -> dict[str, list[int]]:
    return {"ids": encoded.ids, "type_ids": encoded.type_ids, "attention_mask": encoded.attention_mask}


def _drops(made: Tokenizer) -> None:
    made.model.dropout = 0.1


def _ends(made: Tokenizer) -> None:
    made.model = models.BPE({"a</w>": 0}, [], end_of_word_suffix="</w>")


def _words(made: Tokenizer) -> None:
    made.pre_tokenizer = pre_tokenizers.UnicodeScripts()


def _pattern(made: Tokenizer) -> None:
    from tokenizers import Regex

    made.normalizer = normalizers.Replace(Regex("[aeiou]"), "x")


def _single(made: Tokenizer) -> None:
    made.add_tokens([AddedToken("film", single_word=True)])


def _hangul(made: Tokenizer) -> None:
    made.normalizer = normalizers.Precompiled(charsmap({"\u1161": "a"}))


def _first(made: Tokenizer) -> None:
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")


def _known_nothing(made: Tokenizer) -> None:
    made.model = models.Unigram([("a", 0.0)], None)


def _some_bytes(made: Tokenizer) -> None:
    made.model = models.Unigram([("a", 0.0), ("<0x41>", 0.0)], 0, byte_fallback=True)


def _twice(made: Tokenizer) -> None:
    made.normalizer = normalizers.Lowercase()
    made.add_tokens(["FILM", "film"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_drops, "the model BPE with dropout = 0.1"),
        (_ends, "the model BPE with end_of_word_suffix = '</w>'"),
        (_words, "the pre-tokenizer UnicodeScripts"),
        (_pattern, r"the normalizer Replace with the pattern '\[aeiou\]'"),
        (_single, "the added token film with single_word"),
        (_hangul, "the normalizer Precompiled that changes '\u1161'"),
        (_first, "the pre-tokenizer Metaspace with first, and a normalizer"),
        (_known_nothing, "the model Unigram without unk_id"),
        (_some_bytes, "1 of the 256 pieces of single bytes"),
        (_twice, "the added token FILM, which is not told from others"),
    ],
)
def test_a_part_that_pages_have_not_is_refused_by_name(
    change: Callable[[Tokenizer], None], message: str
) -> None:
    """A model is not offered with a tokeniser that would only be much the same."""
    made = byte_level()
    change(made)
    with pytest.raises(NotInBrowserError, match=message):
        described(made)


def test_pieces_must_be_numbered_without_a_gap() -> None:
    """A page numbers pieces by their order."""
    spec = json.loads(byte_level().to_str())
    spec["model"]["vocab"]["xyz"] = 1000
    with pytest.raises(NotInBrowserError, match="are not numbered one after the other"):
        described(from_spec(spec))
