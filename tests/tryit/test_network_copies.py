"""Browser copies of networks, asked in Node.js by the files that a page loads, answer as the models do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_bert import save

from evaluator.measure.models import open_model
from evaluator.measure.worker import ModelToLoad
from evaluator.records.errors import UserError
from evaluator.tryit.checking import ask
from evaluator.tryit.copies import make_copy

pytestmark = pytest.mark.slow

NLI = ("entailed", "neutral", "contradictory")
TERNARY = ("negative", "neutral", "positive")
#: Alone and as pairs, empty, to be cut, and with marks, joined emoji and letters of other scripts.
TEXTS = [
    ("good film", "not bad"),
    ("", ""),
    ("bad film " * 50, "film"),
    ("good", "films not " * 50),
    ("bad not " * 50, "a film " * 50),
    ("It's GOOD -- naïve café!", "don't: 不好的电影, хороший фильм"),
    ("[SEP] </s> <mask> good", "two  spaces\tand\nlines 👩‍👩‍👧 1999"),
]
WORDS = "a good bad film films not it ' s don t naïve café and lines two spaces 1999 不 好 ! : , -- хороший"


def wordpiece() -> Any:
    """As BERT has it."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS.split(), "##s", "##lm", "fi", "##e"]
    made = Tokenizer(models.WordPiece({piece: at for at, piece in enumerate(pieces)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    made.add_special_tokens(pieces[:5])
    return made


def byte_pairs() -> Any:
    """As RoBERTa has them, BART and, without the post-processor, GPT-2."""
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors, trainers

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator([WORDS, "good films, bad film"], trainer)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    made.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    return made


def unigram() -> Any:
    """As XLM-R, ALBERT and T5 have it."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(
        vocab_size=120, special_tokens=special, unk_token="<unk>", show_progress=False
    )
    made.train_from_iterator([WORDS, "good films, bad film, it's not a good film"] * 3, trainer)
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return made


def network(
    folder: Path, tokenizer: Any, segments: bool = True, outputs: str = "logits", width: int | str = "tokens"
) -> ModelToLoad:
    """A network that adds up a random number of each token for each class, as an exporter leaves it.

    With `segments` those of the second text count otherwise, as BERT has it and RoBERTa has not.
    """
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    folder.mkdir()
    chance = np.random.default_rng(0)
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if segments else [])]
    tables = {
        "words": chance.normal(size=(tokenizer.get_vocab_size(), 3), scale=0.3).astype(np.float32),
        "segments": chance.normal(size=(2, 3), scale=0.3).astype(np.float32),
        "tokens_axis": np.array([1]),
        "last_axis": np.array([2]),
    }
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["of_words"]),
        helper.make_node("Gather", ["segments", names[-1]], ["of_segments"]),
        helper.make_node("Add", ["of_words", "of_segments"], ["of_tokens"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last_axis"], ["shares"]),
        helper.make_node("Mul", ["of_tokens", "shares"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "tokens_axis"], ["logits"], keepdims=0),
        helper.make_node("Softmax", ["logits"], ["softmax"], axis=-1),
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", width]) for name in names]
    output = helper.make_tensor_value_info(outputs, TensorProto.FLOAT, ["texts", 3])
    weights = [numpy_helper.from_array(table, name) for name, table in tables.items()]
    graph = helper.make_graph(nodes, "tiny", inputs, [output], weights)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, folder / "model.onnx")
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(
        '{"id2label": {"0": "entailed", "1": "neutral", "2": "contradictory"}}'
    )
    return ModelToLoad("onnx", folder, {"max_length": 20}, "nli", NLI)


def embeddings(folder: Path) -> ModelToLoad:
    """A tiny encoder with a head whose classes have other names than the labels."""
    folder.mkdir()
    save(folder / "encoder", architecture="BertModel")
    weights = np.random.default_rng(0).normal(size=(3, 16)) * 9
    np.savez(folder / "head.npz", weights=weights, bias=np.zeros(3), labels=("c", "b", "a"))
    swapped = {"label_map": {"a": "negative", "b": "neutral", "c": "positive"}}
    return ModelToLoad("embeddings", folder, swapped, "sentiment", TERNARY)


def classifier(folder: Path) -> ModelToLoad:
    """A tiny BERT for pairs."""
    save(folder, NLI)
    return ModelToLoad("transformers", folder, {}, "nli", NLI)


MODELS: dict[str, Callable[[Path], ModelToLoad]] = {
    "WordPiece": lambda folder: network(folder, wordpiece()),
    "BPE": lambda folder: network(folder, byte_pairs(), segments=False),
    "Unigram": lambda folder: network(folder, unigram(), segments=False),
    "transformers": classifier,
    "embeddings": embeddings,
}


@pytest.mark.parametrize("name", MODELS)
def test_a_page_answers_as_the_model_does(name: str, tmp_path: Path) -> None:
    """Whatever the tokeniser and the adapter, texts and pairs, and wherever they are cut."""
    model = MODELS[name](tmp_path / "model")
    copy, folder = make_copy("m", model, tmp_path / "copies")
    examples = [
        {"statement": f"{first} {second}"}
        if model.task == "sentiment"
        else {"context": first, "hypothesis": second}
        for first, second in TEXTS
    ]
    opened = open_model(model.adapter, model.directory, model.options, model.task, model.labels)
    for example, found in zip(examples, ask(copy, folder, examples), strict=True):
        expected: Any = opened.predict(example)
        assert found["probabilities"] == pytest.approx(expected["probabilities"], abs=1e-4), example
        assert found["answer"] == expected["label"]
        assert found["confidence"] == found["probabilities"][found["answer"]]
    content = (folder / "model" / "model.onnx").read_bytes()
    assert b"site-packages" not in content, "the exporter's notes of this machine"


def test_a_tokeniser_that_the_page_does_not_know_is_found_out(tmp_path: Path) -> None:
    """The check says which part of it the page's library has not."""
    from tokenizers import pre_tokenizers

    tokenizer = wordpiece()
    tokenizer.pre_tokenizer = pre_tokenizers.UnicodeScripts()
    copy, folder = make_copy("m", network(tmp_path / "model", tokenizer), tmp_path / "copies")
    with pytest.raises(UserError, match=r"m: its copy does not run in Node\.js \(.*UnicodeScripts"):
        ask(copy, folder, [{"context": "a", "hypothesis": "b"}])


def test_a_network_that_is_too_large_keeps_half_of_each_weight_or_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers of 16 bits answer nearly the same; what is too large even then is refused with both sizes."""
    from evaluator.tryit import networks

    model = network(tmp_path / "model", byte_pairs())
    example = [{"context": "good film", "hypothesis": "bad film"}]
    whole, folder = make_copy("whole", model, tmp_path)
    expected = ask(whole, folder, example)[0]["probabilities"]
    monkeypatch.setattr(networks, "LEAST_HALVED", 100)
    monkeypatch.setattr(networks, "MOST_BYTES", (folder / "model" / "model.onnx").stat().st_size - 1)
    half, folder = make_copy("half", model, tmp_path)
    assert half.options["weights"] == "float16"
    assert half.size < whole.size
    assert ask(half, folder, example)[0]["probabilities"] == pytest.approx(expected, abs=0.01)
    monkeypatch.setattr(networks, "MOST_BYTES", 1000)
    with pytest.raises(UserError, match=r"network: it takes 0\.\d MB, and 0\.\d MB with weights of 16 bits"):
        make_copy("none", model, tmp_path)


def test_what_a_page_would_read_otherwise_is_refused_with_the_fix(tmp_path: Path) -> None:
    """Networks of one length, those that give probabilities, and tokenisers that cut at the start."""
    one_length = network(tmp_path / "fixed", wordpiece(), width=24)
    with pytest.raises(
        UserError, match=r"model\.onnx: it takes texts of just 24 tokens; export it for texts"
    ):
        make_copy("m", one_length, tmp_path)
    shares = network(tmp_path / "shares", wordpiece(), outputs="softmax")
    with pytest.raises(
        UserError, match=r"model\.onnx: it gives probabilities, not logits; export it without"
    ):
        make_copy("m", shares, tmp_path)
    left = classifier(tmp_path / "left")
    other = shutil.copytree(left.directory, tmp_path / "other")
    file = other / "tokenizer_config.json"
    file.write_text(file.read_text().replace("{", '{"truncation_side": "left",', 1))
    with pytest.raises(UserError, match="tokeniser: truncation_side is 'left'; a page only knows 'right'"):
        make_copy("m", replace(left, directory=other), tmp_path)
