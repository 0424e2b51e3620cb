"""One rule for invisible characters, in Python and in the browser's scripts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from evaluator.records.invisible import visible

SCRIPT = Path(__file__).parents[2] / "site_src" / "assets" / "base" / "invisible.js"
#: Every character of the basic plane but halves of pairs, and the block of tags.
CHARACTERS = [*range(0xD800), *range(0xE000, 0x10000), *range(0xE0000, 0xE0080)]
COMPARED = """
const { visible } = await import(process.argv[1]);
const codes = JSON.parse(await new Response(process.stdin).text());
console.log(JSON.stringify(codes.map((code) => visible(`a${String.fromCodePoint(code)}b`))));
"""


def test_python_and_scripts_hide_the_same_characters() -> None:
    """Over the whole basic plane and all tags, between two letters, both give the same text."""
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", COMPARED, SCRIPT.as_uri()],
        input=json.dumps(CHARACTERS),
        capture_output=True,
        text=True,
        check=True,
    )
    ours = [visible(f"a{chr(code)}b") for code in CHARACTERS]
    theirs = json.loads(done.stdout)
    assert [hex(c) for c, o, t in zip(CHARACTERS, ours, theirs, strict=True) if o != t] == []


@pytest.mark.parametrize(
    "code", [0x00, 0x1B, 0x7F, 0x85, 0xAD, 0x200B, 0x202E, 0x2066, 0x2028, 0x206A, 0xFEFF, 0xFFFE, 0xE0041]
)
def test_what_nobody_sees_becomes_a_space(code: int) -> None:
    """Controls, marks of direction, characters without width and tags part words and are gone at the ends."""
    assert visible(f"{chr(code)}a{chr(code)}{chr(code)}b{chr(code)}") == "a b"


@pytest.mark.parametrize("text", ["می\u200cخواهم", "👩\u200d💻", "naïve café", "❤\ufe0f"])
def test_what_scripts_and_emoji_need_stays(text: str) -> None:
    """Joiners and variation selectors are part of words and pictures."""
    assert visible(text) == text


def test_no_other_rule_stands_in_the_sources() -> None:
    """Ranges of invisible characters are written down in one Python module and one script."""
    root = SCRIPT.parents[3]
    sources = [*(root / "evaluator").rglob("*.py"), *(root / "site_src" / "generator").rglob("*.py")]
    sources += (root / "site_src" / "assets").rglob("*.js")
    ranges = ("u2028-", "u2060-", "\u2028-", "\u2060-")
    found = {path.name for path in sources if any(one in path.read_text(encoding="utf-8") for one in ranges)}
    assert found == {"invisible.py", "invisible.js"}
