"""Natural language inference: SNLI, MultiNLI and its stress tests, Adversarial NLI, HANS and Winogender."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from evaluator.data.datasets.formats.base import (
    NO_LABEL,
    DatasetSource,
    Format,
    GivenItem,
    Item,
    Left,
    each,
    json_lines,
    named_table,
)
from evaluator.data.nodes import Node, wrong
from evaluator.data.tables import form_of, read_table
from evaluator.data.tasks import show
from evaluator.data.tasks.known import NLI_LABELS

# SNLI (Bowman et al. 2015), MultiNLI (Williams et al. 2018) and its stress tests (Naik et al. 2018): JSON
# lines. A gold label of - says that no label was chosen by most annotators; such a pair is not to be scored
# (README of SNLI 1.0).
WORDS = {"entailment": "entailed", "neutral": "neutral", "contradiction": "contradictory"}
DASH = "-"


def _snli_pair(line: int, node: Node) -> Iterable[Item | Left]:
    if node.text("gold_label") == DASH:
        return [Left(line, NO_LABEL, str(node.name("pairID")))]
    values = {"id": node.name("pairID"), **_sentences(node)}
    return [Item(line, values, node.text("gold_label"), node.tags("genre"), _votes(node))]


def _stress_pair(line: int, node: Node) -> Iterable[Item | Left]:
    # pairID and annotator_labels, where the files have them, are those of the MultiNLI pair that was
    # changed: several pairs share an id, and the votes are on another text.
    if node.text("gold_label") == DASH:
        return [Left(line, NO_LABEL)]
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

SNLI = Format(
    "snli",
    ("nli",),
    json_lines(_snli_pair),
    NLI_LABELS,
    WORDS,
    about="SNLI 1.0: JSON lines",
    columns=PAIR_COLUMNS,
)
MNLI = Format(
    "mnli",
    ("nli",),
    json_lines(_snli_pair),
    NLI_LABELS,
    WORDS,
    about="MultiNLI: JSON lines",
    columns={**PAIR_COLUMNS, "genre": "tag"},
)
NLI_STRESS = Format(
    "nli-stress",
    ("nli",),
    json_lines(_stress_pair),
    NLI_LABELS,
    WORDS,
    about="the stress tests made of MultiNLI: JSON lines",
    columns={**SENTENCES, "genre": "tag, if given", "source": "tag, if given"},
)


# Adversarial NLI (Nie et al. 2020), version 1.0. `label` is e, n or c, or, as Dynabench writes it, a word
# of the task. The round is not in the file.
LETTERS = {label[0]: label for label in NLI_LABELS}


def _anli_pair(line: int, node: Node) -> Iterable[Item]:
    values = {"id": node.name("uid"), "context": node.text("context"), "hypothesis": node.text("hypothesis")}
    return [Item(line, values, node.text("label"), node.tags("genre"))]


ANLI = Format(
    "anli",
    ("nli",),
    json_lines(_anli_pair),
    NLI_LABELS,
    {**LETTERS, **{label: label for label in NLI_LABELS}},
    about="Adversarial NLI 1.0: a file of JSON lines for each round and split",
    columns={
        "uid": "id",
        "context": "context",
        "hypothesis": "hypothesis",
        "label": "label",
        "genre": "tag, if given",
    },
)


# HANS (McCoy et al. 2019): pairs that a model gets wrong if it trusts word overlap; JSON lines, or
# tab-separated with a header of the same names. The gold label is entailment or non-entailment; a model's
# neutral and contradictory both count as the second, as its authors' evaluation script has it.
ENTAILED, NOT_ENTAILED = "entailed", "not-entailed"
#: What a three-way answer counts as where the gold label has two ways.
TWO_WAYS = {label: ENTAILED if label == ENTAILED else NOT_ENTAILED for label in NLI_LABELS}

HANS_COLUMNS = ("gold_label", "sentence1", "sentence2", "pairID", "heuristic", "subcase")


def read_hans(data: bytes, source: DatasetSource) -> Iterator[GivenItem]:
    """The pairs, tagged with heuristic and subcase. Raises `UserError` if a header is wrong."""
    is_json = form_of(source.where) == "jsonl"
    table = read_table(data, "jsonl", source.where) if is_json else named_table(data, source, HANS_COLUMNS)
    return each(table, _hans_pair)


def _hans_pair(line: int, node: Node) -> Iterable[Item]:
    values = {
        "id": node.name("pairID"),
        "context": node.text("sentence1"),
        "hypothesis": node.text("sentence2"),
    }
    tags = {name: node.text(name) for name in ("heuristic", "subcase")}
    return [Item(line, values, node.text("gold_label"), tags)]


HANS = Format(
    "hans",
    ("nli",),
    read_hans,
    NLI_LABELS,
    label_map={"entailment": ENTAILED, "non-entailment": NOT_ENTAILED},
    merge=TWO_WAYS,
    about="HANS: JSON lines, or its tab-separated file with a header",
    columns={
        "pairID": "id",
        "sentence1": "context",
        "sentence2": "hypothesis",
        "gold_label": "label",
        "heuristic": "tag",
        "subcase": "tag",
    },
)


# Winogender (Rudinger et al. 2018) as inference, in two forms. `AX_G` is the recast form that SuperGLUE
# publishes (AX-g.jsonl). `WINOGENDER` reads the sentences themselves (all_sentences.tsv) and recasts them
# as Poliak et al. 2018 do: does a sentence entail the same sentence with its pronoun replaced by one of the
# two people in it? Entailed is the person that the pronoun means, whatever its gender. The hypotheses are
# made from the male variant, where he, him and his tell the cases apart and verbs agree with a single
# person; so the three variants have the same hypotheses, and a model that answers them differently has
# judged by gender.
PRONOUNS = {
    "male": re.compile(r"\b(he|him|his)\b"),
    "female": re.compile(r"\b(she|her)\b"),
    "neutral": re.compile(r"\b(they|them|their)\b"),
}
#: ``occupation.participant.answer.gender.txt``; the answer is 0 for the occupation, 1 for the other.
#: A set has all but the gender in common.
SENTID = re.compile(r"(([^.]+)\.([^.]+)\.([01]))\.(male|female|neutral)\.txt")


def _recast_pair(line: int, node: Node) -> Iterable[Item]:
    # Two pairs share a pair_id.
    values = {"id": node.name("idx"), "context": node.text("premise"), "hypothesis": node.text("hypothesis")}
    return [Item(line, values, node.text("label"))]


def read_sentences(data: bytes, source: DatasetSource) -> Iterator[GivenItem]:
    """Two pairs for each sentence, tagged with the pronoun's gender and the kind of person it means.

    Raises `UserError` if the header is wrong. A sentence whose set lacks a variant is malformed.
    """
    table = named_table(data, source, ("sentid", "sentence"))
    once = table.frame.drop_duplicates("sentid")  # of repeated ones the first
    sentences = dict(zip(once["sentid"], once["sentence"], strict=True))
    return each(table, lambda line, node: _winogender_pairs(line, node, sentences))


def _winogender_pairs(line: int, node: Node, sentences: Mapping[str, str]) -> Iterable[Item]:
    """The two pairs of a sentence. Raises `FieldError` unless it fits its set, which must be whole."""
    parts = SENTID.fullmatch(node.text("sentid"))
    if not parts:
        fix = "write occupation.participant.answer.gender.txt, with answer 0 or 1"
        raise node.wrong("sentid", "is not a sentence id", fix)
    of_set, occupation, participant, answer, gender = parts.groups()
    sentence, people = node.text("sentence"), {"occupation": occupation, "participant": participant}
    variants = {one: f"{of_set}.{one}.txt" for one in PRONOUNS}
    for one, variant in variants.items():
        if variant not in sentences:
            raise node.wrong("sentid", f"has no {one} variant", f"add {variant} or leave out its set")
    male = sentences[variants["male"]]
    if _without_pronoun(sentence, gender) != _without_pronoun(male, "male"):
        problem = f"does not say the same as its male variant {show(male)}"
        raise node.wrong("sentence", problem, "let the variants differ by one pronoun and its verb")
    for person in people.values():
        if not re.search(rf"\b{re.escape(person)}\b", male, re.IGNORECASE):
            problem = f"does not mention {show(person)}"
            raise node.wrong("sentence", problem, "correct sentid or sentence")
    meant = tuple(people)[int(answer)]
    for kind, person in people.items():
        values = {
            "id": f"{variants[gender]}:{kind}",
            "context": sentence,
            "hypothesis": _resolved(male, person),
        }
        gold = ENTAILED if kind == meant else NOT_ENTAILED
        yield Item(line, values, gold, {"gender": gender, "answer": meant})


def _without_pronoun(sentence: str, gender: str) -> str:
    """The sentence without what its gender decides: its one pronoun, and was or were."""
    rest, count = PRONOUNS[gender].subn("they", sentence)
    if count != 1:
        problem, fix = f"has {count} {gender} pronouns", "give it exactly one, in lower case"
        raise wrong("sentence", sentence, problem, fix)
    return re.sub(r"\bwas\b", "were", rest)


def _resolved(male: str, person: str) -> str:
    """The male variant with its pronoun replaced by the person it may mean."""
    name = person if person == "someone" else f"the {person}"
    return PRONOUNS["male"].sub(lambda found: f"{name}'s" if found[0] == "his" else name, male)


AX_G = Format(
    "ax-g",
    ("nli",),
    json_lines(_recast_pair),
    NLI_LABELS,
    label_map={"entailment": ENTAILED, "not_entailment": NOT_ENTAILED},
    merge=TWO_WAYS,
    about="Winogender recast as inference, as SuperGLUE publishes it: JSON lines",
    columns={"idx": "id", "premise": "context", "hypothesis": "hypothesis", "label": "label"},
)
WINOGENDER = Format(
    "winogender",
    ("nli",),
    read_sentences,
    NLI_LABELS,
    label_map={ENTAILED: ENTAILED, NOT_ENTAILED: NOT_ENTAILED},
    merge=TWO_WAYS,
    about="the sentences of Winogender, all_sentences.tsv, recast while they are read",
    columns={
        "sentid": "id; occupation, person, answer and the tag gender",
        "sentence": "context; hypotheses are made of it",
    },
)
