"""Metrics that ask a network, against bert-score and against their definitions, one text at a time.

The networks are tiny ones with random weights. Called one text at a time there are no batches, no padding and
no masks, where most that can go wrong would.
"""

from __future__ import annotations

import atexit
import functools
import math
import random
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import bert_score
import tiny_networks as tiny
import torch
from agreement_kinds import Comparison
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    XLMRobertaConfig,
    XLMRobertaModel,
)

from evaluator.records.board import CheckpointSpec
from evaluator.score.metrics import Metric, report, with_weights

#: Answers, each with its reference and its source.
Rows = list[tuple[str, str, str]]
LANGUAGE = "eng_Latn"
OPTIONS: dict[str, dict[str, Any]] = {"bertscore": {"layer": 2}, "prism": {"language": LANGUAGE}}


@functools.cache
def network(make: Callable[[Path], Path]) -> Path:
    """The folder of a tiny network, made when it is first asked for and gone when the program ends."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return make(folder / make.__name__)


@functools.cache
def opened(head: Any, folder: Path) -> tuple[Any, Any]:
    """A network and its tokeniser."""
    return head.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)


@functools.cache
def _metric(name: str, make: Callable[[Path], Path]) -> Metric:
    return with_weights(CheckpointSpec(metric=name, path=str(network(make)), options=OPTIONS.get(name, {})))


def _ours(name: str, make: Callable[[Path], Path], rows: Rows) -> list[float]:
    said, known, sources = map(list, zip(*rows, strict=True))
    found = report(said, known, "generation", [_metric(name, make)], sources=sources).scores[name]
    assert found.per_item is not None
    return list(map(float, found.per_item))


@functools.cache
def _bert_scorer(folder: Path) -> bert_score.BERTScorer:
    return bert_score.BERTScorer(model_type=str(folder), num_layers=OPTIONS["bertscore"]["layer"])


def _bertscore(rows: Rows) -> list[float]:
    """With this transformers bert-score reads no empty text, which its own code says to score 0."""
    said, known = [text or "-" for text, _, _ in rows], [text for _, text, _ in rows]
    found = 100.0 * _bert_scorer(network(tiny.bert)).score(said, known)[2].double()
    return [value if text else 0.0 for value, (text, _, _) in zip(found.tolist(), rows, strict=True)]


def _bleurt(row: tuple[str, str, str]) -> float:
    said, known, _ = row
    rater, tokenizer = opened(AutoModelForSequenceClassification, network(tiny.rater))
    with torch.inference_mode():
        rating = float(rater(**tokenizer(known, said, return_tensors="pt")).logits)
    return rating if said else min(rating, 0.0)


def log_probability(folder: Path, source: str, target: str, language: str | None = None) -> float:
    """The mean log-probability of a target's tokens, the one that names its language left out."""
    writer, tokenizer = opened(AutoModelForSeq2SeqLM, folder)
    if language:
        tokenizer.src_lang = tokenizer.tgt_lang = language
    wanted = tokenizer(text_target=target).input_ids
    begun = torch.tensor([[writer.config.decoder_start_token_id, *wanted[:-1]]])
    with torch.inference_mode():
        given = tokenizer(source, return_tensors="pt").input_ids
        logits = writer(input_ids=given, decoder_input_ids=begun).logits[0].double()
    each = [float(row.log_softmax(0)[token]) for row, token in zip(logits, wanted, strict=True)]
    counted = each[1:] if language else each
    return sum(counted) / len(counted)


def _both_ways(make: Callable[[Path], Path], language: str | None, row: tuple[str, str, str]) -> float:
    said, known, _ = row
    folder = network(make)
    ways = log_probability(folder, known, said, language), log_probability(folder, said, known, language)
    size = opened(AutoModelForSeq2SeqLM, folder)[0].config.vocab_size
    return sum(ways) / 2 if said else min(sum(ways) / 2, -math.log(size))


def _perplexity(row: tuple[str, str, str]) -> float:
    reader, tokenizer = opened(AutoModelForCausalLM, network(tiny.gpt))
    most = float(reader.config.vocab_size)
    own = tokenizer(row[0], add_special_tokens=False).input_ids
    if not own:
        return most
    ids = torch.tensor([[tokenizer.bos_token_id, *own]])
    with torch.inference_mode():
        return min(most, math.exp(float(reader(input_ids=ids, labels=ids).loss)))


class WrittenComet:
    """COMET's definition, for one text at a time, over a checkpoint of `tiny_networks`."""

    def __init__(self, folder: Path, settings: Mapping[str, Any] = tiny.COMET) -> None:
        self.settings = settings
        self.weights = torch.load(folder / "checkpoints" / "model.ckpt")["state_dict"]
        self.tokenizer = AutoTokenizer.from_pretrained(folder / "encoder")
        config = XLMRobertaConfig.from_pretrained(folder / "encoder")
        self.encoder = XLMRobertaModel(config, add_pooling_layer=False).eval()
        start = "encoder.model."
        own = {name.removeprefix(start): one for name, one in self.weights.items() if name.startswith(start)}
        self.encoder.load_state_dict(own)

    def vector(self, text: str) -> torch.Tensor:
        """A text's vector (width,)."""
        with torch.inference_mode():
            ids = self.tokenizer(text, return_tensors="pt")
            hidden = self.encoder(**ids, output_hidden_states=True).hidden_states
        layers = [layer[0].double() for layer in hidden]
        return self.mixed(layers).mean(dim=0)

    def mixed(self, layers: list[torch.Tensor]) -> torch.Tensor:
        """The layers together (tokens, width)."""
        if self.settings["layer_norm"]:
            layers = [(one - one.mean()) / (one.var(correction=0) + 1e-12).sqrt() for one in layers]
        # Of 0.1, 0.9 and 0.6 the first is too small: sparsemax takes 0.25 from the others.
        sparse = self.settings["layer_transformation"] == "sparsemax"
        shares = [0.0, 0.65, 0.35] if sparse else torch.tensor([0.1, 0.9, 0.6]).softmax(0).tolist()
        return 1.3 * torch.stack([share * one for share, one in zip(shares, layers, strict=True)]).sum(dim=0)

    def rating(self, said: str, known: str, source: str) -> float:
        """The rating of an answer."""
        a, r, s = map(self.vector, (said, known, source))
        features = torch.cat([a, r, a * r, (a - r).abs(), a * s, (a - s).abs()])
        top = {name: one.double() for name, one in self.weights.items() if name.startswith("estimator")}
        inner = (top["estimator.ff.0.weight"] @ features + top["estimator.ff.0.bias"]).tanh()
        value = top["estimator.ff.3.weight"] @ inner + top["estimator.ff.3.bias"]
        rating = float(value)
        return rating if said else min(rating, 0.0)


@functools.cache
def _written_comet() -> WrittenComet:
    return WrittenComet(network(tiny.comet))


def draw(chance: random.Random) -> Rows:
    return [(_text(chance), _text(chance), _text(chance)) for _ in range(chance.randint(1, 4))]


def _text(chance: random.Random) -> str:
    return " ".join(chance.choices([*tiny.WORDS, "unheard-of"], k=chance.randint(1, 12)))


NASTY: tuple[Rows, ...] = (
    [("", "the cat", "a dog")],
    [
        ("the cat", "the cat", "the cat"),
        ("", "a", "a"),
        (" ".join(["the dog ran far away ."] * 5), "a", "the"),
    ],
    [("unheard-of", "unheard-of things", "x y z")],
)


def _compared(
    name: str, make: Callable[[Path], Path], reference: str, theirs: Callable[[Rows], list[float]]
) -> Comparison:
    ours = functools.partial(_ours, name, make)
    return Comparison(f"`{name}`", reference, draw, NASTY, ours, theirs, every=10)


def _each(one: Callable[[tuple[str, str, str]], float]) -> Callable[[Rows], list[float]]:
    return lambda rows: [one(row) for row in rows]


ALONE = "the network asked for one text at a time"
NETWORKS = (
    _compared("bertscore", tiny.bert, "bert-score", _bertscore),
    _compared("bleurt", tiny.rater, ALONE, _each(_bleurt)),
    _compared(
        "comet",
        tiny.comet,
        "its definition, written out",
        _each(lambda row: _written_comet().rating(*row)),
    ),
    _compared("bartscore", tiny.bart, ALONE, _each(functools.partial(_both_ways, tiny.bart, None))),
    _compared(
        "prism", tiny.translator, ALONE, _each(functools.partial(_both_ways, tiny.translator, LANGUAGE))
    ),
    _compared("perplexity", tiny.gpt, ALONE, _each(_perplexity)),
)
