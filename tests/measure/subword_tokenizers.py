"""Small tokenisers of the library tokenizers, trained here, put together as those of well-known families."""

from __future__ import annotations

import json
import struct
import unicodedata
from collections.abc import Callable
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

TEXTS = (
    "It's a good film, and they're not bad actors; we've seen 1999 films.\n",
    "A naïve café façade: 不好的电影, 좋은 영화, хороший фильм, αβγ ＡＢＣ ﬁlm ½ 😀👩‍👩‍👧.",
    "He'll say I'd better see it \t again... really, REALLY again -- (twice)! don't you think so?",
    "films filmed filming; goods goodness; badly; the theatre, theatrical; 12 123 1234",
)
#: As RoBERTa has them.
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
MASK = AddedToken("<mask>", lstrip=True, special=True)


def byte_level(prefix: bool = False) -> Tokenizer:
    """Byte-level BPE, trained, with the special tokens first."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    made.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=500,
            special_tokens=list(SPECIAL),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    made.add_special_tokens([MASK])
    return made


def roberta() -> Tokenizer:
    """RoBERTa's and BART's."""
    made = byte_level()
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return made


def gpt2() -> Tokenizer:
    """GPT-2's: nothing stands around texts."""
    made = byte_level()
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    return made


def gpt2_prefix() -> Tokenizer:
    """The same with a space before each text, without a post-processor, and added words of all kinds."""
    made = byte_level(prefix=True)
    made.add_tokens([AddedToken("film", rstrip=True), AddedToken("films a", lstrip=True), "goods"])
    # A token that is itself one of the spaces that such tokens take.
    made.add_tokens([AddedToken("\n", lstrip=True, rstrip=True)])
    return made


def longformer() -> Tokenizer:
    """A template instead of RoBERTa's own post-processor, after one that only moves offsets."""
    made = byte_level()
    template = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B:1 </s>:1", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    made.post_processor = processors.Sequence([processors.ByteLevel(), template])
    return made


def knowing_words() -> Tokenizer:
    """Words that are pieces are not merged together, as in Llama 3."""
    spec = json.loads(byte_level().to_str())
    spec["model"]["ignore_merges"] = True
    # A piece that merges do not make.
    spec["model"]["vocab"]["xyz"] = len(spec["model"]["vocab"])
    spec["added_tokens"][-1]["id"] += 1
    return from_spec(spec)


def from_spec(spec: dict[str, Any]) -> Tokenizer:
    """The tokeniser of a ``tokenizer.json``."""
    return Tokenizer.from_str(json.dumps(spec))


#: What makes each tokeniser.
BYTE_PAIRS: tuple[Callable[[], Tokenizer], ...] = (roberta, gpt2, gpt2_prefix, longformer, knowing_words)


def unigram(normalizer: Any, **metaspace: Any) -> Tokenizer:
    """A Unigram model, trained, after the spaces of a text as ALBERT, XLM-R and T5 treat them."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizer
    space = pre_tokenizers.Metaspace(**metaspace)
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), space])
    made.train_from_iterator(
        TEXTS,
        trainers.UnigramTrainer(
            vocab_size=150, special_tokens=[*SPECIAL, "[CLS]"], unk_token="<unk>", show_progress=False
        ),
    )
    return made


def template(made: Tokenizer, single: str, pair: str) -> Tokenizer:
    """The tokeniser with what stands around one text and two."""
    made.post_processor = processors.TemplateProcessing(
        single=single,
        pair=pair,
        special_tokens=[(name, made.token_to_id(name)) for name in (*SPECIAL, "[CLS]")],
    )
    return made


def albert() -> Tokenizer:
    """ALBERT's: quotation marks, accents and case are taken away; two segments."""
    steps = [
        *(normalizers.Replace("``", '"'), normalizers.Replace("''", '"'), normalizers.NFKD()),
        *(normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Precompiled(charsmap(NMT))),
        normalizers.Replace(Regex(" {2,}"), " "),
    ]
    made = template(unigram(normalizers.Sequence(steps)), "[CLS] $A </s>", "[CLS]:0 $A:0 </s>:0 $B:1 </s>:1")
    made.add_special_tokens([AddedToken("[MASK]", lstrip=True)])
    return made


def xlm_roberta() -> Tokenizer:
    """XLM-R's and CamemBERT's: SentencePiece's own normaliser."""
    made = template(
        unigram(normalizers.Precompiled(charsmap(NMT))), "<s> $A </s>", "<s> $A </s> </s> $B </s>"
    )
    made.add_special_tokens([MASK])
    made.add_tokens([AddedToken("GOOD é", normalized=True)])
    return made


def deberta() -> Tokenizer:
    """DeBERTa v3's: spaces, NFC, no splitting at spaces first."""
    steps = [
        normalizers.Replace(Regex(r"\s{2,}|[\n\r\t]"), " "),
        normalizers.NFC(),
        normalizers.Strip(left=False),
    ]
    made = unigram(normalizers.Sequence(steps))
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Metaspace()])
    made.add_special_tokens([AddedToken("[UNK]", normalized=True)])
    return template(made, "[CLS] $A </s>", "[CLS]:0 $A:0 </s>:0 $B:1 </s>:1")


def t5() -> Tokenizer:
    """T5's: nothing before a text; and a space only before the first word, as older copies have it."""
    made = unigram(None, prepend_scheme="first")
    made.add_special_tokens(["<extra_id_0>"])
    return template(made, "$A </s>", "$A </s> $B </s>")


def xlnet() -> Tokenizer:
    """XLNet's: special tokens at the end, in a segment of their own."""
    made = unigram(normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.NFD()]))
    return template(made, "$A:0 </s>:0 [CLS]:2", "$A:0 </s>:0 $B:1 </s>:1 [CLS]:2")


def byte_fallback() -> Tokenizer:
    """A Unigram model with pieces for bytes, and one whose text is that of the unknown piece."""
    spec = json.loads(unigram(normalizers.Lowercase(), prepend_scheme="never", split=False).to_str())
    spec["model"]["vocab"] += [[f"<0x{byte:02X}>", 0.0] for byte in range(256)]
    spec["model"]["byte_fallback"] = True
    spec["model"]["vocab"] += [["不好", -50.0], ["", -1.0]]
    return from_spec(spec)


def llama() -> Tokenizer:
    """Llama's: BPE of the whole text, spaces marked, letters without a number as their bytes."""
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=list(SPECIAL), show_progress=False)
    made.train_from_iterator([text.lower() for text in TEXTS], trainer)
    spec = json.loads(made.to_str())
    for byte in range(256):
        spec["model"]["vocab"][f"<0x{byte:02X}>"] = len(spec["model"]["vocab"])
    spec["model"]["byte_fallback"] = True
    spec["pre_tokenizer"]["split"] = False
    return from_spec(spec)


def gemma() -> Tokenizer:
    """Gemma's splitting, a mark before the text, and unknown letters that are one piece together."""
    made = llama()
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.pre_tokenizer = pre_tokenizers.Split("a", "merged_with_previous")
    spec = json.loads(made.to_str())
    spec["model"]["byte_fallback"] = False
    return from_spec(spec)


def charsmap(changed: dict[str, str]) -> bytes:
    """What SentencePiece compiles of a map: a double array of the keys' bytes, and the texts."""
    texts = "\0".join(changed.values()).encode() + b"\0"
    places, place = {}, 0
    for key, text in changed.items():
        places[key.encode()] = place
        place += len(text.encode()) + 1
    units = _double_array(places)
    return struct.pack(f"<{len(units) + 1}I", 4 * len(units), *units) + texts


def _double_array(places: dict[bytes, int]) -> list[int]:
    """As Darts-clone has it; each node's children begin at a block of 256 of its own."""
    units, blocks = [0] * 256, 1
    nodes = [(0, b"")]
    while nodes:
        node, prefix = nodes.pop()
        base = 256 * blocks
        blocks += 1
        units += [0] * 256
        # Large offsets are kept in steps of 256.
        units[node] |= (node ^ base) >> 8 << 10 | 1 << 9 if node ^ base >= 1 << 21 else (node ^ base) << 10
        if prefix in places:
            units[node] |= 1 << 8
            units[base] = 1 << 31 | places[prefix]
        for byte in sorted({key[len(prefix)] for key in places if key.startswith(prefix) and key != prefix}):
            units[base ^ byte] = byte
            nodes.append((base ^ byte, prefix + bytes([byte])))
    return units


#: Some of what SentencePiece's usual map, nmt_nfkc, changes: spaces, invisible and wide characters, marks.
NMT = {
    **dict.fromkeys(("\t", "\n", "\r", "\xa0", "\u2003", "\u2028", "\u3000", "\u200b", "\ufeff"), " "),
    **dict.fromkeys(("\x01", "\x7f", "\xad"), ""),
    "ﬁ": "fi",
    "Ａ": "A",
    "½": "1⁄2",
    "\u0958": "\u0915\u093c",
    "\u0344": "\u0308\u0301",
    "©": "(c)",
    "ⓐ": "a",
    **{text: unicodedata.normalize("NFC", text) for text in ("e\u0301", "E\u0301", "a\u030a", "ｶﾞ")},
    "e\u0323\u0301": "\u1eb9\u0301",
    "\U0001d165": "\U0001d158",
    "😀": ":)",
}
#: What makes each tokeniser.
PIECES: tuple[Callable[[], Tokenizer], ...] = (
    *(albert, xlm_roberta, deberta, t5, xlnet, byte_fallback, llama, gemma),
)
