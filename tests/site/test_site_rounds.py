"""A board of rounds: people beside the models, predictions made elsewhere, solved and unsolved datasets."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from site_pages import open_board
from site_sample import write_world

from evaluator.records.board import assemble, load_boards
from evaluator.records.references import Source
from evaluator.records.result import Failure, Result
from evaluator.records.store import Store
from site_src.generator.pages.board import BoardView, board_view
from site_src.generator.results import failure_views

PEOPLE = ".ranks tbody.people tr"
LAST_ROW = "() => [...document.querySelectorAll('.ranks tbody tr')].at(-1).parentElement.className"


def html_of(site_folder: Path, address: str) -> str:
    """A page with its spaces drawn together, as a reader sees them."""
    return " ".join((site_folder / address / "index.html").read_text(encoding="utf-8").split())


def words_of(page: Page, selector: str) -> str:
    return " ".join(page.locator(selector).inner_text().split())


def edit(results: Path, path: str, **fields: object) -> None:
    """Change fields of a stored result."""
    file = results / path
    file.write_text(json.dumps({**json.loads(file.read_text()), **fields}), encoding="utf-8")


def view_of(boards_file: Path, results: Path, board: str = "rounds") -> BoardView:
    boards = load_boards(boards_file)
    spec = next(spec for spec in boards.boards if spec.id == board)
    return board_view(assemble(spec, boards, Store(results).results()), boards)


@pytest.mark.slow
def test_people_stay_last_and_unranked_whatever_the_weights(page: Page, site_url: str) -> None:
    """The models change places around them; their own line keeps its place and all its words."""
    open_board(page, site_url + "rounds/")
    before = page.locator(PEOPLE).inner_html()
    assert page.evaluate(LAST_ROW) == "people"
    for name, weight in (("metric-macro-f1", "0"), ("metric-mcc", "9"), ("dataset-round-1", "9")):
        page.locator(f"#{name}").fill(weight)
        page.locator(f"#{name}").press("Tab")
    expect(page.locator("#rows tr[data-model=roberta] td.metric .num").first).to_have_text("86.74")
    assert page.locator("#rows th > a").all_text_contents() == ["A lexicon", "Mix of two", "RoBERTa"]
    assert page.evaluate(LAST_ROW) == "people"
    assert page.locator(PEOPLE).inner_html() == before
    assert page.locator("#rows tr").count() == 3
    expect(page.locator(f"{PEOPLE} .score")).to_have_text("not ranked")
    expect(page.locator("#announcer")).not_to_contain_text("People")


def test_people_on_one_of_two_rounds_have_no_mean(tmp_path: Path) -> None:
    """A mean over some of the datasets would differ from the number shown above it."""
    boards, results = write_world(tmp_path)
    (results / "dynamic/round-2/human.json").unlink()
    (row,) = view_of(boards, results).people
    assert [value for _, value in row.values] == [None, None]


def test_people_estimated_on_other_data_are_not_set_beside_the_models(tmp_path: Path) -> None:
    """An estimate on another revision is left out, and the row says why."""
    boards, results = write_world(tmp_path)
    other = {"id": "round-2", "revision": "sha256:" + "cd" * 32, "examples": 700}
    edit(results, "dynamic/round-2/human.json", dataset=other)
    view = view_of(boards, results)
    assert view.people[0].values[0][1] is None
    assert view.people[0].reasons == ("macro-f1 on round-2 was estimated on other data than the models'",)
    assert "no model on the same data" in (view.datasets[1].standing or "")
    assert view.datasets[1].examples == 720


def test_people_enter_neither_rates_nor_ranges_nor_counts(tmp_path: Path) -> None:
    """Everything that is computed for the models is the same without the estimate."""
    boards, results = write_world(tmp_path)
    beside = view_of(boards, results)
    for path in results.glob("dynamic/*/human.json"):
        path.unlink()
    alone = view_of(boards, results)
    assert beside.people
    assert not alone.people
    assert (beside.rows, beside.rates, beside.columns) == (alone.rows, alone.rates, alone.columns)
    assert (beside.cells, beside.island) == (alone.cells, alone.island)


@pytest.mark.slow
def test_a_dataset_says_whether_it_is_solved_and_what_it_holds(page: Page, site_url: str) -> None:
    """Round, role, examples, what was left out and why, revision, licence, and people against models."""
    page.goto(site_url + "rounds/")
    first, second, third = (" ".join(text.split()) for text in page.locator(".datasets li").all_inner_texts())
    assert "Round 1, ranks the models" in first
    assert re.search(r"Solved: reached by \W?RoBERTa\W? \(people 88\.10\)", first)
    assert "3600 examples scored · 65 left out: no gold label · revision abababababab" in first
    assert "CC BY 4.0" in first
    assert re.search(r"Not solved: people 90\.50, best model 79\.20 \(\W?RoBERTa\W?\)", second)
    assert "Licence: not stated" in second
    assert "shown, not ranked" in third
    assert "olved" not in third
    expect(page.locator(".datasets abbr").first).to_have_attribute("title", "sha256:" + "ab" * 32)
    expect(page.locator(".datasets a[rel=noreferrer]").first).to_have_attribute(
        "href", "https://example.org/rounds"
    )


@pytest.mark.slow
def test_a_board_of_predictions_only_says_what_they_are(browser: Browser, site_url: str) -> None:
    """Without script: the ranking, the meaning of each provenance, the source with its link, no timing."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url + "rounds/")
    assert page.locator("#rows .origin").all_inner_texts() == ["predictions · Nobody 2021"] * 3
    page.locator("#reading summary").click()
    origins = words_of(page, ".origins")
    assert "predictions: scored here from predictions made elsewhere; the model was not run" in origins
    assert "human: people, estimated from the annotators' responses" in origins
    assert "Estimated from synthetic annotators" in origins
    expect(page.locator(".origins a")).to_have_attribute("href", "https://example.org/rounds")
    assert "Fairness" not in page.locator("main").inner_text()
    context.close()


@pytest.mark.slow
def test_metrics_that_no_model_has_are_left_out_and_named(page: Page, site_url: str) -> None:
    """Predictions are not timed: no columns, weights, rates or presets of timing, and a line that says so."""
    open_board(page, site_url + "rounds/")
    assert page.locator(".ranks thead .metric-name").all_inner_texts() == ["Macro-F1", "Matthews correlation"]
    assert page.locator("#metric-weights .control").count() == 2
    assert page.locator(".rates li").count() == 2
    assert page.locator(".preset").all_inner_texts() == ["Default", "Macro-F1 only"]
    page.locator("#reading summary").click()
    said = re.sub("[\u2068\u2069]", "", words_of(page, ".terms"))
    assert "No model has a number for Throughput and Memory yet, and no weight lies on them" in said
    assert "Throughput" not in words_of(page, "table.ranks") + words_of(page, ".side")


def test_a_metric_with_weight_stays_though_no_model_has_it(tmp_path: Path) -> None:
    """Part of the weight then moves nothing, and hiding the column would hide why."""
    boards, results = write_world(tmp_path)
    text = boards.read_text().replace(
        "weights = { macro-f1 = 3, mcc = 1 }", "weights = { macro-f1 = 1, memory = 1 }"
    )
    boards.write_text(text, encoding="utf-8")
    view = view_of(boards, results)
    assert view.absent == ("Throughput",)
    assert [column.name for column in view.columns] == ["macro-f1", "mcc", "memory"]
    assert any("Memory" in note for note in view.notes)


def test_a_model_known_by_predictions_shows_where_they_came_from(site_folder: Path) -> None:
    """Meaning, citation, link, hash of the file given, what was left out; no measurement."""
    html = html_of(site_folder, "rounds/models/mix")
    for words in (
        "predictions: scored here from predictions made elsewhere",
        "Nobody 2021, Rounds",
        '<dt>Made from predictions</dt><dd dir="auto">sha256:' + "5e" * 32,
        '<dt>Not scored</dt><dd dir="auto">65 (no gold label)',
        '<a href="https://example.org/rounds" rel="noreferrer">',
    ):
        assert words in html
    assert "Latency" not in html


@pytest.mark.parametrize(
    ("failure", "sentence"),
    [
        (("invalid-answer", "output.answer: 7 is an int", 1), "1 answer was not valid and counts as wrong."),
        (("invalid-answer", "output.confidence: 7", 2), "2 answers were not valid and count as wrong."),
        (("missing", "none", 12000), "12\u202f000 examples have no answer and count as wrong."),
        (("raised", "ValueError", 1), "On 1 example the model raised an error; it counts as wrong."),
        (("odd", "who knows", 2), "On 2 examples odd; they count as wrong."),
    ],
)
def test_each_kind_of_failure_reads_as_a_sentence(failure: tuple[str, str, int], sentence: str) -> None:
    """Singular and plural agree with the number; an unknown kind is shown by its own name."""
    kind, message, count = failure
    found = result_with(Failure(kind=kind, message=message, count=count, first_ids=("a",)))
    (shown,) = failure_views(found)
    assert shown.sentence == sentence
    assert shown.message == message
    assert (shown.examples or "").startswith("a")
    assert ("more" in (shown.examples or "")) == (count > 1)


def result_with(failure: Failure) -> Result:
    return Result.model_validate(
        {
            "task": "t",
            "model": {"id": "m", "label": "M"},
            "dataset": {"id": "d"},
            "provenance": "reported",
            "scores": {},
            "failures": [failure],
            "source": Source(citation="c"),
            "created": "2026-11-21T15:20:00Z",
            "tool": "test",
        }
    )


@pytest.mark.slow
def test_models_and_people_go_from_round_to_round(page: Page, site_url: str) -> None:
    """A line each with its name, the interval of people, a sentence on the last round, and the numbers in a table."""
    page.goto(site_url + "rounds/")
    chart = page.get_by_role("region", name="Round by round")
    expect(chart.locator(".finding")).to_have_text(
        re.compile(r"On round 2, the last, .?RoBERTa.? is best with 79\.20 %; people reach 90\.50 %\.")
    )
    expect(chart.locator("svg .round-line > text")).to_have_text(
        ["RoBERTa", "Mix of two", "A lexicon", "People"]
    )
    assert chart.locator("svg .estimate").count() == 2
    assert chart.locator("svg .round-line circle").count() == 6
    assert chart.locator("svg .people .diamond").count() == 2
    chart.get_by_text("The numbers behind this chart").click()
    rows = chart.locator("table tr")
    expect(rows).to_have_text(
        [
            re.compile(text)
            for text in (
                "Model.*Round 1.*Round 2",
                "RoBERTa.*89.25.*79.20",
                "Mix of two.*84.50.*71.25",
                "A lexicon",
                "People.*88.10.*90.50",
            )
        ]
    )
