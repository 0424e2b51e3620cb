"""SNLI (Bowman et al. 2015), MultiNLI (Williams et al. 2018) and its stress tests (Naik et al. 2018).

JSON lines with ``gold_label``, ``sentence1``, ``sentence2`` and, in the first two, ``pairID`` and
``annotator_labels``. A gold label of ``-`` says that no label was chosen by most annotators; such a pair is
not to be scored (README of SNLI 1.0).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evaluator.data.datasets.formats.base import Format, Item, Left
from evaluator.data.datasets.formats.nodes import GivenItem, Node, each
from evaluator.data.datasets.rows import cut
from evaluator.data.datasets.source import DatasetSource
from evaluator.data.plain_text import FileText
from evaluator.data.tasks.nli import LABELS

WORDS = {"entailment": "entailed", "neutral": "neutral", "contradiction": "contradictory"}
NO_LABEL = "-"


def read_pairs(text: FileText, source: DatasetSource) -> Iterator[GivenItem]:
    """Pairs with their ids, the annotators' votes and, in MultiNLI, the genre as a tag."""
    return each(cut(text, "jsonl"), _pair)


def read_stress(text: FileText, source: DatasetSource) -> Iterator[GivenItem]:
    """Pairs of a stress test, tagged with ``genre`` and, in the file of all tests, with its ``source``.

    ``pairID`` and ``annotator_labels`` are left alone: where the files have them, they are those of the
    MultiNLI pair that was changed, so that several pairs share an id and the votes are on another text.
    """
    return each(cut(text, "jsonl"), _stress_pair)


def _pair(line: int, node: Node) -> Iterable[Item | Left]:
    if node.text("gold_label") == NO_LABEL:
        return [Left(line, "no gold label")]
    values = {"id": node.name("pairID"), **_sentences(node)}
    return [Item(line, values, node.text("gold_label"), node.tags("genre"), _votes(node))]


def _stress_pair(line: int, node: Node) -> Iterable[Item | Left]:
    if node.text("gold_label") == NO_LABEL:
        return [Left(line, "no gold label")]
    return [Item(line, _sentences(node), node.text("gold_label"), node.tags("genre", "source"))]


def _sentences(node: Node) -> dict[str, str]:
    return {"context": node.text("sentence1"), "hypothesis": node.text("sentence2")}


def _votes(node: Node) -> tuple[str, ...]:
    """The responses; a blank one says that an annotator saw the pair and gave none."""
    return (
        tuple(vote for vote in node.texts("annotator_labels") if vote) if node.has("annotator_labels") else ()
    )


SENTENCES = {"sentence1": "context", "sentence2": "hypothesis", "gold_label": "label; - is left out"}
PAIR_COLUMNS = {"pairID": "id", **SENTENCES, "annotator_labels": "responses, if given"}

SNLI = Format("snli", ("nli",), read_pairs, LABELS, WORDS, about="SNLI 1.0: JSON lines", columns=PAIR_COLUMNS)
MNLI = Format(
    "mnli",
    ("nli",),
    read_pairs,
    LABELS,
    WORDS,
    about="MultiNLI: JSON lines",
    columns={**PAIR_COLUMNS, "genre": "tag"},
)
NLI_STRESS = Format(
    "nli-stress",
    ("nli",),
    read_stress,
    LABELS,
    WORDS,
    about="the stress tests made of MultiNLI: JSON lines",
    columns={**SENTENCES, "genre": "tag, if given", "source": "tag, if given"},
)
