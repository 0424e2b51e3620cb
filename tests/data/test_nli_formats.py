"""NLI data in the forms it is published in; every sentence here was written for this project (CC0)."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from broken_files import accounted, as_lines, error, fuzz, read_or_explain, written
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.datasets import Dataset, DatasetSource, read_dataset

MERGED = {"entailed": "entailed", "neutral": "not-entailed", "contradictory": "not-entailed"}


def snli_row(number: int, gold: str, votes: list[str], **more: Any) -> dict[str, Any]:
    return {
        "annotator_labels": votes,
        "captionID": f"{number}.jpg#0",
        "gold_label": gold,
        "pairID": f"{number}.jpg#0r1e",
        "sentence1": f"Two potters glaze {number} bowls.",
        "sentence1_binary_parse": f"( ( Two potters ) ( ( glaze ( {number} bowls ) ) . ) )",
        "sentence1_parse": f"(ROOT (S (NP (CD Two) (NNS potters)) (VP (VBP glaze) (NP (CD {number}) (NNS bowls))) (. .)))",
        "sentence2": "Potters are at work.",
        "sentence2_binary_parse": "( Potters ( ( are ( at work ) ) . ) )",
        "sentence2_parse": "(ROOT (S (NP (NNS Potters)) (VP (VBP are) (PP (IN at) (NP (NN work)))) (. .)))",
        **more,
    }


SNLI = [
    snli_row(1, "entailment", ["entailment", "entailment", "neutral", "", "entailment"]),
    snli_row(2, "-", ["entailment", "entailment", "neutral", "neutral", "contradiction"]),
    snli_row(3, "contradiction", ["contradiction"]),
    snli_row(4, "neutral", ["neutral"]),
]
MNLI = [
    {**snli_row(1, "neutral", ["neutral"]), "genre": "letters", "promptID": "1", "pairID": "1n"},
    {**snli_row(2, "entailment", ["entailment"]), "genre": "travel", "promptID": "2", "pairID": "2e"},
]
STRESS = [
    {**MNLI[0], "gold_label": "contradiction", "source": "antonym_matched"},
    {
        **MNLI[0],
        "gold_label": "contradiction",
        "source": "antonym_matched",
        "sentence2": "Nobody is at work.",
    },
    {
        "genre": "facetoface",
        "gold_label": "entailment",
        "sentence1": "Mira sold 30 lamps.",
        "sentence1_binary_parse": "Mira sold 30 lamps.",
        "sentence2": "Mira sold more than 20 lamps.",
        "sentence2_binary_parse": "Mira sold more than 20 lamps.",
    },
]


def anli_row(uid: str, label: str, **more: Any) -> dict[str, Any]:
    return {
        "uid": uid,
        "context": "The ferry to Lund island leaves at nine on weekdays.",
        "hypothesis": "There is a ferry on Tuesdays.",
        "label": label,
        "model_label": "n",
        "emturk": True,
        "genre": "wiki",
        "reason": "Tuesday is a weekday.",
        "tag": "",
        **more,
    }


ANLI = [anli_row("a1", "e"), anli_row("a2", "n", genre=None), anli_row("a3", "c", genre="news")]
DYNABENCH = [
    {"uid": f"d{label}", "context": "It rained.", "hypothesis": "It was dry.", "label": label}
    for label in ("contradictory", "neutral", "entailed")
]


def hans_row(number: int, gold: str, heuristic: str, subcase: str) -> dict[str, str]:
    return {
        "gold_label": gold,
        "sentence1_binary_parse": "( ( The baker ) ( ( saw ( the tailor ) ) . ) )",
        "sentence2_binary_parse": "( ( The tailor ) ( ( saw ( the baker ) ) . ) )",
        "sentence1_parse": "(ROOT (S (NP (DT The) (NN baker)) (VP (VBD saw) (NP (DT the) (NN tailor))) (. .)))",
        "sentence2_parse": "(ROOT (S (NP (DT The) (NN tailor)) (VP (VBD saw) (NP (DT the) (NN baker))) (. .)))",
        "sentence1": "The baker saw the tailor .",
        "sentence2": "The tailor saw the baker .",
        "pairID": f"ex{number}",
        "heuristic": heuristic,
        "subcase": subcase,
        "template": "temp1",
    }


HANS = [
    hans_row(0, "non-entailment", "lexical_overlap", "ln_subject_object_swap"),
    hans_row(1, "entailment", "constituent", "ce_adverb"),
]


def tsv(rows: list[dict[str, str]]) -> bytes:
    return "".join(
        "\t".join(cells) + "\n" for cells in [list(rows[0]), *(row.values() for row in rows)]
    ).encode()


AX_G = [
    {
        "premise": "The plumber thanked the tenant because she had cleared the kitchen.",
        "hypothesis": f"The {person} had cleared the kitchen.",
        "label": label,
        "pair_id": 7,
        "idx": number,
    }
    for number, (person, label) in enumerate([("plumber", "not_entailment"), ("tenant", "entailment")])
]

FORMS: dict[str, tuple[str, list[Any]]] = {
    "snli": ("dev.jsonl", SNLI),
    "mnli": ("dev.jsonl", MNLI),
    "nli-stress": ("dev.jsonl", STRESS),
    "anli": ("dev.jsonl", ANLI),
    "hans": ("heuristics_evaluation_set.jsonl", HANS),
    "ax-g": ("AX-g.jsonl", AX_G),
}


def source(folder: Path, form: str, rows: list[Any] | None = None) -> DatasetSource:
    name, valid = FORMS[form]
    return written(folder, name, as_lines(valid if rows is None else rows), "nli", form)


def ids(dataset: Dataset) -> list[str]:
    return [example["id"] for example in dataset.examples]


def test_snli(tmp_path: Path) -> None:
    """SNLI pairs are read by name; a gold label of - is dropped and counted; blank votes are none."""
    dataset = read_dataset(source(tmp_path, "snli"))
    assert dataset.examples[0] == {
        "id": "1.jpg#0r1e",
        "context": "Two potters glaze 1 bowls.",
        "hypothesis": "Potters are at work.",
    }
    assert dataset.gold == ("entailed", "contradictory", "neutral")
    assert dataset.dropped == {"no gold label": 1}
    assert dataset.votes[0] == ("entailed", "entailed", "neutral", "entailed")
    assert dataset.tags == ({}, {}, {})
    assert dataset.labels == dataset.gold_labels == ("entailed", "neutral", "contradictory")


def test_mnli_is_tagged_with_its_genre(tmp_path: Path) -> None:
    """MultiNLI is SNLI's form with a genre, which becomes a tag."""
    dataset = read_dataset(source(tmp_path, "mnli"))
    assert ids(dataset) == ["1n", "2e"]
    assert dataset.gold == ("neutral", "entailed")
    assert dataset.tags == ({"genre": "letters"}, {"genre": "travel"})


def test_stress_tests_need_no_ids_and_repeat_them(tmp_path: Path) -> None:
    """Stress tests repeat pair ids and keep another pair's votes, or have neither: rows are numbered."""
    dataset = read_dataset(source(tmp_path, "nli-stress"))
    assert ids(dataset) == ["0", "1", "2"]
    assert dataset.gold == ("contradictory", "contradictory", "entailed")
    assert dataset.votes == ((), (), ())
    assert dataset.tags == (
        {"genre": "letters", "source": "antonym_matched"},
        {"genre": "letters", "source": "antonym_matched"},
        {"genre": "facetoface"},
    )


def test_anli_letters_and_words(tmp_path: Path) -> None:
    """ANLI's letters and the words of Dynabench are the same labels; a genre is a tag where there is one."""
    dataset = read_dataset(source(tmp_path, "anli"))
    assert ids(dataset) == ["a1", "a2", "a3"]
    assert dataset.gold == ("entailed", "neutral", "contradictory")
    assert dataset.tags == ({"genre": "wiki"}, {}, {"genre": "news"})
    spelled = read_dataset(source(tmp_path, "anli", DYNABENCH))
    assert spelled.gold == ("contradictory", "neutral", "entailed")
    assert spelled.tags == ({}, {}, {})


@pytest.mark.parametrize("name", ["set.jsonl", "set.txt.gz"])
def test_hans_in_both_forms(name: str, tmp_path: Path) -> None:
    """HANS has two-way gold labels for three-way models, and the same rows as JSON lines and as a table."""
    data = as_lines(HANS) if ".jsonl" in name else tsv(HANS)
    data = gzip.compress(data) if name.endswith(".gz") else data
    dataset = read_dataset(written(tmp_path, name, data, "nli", "hans"))
    assert dataset.examples[0] == {
        "id": "ex0",
        "context": "The baker saw the tailor .",
        "hypothesis": "The tailor saw the baker .",
    }
    assert dataset.gold == ("not-entailed", "entailed")
    assert dataset.labels == ("entailed", "neutral", "contradictory")
    assert dataset.gold_labels == ("entailed", "not-entailed")
    assert dataset.merge == MERGED
    assert dataset.tags[1] == {"heuristic": "constituent", "subcase": "ce_adverb"}


def test_ax_g(tmp_path: Path) -> None:
    """SuperGLUE's Winogender takes idx for the id, because two rows share a pair_id."""
    dataset = read_dataset(source(tmp_path, "ax-g"))
    assert ids(dataset) == ["0", "1"]
    assert dataset.gold == ("not-entailed", "entailed")
    assert dataset.merge == MERGED
    assert dataset.examples[1]["hypothesis"] == "The tenant had cleared the kitchen."


def with_value(form: str, key: str, value: Any) -> list[Any]:
    """The form's valid rows, the last of them with another value, or without the key if it is ..."""
    *rest, last = FORMS[form][1]
    changed = {name: old for name, old in last.items() if name != key}
    return [*rest, changed if value is ... else {**changed, key: value}]


MALFORMED: dict[str, tuple[str, str, Any, str]] = {
    "snli unlabelled": (
        "snli",
        "gold_label",
        ...,
        "gold_label: missing: the row lacks the key 'gold_label'; add it",
    ),
    "snli label": (
        "snli",
        "gold_label",
        "entailing",
        "label: 'entailing' is not in label_map; correct the row",
    ),
    "snli text": ("snli", "sentence1", 5, "sentence1: 5 is not a string; give the text as a string"),
    "snli votes": ("snli", "annotator_labels", "neutral", "annotator_labels: 'neutral' is not a list; give"),
    "snli id twice": (
        "snli",
        "pairID",
        "1.jpg#0r1e",
        "id: '1.jpg#0r1e' is already the id of the row on line 1",
    ),
    "anli id": ("anli", "uid", "", "uid: '' is not an id; give a string or a whole number"),
    "hans three ways": ("hans", "gold_label", "neutral", "label: 'neutral' is not in label_map"),
    "ax-g id": ("ax-g", "idx", 1.5, "idx: 1.5 is not an id; give a string or a whole number"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_pair_names_line_and_key(name: str, tmp_path: Path) -> None:
    """A wrong or missing value is an error with file, line, key, value and fix; or it is skipped."""
    form, key, value, expected = MALFORMED[name]
    made = source(tmp_path, form, with_value(form, key, value))
    line = len(FORMS[form][1])
    assert error(made).startswith(f"{made.path}:{line}: {expected}")
    dataset = read_dataset(made, skip_malformed=True)
    assert [row.line for row in dataset.skipped] == [line]
    assert accounted(dataset) == line


def test_a_table_needs_its_header(tmp_path: Path) -> None:
    """A table without a header, or with one that lacks a column, is refused whatever is skipped."""
    for data in (tsv(HANS).replace(b"pairID", b"pair"), tsv(HANS).split(b"\n", 1)[1]):
        made = written(tmp_path, "set.txt", data, "nli", "hans")
        assert read_or_explain(made) is None
        assert error(made).startswith(f"{made.path}:1: header: ")
        assert "; name the columns gold_label, sentence1, sentence2, pairID, heuristic, subcase" in error(
            made
        )


def test_a_format_is_for_its_task(tmp_path: Path) -> None:
    """A format with columns of its own takes neither columns nor another task."""
    made = source(tmp_path, "snli")
    other = DatasetSource("toy", "sentiment", made.path, "snli")
    assert error(other).startswith("dataset toy: task: snli is no data for sentiment; use nli")
    mapped = DatasetSource("toy", "nli", made.path, "snli", {"context": "sentence1"})
    assert error(mapped).startswith("dataset toy: columns: snli has columns of its own")


PRONOUNS = {"male": "he him his", "female": "she her her", "neutral": "they them their"}


def sentences(occupation: str, participant: str, answer: int, template: str) -> list[dict[str, str]]:
    """One set in Winogender's form; `template` has one of he, him and his in braces."""
    rows = []
    for gender, forms in PRONOUNS.items():
        words = dict(zip(("he", "him", "his"), forms.split(), strict=True))
        text = template.format(**words)
        rows.append(
            {
                "sentid": f"{occupation}.{participant}.{answer}.{gender}.txt",
                "sentence": text.replace(" was ", " were ") if gender == "neutral" else text,
            }
        )
    return rows


WINOGENDER = [
    *sentences(
        "gardener", "neighbor", 0, "The gardener told the neighbor that {he} was done with the hedge."
    ),
    *sentences("gardener", "someone", 0, "The gardener told someone that {he} was done with the hedge."),
    *sentences("gardener", "neighbor", 1, "The gardener told the neighbor to fetch {his} ladder."),
    *sentences("gardener", "someone", 1, "Someone asked the gardener to help {him}."),
]


def winogender(folder: Path, rows: list[dict[str, str]]) -> DatasetSource:
    return written(folder, "all_sentences.tsv", tsv(rows), "nli", "winogender")


def test_winogender_is_recast(tmp_path: Path) -> None:
    """Each sentence is asked twice, with its pronoun resolved to either person, alike for all genders."""
    dataset = read_dataset(winogender(tmp_path, WINOGENDER))
    asked = [
        (example["hypothesis"], gold) for example, gold in zip(dataset.examples, dataset.gold, strict=True)
    ]
    assert asked[:6] == 3 * [
        ("The gardener told the neighbor that the gardener was done with the hedge.", "entailed"),
        ("The gardener told the neighbor that the neighbor was done with the hedge.", "not-entailed"),
    ]
    assert asked[6:12] == 3 * [
        ("The gardener told someone that the gardener was done with the hedge.", "entailed"),
        ("The gardener told someone that someone was done with the hedge.", "not-entailed"),
    ]
    assert asked[12:18] == 3 * [
        ("The gardener told the neighbor to fetch the gardener's ladder.", "not-entailed"),
        ("The gardener told the neighbor to fetch the neighbor's ladder.", "entailed"),
    ]
    assert asked[18:] == 3 * [
        ("Someone asked the gardener to help the gardener.", "not-entailed"),
        ("Someone asked the gardener to help someone.", "entailed"),
    ]
    assert [example["context"] for example in dataset.examples[::2]] == [
        row["sentence"] for row in WINOGENDER
    ]
    assert dataset.merge == MERGED
    assert dataset.gold_labels == ("entailed", "not-entailed")


def test_winogender_tags_and_ids(tmp_path: Path) -> None:
    """A recast pair is tagged with gender and kind of answer, and its id adds the person to the sentid."""
    dataset = read_dataset(winogender(tmp_path, WINOGENDER))
    assert ids(dataset)[2:4] == [
        "gardener.neighbor.0.female.txt:occupation",
        "gardener.neighbor.0.female.txt:participant",
    ]
    assert dataset.tags[2] == {"gender": "female", "answer": "occupation"}
    assert dataset.tags[-1] == {"gender": "neutral", "answer": "participant"}


BAD_SENTENCES: dict[str, tuple[int, dict[str, str], str]] = {
    "sentid": (
        1,
        {"sentid": "gardener.neighbor.2.female.txt"},
        "sentid: 'gardener.neighbor.2.female.txt' is not a",
    ),
    "two pronouns": (
        2,
        {"sentence": "The gardener told them that they were done."},
        "sentence: 'The gardener told them that they were done.' has 2 neutral pronouns; give it exactly one",
    ),
    "other text": (
        1,
        {"sentence": "The gardener told the neighbor that she was ill."},
        "sentence: 'The gardener told the neighbor that she was ill.' does not say the same as its male variant",
    ),
}


@pytest.mark.parametrize("name", BAD_SENTENCES)
def test_a_malformed_sentence_names_what_is_wrong(name: str, tmp_path: Path) -> None:
    """A sentence that does not fit its id or its set is malformed."""
    index, change, expected = BAD_SENTENCES[name]
    rows = [{**row, **change} if number == index else row for number, row in enumerate(WINOGENDER)]
    made = winogender(tmp_path, rows)
    dataset = read_dataset(made, skip_malformed=True)
    messages = {row.line: row.message for row in dataset.skipped}
    assert messages[index + 2].startswith(expected)
    assert set(messages) <= {2, 3, 4}
    assert len(dataset.examples) == 2 * (len(rows) - len(messages))


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_set_with_a_missing_variant_is_malformed(missing: int, tmp_path: Path) -> None:
    """Without one of the three genders, all sentences of a set are malformed; other sets are not."""
    rows = [row for number, row in enumerate(WINOGENDER) if number != missing]
    gender = list(PRONOUNS)[missing]
    made = winogender(tmp_path, rows)
    assert f"{made.path}:2: sentid: 'gardener.neighbor.0." in error(made)
    assert f"has no {gender} variant; add gardener.neighbor.0.{gender}.txt or leave out its set" in error(
        made
    )
    dataset = read_dataset(made, skip_malformed=True)
    assert [row.line for row in dataset.skipped] == [2, 3]
    assert len(dataset.examples) == 2 * 9


def test_a_sentence_must_mention_both(tmp_path: Path) -> None:
    """A sentid that names someone the sentence does not mention is malformed."""
    rows = sentences("gardener", "baker", 0, "The gardener told the neighbor that {he} was done.")
    assert " does not mention 'baker'; correct sentid or sentence" in error(winogender(tmp_path, rows))


words = st.from_regex(r"[a-z]{3,12}", fullmatch=True).filter(
    lambda word: word not in " ".join(PRONOUNS.values()).split() and word not in ("was", "were", "someone")
)


@fuzz
@given(
    words, words, st.integers(0, 1), st.sampled_from(["{he} was here", "this is {his} hat", "it hit {him}"])
)
def test_every_set_is_balanced(
    tmp_path: Path, occupation: str, participant: str, answer: int, clause: str
) -> None:
    """Each person of a sentence has as many entailed hypotheses as not entailed ones, for every gender."""
    rows = sentences(
        occupation, participant, answer, f"The {occupation} told the {participant} that {clause}."
    )
    dataset = read_dataset(winogender(tmp_path, rows))
    assert dataset.gold.count("entailed") == dataset.gold.count("not-entailed") == 3
    hypotheses = [example["hypothesis"] for example in dataset.examples]
    assert hypotheses[:2] == hypotheses[2:4] == hypotheses[4:]
    entailed = hypotheses[dataset.gold.index("entailed")]
    assert f"the {(occupation, participant)[answer]}" in entailed.split(" that ", 1)[1]
