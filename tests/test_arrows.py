"""The import arrows of the house: each room imports only what it may."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.rank import FILES

ROOT = Path(__file__).parent.parent
BELOW_MEASURE = {"rank", "records", "data", "score"}
#: What each room of the evaluator may import of the others.
MAY_IMPORT = {
    "rank": set(),
    "records": {"rank"},
    "data": {"rank", "records"},
    "score": {"rank", "records", "data"},
    "measure": BELOW_MEASURE,
    "publish": BELOW_MEASURE,
    "exchange": BELOW_MEASURE,
}
#: Rooms that may import anything, and which only the command line and the site's pages of that name import.
SIDE_ROOMS = {"rounds", "tryit", "notebook", "cluster", "textflint"}
#: What the site imports of the evaluator, and the one module that may look at a side room.
SITE_MAY_IMPORT = {"rank", "records", "data", "score", "publish", "exchange"}
SITE_OF_A_SIDE_ROOM = {"collect": "rounds"}
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
BROWSER_MODULES = [path.removesuffix(".py") for path in FILES]


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, by its full name."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; the house imports by full name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_imported(path: Path) -> Iterator[str]:
    """Every room of the evaluator that a file imports from."""
    for name in imports(path):
        words = name.split(".")
        if words[0] == "evaluator" and (ROOT / "evaluator" / words[1]).is_dir():
            yield words[1]


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_from_those_below_it(room: str) -> None:
    """The core knows nothing of the side rooms, nor of what stands above it."""
    found = {
        (other, path.name)
        for path in (ROOT / "evaluator" / room).rglob("*.py")
        for other in rooms_imported(path)
        if other not in MAY_IMPORT[room] | {room}
    }
    assert not found


def test_the_evaluator_has_no_loose_modules_nor_unknown_rooms() -> None:
    """Whoever adds a room says where it stands."""
    folders = {path.parent.name for path in (ROOT / "evaluator").glob("*/__init__.py")}
    assert folders == {*MAY_IMPORT, *SIDE_ROOMS, "cli"}
    assert [path.name for path in (ROOT / "evaluator").glob("*.py")] == ["__init__.py"]


def test_the_site_runs_no_model_and_its_pages_know_one_side_room_each() -> None:
    """Building a site never imports what measures."""
    for path in (ROOT / "site_src" / "generator").rglob("*.py"):
        may = SITE_MAY_IMPORT | {SITE_OF_A_SIDE_ROOM.get(path.stem)}
        assert set(rooms_imported(path)) <= may, path.name


@pytest.mark.parametrize("room", sorted(path.name for path in ASSETS.iterdir()))
def test_scripts_follow_the_arrows_too(room: str) -> None:
    """A script imports from its own room and from those below it, and takes its types from there."""
    for path in (ASSETS / room).glob("*.js"):
        for other in re.findall(r'"\.\./(\w+)/[\w-]+\.js"', path.read_text("utf-8")):
            assert other in SCRIPTS_MAY_IMPORT[room], f"{path.name} imports from {other}"


def test_one_list_names_the_files_of_the_browsers_room() -> None:
    """A file beside the list would be missing in pages and snapshots."""
    files = {path.name for path in (ROOT / "evaluator" / "rank").glob("*.py")}
    assert files == {*FILES, "__init__.py"}


@pytest.mark.parametrize("module", BROWSER_MODULES)
def test_browser_modules_import_the_standard_library_only(module: str) -> None:
    """What runs in the browser imports nothing but the standard library and what runs there too."""
    for imported in imports(ROOT / "evaluator" / "rank" / f"{module}.py"):
        beside = imported.startswith(tuple(f"evaluator.rank.{other}." for other in BROWSER_MODULES))
        assert beside or imported.split(".")[0] in sys.stdlib_module_names, imported


def test_browser_modules_load_from_their_files_alone(tmp_path: Path) -> None:
    """Neither the rest of the project nor any package is needed: these files are all that a page loads."""
    room = tmp_path / "evaluator" / "rank"
    room.mkdir(parents=True)
    for name in FILES:
        shutil.copy(ROOT / "evaluator" / "rank" / name, room)
    loads = "; ".join(f"import evaluator.rank.{module}" for module in BROWSER_MODULES)
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {loads}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_dynascore_loads_from_its_file_alone(tmp_path: Path) -> None:
    """The one file is all that a snapshot has to keep to be ranked again."""
    shutil.copy(ROOT / "evaluator" / "rank" / "dynascore.py", tmp_path)
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import dynascore; assert 'evaluator' not in sys.modules"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_worker_reads_no_dataset() -> None:
    """The process that holds a model does not even load the code that reads gold labels."""
    code = "import sys, evaluator.measure.worker.child; print([m for m in sys.modules if m.startswith('evaluator.data.datasets')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
