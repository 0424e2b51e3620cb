"""Compiled templates: kept between builds, and only those that a template still needs."""

from __future__ import annotations

import shutil
from pathlib import Path

import jinja2
import pytest

from site_src.generator.compiled import FOLDER, CompiledTemplates


def render(cache: Path, templates: Path) -> str:
    """Render every template; return what `a.html` says."""
    compiled = CompiledTemplates(cache, templates)
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(templates), bytecode_cache=compiled)
    pages = {name: environment.get_template(name).render() for name in environment.list_templates()}
    compiled.remove_unneeded(pages)
    return pages["a.html"]


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    folder = tmp_path / "templates"
    folder.mkdir()
    for name in ("a.html", "b.html"):
        (folder / name).write_text(f"{{{{ 1 + 1 }}}} {name}")
    return folder


def compiled_in(cache: Path) -> set[Path]:
    return set((cache / FOLDER).rglob("*.compiled"))


def test_templates_are_compiled_once(
    tmp_path: Path, templates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another run takes what the first one kept; an edited template is compiled anew."""
    assert render(tmp_path / "cache", templates) == "2 a.html"
    (templates / "a.html").write_text("edited")
    assert render(tmp_path / "cache", templates) == "edited"
    monkeypatch.setattr(jinja2.Environment, "compile", lambda *_, **__: 1 / 0)
    assert render(tmp_path / "cache", templates) == "edited"


def test_what_no_template_needs_is_removed(tmp_path: Path, templates: Path) -> None:
    """A template that is gone, a folder of templates that is gone, and the files of earlier versions."""
    copy = Path(shutil.copytree(templates, tmp_path / "copy"))
    render(tmp_path / "cache", templates)
    render(tmp_path / "cache", copy)
    assert len(compiled_in(tmp_path / "cache")) == 4
    (tmp_path / "cache" / FOLDER / "__jinja2_0123.cache").write_bytes(b"old")
    (templates / "b.html").unlink()
    shutil.rmtree(copy)
    assert render(tmp_path / "cache", templates) == "2 a.html"
    assert len(compiled_in(tmp_path / "cache")) == 1
    assert [path for path in (tmp_path / "cache" / FOLDER).iterdir() if path.is_file()] == []


def test_another_installations_templates_stay(tmp_path: Path, templates: Path) -> None:
    """Two versions on one machine share the cache and leave each other's compiled templates alone."""
    copy = Path(shutil.copytree(templates, tmp_path / "copy"))
    render(tmp_path / "cache", copy)
    kept = compiled_in(tmp_path / "cache")
    render(tmp_path / "cache", templates)
    assert kept < compiled_in(tmp_path / "cache")
