"""The page on environment variables has each that the program reads or sets, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "site_src/docs/environment.md"
NAME = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
#: Texts of such modules that look like a name and are none, or are not of an environment.
OTHER = {"ERROR", "GET", "HEAD", "METEOR", "OCR", "PATCH", "POST", "PYTHON", "SC_PAGE_SIZE"}


def of_code() -> Iterator[str]:
    """Every text that looks like a variable's name, in modules that read or make an environment."""
    for package in ("evaluator", "site_src/generator"):
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text("utf-8")
            if re.search(r"environ\b|\bdef environment\b|environment\[", text):
                yield from names(ast.parse(text))


def names(tree: ast.AST) -> Iterator[str]:
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    yield from (text for text in texts if isinstance(text, str) and len(text) > 2 and NAME.fullmatch(text))


def test_every_variable_is_on_the_page() -> None:
    """What the code reads or sets for others is documented, and what is documented is in the code."""
    said = set(re.findall(r"^\| (?:`[^|]*`) \|", PAGE.read_text("utf-8"), re.MULTILINE))
    documented = {name for row in said for name in re.findall(r"`([A-Z_0-9]+)`", row)}
    used = set(of_code()) - OTHER
    assert sorted(used - documented) == []
    assert sorted(documented - used) == []
