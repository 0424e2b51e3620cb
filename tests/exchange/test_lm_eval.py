"""`steelyard import`: aggregates of lm-evaluation-harness become reported results, all or none."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from interchange_world import harness_document, harness_file, reported, steelyard, tree, write_world

from evaluator.exchange.importing import ImportedLog, import_logs, planned_logs
from evaluator.exchange.logs import read_logs
from evaluator.exchange.logs.published import public
from evaluator.exchange.matching import ImportRequest
from evaluator.records.board import assemble, load_boards
from evaluator.records.errors import UserError
from evaluator.records.store import Store

CREATED = "2026-11-21T12:00:00Z"
#: Both tasks of the file, each to a dataset of its own.
BOTH: dict[str, Any] = {
    "tasks": {"first": "first", "story_cloze": "second"},
    "metrics": {"acc": "accuracy", "exact_match,strict-match": "accuracy"},
}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    write_world(tmp_path)
    return tmp_path


@pytest.fixture
def file(world: Path) -> Path:
    return harness_file(world / "results_2026-01-15T10-30-00.json")


def run(world: Path, file: Path, model: str = "mine", created: str = CREATED, **asked: Any) -> ImportedLog:
    boards, store = load_boards(world / "board.toml"), Store(world / "results")
    planned = planned_logs([(log, ImportRequest(model, **asked)) for log in read_logs(file)], boards)
    [done] = import_logs(planned, boards, store, world, created)
    return done


def only(done: ImportedLog) -> Any:
    """The one result."""
    [one] = done.tasks
    return one.result


def test_names_that_are_equal_need_no_mapping(world: Path, file: Path) -> None:
    """A task called like a dataset and acc for accuracy are taken; the rest is named as left out. The source says all
    that must be equal for numbers to be compared, its note what differs between runs."""
    done = run(world, file)
    result = only(done)
    assert Store(world / "results").find("sentiment", "first", "mine") == result
    assert (result.provenance, result.dataset.examples, result.created) == ("reported", 1200, CREATED)
    assert {name: (score.value, score.unit) for name, score in result.scores.items()} == {
        "accuracy": (29.0, "%")
    }
    assert done.left_out == ("tasks story_cloze, stories", "metrics of first: acc_norm,none")
    assert result.source.citation == "lm-evaluation-harness 0.4.8: first version 1, 0-shot; acc,none"
    assert result.source.note.startswith("run on 2026-01-15; model hf pretrained=(local path), ")
    assert "tokenizer=owner/model" in result.source.note
    assert "git a1b2c3d" in result.source.note


def test_nothing_of_the_machine_that_ran_the_harness_is_stored(world: Path, file: Path) -> None:
    """Folders, hosts and keys among the model's arguments are in no byte of the store."""
    run(world, file, **BOTH)
    stored = b"".join(path.read_bytes() for path in (world / "results").rglob("mine.json"))
    assert not any(secret in stored for secret in (b"/home", b"maker", b"secret", b"10.0.0.7", b"abc123"))
    assert b"bfloat16" in stored
    given = {"model": "/data/run-7", "model_args": {"pretrained": "/data/run-7", "dtype": "float16"}}
    result = only(run(world, harness_file(world / "r.json", config=given), "other"))
    assert result.model.made_from["arguments"] == {"pretrained": "(local path)", "dtype": "float16"}
    assert result.model.made_from["kind"] == "(local path)"


@pytest.mark.parametrize(
    "value",
    [
        "a/b/c",
        "./a",
        "../a",
        "~/a",
        "C:\\a\\b",
        "C:/a",
        "file:///a/b",
        "http://host/a",
        "/a",
        "a b",
        "x" * 201,
    ],
)
def test_a_path_is_told_from_a_repository(value: str) -> None:
    """Only ``owner/name`` and single words are published of what a model was loaded from."""
    assert public(value) == "(local path)"
    assert (public("owner/model"), public("gpt2"), public(0.5)) == ("owner/model", "gpt2", "0.5")


def test_tasks_metrics_and_scales_are_as_told(world: Path, file: Path) -> None:
    """Each task takes those metrics of the mapping that it has, by name and filter; a factor replaces what would be done
    of itself, even where it makes a huge number."""
    metrics = {
        "acc_norm": "accuracy",
        "exact_match,flexible-extract": "accuracy",
        "word_perplexity": "perplexity",
    }
    done = run(world, file, tasks={"first": "first", "story_cloze": "extra"}, metrics=metrics)
    found = {one.result.dataset.id: {n: s.value for n, s in one.result.scores.items()} for one in done.tasks}
    assert found == {"first": {"accuracy": 31.0}, "extra": {"accuracy": 62.5, "perplexity": 17.25}}
    assert done.left_out[1:] == (
        "metrics of first: acc,none",
        "metrics of story_cloze: exact_match,strict-match",
    )
    both, scales = {"acc": "accuracy", "acc_norm": "macro-f1"}, {"macro-f1": 10.0, "accuracy": 1e120}
    scores = only(run(world, file, "other", metrics=both, scales=scales)).scores
    assert {name: score.value for name, score in scores.items()} == {"accuracy": 0.29e120, "macro-f1": 3.1}


def test_numbers_are_ranked_only_with_those_of_equal_settings(world: Path, file: Path) -> None:
    """Two models of one harness, task and metric share a column; one of another version does not."""
    (world / "results").rename(world / "old")
    boards, store = load_boards(world / "board.toml"), Store(world / "results")
    other = harness_file(world / "other.json", lm_eval_version="0.4.9")
    for model, path in {"a": file, "b": file, "c": other}.items():
        run(world, path, model)
    assembled = assemble(boards.boards[0], boards, store.results())
    assert assembled.data["values"]["first"]["accuracy"] == [29.0, 29.0, None]
    assert "by another source" in str(assembled.entries["c"].stale[0])


GROUP = {**harness_document()["results"], "stories": {"alias": "stories", "acc,none": 0.75}}


@pytest.mark.parametrize(
    ("changes", "asked", "citation"),
    [
        ({"n-samples": {"first": {"original": 1200, "effective": 100}}}, {}, "0-shot; acc,none (on 100 of 1200 examples)"),
        ({"n-samples": {}, "config": {"limit": 50.0}}, {"citation": "Somebody 2026"}, "Somebody 2026 (limit 50)"),
        ({"results": GROUP, "config": {"limit": 10}}, {"tasks": {"stories": "second"}}, "0.4.8: stories; acc,none (limit 10)"),
        ({"lm_eval_version": "No package metadata was found"}, {}, "harness of unknown version: first version 1, 0-shot; acc,none"),
    ],
    ids=["some examples", "limit", "group", "version"],
)  # fmt: skip
def test_what_a_run_was_on_is_in_the_source(
    world: Path, changes: dict[str, Any], asked: dict[str, Any], citation: str
) -> None:
    """A limit on examples, which a group of tasks has in the settings alone, whatever the source is called; and a harness
    that does not know its own version."""
    assert only(run(world, harness_file(world / "r.json", **changes), **asked)).source.citation.endswith(
        citation
    )


def test_a_second_import_changes_nothing(world: Path, file: Path) -> None:
    """The same file again writes no byte, not even a new date."""
    run(world, file)
    before = tree(world)
    [again] = run(world, file, created="2027-01-01T00:00:00Z").tasks
    assert again.status == "unchanged"
    assert tree(world) == before


def test_a_result_from_elsewhere_is_not_replaced(world: Path, file: Path) -> None:
    """A number reported by a paper stays, and nothing else of the file is stored either."""
    Store(world / "results").save(reported("mine", "second", 70.0))
    before = tree(world)
    with pytest.raises(UserError, match=r"second/mine\.json: provenance: .*import under another model id"):
        run(world, file, **BOTH)
    assert tree(world) == before


def test_the_command_says_what_it_did(world: Path, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints numbers, sources and what was left out, as lines or as JSON."""
    arguments = ["import", str(file), "--model", "mine", "--metric", "acc_norm,none=accuracy"]
    steelyard(world, *arguments)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "mine on first: imported: accuracy 31 %"
    assert printed[2] == "left out: tasks story_cloze, stories"
    steelyard(world, *arguments, "--json")
    [said] = json.loads(capsys.readouterr().out)["results"]
    assert (said["status"], said["result"]["scores"]["accuracy"]["value"]) == ("unchanged", 31.0)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("results",), {}, "results: {} has no tasks; give a results_*.json"),
        (("results", "first", "acc,none"), "N/A", "results.first.acc,none: 'N/A' is not a number"),
        (("results", "first", "acc,none"), math.nan, "results.first.acc,none: nan is not a finite number"),
        (
            ("results", "first", "acc,none"),
            29.0,
            "say what makes it per cent with --metric THEIRS=accuracy*1",
        ),
        (("results", "first", "acc,none"), -0.1, "-0.1 is not known to be a share of one"),
        (
            ("results", "first", "acc,other"),
            0.5,
            "acc is there more than once: acc,none, acc,other; say which",
        ),
        (
            ("higher_is_better", "first", "acc"),
            False,
            "the log says that lower is better, the board higher",
        ),
        (("n-samples", "first", "effective"), 1300, "n-samples.first.effective: 1300 does not fit 1200"),
        (("versions", "first"), "<script>", "versions.first: '<script>' is not a version"),
        (("date",), 1e300, "date: 1e+300 is no time of a run"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(
    world: Path, place: tuple[str, ...], value: Any, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names file, field, value and fix; nothing is stored."""
    file, before = world / "bad.json", tree(world)
    file.write_text(json.dumps(put(harness_document(), place, value)))
    steelyard(world, "import", str(file), "--model", "mine", code=1)
    said = capsys.readouterr().err
    assert said.startswith("steelyard: ")
    assert str(file) in said
    assert message in said
    file.unlink()
    assert tree(world) == before


def put(document: Any, place: tuple[str, ...], value: Any) -> Any:
    """The document with another value in that place, or none if it is ..."""
    *above, last = place
    holder = document
    for name in above:
        holder = holder[name]
    holder[last] = value
    if value is ...:
        del holder[last]
    return document


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"tasks": {"nosuch": "first"}}, "results: has no task 'nosuch'; it has first, story_cloze, stories"),
        ({"tasks": {"first": "first", "story_cloze": "first"}}, "two tasks go to dataset first"),
        ({"tasks": {"stories": "first"}}, "results.stories: has none of the metrics asked for; it has none"),
        ({"metrics": {"acc": "nosuch"}}, "no board shows 'nosuch' of first; boards with first have accuracy"),
        ({"metrics": {"acc": "accuracy", "acc_norm": "accuracy"}}, "two metrics go to accuracy; the second is acc_norm,none"),
        ({"citation": "\udcff"}, "citation: '\\udcff' is not text"),
        ({"citation": ""}, "citation: '' is not text"),
    ],
)  # fmt: skip
def test_a_request_that_does_not_fit_is_refused(
    world: Path, file: Path, asked: dict[str, Any], message: str
) -> None:
    """An error about a missing task or metric lists the existing ones."""
    before = tree(world)
    with pytest.raises(UserError) as error:
        run(world, file, **asked)
    assert message in str(error.value)
    assert tree(world) == before


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"results": {"a": 1, "a": 2}}']
)
def test_what_is_not_such_a_file_is_refused(
    world: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    """Broken, deep and doubled JSON ends in one line, not in a traceback."""
    file = world / "bad.json"
    file.write_bytes(content)
    steelyard(world, "import", str(file), "--model", "mine", code=1)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"{file}:" in said


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    below = value.items() if isinstance(value, dict) else ()
    return [
        *([path] if path else []),
        *(place for name, one in below for place in places(one, (*path, name))),
    ]


@pytest.mark.slow
@given(place=st.sampled_from(places(harness_document())), value=json_values | st.just(...))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_file_holds_the_store_stays_whole(
    tmp_path: Path, place: tuple[str, ...], value: Any
) -> None:
    """Any value anywhere in a file is either refused, and nothing changes, or stored as a result that reads back."""
    if not (tmp_path / "board.toml").exists():
        write_world(tmp_path)
    file, store = tmp_path / "fuzzed.json", Store(tmp_path / "results")
    file.write_text(json.dumps(put(copy.deepcopy(harness_document()), place, value)))
    before = tree(tmp_path / "results")
    try:
        found = [one.result for one in run(tmp_path, file).tasks]
    except UserError:
        found = []
    for result in found:
        path = store.path(result.task, result.dataset.id, "mine")
        assert store.find(result.task, result.dataset.id, "mine") == result
        assert b"/home" not in path.read_bytes()
        path.unlink()
    assert tree(tmp_path / "results") == before
