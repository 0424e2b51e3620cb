"""Texts in which a metric's tokeniser finds no words are counted, and TER says beforehand that it is slow."""

from __future__ import annotations

import logging

import pytest

from evaluator.score.metrics import report
from evaluator.score.metrics.wordless import wordless


@pytest.mark.parametrize(
    ("text", "metrics"),
    [
        ("Привет, мир", ["rouge-1"]),
        ("你好，世界", ["rouge-1", "sacrebleu", "f1", "wer"]),
        ("สวัสดีชาวโลก", ["rouge-1", "sacrebleu", "f1", "wer"]),
        ("안녕 세상", ["rouge-1"]),
        ("naïve café", []),
        ("model 模型 is good", []),
        ("", []),
        ("?!", []),
    ],
)
def test_a_text_without_words_is_counted_by_tokeniser(text: str, metrics: list[str]) -> None:
    """ROUGE knows Latin letters alone; others need spaces between words. Nothing is said of empty texts."""
    names = ["rouge-1", "sacrebleu", "f1", "wer"]
    named = [name for line in wordless([text, "a b"], names) for name in line.partition(":")[0].split(", ")]
    assert named == metrics
    for line in wordless([text, "a b"], names):
        assert "no words are found in 1 of 2 texts; chrf and cer" in line


def test_a_report_says_in_how_many_texts_no_words_are_found() -> None:
    """In those of answers and right answers; a report without such metrics says nothing."""
    said = report(["Да", "yes"], ["Нет", "yes"], "generation", ["rouge-1", "chrf"]).notes
    assert said == ("rouge-1: no words are found in 2 of 4 texts; chrf and cer compare characters",)
    assert report(["Да"], ["Нет"], "generation", ["chrf"]).notes == ()
    assert report(["a"], ["a"], "classification", ["accuracy"]).notes == ()


def test_ter_says_that_it_is_slow_before_it_is(caplog: pytest.LogCaptureFixture) -> None:
    """By number and length of the texts; of a few short ones it says nothing."""
    long = " ".join(map(str, range(500)))
    with caplog.at_level(logging.WARNING):
        report(["a b"], ["b a"], "generation", ["ter"])
        assert caplog.messages == []
        report([long], [long], "generation", ["ter"])
    assert caplog.messages == [
        "ter: 1 pairs of texts with 500 words on average take a while; a board without ter needs no time for it"
    ]
