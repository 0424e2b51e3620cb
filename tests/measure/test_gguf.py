"""The adapter for GGUF files: what a file says, and the same numbers as of the same weights in transformers."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import forked_command
import pytest
from small_boards import small_board
from tiny_decoders import CHAT, save_decoder
from tiny_gguf import write_gguf

from evaluator.measure.models import gguf, open_model
from evaluator.measure.models.base import MissingPackage
from evaluator.measure.models.decoder import Decoder, answering
from evaluator.measure.models.gguf_header import read_header
from evaluator.records.errors import UserError
from evaluator.records.store import Store

pytestmark = pytest.mark.slow

runs_it = pytest.mark.skipif(
    find_spec("llama_cpp") is None,
    reason="llama-cpp-python is not installed: it is built from source, see 'A GGUF file' in the docs",
)

LABELS = ("negative", "positive")
#: What makes llama.cpp compute as exactly as transformers does: a cache of 32 bits, and attention step by step.
EXACT = {"type_k": 0, "type_v": 0, "flash_attn_type": 0}
STATEMENTS = [
    "a lovely film",
    "",
    "bad " * 12,
    "Ünïcödé 🎬 film\nof two lines",
    "the staff were rude , not kind",
    "a lovely film",
]
#: Words of one token, of several, and of which one begins the other.
WORDS = [
    {"negative": "no", "positive": "yes"},
    {"negative": "x", "positive": "a very lovely film"},
    {"negative": "not", "positive": "not good"},
]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Llama as transformers saves it."""
    return save_decoder(tmp_path_factory.mktemp("weights") / "llama", chat=CHAT)


@pytest.fixture(scope="module")
def folder(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the same weights in a GGUF file."""
    folder = tmp_path_factory.mktemp("gguf")
    write_gguf(weights, folder / "tiny.gguf")
    return folder


def in_transformers(weights: Path, task: str = "sentiment", labels: Any = LABELS, **options: Any) -> Any:
    return open_model("transformers-causal", weights, options, task, labels)


def exactly(folder: Path, task: str = "sentiment", labels: Any = LABELS, **options: Any) -> Any:
    """The model as exact as it can be."""
    prompt = gguf.check_options(options, folder, task, labels)
    network = gguf.opened(folder / "tiny.gguf", 256, **EXACT)
    return answering(Decoder(network, prompt, 256), options, labels)


@runs_it
@pytest.mark.parametrize("words", WORDS)
def test_log_likelihoods_are_those_of_the_same_weights_in_transformers(
    words: dict[str, str], weights: Path, folder: Path
) -> None:
    """Each label's words are as likely, whatever was asked before: within 1e-4, and within 0.03 as llama.cpp
    computes unless told otherwise."""
    other, exact = in_transformers(weights, answers=words), exactly(folder, answers=words)
    usual = open_model("gguf", folder, {"answers": words}, "sentiment", LABELS)
    for statement in STATEMENTS:
        expected = other.log_likelihoods({"statement": statement})
        assert exact.log_likelihoods({"statement": statement}) == pytest.approx(expected, abs=1e-4)
        assert usual.log_likelihoods({"statement": statement}) == pytest.approx(expected, abs=0.03)  # type: ignore[attr-defined]


@runs_it
@pytest.mark.parametrize("scoring", ["log-likelihood", "generation"])
def test_labels_are_those_of_transformers(scoring: str, weights: Path, folder: Path) -> None:
    """Both ways to choose a label give the same one, with the same probabilities."""
    options = {"answers": WORDS[1], "scoring": scoring}
    other, exact = in_transformers(weights, **options), exactly(folder, **options)
    for statement in STATEMENTS:
        expected, found = (model.predict({"statement": statement}) for model in (other, exact))
        assert found["label"] == expected["label"]
        assert found["probabilities"] == pytest.approx(expected["probabilities"], abs=1e-4)


@runs_it
def test_free_answers_are_those_of_transformers(weights: Path, folder: Path) -> None:
    """Both write the same, token by token, and end at the same text."""
    for stop in ([], ["e"]):
        options = {"template": "{{ text }}", "max_new_tokens": 12, "stop": stop}
        other = in_transformers(weights, "generation", (), **options)
        exact = exactly(folder, "generation", (), **options)
        texts = [{"text": text} for text in ("a lovely film", "Question: what is it ?", "bad film " * 20)]
        assert exact.predict_batch(texts) == [other.predict(text) for text in texts]


@runs_it
def test_a_chat_template_of_the_file_makes_the_prompt(weights: Path, folder: Path) -> None:
    """Text and tokens of a conversation are those that transformers makes, marks included."""
    options = {"chat": True, "instruction": "Rate films.", "chat_options": {"opening": "I say:"}}
    other, found = in_transformers(weights, **options), exactly(folder, **options)
    assert found.decoder.render({"statement": "fun"}) == other.decoder.render({"statement": "fun"})
    assert found.decoder.pairs({"statement": "fun"}) == other.decoder.pairs({"statement": "fun"})


@runs_it
def test_what_is_not_read_at_once_counts_as_well(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prompt that is read in parts gives what it gives in one."""
    example = {"statement": "the bad film was not good , " * 3}
    whole = exactly(folder, answers=WORDS[1]).log_likelihoods(example)
    monkeypatch.setattr(gguf, "AT_ONCE", 16)
    assert exactly(folder, answers=WORDS[1]).log_likelihoods(example) == pytest.approx(whole, abs=1e-4)


def test_a_file_says_what_it_holds(weights: Path, tmp_path: Path) -> None:
    """Architecture, context, parameters and quantisation are read from it, without its weights."""
    import transformers

    network = transformers.AutoModelForCausalLM.from_pretrained(weights)
    count = sum(one.numel() for one in network.parameters())
    for quantised, kind in ((False, "F32"), (True, "Q8_0")):
        header = read_header(write_gguf(weights, tmp_path / f"{kind}.gguf", quantised))
        said = (header.architecture, header.context, header.parameters, header.quantisation)
        assert said == ("llama", 256, count, kind)


@runs_it
def test_quantised_weights_answer(weights: Path, tmp_path: Path) -> None:
    """Weights of 8 bits give about the same log-likelihoods, and not the very same."""
    write_gguf(weights, tmp_path / "tiny.gguf", quantised=True)
    found = exactly(tmp_path).log_likelihoods({"statement": "a film"})
    expected = in_transformers(weights).log_likelihoods({"statement": "a film"})
    assert found == pytest.approx(expected, abs=0.5)
    assert found != pytest.approx(expected, abs=1e-4)


def a_text(weights: Path, folder: Path) -> None:
    (folder / "tiny.gguf").write_text("not weights at all", encoding="utf-8")


def half(weights: Path, folder: Path) -> None:
    whole = write_gguf(weights, folder / "tiny.gguf").read_bytes()
    (folder / "tiny.gguf").write_bytes(whole[:2000])


def endless(weights: Path, folder: Path) -> None:
    """A list of more numbers than any file has."""
    head = struct.pack("<4sIQQ", b"GGUF", 3, 0, 2)
    field = struct.pack("<Q", 4) + b"list" + struct.pack("<IIQ", 9, 4, 2**62)
    (folder / "tiny.gguf").write_bytes(head + field * 2)


def two(weights: Path, folder: Path) -> None:
    for name in ("a.gguf", "b.gguf"):
        (folder / name).touch()


def saying(**fields: Any) -> Callable[[Path, Path], None]:
    return lambda weights, folder: write_gguf(weights, folder / "tiny.gguf", **fields) and None


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (lambda *_: None, {}, "there is no file whose name ends with .gguf; put one there"),
        (two, {}, "there are a.gguf, b.gguf; name one in options.file"),
        (two, {"file": "c.gguf"}, "c.gguf: no such file; there is a.gguf, b.gguf"),
        (two, {"file": "../c.gguf"}, "options.file: '../c.gguf' is not in the model's folder"),
        (a_text, {}, "tiny.gguf: is no GGUF file; give a model that llama.cpp's convert_hf_to_gguf.py made"),
        (half, {}, "tiny.gguf: cannot be read as GGUF: "),
        (endless, {}, "tiny.gguf: cannot be read as GGUF: it is cut off"),
        (saying(split__count=3), {}, "is one of 3 files that a model is split into; join them with"),
        (saying(general__type="mmproj"), {}, "holds no model, but what it calls mmproj; name the file of"),
        (saying(llama__attention__causal=False), {}, "(llama) is an encoder, which a prompt cannot ask; use"),
        (saying(), {"max_length": 257}, "options.max_length: 257 is not a whole number from 8 to 256"),
        (saying(), {"dtype": "float32"}, "options.dtype: gguf has no such option"),
    ],
)
def test_what_is_no_whole_decoder_is_refused_before_anything_is_loaded(
    make: Callable[[Path, Path], None],
    options: dict[str, Any],
    message: str,
    weights: Path,
    tmp_path: Path,
) -> None:
    """Each message names the file or the option, and the fix; llama.cpp is not asked."""
    make(weights, tmp_path)
    with pytest.raises(UserError) as caught:
        gguf.check_options(options, tmp_path, "sentiment", LABELS)
    assert message in str(caught.value)


@runs_it
@pytest.mark.parametrize(
    ("fields", "options", "message"),
    [
        (
            {},
            {"max_length": 20, "instruction": "film " * 30},
            "options.max_length: 20 tokens, but the prompt",
        ),
        ({"general__architecture": "unheard"}, {}, "tiny.gguf: llama.cpp does not open it: "),
    ],
)
def test_what_cannot_be_asked_is_refused_when_it_is_opened(
    fields: dict[str, Any], options: dict[str, Any], message: str, weights: Path, tmp_path: Path
) -> None:
    """A context that the prompt alone fills, and what llama.cpp does not know, have messages of their own."""
    write_gguf(weights, tmp_path / "tiny.gguf", **fields)
    with pytest.raises(UserError) as caught:
        open_model("gguf", tmp_path, options, "sentiment", LABELS)
    assert message in str(caught.value)


def test_the_missing_package_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without llama-cpp-python the message says how to install it."""
    monkeypatch.setitem(__import__("sys").modules, "llama_cpp", None)
    with pytest.raises(
        MissingPackage, match=r"llama_cpp is not installed; run: pip install 'steelyard\[gguf\]'"
    ):
        open_model("gguf", folder, {}, "sentiment", LABELS)


TEXTS = """
title = "T"

[measure]
repeats = 2
seconds = 0.01

[[datasets]]
id = "d"
label = "D"
task = "generation"
path = "d.tsv"
format = "tsv"
columns = { text = "source", answers = "target" }

[[boards]]
id = "b"
title = "B"
task = "generation"
base = "chrf"
datasets = ["d"]
metrics = [
  { name = "chrf", label = "chrF", unit = "" },
  { name = "tokens_per_s", label = "Tokens a second", unit = "tokens/s" },
  { name = "time_to_first_token", label = "First token", unit = "s", direction = "lower", cap = "max" },
]

[[models]]
id = "gguf"
label = "Llama, GGUF"
task = "generation"
adapter = "gguf"
directory = "models/gguf"
options = { max_new_tokens = 8, stop = ["zzz"] }

[[models]]
id = "torch"
label = "Llama"
task = "generation"
adapter = "transformers-causal"
directory = "models/torch"
options = { max_new_tokens = 8, stop = ["zzz"] }
"""


@runs_it
def test_texts_are_timed_by_their_tokens(weights: Path, tmp_path: Path) -> None:
    """Tokens a second and the time to the first are scores with intervals, in both formats; together they are
    the time that a text takes."""
    (tmp_path / "models" / "gguf").mkdir(parents=True)
    (tmp_path / "models" / "torch").symlink_to(weights)
    write_gguf(weights, tmp_path / "models" / "gguf" / "tiny.gguf")
    (tmp_path / "board.toml").write_text(TEXTS, encoding="utf-8")
    rows = [f"{text}\t{text}" for text in ("a dog", "a cat", "good food", "kind staff", "a film")]
    (tmp_path / "d.tsv").write_text("\n".join(["source\ttarget", *rows]), encoding="utf-8")
    done = forked_command.run("evaluate", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    store = Store(tmp_path / "results")
    for model in ("gguf", "torch"):
        result = store.find("generation", "d", model)
        assert result is not None
        first, rate = (result.scores[name] for name in ("time_to_first_token", "tokens_per_s"))
        assert (first.unit, rate.unit) == ("s", "tokens/s")
        assert first.interval
        assert rate.interval
        assert result.measurement is not None
        for block in result.measurement.repeats:
            # Texts have 8 tokens, or fewer where one ends itself.
            assert block.time_to_first_token is not None
            assert block.tokens_per_s is not None
            assert block.time_to_first_token < 1 / block.throughput
            assert block.time_to_first_token + 7 / block.tokens_per_s > 0.999 / block.throughput
    checked = forked_command.run("check", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr


MODEL = """
[[models]]
id = "tiny"
label = "Tiny Llama"
task = "sentiment"
adapter = "gguf"
directory = "models/tiny"
options = { template = "{{ statement }} ->", answers = { negative = "bad", positive = "good" } }
"""
TEST = ["a fine film\tpositive", "an awful film\tnegative", "good food\tpositive", "rude staff\tnegative"]


@runs_it
def test_a_file_is_evaluated_on_a_board(weights: Path, tmp_path: Path) -> None:
    """It is timed in a worker as every model is, its answers are those that it gives alone, and its card and the
    board's filters say how many weights it has and how they are stored."""
    (tmp_path / "models" / "tiny").mkdir(parents=True)
    write_gguf(weights, tmp_path / "models" / "tiny" / "tiny.gguf", quantised=True)
    board = small_board("accuracy", measure={"repeats": 1, "seconds": 0.001})
    (tmp_path / "board.toml").write_text(board + MODEL, encoding="utf-8")
    (tmp_path / "d.tsv").write_text("\n".join(TEST), encoding="utf-8")
    done = forked_command.run("evaluate", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    store = Store(tmp_path / "results")
    result = store.find("sentiment", "d", "tiny")
    assert result is not None
    assert result.measurement is not None
    assert result.scores["throughput"].value > 0
    assert (result.model.card.quantisation, result.model.card.parameters) == (
        "Q8_0",
        read_header(tmp_path / "models" / "tiny" / "tiny.gguf").parameters,
    )
    options = {"template": "{{ statement }} ->", "answers": {"negative": "bad", "positive": "good"}}
    alone = open_model("gguf", tmp_path / "models" / "tiny", options, "sentiment", LABELS)
    expected = [alone.predict({"statement": line.split("\t")[0]})["label"] for line in TEST]
    predicted = store.predictions(result).predicted or ()
    assert [LABELS[place] for place in predicted] == expected
    again = forked_command.run("evaluate", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert store.find("sentiment", "d", "tiny") == result
    assert result.measurement.fingerprint.libraries["llama-cpp-python"]
    built = forked_command.run("build", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    page = (tmp_path / "build" / "b" / "models" / "tiny" / "index.html").read_text(encoding="utf-8")
    assert re.search(r"Quantisation</dt>\s*<dd[^>]*>Q8_0", page)
    assert re.search(r"tiny\.gguf: llama, 39\s712 parameters, Q8_0", page)
    board_page = (tmp_path / "build" / "b" / "index.html").read_text(encoding="utf-8")
    assert '"tags":["Q8_0"]' in board_page
    assert "quantisation Q8_0 · context 256 tokens" in board_page
