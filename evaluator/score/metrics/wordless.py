"""Texts in which a metric's tokeniser finds no words: what such a metric says of them is little.

ROUGE knows a to z and 0 to 9 alone. Others split at spaces, which Chinese, Japanese, Thai and others do not
write between words: there a whole sentence counts as one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from evaluator.score.metrics.bleu import tokenise_13a
from evaluator.score.metrics.rouge import tokenised
from evaluator.score.metrics.squad_pair import normalised

Form = Callable[[str], str]
#: Text as a metric splits it at spaces, by the metric's name.
TOKENISERS: dict[str, Form] = {
    **dict.fromkeys(("bleu", "google-bleu", "ter", "wer"), str.lower),
    **dict.fromkeys(("sacrebleu", "meteor"), tokenise_13a),
    **dict.fromkeys(("rouge-1", "rouge-2", "rouge-l", "rouge-lsum"), tokenised),
    **dict.fromkeys(("f1", "precision", "recall", "token-f1", "unigram-accuracy", "best-f1"), normalised),
}
#: Thai, Lao, Tibetan, Burmese, Khmer; Japanese and Chinese.
_WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
)


def wordless(texts: Sequence[str], names: Iterable[str]) -> Iterator[str]:
    """A line for the metrics `names` whose tokenisers find no words in texts that are not empty."""
    counts: dict[int, list[str]] = {}
    found: dict[Form, int] = {}
    for name in names:
        if (form := TOKENISERS.get(name)) is not None:
            if form not in found:
                found[form] = sum(_has_none(text, form) for text in texts)
            counts.setdefault(found[form], []).append(name)
    for count, metrics in counts.items():
        if count:
            fix = "chrf and cer compare characters"
            yield f"{', '.join(metrics)}: no words are found in {count} of {len(texts)} texts; {fix}"


def _has_none(text: str, form: Form) -> bool:
    if text.isascii() or not any(map(str.isalnum, text)):
        return False
    unspaced = len(_WITHOUT_SPACES.findall(text))
    return not form(text).split() or 2 * unspaced > sum(map(str.isalnum, text))
