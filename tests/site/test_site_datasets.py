"""What pages say of a dataset: what it is, how models do on it and on its parts, and under perturbation suites."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import forked_command
import pytest
import site_examples
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, expect
from site_pages import open_board
from site_sample import result
from site_suites import SPECS, card, tried
from small_boards import small_board

from evaluator.records.board import MetricSpec
from evaluator.records.board.made import made_label, swaps_made
from evaluator.records.datasets import Examples, SuiteCard
from evaluator.records.errors import UserError
from evaluator.records.result import Result
from evaluator.records.store import Store
from site_src.generator.breakdowns import WARNINGS, made_words, option_text, suite_views, tag_tables, untried
from site_src.generator.build import build
from site_src.generator.pages.examples import LINES, Hardness, hardness_of, lines, verdicts
from site_src.generator.pages.suite import compared
from site_src.generator.table import ShownColumn

ROUND = "rounds/datasets/round-2/"


def cells(page: Page, table: str) -> list[list[str]]:
    """The texts of a table's body, row by row."""
    rows = page.locator(table).first.locator("tbody tr").all()
    return [[" ".join(text.split()) for text in row.locator("th, td").all_inner_texts()] for row in rows]


@pytest.mark.slow
def test_a_dataset_says_what_it_is_without_script(browser: Browser, site_url: str) -> None:
    """Role, round, examples, what was left out, revision, and what nobody stated, in the HTML."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url + "rounds/datasets/round-1/")
    facts = page.locator(".facts").first
    for text in ("ranks the models", "3600", "Left out: no gold label", "65", "CC BY 4.0", "Nobody 2021"):
        expect(facts).to_contain_text(text)
    expect(facts).to_contain_text(site_examples.DIGEST)
    expect(facts.get_by_role("link")).to_have_attribute("href", "https://example.org/rounds")
    expect(page.locator(".state")).to_contain_text("25.0 % of the board's default dataset weights")
    expect(page.locator(".state")).to_contain_text("2026-11-21 15:20 UTC")
    expect(page.locator(".standing")).to_contain_text("Solved: reached by")
    page.goto(site_url + ROUND)
    expect(page.locator(".facts").first).to_contain_text("not stated")
    context.close()


@pytest.mark.slow
def test_a_dataset_says_that_its_rows_repeat(tmp_path: Path) -> None:
    """Rows of the same text, which nobody declared, are named where the dataset is described."""
    (tmp_path / "board.toml").write_text(small_board("accuracy"))
    (tmp_path / "d.tsv").write_text(
        "".join(f"Film {row // 5}\tpositive\n" for row in range(30)) + "One\tpositive\n"
    )
    said = "id,label\n" + "".join(f"{row},positive\n" for row in range(31))
    for model in ("one", "two"):
        (tmp_path / f"{model}.csv").write_text(said)
        done = forked_command.run("import", f"{model}.csv", "--dataset", "d", "--model", model, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    build(tmp_path / "board.toml", tmp_path / "results", tmp_path / "build")
    page = (tmp_path / "build" / "b" / "datasets" / "d" / "index.html").read_text()
    assert "30 rows have the text of another: they count as 6 examples for how sure a rank is." in page


@pytest.mark.slow
def test_all_models_and_people_stand_with_every_metric(page: Page, site_url: str) -> None:
    """Best first by the base metric, people last; metrics that are no column of the board are there too."""
    page.goto(site_url + ROUND)
    found = cells(page, ".scores")
    assert [row[:3] for row in found] == [
        ["RoBERTa", "1", "79.20"],
        ["Mix of two", "2", "71.25"],
        ["A lexicon", "3", "41.75"],
        ["People estimated, not ranked", "— missing", "90.50"],
    ]
    page.goto(site_url + "measured/datasets/reviews/")
    heads = page.locator(".scores thead th").all_inner_texts()
    assert [head.split("\n")[0] for head in heads] == ["Model", "Rank", "Accuracy", "Throughput", "Memory"]
    broken = next(row for row in cells(page, ".scores") if row[0].startswith("Broken model"))
    assert "the run failed" in broken[0]
    assert all("missing" in text for text in broken[2:])


@pytest.mark.slow
def test_what_cannot_be_said_of_examples_is_said_to_be_unknown(page: Page, site_url: str) -> None:
    """Without data there is no chart; the reason is shown in its place."""
    for address, reason in (
        ("rounds/datasets/round-1/", "right answers are not published"),
        ("sentiment/datasets/table-2/", "No model's answers to single examples are known"),
        ("measured/datasets/reviews/", "No list of this revision's examples"),
        ("nothing/datasets/nothing/", "No model's answers"),
    ):
        page.goto(site_url + address)
        expect(page.locator("section[aria-labelledby=hard]")).to_contain_text(reason)
        expect(page.locator(".hard-frame")).to_have_count(0)


@pytest.mark.slow
def test_tags_stand_with_models_beside_each_other(page: Page, site_url: str) -> None:
    """The hardest value first, few examples marked, many values folded away."""
    page.goto(site_url + ROUND)
    found = cells(page, ".grid")
    assert [row[0] for row in found] == ["hotels", "books", "zoos"]
    assert found[2][1:] == ["few 12", "91.00", "91.00"]
    table = page.locator(".grid").nth(1)
    expect(table).to_be_hidden()
    page.locator("details.tag summary").click()
    expect(table).to_be_visible()
    means = [float(text) for text in table.locator("tbody td:nth-child(3)").all_inner_texts()]
    assert len(means) == 29
    assert means == sorted(means)


def kept(folder: Path, predicted: list[list[int]], gold: list[int], **more: object) -> Store:
    """A store with one dataset of labels a, b, c, and a model for each list of predictions."""
    document = site_examples.examples("t", "d", [f"{at}" for at in range(len(gold))], ["a", "b", "c"])
    document |= {"gold": gold, **more}
    (folder / "t" / "d").mkdir(parents=True, exist_ok=True)
    said = {f"m{index:03}": index for index in range(len(predicted))}
    site_examples.write(
        folder,
        document,
        said,
        lambda _, index: {"labels": ["a", "b", "c"], "predicted": predicted[index], "resolution": 1000},
    )
    return Store(folder)


def results(count: int) -> list[Result]:
    found = [result("t", "d", f"m{index:03}", "M", {}, provenance="predictions") for index in range(count)]
    return [Result.model_validate({**document, "schema_version": 1}) for document in found]


def found_examples(store: Store) -> Examples:
    examples = store.examples("t", "d", site_examples.DIGEST)
    assert examples is not None
    return examples


def hardness(store: Store, count: int) -> Hardness:
    """How hard the examples are for so many models."""
    base = MetricSpec(name="accuracy", label="Accuracy", unit="%")
    found = verdicts(store, found_examples(store), results(count), base)
    assert found is not None
    return hardness_of(found)


def test_no_valid_answer_is_wrong_and_merged_labels_count_as_their_gold(tmp_path: Path) -> None:
    """-1 is right nowhere, and an answer counts as the label that it is merged into."""
    merge = {"labels": ["a", "rest"], "merge": {"b": "rest", "c": "rest"}}
    store = kept(tmp_path, [[0, 1, 2, -1]], [0, 1, 1, 0], **merge)
    found = hardness(store, 1)
    assert [line.examples for line in found.lines] == [1, 3]
    assert found.nobody == ("3",)


def test_predictions_of_other_examples_or_without_a_file_are_not_counted(tmp_path: Path) -> None:
    """What does not join with the list of examples says nothing about them."""
    store = kept(tmp_path, [[0], [0]], [0])
    path = tmp_path / "t/d/m000.abababababab.predictions.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "ids_sha256": "sha256:" + "0" * 64}))
    found = hardness(store, 3)
    assert found.models == 1


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    """A build stops at a file that is no record, and says which."""
    store = kept(tmp_path, [[0]], [0])
    path = tmp_path / "t/d/m000.abababababab.predictions.json"
    path.write_text("{")
    with pytest.raises(UserError, match=re.escape(str(path))):
        hardness(store, 1)


@given(st.integers(1, 300).flatmap(lambda k: st.tuples(st.just(k), st.lists(st.integers(0, k), max_size=60))))
def test_lines_part_all_numbers_of_models_and_all_examples(case: tuple[int, list[int]]) -> None:
    """From none to all, without a gap or an overlap, in few lines, whatever the counts."""
    models, counts = case
    found = lines(counts, models)
    numbers = [number for line in found for number in range(line.low, line.high + 1)]
    assert numbers == list(range(models + 1))
    assert sum(line.examples for line in found) == len(counts)
    assert len(found) <= LINES
    assert found[0].high == 0


MIX = "rounds/models/mix/"


def rows(page: Page, table: int) -> list[str]:
    found = page.locator("table.tags").nth(table).locator("tbody tr")
    return [" ".join(text.split()) for text in found.all_inner_texts()]


@pytest.mark.slow
def test_a_short_tag_is_a_table_sorted_worst_first(page: Page, site_url: str) -> None:
    """Value, examples, scores; few examples are marked, and what the mark means is reported."""
    page.goto(site_url + MIX)
    assert rows(page, 0) == ["hotels 308 66.13 0.480", "books 400 75.50 0.610", "zoos few 12 91.00 0.900"]
    expect(page.locator("table.tags").first.locator("tfoot")).to_contain_text("71.25")
    expect(page.locator(".tag-frame + p").first).to_contain_text("under 30 examples")
    expect(page.locator("table.tags").first.locator("tbody svg.tag-bar")).to_have_count(3)


def tagged(values: dict[str, Any], direction: str = "higher", unit: str = "%") -> Any:
    """The table of one tag, on a board with `x` as a column."""
    document = result("sentiment", "reviews", "m", "M", {"accuracy": 50.0}, source={"citation": "c"})
    document["scores"] = {"x": {"value": 5.0, "unit": unit, "version": "1"}}
    document["tags"] = {"tag": {name: {"examples": 30, "scores": scores} for name, scores in values.items()}}
    spec = {"name": "x", "label": "X", "unit": unit, "direction": direction}
    metric = MetricSpec.model_validate(spec | ({"cap": "max"} if direction == "lower" else {}))
    (table,) = tag_tables(Result.model_validate(document), {"x": ShownColumn(metric, 0)})
    return table


@pytest.mark.slow
def test_where_less_is_better_the_largest_is_worst() -> None:
    """The order follows the metric's direction; a value without a score comes last, with a dash."""
    table = tagged({"a": {"x": 1.0}, "b": {"x": 9.0}, "c": {"y": 3.0}}, direction="lower", unit="s")
    assert [row.value for row in table.rows] == ["b", "a", "c"]
    assert table.rows[2].scores == ("—", "3.000")
    assert table.rows[2].share is None
    assert table.rows[0].share == 1
    assert not table.few


@pytest.mark.slow
@given(
    st.dictionaries(st.text(max_size=5), st.floats(-1e6, 1e6), min_size=1, max_size=20),
    st.sampled_from(["%", "nats", ""]),
)
def test_bars_stay_inside_their_room_and_grow_with_the_score(values: dict[str, float], unit: str) -> None:
    """Whatever the numbers, rows rise from the worst and no bar is longer than the range."""
    table = tagged({name: {"x": value} for name, value in values.items()}, unit=unit)
    assert [values[row.value] for row in table.rows] == sorted(values.values())
    bars = [row.share for row in table.rows]
    assert bars == sorted(bars)
    assert all(0 <= bar <= 1 for bar in bars)


STEADY = "perturbed/models/steady/"


ROBUSTNESS = "perturbed/suites/letters/robustness/"


FAIRNESS = "perturbed/suites/letters/fairness/"


def text_of(site_folder: Path, address: str) -> str:
    """A page's words, its tags taken out and its spaces drawn together."""
    html = (site_folder / address / "index.html").read_text(encoding="utf-8")
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def view_of(name: str, **more: Any) -> Any:
    """A model under one suite, with changes to what its result says."""
    document = result("perturbed", "letters", "m", "M", {"accuracy": 80.0}, provenance="predictions")
    document["suites"] = {name: {**tried(name, 90.0, 80.0), **more}}
    (view,) = suite_views(Result.model_validate(document), {}, [])
    return view


@pytest.mark.slow
def test_a_model_page_has_a_section_for_every_suite_in_a_fixed_order(page: Page, site_url: str) -> None:
    """Robustness, fairness, placebo: shares with their meaning, the metric beside that on the originals."""
    page.goto(site_url + STEADY)
    headings = page.locator(".suite h4 > span[dir]").all_inner_texts()
    assert headings == ["Robustness", "Gender and first-name swaps", "Placebo"]
    first = page.locator(".suite").first
    figures = [" ".join(text.split()) for text in first.locator(".figures > div").all_inner_texts()]
    assert figures == [
        "Agreement 93.25 % Share of predictions that stay the same when the spelling, case, punctuation or"
        " contractions of a text change.",
        "Worst case 81.25 % Share of examples of which no variant changes the prediction.",
        "Accuracy on variants 77.00 % 81.50 on all examples as they are.",
    ]
    expect(first).to_contain_text(re.compile(r"1700 examples with .* variants; 121 without any are left out"))
    expect(first).to_contain_text("On 2 variants the model raised an error; they count as wrong.")
    expect(first).to_contain_text("Suite 111111111111, seed 0, made by steelyard.")


def test_a_model_that_is_not_here_says_why_it_was_not_tried(site_folder: Path) -> None:
    """Of imported answers the suites that are missing are named, and what can be done; a measured model has no such line."""
    text = text_of(site_folder, STEADY.replace("steady", "untried"))
    assert "Under perturbation Not tried: Robustness, Gender and first-name swaps, " in text
    assert "cannot be asked about perturbed texts here. Its answers to them can be imported too." in text
    document = result("perturbed", "letters", "m", "M", {"accuracy": 80.0}, provenance="predictions")
    imported = Result.model_validate(document)
    cards = [SuiteCard.model_validate(card("perturbed", "letters", "robustness", []))]
    assert untried(imported, {}, cards).startswith("Not tried: Robustness. ")
    for changed, shown in (({"provenance": "measured"}, False), ({"provenance": "reported"}, True)):
        assert bool(untried(imported.model_copy(update=changed), {}, cards)) == shown
    tried_on = imported.model_copy(update={"suites": {"robustness": None}})
    assert untried(tried_on, {}, cards) == ""


def test_a_suite_page_says_what_the_suite_is(site_folder: Path) -> None:
    """Hash, seed, revision, recogniser, counts, and every transformation with its options in words."""
    words = text_of(site_folder, FAIRNESS)
    for expected in (
        "Gender and first-name swaps on Letters to the editor",
        "7500 variants, the same for every model",
        "sha256:" + "1" * 64,
        "sha256:" + "ab" * 32,
        "steelyard, names recognised by gazetteer cdcdcdcdcdcd",
        "Changes the gender of pronouns, nouns and first names throughout an example.",
        "Replaces first names by ones typical of another group",
        "entities: recogniser: gazetteer; version: cdcdcdcdcdcd · version: 1",
    ):
        assert expected in words
    for name in SPECS["fairness"]:
        assert f'id="t-{name}"' in (site_folder / FAIRNESS / "index.html").read_text(encoding="utf-8")
    options = "share: 0.2 · least: 1 · most: 10 · letters: 4 · layout: qwerty · version: 1"
    assert options in text_of(site_folder, ROBUSTNESS)


@pytest.mark.parametrize("kind", list(SPECS))
def test_every_kind_of_suite_carries_its_warning(site_folder: Path, kind: str) -> None:
    """The page says that fairness and robustness are partial measures, and that a placebo does not measure fairness."""
    assert WARNINGS[kind] in text_of(site_folder, f"perturbed/suites/letters/{kind}/")
    partial = "is measured only in part" in WARNINGS[kind]
    assert partial == (kind in ("fairness", "robustness"))


@pytest.mark.slow
def test_models_are_sorted_by_agreement_and_other_suites_kept_apart(page: Page, site_url: str) -> None:
    """A number of the suite as it was made before heads no list, however high it is."""
    page.goto(site_url + ROBUSTNESS)
    tables = page.locator("table.tried")
    assert tables.nth(0).locator("tbody a").all_inner_texts() == ["Steady", "Jumpy"]
    assert tables.nth(1).locator("tbody a").all_inner_texts() == ["Aged"]
    expect(tables.nth(1)).to_contain_text("suite 000000000000")
    expect(page.locator("section[aria-labelledby=models]")).to_contain_text("Not tried: \u2068Untried\u2069.")
    page.goto(site_url + "perturbed/models/aged/")
    expect(page.locator(".suite .problem")).to_contain_text(
        "numbers are of suite 000000000000; its page shows 111111111111"
    )
    page.goto(site_url + FAIRNESS)
    lines = page.locator("table.tried tbody tr").all_inner_texts()
    assert " ".join(lines[0].split()) == "Steady 97.50 85.50 98.75 81.50 → 77.00"
    assert " ".join(lines[1].split()) == "Jumpy 88.00 76.00 — missing 84.25 → 79.75"


@pytest.mark.slow
def test_fairness_says_what_was_made_and_how_well_it_is_known(own_site: Path) -> None:
    """The head has what the texts were changed by, each number its interval; a model that answers everything alike has
    none, and is no model of the suite's page."""
    kept = {one.model.id: one for one in Store(own_site / "results").results_on("sentiment", "sst-2")}
    swaps = kept["vader"].suites["fairness"].variants
    assert swaps > 200
    board = (own_site / "build/sst-2/index.html").read_text(encoding="utf-8")
    assert f"<small>%<br>n = {swaps}</small>" in board
    assert f"Made here: {swaps} gender swaps." in board
    cells = dict(
        re.findall(
            r'data-model="([^"]+)".*?data-label="Gender swaps">.*?<small class="off"[^>]*>([^<]+)<',
            board,
            re.S,
        )
    )
    assert cells.pop("majority") == "one answer"
    assert cells.keys() == kept.keys() - {"majority"}
    for model, words in cells.items():
        share = kept[model].suites["fairness"].agreement / 100
        for end in (float(text) / 100 for text in words.split("–")):
            # Wilson's ends are where the share is just as far away as chance allows.
            assert (share - end) ** 2 == pytest.approx(1.96**2 * end * (1 - end) / swaps, abs=6e-5)
    words = text_of(own_site / "build", "sst-2/suites/sst-2/fairness/")
    assert "Left out: \u2068Majority class\u2069, with the same answer to everything" in words
    html = (own_site / "build/sst-2/suites/sst-2/fairness/index.html").read_text(encoding="utf-8")
    table = html[html.index("<table") : html.index("</table")]
    assert "models/vader/" in table
    assert "models/majority/" not in table
    document = json.loads(
        (own_site / "build/sst-2/suites/sst-2/fairness/suite.json").read_text(encoding="utf-8")
    )
    assert "majority" in document["models"]


@pytest.mark.slow
def test_a_model_with_one_answer_is_compared_with_nobody_by_fairness(page: Page, own_url: str) -> None:
    """It is last where models are sorted by fairness, off the front, without a difference beside others, and has its
    number all the same."""
    open_board(page, f"{own_url}sst-2/")
    row = page.locator("#rows tr[data-model=majority] td[data-label='Gender swaps']")
    expect(row).to_contain_text("100.00")
    assert row.locator(".range").get_attribute("style") in (None, "")
    page.locator("thead th").filter(has_text="Gender swaps").get_by_role("button").click()
    expect(page.locator("#rows tr").last).to_have_attribute("data-model", "majority")
    page.goto(f"{own_url}sst-2/#v1;x=fairness,accuracy")
    page.get_by_role("tab", name="Two metrics").click()
    chart = page.locator("#chart-scatter")
    expect(chart).to_contain_text(
        "Majority class\u2069 answers the same to everything and is left out of Gender swaps."
    )
    page.goto(f"{own_url}sst-2/compare/#v1;k=fasttext,majority")
    cells = page.locator("tbody tr").filter(has_text="Gender swaps").first.locator("td")
    expect(cells.nth(1)).to_contain_text("one answer")
    expect(cells.nth(1).locator(".difference")).to_have_count(0)
    expect(page.locator(".leads")).to_have_text(
        "fastText leads these two at these weights, by more than chance."
    )


@pytest.mark.parametrize(
    ("kind", "made", "words", "label"),
    [
        ("fairness", {"gender": 273, "ethnicity-black": 0}, "273 gender swaps", "Gender swaps"),
        (
            "fairness",
            {"gender": 1, "ethnicity-black": 81, "ethnicity-white": 40},
            "1 gender swap, 121 first-name swaps",
            "Gender and first-name swaps",
        ),
        # What has no name of its own stays fairness.
        ("fairness", {"accents": 2, "gender": 3}, "2 other changes, 3 gender swaps", ""),
        ("fairness", {"gender": 0}, "", ""),
        ("robustness", {"Keyboard": 900}, "", ""),
    ],
)
def test_what_a_fairness_suite_made_is_said_in_few_words(
    kind: str, made: dict[str, int], words: str, label: str
) -> None:
    swaps = swaps_made(kind, made)
    assert (made_words(swaps), made_label(swaps)) == (words, label)


def test_a_dataset_that_keeps_its_text_back_shows_none(site_folder: Path) -> None:
    """Counts are there, samples are not, and the page says why; neither is a model that was not tried."""
    words = text_of(site_folder, "perturbed/suites/sealed/robustness/")
    assert "No text is shown: the dataset's licence keeps its text back" in words.replace("&#39;", "'")
    assert "No model of this board has been tried with it yet." in words
    assert "Keyboard" in words
    html = (site_folder / "perturbed/suites/sealed/robustness/index.html").read_text(encoding="utf-8")
    assert "<del>" not in html
    assert 'class="sample"' not in html


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "yes"),
        (None, "none"),
        (0.25, "0.25"),
        (["a", 2], "a, 2"),
        ({"hash_seed": "0"}, "hash seed: 0"),
        ("sha256:" + "ab" * 32, "abababababab"),
    ],
)
def test_options_read_as_words(value: Any, words: str) -> None:
    """No Python and no JSON in front of readers."""
    assert option_text(value) == words


def test_a_suite_without_card_or_column_is_shown_all_the_same() -> None:
    """Named as it is, without colour and without a link to a page that is not there."""
    view = view_of("neutral")
    assert (view.label, view.colour, view.card, view.other) == ("Neutral", None, None, False)
    assert view.original == 80.0
    assert view_of("robustness", metric="f1").original is None
    odd = view_of("robustness", kind="weather")
    assert odd.explained.agreement == "Share of predictions that stay the same when a text is changed."
    assert odd.warning is None


TEXTS = st.text(alphabet=st.sampled_from("ab '.\n\u0627\u202e\U0001f600"), max_size=40)


@given(TEXTS, TEXTS)
def test_pieces_put_together_are_the_texts_again(before: str, after: str) -> None:
    """Of short texts nothing is lost, nothing is marked where nothing changed, and all else agrees."""
    old, new = compared(before, after)
    assert "".join(piece.text for piece in old) == before
    assert "".join(piece.text for piece in new) == after
    assert any(piece.kind != "same" for piece in (*old, *new)) == (before != after)
    same = ["".join(piece.text for piece in pieces if piece.kind == "same") for pieces in (old, new)]
    assert same[0] == same[1]


def test_words_that_take_the_place_of_words_are_marked_one_by_one() -> None:
    """A word that moves on is not taken for one that stays; what is put in shifts nothing else."""
    old, new = compared("He gave her his book.", "She gave him her book.")
    assert [piece.text for piece in old if piece.kind == "gone"] == ["He", "her his"]
    assert [piece.text for piece in new if piece.kind == "come"] == ["She", "him her"]
    words = " ".join(f"w{at}" for at in range(50))
    old, new = compared(f"it is {words} x'y", f"it's {words} xy")
    assert [piece.text for piece in old if piece.kind == "gone"][-1] == "x'y"
    assert not any(word in piece.text for word in ("w0", "w49") for piece in new if piece.kind == "come")
