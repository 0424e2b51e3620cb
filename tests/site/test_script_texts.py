"""Scripts find the fixed texts that they ask for on each kind of page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from site_src.generator.texts import PAGES, TEXTS, script_texts

SCRIPTS = Path(__file__).parents[2] / "site_src"
#: The scripts that each kind of page starts.
ENTRIES = {
    "board": ["assets/pages/board.js", "assets/pages/board-rest.js"],
    "index": ["assets/pages/index.js", "assets/pages/live.js"],
    "compare": ["assets/pages/compare.js"],
    "difficulty": ["assets/pages/difficulty.js"],
    "figures": ["assets/charts/figures.js"],
    "at-weights": ["assets/pages/page-at-weights.js"],
    "snapshot": ["assets/pages/snapshot.js"],
    "docs": ["assets/pages/docs-search.js"],
    "try": ["assets/pages/try.js"],
    "collect": ["assets/pages/collect-page.js"],
    "local-collect": ["local/collect.js"],
    "local-validate": ["local/validate.js"],
}


def scripts_of(entries: list[str]) -> set[Path]:
    """Some scripts, and all that they import."""
    found: set[Path] = set()
    waiting = [SCRIPTS / entry for entry in entries]
    while waiting:
        script = waiting.pop()
        if script not in found:
            found.add(script)
            imported = re.findall(r'^(?:import|\} from|import .* from) "(\.[^"]+)"', script.read_text(), re.M)
            waiting += [(script.parent / name).resolve() for name in imported]
    return found


def asked(script: Path) -> list[str]:
    """The names of texts in a script, as patterns: a part that the script chooses is any word."""
    groups = "|".join(TEXTS)
    names = re.findall(rf'["`]((?:{groups})\.(?:[a-z0-9-]|\$\{{[^`}}]*\}})+)["`]', script.read_text())
    return [re.sub(r"\$\{[^}]*\}", "[a-z0-9_-]+", name.replace(".", r"\.", 1)) for name in names]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_the_texts_of_its_scripts(page: str) -> None:
    """Each name that a script of the page has is one of the page's texts."""
    known = script_texts(page)
    for script in scripts_of(ENTRIES[page]):
        for name in asked(script):
            assert any(re.fullmatch(name, text) for text in known), f"{script.name}: {name}"


def test_every_text_is_asked_for() -> None:
    """No text is left of a script that has gone."""
    names = [name for script in SCRIPTS.glob("[al]*/**/*.js") for name in asked(script)]
    texts = [f"{group}.{name}" for group, known in TEXTS.items() for name in known]
    dynamic = {"header.best", "header.worst"}
    assert {text for text in texts if not any(re.fullmatch(name, text) for name in names)} <= dynamic
