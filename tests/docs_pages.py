"""README, CONTRIBUTING and the pages of the documentation: their blocks, and the commands that they name.

A block that nobody can follow here has a comment before it, which a reader of the page does not see:
``<!-- not run: why -->``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "site_src" / "docs"
#: Every page by its name; those of the documentation by their paths in its folder.
PAGES = {name: ROOT / name for name in ("README.md", "CONTRIBUTING.md")} | {
    path.relative_to(DOCS).as_posix(): path for path in sorted(DOCS.rglob("*.md"))
}
LANGUAGES = {"console", "python", "toml", "csv", "json", "yaml", "text"}
#: The line before a block, its comment, its language, what it holds.
BLOCK = re.compile(
    r"(?:^([^\n]*)\n\n)?(?:^<!-- (?:not run: ([^\n]+)|[^\n]+) -->\n)?^```(\w+)\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PLACES = {
    "file": r"\bIn `([^`]+)`:$",
    "end": r"\b[Aa]t the end of `([^`]+)`:$",
    "change": r"\bchange `([^`]+)`:$",
}
#: What a line of commands has between them.
BETWEEN = {"|", "||", "&&", ";", "&"}


@dataclass(frozen=True)
class Block:
    """A fenced block; `place` says how it is about the file at `path`, if it is about one.

    `unrun`: why nobody can follow it here.
    """

    language: str
    text: str
    place: str | None = None
    path: str = ""
    unrun: str = ""

    @property
    def commands(self) -> list[str]:
        """Those after a "$ ", in one piece where a line goes on in the next; what is left is what they print."""
        joined = re.sub(r" \\\n\s*", " ", self.text)
        return re.findall(r"^\$ (.*)$", joined, re.MULTILINE) if self.language == "console" else []

    @property
    def runs(self) -> bool:
        """Whether somebody who follows the page has something to run."""
        loose = self.language == "python" and not self.place
        return not self.unrun and (loose or self.language == "console")


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, in order; each is of a kind that the tests know what to do with."""
    text = PAGES[page].read_text("utf-8")
    found = BLOCK.findall(text)
    assert len(found) * 2 == len(re.findall("^```", text, re.MULTILINE)), f"{page}: a block is not understood"
    made = []
    for before, unrun, language, content in found:
        assert language in LANGUAGES, f"{page}: {language}"
        matches = {place: re.search(pattern, before) for place, pattern in PLACES.items()}
        place = next((place for place, match in matches.items() if match), None)
        path = matches[place][1] if place else ""  # type: ignore[index]
        made.append(Block(language, content, place, path, unrun))
    return made


def named_commands(page: str) -> Iterator[list[str]]:
    """The words of every command that a page names, in blocks and in sentences: options, and before them names."""
    spans = re.findall(
        r"(?<!`)`([^`\n]+(?:\n[^`\n]+)?)`(?!`)", re.sub(BLOCK, "", PAGES[page].read_text("utf-8"))
    )
    lines = [line for block in blocks(page) for line in block.commands]
    for text in [*lines, *(" ".join(span.split()) for span in spans)]:
        try:
            words = shlex.split(text.replace("<", "").replace(">", ""), comments=True)
        except ValueError:
            continue
        while words:
            end = next((at for at, word in enumerate(words) if word in BETWEEN), len(words))
            one, words = words[:end], words[end + 1 :]
            # Variables before a command are its environment.
            while one and re.match(r"[A-Z_]+=", one[0]):
                one.pop(0)
            if len(one) > 1:
                yield [one[0].rpartition("/")[2], *one[1:]]
