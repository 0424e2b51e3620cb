"""A model behind llama.cpp's real server: what is kept of its answers is what the server says itself."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import forked_command
import pytest
from llama_server import LlamaServer, llama_server
from tiny_decoders import save_decoder
from tiny_gguf import write_gguf

from evaluator.measure.endpoint.request import Said
from evaluator.measure.run.untimed import input_key
from evaluator.records.board import TAKEN
from evaluator.records.result import Result
from evaluator.records.store import Store

pytestmark = pytest.mark.slow

TEXTS = [one + more for one in ("a good film", "rude staff", "food") for more in ("", ", very bad", " ?")]
#: Told from it the server knows what a thought looks like, and gives it in a field of its own.
CHAT = (
    "{{ bos_token }}{% for message in messages %}<|{{ message.role }}|>"
    "{% if message.reasoning_content %}<think>{{ message.reasoning_content }}</think>{% endif %}"
    "{{ message.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
#: The conversation that asks about a text, besides it: an instruction, an example and its answer.
OPTIONS = 'instruction = "Say what it is.", examples = [{ text = "kind staff", answer = "very positive" }]'
SHOWN = [
    {"role": "system", "content": "Say what it is."},
    {"role": "user", "content": "Text: kind staff\nAnswer:"},
    {"role": "assistant", "content": "very positive"},
]
BOARD = """
title = "T"

[[datasets]]
id = "d"
label = "D"
task = "{task}"
path = "d.csv"
format = "csv"
columns = {columns}
suites = []
show_text = true

[[endpoints]]
id = "local"
url = "{url}"
{endpoint}

[[models]]
id = "m"
label = "M"
task = "{task}"
adapter = "endpoint"
options = {{ endpoint = "local", model = "tiny", {options} }}

[[boards]]
id = "b"
title = "B"
task = "{task}"
base = "{metric}"
datasets = ["d"]
metrics = [
  {{ name = "{metric}", label = "Q", unit = "%" }},
{taken}]
"""
SENTIMENT = {
    "task": "sentiment",
    "columns": '{ statement = "text", label = "right" }\nlabels = ["negative", "positive"]',
    "metric": "accuracy",
}
GENERATION = {
    "task": "generation",
    "columns": '{ text = "text", answers = "right" }',
    "metric": "exact-match",
}
COLUMNS = "".join(
    f'  {{ name = "{name}", label = "{name}", unit = "{unit}", direction = "lower", cap = "max" }},\n'
    for name, (unit, _) in TAKEN.items()
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Llama with a chat template, as a GGUF file."""
    folder = tmp_path_factory.mktemp("gguf")
    return write_gguf(save_decoder(folder / "llama", chat=CHAT), folder / "tiny.gguf")


@pytest.fixture(scope="module")
def server(model: Path) -> Iterator[LlamaServer]:
    with llama_server(model) as running:
        yield running


def write(
    folder: Path,
    url: str,
    rows: Mapping[str, str],
    options: str = OPTIONS,
    endpoint: str = "concurrency = 1",
    **task: str,
) -> None:
    """Write a board of a model at an address, and its data: texts and what is right."""
    with (folder / "d.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "right"), *rows.items()])
    text = BOARD.format(url=url, options=options, endpoint=endpoint, taken=COLUMNS, **(task or GENERATION))
    (folder / "board.toml").write_text(text, encoding="utf-8")


def evaluate(folder: Path, **environment: str) -> Result:
    done = forked_command.run("evaluate", cwd=folder, env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout + done.stderr
    [result] = Store(folder / "results").results()
    return result


def kept(folder: Path) -> dict[str, Said]:
    """The answers on disk, in the order in which they came, by their texts."""
    by_key = {input_key({field: text}): text for text in TEXTS for field in ("text", "statement")}
    files = folder.glob(".steelyard/answers/*.jsonl")
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines(keepends=True)]
    whole = [json.loads(line) for line in lines if line.endswith("\n")]
    return {by_key[key]: Said(**fields) for key, fields in whole}


def conversation(text: str) -> list[dict[str, str]]:
    return [*SHOWN, {"role": "user", "content": f"Text: {text}\nAnswer:"}]


def said_alone(server: LlamaServer, text: str, **settings: Any) -> dict[str, Any]:
    """What the server says of a text where it is asked in one piece, with nothing from its cache."""
    body = {"messages": conversation(text), "temperature": 0, "cache_prompt": False, **settings}
    return server.post("/v1/chat/completions", body)


def in_common(first: list[int], second: list[int]) -> int:
    """How many tokens two conversations have in common at their beginning."""
    pairs = zip(first, second, strict=False)
    return next(
        (place for place, (one, other) in enumerate(pairs) if one != other), min(len(first), len(second))
    )


def test_answers_tokens_and_endings_are_those_that_the_server_gives(
    tmp_path: Path, server: LlamaServer
) -> None:
    """In one piece it says the same, its tokeniser counts the same, and its own totals add up to what is kept."""
    alone = {text: said_alone(server, text, max_tokens=12, stop=["a"]) for text in TEXTS}
    words = {text: one["choices"][0]["message"]["content"] for text, one in alone.items()}
    write(tmp_path, server.url, words, f'{OPTIONS}, max_new_tokens = 12, stop = ["a"]')
    last, before = server.tokens(conversation(TEXTS[-1])), server.totals()
    result = evaluate(tmp_path)
    counted = {name: value - before[name] for name, value in server.totals().items()}
    said = kept(tmp_path)
    assert {text: one.text for text, one in said.items()} == words
    assert result.scores["exact-match"].value == 100.0
    for text, one in said.items():
        prompt, usage = server.tokens(conversation(text)), alone[text]["usage"]
        assert (one.input_tokens, one.output_tokens) == (usage["prompt_tokens"], usage["completion_tokens"])
        # At least one token is read again, for what comes next.
        assert (one.input_tokens, one.cached_tokens) == (
            len(prompt),
            min(in_common(last, prompt), len(prompt) - 1),
        )
        assert one.finish == alone[text]["choices"][0]["finish_reason"]
        last = prompt
    assert {one.finish for one in said.values()} == {"stop", "length"}
    # The server calls the model by its file; where that is on its machine is nobody's business.
    assert result.model.made_from["asked"]["served"] == ["tiny.gguf"]
    values = Store(tmp_path / "results").predictions(result).values
    assert values is not None
    assert list(values["cut_off"]) == [float(said[text].finish == "length") for text in TEXTS]
    new = sum(values["input_tokens"]) - sum(values["cached_tokens"])  # type: ignore[arg-type]
    assert (counted["prompt_tokens_total"], counted["tokens_predicted_total"]) == (
        new,
        sum(values["output_tokens"]),
    )  # type: ignore[arg-type]


def test_seconds_are_at_least_those_that_the_server_worked(tmp_path: Path, server: LlamaServer) -> None:
    """To the first token it reads the prompt; to the end it writes, too."""
    write(tmp_path, server.url, dict.fromkeys(TEXTS, "x"), f"{OPTIONS}, max_new_tokens = 100")
    before = server.totals()
    began = time.monotonic()
    evaluate(tmp_path)
    took = time.monotonic() - began
    reading, writing = (
        server.totals()[name] - before[name]
        for name in ("prompt_seconds_total", "tokens_predicted_seconds_total")
    )
    said = kept(tmp_path).values()
    assert all(0 < one.first_token_s < one.answer_s for one in said if one.first_token_s is not None)
    first, whole = sum(one.first_token_s or 0.0 for one in said), sum(one.answer_s for one in said)
    assert reading < first
    assert reading + writing < whole < took


LOADING = """
import asyncio, sys
from evaluator.measure.endpoint.request import Client
from evaluator.records.board import EndpointSpec

async def ask():
    async with Client(EndpointSpec(id="local", url=sys.argv[1])) as client:
        before = set(sys.modules)
        await client.send("tiny", [{"role": "user", "content": "hm"}], {"max_tokens": 2})
        new = {name.partition(".")[0] for name in set(sys.modules) - before}
        print(*sorted(new - sys.stdlib_module_names))

asyncio.run(ask())
"""


def test_what_the_client_loads_when_it_is_first_used_is_in_no_answers_seconds(server: LlamaServer) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADING, server.url], capture_output=True, text=True, check=True
    )
    assert done.stdout == "\n"


def test_several_at_a_time_get_the_answers_that_each_gets_alone(tmp_path: Path, model: Path) -> None:
    """More requests at once than the server has places: the others wait there."""
    with llama_server(model, n_parallel=3, n_ctx=768) as server:
        words = {
            text: said_alone(server, text, max_tokens=12)["choices"][0]["message"]["content"]
            for text in TEXTS
        }
        write(tmp_path, server.url, words, f"{OPTIONS}, max_new_tokens = 12", "concurrency = 6")
        assert evaluate(tmp_path).scores["exact-match"].value == 100.0


GRAMMAR = 'root ::= "positive" | "negative"'
THINKING = 'root ::= "<think>" [a-z] [a-z] [a-z] "</think>" "positive"'


@pytest.mark.parametrize(
    ("extra", "thoughts"),
    [
        (f"grammar = '{GRAMMAR}'", False),
        (f"grammar = '{THINKING}'", False),
        (f"grammar = '{THINKING}', reasoning_format = \"none\"", True),
    ],
    ids=["one of the labels", "thoughts in a field of their own", "thoughts before the answer"],
)
def test_labels_are_found_also_after_thoughts(
    tmp_path: Path, server: LlamaServer, extra: str, thoughts: bool
) -> None:
    """A grammar among the extra fields of a request holds even random weights to the labels."""
    write(tmp_path, server.url, dict.fromkeys(TEXTS, "positive"), f"extra = {{ {extra} }}", **SENTIMENT)
    result = evaluate(tmp_path)
    said = kept(tmp_path).values()
    answers = [one.text.rpartition("</think>")[2] for one in said]
    assert ["</think>" in one.text for one in said] == [thoughts] * len(TEXTS)
    assert result.failures == ()
    assert result.scores["accuracy"].value == pytest.approx(100 * answers.count("positive") / len(TEXTS))
    # A thought is the first token, in whichever field it comes.
    assert all(0 < (one.first_token_s or 0) < one.answer_s for one in said)
    assert {one.finish for one in said} == {"stop"}


def test_a_model_that_thinks_is_held_to_its_tokens_too(tmp_path: Path, server: LlamaServer) -> None:
    """With an effort the limit is sent by its other name."""
    write(
        tmp_path, server.url, dict.fromkeys(TEXTS, "x"), 'effort = "low", temperature = 0, max_new_tokens = 5'
    )
    evaluate(tmp_path)
    assert {(one.output_tokens, one.finish) for one in kept(tmp_path).values()} == {(5, "length")}


def test_what_does_not_fit_is_the_models_failure_and_a_key_is_asked_for(tmp_path: Path, model: Path) -> None:
    long = "very " * 300
    with llama_server(model, api_keys=["sk-1"]) as server:
        rows = {"good": "x", "bad": "x", long: "x"}
        write(tmp_path, server.url, rows, "max_new_tokens = 4", 'key = "THE_KEY"\nconcurrency = 1')
        wrong = forked_command.run("evaluate", cwd=tmp_path, env={**os.environ, "THE_KEY": "sk-2"})
        result = evaluate(tmp_path, THE_KEY="sk-1")
    assert wrong.returncode == 1
    assert "the key in THE_KEY is refused: " in wrong.stdout + wrong.stderr
    [failure] = result.failures
    assert (failure.kind, failure.count) == ("refused", 1)
    assert "context size" in failure.message


def test_a_server_that_dies_is_asked_the_rest_when_it_is_back(tmp_path: Path, model: Path) -> None:
    """The evaluation goes on by itself, and what was answered is not asked again."""
    done: list[Result] = []
    with llama_server(model) as server:
        pace = "concurrency = 1\nrequests_per_minute = 240"
        write(tmp_path, server.url, dict.fromkeys(TEXTS, "x"), "max_new_tokens = 20", pace)
        thread = threading.Thread(target=lambda: done.append(evaluate(tmp_path)))
        thread.start()
        while len(kept(tmp_path)) < 3:
            time.sleep(0.01)
        server.process.kill()
        server.process.wait()
        time.sleep(0.5)  # an answer that had come may not be on disk yet
        answered = len(kept(tmp_path))
    with llama_server(model, port=server.port) as again:
        thread.join(timeout=120)
        totals = again.totals()
    assert done
    assert 3 <= answered < len(TEXTS)
    later = list(kept(tmp_path).values())[answered:]
    assert totals["tokens_predicted_total"] == sum(one.output_tokens or 0 for one in later)
