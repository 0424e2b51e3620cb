"""`steelyard check --gate`: a model that a change makes worse by more than chance is named, and no other."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from publishing_world import commit_all, git, leaderboard, new_repository, reported, save, steelyard
from small_boards import small_board

pytestmark = pytest.mark.slow

ROWS = 240
NAMES = ("negative", "positive")
GOLD = [row % 2 for row in range(ROWS)]
#: By model, the rows that it gets wrong: every so many.
EVERY = {"old": 5, "rival": 4, "weak": 2}
TABLE = '\n[[predictions]]\ndataset = "d"\npath = "{0}.csv"\nmodel = "{0}"\n'


def predictions(folder: Path, model: str, wrong: set[int]) -> None:
    rows = [f"{row},{NAMES[GOLD[row] ^ (row in wrong)]}\n" for row in range(ROWS)]
    (folder / f"{model}.csv").write_text("id,label\n" + "".join(rows))


def imported(folder: Path) -> None:
    done = steelyard("import", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three models on 240 examples, committed on main; the change is on a branch."""
    tables = "".join(TABLE.format(model) for model in EVERY)
    data = "".join(f"It is sentence {row}.\t{NAMES[label]}\n" for row, label in enumerate(GOLD))
    files = {"board.toml": small_board("accuracy") + tables, "d.tsv": data}
    folder = new_repository(tmp_path_factory.mktemp("gate") / "board", files)
    for model, every in EVERY.items():
        predictions(folder, model, {row for row in range(ROWS) if row % every == 0})
    imported(folder)
    commit_all(folder)
    git(folder, "checkout", "--quiet", "-b", "change")
    return folder


@pytest.fixture
def change(board: Path, tmp_path: Path) -> Path:
    """A copy of the board to be changed."""
    return shutil.copytree(board, tmp_path / "board")


def gated(folder: Path, *models: str) -> tuple[int, str]:
    """What the check says of guarded models, but for the lines about ranks."""
    gates = [part for model in models for part in ("--gate", model)]
    done = steelyard("check", "--against", "main", *gates, cwd=folder)
    assert not done.stderr, done.stderr
    return done.returncode, "\n".join(line for line in done.stdout.splitlines() if "score fell" in line)


def test_worse_by_more_than_chance_is_refused(change: Path) -> None:
    """48 of 240 more errors are refused, with the fall and its interval; a model that is not guarded may fall."""
    predictions(change, "old", {row for row in range(ROWS) if row % 5 < 2})
    imported(change)
    code, line = gated(change, "old", "rival")
    assert code == 1
    # The variance of the mean of 240 differences, 48 of them 1 and the others 0, and the guard for few examples.
    reach = 1.95996 * math.sqrt(0.2 * 0.8 / (ROWS - 1) + 2 / (ROWS + 2) ** 2)
    interval = f"{20 - 100 * reach:.2f} to {20 + 100 * reach:.2f}"
    assert line == f"B: old: its score fell by 20.00, by {interval} with 95 % confidence"
    done = steelyard(
        "check", "--against", "main", "--gate", "rival", "--comment", "../comment.md", cwd=change
    )
    assert done.returncode == 0, done.stdout
    lines = (change.parent / "comment.md").read_text().splitlines()
    assert "- `old` falls from 1 to 2 (rank set 2-3), Dynascore 60.00" in lines
    assert "- `rival` rises from 2 to 1 (rank set 1), Dynascore 75.00" in lines
    assert lines[-1] == "A rank set has the ranks that the examples leave open, at 95 % confidence."


def test_what_may_be_chance_is_not_refused(change: Path) -> None:
    """Fewer errors, another model's errors, and a few more errors on other examples pass."""
    wrong = {row for row in range(ROWS) if row % 5 == 0}
    predictions(change, "old", wrong ^ {0, 1, 2, 3})
    predictions(change, "weak", {row for row in range(ROWS) if row % 3 == 0})
    imported(change)
    assert gated(change, "old", "rival", "weak") == (0, "")


def test_numbers_without_examples_must_not_fall(tmp_path: Path) -> None:
    """Where nobody knows how reported numbers vary, any fall is refused, and a model that loses its number too."""
    folder = leaderboard(tmp_path / "board")
    git(folder, "checkout", "--quiet", "-b", "change")
    save(folder, reported("alpha", 79.0, 10.0))
    commit_all(folder)
    code, line = gated(folder, "alpha", "beta")
    assert (code, line.endswith("; it is not known how much of that may be chance")) == (1, True)
    assert line.startswith("Reviews: Alpha: its score fell by 0.")
    half = reported("alpha", 80.0, 10.0)
    save(folder, half.model_copy(update={"scores": {"accuracy": half.scores["accuracy"]}}))
    done = steelyard("check", "--against", "main", "--gate", "alpha", cwd=folder)
    said = "Reviews: Alpha: was ranked 1 and is not ranked any more: no throughput on d"
    assert (done.returncode, said in done.stdout.splitlines()) == (1, True)


RENAMED = '\n[[models]]\nid = "new"\nwas = "old"\nlabel = "New"\ntask = "sentiment"\n'


@pytest.mark.parametrize("guarded", ["old", "new"])
def test_a_renamed_model_is_held_against_what_it_was(change: Path, guarded: str) -> None:
    """Under either id the model of now is compared with that of the old id, and the report says that it was
    renamed: a rename alone passes, 48 more errors do not."""
    board = change / "board.toml"
    board.write_text(board.read_text().replace('model = "old"', 'model = "new"') + RENAMED)
    assert steelyard("evaluate", cwd=change).returncode == 0
    imported(change)
    done = steelyard("check", "--against", "main", "--gate", guarded, cwd=change)
    assert done.returncode == 0, done.stdout
    assert [line for line in done.stdout.splitlines() if not line.startswith("note: ")] == [
        "B: 3 models ranked, 3 before",
        "  New was old and is renamed: stays at 1 (rank set 1-2), Dynascore 80.00",
        "board.toml: 0 problems in 3 results, 0 of them new and 0 changed, 1 renamed",
    ]
    predictions(change, "old", {row for row in range(ROWS) if row % 5 < 2})
    imported(change)
    done = steelyard("check", "--against", "main", "--gate", guarded, cwd=change)
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[0].startswith("B: old: its score fell by 20.00, by ")) == (1, True), lines
    assert lines[-1] == "board.toml: 1 problem in 3 results, 0 of them new and 1 changed"


def test_a_model_whose_table_went_cannot_be_judged(change: Path) -> None:
    """Results of a table that a change deletes are refused, whatever became of its files; with `removed` and a
    reason they are not."""
    board, table = change / "board.toml", RENAMED.replace('was = "old"\n', "").replace('"new"', '"old"')
    without = board.read_text()
    board.write_text(without + table)
    git(change, "checkout", "--quiet", "-B", "main")
    commit_all(change)
    git(change, "checkout", "--quiet", "-b", "deletes")
    board.write_text(without)
    done = steelyard("check", "--against", "main", "--gate", "old", cwd=change)
    why = "it was in the board file and is not any more; give it `removed` or `was`"
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, f"--gate: old cannot be judged: {why}")
    taken = without.replace(TABLE.format("old"), "") + table
    board.write_text(taken + 'removed = { date = 2026-11-01, reason = "withdrawn" }\n')
    assert gated(change, "old")[0] == 0


def on_other_data(board: str) -> str:
    """The board on another dataset, with the same rows."""
    table = board[board.index("[[datasets]]") : board.index("[[boards]]")]
    other = table.replace('"d"', '"e"').replace("d.tsv", "e.tsv")
    return board.replace("[[boards]]", f"{other}[[boards]]").replace('datasets = ["d"]', 'datasets = ["e"]')


@pytest.mark.parametrize(
    ("edit", "lost"),
    [
        (lambda board: board.replace('id = "b"', 'id = "other"'), ", and the board b is gone"),
        (
            lambda board: board.replace('"accuracy"', '"mcc"'),
            " with the metric accuracy, which the board has no more",
        ),
        (on_other_data, " with the dataset d, which the board has no more"),
    ],
    ids=["board", "metric", "dataset"],
)
def test_what_a_change_takes_off_a_board_cannot_be_judged(
    change: Path, edit: Callable[[str], str], lost: str
) -> None:
    """What ranked a guarded model is named; what ranked others may go."""
    path = change / "board.toml"
    path.write_text(edit(path.read_text()))
    shutil.copyfile(change / "d.tsv", change / "e.tsv")
    done = steelyard("check", "--against", "main", "--gate", "old", cwd=change)
    said = [line for line in done.stdout.splitlines() if "cannot be judged" in line]
    assert done.returncode == 1
    assert said == [f"B: old: cannot be judged: it was ranked 1{lost}; bring it back"], done.stdout
    done = steelyard("check", "--against", "main", cwd=change)
    assert "cannot be judged" not in done.stdout


def test_a_board_file_that_went_cannot_be_judged(change: Path) -> None:
    """Whether a change deletes it or moves it elsewhere, the check fails and says what to do."""
    (change / "board.toml").unlink()
    done = steelyard("check", "--against", "main", "--gate", "old", cwd=change)
    gone = "board.toml: was removed with all its boards (B), so that nothing can be judged; bring it back: git checkout "
    assert (done.returncode, done.stdout.startswith(gone)) == (1, True), done.stdout
    git(change, "checkout", "board.toml")
    (change / "sub").mkdir()
    for path in [*change.glob("[a-z]*.*"), change / "results"]:
        path.rename(change / "sub" / path.name)
    done = steelyard("check", "--board", "sub/board.toml", "--against", "main", "--gate", "old", cwd=change)
    moved = "board.toml is gone, and sub/board.toml was not there before; move it back"
    assert (done.returncode, moved in done.stdout) == (1, True), done.stdout


def test_a_model_whose_data_went_cannot_be_judged(change: Path) -> None:
    """A data file that a change removes, or that its board file looks for elsewhere, is a problem with the path;
    data that was never in git is a note that names the model."""
    board = change / "board.toml"
    (change / "d.tsv").rename(change / "moved.tsv")
    arguments = ("check", "--against", "main", "--gate", "old")
    done = steelyard(*arguments, cwd=change)
    gone = "--gate: old cannot be judged: d: d.tsv is not here any more; bring it back"
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, gone)
    before = board.read_text()
    board.write_text(before.replace('path = "d.tsv"', 'path = "lost.tsv"'))
    done = steelyard(*arguments, cwd=change)
    said = done.stdout.splitlines()[0]
    assert (done.returncode, "old cannot be judged: d: lost.tsv is not here; before the" in said) == (1, True)
    board.write_text(before)
    git(change, "checkout", "--quiet", "-B", "main")
    git(change, "rm", "--quiet", "--cached", "d.tsv")
    git(change, "commit", "--quiet", "--message", "no data")
    git(change, "checkout", "--quiet", "-b", "later")
    done = steelyard(*arguments, cwd=change)
    note = "note: --gate: old: d: d.tsv is not here, so a change of it is not seen"
    assert (done.returncode, note in done.stdout.splitlines()) == (0, True), done.stdout


def test_a_model_whose_folder_leads_elsewhere_cannot_be_judged(change: Path) -> None:
    """A link out of the model's folder would hide what it is made of."""
    git(change, "checkout", "--quiet", "-B", "main")
    (change / "model").mkdir()
    (change / "model" / "handler.py").write_text("def predict(example): ...\n")
    path = change / "board.toml"
    text = path.read_text()
    assert "[[predictions]]" in text
    table = '[[models]]\nid = "linked"\nlabel = "L"\ntask = "sentiment"\nadapter = "handler"\ndirectory = "model"\n'
    path.write_text(f"{text}\n{table}")
    [stored] = (change / "results").rglob("old.json")
    result = json.loads(stored.read_text())
    result["model"] |= {"id": "linked", "label": "L"}
    stored.with_name("linked.json").write_text(json.dumps(result))
    commit_all(change)
    git(change, "checkout", "--quiet", "-b", "with-a-link")
    (change / "model" / "words").symlink_to("/proc/self/environ")
    commit_all(change)
    done = steelyard("check", "--against", "main", "--gate", "linked", cwd=change)
    said = "--gate: linked cannot be judged: model: is not here, or something in it leads out of the folders"
    assert (done.returncode, said in done.stdout) == (1, True), done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["--against", "main", "--gate", "gamma"],
            1,
            "--gate: 'gamma' is on no board; there are old, rival, weak",
        ),
        (["--gate", "old"], 2, "--gate: is about changes; say since when with --against"),
    ],
)
def test_a_gate_must_be_about_something(board: Path, arguments: list[str], code: int, message: str) -> None:
    """A model that is on no board, and a gate without a revision, are refused with what to do."""
    done = steelyard("check", *arguments, cwd=board)
    assert (done.returncode, message in done.stderr) == (code, True)


def test_a_stale_model_is_refused(change: Path) -> None:
    """A guarded model whose inputs changed since it was scored fails, with the reason and what to run; of
    another it is a note."""
    predictions(change, "old", {0})
    commit_all(change)
    stale = "old on d is stale: its file of predictions changed; run steelyard import"
    done = steelyard("check", "--against", "main", "--gate", "old", cwd=change)
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, f"--gate: {stale}")
    done = steelyard("check", "--against", "main", "--gate", "rival", "--data", ".", cwd=change)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, f"note: {stale}")
