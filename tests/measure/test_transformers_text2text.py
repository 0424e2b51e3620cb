"""The adapter for models that write text: labels as strings, chosen or written freely, and answers in words."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluator.data.tasks import FieldError, get_task
from evaluator.measure.models import open_model
from evaluator.measure.models.base import BatchModel
from evaluator.records.errors import UserError

pytestmark = pytest.mark.slow

LABELS = ("negative", "positive")
NLI = ("entailed", "neutral", "contradictory")
WORDS = "0 1 2 seven good bad odd film not a very statement : text question context hypothesis what is it"
# What the trained model has learnt to write.
TAUGHT = {
    "statement : good film": "1",
    "statement : bad film": "0",
    "statement : odd film": "seven",
    "text : good film": "it is a very good film",
    "text : bad film": "it is not good",
    "question : what is it context : good film": "film",
    "question : is it good context : good film": "very good",
    "hypothesis : good film context : bad film": "2",
    "hypothesis : bad film context : good film": "0",
    "{ statement } good film": "0",
}


def save_t5(folder: Path, closing: bool = True) -> None:
    """A T5 with tiny random layers and a tokeniser of whole words; `closing` lets it end texts by itself."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocabulary = {
        word: index for index, word in enumerate(["<pad>", "</s>", "<unk>", "{", "}", *WORDS.split()])
    }
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    if closing:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="$A </s>", special_tokens=[("</s>", 1)]
        )
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    transformers.set_seed(0)
    config = transformers.T5Config(
        vocab_size=len(vocabulary),
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=1,
        num_heads=2,
        dropout_rate=0.0,
        decoder_start_token_id=0,
    )
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)


@pytest.fixture(scope="module")
def random_t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("random")
    save_t5(folder)
    return folder


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny T5 after it has learnt `TAUGHT` by heart."""
    import torch
    import transformers

    folder = tmp_path_factory.mktemp("taught")
    save_t5(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).train()
    batch = tokenizer(list(TAUGHT), padding=True, return_tensors="pt", return_token_type_ids=False)
    wanted = tokenizer(list(TAUGHT.values()), padding=True, return_tensors="pt")["input_ids"]
    wanted[wanted == tokenizer.pad_token_id] = -100
    # At a rate of 0.01 some processors' sums never tell the two hypotheses apart; at 0.003, 300 steps do.
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.003)
    for _ in range(3000):
        loss = network(**batch, labels=wanted).loss
        if loss.item() < 0.01:
            break
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    assert loss.item() < 0.01
    network.save_pretrained(folder)
    return folder


def opened(folder: Path, task: str = "sentiment", labels: Sequence[str] = LABELS, **options: Any) -> Any:
    return open_model("transformers-text2text", folder, options, task, labels)


def likelihood(folder: Path, text: str, answer: str) -> float:
    """The probability that the model writes exactly `answer`, one token after another, then ends."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    inputs, written, product = tokenizer(text, return_tensors="pt")["input_ids"], [0], 1.0
    for token in tokenizer(answer)["input_ids"]:
        with torch.inference_mode():
            logits = network(input_ids=inputs, decoder_input_ids=torch.tensor([written])).logits[0, -1]
        product *= logits.double().softmax(-1)[token].item()
        written.append(token)
    return product


@pytest.mark.parametrize(
    "answers",
    [
        {"negative": "0", "positive": "1"},
        {"negative": "bad", "positive": "not very bad"},
        {"negative": "good", "positive": "good good"},
    ],
)
def test_probabilities_are_those_of_the_strings(answers: dict[str, str], random_t5: Path) -> None:
    """The probability of a label is that of writing its string and stopping, of any length, scaled to 1."""
    found = opened(random_t5, answers=answers).predict({"statement": "good film"})["probabilities"]
    chances = {label: likelihood(random_t5, "statement: good film", text) for label, text in answers.items()}
    expected = {label: chance / sum(chances.values()) for label, chance in chances.items()}
    assert found == pytest.approx(expected, rel=1e-4)


def test_a_taught_model_answers_with_the_label_of_its_token(taught: Path) -> None:
    """The label is the one whose index the model writes; other strings may stand for the labels."""
    model = opened(taught)
    assert model.predict({"statement": "good film"})["label"] == "positive"
    assert model.predict({"statement": "bad film"})["label"] == "negative"
    turned = opened(taught, answers={"negative": "1", "positive": "0"})
    assert turned.predict({"statement": "good film"})["label"] == "negative"
    odd = opened(taught, answers={"negative": "0", "positive": "seven"})
    assert odd.predict({"statement": "odd film"})["label"] == "positive"


def test_a_free_model_answers_with_what_it_writes(taught: Path) -> None:
    """Written freely, a string gives its label, and any other text comes back for the task to refuse."""
    model = opened(taught, free=True)
    assert model.predict({"statement": "good film"}) == "positive"
    assert model.predict({"statement": "bad film"}) == "negative"
    assert model.predict({"statement": "odd film"}) == "seven"
    with pytest.raises(FieldError, match="'seven' is not a label"):
        get_task("sentiment").check_output("seven", LABELS)


def test_texts_are_written_for_tasks_of_texts(taught: Path) -> None:
    """Questions and generation are answered with the text the model writes, as long as it may be."""
    task, model = get_task("qa"), opened(taught, "qa", ())
    for question, answer in (("what is it", "film"), ("is it good", "very good")):
        found = model.predict({"context": "good film", "question": question})
        assert task.check_output(found, ()).text == answer
    short = opened(taught, "generation", (), max_new_tokens=2)
    assert short.predict({"text": "bad film"}) == {"answer": "it is"}


@pytest.mark.parametrize("options", [{}, {"free": True}])
def test_batches_answer_as_one_at_a_time(options: dict[str, Any], taught: Path) -> None:
    """Inputs of different lengths, padded, get the answers they get alone."""
    model = opened(taught, **options)
    assert isinstance(model, BatchModel)
    texts = ("good film", "bad film", "", "a very very very odd film", "good " * 600)
    examples = [{"statement": text} for text in texts]
    for example, answer in zip(examples, model.predict_batch(examples), strict=True):
        alone = model.predict(example)
        if options:
            assert answer == alone
        else:
            assert answer["label"] == alone["label"]
            assert answer["probabilities"] == pytest.approx(alone["probabilities"], abs=1e-5)


def test_a_long_context_leaves_the_question_whole(random_t5: Path) -> None:
    """By default the end of the first field is what a long input loses."""
    model = opened(random_t5, "nli", NLI)

    def shares(context: str, hypothesis: str) -> Any:
        return model.predict({"context": context, "hypothesis": hypothesis})["probabilities"]

    long = "good " * 600
    assert shares(long + "bad", "film") == shares(long + "not", "film")
    assert shares(long, "film") != pytest.approx(shares(long, "not very odd"), rel=1e-6)


def test_a_template_is_the_input_with_braces_where_it_says(taught: Path) -> None:
    """Doubled braces are braces, and braces in a text are only text."""
    model = opened(taught, template="{{ statement }} {statement}")
    assert model.predict({"statement": "good film"})["label"] == "negative"
    plain = opened(taught, template="{statement}")
    assert plain.predict({"statement": "{ statement } good film"})["label"] == "negative"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"template": "{text}"},
            "options.template: {text} is none of the fields statement alone; put {statement}",
        ),
        (
            {"template": "{statement:>9}"},
            "options.template: {statement} is none of the fields statement alone",
        ),
        (
            {"template": "{statement"},
            "options.template: '{statement': expected '}' before end of string; write {{",
        ),
        ({"template": "sst2"}, "options.template: 'sst2' has no field; put {statement} where the texts go"),
        (
            {"answers": {"negative": "0"}},
            "is not a table of the labels; give each of the labels negative, positive",
        ),
        (
            {"answers": {"negative": "0", "positive": " 1"}},
            "options.answers.positive: ' 1' is not a text without",
        ),
        ({"answers": {"negative": "0", "positive": "0"}}, "has the same words twice"),
        (
            {"answers": {"negative": "0", "positive": "yes"}},
            "options.answers.positive: the tokeniser has no tokens",
        ),
        ({"max_length": 2}, "options.max_length: 2 is not a whole number from 3 to 512; correct it"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str, random_t5: Path) -> None:
    """A template or answers that do not fit task and tokeniser are named with what would."""
    with pytest.raises(UserError) as caught:
        opened(random_t5, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"free": True}, "options.free: transformers-text2text has no such option"),
        ({"max_new_tokens": 0}, "options.max_new_tokens: 0 is not a whole number from 1 to 4096; correct it"),
    ],
)
def test_wrong_options_for_texts_are_refused(options: dict[str, Any], message: str, random_t5: Path) -> None:
    """A task of texts has no options about labels."""
    with pytest.raises(UserError) as caught:
        opened(random_t5, "generation", (), **options)
    assert message in str(caught.value)
