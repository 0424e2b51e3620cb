"""Citations: whatever names hold, each format can be read, and says what was shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from shown_boards import HOSTILE, shown_board, view_of

from evaluator.rank.citations import Citation, claim_words, plain, tex, view_cited
from evaluator.rank.score_sentences import Shown

SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
SITE = "https://owner.github.io/repo/"
FIELD = re.compile(r"^[A-Z][A-Z0-9]  - (.*)$")
NAMES = st.one_of(st.text(min_size=1, max_size=60), st.sampled_from(HOSTILE)).map(plain).filter(bool)
FIRST = {"base": "acc", "threshold": {"kind": "relative", "epsilon": 0.0001}, "rate": "mean"}


def cited(
    board: str = "Board", publisher: str = "Site", dataset: str = "Data", metric: str = "F1"
) -> Citation:
    shown = shown_board(labels=(metric, "Memory"), dataset=dataset)
    return Citation(
        id="20261121T222640Z-1589ec6f",
        sha256=SHA,
        created="2026-11-21T22:26:40Z",
        board=board,
        publisher=publisher,
        url=f"{SITE}snapshots/20261121T222640Z-1589ec6f/",
        claim=claim_words(shown, view_of(shown), None, [[1, 2], [1, 3], None]),
    )


def test_the_sentence_claims_something_with_its_certainty_and_names_datasets_weights_and_time() -> None:
    """As the paper asks: dataset, weights of the metrics, timestamp; APA says who, when, what, which, where."""
    assert cited().sentence == (
        "BERT ranks first (95 % rank set 1–2) of 3 models by Dynascore on Data at metric weights F1 (4) and"
        " Memory (1): Board, snapshot"
        f" 20261121T222640Z-1589ec6f, frozen 2026-11-21 22:26:40 UTC, SHA-256 {SHA}."
    )
    assert cited().apa == (
        f"Site. (2026, November 21). Board (Snapshot 20261121T222640Z-1589ec6f, SHA-256 {SHA}) [Leaderboard]."
        " https://owner.github.io/repo/snapshots/20261121T222640Z-1589ec6f/"
    )


#: Commands that LaTeX has without any package, in the font encoding that papers have by default, OT1.
PLAIN_LATEX = (
    "textbackslash textbraceleft textbraceright textasciicircum textasciitilde textless textgreater textbar"
    " ss ae AE oe OE o O l L i j S P dag ddag copyright pounds ldots cdot bullet times pm circ leq geq"
    " rightarrow alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau"
    " upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
    " $ & # % _ ` ' ^ ~ = . \" u r H v d c b"
)


@given(NAMES)
def test_a_name_in_bibtex_has_only_commands_of_plain_latex(name: str) -> None:
    """Nothing of a name is left to be obeyed: every command is one that LaTeX has without a package."""
    written = tex(name)
    assert set(re.findall(r"\\([A-Za-z]+|.)", written)) <= set(PLAIN_LATEX.split())
    left = re.sub(r"\\([A-Za-z]+|.)|\$(-|\^\{\\circ\}|\\[A-Za-z]+)\$", "", written)
    assert not set(left) & set('\\$&#%_^~<>|"')


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ('The "hard" board', "The ``hard'' board"),
        ('6" screens', "6'' screens"),
        ("Anne's “own”", "Anne's ``own''"),
        ("a--b ''c''", "a-{}-b '{}'c'{}'"),
        (r"{\x} & 5 %", r"\textbraceleft{}\textbackslash{}x\textbraceright{} \& 5 \%"),
        ("Łódź, Ångström, naïve", r"{\L}{\'{o}}d{\'{z}}, {\r{A}}ngstr{\"{o}}m, na{\"{\i}}ve"),
        ("β ≥ 2 …", r"$\beta$ $\geq$ 2 {\ldots}"),
        ("评测 Оценка", "评测 Оценка"),
    ],
)
def test_latex_prints_a_name_as_it_is(name: str, written: str) -> None:
    """Quotation marks in pairs, no dashes or quotes joined, accents; letters without a command stay."""
    assert tex(name) == written


def test_bibtex_says_which_letters_need_another_latex() -> None:
    """In a line above the entry, which BibTeX passes over; an entry of other letters has none."""
    assert cited("Оценка").bibtex().startswith("% XeLaTeX or LuaLaTeX, with a font that has them, prints: О")
    assert cited("Évaluation").bibtex().startswith("@misc{")


@given(NAMES, NAMES, NAMES, NAMES)
def test_bibtex_stays_one_entry(board: str, publisher: str, dataset: str, metric: str) -> None:
    """Braces balance and never close too early, so that every field is whole; a line is a field."""
    remark, entry, text = cited(board, publisher, dataset, metric).bibtex().partition("@misc{")
    assert remark.count("\n") == len(remark.splitlines()) <= 1
    text = entry + text
    depth, closed = 0, 0
    for sign in text:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        closed += sign == "}" and depth == 0
        assert depth >= 0
    assert (depth, closed) == (0, 1)
    fields = re.findall(r"^  ([a-z]+) = \{", text, flags=re.MULTILINE)
    assert fields == ["author", "title", "year", "month", "howpublished", "version", "note", "url"]
    assert len(text.splitlines()) == len(fields) + 2


@given(NAMES, NAMES, NAMES)
def test_ris_stays_one_record(board: str, publisher: str, dataset: str) -> None:
    """Each line is a field, whatever breaks of lines a name holds, and gives back what went in."""
    citation = cited(board, publisher, dataset)
    lines = citation.ris().split("\r\n")
    assert lines.pop() == ""
    found = [FIELD.match(line) for line in lines]
    assert all(found)
    assert len("".join(lines).splitlines()) == 1
    assert (lines[0], lines[-1]) == ("TY  - DATA", "ER  - ")
    assert f"AU  - {publisher}" in lines
    assert f"N1  - {citation.sentence}" in lines


@given(NAMES, NAMES, NAMES)
def test_cff_is_yaml_that_says_the_same(board: str, publisher: str, dataset: str) -> None:
    """A YAML parser reads back each name, also one that YAML would take for something else."""
    citation = cited(board, publisher, dataset)
    document = yaml.safe_load(citation.cff())
    assert document["title"] == citation.title
    assert document["authors"] == [{"name": publisher}]
    assert document["abstract"] == citation.sentence
    assert (document["cff-version"], document["type"]) == ("1.2.0", "dataset")
    assert document["date-released"] == "2026-11-21"
    assert document["url"] == citation.url
    [identifier] = document["identifiers"]
    assert (identifier["type"], identifier["value"]) == ("other", f"sha256:{SHA}")


@given(st.text(max_size=80))
def test_a_name_becomes_one_line_that_can_be_seen(name: str) -> None:
    """Without breaks of lines, controls or marks of direction, and the same when it is done twice."""
    line = plain(name)
    assert len(line.splitlines()) <= 1
    assert line == line.strip() == plain(line)
    assert not re.search("[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]", line)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "metric weights Accuracy (4) and Memory (1):"),
        (
            {"base": "memory", "rate": "ratio"},
            "Memory (1), base metric Memory, exchange rates by ratio of sums:",
        ),
        ({"threshold": {"kind": "absolute", "epsilon": 0.5}}, "Memory (1), threshold 0.5 (absolute):"),
        (
            {"among": "left", "limits": [{"metric": "memory", "bound": "most", "value": 1.5}]},
            "Memory (1), among those with Memory at most 1.5 GB:",
        ),
    ],
)
def test_a_citation_names_what_scores_depend_on(changed: dict[str, object], words: str) -> None:
    """Besides weights those terms that are not the cited page's own."""
    shown = shown_board()
    about = cited().island()
    found = view_cited(shown, about, view_of(shown, **changed), SITE, FIRST)
    assert words in found["texts"]["sentence"]
    assert found["texts"]["sentence"].endswith(SITE)


def test_a_ranking_by_z_scores_is_cited_as_one() -> None:
    """Base metric and rates say nothing of it."""
    shown = shown_board(by="z_score")
    words = claim_words(shown, view_of(shown, base="memory"), FIRST)
    assert words == (
        "BERT ranks first of 3 models by mean z-score on SST-2 at metric weights Accuracy (4) and Memory (1)"
    )


def test_pinned_models_are_cited_with_their_ranks() -> None:
    """Who cites a model that does not lead has its rank and how certain that is; one that is not there says nothing."""
    shown = shown_board()
    rules, bert = shown.board.models[2], shown.board.models[0]
    words = claim_words(shown, view_of(shown, pinned=[rules, "gone", bert]), None, [[1, 2], [1, 3], [2, 3]])
    assert words.startswith(
        "BERT ranks first (95 % rank set 1–2) and Rules has rank 3 (95 % rank set 2–3) of 3 models by Dynascore on"
    )


def test_parts_of_a_dataset_are_cited_with_its_name() -> None:
    """A part is called by a value of a tag, which says nothing alone."""
    shown = shown_board(dataset="django")
    shown.about = {**shown.about, "parts_of": {"sst": "Issues"}}
    words = claim_words(shown, view_of(shown), None, [None] * 3)
    assert words == (
        "BERT ranks first (95 % rank set unknown) of 3 models by Dynascore on django of Issues at metric weights"
        " Accuracy (4) and Memory (1)"
    )


def test_a_claim_of_nobody_or_of_several() -> None:
    """Who share the first rank are all named; where nobody is ranked, only the numbers are cited."""
    level = shown_board(values=((80.0, 80.0, 60.0), (1.0, 1.0, 0.5)))
    words = claim_words(level, view_of(level), None, [[1, 2], [1, 2], [3, 3]])
    assert words.startswith("BERT and SVM rank first (95 % rank set 1–2) of 3 models by Dynascore on SST-2")
    nobody = shown_board(metrics={"acc": 0.0})
    words = claim_words(nobody, view_of(nobody, metrics={"acc": 0.0}))
    assert words.startswith("Dynascores of 3 models on SST-2")


def frozen_of(shown: Shown, **other: Any) -> dict[str, Any]:
    """A snapshot's numbers as a page fetches them."""
    board = shown.board
    data = {
        "models": board.models,
        "metrics": [
            {"name": one.name, "direction": one.direction, "offset": one.offset}
            for one in board.metrics.values()
        ],
        "datasets": [*board.values],
        "values": board.values,
        "base": board.base,
        "epsilon": board.epsilon,
        "epsilon_kind": board.epsilon_kind,
        "missing": board.missing,
        "labels": board.labels,
    }
    return {"data": {**data, **other}, "certainty": None}


@pytest.mark.parametrize(
    ("values", "order", "leader"),
    [
        (((80.0, 70.0, 60.0), (2.0, 1.0, 0.5)), "The snapshot gives the order of this page.", "BERT"),
        (((60.0, 70.0, 80.0), (2.0, 1.0, 0.5)),
         "The snapshot gives another order than this page: Rules is first, and 2 of the 3 models that both rank"
         " have other places.", "Rules"),
        (((80.0, None, 60.0), (2.0, 1.0, 0.5)),
         "The snapshot gives the order of this page, but lacks SVM.", "BERT"),
    ],
)  # fmt: skip
def test_a_snapshot_of_other_numbers_is_ranked_by_itself(values: Any, order: str, leader: str) -> None:
    """What is cited is its own leader, and whether its order is that of the page is said."""
    shown = shown_board()
    frozen = frozen_of(shown_board(values=values))
    question = {"metrics": {"acc": 4.0, "memory": 1.0}, "datasets": {"sst": 1.0}}
    found = view_cited(shown, cited().island(), view_of(shown), SITE, FIRST, question=question, frozen=frozen)
    assert found["order"] == order
    assert found["texts"]["sentence"].startswith(f"{leader} ranks first (95 % rank set unknown) of ")


def test_a_snapshot_without_a_metric_that_has_weight_says_so() -> None:
    """It is ranked by what it has."""
    shown = shown_board()
    whole = frozen_of(shown)["data"]
    values = {"sst": {"acc": whole["values"]["sst"]["acc"]}}
    frozen = frozen_of(shown, metrics=whole["metrics"][:1], values=values)
    question = {"metrics": {"acc": 1.0, "memory": 9.0}, "datasets": {"sst": 1.0}}
    found = view_cited(shown, cited().island(), view_of(shown), SITE, question=question, frozen=frozen)
    assert found["order"] == "The snapshot has no Memory, so it cannot give the order of this page."
    assert "without Memory, which the snapshot does not have: " in found["texts"]["sentence"]


def test_limits_that_a_snapshot_has_no_numbers_for_are_said_too() -> None:
    """They keep nobody out there, so the claim is not among those within them."""
    shown = shown_board()
    whole = frozen_of(shown)["data"]
    values = {"sst": {"acc": whole["values"]["sst"]["acc"]}}
    frozen = frozen_of(shown, metrics=whole["metrics"][:1], values=values)
    question = {"metrics": {"acc": 1.0}, "datasets": {"sst": 1.0}, "limits": {"memory": [None, 1.0]}}
    found = view_cited(shown, cited().island(), view_of(shown), SITE, question=question, frozen=frozen)
    assert found["order"] == "The snapshot has no Memory, so it cannot give the order of this page."
    assert "without Memory, which the snapshot does not have" in found["texts"]["sentence"]
    assert found["texts"]["sentence"].startswith("BERT ranks first")


def test_what_an_older_page_cannot_show_is_named_once() -> None:
    """Limits and the choice to rank among their models are one thing for a reader."""
    shown = shown_board()
    found = view_cited(shown, cited().island(), view_of(shown), SITE, FIRST, ["limits", "among", "rate"])
    assert "older than limits and the choice of exchange rates:" in found["unread"]


def test_prices_that_were_typed_are_not_cited() -> None:
    """A snapshot keeps those of its day, however new its page is."""
    shown = shown_board()
    found = view_cited(shown, cited().island(), view_of(shown), SITE, FIRST, ["prices"])
    assert found["unread"].startswith("A snapshot keeps the prices of its day: it opens without them")
