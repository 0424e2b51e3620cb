"""How likely a decoder finds each of several answers after a prompt: natural logs of probabilities.

The prompt goes through the network once. Its keys and values are kept and serve every answer; a network
whose memory of a prompt cannot be shared among answers, such as Mamba's, reads prompt and answer as one.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.score.pretrained import Pretrained

#: Answers that go through the network at once: each needs a copy of its prompt's keys and values.
ANSWERS_AT_ONCE = 32
#: How far the two ways may be apart, in natural logs, on the trial that decides between them.
TOLERANCE = 1e-3
#: For the token that fills up rows: whichever it is, no other token sees it.
FILLER = 0

TokenSequence = Sequence[int]
AnswerTokens = Sequence[Sequence[TokenSequence]]
Scores = list[list[list[float]]]


@dataclass(frozen=True)
class AnswerScorer:
    """Scores answers to prompts; both are token ids, and neither may be empty."""

    model: Pretrained
    cached: bool

    @classmethod
    def of(cls, model: Pretrained, prompts: Sequence[TokenSequence], answers: AnswerTokens) -> AnswerScorer:
        """A scorer that keeps the prompts' keys and values, if that gives the same on a trial."""
        scorer = cls(model, cached=True)
        try:
            kept, whole = scorer.with_cache(prompts, answers), scorer.without_cache(prompts, answers)
        # Networks without such a cache fail in ways of their own.
        except (AttributeError, IndexError, NotImplementedError, RuntimeError, TypeError, ValueError):
            return cls(model, cached=False)
        pairs = zip(_flat(kept), _flat(whole), strict=True)
        return cls(model, cached=all(abs(one - other) <= TOLERANCE for one, other in pairs))

    def score(self, prompts: Sequence[TokenSequence], answers: AnswerTokens) -> Scores:
        """The log-probability of each token of each answer to each prompt: prompts x answers x tokens.

        `answers` has the answers to every prompt.
        """
        return self.with_cache(prompts, answers) if self.cached else self.without_cache(prompts, answers)

    def with_cache(self, prompts: Sequence[TokenSequence], answers: AnswerTokens) -> Scores:
        """As `score`, each prompt read once."""
        torch = self.model.torch
        width = max(map(len, prompts))
        ids = torch.tensor([[*[FILLER] * (width - len(row)), *row] for row in prompts])
        mask = torch.tensor([[*[0] * (width - len(row)), *[1] * len(row)] for row in prompts])
        places = (mask.cumsum(-1) - 1).clamp(min=0)
        with torch.inference_mode():
            output = self._forward(ids, mask, places, 1)
            first = output.logits[:, -1].double().log_softmax(-1)
            scores = [[[first[at, row[0]].item()] for row in rows] for at, rows in enumerate(answers)]
            for group in _groups(answers):
                later = self._later(output[self._cache_name], mask, group, answers)
                for (at, number), values in zip(group, later, strict=True):
                    scores[at][number] += values
        return scores

    def _later(
        self, cache: Any, mask: Any, group: Sequence[tuple[int, int]], answers: AnswerTokens
    ) -> Iterator[list[float]]:
        """The log-probabilities of all tokens but the first, for answers (prompt, number) of `group`."""
        torch = self.model.torch
        rows = [answers[at][number] for at, number in group]
        ids, own = _filled(torch, [row[:-1] for row in rows])
        owners = torch.tensor([at for at, _ in group])
        shared = copy.deepcopy(cache)
        shared.batch_select_indices(owners)
        read = mask[owners]
        places = read.sum(-1, keepdim=True) + torch.arange(ids.shape[1])
        output = self._forward(ids, torch.cat([read, own], -1), places, 0, shared)
        logs = output.logits.double().log_softmax(-1)
        for at, row in enumerate(rows):
            yield [logs[at, place, token].item() for place, token in enumerate(row[1:])]

    def without_cache(self, prompts: Sequence[TokenSequence], answers: AnswerTokens) -> Scores:
        """As `score`, prompt and answer read as one text, each answer anew."""
        scores: Scores = [[[] for _ in rows] for rows in answers]
        places = [(at, number) for at, rows in enumerate(answers) for number in range(len(rows))]
        for start in range(0, len(places), ANSWERS_AT_ONCE):
            group = places[start : start + ANSWERS_AT_ONCE]
            for (at, number), values in zip(group, self._whole(prompts, answers, group), strict=True):
                scores[at][number] = values
        return scores

    def _whole(
        self, prompts: Sequence[TokenSequence], answers: AnswerTokens, group: Sequence[tuple[int, int]]
    ) -> Iterator[list[float]]:
        torch = self.model.torch
        # Filled up at the end, where nothing before it sees it: a mask would only slow this down.
        ids, mask = _filled(torch, [[*prompts[at], *answers[at][number][:-1]] for at, number in group])
        with torch.inference_mode():
            logs = self.model.network(input_ids=ids, attention_mask=mask).logits.double().log_softmax(-1)
        for row, (at, number) in enumerate(group):
            begin = len(prompts[at]) - 1
            yield [logs[row, begin + place, token].item() for place, token in enumerate(answers[at][number])]

    def _forward(self, ids: Any, mask: Any, places: Any, keep: int, cache: Any = None) -> Any:
        """One pass; `keep` is of how many last tokens logits are needed, 0 for all."""
        given = {"position_ids": places, "logits_to_keep": keep, self._cache_name: cache}
        known = {name: value for name, value in given.items() if name in self._takes and value is not None}
        return self.model.network(input_ids=ids, attention_mask=mask, use_cache=True, **known)

    @property
    def _cache_name(self) -> str:
        """What the network calls keys and values: transformers 5.24 gave them another name."""
        return "cache" if "cache" in self._takes else "past_key_values"

    @property
    def _takes(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.model.network.forward).parameters


def _filled(torch: Any, rows: Sequence[TokenSequence]) -> tuple[Any, Any]:
    """Rows filled up at their ends to the longest, and the mask that says which tokens are theirs."""
    width = max(map(len, rows))
    ids = torch.tensor([[*row, *[FILLER] * (width - len(row))] for row in rows])
    return ids, torch.tensor([[*[1] * len(row), *[0] * (width - len(row))] for row in rows])


def _groups(answers: AnswerTokens) -> Iterator[list[tuple[int, int]]]:
    """The places (prompt, number) of answers of several tokens, so many at a time."""
    places = [
        (at, number) for at, rows in enumerate(answers) for number, row in enumerate(rows) if len(row) > 1
    ]
    for start in range(0, len(places), ANSWERS_AT_ONCE):
        yield places[start : start + ANSWERS_AT_ONCE]


def _flat(scores: Scores) -> list[float]:
    return [value for rows in scores for row in rows for value in row]
