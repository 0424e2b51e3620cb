"""Metrics over texts, against the libraries that define them."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable
from typing import Any

import jiwer
import sacrebleu
import squad_v2
from agreement_kinds import Comparison
from nltk.translate.gleu_score import corpus_gleu
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from evaluator.score.metrics import Value, report

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


#: All kinds of white space, runs of it, and a character that only looks like it.
SPACES = (" ", "  ", "\t", "\t\t", "\n", "\r\n", "\x1c", "\x85", "\u00a0", "\u2028", "\u3000", "\u200b")
NASTY_SPACED: tuple[Corpus, ...] = ([("a\tb", ["a b"])], [("\u00a0a", ["a\u00a0b"])], [("a\u200bb", ["a b"])])


def _ours(name: str, corpus: Corpus) -> list[float]:
    said, references = [text for text, _ in corpus], [known for _, known in corpus]
    return [report(said, references, "generation", [name]).scores[name].value]


def _streams(corpus: Corpus) -> tuple[list[str], list[list[str]]]:
    columns = zip(*(known for _, known in corpus), strict=True)
    return [text for text, _ in corpus], [list(column) for column in columns]


def _sacrebleu(metric: sacrebleu.metrics.base.Metric, corpus: Corpus) -> list[float]:
    return [metric.corpus_score(*_streams(corpus)).score]


def _gleu(corpus: Corpus) -> list[float]:
    split = Tokenizer13a()  # type: ignore[no-untyped-call]
    references = [[split(known).split() for known in several] for _, several in corpus]
    return [100 * corpus_gleu(references, [split(text).split() for text, _ in corpus])]


def _rouge(name: str, corpus: Corpus) -> list[float]:
    scorer = RougeScorer([name], use_stemmer=False)
    best = [max(scorer.score(known, text)[name].fmeasure for known in several) for text, several in corpus]
    return [100 * sum(best) / len(best)]


def _jiwer(rate: Callable[[list[str], list[str]], float], corpus: Corpus) -> list[float]:
    return [100 * rate([known for _, [known] in corpus], [text for text, _ in corpus])]


def _jiwer_at_spaces(corpus: Corpus) -> list[float]:
    """The word error rate of the corpus once each white space is a space, at which alone jiwer ends words."""
    made = [(re.sub(r"\s", " ", text), [re.sub(r"\s", " ", known[0])]) for text, known in corpus]
    return _jiwer(jiwer.wer, made)


def draw_spaced(chance: random.Random) -> Corpus:
    """As `draw_single`, with any white space between words, and what looks like it."""

    def spaced(least: int) -> str:
        return re.sub(" ", lambda _: chance.choice(SPACES), _text(chance, least))

    return [(spaced(0), [spaced(1)]) for _ in range(chance.randint(1, 4))]


def _spaced(name: str, reference: str, theirs: Callable[[Corpus], list[float]]) -> Comparison:
    ours = functools.partial(_ours, name)
    return Comparison(f"`{name}`, any white space", reference, draw_spaced, NASTY_SPACED, ours, theirs)


def _compared(
    name: str, reference: str, theirs: Callable[[Corpus], list[float]], single: bool = False
) -> Comparison:
    drawn, nasty = (draw_single, NASTY_SINGLE) if single else (draw, NASTY)
    return Comparison(f"`{name}`", reference, drawn, nasty, functools.partial(_ours, name), theirs)


#: How the metrics of questions that have an answer, and of those that have none, begin.
KINDS = ("has-ans", "no-ans")
#: Questions, each with the answers that are right, what is said, and how likely it has no answer.
Questions = list[tuple[list[str], str, float]]


def draw_questions(chance: random.Random) -> Questions:
    """Some without an answer, and some whose answers have no words."""
    found: Questions = []
    for _ in range(chance.randint(1, 12)):
        several = [_text(chance) or "the" for _ in range(chance.randint(1, 3))]
        right = [] if chance.random() < 0.4 else several
        found.append((right, _text(chance), chance.choice([0.0, 0.25, 0.5, chance.random()])))
    return found


def _squad(name: str, measure: squad_v2.Measure) -> tuple[Comparison, Comparison]:
    """A measure of SQuAD v2 over all questions, and the best over thresholds with the threshold."""

    def found(questions: Questions, asked: str) -> Value:
        references = [squad_v2.references(right) for right, _, _ in questions]
        said, sure = [text for _, text, _ in questions], [number for _, _, number in questions]
        return report(said, references, "qa", [asked], no_answer=sure).scores[asked]

    def ours(questions: Questions) -> list[float | None]:
        kinds = {bool(right) for right, _, _ in questions}
        apart = [found(questions, f"{kind}-{name}").value if len(kinds) > 1 else None for kind in KINDS]
        return [found(questions, name).value, *apart]

    def ours_best(questions: Questions) -> list[float]:
        best = found(questions, f"best-{name}")
        return [best.value, best.parts["threshold"]]

    def theirs(questions: Questions) -> list[float | None]:
        gold, said, _ = _by_id(questions)
        scores = squad_v2.each(gold, said, measure)
        kinds = [[name for name in gold if gold[name]], [name for name in gold if not gold[name]]]
        apart = [squad_v2.mean(scores, of) if all(kinds) else None for of in kinds]
        return [squad_v2.mean(scores, list(gold)), *apart]

    def theirs_best(questions: Questions) -> list[float]:
        return list(squad_v2.best(*_by_id(questions), measure))

    reference = "SQuAD v2's definition, written out"
    return (
        Comparison(
            ", ".join(f"`{one}`" for one in (name, *(f"{kind}-{name}" for kind in KINDS))),
            reference,
            draw_questions,
            NASTY_QUESTIONS,
            ours,
            theirs,
        ),
        Comparison(
            f"`best-{name}` and its threshold",
            reference,
            draw_questions,
            NASTY_QUESTIONS,
            ours_best,
            theirs_best,
        ),
    )


def _by_id(questions: Questions) -> tuple[dict[str, list[str]], dict[str, str], dict[str, float]]:
    ids = [str(number) for number in range(len(questions))]
    right, said, sure = (dict(zip(ids, column, strict=True)) for column in zip(*questions, strict=True))
    return right, said, sure


NASTY_QUESTIONS: tuple[Questions, ...] = (
    [([], "", 0.0)],
    [([], "the", 0.5), (["a cat"], "", 0.5)],
    [(["cat", "the"], "an", 0.1), ([], "—", 0.1), (["3,000"], "3000", 0.1)],
    [(["cat"], "dog", 0.0)],
    [(["the"], "", 0.5), (["a", "—"], "an", 0.1), ([], " ", 0.2)],
)
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
    *_squad("exact-match", squad_v2.exact),
    *_squad("f1", squad_v2.f1),
    _compared("wer", "jiwer", functools.partial(_jiwer, jiwer.wer), single=True),
    _compared("cer", "jiwer", functools.partial(_jiwer, jiwer.cer), single=True),
    _spaced("wer", "jiwer, with each white space made a space", _jiwer_at_spaces),
    _spaced("cer", "jiwer", functools.partial(_jiwer, jiwer.cer)),
)
