"""A repository of the first version, with records of schema version 1, is brought up to date as the page says.

`tests/golden/first-repository` was written by that version: three models that it measured on the demo's data.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from publishing_world import git, new_repository, steelyard

from evaluator.records.base import SCHEMA_VERSION
from evaluator.records.store import Store

ROOT = Path(__file__).parents[2]
FIRST = ROOT / "tests/golden/first-repository"
PAGE = (ROOT / "site_src/docs/upgrade.md").read_text("utf-8")


def test_the_first_repository_is_brought_up_to_date(tmp_path: Path) -> None:
    """The page's commands change the records and no number; then the board is checked, ranked and built."""
    folder = new_repository(tmp_path / "board", {".gitignore": ".steelyard/\nbuild/\n"})
    shutil.copytree(FIRST, folder, dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples/demo/data", folder / "data")
    shutil.copytree(ROOT / "examples/my-model", folder / "models/word-list")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "the first version's")
    before = {path.name: json.loads(path.read_text()) for path in FIRST.glob("results/*/*/[!.]*.json")}
    old = {name: document for name, document in before.items() if document["kind"] == "result"}
    assert {document["schema_version"] for document in before.values()} == {1}

    commands = re.findall(r"^\$ steelyard (.*)$", PAGE, re.MULTILINE)
    assert commands == ["migrate --check", "migrate", "rescore", "check"]
    # The first says that there is something to do.
    codes = [steelyard(*command.split(), cwd=folder).returncode for command in commands]
    assert codes == [1, 0, 0, 0]
    assert steelyard("migrate", "--check", cwd=folder).returncode == 0

    store = Store(folder / "results")
    for result in store.results():
        document = old.pop(f"{result.model.id}.json")
        assert result.schema_version == SCHEMA_VERSION
        known = {name: score.value for name, score in result.scores.items() if name in document["scores"]}
        assert known == {name: score["value"] for name, score in document["scores"].items()}
        assert result.measurement is not None
        assert result.measurement.throughput == document["scores"]["throughput"]["value"]
        assert "mcc" in result.scores
        assert len(store.predictions(result).predicted or ()) == 120
    assert old == {}

    done = steelyard("check", "--against", "main", cwd=folder)
    assert "0 problems in 3 results, 0 of them new and 3 changed" in done.stdout, done.stdout
    ranked = json.loads(steelyard("rank", "demo", "--json", cwd=folder).stdout)["models"]
    assert sorted(row["model"] for row in ranked if row["rank"]) == ["majority", "vader", "word-list"]
    assert steelyard("build", cwd=folder).returncode == 0
    assert "Word list" in (folder / "build/demo/index.html").read_text()
