"""What makes a build start afresh: every file of the program that it uses, and what it renders with."""

from __future__ import annotations

from pathlib import Path

import pytest
from built_modules import modules_of_a_build

from evaluator.records.board import load_boards
from site_src.generator import inputs

BOARDS = Path(__file__).parents[2] / "examples" / "demo" / "board.toml"


def hash_of(results: Path) -> str:
    return inputs.inputs_of(load_boards(BOARDS), results, []).all


def test_every_module_that_a_build_imports_counts(tmp_path: Path) -> None:
    """Whatever of this project a real build has loaded, also late, is among the files that are hashed."""
    known = set(inputs.program_files().values())
    modules = modules_of_a_build(tmp_path)
    own = {
        name: path for name, path in modules.items() if name.startswith(("evaluator.", "site_src.generator."))
    }
    assert len(own) > 80
    assert {name for name, path in own.items() if path not in known} == set()


@pytest.mark.parametrize(
    "name",
    [
        "evaluator/records/scratch.py",
        "evaluator/data/suites/fairness/data/names.tsv",
        "generator/build.py",
        "templates/board/row.html",
    ],
)
def test_an_edit_of_a_file_changes_the_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """So does nothing else: the same files give the same hash."""
    before, files = hash_of(tmp_path), inputs.program_files()
    edited = tmp_path / "edited"
    edited.write_bytes(files[name].read_bytes() + b"\n")
    assert hash_of(tmp_path) == before
    monkeypatch.setattr(inputs, "program_files", lambda: files | {name: edited})
    assert hash_of(tmp_path) != before


def test_a_file_is_known_by_its_place_in_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two modules of one name that change places make another program."""
    before, files = hash_of(tmp_path), inputs.program_files()
    one, other = "evaluator/records/scratch.py", "evaluator/records/git.py"
    monkeypatch.setattr(inputs, "program_files", lambda: files | {one: files[other], other: files[one]})
    assert hash_of(tmp_path) != before
    moved = {name.replace("metrics/base.py", "scores/base.py"): path for name, path in files.items()}
    monkeypatch.setattr(inputs, "program_files", lambda: moved)
    assert hash_of(tmp_path) != before


@pytest.mark.parametrize("package", ["Jinja2", "mkdocs", "resvg_py"])
def test_another_version_of_a_renderer_changes_the_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    """Its output for the same page may differ."""
    before, version = hash_of(tmp_path), inputs.version
    monkeypatch.setattr(inputs, "version", lambda name: "99.0" if name == package else version(name))
    assert hash_of(tmp_path) != before
