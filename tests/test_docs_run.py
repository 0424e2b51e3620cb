"""README, CONTRIBUTING and the pages of the documentation are correct: these tests do what they say.

Each page is followed from its first block to its last, at a place made for it. A console block is run, command by
command. A block after "In `PATH`:" is a file, after "At the end of `PATH`:" goes to its end, and after "change
`PATH`:" replaces the lines of its keys, or joins [site] (an address) or the first dataset. Python that is no file is
run, as one program up to the next commands. What is marked as not run is listed in tests/test_docs.py, which also
reads what is marked, and knows every command and option that a page names.
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
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from docs_pages import PAGES, ROOT, Block, blocks
from llama_server import llama_server
from shortened import shorten
from tiny_decoders import CHAT, save_decoder
from tiny_gguf import write_gguf

from evaluator.records.board import load_boards
from evaluator.records.store import Store

pytestmark = pytest.mark.slow

#: Pages that begin with nothing, each with a test of its own.
FROM_NOTHING = {"tutorial.md", "table.md", "answers.md", "local.md", "logs.md"}
#: Pages that are read in a clone of this repository.
IN_A_CLONE = {"README.md", "CONTRIBUTING.md"}
#: Its blocks are those of a notebook, which tests/notebook/test_tutorial.py runs.
NOTEBOOK = {"python-tutorial.md"}
#: Pages that are read beside a leaderboard that has results.
BESIDE_A_BOARD = sorted(
    page
    for page in PAGES.keys() - FROM_NOTHING - IN_A_CLONE - NOTEBOOK
    if not page.startswith("reference/") and any(block.runs for block in blocks(page))
)
WHO = {
    f"GIT_{role}_{what}": "t@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}
ENVIRONMENT = {**os.environ, **WHO, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
#: The environment that `make` would fill is that of the tests; of what they are, it is enough that `make` knows it.
MADE = {
    "make demo": f"make demo BIN={Path(sys.executable).parent} -o .venv/.installed-baselines,fasttext",
    "make test": "make test --dry-run",
}


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
        program: list[str] = []
        for block in map(edit, blocks(page)):
            if block.place and not block.unrun:
                self.write(block)
            elif block.runs and block.language == "python":
                program.append(block.text)
            elif block.runs:
                self.run_python(program)
                for command in block.commands:
                    self.run(command)
        self.run_python(program)

    def run_python(self, program: list[str]) -> None:
        """Run what was shown up to here; where a line says in a comment what it prints, it prints that."""
        if not program:
            return
        text = "\n".join(program)
        program.clear()
        printed = call([sys.executable, "-c", text], self.folder, self.environment).split()
        assert set(re.findall(r"^print\(.*\)  # (\d[\d.]*)", text, re.MULTILINE)) <= set(printed)

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
        # Programs of the repository are run there: they only print.
        folder = ROOT if command.startswith("python benchmarks/") else self.folder
        printed = call(["bash", "-c", MADE.get(command, command)], folder, self.environment)
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


@pytest.mark.parametrize("page", BESIDE_A_BOARD)
def test_a_page_can_be_followed_beside_a_board(reader: Session, page: str) -> None:
    """Everything that the page says to write or run works, one after the other, and the board can be read."""
    reader.follow(page)
    load_boards(reader.folder / "board.toml")


def test_the_page_on_tables_can_be_followed(tmp_path: Path) -> None:
    """Numbers by model, verdicts of a judge and one more table become boards with a site."""
    session = Session(tmp_path, tmp_path / "repository.git")
    session.follow("table.md")
    assert (session.folder / "build" / "my-board" / "index.html").exists()
    boards = load_boards(session.folder / "board.toml").boards
    assert {"chats", "letters", "poems"} <= {dataset for board in boards for dataset in board.datasets}


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
    for block in blocks("metrics.md"):
        if block.path.startswith("praise/"):
            reader.write(block)
    package = reader.folder / "praise"
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = package / "praise-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1.0\n")
    [(group, points)] = project["entry-points"].items()
    lines = "".join(f"{name} = {place}\n" for name, place in points.items())
    (installed / "entry_points.txt").write_text(f"[{group}]\n{lines}")
    board = reader.folder / "board.toml"
    column = '{ name = "no-false-praise", label = "No false praise", unit = "%" },'
    board.write_text(board.read_text(encoding="utf-8").replace("metrics = [", f"metrics = [\n{column}", 1))
    path = f"{package}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    reader.environment["PYTHONPATH"] = path.rstrip(os.pathsep)
    reader.run("steelyard evaluate --dataset reviews")
    ranked = json.loads(reader.run("steelyard rank reviews --weight no-false-praise=1 --json"))
    assert all(model["rank_set"] for model in ranked["models"])


def test_the_page_of_the_map_is_built_beside_the_others(reader: Session, tmp_path: Path) -> None:
    """Its module, its template and its job, as the page says, in a copy of the generator."""
    unwanted = shutil.ignore_patterns("node_modules", "__pycache__")
    for folder in ("evaluator", "site_src", "templates"):
        shutil.copytree(ROOT / folder, tmp_path / "own" / folder, ignore=unwanted)
    for block in blocks("architecture.md"):
        if block.path.startswith(("site_src/", "templates/")):
            (tmp_path / "own" / block.path).write_text(block.text, encoding="utf-8")
    [job] = re.findall(r"`(yield .*)`", PAGES["architecture.md"].read_text("utf-8"))
    build = tmp_path / "own" / "site_src" / "generator" / "build.py"
    head, marked, rest = build.read_text("utf-8").partition("def _jobs(")
    body = rest.replace("    yield ", f"    {job}\n    yield ", 1)
    imported = "from site_src.generator.pages.weakest import write_weakest\n\n\n"
    build.write_text(f"{head}{imported}{marked}{body}", encoding="utf-8")
    reader.environment["PYTHONPATH"] = str(tmp_path / "own")
    reader.run("steelyard build")
    page = (reader.folder / "build" / "reviews" / "weakest" / "index.html").read_text(encoding="utf-8")
    ranked = json.loads(reader.run("steelyard rank --json"))["models"]
    labels = {spec.id: spec.label for spec in load_boards(reader.folder / "board.toml").models}
    listed = re.findall(r'<li dir="auto">([^<]*)</li>', page.partition("<h1>Weakest first</h1>")[2])
    assert listed == [labels[one["model"]] for one in reversed(ranked)]


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


def test_readme_and_contributing_can_be_followed_in_a_clone(clone: Path) -> None:
    """`make demo` ends with a site of four models and commits nothing; models can be tried and checked."""
    session = Session(clone, clone.with_suffix(".git"))
    session.run("git add . && git commit --quiet --message start")
    for page in sorted(IN_A_CLONE):
        session.follow(page)
    page = (clone / "build" / "demo" / "index.html").read_text()
    for model in ("Majority class", "VADER", "TF-IDF + logistic regression", "fastText"):
        assert model in page
    assert session.run("git status --porcelain") == ""
