"""Tokenisers for networks with random weights: trained on a few texts, filled up to a published size.

Their pieces are of the right kind (WordPiece, byte-level BPE, unigram), and common words are pieces of their
own, as in the published vocabularies. The fillers make the table of embeddings as large as the published one;
no text is ever split into them.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

#: How many pieces are trained; the rest of a vocabulary are fillers.
TRAINED = 4000
#: The log probability of a filler: far under that of any sequence of letters.
FILLER = -1000.0
RAREST = -10.0
ALPHABET = [chr(code) for code in range(33, 127)]


def wordpiece(texts: Sequence[str], size: int) -> Any:
    """BERT's tokeniser for lower-case text, with `size` pieces."""
    from transformers import BertTokenizerFast

    return BertTokenizerFast(vocab=_wordpieces(texts, size), model_max_length=512)


def distilbert_wordpiece(texts: Sequence[str], size: int) -> Any:
    """The same for DistilBERT, which is not told which of two texts a token is from."""
    from transformers import DistilBertTokenizerFast

    return DistilBertTokenizerFast(vocab=_wordpieces(texts, size), model_max_length=512)


def _wordpieces(texts: Sequence[str], size: int) -> dict[str, int]:
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    letters = sorted({letter.lower() for letter in ALPHABET})
    # Named beforehand, the letters have the same numbers in every run, by which the trainer breaks ties.
    letters += [f"##{letter}" for letter in letters]
    trainer = trainers.WordPieceTrainer(
        vocab_size=_trained(size), special_tokens=letters, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return _numbered(_filled([*special, *sorted(tokenizer.get_vocab())], "[unused{}]", size))


def byte_level(texts: Sequence[str], size: int) -> Any:
    """RoBERTa's tokeniser, byte-level BPE, with `size` pieces."""
    from transformers import RobertaTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=_trained(size), initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    merges = _merges(tokenizer)
    words = [*alphabet, *("".join(pair) for pair in merges)]
    pieces = [*_filled([*special, *dict.fromkeys(words)], "madeupword{:05}", size - 1), "<mask>"]
    return RobertaTokenizerFast(vocab=_numbered(pieces), merges=merges, model_max_length=512)


def albert_unigram(texts: Sequence[str], size: int) -> Any:
    """ALBERT's tokeniser for lower-case text, unigram, with `size` pieces."""
    from transformers import AlbertTokenizerFast

    special = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = _unigram([text.lower() for text in texts], special, size)
    return AlbertTokenizerFast(vocab=vocabulary, model_max_length=512)


def deberta_unigram(texts: Sequence[str], size: int) -> Any:
    """The tokeniser of DeBERTa v3, unigram, with `size` pieces, the mask among them."""
    from transformers import DebertaV2TokenizerFast

    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    vocabulary = _unigram(texts, special, size)
    return DebertaV2TokenizerFast(vocab=vocabulary, model_max_length=512)


def t5_unigram(texts: Sequence[str], size: int) -> Any:
    """T5's tokeniser, unigram, with `size` pieces, the 100 sentinels among them."""
    from transformers import T5TokenizerFast

    vocabulary = _unigram(texts, ["<pad>", "</s>", "<unk>"], size - 100)
    sentinels = [(f"<extra_id_{number}>", 0.0) for number in reversed(range(100))]
    return T5TokenizerFast(vocab=vocabulary + sentinels, model_max_length=512)


def _unigram(texts: Sequence[str], special: Sequence[str], size: int) -> list[tuple[str, float]]:
    """`size` pieces with their log probabilities: special and trained ones, then fillers, never used."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=_trained(size),
        initial_alphabet=ALPHABET,
        special_tokens=["<unk>"],
        unk_token="<unk>",
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    trained = json.loads(tokenizer.to_str())["model"]["vocab"]
    # The trainer adds in any order, so the last bits of its sums differ between runs, and so do the
    # scores that it gives the letters that it did not need.
    learnt = {piece: round(max(score, RAREST), 6) for piece, score in trained if piece != "<unk>"}
    ordered = sorted((learnt | _words(texts)).items(), key=lambda pair: (-pair[1], pair[0]))
    scores = dict.fromkeys(special, 0.0) | dict(ordered)
    return [(piece, scores.get(piece, FILLER)) for piece in _filled(list(scores), "▁unused{}", size)]


def _words(texts: Sequence[str]) -> dict[str, float]:
    """Every word and its log probability.

    From few texts the trainer learns few words, so that a text would have half as many pieces again as by
    a published vocabulary, and as by the other kinds.
    """
    counts = Counter(word for text in texts for word in re.findall(r"\w+", text))
    return {f"▁{word}": round(math.log(count / counts.total()), 6) for word, count in counts.items()}


def _merges(tokenizer: Tokenizer) -> list[tuple[str, str]]:
    return [(first, second) for first, second in json.loads(tokenizer.to_str())["model"]["merges"]]


def _trained(size: int) -> int:
    """Room for special pieces is left in small vocabularies, too."""
    return min(TRAINED, size - 110)


def _filled(pieces: list[str], name: str, size: int) -> list[str]:
    """The pieces and as many fillers as make `size`. Raises ValueError if there are more already."""
    if len(pieces) > size:
        raise ValueError(f"{len(pieces)} pieces do not fit into a vocabulary of {size}")
    return [*pieces, *(name.format(number) for number in range(size - len(pieces)))]


def _numbered(pieces: Sequence[str]) -> dict[str, int]:
    return {piece: number for number, piece in enumerate(pieces)}


#: What makes the tokeniser of each kind from texts and a size.
KINDS: dict[str, Callable[[Sequence[str], int], Any]] = {
    "wordpiece": wordpiece,
    "distilbert-wordpiece": distilbert_wordpiece,
    "byte-level": byte_level,
    "albert-unigram": albert_unigram,
    "deberta-unigram": deberta_unigram,
    "t5-unigram": t5_unigram,
}
