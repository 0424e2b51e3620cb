"""The adapter for extractive question answering: windows, spans, and text cut at the right characters."""

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.measure.models import open_model
from evaluator.measure.models.base import BatchModel
from evaluator.measure.models.encoders import best_span
from evaluator.records.errors import UserError

pytestmark = pytest.mark.slow

SaveBert = Callable[..., None]
ALPHABET = "abz .,'-\n\t\u00a0éßİ\u0301\u0327\u200d\ufe0f😍👩🇸🇪日本ي𝖒"
# How much each word looks like the start and like the end of an answer to the pointing model.
POINTERS = {"faint": (4.0, 0.0), "fades": (0.0, 4.0), "begin": (9.0, 0.0), "finish": (0.0, 9.0)}
# Were they allowed, the tokens around the texts would win.
LURES = {"[CLS]": (20.0, 0.0), "[SEP]": (20.0, 20.0), "[PAD]": (0.0, 20.0)}


@pytest.fixture(scope="module")
def pointing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT without layers, whose start and end logits depend on the word alone, as in `POINTERS`."""
    import torch
    from transformers import BertConfig, BertForQuestionAnswering, BertTokenizerFast

    folder = tmp_path_factory.mktemp("pointing")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "filler", *POINTERS]
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=0,
        num_attention_heads=1,
        max_position_embeddings=40,
    )
    network = BertForQuestionAnswering(config).eval()
    with torch.no_grad():
        for weights in network.bert.embeddings.parameters():
            weights.zero_()
        network.bert.embeddings.LayerNorm.weight.fill_(1.0)
        network.bert.embeddings.word_embeddings.weight.copy_(torch.eye(len(words), 32))
        normed = network.bert.embeddings(input_ids=torch.arange(len(words)).unsqueeze(0))[0]
        wanted = torch.tensor([{**POINTERS, **LURES}.get(word, (0.0, 0.0)) for word in words])
        network.qa_outputs.weight.copy_((torch.linalg.pinv(normed) @ wanted).T)
        network.qa_outputs.bias.zero_()
    network.save_pretrained(folder)
    BertTokenizerFast(vocab={word: index for index, word in enumerate(words)}).save_pretrained(folder)
    return folder


def opened(folder: Path, **options: Any) -> Any:
    return open_model("transformers-qa", folder, options, "qa", ())


@pytest.fixture(scope="module")
def reader(pointing: Path) -> Any:
    """The pointing model with windows of 24 tokens that overlap by 8."""
    return opened(pointing, max_length=24, stride=8)


def ask(model: Any, context: str, question: str = "filler filler") -> str:
    answer: str = model.predict({"context": context, "question": question})["answer"]
    return answer


@given(
    before=st.text(ALPHABET, max_size=40),
    inside=st.text(ALPHABET, max_size=6),
    after=st.text(ALPHABET, max_size=40),
)
def test_the_answer_is_cut_out_of_the_original_characters(
    before: str, inside: str, after: str, reader: Any
) -> None:
    """Between emoji, combining marks and other scripts, the answer is the exact text of the context."""
    answer = f"BEGIN {inside} Finish"
    assert ask(reader, f"{before} {answer} {after}") == answer


def test_marks_that_the_tokeniser_drops_stay_on_their_letter(reader: Any) -> None:
    """An accent that follows the last letter, which this tokeniser drops, belongs to the answer."""
    assert (
        ask(reader, "filler be\u0301gin filler finish\u0301\u0327. filler")
        == "be\u0301gin filler finish\u0301\u0327"
    )


@pytest.mark.parametrize("before", [0, 7, 8, 9, 19, 20, 21, 1000])
def test_a_span_is_found_wherever_it_stands(before: int, reader: Any) -> None:
    """A span no longer than the overlap is found at every place, the last of many windows included."""
    assert ask(reader, "filler " * before + "begin filler finish") == "begin filler finish"
    assert ask(reader, "filler " * before + "begin filler finish" + " filler" * 50) == "begin filler finish"


@pytest.mark.parametrize("order", list(itertools.permutations(["begin finish", "faint fades", "filler"])))
def test_the_best_span_of_all_windows_wins(order: tuple[str, ...], reader: Any) -> None:
    """A strong span beats a weak one, whichever window holds it."""
    assert ask(reader, (" filler" * 40 + " ").join(order)) == "begin finish"


@pytest.mark.parametrize("question", ["begin finish", "begin", "finish " * 9, "begin finish " * 200])
def test_no_answer_comes_from_the_question(question: str, reader: Any) -> None:
    """Words of the question and special tokens are never the answer, nor do long questions hide it."""
    assert ask(reader, "filler faint fades filler", question) == "faint fades"
    assert ask(reader, "filler " * 90 + "faint filler fades", question) == "faint filler fades"


def test_an_answer_has_at_most_the_tokens_it_may(pointing: Path) -> None:
    """A span over max_answer_tokens is passed over for the best one that is not."""
    context = "filler begin filler fades finish filler"
    assert ask(opened(pointing, max_answer_tokens=4), context) == "begin filler fades finish"
    assert ask(opened(pointing, max_answer_tokens=3), context) == "begin filler fades"


@pytest.mark.parametrize("context", ["", " ", "\n\t\u00a0", "\u0301"])
def test_a_context_without_words_has_an_empty_answer(context: str, reader: Any) -> None:
    """Where there is nothing to choose from, the answer is empty, alone and beside others."""
    example = {"context": context, "question": "begin"}
    assert reader.predict(example) == {"answer": ""}
    other = {"context": "begin finish", "question": "filler"}
    assert [found["answer"] for found in reader.predict_batch([other, example])] == ["begin finish", ""]


def test_no_answer_is_given_where_its_score_is_higher_by_the_margin(pointing: Path) -> None:
    """The score of the first token, here 20, against that of the best span, here 18; it shares confidence."""
    example = {"context": "filler begin finish", "question": "filler"}
    found = opened(pointing, no_answer=1.5).predict(example)
    assert found == {"answer": "", "confidence": pytest.approx(0.88, abs=0.01)}
    assert opened(pointing, no_answer=2.5).predict(example)["answer"] == "begin finish"
    assert opened(pointing, no_answer=2.5).predict(example)["confidence"] == pytest.approx(0.12, abs=0.01)
    for wrong in (True, "0", math.inf):
        with pytest.raises(UserError, match=r"options\.no_answer: .* is not a finite number"):
            opened(pointing, no_answer=wrong)


def test_confidence_is_the_share_of_the_span_among_all(reader: Any) -> None:
    """The confidence is the softmax of the summed logits over all spans of the context."""
    words = ["filler", "begin", "fades", "finish"]
    logits = [POINTERS.get(word, (0.0, 0.0)) for word in words]
    spans = [math.exp(logits[i][0] + logits[j][1]) for i in range(4) for j in range(i, 4)]
    found = reader.predict({"context": " ".join(words), "question": "filler"})
    assert found["confidence"] == pytest.approx(math.exp(18.0) / sum(spans), rel=1e-4)
    unsure = reader.predict({"context": "filler filler", "question": "filler"})
    assert unsure["confidence"] == pytest.approx(1 / 3, rel=1e-4)


numbers = st.floats(-30, 30)
tokens = st.lists(st.tuples(numbers, numbers, st.booleans(), st.sampled_from("a ")), min_size=1, max_size=12)


@given(tokens, st.integers(1, 12))
def test_the_best_span_is_that_of_an_exhaustive_search(
    logits: list[tuple[float, float, bool, str]], longest: int
) -> None:
    """Score and total over all spans with text equal those found by trying every span, one after another."""
    context = "".join(row[3] for row in logits)
    starts, ends = (np.array([row[side] for row in logits]) for side in (0, 1))
    places = [(index, index + 1) if row[2] else None for index, row in enumerate(logits)]
    scores = {
        (i, j + 1): starts[i] + ends[j]
        for i in range(len(logits))
        for j in range(i, min(len(logits), i + longest))
        if places[i] and places[j] and any(places[k] and context[k] == "a" for k in range(i, j + 1))
    }
    found = best_span(starts, ends, places, context, longest)
    if not scores:
        assert found == []
        return
    (span,) = found
    assert span.score == scores[span.start, span.end] == max(scores.values())
    assert span.log_total == pytest.approx(math.log(math.fsum(map(math.exp, scores.values()))))


@pytest.fixture
def random_reader(tmp_path: Path, save_bert: SaveBert) -> Any:
    """A tiny random BERT over letters, so that every token and its place matter."""
    letters = tuple("abcdefghijklmnopqrstuvwxyz0123456789.,?!")
    words = (*letters, *(f"##{letter}" for letter in letters))
    save_bert(tmp_path, architecture="BertForQuestionAnswering", words=words, positions=64)
    return opened(tmp_path)


def test_batches_answer_as_one_at_a_time(random_reader: Any) -> None:
    """Contexts of one window and of many, in one batch, get the answers they get alone."""
    assert isinstance(random_reader, BatchModel)
    contexts = ["the cat sat on the mat. " * count for count in (1, 30, 2, 0, 7)]
    examples = [{"context": text, "question": f"where is cat {len(text)}?"} for text in contexts]
    together = random_reader.predict_batch(examples)
    assert len({answer["answer"] for answer in together}) > 2
    for example, answer in zip(examples, together, strict=True):
        alone = random_reader.predict(example)
        assert answer["answer"] == alone["answer"]
        assert answer.get("confidence", 0.0) == pytest.approx(alone.get("confidence", 0.0), rel=1e-4)


@given(context=st.text(ALPHABET, max_size=60), question=st.text(ALPHABET, max_size=60))
def test_byte_pairs_give_substrings_too(context: str, question: str, byte_reader: Any) -> None:
    """A byte-level tokeniser, which splits one character over tokens, gives whole characters."""
    answer = ask(byte_reader, context, question)
    assert answer in context
    assert answer == answer.strip()
    assert bool(answer) == bool(context.strip())


@pytest.fixture(scope="module")
def byte_reader(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A tiny random RoBERTa whose tokens are single bytes, but for one of a space and a letter."""
    import transformers
    from tokenizers import pre_tokenizers

    folder = tmp_path_factory.mktemp("bytes")
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate([*special, *alphabet, "Ġa"])}
    transformers.set_seed(0)
    config = transformers.RobertaConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=66,
        type_vocab_size=1,
        initializer_range=0.5,
    )
    transformers.RobertaForQuestionAnswering(config).save_pretrained(folder)
    # Untrimmed, the token "Ġa" holds the space before the letter too.
    tokenizer = transformers.RobertaTokenizerFast(
        vocab=vocabulary, merges=[("Ġ", "a")], trim_offsets=False, model_max_length=64
    )
    tokenizer.save_pretrained(folder)
    return opened(folder)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_length": 41}, "options.max_length: 41 is not a whole number from 16 to 40; correct it"),
        (
            {"max_length": 24, "stride": 10},
            "options.stride: 10 is not a whole number from 0 to 9; correct it",
        ),
        ({"stride": -1}, "options.stride: -1 is not a whole number from 0 to 17"),
        ({"max_answer_tokens": 0}, "options.max_answer_tokens: 0 is not a whole number from 1 to 40"),
        ({"model": "org/model"}, "options.revision: None does not pin org/model; give the full 40-digit"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str, pointing: Path) -> None:
    """An option out of its range, or none of the adapter's, is named with what would fit."""
    with pytest.raises(UserError) as caught:
        opened(pointing, **options)
    assert message in str(caught.value)


def test_a_slow_tokeniser_is_refused(tmp_path: Path) -> None:
    """A tokeniser that does not give the character offsets of its tokens is refused, and the error names the fix."""
    from transformers import ByT5Tokenizer, T5Config, T5ForQuestionAnswering

    config = T5Config(vocab_size=384, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2)
    T5ForQuestionAnswering(config).save_pretrained(tmp_path)
    ByT5Tokenizer().save_pretrained(tmp_path)
    with pytest.raises(UserError, match=r"ByT5Tokenizer does not give .* save a fast tokeniser"):
        opened(tmp_path)
