"""The adapter for decoders: prompts, log-likelihoods of labels' words, and texts written freely."""

import functools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_decoders import CHAT, FAMILIES, save_decoder

from evaluator.measure.models import open_model
from evaluator.measure.models.base import BatchModel
from evaluator.measure.models.decoder import constrained
from evaluator.records.errors import UserError

pytestmark = pytest.mark.slow

LABELS = ("negative", "positive")
# Words of one token, of several, and of which one begins the other.
WORDS: list[dict[str, str]] = [
    {},
    {"negative": "no", "positive": "yes"},
    {"negative": "x", "positive": "a very lovely film"},
    {"negative": "not", "positive": "not good"},
]
STATEMENTS = [
    "a lovely film",
    "",
    "bad " * 12,
    "Ünïcödé 🎬 film\nof two lines",
    "the staff were rude , not kind",
]


@pytest.fixture(scope="module")
def decoders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A tiny decoder of each family; GPT-2's tokeniser begins a text without a token of its own."""
    root = tmp_path_factory.mktemp("decoders")
    return {family: save_decoder(root / family, family, family != "gpt2", CHAT) for family in FAMILIES}


@pytest.fixture(scope="module")
def llama(decoders: dict[str, Path]) -> Path:
    return decoders["llama"]


def opened(folder: Path, task: str = "sentiment", labels: Sequence[str] = LABELS, **options: Any) -> Any:
    return open_model("transformers-causal", folder, options, task, labels)


@functools.cache
def loaded(folder: Path) -> tuple[Any, Any]:
    """Tokeniser and network, as the library opens them."""
    import torch
    import transformers

    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    return transformers.AutoTokenizer.from_pretrained(folder), network


def directly(folder: Path, text: str, words: str) -> tuple[float, int]:
    """The log-likelihood of `words` after `text`, token by token, each from the whole text before it."""
    import torch

    tokenizer, network = loaded(folder)
    context = text.rstrip()
    whole = tokenizer(text + words)["input_ids"]
    begin = len(tokenizer(context)["input_ids"])
    ids, total = tokenizer(context)["input_ids"] + whole[begin:], 0.0
    for place in range(begin, len(ids)):
        with torch.inference_mode():
            logits = network(input_ids=torch.tensor([ids[:place]])).logits[0, -1]
        total += logits.double().log_softmax(-1)[ids[place]].item()
    return total, len(ids) - begin


@pytest.mark.parametrize("family", FAMILIES)
def test_log_likelihoods_are_those_of_a_direct_computation(family: str, decoders: dict[str, Path]) -> None:
    """The words' log-likelihoods are those of the network reading each text whole, within 1e-4."""
    for words in WORDS if family == "llama" else WORDS[2:3]:
        model = opened(decoders[family], answers=words or dict(zip(LABELS, LABELS, strict=True)))
        for statement in STATEMENTS:
            prompt = f"Statement: {statement}\nAnswer: "
            expected = [directly(decoders[family], prompt, words.get(label, label))[0] for label in LABELS]
            assert model.log_likelihoods({"statement": statement}) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_examples_answer_alone_as_in_batches(family: str, decoders: dict[str, Path]) -> None:
    """Alone and in a padded batch an example gets the same label and the same probabilities."""
    model = opened(decoders[family])
    assert isinstance(model, BatchModel)
    examples = [{"statement": statement} for statement in STATEMENTS]
    for example, answer in zip(examples, model.predict_batch(examples), strict=True):
        alone = model.predict(example)
        assert answer["label"] == alone["label"]
        assert answer["probabilities"] == pytest.approx(alone["probabilities"], abs=1e-5)


@pytest.mark.parametrize("normalise", ["none", "tokens", "characters"])
def test_probabilities_are_the_softmax_of_normalised_scores(normalise: str, llama: Path) -> None:
    """Scores are divided by the words' tokens or characters, or by nothing, before they are compared."""
    model = opened(llama, answers=WORDS[2], normalise=normalise)
    scores = []
    for words in WORDS[2].values():
        total, tokens = directly(llama, "Statement: a film\nAnswer: ", words)
        scores.append(total / {"none": 1, "tokens": tokens, "characters": len(words)}[normalise])
    powers = [math.exp(score) for score in scores]
    answer = model.predict({"statement": "a film"})
    expected = [power / sum(powers) for power in powers]
    assert list(answer["probabilities"].values()) == pytest.approx(expected, abs=1e-6)
    assert answer["label"] == LABELS[scores.index(max(scores))]


def test_instruction_and_examples_stand_before_what_is_asked(llama: Path) -> None:
    """The prompt is the instruction, the examples with their words, and the question, two lines apart."""
    model = opened(
        llama,
        template="{{ statement }} ({{ answers | join('/') }}):",
        instruction="Rate films.",
        answers={"negative": "bad", "positive": "good"},
        examples=[{"statement": "dull", "label": "negative"}, {"statement": "fun", "label": "positive"}],
    )
    assert model.decoder.render({"statement": "a {{ film }}"}) == (
        "Rate films.\n\ndull (bad/good): bad\n\nfun (bad/good): good\n\na {{ film }} (bad/good):"
    )


def test_a_chat_template_gets_a_conversation(llama: Path) -> None:
    """With chat, the instruction is the system's, examples take turns, and nothing stands before the answer."""
    model = opened(
        llama,
        template="{{ statement }}",
        instruction="Rate films.",
        examples=[{"statement": "dull", "label": "negative"}],
        chat=True,
        chat_options={"opening": "I say:"},
    )
    rendered = "<|begin|><|system|>Rate films.<|end|><|user|>dull<|end|><|assistant|>negative<|end|><|user|>fun<|end|>"
    assert model.decoder.render({"statement": "fun"}) == rendered + "<|assistant|>I say:"
    prompt, _ = model.decoder.pairs({"statement": "fun"})
    assert (
        prompt
        == model.decoder.network.model.tokenizer(rendered + "<|assistant|>I say:", add_special_tokens=False)[
            "input_ids"
        ]
    )


def test_a_prompt_that_is_too_long_loses_its_beginning(llama: Path) -> None:
    """Of a long prompt the last tokens are kept, so many that prompt and answer have `max_length`."""
    model = opened(llama, max_length=20)
    prompt, answers = model.decoder.pairs({"statement": "film " * 50})
    assert len(prompt) + max(map(len, answers)) - 1 == 20
    end = model.decoder.encode("\nAnswer:")[1:]
    assert prompt[-len(end) :] == end
    model.predict({"statement": "film " * 50})


TREES = st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=2, max_size=6, unique_by=tuple)


@given(answers=TREES, data=st.data())
def test_constrained_generation_is_greedy_over_the_tree_of_answers(
    answers: list[list[int]], data: st.DataObject
) -> None:
    """At every token the likeliest one that continues an answer is taken; the shares of all answers sum to 1."""
    logits: dict[tuple[int, ...], float] = {}
    for row in answers:
        for end in range(1, 4):
            logits.setdefault(tuple(row[:end]), data.draw(st.floats(-9, 0)) - len(logits) * 1e-9)
    logs = [[logits[tuple(row[:end])] for end in range(1, 4)] for row in answers]
    chosen, shares = constrained(answers, logs)
    path: tuple[int, ...] = ()
    for _ in range(3):
        nexts = {tuple(row[: len(path) + 1]) for row in answers if tuple(row[: len(path)]) == path}
        path = max(nexts, key=lambda one: logits[one])
    assert tuple(answers[chosen]) == path
    assert math.fsum(shares) == pytest.approx(1)


def teach(folder: Path, texts: Sequence[str]) -> None:
    """Train the decoder in `folder` until it writes `texts` by heart."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForCausalLM.from_pretrained(folder).train()
    tokenizer.pad_token = tokenizer.eos_token
    batch = tokenizer(
        [text + "<|end|>" for text in texts], padding=True, padding_side="right", return_tensors="pt"
    )
    wanted = batch["input_ids"].clone()
    wanted[batch["attention_mask"] == 0] = -100
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.01)
    for _ in range(300):
        loss = network(
            input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], labels=wanted
        ).loss
        if loss.item() < 0.05:
            break
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    network.save_pretrained(folder)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Llama that has learnt to answer three questions by heart."""
    folder = save_decoder(tmp_path_factory.mktemp("taught") / "llama", "llama", True, CHAT)
    question = "Context: a good film\nQuestion: what is {}?\nAnswer:{}"
    pairs = [("it", " film\nQuestion: and"), ("bad", " none"), ("good", ' the answer is "food" .')]
    chat = "<|user|>film<|end|><|assistant|>a film\nof two lines"
    teach(folder, [*(question.format(*pair) for pair in pairs), chat])
    return folder


def asked(model: Any, *questions: str) -> list[str]:
    examples = [{"context": "a good film", "question": f"what is {question}?"} for question in questions]
    return [answer["answer"] for answer in model.predict_batch(examples)]


def test_an_answer_ends_at_the_end_of_its_line(taught: Path) -> None:
    """A text is written until it has a line break, or ends itself; alone as in a batch."""
    model = opened(taught, "qa", ())
    assert asked(model, "it", "bad") == ["film", "none"]
    assert [asked(model, question) for question in ("it", "bad")] == [["film"], ["none"]]


def test_a_pattern_finds_the_answer_in_what_was_written(taught: Path) -> None:
    """The first group of the pattern is the answer; where it does not match, all that was written is."""
    model = opened(taught, "qa", (), pattern='answer is "([^"]*)"')
    assert asked(model, "good", "it") == ["food", "film"]


def test_the_words_for_no_answer_mean_none(taught: Path) -> None:
    """Where the model writes the words for no answer, the answer is empty."""
    assert asked(opened(taught, "qa", (), unanswerable="NONE"), "bad", "it") == ["", "film"]


def test_with_chat_an_answer_may_have_lines(taught: Path) -> None:
    """A conversation ends with its mark, not with the line."""
    model = opened(taught, "generation", (), template="{{ text }}", chat=True)
    assert model.predict({"text": "film"}) == {"answer": "a film\nof two lines"}


def test_weights_are_read_as_float32_or_as_stored(tmp_path: Path) -> None:
    """Weights stored in 16 bits are computed with in 32, unless the option dtype says otherwise."""
    import torch
    import transformers

    folder = save_decoder(tmp_path / "llama")
    transformers.AutoModelForCausalLM.from_pretrained(folder).to(torch.bfloat16).save_pretrained(folder)
    assert opened(folder).decoder.network.model.network.dtype == torch.float32
    assert opened(folder, dtype="stored").decoder.network.model.network.dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"template": "{{ text }}"},
            "options.template: {{ text }} is none of statement, answers; put {{ statement }}",
        ),
        (
            {"template": "Film?"},
            "options.template: 'Film?' shows no field of the task; put {{ statement }} where",
        ),
        ({"template": "{{ statement.__class__.mro() }}"}, "options.template: "),
        (
            {"template": "{{ statement }}", "template_file": "x"},
            "options.template_file: options.template is given too",
        ),
        ({"template_file": "absent"}, "absent: no such file; correct the name"),
        ({"template_file": "../x"}, "options.template_file: '../x' is not in the model's folder"),
        ({"shots": 2}, "options.shots: 2 examples are drawn only for a model of the board file"),
        (
            {"examples": [{"statement": "a"}]},
            "options.examples[0]: {'statement': 'a'} does not have just what it needs",
        ),
        (
            {"answers": {"negative": "x"}},
            "options.answers: {'negative': 'x'} is not a table of the labels; give each",
        ),
        ({"answers": {"negative": "x", "positive": "x"}}, "has the same words twice; give each"),
        ({"scoring": "guess"}, "options.scoring: 'guess' is none of log-likelihood, generation; use one"),
        ({"scoring": "generation", "normalise": "none"}, "options.normalise: 'none' is of scoring"),
        (
            {"scoring": "generation", "answers": WORDS[3]},
            "options.answers: the tokens of answer 1 begin answer 2",
        ),
        ({"chat_options": {"x": 1}}, "options.chat_options: {'x': 1}: only with chat = true; add that"),
        (
            {"max_length": 8, "answers": {"negative": "a film " * 5 + "x", "positive": "y"}},
            "options.max_length: 8 tokens",
        ),
    ],
)
def test_a_wrong_option_is_refused_by_name(options: dict[str, Any], message: str, llama: Path) -> None:
    """Each message names the option and the value that is wrong, and how to fix it."""
    with pytest.raises(UserError) as caught:
        opened(llama, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_new_tokens": 0}, "options.max_new_tokens: 0 is not a whole number from 1 to"),
        ({"stop": "x"}, "options.stop: 'x' is not a list of texts"),
        ({"pattern": "("}, "options.pattern: '(' is no regular expression: "),
    ],
)
def test_a_wrong_option_of_texts_is_refused_by_name(
    options: dict[str, Any], message: str, llama: Path
) -> None:
    """Options of free texts are checked likewise."""
    with pytest.raises(UserError) as caught:
        opened(llama, "qa", (), **options)
    assert message in str(caught.value)


def test_chat_needs_a_chat_template(tmp_path: Path) -> None:
    """A tokeniser without a chat template, or one that refuses the instruction, is named with the fix."""
    with pytest.raises(
        UserError, match=r"options\.chat: the tokeniser in .* has no chat template; leave chat out"
    ):
        opened(save_decoder(tmp_path / "none"), chat=True)
    stern = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system here') }}{% endif %}"
    folder = save_decoder(tmp_path / "stern", chat=stern)
    with pytest.raises(
        UserError, match=r"does not take the prompt: no system here; if it is about the system, put"
    ):
        opened(folder, chat=True, instruction="Rate films.")
