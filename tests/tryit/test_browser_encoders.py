"""Neural classifiers as browser copies: their tokenisers number texts as the library does, their networks
answer alike.
"""

from __future__ import annotations

import json
import shutil
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiny_bert import save
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

from evaluator.measure.models import Model, open_model
from evaluator.measure.worker import ModelToLoad
from evaluator.tryit import encoder, encoder_export
from evaluator.tryit.copies import make_copy
from evaluator.tryit.encoder import EncoderCopy
from evaluator.tryit.encoder_export import described
from evaluator.tryit.errors import NotInBrowserError
from evaluator.tryit.wordpiece import WordPiece

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PIECES = (
    "good",
    "bad",
    "film",
    "##s",
    "##ilm",
    "f",
    "##f",
    "a",
    "##a",
    "e",
    "##e",
    "!",
    "-",
    "豈",
    "不",
    "ss",
    "\u1100",
)
MARKS = [chr(code) for code in range(0x110000) if unicodedata.combining(chr(code))]
#: Where libraries part: marks that stay after cleaning, syllables, marks of more than one character,
# invisible ones.
ODD = [
    "\u302e",
    "\u302f",
    "\U0001d165",
    "\U0001d16d",
    "\U0001d15e",
    "\u1b44",
    "\u0f73",
    "\u0344",
    "각",
    "İ",
    "ß",
    "ſ",
]
ODD += [
    "\u200b",
    "\ufffd",
    "\0",
    "\x85",
    "\u2028",
    "\u3000",
    "\ue000",
    "\u0378",
    "豈",
    "不",
    "—",
    "$",
    "\U0001f600",
]
TEXT = st.lists(
    st.one_of(
        st.sampled_from(
            [*PIECES, *SPECIAL, "films", "GOOD", "naïve", " ", "x" * 100, "x" * 101, "[SEP", "##s"]
        ),
        st.sampled_from(ODD),
        st.sampled_from(MARKS),
        st.text(max_size=3),
    ),
    max_size=20,
).map("".join)
NLI = ("entailed", "neutral", "contradictory")
PAIRS = [
    ("good film", "not bad"),
    ("", ""),
    ("bad " * 50, "film"),
    ("good", "films " * 50),
    ("bad " * 50, "a " * 50),
]


def tokenizer(**options: Any) -> Tokenizer:
    """A BERT tokeniser of a few pieces; `options` are its normaliser's."""
    numbers = {piece: number for number, piece in enumerate([*SPECIAL, *PIECES])}
    made = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = normalizers.BertNormalizer(**options)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    made.add_special_tokens(list(SPECIAL))
    return made


@pytest.fixture(
    scope="module",
    params=[{}, {"lowercase": False}, {"clean_text": False, "handle_chinese_chars": False}],
    ids=str,
)
def both(request: pytest.FixtureRequest) -> tuple[Tokenizer, WordPiece]:
    """The library's tokeniser, and the page's made of its description as the page reads it."""
    library = tokenizer(**request.param)
    return library, WordPiece(json.loads(json.dumps(described(library))))


@given(texts=st.tuples(TEXT, TEXT), most=st.integers(5, 40))
@example(("a\u302f\u200b\u302e\U0001d165", "e\u0301\u0378\u0327\u302e\u302f"), 40)
@settings(max_examples=1000)
def test_texts_are_numbered_as_the_library_numbers_them(
    both: tuple[Tokenizer, WordPiece], texts: tuple[str, str], most: int
) -> None:
    """Whatever is typed, alone or as a pair, and wherever it is cut: the same tokens of the same texts."""
    library, page = both
    first, second = texts
    library.enable_truncation(most)
    assert page.encode([first], most) == numbers(library.encode(first))
    library.no_truncation()
    fits = len(library.encode(second, add_special_tokens=False).ids) + 3 < most
    library.enable_truncation(most, strategy="only_first" if fits else "longest_first")
    assert page.encode([first, second], most) == numbers(library.encode(first, second))


def numbers(encoded: Any) -> dict[str, list[int]]:
    return {"ids": encoded.ids, "type_ids": encoded.type_ids, "attention_mask": encoded.attention_mask}


def _bytes(made: Tokenizer) -> None:
    made.pre_tokenizer = pre_tokenizers.ByteLevel()


def _letters(made: Tokenizer) -> None:
    made.normalizer = normalizers.NFKC()


def _whole_words(made: Tokenizer) -> None:
    made.model = models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")


def _greedy(made: Tokenizer) -> None:
    made.add_special_tokens([AddedToken("<mask>", lstrip=True)])


def _nested(made: Tokenizer) -> None:
    bert = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    made.post_processor = processors.Sequence([bert, bert])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_whole_words, "its tokeniser has the model WordLevel, not WordPiece or BPE or Unigram"),
        (_letters, "the normalizer NFKC, not BertNormalizer"),
        (_bytes, "the pre-tokenizer ByteLevel, not BertPreTokenizer"),
        (_greedy, "the added token <mask> with lstrip"),
        (_nested, "the post-processor Sequence"),
    ],
)
def test_a_tokeniser_that_pages_have_not_is_refused_by_name(
    change: Callable[[Tokenizer], None], message: str
) -> None:
    """A model is not offered with a tokeniser that would only be much the same."""
    made = tokenizer()
    change(made)
    with pytest.raises(NotInBrowserError, match=message):
        described(made)


class Copied(NamedTuple):
    """A model, its copy, opened, and the network in that."""

    model: ModelToLoad
    copy: EncoderCopy
    network: Path


def copied(model: ModelToLoad, target: Path) -> Copied:
    """Make the copy of a model, and open it."""
    copy, folder = make_copy("m", model, target)
    assert copy.adapter == encoder.ADAPTER
    opened = encoder.open_model(folder / "model", model.task, model.labels)
    return Copied(model, opened, folder / "model" / encoder.NETWORK)


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Copied]:
    """A tiny model of each adapter that has a network, copied; that of `onnx` is the exported one of the first."""
    root = tmp_path_factory.mktemp("copies")
    save(root / "pairs", NLI)
    pairs = copied(ModelToLoad("transformers", root / "pairs", {}, "nli", NLI), root)
    shutil.copytree(root / "pairs", root / "onnx")
    shutil.copy(pairs.network, root / "onnx")
    exported = copied(ModelToLoad("onnx", root / "onnx", {"max_length": 12}, "nli", NLI), root)
    return {"transformers": pairs, "onnx": exported, "embeddings": copied(embeddings(root / "head"), root)}


def embeddings(folder: Path) -> ModelToLoad:
    """A tiny encoder with a head whose classes have other names than the labels."""
    folder.mkdir()
    save(folder / "encoder", architecture="BertModel")
    weights = np.random.default_rng(0).normal(size=(3, 16)) * 9
    np.savez(folder / "head.npz", weights=weights, bias=np.zeros(3), labels=("c", "b", "a"))
    swapped = {"label_map": {"a": "negative", "b": "neutral", "c": "positive"}}
    return ModelToLoad("embeddings", folder, swapped, "sentiment", ("negative", "neutral", "positive"))


def answer(copy: EncoderCopy, network: Path, text: Mapping[str, str]) -> dict[str, Any]:
    """What a copy answers, its network run by onnxruntime as the page's own does."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(network))
    given = {name: np.array([one["values"]], dtype=one["type"]) for name, one in copy.question(text).items()}
    return copy.answer(session.run(None, given)[0][0].tolist())


@pytest.mark.parametrize("name", ["transformers", "onnx", "embeddings"])
def test_copies_of_networks_answer_as_their_models(name: str, copies: dict[str, Copied]) -> None:
    """Texts and pairs of all lengths, empty ones and those that must be cut: probabilities within 1e-5."""
    model, copy, network = copies[name]
    opened: Model = open_model(model.adapter, model.directory, model.options, model.task, model.labels)
    for one, two in PAIRS:
        text = {"statement": one or two} if model.task == "sentiment" else {"context": one, "hypothesis": two}
        expected: Any = opened.predict(text)
        found = answer(copy, network, text)
        assert found["probabilities"] == pytest.approx(expected["probabilities"], abs=1e-5)
        assert found["label"] == expected["label"]


def test_a_network_that_is_too_large_keeps_half_of_each_weight_or_is_refused(
    copies: dict[str, Copied],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Numbers of 16 bits answer nearly the same; what is too large even then is refused with both sizes."""
    model, whole, network = copies["onnx"]
    size = network.stat().st_size
    monkeypatch.setattr(encoder_export, "LEAST_HALVED", 100)
    monkeypatch.setattr(encoder_export, "MOST_BYTES", size - 1)
    manifest, folder = make_copy("half", model, tmp_path)
    half = folder / "model" / encoder.NETWORK
    assert manifest.options == {"weights": "float16"}
    assert half.stat().st_size < size
    text = {"context": "good film", "hypothesis": "bad film"}
    expected = answer(whole, network, text)["probabilities"]
    assert answer(whole, half, text)["probabilities"] == pytest.approx(expected, abs=0.01)
    monkeypatch.setattr(encoder_export, "MOST_BYTES", 1000)
    with pytest.raises(
        NotInBrowserError, match=r"its network takes 0\.\d MB, and 0\.\d MB with weights of 16 bits"
    ):
        copied(model, tmp_path)


def test_a_tokeniser_that_cuts_at_the_start_is_refused(copies: dict[str, Copied], tmp_path: Path) -> None:
    """What transformers does beside the tokeniser's own description is looked at too."""
    model = copies["transformers"].model
    other = shutil.copytree(model.directory, tmp_path / "left")
    file = other / "tokenizer_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "truncation_side": "left"}))
    with pytest.raises(NotInBrowserError, match="its tokeniser has truncation_side = 'left', not 'right'"):
        make_copy("left", ModelToLoad("transformers", other, {}, model.task, model.labels), tmp_path)


def test_a_network_says_nothing_of_the_machine_that_exported_it(
    copies: dict[str, Copied],
) -> None:
    """The exporter notes the file and line of each step; what a site publishes holds none of that."""
    content = copies["transformers"].network.read_bytes()
    assert b"site-packages" not in content
    assert str(Path(__file__).parents[2]).encode() not in content


def _of_one_length(network: Any) -> None:
    for one in network.graph.input:
        one.type.tensor_type.shape.dim[1].dim_value = 24


def _with_softmax(network: Any) -> None:
    network.graph.node.append(onnx.helper.make_node("Softmax", ["logits"], ["shares"], axis=-1))
    network.graph.output[0].name = "shares"


def elsewhere(model: ModelToLoad, folder: Path, change: Callable[[Any], None]) -> ModelToLoad:
    """A model whose network is changed, as another exporter would have made it."""
    shutil.copytree(model.directory, folder)
    network = onnx.load(folder / encoder.NETWORK)
    change(network)
    onnx.save(network, folder / encoder.NETWORK)
    return replace(model, directory=folder)


def test_a_network_of_one_length_is_refused_with_its_file_and_the_fix(
    copies: dict[str, Copied], tmp_path: Path
) -> None:
    """A page fills no text up to the length that the network was exported for."""
    model = elsewhere(copies["onnx"].model, tmp_path / "fixed", _of_one_length)
    message = r"model\.onnx takes texts of just 24 tokens; export it for texts of any length"
    with pytest.raises(NotInBrowserError, match=message):
        make_copy("fixed", model, tmp_path)


def test_a_network_that_gives_probabilities_is_refused_with_its_file_and_the_fix(
    copies: dict[str, Copied], tmp_path: Path
) -> None:
    """A page would make probabilities of them once more."""
    model = elsewhere(copies["onnx"].model, tmp_path / "shares", _with_softmax)
    message = r"model\.onnx gives probabilities, not logits; export it without the softmax"
    with pytest.raises(NotInBrowserError, match=message):
        make_copy("shares", model, tmp_path)
