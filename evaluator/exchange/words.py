"""Answers and right answers of a log in the words of a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator.exchange.logs.base import Answer, LoggedExample, LoggedExamples
from evaluator.exchange.logs.checks import wrong

NONE = "or take the published numbers alone with --examples none"


class LoggedWords:
    """What a dataset calls the answers of a log's examples.

    `labels` are those of the dataset, () where it asks for texts; `words` says which label other words mean.
    A choice that is no label counts as the label in its place, unless all choices are labels or such words.
    """

    def __init__(self, examples: LoggedExamples, labels: Sequence[str], words: Mapping[str, str]) -> None:
        self.examples, self.labels, self.words = examples, labels, words
        choices = {choice for row in examples.rows for choice in row.choices}
        self.in_place = bool(labels) and not choices <= words.keys()

    def __call__(self, row: LoggedExample, answer: Answer) -> str | None:
        """An answer in the dataset's words, or as it is where it is none of them.

        Raises `InterchangeError` where there are more choices than labels.
        """
        if not isinstance(answer, int):
            return None if answer is None else self.words.get(answer, answer)
        if not self.in_place:
            return self.words.get(row.choices[answer], row.choices[answer])
        if len(row.choices) > len(self.labels):
            where, problem = (
                f"{self.examples.path}:{row.line}",
                f"are more than the {len(self.labels)} labels",
            )
            fix = f"give the dataset a label for each, such as 0, 1, 2 and so on, {NONE}"
            raise wrong(where, "choices", len(row.choices), problem, fix)
        return self.labels[answer]
