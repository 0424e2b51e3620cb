"""Tables of results in the ways that people write them: each is read right, or refused with what to do."""

from __future__ import annotations

import gzip
import math
import re
from pathlib import Path
from typing import Any

import pytest
from results_world import examples_csv, numbers, plan_of, write

from evaluator.exchange.results.planning import planned
from evaluator.exchange.results.reading import read_results
from evaluator.exchange.results.showing import sections, unsure
from evaluator.exchange.results.told import Told
from evaluator.records.errors import UserError

#: Files that say the same: accuracy in per cent and latency in ms, of two models.
SAME = {
    "names.csv": "model,accuracy,latency_ms\nA,80.5,12\nB,70.25,1200\n",
    "shares.csv": "model,accuracy,latency_ms\nA,0.805,12\nB,0.7025,1200\n",
    "commas.csv": "System;Accuracy;Latency (ms)\nA;80,5;12\nB;70,25;1.200\n",
    "thousands.csv": 'Model,Accuracy,Latency [ms]\nA,80.5%,12\nB,70.25 %,"1,200"\n',
    "tabs.tsv": "model\taccuracy\tlatency_ms\nA\t80.5\t12\nB\t70.25\t1200\n",
    "index.csv": ",model,accuracy,latency_ms\n0,A,80.5,12\n1,B,70.25,1200\n",
    "first.csv": ",accuracy,latency_ms\nA,80.5,12\nB,70.25,1200\n",
    "headers.csv": "model,accuracy,latency\n,%,(ms)\nA,80.5,12\nB,70.25,1200\n",
    "markdown.md": "| Model | Accuracy | Latency (ms) |\n|---|---:|---|\n| A | **80.5** | 12 |\n| B | 70.25 | 1200 |\n",
    "camel.json": [
        {"modelName": "A", "accuracy": 0.805, "latencyMs": 12},
        {"modelName": "B", "accuracy": 0.7025, "latencyMs": 1200},
    ],
    "marks.csv": "Model,Accuracy (%) ↑,Latency (ms) ↓\nA,80.5,12\nB,70.25,1200\n",
    "names.json": [
        {"model": "A", "scores": [{"name": "accuracy", "value": 80.5}, {"name": "latency_ms", "value": 12}]},
        {
            "model": "B",
            "scores": [{"name": "accuracy", "value": 70.25}, {"name": "latency_ms", "value": 1200}],
        },
    ],
    "keys.json": {
        "A": {"accuracy": 80.5, "latency_ms": 12},
        "B": {"accuracy": 70.25, "latency_ms": 1200},
    },
    "models.json": {
        "models": {"A": {"accuracy": 80.5, "latency_ms": 12}, "B": {"accuracy": 70.25, "latency_ms": 1200}}
    },
    "metrics.json": {"accuracy": {"A": 80.5, "B": 70.25}, "latency_ms": {"A": 12, "B": 1200}},
    "columns.json": {"model": ["A", "B"], "accuracy": [80.5, 70.25], "latency_ms": [12, 1200]},
    "inside.json": {
        "version": 3,
        "results": [
            {"model": "A", "scores": {"accuracy": 80.5, "latency_ms": 12}},
            {"model": "B", "scores": {"accuracy": 70.25, "latency_ms": 1200}},
        ],
    },
    "long.csv": "model,metric,value\nA,accuracy,80.5\nA,latency_ms,12\nB,accuracy,70.25\nB,latency_ms,1200\n",
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_numbers_are_read_from_every_form(tmp_path: Path, name: str) -> None:
    """Delimiters, decimal commas, per cent, units in names, two headers, camel case and nesting say the same."""
    plan = plan_of(tmp_path, name, SAME[name])
    [models] = numbers(plan).values()
    assert models == {
        "A": {"accuracy": pytest.approx(80.5), "latency": 12.0},
        "B": {"accuracy": pytest.approx(70.25), "latency": 1200.0},
    }
    assert {one.name: (one.unit, one.direction) for one in plan.metrics} == {
        "accuracy": ("%", "higher"),
        "latency": ("ms", "lower"),
    }
    assert not unsure(plan)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "t.csv: is empty; give it a header"),
        ("model,accuracy\n", "t.csv: has a header and no row"),
        ("model,accuracy,accuracy\nA,1,2\n", "t.csv:1: has the column 'accuracy' twice"),
        ("model,accuracy\nA,80\nB,fast\nC,70\n", "t.csv:3: accuracy: 'fast' is no number; correct it; say --missing fast"),
        ("model,accuracy\nA,80\nB,70\nA,60\n", "t.csv:2: model: 'A' is in "),
        ("model,accuracy\nGPT-4,80\ngpt 4,70\n", "'gpt 4' and 'GPT-4' of "),
        ("model,accuracy\nA,0.91\nB,85\nC,70\n", "t.csv:2: accuracy: 0.91 is a share of 1 where 85 in "),
        ("model,accuracy\nA,80\nB,-1\nC,70\nD,71\nE,72\n", "t.csv:3: accuracy: -1 is outside 0 to 100"),
        ("model,cost\nA,8\nB,-1\nC,7\n", "t.csv:3: cost: -1 is in a column of numbers that are not negative"),
        ("model,accuracy\n,80\nB,70\n", "t.csv:2: model: is empty"),
        ("model,acc,f1\nA,\"0,5\",0.5\n", "have different decimal points"),
        ("metric,A,B\naccuracy,80,70\nlatency,1,2\n", "turn the table"),
        ("id,label\n1,yes\n2,no\n", "say whose with --model"),
        ("model,id,gold,prediction\nA,x1,yes,no\nB,x1,yes,yes\n", "make a board of the right answers with init --data"),
        ("id,gold,A,B\nx1,yes,no,yes\nx2,no,no,no\n", "import rows of model, id and answer"),
        ("model,id,score\nA,1,1\nA,2,0\nA,1,1\nA,3,1\nB,1,0\nB,2,0\nB,3,1\n", "t.csv:2: id: '1' of 'A' is in "),
        ("model,id,score\nA,1,1\nA,2,0\nB,x,0\nB,y,0\n", "give the same example the same id"),
        ("model,prompt,accuracy\nA,p1,80\nA,p2,70\nB,p1,81\nB,p2,71\n", "say what tells them apart"),
        ("model,latency\nA,12\nB,OOM\nC,OOM\n", "t.csv:3: latency: 'OOM' is no number (and 1 row more)"),
        ("model,accuracy,stderr\nA,80,0.012\nB,70,0.014\n", "t.csv:3: accuracy: no standard error is over 0.014"),
        ("model,accuracy,stderr\nA,0.8,1.2\nB,0.7,1.4\n", "over 50 per cent, which no share has"),
        ("model,f1,f1_low,f1_high\nA,80,81,82\nB,70,69,71\n", "t.csv:2: f1: 80 is not from 81 to 82"),
        ("model,accuracy,n\nA,80,0\nB,70,10\n", "t.csv:2: n: 0 is no number of examples"),
        ("model,accuracy\nA,80-85\nB,70-75\n", "t.csv:2: accuracy: '80-85' is no number"),
        ("model,metric,value\nA,f1,1\nA,f1,2\nB,f1,3\n", "says a number again"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place_and_what_to_do(
    tmp_path: Path, content: str, message: str
) -> None:
    """File, row, column and value are named, and how the import goes on."""
    with pytest.raises(UserError) as raised:
        plan_of(tmp_path, "t.csv", content)
    assert message in str(raised.value)


def test_a_file_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    """Weights or data that are given by mistake are refused by their size."""
    path = write(tmp_path, "t.csv", "")
    with path.open("wb") as file:
        file.truncate(2 * 10**9)
    with pytest.raises(UserError, match=r"t\.csv: has 2\.0 GB, and results are read up to 0\.5 GB"):
        read_results([path])


def test_standard_errors_and_numbers_of_examples_go_with_their_metric(tmp_path: Path) -> None:
    """They are found by name, by initials, by their place, and in intervals; counts are left out."""
    text = (
        "model,win_rate,standard_error,length_controlled_winrate,lc_standard_error,f1,f1_low,f1_high,wins,n\n"
        "A,50,1.5,40,0.5,80,78.04,81.96,100,200\nB,60,1.4,45,0.4,82,80.04,83.96,120,200\n"
    )
    plan = plan_of(tmp_path, "t.csv", text)
    [one] = plan.taken
    found = {name: (cell.standard_error, cell.examples) for name, cell in one.reported["t"]["A"].items()}
    assert found == {
        "win-rate": (1.5, 200),
        "length-controlled-winrate": (0.5, 200),
        "f1": (pytest.approx(1.0, abs=1e-4), 200),
    }
    assert plan.understood[0].left_out == {"wins": "a count that rates are from"}


def test_a_json_file_a_model_is_read_by_datasets_and_metrics(tmp_path: Path) -> None:
    """The level of datasets is the one whose keys repeat; gaps stay gaps, and equal names are told apart."""
    for name, day, one, two in (
        ("m1", "2026-01-01", {"pass_1": 40.5, "cost": 2}, None),
        ("m2", "2026-02-01", {"pass_1": 50.0, "cost": None}, {"pass_1": 20.0, "cost": 1.5}),
    ):
        document = {
            "model_name": "Same name",
            "date": day,
            "results": {"shop": one, "bank": two},
            "settings": {"window": 3},
        }
        write(tmp_path, f"all/{name}.json", document)
    plan = planned(read_results([tmp_path / "all"]), Told(), "mine")
    assert numbers(plan) == {
        "shop": {"m1": {"pass-1": 40.5, "cost": 2.0}, "m2": {"pass-1": 50.0}},
        "bank": {"m2": {"pass-1": 20.0, "cost": 1.5}},
    }
    assert [one.label for one in plan.taken[0].models.values()] == [
        "Same name (2026-01-01)",
        "Same name (2026-02-01)",
    ]
    assert plan.understood[0].left_out["settings.window"] == "beside 'results'"
    assert plan.dataset_weights == {"shop": 1.0}


def test_examples_are_read_with_their_tags_groups_and_dates(tmp_path: Path) -> None:
    """What is the same for all models says something of the example; what differs is a metric."""
    rows = "".join(
        f"{model},app{at % 2}__{at},{int(at < solved)},{0.25 * at + solved},{1700000000000 + 86400000 * (at % 3)},p{at // 2}\n"
        for model, solved in (("A", 30), ("B", 50))
        for at in range(60)
    )
    text = f"model,instance,resolved,cost_usd,date_ms,passage\n{rows}"
    plan = plan_of(tmp_path, "t.csv", text)
    [found] = plan.taken[0].examples.values()
    assert plan.understood[0].spec.tags == {"date": "date_ms", "group": "instance^__"}
    assert found.tags["date"][:3] == ("2023-11-14", "2023-11-15", "2023-11-16")
    assert found.tags["group"][:2] == ("app0", "app1")
    assert found.clusters[:3] == ("p0", "p0", "p1")
    assert {name: values[29:31].ravel().tolist() for name, values in found.values["A"].items()} == {
        "resolved": [100.0, 0.0],
        "cost": [37.25, 37.5],
    }


@pytest.mark.parametrize(
    ("columns", "told", "split"),
    [
        ({"subject": "xy"}, {}, ("subject", 2)),
        ({"subject": "xy"}, {"leave_out": frozenset(["subject"])}, None),
        ({"subject": "x"}, {}, None),
        ({"subject": [f"s{at}" for at in range(70)]}, {}, None),
        ({"date": ["2024-01-05", "2024-02-07"]}, {}, ("date", 2)),
        ({"subject": "xy", "language": ["de", "en"]}, {}, None),
        (
            {"subject": "xy", "language": ["de", "en"]},
            {"columns": {"tag:language": "language"}},
            ("language", 2),
        ),
    ],
)
def test_a_board_is_split_by_the_only_tag_that_has_parts(
    tmp_path: Path, columns: dict[str, Any], told: dict[str, Any], split: tuple[str, int] | None
) -> None:
    """Its values are days, or 2 to 60 words, and parts have enough examples; of several tags one can be told."""
    rows = [
        ",".join(
            [model, f"q{at}", str(at % 3 % 2), *(str(each[at % len(each)]) for each in columns.values())]
        )
        for model in "AB"
        for at in range(70)
    ]
    content = "\n".join([",".join(["model", "question_id", "solved", *columns]), *rows])
    assert plan_of(tmp_path, "quiz.csv", content, **told).split == split


def test_repeats_are_trials_of_examples_or_means_of_models(tmp_path: Path) -> None:
    """With ids they are trials; a row a model and seed is a mean over seeds."""
    rows = "".join(f"A,q{at},{run},{(at + run) % 2}\n" for at in range(4) for run in range(3))
    [found] = plan_of(tmp_path, "e.csv", f"model,item,run,passed\n{rows}").taken[0].examples.values()
    assert found.trials == 3
    assert found.values["A"]["passed"][1].tolist() == [100.0, 0.0, 100.0]
    # A run is the same trial of every example, whatever the order of rows, and also where one is missing.
    lines = [line for line in rows.splitlines() if not line.startswith("A,q2,0")]
    mixed = "".join(f"{line}\n" for line in lines[:4] + lines[:3:-1])
    [found] = plan_of(tmp_path, "m.csv", f"model,item,run,passed\n{mixed}").taken[0].examples.values()
    at = {id_: found.values["A"]["passed"][row].tolist() for row, id_ in enumerate(found.ids)}
    assert at["q1"] == [100.0, 0.0, 100.0]
    assert (math.isnan(at["q2"][0]), at["q2"][1:]) == (True, [100.0, 0.0])
    # What only tells the trials of each example apart is in the order of the file.
    rows = "".join(f"A,q{at},{run * 9 + at},{(at + run) % 2}\n" for at in range(4) for run in range(3))
    [found] = plan_of(tmp_path, "o.csv", f"model,item,attempt,passed\n{rows}").taken[0].examples.values()
    assert found.values["A"]["passed"].tolist()[:2] == [[0.0, 100.0, 0.0], [100.0, 0.0, 100.0]]
    plan = plan_of(tmp_path, "s.csv", "model,seed,f1\nA,1,70\nA,2,72\nB,1,60\nB,2,61\n")
    assert numbers(plan) == {"s": {"A": {"f1": 71.0}, "B": {"f1": 60.5}}}


def test_a_folder_of_tables_is_one_table_by_the_names_of_files(tmp_path: Path) -> None:
    """Where no column names the model, each file is one."""
    for name, right in (("x", 1), ("y", 0)):
        write(tmp_path, f"runs/{name}.csv", "id,score\n" + "".join(f"{at},{right}\n" for at in range(5)))
    plan = planned(read_results([tmp_path / "runs"]), Told(), "mine")
    [found] = plan.taken[0].examples.values()
    assert {model: values["score"].mean() for model, values in found.values.items()} == {"x": 100, "y": 0}


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"metrics": {"q": ("quality", 100.0)}}, {"quality": 50.0, "length": 9.0}),
        ({"leave_out": frozenset({"length"})}, {"q": 0.5}),
        ({"missing": ("9",)}, {"q": 0.5}),
        ({"columns": {"model": "name"}}, {"q": 0.5, "length": 9.0}),
    ],
)  # fmt: skip
def test_options_overrule_what_is_guessed(
    tmp_path: Path, told: dict[str, Any], expected: dict[str, float]
) -> None:
    """Names and factors, columns that are left out, marks of no number, and roles."""
    plan = plan_of(tmp_path, "t.csv", "model,name,q,length\nA,x1,0.5,9\nB,x2,0.75,8\n", **told)
    first = next(iter(next(iter(numbers(plan).values())).values()))
    assert first == expected


def test_a_direction_that_no_name_says_is_not_certain_and_has_no_weight(tmp_path: Path) -> None:
    """The option that settles it is named, and the metric is not ranked by until then."""
    text = "model,accuracy,length\nA,80,9\nB,70,8\n"
    plan = plan_of(tmp_path, "t.csv", text)
    [one] = unsure(plan)
    assert "--lower-is-better length" in one.options
    assert plan.weights == {"accuracy": 1.0}
    assert not unsure(plan_of(tmp_path, "t.csv", text, lower=frozenset({"length"})))


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"columns": {"modl": "model"}}, "'modl' is no role; did you mean model?"),
        ({"columns": {"model": "modle"}}, "has no such column; did you mean model?"),
        ({"lower": frozenset({"acuracy"})}, "--lower-is-better acuracy: no such metric; did you mean accuracy?"),
        ({"leave_out": frozenset({"x"})}, "--leave-out x: no such column"),
    ],
)  # fmt: skip
def test_an_option_about_nothing_is_refused(tmp_path: Path, told: dict[str, Any], message: str) -> None:
    """A mistyped name is not ignored."""
    with pytest.raises(UserError) as raised:
        plan_of(tmp_path, "t.csv", "model,accuracy\nA,80\nB,70\n", **told)
    assert message in str(raised.value)


def test_published_numbers_are_known_by_what_examples_imply(tmp_path: Path) -> None:
    """A second table of the models is matched by its numbers, whatever its columns are called."""
    write(
        tmp_path, "two/examples.csv", examples_csv({"A": [1, 1, 0, 0], "B": [1, 0, 0, 0], "C": [1, 1, 1, 0]})
    )
    write(tmp_path, "two/models.csv", "model,points_percent,open\nA,50,yes\nB,25.0,no\nC,70,yes\nD,12,no\n")
    plan = planned(read_results([tmp_path / "two"]), Told(), "mine")
    assert plan.published == {"points_percent": "solved"}
    assert [metric.name for metric in plan.metrics] == ["solved"]
    assert plan.taken[1].models["A"].card.tags == ("open",)


def test_names_of_files_that_end_in_a_run_are_models_with_trials(tmp_path: Path) -> None:
    """gpt_run1 and gpt_run2 are one model."""
    for name in ("gpt_run1", "gpt_run2", "llama_run1", "llama_run2"):
        write(tmp_path, f"runs/{name}.csv", "id,score\n" + "".join(f"{at},{at % 2}\n" for at in range(6)))
    plan = planned(read_results([tmp_path / "runs"]), Told(), "mine")
    [found] = plan.taken[0].examples.values()
    assert (list(found.values), found.trials) == (["gpt", "llama"], 2)


def test_the_mean_of_other_columns_is_left_out_and_cards_are_filled(tmp_path: Path) -> None:
    """A board makes means itself; sizes, licences and links around names go to the model's card."""
    text = "Model,Average,IFEval,BBH,#Params (B),License\n[x/a](https://e.org),35,40,30,7.5,mit\ny/b,45,50,40,13,mit\n"
    plan = plan_of(tmp_path, "t.csv", text)
    assert [metric.name for metric in plan.metrics] == ["ifeval", "bbh"]
    model = plan.taken[0].models["x-a"]
    assert (model.label, model.card.parameters, model.card.licence) == ("x/a", 7_500_000_000, "mit")


def test_how_a_model_thinks_is_in_its_card(tmp_path: Path) -> None:
    """Effort, thinking budget and context are facts of the model, whatever their columns are called."""
    text = "Model,Accuracy,Reasoning effort,Thinking budget,Context length\n"
    text += "x,80,high,8192,128k\ny,70,low,0,1M tokens\n"
    plan = plan_of(tmp_path, "t.csv", text)
    assert [metric.name for metric in plan.metrics] == ["accuracy"]
    cards = [plan.taken[0].models[name].card for name in ("x", "y")]
    said = [(card.effort, card.thinking_budget, card.context) for card in cards]
    assert said == [("high", 8192, 128_000), ("low", 0, 1_000_000)]


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    """The ending .gz is unpacked once."""
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"model,accuracy\nA,80\nB,70\n"))
    assert numbers(planned(read_results([tmp_path / "t.csv.gz"]), Told(), "mine"))["t"]["A"] == {
        "accuracy": 80
    }


def test_models_that_lack_values_are_named_before_anything_is_stored(tmp_path: Path) -> None:
    """A mean of fewer examples is kept apart, and the table says whose it will be."""
    text = "model,id,solved,cost\n" + "".join(
        f"{model},{at},{at % 2},{'' if model == 'B' and at < 2 else at + 0.5}\n"
        for model in "AB"
        for at in range(5)
    )
    [(about, _, _)] = sections(plan_of(tmp_path, "t.csv", text))
    assert "    no cost on some examples, so kept apart: B (2)" in about
    assert not any("no solved" in line for line in about)


def test_the_same_id_in_two_datasets_is_two_examples(tmp_path: Path) -> None:
    """Tags are of an example of a dataset."""
    text = "model,dataset,id,solved,subject\n" + "".join(
        f"{model},{name},{at},{(at + len(model)) % 2},{subject}{at % 2}\n"
        for model in ("A", "BB")
        for name, subject in (("x", "art"), ("y", "law"))
        for at in range(8)
    )
    found = plan_of(tmp_path, "t.csv", text).taken[0].examples
    assert {name: sorted(set(one.tags["subject"])) for name, one in found.items()} == {
        "x": ["art0", "art1"],
        "y": ["law0", "law1"],
    }


def test_two_levels_of_keys_may_be_either_way_round(tmp_path: Path) -> None:
    """Which are the models is asked, and can be told."""
    document = {"squad": {"A": {"f1": 80}, "B": {"f1": 70}}, "nli": {"A": {"f1": 60}, "B": {"f1": 50}}}
    [one] = unsure(plan_of(tmp_path, "t.json", document))
    assert one.options == ("--column 'model=(key)'", "--column 'model=*'")
    plan = plan_of(tmp_path, "t.json", document, columns={"model": "*"})
    assert numbers(plan) == {
        "squad": {"A": {"f1": 80}, "B": {"f1": 70}},
        "nli": {"A": {"f1": 60}, "B": {"f1": 50}},
    }


def test_texts_that_are_ids_stay_out_of_the_board(tmp_path: Path) -> None:
    """An example known by its prompt gets a hash for an id."""
    text = "model,prompt,solved\n" + "".join(
        f"{model},How are {at}?,1\n" for model in "AB" for at in range(4)
    )
    [found] = plan_of(tmp_path, "t.csv", text).taken[0].examples.values()
    assert all(re.fullmatch("t-[0-9a-f]{12}", one) for one in found.ids)
