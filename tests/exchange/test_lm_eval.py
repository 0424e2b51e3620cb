"""`steelyard import`: aggregates of lm-evaluation-harness become reported results, all or none."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from interchange_world import harness_document, harness_file, reported, steelyard, tree, write_world

from evaluator.exchange.importing import ImportedLog, import_log
from evaluator.exchange.matching import ImportRequest
from evaluator.records.board import assemble, load_boards
from evaluator.records.errors import UserError
from evaluator.records.store import Store

CREATED = "2026-11-21T12:00:00Z"


@pytest.fixture
def world(tmp_path: Path) -> Path:
    write_world(tmp_path)
    return tmp_path


@pytest.fixture
def file(world: Path) -> Path:
    return harness_file(world / "results_2026-01-15T10-30-00.json")


def run(
    world: Path, file: Path, model: str = "mine", created: str = CREATED, **asked_for: Any
) -> ImportedLog:
    boards, store = load_boards(world / "board.toml"), Store(world / "results")
    return import_log(file, ImportRequest(model, **asked_for), boards, store, world, created)


def only(done: ImportedLog) -> tuple[Any, str]:
    """The one result, and what became of it."""
    [one] = done.tasks
    return one.result, one.status


def test_names_that_are_equal_need_no_mapping(world: Path, file: Path) -> None:
    """A task called like a dataset and acc for accuracy are taken; the rest is named as left out."""
    done = run(world, file)
    result, status = only(done)
    assert status == "imported"
    assert Store(world / "results").find("sentiment", "first", "mine") == result
    assert result.provenance == "reported"
    assert (result.scores["accuracy"].value, result.scores["accuracy"].unit) == (29.0, "%")
    assert list(result.scores) == ["accuracy"]
    assert result.dataset.examples == 1200
    assert result.created == CREATED
    assert done.left_out == ("tasks story_cloze, stories", "metrics of first: acc_norm,none")


def test_the_source_says_all_that_must_be_equal_and_the_note_what_differs(world: Path, file: Path) -> None:
    """Harness, task, version, shots and metric are cited; date, model and revision are noted."""
    result, _ = only(run(world, file))
    assert result.source.citation == "lm-evaluation-harness 0.4.8: first version 1, 0-shot; acc,none"
    assert result.source.note.startswith("run on 2026-01-15; model hf pretrained=(local path), ")
    assert "tokenizer=owner/model" in result.source.note
    assert "git a1b2c3d" in result.source.note


def test_nothing_of_the_machine_that_ran_the_harness_is_stored(world: Path, file: Path) -> None:
    """Folders, hosts and keys among the model's arguments are in no byte of the store."""
    run(
        world,
        file,
        tasks={"first": "first", "story_cloze": "second"},
        metrics={"acc": "accuracy", "exact_match,strict-match": "accuracy"},
    )
    stored = b"".join(path.read_bytes() for path in (world / "results").rglob("mine.json"))
    for secret in (b"/home", b"maker", b"secret", b"10.0.0.7", b"abc123"):
        assert secret not in stored
    assert b"bfloat16" in stored


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("owner/model", "owner/model"),
        ("gpt2", "gpt2"),
        ("owner/model/more", "(local path)"),
        ("./model", "(local path)"),
        ("../model", "(local path)"),
        ("~/model", "(local path)"),
        ("C:\\models\\mine", "(local path)"),
        ("C:/models", "(local path)"),
        ("file:///data/model", "(local path)"),
        ("http://host/model", "(local path)"),
        ("/data", "(local path)"),
    ],
)
@pytest.mark.parametrize("layout", ["text", "object"])
def test_a_path_is_told_from_a_repository(world: Path, value: str, kept: str, layout: str) -> None:
    """Only ``owner/name`` and single words are published of what a model was loaded from."""
    arguments = (
        f"pretrained={value},dtype=float16" if layout == "text" else {"pretrained": value, "dtype": "float16"}
    )
    config = {**harness_document()["config"], "model_args": arguments}
    result, _ = only(run(world, harness_file(world / "r.json", config=config)))
    assert result.model.made_from["arguments"] == {"pretrained": kept, "dtype": "float16"}


def test_tasks_and_metrics_are_mapped_as_told(world: Path, file: Path) -> None:
    """Each task takes those metrics of the mapping that it has, by name and filter."""
    metrics = {
        "acc_norm": "accuracy",
        "exact_match,flexible-extract": "accuracy",
        "word_perplexity": "perplexity",
    }
    done = run(world, file, tasks={"first": "first", "story_cloze": "extra"}, metrics=metrics)
    found = {
        result.dataset.id: {n: s.value for n, s in result.scores.items()}
        for result in (one.result for one in done.tasks)
    }
    assert found == {"first": {"accuracy": 31.0}, "extra": {"accuracy": 62.5, "perplexity": 17.25}}
    assert done.left_out[1:] == (
        "metrics of first: acc,none",
        "metrics of story_cloze: exact_match,strict-match",
    )


def test_a_scale_makes_a_number_one_of_the_board(world: Path, file: Path) -> None:
    """A factor replaces what would be done of itself."""
    done = run(world, file, metrics={"acc": "accuracy", "acc_norm": "macro-f1"}, scales={"macro-f1": 10.0})
    result, _ = only(done)
    assert {name: score.value for name, score in result.scores.items()} == {"accuracy": 29.0, "macro-f1": 3.1}


def test_numbers_are_ranked_only_with_those_of_equal_settings(world: Path, file: Path) -> None:
    """Two models of one harness, task and metric share a column; one of another version does not."""
    (world / "results").rename(world / "old")
    boards, store = load_boards(world / "board.toml"), Store(world / "results")
    other = harness_file(world / "other.json", lm_eval_version="0.4.9")
    for model, path in {"a": file, "b": file, "c": other}.items():
        run(world, path, model)
    assembled = assemble(boards.boards[0], boards, store.results())
    assert assembled.data["values"]["first"]["accuracy"] == [29.0, 29.0, None]
    assert "by another source" in assembled.entries["c"].stale[0]


@pytest.mark.parametrize(
    ("changes", "end"),
    [
        ({"n-samples": {"first": {"original": 1200, "effective": 100}}}, " (on 100 of 1200 examples)"),
        ({"n-samples": {}, "config": {"limit": 50.0}}, " (limit 50)"),
    ],
)
@pytest.mark.parametrize("citation", [None, "Somebody 2026"])
def test_a_run_on_some_examples_is_never_ranked_with_whole_ones(
    world: Path, changes: dict[str, Any], end: str, citation: str | None
) -> None:
    """A limit on examples is named in the source, whatever the source is called."""
    result, _ = only(run(world, harness_file(world / "r.json", **changes), citation=citation))
    assert result.source.citation.endswith(end)


def test_a_second_import_changes_nothing(world: Path, file: Path) -> None:
    """The same file again writes no byte, not even a new date."""
    run(world, file)
    before = tree(world)
    done = run(world, file, created="2027-01-01T00:00:00Z")
    assert only(done)[1] == "unchanged"
    assert tree(world) == before


def test_a_result_from_elsewhere_is_not_replaced(world: Path, file: Path) -> None:
    """A number reported by a paper stays, and nothing else of the file is stored either."""
    Store(world / "results").save(reported("mine", "second", 70.0))
    before = tree(world)
    asked_for = {
        "tasks": {"first": "first", "story_cloze": "second"},
        "metrics": {"acc": "accuracy", "exact_match,strict-match": "accuracy"},
    }
    with pytest.raises(UserError, match=r"second/mine\.json: provenance: .*import under another model id"):
        run(world, file, **asked_for)
    assert tree(world) == before


def test_the_command_says_what_it_did(world: Path, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints numbers, sources and what was left out, as lines or as JSON."""
    arguments = ["import", str(file), "--model", "mine", "--metric", "acc_norm,none=accuracy"]
    steelyard(world, *arguments)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "mine on first: imported: accuracy 31 %"
    assert printed[2] == "left out: tasks story_cloze, stories"
    steelyard(world, *arguments, "--json")
    said = json.loads(capsys.readouterr().out)
    assert said["results"][0]["status"] == "unchanged"
    assert said["results"][0]["result"]["scores"]["accuracy"]["value"] == 31.0


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("0.4.8", "0.4.8"),
        ("No package metadata was found for lm_eval", "of unknown version"),
        (None, "of unknown version"),
    ],
)
def test_a_harness_that_does_not_know_its_version_is_said(world: Path, said: str | None, kept: str) -> None:
    """Run from a source folder the harness writes a message in place of its version."""
    file = harness_file(world / "r.json", lm_eval_version=said, git_hash="fatal: not a git repository")
    result, _ = only(run(world, file))
    assert result.source.citation.startswith(f"lm-evaluation-harness {kept}: first")
    assert "git" not in result.source.note


def test_a_model_given_as_an_object_is_named_like_any_other(world: Path) -> None:
    """In place of a kind the harness may write where the model was loaded from."""
    for said, kept in {"/data/run-7": "(local path)", "owner/model": "owner/model"}.items():
        file = harness_file(world / "r.json", config={"model": said, "model_args": None})
        result, _ = only(run(world, file))
        assert result.model.made_from["kind"] == kept


def test_a_group_of_tasks_is_taken_like_a_task(world: Path) -> None:
    """A group has numbers but no count of examples, so that a limit is known from the settings."""
    document = harness_document()
    document["results"]["stories"] = {"alias": "stories", "acc,none": 0.75, "acc_stderr,none": 0.01}
    document["config"]["limit"] = 10
    result, _ = only(run(world, harness_file(world / "r.json", **document), tasks={"stories": "second"}))
    assert result.scores["accuracy"].value == 75.0
    assert result.source.citation == "lm-evaluation-harness 0.4.8: stories; acc,none (limit 10)"


def changed(*path: str, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        for name in path[:-1]:
            document = document[name]
        document[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed("results", to={}), "results: {} has no tasks; give a results_*.json"),
        (changed("results", "first", "acc,none", to="N/A"), "results.first.acc,none: 'N/A' is not a number"),
        (changed("results", "first", "acc,none", to=math.nan), "results.first.acc,none: nan is not a finite number"),
        (changed("results", "first", "acc,none", to=29.0), "say what makes it per cent with --metric THEIRS=accuracy*1"),
        (changed("results", "first", "acc,none", to=-0.1), "-0.1 is not known to be a share of one"),
        (changed("results", "first", "acc,other", to=0.5), "acc is there more than once: acc,none, acc,other; say which"),
        (changed("higher_is_better", "first", "acc", to=False), "the log says that lower is better, the board that higher"),
        (changed("n-samples", "first", "effective", to=1300), "n-samples.first.effective: 1300 does not fit 1200"),
        (changed("versions", "first", to="<script>"), "versions.first: '<script>' is not a version"),
        (changed("date", to=1e300), "date: 1e+300 is no time of a run"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said(
    world: Path, change: Callable[[dict[str, Any]], None], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names file, field, value and fix; nothing is stored."""
    document = harness_document()
    change(document)
    file = world / "bad.json"
    file.write_text(json.dumps(document))
    before = tree(world)
    steelyard(world, "import", str(file), "--model", "mine", code=1)
    said = capsys.readouterr().err
    assert said.startswith("steelyard: ")
    assert str(file) in said
    assert message in said
    assert tree(world) == before


@pytest.mark.parametrize(
    ("asked_for", "message"),
    [
        ({"tasks": {"nosuch": "first"}}, "results: has no task 'nosuch'; it has first, story_cloze, stories"),
        ({"tasks": {"first": "first", "story_cloze": "first"}}, "two tasks go to dataset first"),
        ({"tasks": {"stories": "first"}}, "results.stories: has none of the metrics asked for; it has none"),
        ({"metrics": {"acc": "nosuch"}}, "no board shows 'nosuch' of first; boards with first have accuracy"),
        (
            {"metrics": {"acc": "accuracy", "acc_norm": "accuracy"}},
            "two metrics go to accuracy; the second is acc_norm,none",
        ),
        ({"scales": {"accuracy": 1e120}, "metrics": {"acc": "accuracy"}}, None),
        ({"citation": "\udcff"}, "citation: '\\udcff' is not text"),
        ({"citation": ""}, "citation: '' is not text"),
    ],
)
def test_a_request_that_does_not_fit_is_refused(
    world: Path, file: Path, asked_for: dict[str, Any], message: str | None
) -> None:
    """An error about a missing task or metric lists the existing ones; a huge number that fits is kept."""
    before = tree(world)
    if message is None:
        assert only(run(world, file, **asked_for))[0].scores["accuracy"].value == 0.29e120
        return
    with pytest.raises(UserError) as error:
        run(world, file, **asked_for)
    assert message in str(error.value)
    assert tree(world) == before


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"results": {"a": 1, "a": 2}}'],
)
def test_what_is_not_such_a_file_is_refused(
    world: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    """Broken, deep and doubled JSON ends in one line, not in a traceback."""
    file = world / "bad.json"
    file.write_bytes(content)
    before = tree(world)
    steelyard(world, "import", str(file), "--model", "mine", code=1)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"{file}:" in said
    assert tree(world) == before


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    inner = (
        [place for name, item in value.items() for place in places(item, (*path, name))]
        if isinstance(value, dict)
        else []
    )
    return [*([path] if path else []), *inner]


@pytest.mark.slow
@given(place=st.sampled_from(places(harness_document())), value=json_values, remove=st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_file_holds_the_store_stays_whole(
    tmp_path: Path, place: tuple[str, ...], value: Any, remove: bool
) -> None:
    """Any value anywhere in a file is either refused, and nothing changes, or stored as a result that reads back."""
    if not (tmp_path / "board.toml").exists():
        write_world(tmp_path)
    document = copy.deepcopy(harness_document())
    holder = document
    for name in place[:-1]:
        holder = holder[name]
    if remove:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    file = tmp_path / "fuzzed.json"
    file.write_text(json.dumps(document))
    stored = tmp_path / "results" / "sentiment" / "first" / "mine.json"
    stored.unlink(missing_ok=True)
    before = tree(tmp_path / "results")
    try:
        done = run(tmp_path, file)
    except UserError:
        assert tree(tmp_path / "results") == before
        return
    store = Store(tmp_path / "results")
    for result in (one.result for one in done.tasks):
        assert store.find(result.task, result.dataset.id, "mine") == result
        assert b"/home" not in store.path(result.task, result.dataset.id, "mine").read_bytes()
        store.path(result.task, result.dataset.id, "mine").unlink()
    assert tree(tmp_path / "results") == before
