"""The import arrows of the design: each room imports only what it may."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from built_modules import modules_of_a_build

from site_src.generator.runtime import SCORERS

ROOT = Path(__file__).parent.parent

# What each room may import of the project directly; what these may import is allowed too.
MAY_IMPORT: dict[str, set[str]] = {
    "evaluator.rank.dynascore": set(),
    "evaluator.rank.tradeoffs": {"evaluator.rank.dynascore"},
    "evaluator.rank.significance": set(),
    "evaluator.rank.rank_sets": {"evaluator.rank.dynascore", "evaluator.rank.significance"},
    "evaluator.rank.rank_answers": {"evaluator.rank.rank_sets"},
    "evaluator.rank.what_if": {"evaluator.rank.rank_sets", "evaluator.rank.tradeoffs"},
    "evaluator.rank.difficulty_order": set(),
    "evaluator.rank.difficulty_resampling": set(),
    "evaluator.rank.difficulty_rows": {"evaluator.rank.difficulty_order"},
    "evaluator.rank.difficulty_sentences": {"evaluator.rank.difficulty_rows", "evaluator.rank.significance"},
    "evaluator.rank.difficulty": {
        "evaluator.rank.difficulty_resampling",
        "evaluator.rank.difficulty_sentences",
    },
    "evaluator.score.difficulty_table": {"evaluator.rank.difficulty"},
    "evaluator.rank.own_predictions": {"evaluator.rank.difficulty"},
    "evaluator.records.invisible": set(),
    "evaluator.data.plain_text": set(),
    "evaluator.records.suggesting": set(),
    "evaluator.records.scratch": set(),
    "evaluator.records": {"evaluator.records.invisible"},
    "evaluator.score.pretrained": set(),
    "evaluator.score.metrics": {"evaluator.score.pretrained"},
    "evaluator.score.stats": {"evaluator.score.metrics"},
    "evaluator.records.board": {
        "evaluator.records",
        "evaluator.rank.dynascore",
        "evaluator.records.suggesting",
    },
    "evaluator.records.store": {"evaluator.records", "evaluator.records.scratch"},
    "evaluator.records.published_schemas": {"evaluator.records", "evaluator.records.store"},
    "evaluator.records.garbage": set(),
    "evaluator.publish.git": set(),
    "evaluator.publish.snapshots": {
        "evaluator.records.board",
        "evaluator.rank.dynascore",
        "evaluator.publish.git",
        "evaluator.rank.rank_sets",
        "evaluator.records",
        "evaluator.records.store",
    },
    "evaluator.data.tasks": {
        "evaluator.data.plain_text",
        "evaluator.records",
        "evaluator.records.suggesting",
    },
    "evaluator.data.datasets": {"evaluator.data.tasks"},
    "evaluator.measure.models": {
        "evaluator.score.pretrained",
        "evaluator.data.tasks",
        "evaluator.data.datasets",
    },
    "evaluator.measure.difficulty_sources": {
        "evaluator.records.board",
        "evaluator.score.metrics",
        "evaluator.measure.models",
        "evaluator.records.store",
    },
    "evaluator.measure.isolation": set(),
    "evaluator.measure.worker": {
        "evaluator.measure.isolation",
        "evaluator.measure.models",
        "evaluator.data.tasks",
    },
    "evaluator.measure.timing": {"evaluator.measure.worker"},
    "evaluator.data.suites": {"evaluator.data.tasks"},
    "evaluator.score": {
        "evaluator.records.board",
        "evaluator.data.datasets",
        "evaluator.rank.difficulty",
        "evaluator.score.difficulty_table",
        "evaluator.score.metrics",
        "evaluator.rank.own_predictions",
        "evaluator.rank.rank_sets",
        "evaluator.score.stats",
        "evaluator.records.store",
        "evaluator.data.suites",
    },
    "evaluator.publish": {"evaluator.measure.models", "evaluator.score", "evaluator.publish.snapshots"},
    "evaluator.publish.quality": {"evaluator.records.board", "evaluator.records"},
    "evaluator.exchange": {"evaluator.score", "evaluator.rank.dynascore", "evaluator.records.invisible"},
    "evaluator.notebook": {"evaluator.records.invisible", "evaluator.score"},
    "evaluator.tryit": {"evaluator.score", "evaluator.measure.worker"},
    "evaluator.measure.run": {
        "evaluator.publish.git",
        "evaluator.measure.isolation",
        "evaluator.measure.timing",
        "evaluator.score",
    },
    # What a site's page for writers needs of collections: no model is among it.
    "evaluator.rounds.errors": set(),
    "evaluator.rounds.events": {"evaluator.records"},
    "evaluator.rounds.lines": {"evaluator.rounds.errors", "evaluator.records.scratch", "evaluator.records"},
    "evaluator.rounds.prompts": {"evaluator.rounds.lines", "evaluator.data.tasks"},
    "evaluator.rounds.collection": {
        "evaluator.records.board",
        "evaluator.rounds.events",
        "evaluator.rounds.prompts",
        "evaluator.score.metrics",
    },
    "evaluator.rounds": {
        "evaluator.rounds.collection",
        "evaluator.records.garbage",
        "evaluator.exchange",
        "evaluator.measure.run",
    },
    "evaluator.cluster": {"evaluator.measure.run"},
    "evaluator.cli": {
        "evaluator.tryit",
        "evaluator.rounds",
        "evaluator.measure.difficulty_sources",
        "evaluator.cluster",
        "evaluator.rank.rank_sets",
        "evaluator.exchange",
        "evaluator.measure.isolation",
        "evaluator.publish",
        "evaluator.publish.quality",
        "evaluator.measure.run",
        "evaluator.records.published_schemas",
        "site_src.generator",
    },
    "site_src.generator.views": {
        "evaluator.records.board",
        "evaluator.rank.difficulty",
        "evaluator.records.invisible",
        "evaluator.score.metrics",
        "evaluator.rank.rank_answers",
        "evaluator.publish.snapshots",
        "evaluator.score.stats",
        "evaluator.rank.tradeoffs",
        "evaluator.rank.what_if",
    },
    "site_src.generator.pages": {
        "evaluator.publish.quality",
        "evaluator.data.tasks",
        "site_src.generator.views",
        "site_src.generator.base",
    },
    "site_src.generator.files": {
        "evaluator.exchange",
        "site_src.generator.files.reference",
        "site_src.generator.pages",
    },
    "site_src.generator.files.reference": {
        "evaluator.records.board",
        "evaluator.cli",
        "evaluator.data.datasets",
        "evaluator.score.metrics",
        "evaluator.records",
        "evaluator.data.tasks",
    },
    # What stands beside the rooms and knows nothing of them.
    "site_src.generator.base": {
        "evaluator.rounds.collection",
        "evaluator.publish.snapshots",
        "evaluator.data.suites",
    },
    "site_src.generator": {"evaluator.records.garbage", "evaluator.score", "site_src.generator.files"},
}
#: Modules of the generator that stand beside its rooms: below all of them, but for the two on top.
BESIDE = {
    *("assets", "browser_copies", "collecting", "compiled", "distribution", "inputs", "networks", "output"),
    *("parallel", "runtime", "urls"),
}

#: The rooms of the assets, each with those that it may import.
ASSETS = ROOT / "site_src" / "assets"
SCRIPTS_MAY_IMPORT = {
    "base": set(),
    "collect": {"base", "scorer"},
    "scorer": {"base"},
    "view": {"base", "scorer"},
    "charts": {"base", "scorer", "view"},
    "parts": {"base", "charts", "scorer", "view"},
    "pages": {"base", "charts", "collect", "parts", "scorer", "view"},
}

#: Who imports these may import nothing of what they import: the reference looks at all of the project.
CLOSED = {"site_src.generator.files.reference"}

BROWSER_ROOMS = [path.removesuffix(".py") for path in SCORERS]


def allowed(room: str) -> set[str]:
    """A room's own name, what it may import, and what these may import in turn."""
    found, todo = {room}, [room]
    while todo:
        for other in MAY_IMPORT[todo.pop()] - found:
            found.add(other)
            todo += [] if other in CLOSED else [other]
    return found


def room_of(module: str) -> str:
    """The longest room whose name the module's starts with; part of the generator's modules have one of their own."""
    words = module.split(".")
    if words[:2] == ["site_src", "generator"] and words[2:] and words[2] in BESIDE:
        return "site_src.generator.base"
    names = (".".join(words[:end]) for end in range(len(words), 1, -1))
    return next((name for name in names if name in MAY_IMPORT), module)


def sources() -> Iterator[tuple[str, Path]]:
    for package in ("evaluator", "site_src"):
        for path in sorted(
            set((ROOT / package).rglob("*.py")) - set((ROOT / package).glob("node_modules/**/*"))
        ):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            if "." in module:
                yield module, path


def imports(path: Path, module: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import; the house imports by full name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize(("module", "path"), list(sources()), ids=[module for module, _ in sources()])
def test_arrows(module: str, path: Path) -> None:
    """Every import of the project's own modules follows the arrows."""
    may = allowed(room_of(module))
    for imported in imports(path, module):
        room = room_of(imported)
        if room in MAY_IMPORT:
            assert room in may, f"{module} imports {imported}"


@pytest.mark.parametrize("room", sorted(path.name for path in ASSETS.iterdir()))
def test_scripts_follow_the_arrows_too(room: str) -> None:
    """A script imports from its own room and from those below it, and takes its types from there."""
    for path in (ASSETS / room).glob("*.js"):
        for other in re.findall(r'"\.\./(\w+)/[\w-]+\.js"', path.read_text("utf-8")):
            assert other in SCRIPTS_MAY_IMPORT[room], f"{path.name} imports from {other}"


@pytest.mark.parametrize("room", BROWSER_ROOMS)
def test_browser_modules_import_the_standard_library_only(room: str) -> None:
    """What runs in the browser imports nothing but the standard library and what runs there too."""
    path = ROOT / "evaluator" / f"{room}.py"
    for imported in imports(path, room):
        beside = imported.startswith(tuple(f"evaluator.{other}." for other in BROWSER_ROOMS))
        assert beside or imported.split(".")[0] in sys.stdlib_module_names, imported


def test_a_worker_reads_no_dataset() -> None:
    """The process that holds a model does not even load the code that reads gold labels."""
    code = "import sys, evaluator.measure.worker.child; print([m for m in sys.modules if m.startswith('evaluator.data.datasets')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_building_needs_no_model_library(tmp_path: Path) -> None:
    """A real build, with docs, snapshots and social pictures, loads no models, workers or model libraries."""
    modules = modules_of_a_build(tmp_path)
    assert {"site_src.generator.build", "site_src.generator.files.docs"} < modules.keys()
    packages = {".".join(name.split(".")[:2]) for name in modules} | {name.split(".")[0] for name in modules}
    assert not packages & {
        "torch",
        "transformers",
        "sklearn",
        "evaluator.measure.models",
        "evaluator.measure.worker",
        "evaluator.measure.timing",
    }


@pytest.mark.parametrize("room", BROWSER_ROOMS)
def test_scorers_load_from_their_files_alone(room: str, tmp_path: Path) -> None:
    """Neither the rest of the project nor any package is needed: these files are all that a page loads."""
    (tmp_path / "evaluator").mkdir()
    for name in SCORERS:
        shutil.copy(ROOT / "evaluator" / name, tmp_path / "evaluator")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import evaluator.{room}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_dynascore_loads_from_its_file_alone(tmp_path: Path) -> None:
    """The one file is all that a snapshot has to keep to be ranked again."""
    shutil.copy(ROOT / "evaluator" / "dynascore.py", tmp_path)
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import dynascore; assert 'evaluator' not in sys.modules"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
