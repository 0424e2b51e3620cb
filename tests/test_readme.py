"""The README and the commands by example are true: commands run, the model is the one that is shipped."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from shortened import shorten

from evaluator.records.board import load_boards

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BY_EXAMPLE = (ROOT / "site_src" / "docs" / "by-example.md").read_text()
COMMANDS = re.findall(r"^\$ (.*)$", README + BY_EXAMPLE, re.MULTILINE)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tracked and new files of this working tree, in a repository of its own with an empty remote."""
    folder = tmp_path_factory.mktemp("clone")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    shorten(folder / "examples" / "demo" / "board.toml")
    pages = tmp_path_factory.mktemp("pages") / "pages.git"
    subprocess.run(["git", "init", "--quiet", "--bare", pages], check=True)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    subprocess.run(["git", "remote", "add", "origin", pages], cwd=folder, check=True)
    return folder


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """This environment's commands on the path, and an author for commits."""
    identity = {
        f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, **identity, "PATH": path}


def run(command: str, clone: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, shell=True, cwd=clone, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def test_the_commands_run(clone: Path, environment: dict[str, str]) -> None:
    """Every command that is no make target runs, in the order shown, and the site is published."""
    for command in COMMANDS:
        if not command.startswith("make"):
            run(command, clone, environment)
    published = run(
        "git ls-remote origin gh-pages && git fetch -q origin gh-pages && git ls-tree --name-only FETCH_HEAD",
        clone,
        environment,
    ).split()
    assert {"index.html", ".nojekyll", "demo"} <= set(published)


def test_make_demo_builds_a_site_and_commits_nothing(clone: Path, environment: dict[str, str]) -> None:
    """`make demo`, given an environment that is already filled, ends with a site and how to open it."""
    run("git add . && git commit --quiet --message start", clone, environment)
    filled = f"BIN={Path(sys.executable).parent} -o .venv/.installed-baselines,fasttext"
    said = run(f"make demo {filled}", clone, environment)
    assert "steelyard serve build" in said
    page = (clone / "build" / "demo" / "index.html").read_text()
    for model in ("Majority class", "VADER", "TF-IDF + logistic regression", "fastText"):
        assert model in page
    assert run("git status --porcelain", clone, environment) == ""


def test_the_make_targets_exist() -> None:
    """Each make command of the README is a target."""
    for command in COMMANDS:
        if command.startswith("make"):
            subprocess.run([*command.split(), "--dry-run"], cwd=ROOT, capture_output=True, check=True)


def test_the_board_file_shown_is_read(tmp_path: Path) -> None:
    """The board.toml that is shown passes the checks of a real one."""
    shown = re.search(r"## board\.toml.*?```toml\n(.*?)```", BY_EXAMPLE, re.DOTALL)
    assert shown
    board = tmp_path / "board.toml"
    board.write_text('title = "T"\n' + shown.group(1).replace('"..."', f'"{"0" * 64}"'))
    assert load_boards(board).boards[0].weights == {"accuracy": 3, "memory": 1}


def test_the_report_shown_prints_what_it_says(clone: Path) -> None:
    """The example of the metric registry runs and prints the number in its comment."""
    shown = re.search(r"```python\n(from evaluator.score.metrics.*?)```", BY_EXAMPLE, re.DOTALL)
    assert shown
    done = subprocess.run(
        [sys.executable, "-c", shown.group(1)], cwd=clone, capture_output=True, text=True, check=True
    )
    expected = re.search(r"# (\d+\.\d+):", shown.group(1))
    assert expected
    assert done.stdout.strip() == expected.group(1)


def test_the_model_shown_is_the_one_shipped() -> None:
    """The README's ten-line model is examples/my-model/handler.py."""
    shown = re.search(r"<!-- examples/my-model/handler.py -->\n```python\n(.*?)```", README, re.DOTALL)
    assert shown
    source = (ROOT / "examples" / "my-model" / "handler.py").read_text()
    assert shown.group(1) == source
    assert sum(bool(line.strip()) for line in source.splitlines()) <= 12


def test_the_readme_is_short_and_its_links_lead_somewhere() -> None:
    """At most 120 lines; each file that it shows or links is there, and its pictures are at most 200 KB."""
    assert len(README.splitlines()) <= 120
    named = re.findall(r"\]\(([^)#:]+)\)|(?:src|srcset)=\"([^\"]+)\"", README)
    files = [ROOT / (link or picture) for link, picture in named]
    assert len(files) > 15
    assert [str(file) for file in files if not file.is_file()] == []
    assert sum(file.stat().st_size for file in files if file.suffix == ".webp") <= 200_000
