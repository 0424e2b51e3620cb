"""Error rates by edits, in per cent: of words (WER), of characters (CER), and with shifts of words (TER).

An error rate is edits over the length of the references, of the whole corpus; `per_item` is each item's own.
Edit distances are rapidfuzz's.

WER and CER: as jiwer 4 on single references. Of several references, and of several predictions, the pair with
the lowest rate counts (another reduction may be chosen). A reference without words or characters counts as
one long in its item's rate, so that no rate is infinite.

TER (Snover et al. 2006): equal to sacrebleu 2's defaults. Words are whitespace-separated and lower-cased,
punctuation stays. The search for shifts is Tercom's, as sacrebleu does it; sacrebleu's beam cannot change the
distance where a pair needs few edits, and other pairs go to sacrebleu itself. Length is the mean length of an
item's references; the fewest edits of several references count, and of several predictions the one with the
lowest rate.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluator.score.metrics.base import (
    Floats,
    Integers,
    Metric,
    Scored,
    for_texts,
    influence_of_sums,
    package,
    percentage,
)
from evaluator.score.metrics.texts import Texts
from evaluator.score.metrics.words import Tokens


def wer(items: Texts) -> Scored:
    """Word error rate in per cent, over whitespace-separated words as they are written."""
    tokens = items.words()
    left, right = items.pair_sequences(tokens.strings)
    return _rate(items, distances(left, right, "wer"), items.pair_lengths(tokens)[1])


def cer(items: Texts) -> Scored:
    """Character error rate in per cent, over the characters of the texts without surrounding whitespace."""
    left, right = items.pair_sequences(items.form(str.strip))
    lengths = np.fromiter(map(len, right), dtype=np.int64, count=len(right))
    return _rate(items, distances(left, right, "cer"), lengths)


def distances(left: Sequence[Any], right: Sequence[Any], metric: str) -> Integers:
    """Levenshtein distances (p,) of the pairs, on one core. `metric` is named in errors."""
    scorer = package("rapidfuzz.distance", metric).Levenshtein.distance
    found = package("rapidfuzz.process", metric).cpdist(left, right, scorer=scorer, dtype=np.int64)
    return np.asarray(found)


def _rate(items: Texts, edits: Integers, lengths: Integers) -> Scored:
    rates: Floats = 100.0 * edits / np.maximum(lengths, 1)
    each, edited, long = items.reduced(rates, edits.astype(float), lengths.astype(float), lower=True)
    value = percentage(np.array([edited.sum(), long.sum()]))
    parts = {"edits": float(edited.sum()), "length": float(long.sum())}
    return Scored(value, each, parts, influence_of_sums(np.column_stack([edited, long]), percentage))


LONGEST_SHIFT = 10
FARTHEST_SHIFT = 50
MOST_CANDIDATES = 1000
BEAM = 25
#: Sum of the cubes of lengths from which TER takes seconds: a pair of 60 words takes about 4 ms.
SLOW = 1e8
#: Python prints its warnings on stderr where nobody listens.
_LOG = logging.getLogger("steelyard")


def ter(items: Texts) -> Scored:
    """TER of the corpus."""
    tokens = items.words(str.lower)
    _say_if_slow(*items.pair_lengths(tokens))
    distance = package("rapidfuzz.distance", "ter").Levenshtein.distance
    pairs = zip(*items.pair_sequences(tokens.strings), _fewest_edits(items, tokens).tolist(), strict=True)
    edits = np.array([_edits(*pair, distance) for pair in pairs], dtype=np.float64)
    starts = np.cumsum(items.pair_counts) - items.pair_counts
    fewest = np.minimum.reduceat(edits, starts)
    lengths = np.add.reduceat(items.pair_lengths(tokens)[1], starts) / items.pair_counts
    rates = _rates(fewest, lengths)
    best = items.best_prediction(rates, lower=True)
    total, length = float(fewest[best].sum()), float(lengths[best].sum())

    def value_of(sums: Floats) -> float:
        return float(_rates(sums[:1], sums[1:])[0])

    rows = np.column_stack([fewest[best], lengths[best]])
    value = value_of(np.array([total, length]))
    return Scored(value, rates[best], {"edits": total, "length": length}, influence_of_sums(rows, value_of))


def _say_if_slow(left: Integers, right: Integers) -> None:
    """A line on stderr, before it begins, where shifts of long texts take their time."""
    work = float((left * right * np.maximum(left, right).astype(float)).sum())
    if work > SLOW:
        words = (
            f"{len(left)} pairs of texts with {float(np.maximum(left, right).mean()):.0f} words on average"
        )
        _LOG.warning("ter: %s take a while; a board without ter needs no time for it", words)


def _rates(edits: Floats, lengths: Floats) -> Floats:
    """Edits over length in per cent; against an empty reference, 100 for any words and 0 for none."""
    return np.where(lengths > 0, 100.0 * edits / np.where(lengths > 0, lengths, 1.0), 100.0 * (edits > 0))


def _fewest_edits(items: Texts, tokens: Tokens) -> Integers:
    """A lower bound on a pair's distance after any shift: words of the longer text that the other lacks."""
    longer = np.maximum(*items.pair_lengths(tokens))
    return longer - items.pair_matches(tokens, 1)[:, 0]


def _edits(words: Any, reference: Any, fewest: int, distance: Any) -> int:
    """Shifts and word edits that turn `words` into the reference."""
    if not len(reference):
        return len(words)
    left = distance(words, reference)
    if len(reference) > BEAM - 1 and left + abs(len(words) - len(reference)) > BEAM - 2:
        return _sacrebleu_edits(words, reference)
    shifts, tried = 0, 0
    while left > fewest:
        shifted, after, tried = _best_shift(words, reference, left, tried, distance)
        if shifted is None or tried >= MOST_CANDIDATES:
            break
        words, left, shifts = shifted, after, shifts + 1
    return int(shifts + left)


def _sacrebleu_edits(words: Any, reference: Any) -> int:
    """The same by sacrebleu, which takes texts: words are numbered, so that it splits and changes none."""
    numbers = {word: str(number) for number, word in enumerate(dict.fromkeys((*words, *reference)))}
    texts = [" ".join(numbers[word] for word in side) for side in (words, reference)]
    return int(package("sacrebleu.metrics", "ter").TER().sentence_score(texts[0], [texts[1]]).num_edits)


def _best_shift(words: Any, reference: Any, before: int, tried: int, distance: Any) -> tuple[Any, int, int]:
    """The shifted words with the lowest distance below `before`, that distance, and candidates tried so far.

    Of equals the longest shift, then the earliest, then the earliest target. None where no shift helps.
    """
    aligned, wrong_here, wrong_there = _alignment(words, reference)
    best: tuple[int, int, int, int] | None = None
    found, limit = None, before - 1
    for start, target, length in _common_runs(words, reference, aligned):
        if start <= aligned[target] < start + length:
            continue
        if not (any(wrong_here[start : start + length]) and any(wrong_there[target : target + length])):
            continue
        for place in _places(aligned, target, length):
            shifted = _moved(words, start, length, place)
            after = distance(shifted, reference, score_cutoff=limit)
            tried += 1
            rank = (-after, length, -start, -place)
            if after <= limit and (best is None or rank > best):
                best, found, limit = rank, shifted, after
        if tried >= MOST_CANDIDATES:
            break
    return found, limit, tried


def _alignment(words: Any, reference: Any) -> tuple[list[int], list[bool], list[bool]]:
    """Where each reference word is aligned, and which words, and which reference words, are in error.

    Of several cheapest edits the one that prefers, from the end, keeping or replacing a word, then
    dropping one. A reference word with no counterpart is aligned to the word before it (-1 at the start).
    """
    table = _costs(words, reference)
    i, j = len(words), len(reference)
    aligned, wrong_here, wrong_there = [0] * j, [False] * i, [False] * j
    while i or j:
        if i and j and table[i][j] == table[i - 1][j - 1] + (words[i - 1] != reference[j - 1]):
            i, j = i - 1, j - 1
            aligned[j] = i
            wrong_here[i] = wrong_there[j] = words[i] != reference[j]
        elif i and table[i][j] == table[i - 1][j] + 1:
            i -= 1
            wrong_here[i] = True
        else:
            j -= 1
            aligned[j], wrong_there[j] = i - 1, True
    return aligned, wrong_here, wrong_there


def _costs(words: Any, reference: Any) -> list[list[int]]:
    """Edit distances of all beginnings of `words` (rows) and of the reference (columns)."""
    table = [list(range(len(reference) + 1))]
    for number, word in enumerate(words, start=1):
        above, last, row = table[-1], number, [number]
        for j, other in enumerate(reference):
            best = above[j] if word == other else above[j] + 1
            if above[j + 1] < best:
                best = above[j + 1] + 1
            last = last + 1 if last < best else best
            row.append(last)
        table.append(row)
    return table


def _common_runs(words: Any, reference: Any, aligned: Sequence[int]) -> Any:
    """(start, start in the reference, length) of common runs of words, not of those aligned already."""
    places: dict[Any, list[int]] = {}
    for place, word in enumerate(reference):
        places.setdefault(word, []).append(place)
    for start, word in enumerate(words):
        for target in places.get(word, ()):
            if abs(target - start) > FARTHEST_SHIFT or aligned[target] == start:
                continue
            most = min(LONGEST_SHIFT, len(words) - start, len(reference) - target)
            for length in range(1, most + 1):
                if words[start + length - 1] != reference[target + length - 1]:
                    break
                yield start, target, length


def _places(aligned: Sequence[int], target: int, length: int) -> Any:
    """Where a run may go: after what the reference words before and within its target are aligned to."""
    last = -1
    for number in range(target - 1, target + length):
        place = aligned[number] + 1 if number >= 0 else 0
        if place != last:
            yield place
        last = place


def _moved(words: Any, start: int, length: int, place: int) -> Any:
    """`words` with a run of them moved to before `place`."""
    end, run = start + length, words[start : start + length]
    if place < start:
        return words[:place] + run + words[place:start] + words[end:]
    if place > end:
        return words[:start] + words[end:place] + run + words[place:]
    return words[:start] + words[end : length + place] + run + words[length + place :]


METRICS = (
    Metric(
        "ter",
        "TER",
        "ter-1",
        for_texts(ter),
        better="lower",
        width=math.inf,
        description="edits and shifts of words for each word of the references",
    ),
    Metric(
        "wer",
        "WER",
        "wer-1",
        for_texts(wer),
        better="lower",
        width=math.inf,
        description="edits of words for each word of the references, over the whole corpus",
    ),
    Metric(
        "cer",
        "CER",
        "cer-1",
        for_texts(cer),
        better="lower",
        width=math.inf,
        description="edits of characters for each character of the references, over the whole corpus",
    ),
)
