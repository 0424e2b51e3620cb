"""The tutorial and the how-to pages are correct: these tests write the files and run the commands on them.

A console block is run, command by command. A block after "In `PATH`:" is a file, after "At the end of
`PATH`:" goes to its end, and after "change `PATH`:" replaces the lines of its keys, or joins [site] (an
address) or the first dataset. Other Python is run; other TOML is parsed; bash blocks need a network and are
not run, nor is YAML, which is for the hosts of repositories (see tests/publish/test_elsewhere.py).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from shortened import shorten

from evaluator.data.datasets import FORMATS
from evaluator.data.tasks import TASKS
from evaluator.measure.models import ADAPTERS, open_model
from evaluator.measure.models.recipes import RECIPES
from evaluator.measure.timing.measurement import percentile
from evaluator.rank import dynascore
from evaluator.records.board import load_boards
from evaluator.records.errors import UserError
from evaluator.score.metrics import METRICS
from site_src.generator.pages.docs import NAVIGATION

DOCS = Path(__file__).parent.parent / "site_src" / "docs"
HOW_TO = NAVIGATION["How to"]
BLOCK = re.compile(r"([^\n]*)\n\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLACES = {
    "file": r"\bIn `([^`]+)`:$",
    "end": r"\bAt the end of `([^`]+)`:$",
    "change": r"\bchange `([^`]+)`:$",
}


@dataclass(frozen=True)
class Block:
    """A fenced block; `place` says how it is about the file at `path`, if it is about one."""

    language: str
    text: str
    place: str | None = None
    path: str = ""


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    for before, language, text in BLOCK.findall((DOCS / page).read_text(encoding="utf-8")):
        found = {place: re.search(pattern, before) for place, pattern in PLACES.items()}
        place = next((place for place, match in found.items() if match), None)
        yield Block(language, text, place, found[place][1] if place else "")  # type: ignore[index]


def test_no_block_is_overlooked() -> None:
    """Every fence is that of a block the tests know what to do with."""
    for page in ["tutorial.md", *HOW_TO]:
        known = list(blocks(page))
        assert len(known) * 2 == (DOCS / page).read_text(encoding="utf-8").count("```")
        assert {block.language for block in known} <= {"console", "bash", "python", "toml", "csv", "yaml"}
        assert any(block.language == "console" or block.path for block in known)


class Session:
    """A person at a terminal: a folder, an environment, an empty repository to publish to."""

    def __init__(self, folder: Path, remote: Path) -> None:
        self.folder = folder
        subprocess.run(["git", "init", "--quiet", "--bare", remote], check=True)
        who = {
            f"GIT_{role}_{what}": "t@example.org"
            for role in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.environment = {**os.environ, **who, "PATH": path, "REPOSITORY": str(remote), "PYTHONPATH": ""}
        self.remote = remote

    def follow(self, page: str) -> None:
        """Do everything the page says."""
        for block in blocks(page):
            if block.place:
                self.write(block)
            elif block.language == "console":
                for line in block.text.splitlines():
                    self.run(line.removeprefix("$ "))
            elif block.language == "python":
                self.call([sys.executable, "-c", block.text])
            elif block.language == "toml":
                tomllib.loads(block.text)

    def write(self, block: Block) -> None:
        path = self.folder / block.path
        if block.place == "file":
            assert not path.exists()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.place == "end":
            path.write_text(f"{path.read_text(encoding='utf-8')}\n{block.text}", encoding="utf-8")
        else:
            path.write_text(changed(path.read_text(encoding="utf-8"), block.text), encoding="utf-8")

    def run(self, command: str) -> str:
        if command.startswith("cd "):
            self.folder /= command.removeprefix("cd ")
            return ""
        if command.startswith(("steelyard serve", "steelyard collect ")):
            return self.look(command.split())
        printed = self.call(["bash", "-c", command])
        if command.startswith("steelyard init "):
            shorten(self.folder / command.split()[2] / "board.toml")
        return printed

    def call(self, command: list[str]) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def look(self, command: list[str]) -> str:
        """Open the address that a preview prints, and stop it."""
        process = subprocess.Popen(
            [*command, "--port", "0"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout
            address = next(found for line in process.stdout if (found := re.search(r"http://\S+/", line)))
            with urllib.request.urlopen(address[0], timeout=30) as page:
                return str(page.read().decode())
        finally:
            process.terminate()
            process.wait(timeout=30)


def changed(text: str, lines: str) -> str:
    """A board file in which the site or the first dataset says `lines`."""
    for line in lines.splitlines():
        key = line.partition(" =")[0]
        known = re.search(rf"^{key} = .*$", text, re.MULTILINE)
        place = known or re.search(r"^\[site\]$" if key == "url" else "^show_text = .*$", text, re.MULTILINE)
        assert place
        text = text.replace(place[0], line if known else f"{place[0]}\n{line}", 1)
    return text


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A session that has followed the whole tutorial."""
    folder = tmp_path_factory.mktemp("tutorial")
    session = Session(folder, folder / "repository.git")
    session.follow("tutorial.md")
    return session


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new leaderboard whose results are committed."""
    folder = tmp_path_factory.mktemp("measured")
    session = Session(folder, folder / "repository.git")
    session.run("steelyard init board --author Ada")
    session.run("cd board")
    session.run("git init --quiet --initial-branch main && git add --all && git commit --quiet --message new")
    session.run("steelyard evaluate --commit")
    return folder


@pytest.fixture
def reader(measured: Path, tmp_path: Path) -> Session:
    """A session with a leaderboard, ready to follow a page."""
    session = Session(
        Path(shutil.copytree(measured / "board", tmp_path / "board")), tmp_path / "repository.git"
    )
    session.run('git remote add origin "$REPOSITORY"')
    return session


def test_the_tutorial_ends_with_a_published_board_and_a_snapshot(tutorial: Session) -> None:
    """Its commands run in order; what is published has the board, the model and the frozen board."""
    published = tutorial.run(f"git --git-dir {tutorial.remote} ls-tree -r --name-only gh-pages").splitlines()
    assert {".nojekyll", "index.html", "reviews/models/exclaimer/index.html"} <= set(published)
    [frozen] = (tutorial.folder / "results/snapshots").glob("*/snapshot.json")
    assert f"snapshots/{frozen.parent.name}/snapshot.json" in published
    assert '"exclaimer"' in frozen.read_text(encoding="utf-8")
    assert tutorial.run("git status --porcelain") == ""


def test_what_the_tutorial_says_of_a_second_evaluation(tutorial: Session) -> None:
    """Nothing is measured where nothing has changed."""
    assert "3 unchanged" in tutorial.run("steelyard evaluate")


@pytest.mark.parametrize("page", HOW_TO)
def test_a_how_to_page_can_be_followed(reader: Session, page: str) -> None:
    """Everything that the page says to write or run works, one after the other, and the board can be read."""
    reader.follow(page)
    load_boards(reader.folder / "board.toml")


def test_the_metric_of_the_page_is_found_by_its_entry_point(reader: Session) -> None:
    """Installed as its pyproject says, the metric is one of a board's, and scores stored predictions."""
    for block in blocks("add-a-metric.md"):
        if block.path.startswith("shouting/"):
            reader.write(block)
    package = reader.folder / "shouting"
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = package / "shouting-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1.0\n")
    [(group, points)] = project["entry-points"].items()
    lines = "".join(f"{name} = {place}\n" for name, place in points.items())
    (installed / "entry_points.txt").write_text(f"[{group}]\n{lines}")
    board = reader.folder / "board.toml"
    column = '{ name = "positive-share", label = "Positive", unit = "%" },'
    board.write_text(board.read_text(encoding="utf-8").replace("metrics = [", f"metrics = [\n{column}", 1))
    reader.environment["PYTHONPATH"] = str(package)
    assert "positive-share" in reader.run("steelyard evaluate --dataset reviews")
    assert "positive-share" in reader.run("steelyard rank reviews --json")


def test_every_option_of_a_recipe_is_on_the_page() -> None:
    """The page on models has each option of a recipe in its row, with its default where that is a number."""
    rows = {
        row[0]: row[1]
        for row in re.findall(
            r"^\| `([\w-]+)` \| ([^|]*) \|$", (DOCS / "add-a-model.md").read_text("utf-8"), re.MULTILINE
        )
    }
    for name, recipe in RECIPES.items():
        for option, value in recipe.options.items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            said_so = f"`{option}` {value:g}" if number else f"`{option}`"
            assert said_so in rows[name], name


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_every_option_of_an_adapter_is_on_the_page(adapter: str, tmp_path: Path) -> None:
    """The page on models has each option that an adapter names when it refuses another one, and its name."""
    text = said("add-a-model.md")
    assert f"`{adapter}`" in text
    for task, labels in (("sentiment", ("negative", "neutral", "positive")), ("qa", ())):
        with pytest.raises(UserError) as refused:
            open_model(adapter, tmp_path, {"nosuch": 1}, task, labels)
        known = str(refused.value).partition("use only ")[2]
        assert [name for name in known.split(", ") if name and f"`{name}`" not in text] == []


def said(page: str) -> str:
    return " ".join((DOCS / page).read_text(encoding="utf-8").split())


def test_numbers_on_the_method_pages_are_those_of_the_code() -> None:
    """Thresholds and default weights that pages state are those that are used."""
    assert dynascore.EPSILON == 0.0001
    assert "that is 0.0001 of the largest base value" in said("dynascore.md")
    assert dynascore.ONE_PAIR_SHARE == 0.5
    assert "one pair supplies half or more is marked fragile" in said("dynascore.md")
    assert dynascore.default_weights(["a", "b", "c"], "a") == {"a": 0.5, "b": 0.25, "c": 0.25}
    assert "one half to the base metric and shares the other half equally" in said("dynascore.md")
    for share, least in re.findall(r"(\d+) for p(\d+)", said("measurement.md")):
        assert percentile(range(int(share)), int(least) / 100) is not None
        assert percentile(range(int(share) - 1), int(least) / 100) is None


def test_tables_of_the_method_pages_have_all_that_there_is() -> None:
    """No task, format, metric, recipe or adapter is missing where a page lists them."""
    for page, names in {
        "data.md": [*TASKS, *FORMATS],
        "metrics.md": [
            name for name in METRICS if not name.startswith(("micro-", "macro-", "weighted-", "samples-"))
        ],
        "add-a-model.md": [*ADAPTERS, *RECIPES],
    }.items():
        assert [name for name in names if f"`{name}`" not in said(page)] == []
