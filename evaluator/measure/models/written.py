"""The answer in what a model wrote freely, after a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluator.measure.models.base import text
from evaluator.records.errors import UserError

#: What stands around a word that is meant as an answer: quotes, full stops, the marks of Markdown.
AROUND = " \t\r\n\"'`*_.,:;!()[]{}<>“”‘’„«»"
#: What some models write around what they think, where no server takes it out.
THINKING, THOUGHT = "<think>", "</think>"


@dataclass(frozen=True)
class AnswerFinder:
    """Finds the answer in what was written: it goes up to the first of the `stop` strings.

    With a `pattern` its first group, or all that it matches, is the answer where it is found. Text equal to
    `unanswerable`, case aside, means that there is no answer.
    """

    stop: tuple[str, ...]
    pattern: re.Pattern[str] | None
    unanswerable: str

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> AnswerFinder:
        """As the options `stop`, `pattern` and `unanswerable` say. Raises `UserError`."""
        return cls(stop_strings(options), _pattern(options), text(options, "unanswerable", "").strip())

    def answer(self, written: str) -> str:
        """The answer in what the model wrote."""
        ends = [place for stop in self.stop if (place := written.find(stop)) >= 0]
        answer = written[: min(ends, default=len(written))]
        if self.pattern is not None and (found := self.pattern.search(answer)):
            answer = found[1 if self.pattern.groups else 0] or ""
        answer = answer.strip()
        return "" if self.unanswerable and answer.casefold() == self.unanswerable.casefold() else answer


def without_thoughts(written: str) -> str:
    """What was written after what the model thought; nothing where it was still thinking."""
    if THOUGHT in written:
        return written.rpartition(THOUGHT)[2].lstrip()
    return "" if written.lstrip().startswith(THINKING) else written


def label_in(answer: str, words: Mapping[str, str]) -> str | None:
    """The label that an answer names, by the `words` of each; None where it names none, or several.

    The answer may be the words of a label alone, or a sentence that has those of one label only. Of words
    within longer ones, as "hate" in "not hate", the longer ones count.
    """
    known = {one.casefold(): label for label, one in words.items()}
    if (alone := answer.strip(AROUND).casefold()) in known:
        return known[alone]
    named = {known[one] for one in _words_in(answer.casefold(), sorted(known, key=len, reverse=True))}
    return named.pop() if len(named) == 1 else None


def _words_in(answer: str, words: list[str]) -> Iterator[str]:
    """Those of `words`, the longest first, that stand in an answer and not only within longer ones."""
    rest = answer
    for one in words:
        found = re.compile(rf"(?<!\w){re.escape(one)}(?!\w)")
        if found.search(rest):
            yield one
        rest = found.sub("\0", rest)


def stop_strings(options: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts that end an answer: the option `stop`. Raises `UserError`."""
    given = options.get("stop", [] if options.get("chat") else ["\n"])
    if not isinstance(given, list) or not all(isinstance(text, str) and text for text in given):
        raise UserError("options.stop", f"{given!r} is not a list of texts", 'give one, such as ["\\n"]')
    return tuple(given)


def _pattern(options: Mapping[str, Any]) -> re.Pattern[str] | None:
    given = options.get("pattern")
    try:
        return None if given is None else re.compile(given)
    except (re.error, TypeError) as error:
        raise UserError(
            "options.pattern", f"{given!r} is no regular expression: {error}", "correct it"
        ) from None
