"""The newcomer's map of the code shows what is there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAP = (ROOT / "site_src" / "docs" / "architecture.md").read_text(encoding="utf-8")
#: Folders whose parts are rooms, each of which the map names.
HOUSES = ("evaluator", "site_src/generator", "site_src/assets", "templates")
NAMED = set(
    re.findall(r"`((?:evaluator|site_src|templates|results|examples|benchmarks|tests)/[\w./*-]*)`", MAP)
)


def tracked() -> list[str]:
    """The files of the repository, those not yet committed included."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).exists()]


def rooms() -> set[str]:
    """Every package and folder of the houses, and every single module beside the evaluator's packages."""
    found = {
        f"{folder}/" for folder in [*HOUSES, "results", "examples", "benchmarks", "tests", "site_src/docs"]
    }
    for name in tracked():
        for house in HOUSES:
            parts = name.removeprefix(f"{house}/").split("/")
            if name.startswith(f"{house}/") and len(parts) > 1:
                found.add(f"{house}/{parts[0]}/")
    return found | {
        name for name in tracked() if re.fullmatch(r"evaluator/\w+\.py", name) and "__init__" not in name
    }


def test_every_room_is_on_the_map() -> None:
    """A new package, folder or module has its line, so that a newcomer finds it."""
    patterns = [re.escape(name).replace(r"\*", r"\w*") for name in NAMED]
    missing = [room for room in rooms() if not any(re.fullmatch(pattern, room) for pattern in patterns)]
    assert sorted(missing) == []


def test_everything_on_the_map_is_there() -> None:
    """A file or folder that was moved or removed is not named any more."""
    assert len(NAMED) > 60
    assert sorted(name for name in NAMED if not any(ROOT.glob(name.rstrip("/")))) == []
