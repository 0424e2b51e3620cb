"""Data in the forms it is published in; every sentence here was written for this project (CC0)."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from broken_files import (
    accounted,
    altered,
    as_lines,
    damaged,
    error,
    fuzz,
    read_or_explain,
    replaced,
    written,
)
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.datasets import Dataset, DatasetSource, read_dataset, revision_of

MILL = "The mill at Ebbe was built in 1802. It ground rye until 1931."
DIKE = "A dike, three metres high, keeps the sea out of the polder."


class Published(NamedTuple):
    """A file of a format as it is published, and what is read of it: texts, gold and tags by id."""

    task: str
    name: str
    content: str
    texts: dict[str, tuple[str, ...]]
    gold: tuple[Any, ...]
    tags: tuple[dict[str, str], ...] = ()
    dropped: dict[str, int] = {}
    options: dict[str, Any] = {}


def lines(*rows: Any) -> str:
    return as_lines(list(rows)).decode()


def question(id_: str, context: str, *answers: str, **more: Any) -> dict[str, Any]:
    found = [{"text": text, "answer_start": context.index(text)} for text in answers]
    return {"id": id_, "question": f"What is {id_}?", "answers": found, **more}


def squad(**contexts: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "data": [{"paragraphs": [{"context": globals()[name], "qas": qas}]} for name, qas in contexts.items()]
    }


def responses(**times: int) -> dict[str, list[str]]:
    names = iter(f"w{number}" for number in range(100))
    return {name: [next(names) for _ in range(count)] for name, count in times.items()}


def judged(number: int, gold: str | None, **times: int) -> dict[str, Any]:
    sentence = {"text_id": f"r1-{number}", "sentence": f"Soup {number}.", "review_rating": 3}
    return {**sentence, "label_distribution": responses(**times), "gold_label": gold}


def hub_row(id_: str, context: str, text: str, model: str) -> dict[str, Any]:
    answers = {"text": [text], "answer_start": [context.index(text)]}
    about = {"split": "validation", "model_in_the_loop": model}
    return {"id": id_, "context": context, "question": "What?", "answers": answers, "metadata": about}


PAIR = {"sentence1": "Two potters glaze bowls.", "sentence2": "Potters work."}
SNLI = {"gold_label": "entailment", **PAIR, "pairID": "1", "annotator_labels": ["entailment", "", "neutral"]}
STRESS = {**PAIR, "gold_label": "contradiction", "genre": "letters", "source": "antonym", "pairID": "1"}
ANLI = {
    "uid": "a1",
    "context": "It rained.",
    "hypothesis": "It was wet.",
    "label": "e",
    "genre": "wiki",
    "tag": "",
}
HANS = {
    **PAIR,
    "gold_label": "non-entailment",
    "pairID": "ex0",
    "heuristic": "lexical_overlap",
    "subcase": "swap",
}
AX_G = {
    "premise": "The tenant left.",
    "hypothesis": "Someone left.",
    "label": "entailment",
    "pair_id": 7,
    "idx": 0,
}
HANS_TSV = "\n".join("\t".join(row) for row in (HANS, HANS.values())) + "\n"
TREES = """\
(3 (2 It) (3 (4 (2 really) (3 shines)) (2 .)))
(0 (2 Never) (1 (1 again) (2 !)))
(2 (2 (2 A) (2 film)) (2 (2 -LRB-) (2 (2 1\\/2) (2 -RRB-))))
(1 (2 So) (1 tired))
(4 Superb)
"""
DYNASENT = [
    judged(1, "negative", negative=4, mixed=1),
    judged(2, "mixed", mixed=3, negative=2),
    judged(3, None, positive=1, negative=2, neutral=2),
    judged(4, "neutral", neutral=5),
]
MRQA = [
    {"header": {"dataset": "MillQA", "split": "dev"}},
    {
        "context": f"[PAR] {MILL}",
        "qas": [
            {
                "qid": "c1",
                "question": "What did it grind?",
                "answers": ["rye", "Rye", "rye"],
                "detected_answers": [],
            },
            {"qid": "c2", "question": "Why?", "answers": [], "is_impossible": True},
        ],
    },
    {"context": DIKE, "qas": [{"qid": "c3", "question": "What keeps it out?", "answers": ["A dike"]}]},
]
SQUAD = squad(MILL=[question("a1", MILL, "1802", "in 1802", "1802"), question("a2", MILL, "rye")],
              DIKE=[question("a3", DIKE, "three metres")])  # fmt: skip
SQUAD_2 = squad(
    DIKE=[question("b1", DIKE, is_impossible=True), question("b2", DIKE, "A", "the sea", is_impossible=False)]
)
HUB = [hub_row("7a", MILL, "The mill", "BiDAF"), hub_row("7b", DIKE, "A dike", "RoBERTa-Large")]
# As R writes a table: quoted strings, bare numbers, a first column of row names without a name.
LFTW = """\
"","acl.id","X1","text","label","type","split","round.base","round"
"1","acl1",1,"I ""love"" my neighbours","nothate","none","test",1,"1"
"2","acl2",3,"They should not be served here","hate","derogation","dev",2,"2a"
"3","acl3",4,"They should all be served here
and twice","nothate","none","test",2,"2b"
"""
HATECHECK = """\
,functionality,case_id,test_case,label_gold,target_ident,templ_id
0,derog_neg_emote_h,1,I can't stand gardeners. ,hateful,gardeners,1
1,target_obj_nh,9,"Rain, I can't stand it.",non-hateful,,20
"""
POTTERS = ("Two potters glaze bowls.", "Potters work.")

PUBLISHED: dict[str, Published] = {
    "snli": Published("nli", "dev.jsonl", lines(SNLI, {**SNLI, "gold_label": "-"}, {**SNLI, "pairID": 2}),
                      {"1": POTTERS, "2": POTTERS}, ("entailed", "entailed"), dropped={"no gold label": 1}),
    "mnli": Published("nli", "dev.jsonl", lines({**SNLI, "genre": "travel"}, {**SNLI, "pairID": "2n"}),
                      {"1": POTTERS, "2n": POTTERS}, ("entailed", "entailed"), ({"genre": "travel"}, {})),
    # Pairs repeat ids and keep the votes on another text, so both are left alone.
    "nli-stress": Published("nli", "dev.jsonl", lines(STRESS, {**STRESS, "gold_label": "-"}, {**PAIR, "gold_label": "neutral"}),
                            {"0": POTTERS, "2": POTTERS}, ("contradictory", "neutral"),
                            ({"genre": "letters", "source": "antonym"}, {}), {"no gold label": 1}),
    # The letters of its files, and the words of Dynabench.
    "anli": Published("nli", "dev.jsonl", lines(ANLI, {**ANLI, "uid": "a2", "label": "neutral", "genre": None}),
                      {"a1": ("It rained.", "It was wet."), "a2": ("It rained.", "It was wet.")},
                      ("entailed", "neutral"), ({"genre": "wiki"}, {})),
    "hans": Published("nli", "set.jsonl", lines(HANS, {**HANS, "pairID": "ex1", "gold_label": "entailment"}),
                      {"ex0": POTTERS, "ex1": POTTERS}, ("not-entailed", "entailed"),
                      ({"heuristic": "lexical_overlap", "subcase": "swap"},) * 2),
    "ax-g": Published("nli", "AX-g.jsonl", lines(AX_G, {**AX_G, "idx": 1, "label": "not_entailment"}),
                      {"0": ("The tenant left.", "Someone left."), "1": ("The tenant left.", "Someone left.")},
                      ("entailed", "not-entailed")),
    "squad": Published("qa", "dev.json", json.dumps(SQUAD),
                       {"a1": (MILL, "What is a1?"), "a2": (MILL, "What is a2?"), "a3": (DIKE, "What is a3?")},
                       (("1802", "in 1802"), ("rye",), ("three metres",))),
    "adversarial-qa": Published("qa", "dev.jsonl", lines(*HUB), {"7a": (MILL, "What?"), "7b": (DIKE, "What?")},
                                (("The mill",), ("A dike",)),
                                ({"model_in_the_loop": "BiDAF"}, {"model_in_the_loop": "RoBERTa-Large"})),
    "mrqa": Published("qa", "dev.jsonl", lines(*MRQA),
                      {"c1": (f"[PAR] {MILL}", "What did it grind?"), "c3": (DIKE, "What keeps it out?")},
                      (("rye", "Rye"), ("A dike",)), dropped={"unanswerable": 1}),
    "sst-trees": Published("sentiment", "dev.txt", TREES,
                           {"0": ("It really shines .",), "1": ("Never again !",), "2": ("A film ( 1/2 )",),
                            "3": ("So tired",), "4": ("Superb",)},
                           ("positive", "negative", "neutral", "negative", "positive")),
    "glue-sst2": Published("sentiment", "dev.tsv", 'sentence\tlabel\nit shines \t1\n"quoted" and dull \t0\n',
                           {"0": ("it shines ",), "1": ('"quoted" and dull ',)}, ("positive", "negative")),
    "dynasent": Published("sentiment", "r.jsonl", lines(*DYNASENT), {"r1-1": ("Soup 1.",), "r1-4": ("Soup 4.",)},
                          ("negative", "neutral"), ({"round": "1"},) * 2, {"mixed": 1, "no majority": 1}, {"round": 1}),
    # Stars first, text last; a title is not read, and \n is turned back.
    "reviews": Published("sentiment", "data.csv", '"5","A title","Fine\\nand ""so"""\n"1","Bad","Broke, twice"\n"3","","A lamp"\n',
                         {"0": ('Fine\nand "so"',), "1": ("Broke, twice",), "2": ("A lamp",)},
                         ("positive", "negative", "neutral")),
    "lftw": Published("hate-speech", "data.csv", LFTW,
                      {"acl1": ('I "love" my neighbours',), "acl3": ("They should all be served here\nand twice",)},
                      ("not-hateful", "not-hateful"), ({"round": "1", "type": "none"}, {"round": "2", "type": "none"}),
                      {"in another split": 1}, {"split": "test"}),
    "hatecheck": Published("hate-speech", "data.csv", HATECHECK,
                           {"1": ("I can't stand gardeners. ",), "9": ("Rain, I can't stand it.",)}, ("hateful", "not-hateful"),
                           ({"functionality": "derog_neg_emote_h", "target_ident": "gardeners"},
                            {"functionality": "target_obj_nh"})),
}  # fmt: skip


def source(folder: Path, form: str, content: str | bytes | None = None, **more: Any) -> DatasetSource:
    """A source of the format in a file of its usual name, with the content that it has above or another."""
    case = PUBLISHED[form]
    data = case.content if content is None else content
    made = written(folder, case.name, data if isinstance(data, bytes) else data.encode(), case.task, form)
    return replace(made, **{"options": case.options, **more})


def texts(dataset: Dataset) -> dict[str, tuple[str, ...]]:
    return {example["id"]: tuple(example.values())[1:] for example in dataset.examples}


@pytest.mark.parametrize("form", PUBLISHED)
def test_a_published_file(form: str, tmp_path: Path) -> None:
    """Texts, gold labels or answers, and tags are where the format has them; what is not scored is counted. A file
    may be compressed."""
    case = PUBLISHED[form]
    dataset = read_dataset(source(tmp_path, form))
    assert revision_of(source(tmp_path, form)) == dataset.revision
    assert (texts(dataset), dataset.gold, dataset.dropped) == (case.texts, case.gold, case.dropped)
    assert dataset.tags == (case.tags or ({},) * len(case.gold))
    assert texts(read_dataset(source(tmp_path, form, gzip.compress(case.content.encode())))) == case.texts


def test_votes_and_validation(tmp_path: Path) -> None:
    """Responses are labels where the map knows them; blank ones are none; five people confirm DynaSent's."""
    assert read_dataset(source(tmp_path, "snli")).votes == (("entailed", "neutral"),) * 2
    assert read_dataset(source(tmp_path, "nli-stress")).votes == ((), ())
    dynasent = read_dataset(source(tmp_path, "dynasent"))
    assert (dynasent.votes[0], dynasent.validated) == (("negative",) * 4 + ("mixed",), (True, True))


@pytest.mark.parametrize("form", ["hans", "ax-g"])
def test_gold_labels_may_be_coarser_than_answers(form: str, tmp_path: Path) -> None:
    """Two-way gold labels for three-way models."""
    dataset = read_dataset(source(tmp_path, form))
    assert dataset.labels == ("entailed", "neutral", "contradictory")
    assert dataset.gold_labels == ("entailed", "not-entailed")
    assert dataset.merge == dict(
        zip(dataset.labels, ("entailed", "not-entailed", "not-entailed"), strict=True)
    )


def test_hans_is_a_table_too(tmp_path: Path) -> None:
    """Tab-separated, with the same names in its header, without which it is refused."""
    made = written(tmp_path, "set.txt", HANS_TSV.encode(), "nli", "hans")
    assert texts(read_dataset(made)) == {"ex0": POTTERS}
    for content in (HANS_TSV.replace("pairID", "pair"), HANS_TSV.split("\n", 1)[1]):
        made.path.write_text(content)  # type: ignore[union-attr]
        assert f"{made.path}:1: header: " in error(made)
        assert "; name the columns gold_label, sentence1, sentence2, pairID, heuristic, subcase" in error(
            made
        )


def test_what_shares_a_source_is_a_cluster(tmp_path: Path) -> None:
    """The questions about one context, the cases of one template; nothing where no two share one."""
    assert read_dataset(source(tmp_path, "squad")).clusters == (0, 0, 1)
    assert read_dataset(source(tmp_path, "hatecheck")).clusters == ()
    assert read_dataset(source(tmp_path, "hatecheck", HATECHECK.replace(",20", ",1"))).clusters == (0, 0)


def test_questions_without_an_answer(tmp_path: Path) -> None:
    """The empty answer is right, and tags tell both kinds apart. As the script of version 2 scores, answers of articles
    alone do not count, and where there are no others nothing is right."""
    dataset = read_dataset(source(tmp_path, "squad", json.dumps(SQUAD_2)))
    assert dataset.gold == (("",), ("the sea",))
    assert dataset.tags == ({"answers": "NoAns"}, {"answers": "HasAns"})
    place = ("data", 0, "paragraphs", 0, "qas", 1)
    for more, gold in (({"is_impossible": False}, (" ",)), ({}, ("A",))):
        changed = replaced(SQUAD_2, place, question("b2", DIKE, "A", **more))
        assert read_dataset(source(tmp_path, "squad", json.dumps(changed))).gold[1] == gold


@pytest.mark.parametrize(
    ("form", "label"), [("sst-trees", "neutral"), ("dynasent", "neutral"), ("reviews", "neutral")]
)
def test_two_labels_leave_the_third_out(form: str, label: str, tmp_path: Path) -> None:
    """Neutral examples are dropped and counted, ids stay, and the revision is another."""
    three, two = (
        read_dataset(source(tmp_path, form, labels=labels)) for labels in ((), ("negative", "positive"))
    )
    assert two.dropped[label] == three.gold.count(label) > 0
    assert texts(two).items() < texts(three).items()
    assert two.revision != three.revision


def test_reviews_of_any_columns(tmp_path: Path) -> None:
    """Columns by name are looked up in the header; stars may have decimals; a backslash is a backslash. A file with the
    labels 1 and 2 alone is refused unless the board file says what they mean."""
    columns = {"id": "review_id", "label": "stars", "statement": "text"}
    content = 'review_id,stars,text\nr1,5.0,"Two\nlines"\nr2,2.0,C:\\new\n'
    dataset = read_dataset(source(tmp_path, "reviews", content, columns=columns))
    assert (texts(dataset), dataset.gold) == (
        {"r1": ("Two\nlines",), "r2": ("C:\\new",)},
        ("positive", "negative"),
    )
    polarity, binary = '"2","Good soup"\n"1","Cold soup"\n', ("negative", "positive")
    assert "label: only 1 and 2 are found" in error(source(tmp_path, "reviews", polarity, labels=binary))
    meant = dict(zip("12", binary, strict=True))
    made = source(tmp_path, "reviews", polarity, labels=binary, label_map=meant)
    assert read_dataset(made).gold == ("positive", "negative")


QAS = "data[0].paragraphs[0].qas"
#: What of a published file is replaced by what, the line, and how the message goes on.
BAD = [
    ("snli", '"gold_label": "entailment", ', "", 1, "gold_label: missing: the row lacks the key 'gold_label'; add it"),
    ("snli", '"entailment"', '"entailing"', 1, "label: 'entailing' is not in label_map; correct the row"),
    ("snli", '"Potters work."', "5", 1, "sentence2: 5 is not a string; give the text as a string"),
    ("mnli", '["entailment", "", "neutral"]', '"neutral"', 1, "annotator_labels: 'neutral' is not a list; give"),
    ("anli", '"a2"', '"a1"', 2, "id: 'a1' is already the id of the row on line 1"),
    ("anli", '"a1"', '""', 1, "uid: '' is not an id; give a string or a whole number"),
    ("hans", '"entailment"', '"neutral"', 2, "label: 'neutral' is not in label_map"),
    ("ax-g", '"idx": 1', '"idx": 1.5', 2, "idx: 1.5 is not an id; give a string or a whole number"),
    ("squad", f'"answer_start": {MILL.index("rye")}', '"answer_start": 4', 2, f"{QAS}[1].answers[0].answer_start: 4 is where the context has"),
    ("squad", '"text": "rye"', '"text": ["rye"]', 2, f"{QAS}[1].answers[0].text: ['rye'] is not a string; give"),
    ("squad", '"id": "a2"', '"id": ""', 2, f"{QAS}[1].id: '' is not an id; give a string or a whole number"),
    ("squad", '"id": "a2"', '"id": "a2", "is_impossible": "no"', 2, f"{QAS}[1].is_impossible: 'no' is not true or false"),
    ("adversarial-qa", '["A dike"]', "[]", 2, "answers.answer_start: [0] has 1 entries, not 0"),
    ("adversarial-qa", '{"text": ["A dike"], "answer_start": [0]}', '{"text": [], "answer_start": []}', 2,
     "answers: [] is empty; give at least one; a test file published without answers cannot be scored"),
    ("mrqa", '["A dike"]', "[]", 3, "qas[0].answers: [] has no or blank answers; give"),
    ("mrqa", '"c3"', "null", 3, "qas[0].qid: null is not an id; give a string"),
    ("sst-trees", "(1 (2 So) (1 tired))", "(1 (2 So) (1 tired)", 4, "tree: '(1 (2 So) (1 tired)' is no tree: brackets left open"),
    ("sst-trees", "(4 Superb)", "(4 So) (2 on)", 5, "tree: '(4 So) (2 on)' is no tree: the line has 2 of them"),
    ("sst-trees", "(4 Superb)", "(5 Superb)", 5, "tree: '(5 Superb)' is no tree: '5' is not a label"),
    ("sst-trees", "(4 Superb)", "(3 (2 a) (2 b) (2 c))", 5, "tree: '(3 (2 a) (2 b) (2 c))' is no tree: a node has 0 words and 3"),
    ("glue-sst2", "dull \t0", "dull \t-2", 3, "label: '-2' is not in label_map"),
    ("dynasent", '"negative"}', '"positive"}', 1, "gold_label: 'positive' is not what most of the workers chose, which is 'neg"),
    ("dynasent", '"w2"], "neg', '"w1"], "neg', 2, "label_distribution: {'mixed': ['w0', 'w1', 'w1']"),
    ("dynasent", '"r1-1"', '"r2-1"', 1, "text_id: 'r2-1' is not of round 1; read it as the round it is of"),
    ("reviews", '"1","Bad"', '"6","Bad"', 2, "label: '6' is not in label_map"),
    ("lftw", '"nothate","none"', '"maybe","none"', 2, "label: 'maybe' is not in label_map"),
    ("lftw", '"dev"', '"val"', 3, "split: 'val' is not a split"),
    ("lftw", ',1,"1"', ',5,"1"', 2, "round.base: '5' is not a round"),
    ("hatecheck", ",hateful,", ",hate,", 2, "label: 'hate' is not in label_map"),
    ("hatecheck", ",9,", ",,", 3, "id: '' is not an id"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("form", "old", "new", "line", "said"), BAD, ids=[f"{bad[0]}-{bad[4][:30]}" for bad in BAD]
)
def test_a_malformed_row_is_named(
    form: str, old: str, new: str, line: int, said: str, tmp_path: Path
) -> None:
    """With file, line (of a document: the question), field, value and fix; or it alone is skipped, and counted."""
    content = PUBLISHED[form].content
    assert old in content
    made = source(tmp_path, form, content.replace(old, new, 1))
    assert error(made).startswith(f"{made.path}:{line}: {said}")
    dataset = read_dataset(replace(made, skip_malformed=True))
    assert [row.line for row in dataset.skipped] == [line]
    assert accounted(dataset) == accounted(read_dataset(source(tmp_path, form)))


#: Files that are refused whole, whatever is skipped.
REFUSED: list[tuple[str, str | bytes, str]] = [
    ("squad", "", "1: document: column 1 is not JSON (Expecting value); give one whole JSON document"),
    (
        "squad",
        b'{"version":\n "\xff"}',
        "2: document: column 3 has bytes that are not UTF-8; save the file as UTF-8",
    ),
    ("squad", '{"data": 5}', "1: data: 5 is not a list; give a list, in [ ]"),
    (
        "mrqa",
        lines(*MRQA[1:]),
        "1: header: missing: the row lacks the key 'header'; add it, or choose the format",
    ),
    ("mrqa", '{"header"\n', "1: header: '{\"header\"' is not JSON"),
    (
        "glue-sst2",
        "index\tsentence\n0\tfine\n",
        "1: label: no such column; GLUE publishes its test set without",
    ),
    ("reviews", '"5"\n"4"\n', "1: columns: missing, and the file has 1 columns"),
    ("lftw", LFTW.replace("round.base", "base"), "1: columns.tag.round: 'round.base' is not in the header"),
]


@pytest.mark.parametrize(("form", "content", "said"), REFUSED, ids=[said[:40] for _, _, said in REFUSED])
def test_a_file_that_is_not_of_the_format_is_refused(
    form: str, content: str | bytes, said: str, tmp_path: Path
) -> None:
    """With what is wrong with the whole of it."""
    made = source(tmp_path, form, content)
    assert error(made).startswith(f"{made.path}:{said}")
    assert read_or_explain(made) is None


@pytest.mark.parametrize(
    ("form", "change", "said"),
    [
        ("snli", {"task": "sentiment"}, "task: snli is no data for sentiment; use nli"),
        (
            "snli",
            {"columns": {"context": "sentence1"}},
            "columns: snli has columns of its own; leave columns out",
        ),
        (
            "hans",
            {"label_map": {"entailment": "neutral"}},
            "label_map.entailment: 'neutral' is not a label; map it to",
        ),
        ("dynasent", {"options": {"round": 3}}, "options.round: 3 is not a round; use 1 or 2"),
        ("dynasent", {"options": {"round": True}}, "options.round: True is not a round"),
        (
            "lftw",
            {"options": {"split": "all"}},
            "options.split: 'all' is not a split; use one of train, dev, test",
        ),
        ("lftw", {"options": {"round": "2"}}, "options.round: '2' is not a round; use 1, 2, 3 or 4"),
        ("lftw", {"options": {"x": 1}}, "options.x: lftw has no such option; use only split, round"),
    ],
)
def test_a_declaration_that_cannot_be_is_refused(
    form: str, change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """Before the file is read, with dataset, field, value and fix."""
    assert error(replace(source(tmp_path, form), **change)).startswith(f"dataset toy: {said}")


def test_a_tag_of_all_must_be_true_of_each(tmp_path: Path) -> None:
    """A round of the whole dataset is an error where a row has another."""
    message = error(source(tmp_path, "lftw", options={}, tags={"round": "1"}))
    assert ":3: tags.round: '2' where all examples are said to have '1'" in message


# Gold answers without texts


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("gold.csv", "id,gold\n7,1\n8,0\n"),
        ("gold.tsv", "id\tgold\n7\t1\n8\t0\n"),
        ("gold.jsonl", '{"id": 7, "gold": 1}\n{"id": "8", "gold": 0}\n'),
    ],
)
def test_gold_answers_are_read_without_texts(name: str, content: str, tmp_path: Path) -> None:
    """Ids and labels are all that such a file needs, in any form that its name ends in."""
    made = gold_source(tmp_path, name, content)
    dataset = read_dataset(made)
    assert (dataset.examples, dataset.gold) == (({"id": "7"}, {"id": "8"}), ("positive", "negative"))
    assert not dataset.has_inputs


def gold_source(folder: Path, name: str, content: str, **more: Any) -> DatasetSource:
    labels = {"0": "negative", "1": "positive"}
    made = written(folder, name, content.encode(), "sentiment", "gold")
    return replace(made, **{"columns": {"id": "id", "label": "gold"}, "label_map": labels,
                            "labels": tuple(labels.values()), **more})  # fmt: skip


@pytest.mark.parametrize(
    ("name", "columns", "said"),
    [
        ("gold.csv", {"label": "gold"}, "columns.id: missing"),
        (
            "gold.csv",
            {"id": "id", "label": "gold", "statement": "x"},
            "columns.statement: is no part of gold answers",
        ),
        ("gold.csv", {"id": 0, "label": 1}, "columns.id: 0 is not a name"),
        (
            "gold.txt",
            {"id": "id", "label": "gold"},
            "path: 'gold.txt' does not end in one of csv, tsv, jsonl, json, parq",
        ),
    ],
)
def test_gold_answers_that_cannot_be_are_refused(
    name: str, columns: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """A mapping that lacks ids or maps texts, and a name that does not say the form."""
    assert said in error(gold_source(tmp_path, name, "id,gold\n7,1\n", columns=columns))


# Winogender, which is recast while it is read

PRONOUNS = {"male": "he him his", "female": "she her her", "neutral": "they them their"}


def sentences(occupation: str, participant: str, answer: int, template: str) -> list[tuple[str, str]]:
    """One set: sentids and sentences; `template` has one of he, him and his in braces."""
    rows = []
    for gender, forms in PRONOUNS.items():
        text = template.format(**dict(zip(("he", "him", "his"), forms.split(), strict=True)))
        text = text.replace(" was ", " were ") if gender == "neutral" else text
        rows.append((f"{occupation}.{participant}.{answer}.{gender}.txt", text))
    return rows


HEDGE = sentences("gardener", "neighbor", 0, "The gardener told the neighbor that {he} was done.")
SETS = [
    *HEDGE,
    *sentences("gardener", "neighbor", 1, "The gardener told the neighbor to fetch {his} ladder."),
    *sentences("gardener", "someone", 1, "Someone asked the gardener to help {him}."),
]


def sentence_table(rows: list[tuple[str, str]]) -> bytes:
    return "".join("\t".join(row) + "\n" for row in [("sentid", "sentence"), *rows]).encode()


def winogender(folder: Path, rows: list[tuple[str, str]]) -> DatasetSource:
    return written(folder, "all_sentences.tsv", sentence_table(rows), "nli", "winogender")


def test_winogender_is_recast(tmp_path: Path) -> None:
    """Each sentence is asked twice, with its pronoun resolved to either person, alike for all genders; tags say gender
    and kind of answer, ids add the person to the sentid."""
    dataset = read_dataset(winogender(tmp_path, SETS))
    asked = [
        (example["hypothesis"], gold) for example, gold in zip(dataset.examples, dataset.gold, strict=True)
    ]
    assert asked == [
        *3 * [("The gardener told the neighbor that the gardener was done.", "entailed"),
              ("The gardener told the neighbor that the neighbor was done.", "not-entailed")],
        *3 * [("The gardener told the neighbor to fetch the gardener's ladder.", "not-entailed"),
              ("The gardener told the neighbor to fetch the neighbor's ladder.", "entailed")],
        *3 * [("Someone asked the gardener to help the gardener.", "not-entailed"),
              ("Someone asked the gardener to help someone.", "entailed")],
    ]  # fmt: skip
    assert [example["context"] for example in dataset.examples[::2]] == [sentence for _, sentence in SETS]
    assert dataset.ids[2:4] == [
        f"gardener.neighbor.0.female.txt:{kind}" for kind in ("occupation", "participant")
    ]
    assert dataset.tags[2] == {"gender": "female", "answer": "occupation"}
    assert dataset.gold_labels == ("entailed", "not-entailed")


@pytest.mark.parametrize(
    ("place", "row", "said"),
    [
        (
            1,
            ("gardener.neighbor.2.female.txt", HEDGE[1][1]),
            "sentid: 'gardener.neighbor.2.female.txt' is not a",
        ),
        (
            2,
            (HEDGE[2][0], "The gardener told them that they were done."),
            "has 2 neutral pronouns; give it exactly one",
        ),
        (
            1,
            (HEDGE[1][0], "The gardener told the neighbor that she was ill."),
            "does not say the same as its male variant",
        ),
        (
            2,
            None,
            "sentid: 'gardener.neighbor.0.male.txt' has no neutral variant; add gardener.neighbor.0.neutral.txt",
        ),
    ],
)
def test_a_sentence_that_does_not_fit_its_set(
    place: int, row: tuple[str, str] | None, said: str, tmp_path: Path
) -> None:
    """A wrong id, another text, or a set without one of its genders; other sets are read all the same."""
    rows = [*SETS[:place], *([row] if row else []), *SETS[place + 1 :]]
    dataset = read_dataset(replace(winogender(tmp_path, rows), skip_malformed=True))
    assert said in "\n".join(str(error.error) for error in dataset.skipped)
    assert {error.line for error in dataset.skipped} <= {2, 3, 4}
    assert len(dataset.examples) == 2 * (len(rows) - len(dataset.skipped))


def test_a_sentence_must_mention_both(tmp_path: Path) -> None:
    """A sentid that names someone the sentence does not mention is malformed."""
    rows = sentences("gardener", "baker", 0, "The gardener told the neighbor that {he} was done.")
    assert " does not mention 'baker'; correct sentid or sentence" in error(winogender(tmp_path, rows))


# Anything at all


def test_a_tree_may_be_deep(tmp_path: Path) -> None:
    """Nesting has no limit, whether the tree is whole or not."""
    deep = "(2 (2 x) " * 20_000 + "(2 y)" + ")" * 20_000
    assert texts(read_dataset(source(tmp_path, "sst-trees", deep))) == {"0": ("x " * 20_000 + "y",)}
    assert "left open" in error(source(tmp_path, "sst-trees", deep[:-1]))


@fuzz
@given(
    st.lists(
        st.lists(st.sampled_from(["positive", "negative", "neutral", "mixed"]), min_size=5, max_size=5),
        min_size=1,
    )
)
def test_dynasent_majorities(tmp_path: Path, several: list[list[str]]) -> None:
    """Whatever five people answered, the gold label is the one of three of them, or the row is dropped."""
    rows, expected = [], []
    for number, answers in enumerate(several):
        counts = {answer: answers.count(answer) for answer in answers}
        gold = max(counts, key=counts.__getitem__) if max(counts.values()) > 2 else None
        rows.append(judged(number, gold, **counts))
        expected += [gold] if gold not in (None, "mixed") else []
    dataset = read_or_explain(source(tmp_path, "dynasent", lines(*rows)))
    assert (list(dataset.gold) if dataset else []) == expected


characters = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@fuzz
@given(before=characters, words=characters.filter(str.strip), after=characters)
def test_answers_are_found_by_characters(tmp_path: Path, before: str, words: str, after: str) -> None:
    """answer_start counts characters, not bytes, in any script; one place further is malformed or the same text."""
    row = hub_row("1", before + words + after, words, "x")
    for start, found in ((len(before), True), (len(before) + 1, (words + after)[1:].startswith(words))):
        row["answers"]["answer_start"] = [start]
        dataset = read_or_explain(source(tmp_path, "adversarial-qa", lines(row)))
        assert (dataset is not None and dataset.gold == ((words,),)) == found


@fuzz
@given(form=st.sampled_from(sorted(PUBLISHED)), data=st.data())
def test_files_that_are_nearly_right(tmp_path: Path, form: str, data: st.DataObject) -> None:
    """With any value in any place, with some bytes damaged, or of any bytes at all, a file is read or explained, and no
    row is lost."""
    content = PUBLISHED[form].content
    if content.startswith("{") and data.draw(st.booleans()):
        rows = [data.draw(altered(json.loads(row))) for row in content.splitlines()]
        dataset = read_or_explain(source(tmp_path, form, lines(*rows)))
        assert dataset is None or PUBLISHED[form].task == "qa" or accounted(dataset) == len(rows)
    else:
        read_or_explain(source(tmp_path, form, data.draw(damaged(content.encode()) | st.binary(max_size=60))))
