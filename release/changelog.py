"""Closes the changelog for a release: the fragments of ``changes/`` become its section in ``CHANGELOG.md``.

The version is written to `evaluator.__version__` and, with the day, to ``CITATION.cff``; the fragments are
removed. With ``--notes`` nothing changes, and the section of that version is printed, as the release's page
shows it.
"""

from __future__ import annotations

import argparse
import re
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")
HEADING = re.compile(r"^## (\S+)", re.MULTILINE)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the fragments of changes/ a section of CHANGELOG.md.")
    parser.add_argument("version", help="such as 1.1.0")
    parser.add_argument("--notes", action="store_true", help="print the section of a version that has one")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository  [default: this one]")
    given = parser.parse_args()
    if not VERSION.fullmatch(given.version):
        parser.error(f"version: {given.version!r} is not one such as 1.1.0 or 1.1.0rc1 (PEP 440)")
    try:
        if given.notes:
            print(section(given.root, given.version))
        else:
            close(given.root, given.version)
    except ValueError as error:
        parser.error(str(error))


def section(root: Path, version: str) -> str:
    """What ``CHANGELOG.md`` says of a version; ValueError where it says nothing."""
    parts = HEADING.split((root / "CHANGELOG.md").read_text("utf-8"))
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    if version not in sections:
        raise ValueError(f"CHANGELOG.md: has no section {version}; run release/changelog.py {version}")
    return sections[version].partition("\n")[2].strip()


def close(root: Path, version: str) -> None:
    """Write the version and its section, and remove the fragments; ValueError where there are none."""
    fragments = sorted((root / "changes").glob("*.md"), key=_order)
    changelog, day = root / "CHANGELOG.md", f"{datetime.now(UTC):%Y-%m-%d}"
    head, *others = re.split(r"^(?=## )", changelog.read_text("utf-8"), maxsplit=1, flags=re.MULTILINE)
    if not fragments:
        raise ValueError("changes: holds no fragment; a release says what has changed")
    if version in HEADING.findall("".join(others)):
        raise ValueError(f"CHANGELOG.md: has a section {version} already; give a later version")
    lines = "\n".join(fragment.read_text("utf-8").strip() for fragment in fragments)
    new = f"## {version} ({day})\n\n{lines}\n"
    changelog.write_text("\n\n".join([head.rstrip(), new.rstrip(), *(one.rstrip() for one in others)]) + "\n")
    _write(root / "evaluator" / "__init__.py", "__version__ = ", version)
    _write(root / "CITATION.cff", "version: ", version)
    _write(root / "CITATION.cff", "date-released: ", day)
    for fragment in fragments:
        fragment.unlink()


def _write(path: Path, start: str, value: str) -> None:
    """Put the value, in quotes, on the line of a file that has this start."""
    line = re.compile(f'^{start}".*"$', re.MULTILINE)
    path.write_text(line.sub(f'{start}"{value}"', path.read_text("utf-8")), "utf-8")


def _order(fragment: Path) -> tuple[int, str]:
    """By the number of the fragment's name, then by the word."""
    number, _, word = fragment.stem.partition("-")
    return int(number) if number.isdecimal() else 0, word


if __name__ == "__main__":
    main()
