"""What the documentation gives to GitLab: its jobs, run line by line in a repository, check and publish a board."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from publishing_world import ENVIRONMENT, commit_all, git, leaderboard, reported, save

PAGE = Path(__file__).parents[2] / "site_src/docs/publish.md"


@pytest.fixture(scope="module")
def jobs() -> dict[str, Any]:
    """The file `.gitlab-ci.yml` of the page."""
    [text] = re.findall(r"`\.gitlab-ci\.yml`:\n\n```yaml\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    loaded = yaml.safe_load(text)
    assert isinstance(loaded, dict)
    return loaded


@pytest.mark.slow
def test_the_jobs_check_a_change_and_build_the_site(jobs: dict[str, Any], tmp_path: Path) -> None:
    """The first says what a merge request does to the ranks; the second leaves the site where Pages looks for it."""
    origin = leaderboard(tmp_path / "origin")
    git(tmp_path, "clone", "--quiet", str(origin), "board")
    folder = tmp_path / "board"
    git(folder, "checkout", "--quiet", "-b", "change")
    save(folder, reported("gamma", 79.0, 30.0))
    commit_all(folder)
    here = str(Path(sys.executable).parent)
    environment = ENVIRONMENT | {
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    for name in ("check", "site"):
        install, *lines = jobs[name]["script"]
        # What is installed by it is here.
        assert install == "pip install --requirement requirements.txt"
        for line in lines:
            done = subprocess.run(
                ["bash", "-e", "-c", line],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
        [kept] = jobs[name]["artifacts"]["paths"]
        assert (folder / kept).exists()
    assert "- `Gamma` enters at 1" in (folder / "check.md").read_text()
    assert (folder / "public/index.html").is_file()
    assert jobs["site"]["pages"] is True
