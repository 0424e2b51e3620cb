"""The README, the tutorial and the how-to pages are correct: these tests do what they say.

A console block is run, command by command. A block after "In `PATH`:" is a file, after "At the end of
`PATH`:" goes to its end, and after "change `PATH`:" replaces the lines of its keys, or joins [site] (an
address) or the first dataset. Other Python is run; other TOML is parsed; bash blocks need a network and are
not run, nor is YAML, which is for the hosts of repositories (see tests/publish/test_elsewhere.py).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from llama_server import llama_server
from shortened import shorten
from tiny_decoders import CHAT, save_decoder
from tiny_gguf import write_gguf

from evaluator.records.board import load_boards
from evaluator.records.store import Store

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "site_src" / "docs"
HOW_TO = [
    *("add-a-model.md", "import.md", "data.md", "extend.md", "publish.md"),
    *("collect.md", "cluster.md", "cite.md", "export.md", "table.md"),
]
BLOCK = re.compile(r"([^\n]*)\n\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLACES = {
    "file": r"\bIn `([^`]+)`:$",
    "end": r"\b[Aa]t the end of `([^`]+)`:$",
    "change": r"\bchange `([^`]+)`:$",
}
WHO = {
    f"GIT_{role}_{what}": "t@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}
ENVIRONMENT = {**os.environ, **WHO, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


@dataclass(frozen=True)
class Block:
    """A fenced block; `place` says how it is about the file at `path`, if it is about one."""

    language: str
    text: str
    place: str | None = None
    path: str = ""


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order; each is of a kind that the tests know what to do with."""
    text = (DOCS / page).read_text("utf-8")
    found = BLOCK.findall(text)
    assert len(found) * 2 == text.count("```"), page
    for before, language, content in found:
        assert language in {"console", "bash", "python", "toml", "csv", "yaml"}, page
        matches = {place: re.search(pattern, before) for place, pattern in PLACES.items()}
        place = next((place for place, match in matches.items() if match), None)
        yield Block(language, content, place, matches[place][1] if place else "")  # type: ignore[index]


def call(command: list[str], folder: Path, environment: Mapping[str, str] = ENVIRONMENT) -> str:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


class Session:
    """A person at a terminal: a folder, an environment, an empty repository to publish to."""

    def __init__(self, folder: Path, remote: Path) -> None:
        self.folder, self.remote = folder, remote
        call(["git", "init", "--quiet", "--bare", str(remote)], folder)
        self.environment = {**ENVIRONMENT, "REPOSITORY": str(remote)}

    def follow(self, page: str, edit: Callable[[Block], Block] = lambda block: block) -> None:
        """Do everything the page says; `edit` puts in what is else where the test runs."""
        for block in map(edit, blocks(page)):
            if block.place:
                self.write(block)
            elif block.language == "console":
                for line in block.text.splitlines():
                    self.run(line.removeprefix("$ "))
            elif block.language == "python":
                call([sys.executable, "-c", block.text], self.folder, self.environment)
            elif block.language == "toml":
                tomllib.loads(block.text)

    def write(self, block: Block) -> None:
        path = self.folder / block.path
        if block.place == "file":
            assert not path.exists()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.place == "end":
            path.write_text(f"{path.read_text('utf-8')}\n{block.text}", encoding="utf-8")
        else:
            path.write_text(changed(path.read_text("utf-8"), block.text), encoding="utf-8")

    def run(self, command: str) -> str:
        if command.startswith("cd "):
            self.folder /= command.removeprefix("cd ")
            return ""
        if command.startswith(("steelyard serve", "steelyard collect ")):
            return self.look(command.split())
        printed = call(["bash", "-c", command], self.folder, self.environment)
        if command.startswith("steelyard init ") and "--results" not in command:
            shorten(self.folder / command.split()[2] / "board.toml")
        return printed

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


def test_the_tutorial_ends_with_a_published_board_and_a_snapshot(tmp_path: Path) -> None:
    """Its commands run in order; the board, the model and the snapshot are published; nothing is left to do."""
    session = Session(tmp_path, tmp_path / "repository.git")
    session.follow("tutorial.md")
    published = session.run(f"git --git-dir {session.remote} ls-tree -r --name-only gh-pages").splitlines()
    assert {".nojekyll", "index.html", "reviews/models/exclaimer/index.html"} <= set(published)
    [frozen] = (session.folder / "results/snapshots").glob("*/snapshot.json")
    assert f"snapshots/{frozen.parent.name}/snapshot.json" in published
    assert '"exclaimer"' in frozen.read_text(encoding="utf-8")
    assert session.run("git status --porcelain") == ""
    assert "3 unchanged" in session.run("steelyard evaluate")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new leaderboard whose results are committed."""
    folder = tmp_path_factory.mktemp("measured")
    session = Session(folder, folder / "repository.git")
    session.run("steelyard init board --author Ada")
    session.run("cd board")
    session.run("git init --quiet --initial-branch main && git add --all && git commit --quiet --message new")
    session.run("steelyard evaluate --commit")
    return session.folder


@pytest.fixture
def reader(measured: Path, tmp_path: Path) -> Session:
    """A session with a leaderboard, ready to follow a page."""
    session = Session(Path(shutil.copytree(measured, tmp_path / "board")), tmp_path / "repository.git")
    session.run('git remote add origin "$REPOSITORY"')
    return session


@pytest.mark.parametrize("page", HOW_TO)
def test_a_how_to_page_can_be_followed(reader: Session, page: str) -> None:
    """Everything that the page says to write or run works, one after the other, and the board can be read."""
    reader.follow(page)
    load_boards(reader.folder / "board.toml")


def test_the_page_on_logs_can_be_followed(tmp_path: Path) -> None:
    """Logs of four tools, as the tools wrote them, become a board with a site."""
    session = Session(tmp_path, tmp_path / "repository.git")
    real = Path(__file__).parent / "exchange" / "real"
    for tool in ("lm-eval", "inspect", "helm", "lighteval"):
        shutil.copytree(real / tool, tmp_path / "logs" / tool)
    session.follow("logs.md")
    assert (session.folder / "build" / "my-board" / "index.html").exists()
    assert session.run("steelyard check").endswith("0 problems in 6 results\n")


def test_the_page_on_answers_can_be_followed(tmp_path: Path) -> None:
    """Two models of three runs become a board with costs; the board file has the table as the page shows it."""
    session = Session(tmp_path, tmp_path / "repository.git")
    session.follow("answers.md")
    assert (session.folder / "build" / "gold" / "models" / "Small" / "index.html").exists()
    [shown] = [
        tomllib.loads(one.text)["predictions"] for one in blocks("answers.md") if one.language == "toml"
    ]
    assert tomllib.loads((session.folder / "board.toml").read_text())["predictions"] == shown
    assert session.run("steelyard import").count("unchanged") == 2
    assert session.run("steelyard check").endswith("0 problems in 2 results\n")


def test_the_page_on_models_here_can_be_followed(tmp_path: Path) -> None:
    """What llama.cpp's server answers, its file in a worker and code are on one board, each with what it has."""
    opened = find_spec("llama_cpp") is not None  # compiled at its installation, so not wherever tests run
    session = Session(tmp_path, tmp_path / "repository.git")
    (tmp_path / "films" / "models" / "qwen").mkdir(parents=True)
    decoder = save_decoder(tmp_path / "llama", chat=CHAT)
    file = write_gguf(decoder, tmp_path / "films" / "models" / "qwen" / "qwen.gguf")
    with llama_server(file) as server:

        def as_here(block: Block) -> Block:
            if 'adapter = "gguf"' in block.text and not opened:
                return replace(block, text="")
            text = block.text.replace("http://localhost:8080/v1", server.url)
            return replace(block, text=text.replace("seconds = 20", "repeats = 1\nseconds = 0.001"))

        session.follow("local.md", as_here)
    results = {one.model.id: one for one in Store(session.folder / "results").results()}
    assert results.keys() == {"qwen-served", "words", *(["qwen"] if opened else [])}
    served = results.pop("qwen-served")
    assert {"answer_s", "output_tokens"} <= served.scores.keys()
    assert (served.provenance, served.failures, served.measurement) == ("recorded", (), None)
    assert all({"throughput", "memory"} <= one.scores.keys() for one in results.values())
    assert results["words"].scores["accuracy"].value == 87.5
    ranked = json.loads(session.run("steelyard rank films --json"))
    assert {one["model"] for one in ranked["models"]} == {"qwen-served", *results}
    assert (session.folder / "build" / "films" / "models" / "qwen-served" / "index.html").exists()


def test_the_metric_of_the_page_is_found_by_its_entry_point(reader: Session) -> None:
    """Installed as its pyproject says, the metric is one of a board's, and scores stored predictions."""
    for block in blocks("extend.md"):
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
    path = f"{package}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    reader.environment["PYTHONPATH"] = path.rstrip(os.pathsep)
    reader.run("steelyard evaluate --dataset reviews")
    assert "positive-share" in reader.run("steelyard rank reviews --json")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tracked and new files of this working tree, in a repository of its own with an empty remote."""
    folder = tmp_path_factory.mktemp("clone")
    listed = call(["git", "ls-files", "--cached", "--others", "--exclude-standard"], ROOT)
    for name in listed.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    shorten(folder / "examples" / "demo" / "board.toml")
    pages = tmp_path_factory.mktemp("pages") / "pages.git"
    call(["git", "init", "--quiet", "--bare", str(pages)], folder)
    call(["git", "init", "--quiet"], folder)
    call(["git", "remote", "add", "origin", str(pages)], folder)
    return folder


def test_the_commands_of_readme_and_examples_run(clone: Path) -> None:
    """Every command that is no make target runs, in the order shown, and the site is published."""
    text = (ROOT / "README.md").read_text("utf-8") + (DOCS / "by-example.md").read_text("utf-8")
    for command in re.findall(r"^\$ (?!make)(.*)$", text, re.MULTILINE):
        call(["bash", "-c", command], clone)
    branch = "git fetch -q origin gh-pages && git ls-tree --name-only FETCH_HEAD"
    assert {"index.html", ".nojekyll", "demo"} <= set(call(["bash", "-c", branch], clone).split())


def test_make_demo_builds_a_site_and_commits_nothing(clone: Path) -> None:
    """`make demo`, given an environment that is already filled, ends with a site and how to open it."""
    call(["bash", "-c", "git add . && git commit --quiet --message start"], clone)
    filled = f"BIN={Path(sys.executable).parent} -o .venv/.installed-baselines,fasttext"
    assert "steelyard serve build" in call(["bash", "-c", f"make demo {filled}"], clone)
    page = (clone / "build" / "demo" / "index.html").read_text()
    for model in ("Majority class", "VADER", "TF-IDF + logistic regression", "fastText"):
        assert model in page
    assert call(["git", "status", "--porcelain"], clone) == ""


def test_the_report_shown_prints_what_it_says(tmp_path: Path) -> None:
    """The example of the metrics runs and prints the number in its comment."""
    page = (DOCS / "by-example.md").read_text("utf-8")
    shown = re.search(r"```python\n(from evaluator.score.metrics.*?# (\d+\.\d+):.*?)```", page, re.DOTALL)
    assert shown
    assert call([sys.executable, "-c", shown[1]], tmp_path).strip() == shown[2]
