"""What a board shows beside its table: people, rounds, numbers from elsewhere, metrics that say the same."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page, expect
from site_pages import open_board
from site_sample import write_crowd, write_world
from site_server import served

from evaluator.records.board import MetricSpec, assemble, load_boards
from evaluator.records.errors import UserError
from evaluator.records.references import DatasetRef, ModelRef, Source
from evaluator.records.result import Failure, Result, Score
from evaluator.records.store import Store
from site_src.generator.build import build
from site_src.generator.pages.board import BoardView, board_view
from site_src.generator.results import failure_views
from site_src.generator.sections import on_one_dataset, overlaps, spearman
from site_src.generator.table import ShownColumn

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
    expect(page.locator("#rows th > a")).to_have_text(["A lexicon", "Mix of two", "RoBERTa"])
    assert page.evaluate(LAST_ROW) == "people"
    assert page.locator(PEOPLE).inner_html() == before
    expect(page.locator("#rows tr")).to_have_count(3)
    expect(page.locator(f"{PEOPLE} .score")).to_have_text("not ranked")
    expect(page.locator("#announcer")).not_to_contain_text("People")


def test_people_on_one_of_two_rounds_have_no_mean(tmp_path: Path) -> None:
    """A mean over some of the datasets would differ from the number shown above it."""
    boards, results = write_world(tmp_path)
    (results / "dynamic/round-2/human.json").unlink()
    (row,) = view_of(boards, results).people
    assert [cell.value for cell in row.cells] == [None, None]


def test_people_estimated_on_other_data_are_not_set_beside_the_models(tmp_path: Path) -> None:
    """An estimate on another revision is left out, and the row says why."""
    boards, results = write_world(tmp_path)
    other = {"id": "round-2", "revision": "sha256:" + "cd" * 32, "examples": 700}
    edit(results, "dynamic/round-2/human.json", dataset=other)
    view = view_of(boards, results)
    assert view.people[0].cells[0].value is None
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
def test_metrics_that_no_model_has_are_left_out_and_named(page: Page, site_url: str) -> None:
    """Predictions are not timed: no columns, weights, rates or presets of timing, and a line that says so."""
    open_board(page, site_url + "rounds/")
    expect(page.locator(".ranks thead .metric-name")).to_have_text(
        ["Macro-F1", "Matthews correlation"], use_inner_text=True
    )
    expect(page.locator("#metric-weights .control")).to_have_count(2)
    expect(page.locator(".rates li")).to_have_count(2)
    expect(page.locator(".preset")).to_have_text(["Default", "Macro-F1 only"], use_inner_text=True)
    page.locator("#reading summary").click()
    said = re.sub("[\u2068\u2069]", "", words_of(page, ".terms"))
    assert "No model has a number for Throughput and Memory yet, and no weight lies on them" in said
    assert "Throughput" not in words_of(page, "table.ranks") + words_of(page, ".side")


def test_a_metric_with_weight_stays_though_no_model_has_it(tmp_path: Path) -> None:
    """It takes no part though it has weight, and hiding the column would hide why."""
    boards, results = write_world(tmp_path)
    text = boards.read_text().replace(
        "weights = { macro-f1 = 3, mcc = 1 }", "weights = { macro-f1 = 1, memory = 1 }"
    )
    boards.write_text(text, encoding="utf-8")
    view = view_of(boards, results)
    assert view.absent == ("Throughput",)
    assert [column.name for column in view.columns] == ["macro-f1", "mcc", "memory"]
    assert any("Memory" in notice for notice in view.rates["notices"])
    assert {one.name: one.share for one in view.metric_controls} == {
        "macro-f1": 1.0,
        "mcc": 0.0,
        "memory": 0.0,
    }
    assert view.ranking["idle"] == {"metrics": ["memory"], "datasets": []}


def test_a_preset_that_ranks_no_model_is_not_offered(tmp_path: Path) -> None:
    """Though the column stays, since it has weight by default; the others are offered."""
    boards, results = write_world(tmp_path)
    text = boards.read_text().replace(
        "weights = { macro-f1 = 3, mcc = 1 }", "weights = { macro-f1 = 1, memory = 1 }"
    )
    known = '{ name = "macro-f1-only"'
    small = '{ name = "small", label = "Small", weights = { memory = 1 } },'
    boards.write_text(text.replace(known, f"{small} {known}"), encoding="utf-8")
    view = view_of(boards, results)
    assert [preset.name for preset in view.spec.presets] == ["macro-f1-only"]
    assert [preset["name"] for preset in view.island["presets"]] == ["macro-f1-only"]


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
    expect(chart.locator("svg .estimate")).to_have_count(2)
    expect(chart.locator("svg .round-line circle")).to_have_count(6)
    expect(chart.locator("svg .people .diamond")).to_have_count(2)
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


BOARD = """
title = "T"

[[datasets]]
id = "ours"
label = "Ours"
task = "sentiment"

[[datasets]]
id = "theirs"
label = "<i>Theirs</i>"
task = "nli"

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "throughput"
datasets = ["ours"]
metrics = [
  { name = "throughput", label = "Throughput", unit = "examples/s" },
  { name = "memory", label = "Memory", unit = "GB", direction = "lower", cap = 8.0 },
]
compare_with = [{ dataset = "theirs", models = { a = "one", b = "two", c = "three", d = "absent" } }]
"""


OURS = {"a": (8.0, 1.0), "b": (4.0, 2.0), "c": (2.0, 3.0), "d": (1.0, 4.0)}


THEIRS = {"one": (16.0, 1.0), "two": (4.0, 4.0), "three": (8.0, None)}


def result(task: str, dataset: str, model: str, values: tuple[float, float | None], **more: Any) -> Result:
    units = zip(("throughput", "memory"), ("examples/s", "GB"), values, strict=True)
    return Result(
        task=task,
        model=ModelRef(id=model, label=f"{model} & <b>co</b>"),
        dataset=DatasetRef(id=dataset),
        provenance="reported",
        scores={name: Score(value=v, unit=unit, version="1") for name, unit, v in units if v is not None},
        source=Source(citation=f"{dataset} et al.", **more),
        created="2026-11-21T00:00:00Z",
        tool="test",
    )


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A board file and the results of four models here and three there."""
    (tmp_path / "board.toml").write_text(BOARD)
    store = Store(tmp_path / "results")
    for model, values in OURS.items():
        store.save(result("sentiment", "ours", model, values))
    for model, values in THEIRS.items():
        store.save(result("nli", "theirs", model, values, note="as printed"))
    return tmp_path


def board_beside(world: Path) -> BoardView:
    boards, results = load_boards(world / "board.toml"), [*Store(world / "results").results()]
    return board_view(assemble(boards.boards[0], boards, results), boards, results=results)


def test_numbers_ratios_and_correlations_are_of_the_models_that_both_have(world: Path) -> None:
    """A number that one side lacks leaves a gap, which counts in neither; others' models stay away."""
    (table,) = board_beside(world).compared
    assert [here for here, _ in table.labels] == [f"{name} & <b>co</b>" for name in "abc"]
    throughput, memory = table.columns
    assert throughput.known == ((8.0, 16.0), (4.0, 4.0), (2.0, 8.0))
    assert (throughput.ratio, throughput.correlation) == (0.5, 0.5)
    assert memory.pairs == ((1.0, 1.0), (2.0, 4.0), None)
    assert (memory.ratio, memory.correlation) == (0.75, 1.0)


def test_pages_call_models_what_the_board_file_says_now(world: Path) -> None:
    """At once, on every page, without a new measurement; so do those of other tasks beside them."""
    tables = [
        f'[[models]]\nid = "{id_}"\nlabel = "Called {id_}"\ntask = "{task}"\n'
        for id_, task in (("a", "sentiment"), ("one", "nli"))
    ]
    (world / "board.toml").write_text(BOARD + "".join(tables))
    build(world / "board.toml", world / "results", world / "build")
    pages = [path.read_text(encoding="utf-8") for path in (world / "build" / "b").rglob("*.html")]
    assert not any(re.search(r"\b(a|one) &amp; &lt;b", page) for page in pages)
    index = (world / "build" / "b" / "index.html").read_text(encoding="utf-8")
    assert ("Called a" in index, "Called one" in index) == (True, True)


def test_the_page_shows_the_table_and_escapes_names(world: Path) -> None:
    """Names of models, datasets and sources are data."""
    build(world / "board.toml", world / "results", world / "build")
    page = " ".join((world / "build" / "b" / "index.html").read_text(encoding="utf-8").split())
    section = re.search(r'<section aria-labelledby="compared-title".*?</section>', page)
    assert section is not None
    words = " ".join(re.sub(r"<[^>]*>", " ", section[0]).split())
    assert "&lt;i&gt;Theirs&lt;/i&gt;" in words
    assert (
        "a &amp; &lt;b&gt;co&lt;/b&gt; there one &amp; &lt;b&gt;co&lt;/b&gt; 8.00 16.00 0.500 1.00 1.00 1.000"
        in words
    )
    assert "Reported: theirs et al. , as printed ." in words
    assert "Median ratio 0.500 0.750" in words
    assert "Rank correlation 0.50 1.00" in words


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ('compare_with = [{ dataset = "there", models = { a = "b" } }]', "'there' is none of ours, theirs"),
        ('compare_with = [{ dataset = "theirs", models = {} }]', "must not be empty"),
    ],
)
def test_a_mistake_in_the_board_file_is_named(world: Path, wrong: str, message: str) -> None:
    """The dataset must exist, and a model must be named."""
    text = re.sub("^compare_with = .*$", wrong, BOARD, flags=re.MULTILINE)
    (world / "board.toml").write_text(text)
    with pytest.raises(UserError, match=message):
        load_boards(world / "board.toml")


def column(name: str, direction: str = "higher") -> ShownColumn:
    cap = {"cap": "max"} if direction == "lower" else {}
    return ShownColumn(MetricSpec(name=name, label=name, unit="", direction=direction, **cap), 0)


@given(
    st.lists(st.integers(-1000, 1000), min_size=8, max_size=20, unique=True),
    st.floats(0.01, 100),
    st.floats(-5, 5),
)
def test_a_metric_and_the_same_in_another_unit_overlap(values: list[int], scale: float, shift: float) -> None:
    """Also where of one of them less is better; a missing value leaves its model out."""
    rows: list[list[float | None]] = [[value, scale * value + shift, -value] for value in values]
    rows.append([None, None, 7.0])
    found = overlaps([column("a"), column("b"), column("c", "lower")], rows)
    assert [(pair.one.name, pair.other.name) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_few_models_or_unlike_metrics_say_nothing() -> None:
    """Of seven models any two metrics may correlate."""
    rows: list[list[float | None]] = [[float(n), 2.0 * n] for n in range(8)]
    assert overlaps([column("a"), column("b")], rows)
    assert not overlaps([column("a"), column("b")], rows[:7])
    chance = random.Random(1)
    unlike = [[chance.random(), chance.random()] for _ in range(50)]
    assert not overlaps([column("a"), column("b")], list(unlike))


@pytest.mark.slow
def test_the_maintainer_and_the_visitor_are_told(tmp_path: Path, page: Page) -> None:
    """The build warns and says what to do; the board says it in a sentence of two pairs at most."""
    boards, results = write_crowd(tmp_path, 9)
    for number, path in enumerate(sorted(results.rglob("*.json"))):
        document = json.loads(path.read_text())
        robustness = document["scores"]["robustness"]["value"]
        document["scores"]["fairness"]["value"] = robustness / 2 + number % 2 / 1000
        path.write_text(json.dumps(document))
    report = build(boards, results, tmp_path / "build")
    told = "board sentiment: fairness and robustness say nearly the same (correlation 1.000) of its models"
    assert sum(warning.startswith(told) for warning in report.warnings) == 1
    with served(tmp_path / "build") as address:
        page.goto(f"{address}sentiment/")
        said = page.locator(".relative", has_text="say nearly the same")
        expect(said).to_have_count(min(2, len(report.warnings)))


def test_metrics_of_different_tasks_are_on_no_dataset_together() -> None:
    """Only where some model has both numbers of one dataset do they say anything of each other."""
    values = {"x": {"a": [1.0, None], "b": [None, 2.0]}, "y": {"a": [None, 3.0], "b": [None, 4.0]}}
    assert not on_one_dataset({"datasets": ["x"], "values": values}, "a", "b")
    assert on_one_dataset({"datasets": ["x", "y"], "values": values}, "a", "b")


def test_one_quantity_by_two_names_is_told_apart_from_two_that_agree() -> None:
    """The page keeps still of the first, as the table shows it; the maintainer is told of both."""
    rows: list[list[float | None]] = [[float(n), 2.0 * n, 2.0 * n + n % 2 / 100] for n in range(9)]
    found = overlaps([column("a"), column("b"), column("c")], rows)
    assert [(pair.one.name, pair.other.name) for pair in found if pair.same] == [("a", "b")]
    assert "a and b say the same of its models" in found[0].warning("x")
    assert "a and c say nearly the same (correlation 1.000) of its models" in found[1].warning("x")


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(-3, 3), st.floats(-9, 9)), max_size=9))
def test_the_rank_correlation_is_that_of_scipy(pairs: list[tuple[int, float]]) -> None:
    """Ties share the mean of their ranks; without a spread there is none."""
    from scipy import stats

    first, second = [float(x) for x, _ in pairs], [y for _, y in pairs]
    found = spearman(first, second)
    if len(set(first)) < 2 or len(set(second)) < 2:
        assert found is None
    else:
        assert found == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-12)
