"""What README, CONTRIBUTING, CITATION.cff and the pages of the documentation say is what the code has."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from evaluator import __version__
from evaluator.data.tasks import TASKS
from evaluator.measure.models import ADAPTERS, open_model
from evaluator.measure.models.recipes import RECIPES
from evaluator.measure.timing.measurement import percentile
from evaluator.rank import dynascore
from evaluator.records.board import load_boards
from evaluator.records.errors import UserError
from evaluator.score.metrics import METRICS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "site_src" / "docs"
README = (ROOT / "README.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
#: A text that looks like the name of a variable, and those of our modules that are none of an environment.
VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
NO_VARIABLES = {"ERROR", "GET", "HEAD", "METEOR", "OCR", "PATCH", "POST", "PYTHON", "SC_PAGE_SIZE"}


def said(page: str) -> str:
    return " ".join((DOCS / page).read_text("utf-8").split())


def test_the_model_shown_is_the_one_shipped() -> None:
    """The README's ten-line model is examples/my-model/handler.py."""
    shown = re.search(r"<!-- examples/my-model/handler.py -->\n```python\n(.*?)```", README, re.DOTALL)
    assert shown
    assert shown[1] == (ROOT / "examples/my-model/handler.py").read_text("utf-8")


def test_the_readme_is_short_and_its_pictures_are_small() -> None:
    """At most 120 lines, and 200 KB of pictures."""
    assert len(README.splitlines()) <= 120
    pictures = re.findall(r"(?:src|srcset)=\"([^\"]+)\"", README)
    assert 0 < sum((ROOT / picture).stat().st_size for picture in pictures) <= 200_000


@pytest.mark.parametrize("text", [README, CONTRIBUTING], ids=["README", "CONTRIBUTING"])
def test_links_lead_somewhere_and_make_targets_exist(text: str) -> None:
    """Each file that is linked is there, and each `make` command is a target."""
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    assert [link for link in links if not (ROOT / link).is_file()] == []
    for target in set(re.findall(r"^\$ make ([\w-]+)", text, re.MULTILINE)):
        subprocess.run(["make", target, "--dry-run"], cwd=ROOT, capture_output=True, check=True)


def test_links_between_pages_lead_somewhere_in_the_repository_too() -> None:
    """Each file that a page of the documentation links to lies where the link says, as a host of git shows it."""
    links = [
        (page.relative_to(DOCS).as_posix(), link)
        for page in DOCS.rglob("*.md")
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    ]
    assert len(links) > 100
    assert [(page, link) for page, link in links if not (DOCS / page).parent.joinpath(link).is_file()] == []


@pytest.mark.parametrize(
    "text", [said("architecture.md"), CONTRIBUTING], ids=["architecture", "CONTRIBUTING"]
)
def test_files_on_the_map_are_there(text: str) -> None:
    """Each path in code marks that begins with a folder of ours leads to a file or folder."""
    paths = re.findall(
        r"`((?:evaluator|site_src|templates|tests|release|examples|benchmarks)/[\w./-]*)`", text
    )
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_board_file_shown_is_read(tmp_path: Path) -> None:
    """The board.toml of the examples passes the checks of a real one."""
    shown = re.search(
        r"## board\.toml.*?```toml\n(.*?)```", (DOCS / "by-example.md").read_text("utf-8"), re.DOTALL
    )
    assert shown
    board = tmp_path / "board.toml"
    board.write_text('title = "T"\n' + shown[1].replace('"..."', f'"{"0" * 64}"'))
    assert load_boards(board).boards[0].weights == {"accuracy": 3, "memory": 1}


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


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_every_option_of_an_adapter_is_on_the_page(adapter: str, tmp_path: Path) -> None:
    """The page on models has each option that an adapter names when it refuses another one."""
    text = said("add-a-model.md")
    for task, labels in (("sentiment", ("negative", "neutral", "positive")), ("qa", ())):
        with pytest.raises(UserError) as refused:
            open_model(adapter, tmp_path, {"nosuch": 1}, task, labels)
        known = str(refused.value).partition("use only ")[2]
        assert [name for name in known.split(", ") if name and f"`{name}`" not in text] == []


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


def test_pages_that_list_things_have_all_of_them() -> None:
    """No task, metric, recipe or adapter is missing where a page lists them."""
    averages = ("micro-", "macro-", "weighted-", "samples-")
    for page, names in {
        "data.md": TASKS,
        "metrics.md": [name for name in METRICS if not name.startswith(averages)],
        "add-a-model.md": [*ADAPTERS, *RECIPES],
    }.items():
        assert [name for name in names if f"`{name}`" not in said(page)] == []


def variables() -> Iterator[str]:
    """Every text that looks like a variable's name, in modules that read or make an environment."""
    for package in ("evaluator", "site_src/generator"):
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text("utf-8")
            if re.search(r"environ\b|\bdef environment\b|environment\[", text):
                texts = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
                yield from (
                    one for one in texts if isinstance(one, str) and len(one) > 2 and VARIABLE.fullmatch(one)
                )


def test_every_environment_variable_is_on_the_page() -> None:
    """What the code reads or sets for others is documented, and what is documented is in the code."""
    section = (DOCS / "by-example.md").read_text("utf-8").partition("## Environment variables")[2]
    rows = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`([A-Z_0-9]+)`", row)}
    used = set(variables()) - NO_VARIABLES
    assert sorted(used - documented) == []
    assert sorted(documented - used) == []


def test_the_citation_is_of_this_version() -> None:
    """CITATION.cff has the keys that schema 1.2.0 asks for, names no person, and says what code and changelog do."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "software")
    assert [list(author) for author in cited["authors"]] == [["name"]]
    assert f'license = "{cited["license"]}"' in (ROOT / "pyproject.toml").read_text("utf-8")
    assert cited["version"] == __version__
    released = f"\n## {__version__} ({cited['date-released']})\n"
    assert released in (ROOT / "CHANGELOG.md").read_text("utf-8")
