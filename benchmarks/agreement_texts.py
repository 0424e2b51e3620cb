"""Metrics over texts, against the libraries that define them."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import jiwer
import sacrebleu
from agreement_kinds import Comparison
from nltk.translate.gleu_score import corpus_gleu
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from evaluator.metrics import report

WORDS = ("the", "a", "cat", "Cat", "sat", "on", "mat", "mat.", "It's", "3,000", "naïve", "—", "(dog)", '"x"')
#: Answers, each with its references.
Corpus = list[tuple[str, list[str]]]


def draw(chance: random.Random) -> Corpus:
    references = chance.randint(1, 3)
    return [(_text(chance), [_text(chance) for _ in range(references)]) for _ in range(chance.randint(1, 4))]


def draw_single(chance: random.Random) -> Corpus:
    """One reference each, which is never empty: error rates are shares of its words."""
    return [(_text(chance), [_text(chance, 1)]) for _ in range(chance.randint(1, 4))]


def _text(chance: random.Random, least: int = 0) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randint(least, 12)))


NASTY: tuple[Corpus, ...] = (
    [("", ["a b"])],
    [("x", [""])],
    [("", [""])],
    [("x", ["a b"]), ("", [""]), ("a", [""])],
    [("e\u0301 — 3,000.50", ["é - 3,000.50"])],
)
NASTY_SINGLE: tuple[Corpus, ...] = ([("", ["a b"])], [("a b", ["b a"]), ("", ["c"])], [("e\u0301", ["é"])])


def _ours(name: str, corpus: Corpus) -> list[float]:
    said, references = [text for text, _ in corpus], [known for _, known in corpus]
    return [report(said, references, "generation", [name]).scores[name].value]


def _streams(corpus: Corpus) -> tuple[list[str], list[list[str]]]:
    columns = zip(*(known for _, known in corpus), strict=True)
    return [text for text, _ in corpus], [list(column) for column in columns]


def _sacrebleu(metric: sacrebleu.metrics.base.Metric, corpus: Corpus) -> list[float]:
    return [metric.corpus_score(*_streams(corpus)).score]


def _gleu(corpus: Corpus) -> list[float]:
    split = Tokenizer13a()
    references = [[split(known).split() for known in several] for _, several in corpus]
    return [100 * corpus_gleu(references, [split(text).split() for text, _ in corpus])]


def _rouge(name: str, corpus: Corpus) -> list[float]:
    scorer = RougeScorer([name], use_stemmer=False)
    best = [max(scorer.score(known, text)[name].fmeasure for known in several) for text, several in corpus]
    return [100 * sum(best) / len(best)]


def _jiwer(rate: Callable[[list[str], list[str]], float], corpus: Corpus) -> list[float]:
    return [100 * rate([known for _, [known] in corpus], [text for text, _ in corpus])]


def _compared(
    name: str, reference: str, theirs: Callable[[Corpus], list[float]], single: bool = False
) -> Comparison:
    drawn, nasty = (draw_single, NASTY_SINGLE) if single else (draw, NASTY)
    return Comparison(f"`{name}`", reference, drawn, nasty, functools.partial(_ours, name), theirs)


PLAIN: dict[str, Any] = {"tokenize": "none", "smooth_method": "none", "force": True}
TEXTS = (
    _compared("sacrebleu", "sacrebleu", functools.partial(_sacrebleu, sacrebleu.BLEU(force=True))),
    _compared(
        "bleu",
        "sacrebleu, words apart by white space, unsmoothed",
        functools.partial(_sacrebleu, sacrebleu.BLEU(**PLAIN)),
    ),
    _compared("google-bleu", "nltk, over sacrebleu's 13a tokens", _gleu),
    _compared("chrf", "sacrebleu", functools.partial(_sacrebleu, sacrebleu.CHRF())),
    _compared("ter", "sacrebleu", functools.partial(_sacrebleu, sacrebleu.TER())),
    _compared("rouge-1", "rouge-score", functools.partial(_rouge, "rouge1")),
    _compared("rouge-2", "rouge-score", functools.partial(_rouge, "rouge2")),
    _compared("rouge-l", "rouge-score", functools.partial(_rouge, "rougeL")),
    _compared("wer", "jiwer", functools.partial(_jiwer, jiwer.wer), single=True),
    _compared("cer", "jiwer", functools.partial(_jiwer, jiwer.cer), single=True),
)
