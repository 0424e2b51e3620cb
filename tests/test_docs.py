"""What README, CONTRIBUTING, CITATION.cff and the pages of the documentation say is what the code has."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from docs_pages import DOCS, PAGES, ROOT, blocks, named_commands

from evaluator import __version__
from evaluator.cli import reference
from evaluator.data.tasks import TASKS
from evaluator.measure.models import ADAPTERS, open_model
from evaluator.measure.models.recipes import RECIPES
from evaluator.measure.timing.measurement import percentile
from evaluator.rank import dynascore
from evaluator.records.errors import UserError
from evaluator.score.metrics import METRICS
from site_src.generator.pages.docs import NAVIGATION

README = PAGES["README.md"].read_text("utf-8")
#: Blocks that nobody can follow where tests run, by the reason that their pages give.
NOT_RUN = {
    "it changes the environment": 2,
    "it fetches a model": 1,
    "it fetches packages": 2,
    "it takes Jury, in an environment of its own": 1,
    "it takes TextFlint, in an environment of its own": 1,
    "it takes a cluster": 1,
    "it takes minutes": 3,
    "it takes several machines": 1,
    "it takes the data of SST-2, which is not in the repository": 1,
    "people label first": 2,
    "people write first": 4,
    "the file comes from a visitor": 1,
    "the file is yours": 1,
    "the folder comes from another machine": 1,
    "the log is yours": 1,
    "they are the tests": 1,
}
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


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere_in_the_repository_too(page: str) -> None:
    """Each file that a page links to lies where the link says, as a host of git shows it."""
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", PAGES[page].read_text("utf-8"))
    assert links or page.startswith("reference/")
    assert [link for link in links if not PAGES[page].parent.joinpath(link).is_file()] == []


def test_files_that_pages_name_are_there() -> None:
    """Each path in code marks that begins with a folder of ours leads to a file or folder, but for a reader's own."""
    place = r"(?<!\bIn )`((?:evaluator|site_src|templates|tests|release|examples|benchmarks)/[\w./-]*)`"
    paths = {(page, path) for page in PAGES for path in re.findall(place, PAGES[page].read_text("utf-8"))}
    assert len(paths) > 50
    assert [path for path in paths if not (ROOT / path[1]).exists()] == []


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def options_of(words: list[str]) -> set[str]:
    """The options of the command of `steelyard` that these words call; without a subcommand, of all of a group."""
    names = [word for word in words if not word.startswith("-")]
    known = dict(reference.commands())
    called = max((name for name in known if f"steelyard {' '.join(names)} ".startswith(f"{name} ")), key=len)
    assert called != "steelyard" or not names, f"{words}: no such command"
    return {
        option
        for name, command in known.items()
        if name == called or name.startswith(f"{called} ")
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    } | {"-h", "--help", "-V", "--version"}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_a_page_names_exists(page: str) -> None:
    """Commands of `steelyard` with their options, targets of `make`, programs of the repository with theirs."""
    for program, *words in named_commands(page):
        given = {word.partition("=")[0] for word in words if re.match(r"-\D", word)}
        if program == "steelyard" and not words[0].isupper():
            assert given <= options_of(words), f"{words}: {given - options_of(words)}"
        if program == "make":
            wanted = {word for word in words if not word.startswith("-") and "=" not in word}
            assert wanted <= targets(), words
        if program == "python" and words[0].endswith(".py"):
            text = (ROOT / words[0]).read_text("utf-8")
            assert [option for option in given if f'"{option}"' not in text] == [], words


@pytest.mark.parametrize("page", PAGES)
def test_python_and_toml_of_a_page_can_be_read(page: str) -> None:
    """Those that nobody can run here, too."""
    for block in blocks(page):
        if block.language == "python":
            ast.parse(block.text)
        if block.language == "toml":
            tomllib.loads(block.text)


def test_what_is_not_run_is_listed_with_the_reason() -> None:
    """Every other block of commands or Python is run by tests/test_docs_run.py; the reference has examples only."""
    unrun = Counter(block.unrun.partition(";")[0] for page in PAGES for block in blocks(page) if block.unrun)
    assert dict(unrun) == NOT_RUN
    assert sum(unrun.values()) <= 30


def test_every_path_leads_from_page_to_page() -> None:
    """Each page of a path ends with its next one, by its title; the first page has all pages."""
    titles = {page: PAGES[page].read_text("utf-8").partition("\n")[0].removeprefix("# ") for page in PAGES}
    for names in (names for title, names in NAVIGATION.items() if title != "Reference"):
        for name, after in zip(names, [*names[1:], None], strict=True):
            end = f"Next: [{titles[after]}]({after})" if after else "Back to [all paths](index.md)"
            assert PAGES[name].read_text("utf-8").endswith(f"\n\n{end}\n"), f"{name}: {end}"
    first = PAGES["index.md"].read_text("utf-8")
    missing = [page for names in NAVIGATION.values() for page in names if f"]({page})" not in first]
    assert missing == ["index.md"]


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
    section = PAGES["reference/commands.md"].read_text("utf-8").partition("## Environment variables")[2]
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
