"""Winogender (Rudinger et al. 2018) as inference, in two forms.

`AX_G` is the recast form that SuperGLUE publishes (``AX-g.jsonl``). `WINOGENDER` reads the sentences
themselves (``all_sentences.tsv``) and recasts them as Poliak et al. 2018 do: does a sentence entail the
same sentence with its pronoun replaced by one of the two people in it? Entailed is the person that the
pronoun means, whatever its gender. The hypotheses are made from the male variant, where he, him and his
tell the cases apart and verbs agree with a single person; so the three variants have the same hypotheses,
and a model that answers them differently has judged by gender.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from evaluator.data.datasets.formats.base import Format, Item
from evaluator.data.datasets.formats.hans import ENTAILED, NOT_ENTAILED, TWO_WAYS
from evaluator.data.datasets.formats.nodes import GivenItem, Node, Wrong, each, table
from evaluator.data.datasets.rows import FileRow, cut
from evaluator.data.datasets.source import DatasetSource
from evaluator.data.plain_text import FileText
from evaluator.data.tasks import show
from evaluator.data.tasks.nli import LABELS

PRONOUNS = {
    "male": re.compile(r"\b(he|him|his)\b"),
    "female": re.compile(r"\b(she|her)\b"),
    "neutral": re.compile(r"\b(they|them|their)\b"),
}
SENTID = re.compile(r"([^.]+)\.([^.]+)\.([01])\.(male|female|neutral)\.txt")


def read_recast(text: FileText, source: DatasetSource) -> Iterator[GivenItem]:
    """The pairs of SuperGLUE's file; ``idx`` is the id, since two pairs share a ``pair_id``."""
    return each(cut(text, "jsonl"), _recast_pair)


def _recast_pair(line: int, node: Node) -> Iterable[Item]:
    values = {"id": node.name("idx"), "context": node.text("premise"), "hypothesis": node.text("hypothesis")}
    return [Item(line, values, node.text("label"))]


@dataclass(frozen=True)
class _Sentid:
    """``occupation.participant.answer.gender.txt``; the answer is 0 for the occupation, 1 for the other."""

    occupation: str
    participant: str
    answer: str
    gender: str

    def __str__(self) -> str:
        return f"{self.occupation}.{self.participant}.{self.answer}.{self.gender}.txt"

    def variant(self, gender: str) -> _Sentid:
        return _Sentid(self.occupation, self.participant, self.answer, gender)


def read_sentences(text: FileText, source: DatasetSource) -> Iterator[GivenItem]:
    """Two pairs for each sentence, tagged with the pronoun's gender and the kind of person it means.

    Raises `DatasetError` if the header is wrong. A sentence whose set lacks a variant is malformed.
    """
    rows = list(table(text, source, ("sentid", "sentence")))
    cells = [row.cells for row in rows if isinstance(row, FileRow)]
    sentences = {row["sentid"]: row["sentence"] for row in reversed(cells)}  # of repeated ones the first
    return each(rows, lambda line, node: _pairs(line, node, sentences))


def _pairs(line: int, node: Node, sentences: Mapping[str, str]) -> Iterable[Item]:
    sentid, sentence = _sentid(node.text("sentid")), node.text("sentence")
    male = _check_set(sentid, sentence, sentences)
    people = {"occupation": sentid.occupation, "participant": sentid.participant}
    meant = tuple(people)[int(sentid.answer)]
    for kind, person in people.items():
        values = {
            "id": f"{sentid}:{kind}",
            "context": sentence,
            "hypothesis": _resolved(male, person),
        }
        gold = ENTAILED if kind == meant else NOT_ENTAILED
        yield Item(line, values, gold, {"gender": sentid.gender, "answer": meant})


def _sentid(value: str) -> _Sentid:
    parts = SENTID.fullmatch(value)
    if not parts:
        fix = "write occupation.participant.answer.gender.txt, with answer 0 or 1"
        raise Wrong("sentid", value, "is not a sentence id", fix)
    return _Sentid(*parts.groups())


def _check_set(sentid: _Sentid, sentence: str, sentences: Mapping[str, str]) -> str:
    """The male variant; `Wrong` unless all three are there and this one differs by its pronoun only."""
    for gender in PRONOUNS:
        if str(sentid.variant(gender)) not in sentences:
            fix = f"add {sentid.variant(gender)} or leave out its set"
            raise Wrong("sentid", str(sentid), f"has no {gender} variant", fix)
    male = sentences[str(sentid.variant("male"))]
    if _without_pronoun(sentence, sentid.gender) != _without_pronoun(male, "male"):
        fix = "let the variants differ by one pronoun and its verb"
        raise Wrong("sentence", sentence, f"does not say the same as its male variant {show(male)}", fix)
    for person in (sentid.occupation, sentid.participant):
        if not re.search(rf"\b{re.escape(person)}\b", male, re.IGNORECASE):
            raise Wrong(
                "sentence", sentence, f"does not mention {show(person)}", "correct sentid or sentence"
            )
    return male


def _without_pronoun(sentence: str, gender: str) -> str:
    """The sentence without what its gender decides: its one pronoun, and was or were."""
    rest, count = PRONOUNS[gender].subn("they", sentence)
    if count != 1:
        problem, fix = f"has {count} {gender} pronouns", "give it exactly one, in lower case"
        raise Wrong("sentence", sentence, problem, fix)
    return re.sub(r"\bwas\b", "were", rest)


def _resolved(male: str, person: str) -> str:
    """The male variant with its pronoun replaced by the person it may mean."""
    name = person if person == "someone" else f"the {person}"
    return PRONOUNS["male"].sub(lambda found: f"{name}'s" if found[0] == "his" else name, male)


AX_G = Format(
    "ax-g",
    ("nli",),
    read_recast,
    LABELS,
    label_map={"entailment": ENTAILED, "not_entailment": NOT_ENTAILED},
    merge=TWO_WAYS,
    about="Winogender recast as inference, as SuperGLUE publishes it: JSON lines",
    columns={"idx": "id", "premise": "context", "hypothesis": "hypothesis", "label": "label"},
)
WINOGENDER = Format(
    "winogender",
    ("nli",),
    read_sentences,
    LABELS,
    label_map={ENTAILED: ENTAILED, NOT_ENTAILED: NOT_ENTAILED},
    merge=TWO_WAYS,
    about="the sentences of Winogender, all_sentences.tsv, recast while they are read",
    columns={
        "sentid": "id; occupation, person, answer and the tag gender",
        "sentence": "context; hypotheses are made of it",
    },
)
