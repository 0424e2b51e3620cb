"""The reference is made of the code, and everything in the code that people use is in it."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from pydantic import BaseModel

from evaluator.cli import COMMANDS
from evaluator.cli import reference as commands_reference
from evaluator.data.datasets import FORMATS
from evaluator.records.base import Record
from evaluator.records.references import Removal
from evaluator.score.metrics import METRICS
from site_src.generator.pages import reference
from site_src.generator.pages.docs import SOURCE

ROOT = Path(__file__).parents[2]


def rows(page: str) -> set[str]:
    """The first cells of the rows of a page's tables."""
    return set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE))


def test_the_pages_in_the_repository_are_those_of_the_code() -> None:
    """What is committed is what the code makes (else run: make schemas)."""
    there = {f"reference/{path.name}": path.read_text("utf-8") for path in (SOURCE / "reference").iterdir()}
    assert there == {name: f"{text}\n" for name, text in commands_reference.pages().items()}


def test_every_command_is_there_with_its_options_and_an_example() -> None:
    """Each command has a heading, a sentence, and a meaning for every option; those that end, an example."""
    page = commands_reference.commands_page()
    found = dict(commands_reference.commands())
    assert {f"steelyard {name}" for name in COMMANDS} < set(found)
    for name, command in found.items():
        about, examples = commands_reference.help_of(command)
        assert f"## {name}\n" in page
        assert about, f"{name}: has no help"
        assert examples or name.count(" ") > 1, f"{name}: its help has no example"
        for written, meaning in commands_reference.options(command):
            assert f"| `{written}` |" in page
            assert re.sub(r"\[[^]]*\]", "", meaning).strip(), f"{name}: {written}: has no help"


def records_in(folder: str) -> set[type[BaseModel]]:
    """The records that the modules of a folder of the house define."""
    names = [path.relative_to(ROOT).with_suffix("") for path in (ROOT / folder).rglob("*.py")]
    modules = [import_module(".".join(name.parts)) for name in names if name.name != "__main__"]
    return {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, BaseModel) and value.__module__ == module.__name__
    }


def test_every_key_of_board_toml_is_there() -> None:
    """Every table of the file has a section, every key a row with a meaning."""
    tables = reference.board_tables()
    there = {base for _, record in tables for base in record.__mro__}
    assert records_in("evaluator/records/board") <= there
    page = reference.board_page()
    for title, record in tables:
        assert f"## {title}\n" in page
        assert record.model_fields.keys() <= rows(page)
        undescribed = [name for name, field in record.model_fields.items() if not field.description]
        assert not undescribed, f"{record.__name__}: Field(description=...) is missing for {undescribed}"


def test_every_record_field_is_there() -> None:
    """Every record, those within records too, has a section, every field a row with a meaning."""
    page = reference.records_page()
    known = reference.all_records()
    # These two are what others begin with.
    ours = records_in("evaluator/records") - records_in("evaluator/records/board")
    assert ours - {Record, Removal} == set(known)
    for record in known:
        section = re.search(rf"^##+ {record.__name__}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
        assert section, record
        assert record.__doc__
        assert rows(section[1]) == set(record.model_fields)
        undescribed = [name for name, field in record.model_fields.items() if not field.description]
        assert not undescribed, f"{record.__name__}: Field(description=...) is missing for {undescribed}"


def test_every_metric_is_there() -> None:
    """Every metric of the registry has a row with a meaning."""
    assert rows(reference.metrics_page()) == set(METRICS)
    assert [name for name, metric in METRICS.items() if not metric.description] == []


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_there_with_what_it_reads(name: str) -> None:
    """Every format has a section, a sentence and places, each of which its code names."""
    form = FORMATS[name]
    assert f"\n## {name}\n" in reference.formats_page()
    assert form.about
    assert form.columns
    code = " ".join(
        Path(str(import_module(f"evaluator.data.datasets.formats.{module}").__file__)).read_text()
        for module in ("generic", module_of(name))
    )
    for place in form.columns:
        word = re.split(r"\W+", place.removesuffix("[]"))[-1]
        assert re.search(rf"\b{word}\b", code), place


def module_of(name: str) -> str:
    for path in (ROOT / "evaluator/data/datasets/formats").glob("*.py"):
        if f'Format(\n    "{name}"' in path.read_text() or f'Format("{name}"' in path.read_text():
            return path.stem
    return "generic"


@pytest.mark.slow
def test_the_reference_needs_no_model_library() -> None:
    """Commands are looked at, and load nothing that models or measurements need."""
    code = "import sys; from evaluator.cli import reference; reference.pages(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "evaluator.cli.evaluate" in loaded
    rooms = {
        "evaluator.measure.models",
        "evaluator.measure.worker",
        "evaluator.measure.timing",
        "evaluator.measure.run",
    }
    assert not loaded & {"torch", "transformers", "sklearn", "spacy", "nltk", "datasets", *rooms}
