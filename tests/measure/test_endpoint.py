"""Models behind an endpoint, asked by `steelyard evaluate` as a maintainer runs it: a real server, real
processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import forked_command
import pytest
from endpoint_server import KEY, Asked, endpoint_server, words_for
from small_boards import small_board

from evaluator.measure.run.untimed import input_key
from evaluator.rank.prices import priced_cells
from evaluator.records.board import load_boards
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_board
from site_src.generator.prices import price_view

pytestmark = pytest.mark.slow

ROWS = 30
METRICS = """
  { name = "cost", label = "Cost", unit = "USD", direction = "lower", cap = "max", decimals = 6 },
  { name = "answer_s", label = "Seconds", unit = "s", direction = "lower", cap = "max" },
  { name = "output_tokens", label = "Tokens", unit = "tokens", direction = "lower", cap = "max" },
"""
#: Of a million tokens. 16 of those that are sent were kept from before.
PRICE = """
[[prices]]
endpoint = "local"
model = "tiny"
input = 1.0
cached = 0.5
output = 10.0
"""


def text_of(row: int) -> str:
    return f"a {'good' if row % 3 else 'bad'} film {row}"


def board(
    folder: Path, url: str, endpoint: str = "", options: str = "", more: str = "", rows: int = ROWS
) -> None:
    """Write a board of a model behind an endpoint, and its data."""
    labels = ["positive" if row % 3 else "negative" for row in range(rows)]
    lines = [f"{text_of(row)}\t{label}\n" for row, label in enumerate(labels)]
    (folder / "d.tsv").write_text("".join(lines))
    head, _, tail = small_board("accuracy", dataset="suites = []").rpartition("]")
    (folder / "board.toml").write_text(
        f"""{head}{METRICS}]{tail}
[[endpoints]]
id = "local"
url = "{url}"
{endpoint}
[[models]]
id = "m"
label = "M"
task = "sentiment"
adapter = "endpoint"
options = {{ endpoint = "local", model = "tiny"{options} }}
{more}"""
    )


def evaluate(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return forked_command.run("evaluate", cwd=folder, env={**os.environ, **environment})


def trials(folder: Path, count: int) -> str:
    """What is printed where each example is to have so many trials."""
    done = forked_command.run("evaluate", "--trials", str(count), cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stderr


def only(folder: Path) -> Result:
    [result] = Store(folder / "results").results()
    return result


def asked_words(asked: Asked) -> list[str]:
    """The texts of the dataset that the server was asked about, in order."""
    return [text.splitlines()[0].removeprefix("Statement: ") for text in asked.texts]


def test_each_text_is_asked_once_and_the_answers_are_scored(tmp_path: Path) -> None:
    """Several at a time; labels are found in sentences; nothing is timed as models here are."""
    with endpoint_server(lambda text, before: "slow") as (url, asked):
        board(tmp_path, url, "concurrency = 3")
        done = evaluate(tmp_path)
        again = evaluate(tmp_path)
    assert done.returncode == again.returncode == 0, done.stderr
    assert sorted(asked_words(asked)) == sorted(map(text_of, range(ROWS)))
    assert 1 < asked.most_at_once <= 3
    result = only(tmp_path)
    assert (result.provenance, result.measurement) == ("recorded", None)
    assert result.scores["accuracy"].value == 100.0
    assert "unchanged" in again.stdout
    assert asked.texts[0].endswith("Answer with one of: negative, positive.")


def test_what_an_answer_took_is_kept_beside_it_and_what_it_cost_follows(tmp_path: Path) -> None:
    """Of 24 or 25 tokens 16 count half. A price that changes later changes the cost, and asks nobody."""
    with endpoint_server() as (url, asked):
        board(tmp_path, url, more=PRICE)
        assert evaluate(tmp_path).returncode == 0
        result = only(tmp_path)
        values = Store(tmp_path / "results").predictions(result).values
        assert values is not None
        sent = [20 + len(text.split()) for text in asked.texts]
        assert sorted(values["input_tokens"]) == sorted(map(float, sent))
        written = [len(words_for(text_of(row)).split()) for row in range(ROWS)]
        assert list(values["output_tokens"]) == written
        due = [
            (1.0 * (n - 16) + 0.5 * 16 + 10.0 * w) / 1e6
            for n, w in zip(values["input_tokens"], written, strict=True)
        ]
        assert list(values["cost"]) == pytest.approx(due)
        assert result.scores["cost"].value == pytest.approx(sum(due) / ROWS)
        assert result.scores["answer_s"].settings["endpoint"] == "local"
        price = result.model.made_from["asked"]["price"]
        assert price == {"currency": "USD", "source": "board.toml", "input": 1, "cached": 0.5, "output": 10}
        before = len(asked.texts)
        board(tmp_path, url, more=PRICE.replace("output = 10.0", "output = 20.0"))
        assert evaluate(tmp_path).returncode == 0
    assert len(asked.texts) == before
    more = sum(10.0 * w for w in written) / 1e6 / ROWS
    assert only(tmp_path).scores["cost"].value == pytest.approx(sum(due) / ROWS + more)


def test_models_behind_an_endpoint_can_be_priced_again(tmp_path: Path) -> None:
    """Their tokens and the prices of the day are kept; another price is one of the stored tokens. So is how
    each is asked to think."""
    other = """
[[models]]
id = "n"
label = "N"
task = "sentiment"
adapter = "endpoint"
options = { endpoint = "local", model = "other", effort = "high" }
"""
    with endpoint_server() as (url, _):
        board(tmp_path, url, more=PRICE + other)
        assert evaluate(tmp_path).returncode == 0
    boards, store = load_boards(tmp_path / "board.toml"), Store(tmp_path / "results")
    assembled = assemble_board(boards.boards[0], boards, store, list(store.results()))
    view = price_view(assembled, store)
    assert view is not None
    assert view.island["day"] == {"m": (1.0, 0.5, 10.0), "n": None}
    priced = {**view.island, "prices": {"n": [1.0, 0.5, 10.0]}}
    costs = priced_cells(assembled.data, priced)["values"]["d"]["cost"]
    assert costs[1] == pytest.approx(costs[0])
    assert assembled.entries["n"].results["d"].model.card.effort == "high"


def test_a_model_whose_answers_vary_has_trials_each_with_what_it_took(tmp_path: Path) -> None:
    """The third time it is in a bad mood. Means and costs are over all trials, as are days and endings."""
    with endpoint_server(lambda text, before: "negative" if before == 2 else "") as (url, asked):
        board(tmp_path, url, more=PRICE)
        assert "answers 30 examples the same again" in trials(tmp_path, 3)
        assert set(asked.counts.values()) == {2}
        assert only(tmp_path).same_again == ROWS
    for folder in ("results", ".steelyard"):
        shutil.rmtree(tmp_path / folder)
    with endpoint_server(lambda text, before: "negative" if before == 1 else "") as (url, asked):
        board(tmp_path, url, more=PRICE)
        assert "3 runs of each example" in trials(tmp_path, 3)
        assert set(asked.counts.values()) == {3}
        assert "unchanged" in forked_command.run("evaluate", "--trials", "3", cwd=tmp_path).stdout
    result = only(tmp_path)
    kept = Store(tmp_path / "results").predictions(result)
    assert (kept.trials, kept.examples) == (3, ROWS)
    assert result.scores["accuracy"].value == pytest.approx(100 * (1 + 1 / 3 + 1) / 3)
    assert kept.values is not None
    assert result.scores["cost"].value == pytest.approx(sum(kept.values["cost"]) / (3 * ROWS))  # type: ignore[arg-type]
    assert result.model.made_from["asked"]["finished"] == {"stop": 3 * ROWS}


@pytest.mark.parametrize(
    ("more", "habit"),
    [("", ""), (PRICE.replace("[[prices]]", '[[prices]]\ncurrency = "EUR"'), ""), (PRICE, "no usage")],
    ids=["no price", "another currency", "tokens are not counted"],
)
def test_a_cost_that_is_not_known_is_missing(tmp_path: Path, more: str, habit: str) -> None:
    with endpoint_server(lambda text, before: habit) as (url, _):
        board(tmp_path, url, more=more)
        done = evaluate(tmp_path)
    assert done.returncode == 0, done.stderr
    result = only(tmp_path)
    assert "cost" not in result.scores
    assert result.scores["accuracy"].value == 100.0


HABITS = ["429", "500", "503", "cut", "ends early", "wrong JSON", "html", "broken piece", "slow loris"]


def test_what_fails_for_no_fault_of_its_own_is_asked_again(tmp_path: Path) -> None:
    """Each third text fails at first, each in its own way; the answer that comes then is the one that counts."""

    def at_first(text: str, before: int) -> str:
        row = int(text.splitlines()[0].split()[-1])
        return HABITS[row // 3] if not before and row % 3 == 0 else ""

    with endpoint_server(at_first) as (url, asked):
        board(tmp_path, url, "concurrency = 8\nrequest_s = 3", rows=3 * len(HABITS))
        done = evaluate(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert only(tmp_path).scores["accuracy"].value == 100.0
    times = Counter(asked_words(asked))
    assert [times[text_of(row)] for row in range(3 * len(HABITS))] == [2, 1, 1] * len(HABITS)


def test_an_input_that_the_server_does_not_take_is_the_models_own_failure(tmp_path: Path) -> None:
    """The others are answered; what the server said may quote the text, so it is not kept."""
    refused = text_of(4)
    with endpoint_server(lambda text, before: "400" if refused in text else "") as (url, asked):
        board(tmp_path, url)
        done = evaluate(tmp_path)
    assert done.returncode == 0, done.stderr
    result = only(tmp_path)
    [failure] = result.failures
    assert (failure.kind, failure.count) == ("refused", 1)
    assert "problem" not in failure.message
    assert max(asked.counts.values()) == 1


@pytest.mark.parametrize(
    ("habit", "endpoint", "said"),
    [
        ("401", 'key = "THE_KEY"', r"endpoints: local: key: the key in THE_KEY is refused: .*; correct it"),
        ("404", "", r"endpoints: local: url: it knows no model 'tiny' at http.*; correct the model's"),
        ("400", "", r"endpoints: local: it takes none of the requests: .*; correct the model's options"),
        (
            "500",
            "retries = 0",
            r"3 texts in a row have no answer after 1 request each: .*; look at the server",
        ),
    ],
)
def test_what_no_other_input_would_change_stops_at_once_and_is_said(
    tmp_path: Path, habit: str, endpoint: str, said: str
) -> None:
    """A few requests are sent, nothing is stored, and the key is in no message and no file."""
    with endpoint_server(lambda text, before: habit) as (url, asked):
        board(tmp_path, url, f"concurrency = 1\n{endpoint}")
        done = evaluate(tmp_path, THE_KEY=KEY)
    assert done.returncode == 1
    assert re.search(said, done.stdout + done.stderr), done.stdout + done.stderr
    assert len(asked.texts) <= 3
    assert not (tmp_path / "results").exists() or not list(Store(tmp_path / "results").results())
    assert KEY not in done.stdout + done.stderr
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]


def test_the_key_comes_from_the_environment_and_is_in_no_file(tmp_path: Path) -> None:
    with endpoint_server() as (url, asked):
        board(tmp_path, url, 'key = "THE_KEY"')
        without = evaluate(tmp_path)
        longer = evaluate(tmp_path, THE_KEY=f"{KEY}\n")
        done = evaluate(tmp_path, THE_KEY=KEY)
    assert "the environment has no THE_KEY; set it to the key" in without.stdout + without.stderr
    assert (
        "key: THE_KEY in the environment holds a character that no key has" in longer.stdout + longer.stderr
    )
    assert done.returncode == 0, done.stderr
    board(tmp_path, url, f'key = "{KEY}"')
    literal = evaluate(tmp_path)
    assert "key: must be the name of an environment variable" in literal.stderr
    assert KEY not in literal.stdout + literal.stderr
    (tmp_path / "board.toml").unlink()
    assert set(asked.keys) == {f"Bearer {KEY}"}
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]


def test_an_address_where_nothing_answers_is_said_and_the_other_models_go_on(tmp_path: Path) -> None:
    board(tmp_path, "http://127.0.0.1:9/v1", "retries = 0\nconcurrency = 1")
    done = evaluate(tmp_path)
    assert done.returncode == 1
    assert "not reached" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("limit", "most"), [("max_requests = 7", 7), ("max_usd = 0.011", None)], ids=["requests", "dollars"]
)
def test_it_stops_before_a_budget_is_exceeded_and_goes_on_when_there_is_more(
    tmp_path: Path, limit: str, most: int | None
) -> None:
    """What may be spent counts before it is: an answer may have 1024 tokens, which cost 0.01 dollars."""
    with endpoint_server() as (url, asked):
        board(tmp_path, url, limit, more=PRICE)
        done = evaluate(tmp_path)
        asked_first = len(asked.texts)
        again = evaluate(tmp_path)
        assert len(asked.texts) == asked_first
        board(tmp_path, url, "", more=PRICE)
        whole = evaluate(tmp_path)
    assert done.returncode == again.returncode == 1
    assert f"endpoints: local: {limit.split()[0]}: " in done.stdout + done.stderr
    assert 0 < asked_first < ROWS
    assert most is None or asked_first == most
    assert whole.returncode == 0, whole.stderr
    assert max(asked.counts.values()) == 1
    assert only(tmp_path).scores["accuracy"].value == 100.0


def test_no_faster_than_it_may_be_asked(tmp_path: Path) -> None:
    """At 1,200 requests a minute two are 0.05 s apart, however many may be under way."""
    with endpoint_server() as (url, asked):
        board(tmp_path, url, "requests_per_minute = 1200\nconcurrency = 8")
        assert evaluate(tmp_path).returncode == 0
    # The first may come late, as the connection has to be made; all at once would be over in no time.
    assert max(asked.at) - min(asked.at) > 0.05 * ROWS / 2


def _evaluate_in(folder: str) -> None:
    """In a process of its own: what `steelyard evaluate` does."""
    os.chdir(folder)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    from evaluator.cli import main

    main(["evaluate"])


def test_killed_again_and_again_it_asks_nothing_again_that_was_answered(tmp_path: Path) -> None:
    """Only what was under way at a kill is asked again; no request is missing in what was spent."""
    rows, at_once, kills = 90, 3, 10
    context = multiprocessing.get_context("forkserver")
    loaded = ["evaluator.cli.evaluate", "evaluator.measure.run", "openai.resources.chat.completions"]
    context.set_forkserver_preload(
        [*loaded, "anyio._backends._asyncio", "httpcore2", "evaluator.cluster.driving"]
    )
    keys = {input_key({"statement": text_of(row)}): text_of(row) for row in range(rows)}

    def answered() -> set[str]:
        lines = [line for file in tmp_path.glob(".steelyard/answers/*.jsonl") for line in file.open()]
        return {keys[json.loads(line)[0]] for line in lines if line.endswith("\n")}

    with endpoint_server(lambda text, before: "slow") as (url, asked):
        board(tmp_path, url, f"concurrency = {at_once}", more=PRICE, rows=rows)
        killed = 0
        while killed < kills:
            known, before = answered(), len(asked.texts)
            process: Any = context.Process(target=_evaluate_in, args=(str(tmp_path),))
            process.start()
            while len(asked.texts) < before + 1 + killed % 5 and process.is_alive():
                time.sleep(0.002)
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            killed += 1
            assert not known & set(asked_words(asked)[before:])
        done = evaluate(tmp_path)
    assert done.returncode == 0, done.stderr
    assert only(tmp_path).scores["accuracy"].value == 100.0
    assert len(asked.texts) <= rows + kills * at_once
    ledger = (tmp_path / ".steelyard" / "endpoints" / "local.jsonl").read_text().splitlines()
    assert len({json.loads(line)[0] for line in ledger}) >= len(asked.texts)
