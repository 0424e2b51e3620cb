"""A release: the wheel carries everything, is made of the same bytes everywhere, and says what it comes with."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from shortened import only_boards

from evaluator import __version__
from evaluator.publish.installation import this_installation

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "release"))
import try_wheel  # noqa: E402

#: Wheels are built, and installed where nothing else is.
pytestmark = pytest.mark.slow

WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
#: What a build writes down of itself; the program's modules are in it, which a wheel names otherwise.
OWN_RECORDS = {".steelyard-site"}


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@dataclass(frozen=True)
class Release:
    """A release's files, and an environment in which its wheel is, without extras."""

    wheel: Path
    sbom: Path
    environment: Path

    @property
    def steelyard(self) -> Path:
        return self.environment / "bin" / "steelyard"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """What release/artifacts.py makes, as the release's workflow runs it."""
    folder = tmp_path_factory.mktemp("release")
    dist, environment = folder / "dist", folder / "environment"
    run(
        sys.executable, ROOT / "release/artifacts.py", "--output", dist, "--environment", environment,
        cwd=folder, SOURCE_DATE_EPOCH="1700000000",
    )  # fmt: skip
    found = sorted(path.name for path in dist.iterdir())
    stem = f"steelyard-{__version__}"
    assert found == [f"{stem}-py3-none-any.whl", f"{stem}.cdx.json", f"{stem}.tar.gz"]
    return Release(dist / found[0], dist / found[1], environment)


def test_a_wheel_in_an_empty_environment_makes_the_same_site(release: Release, tmp_path: Path) -> None:
    """Installed without extras and run from another folder, the wheel makes every file as the repository does."""
    assert run(release.steelyard, "--version", cwd=tmp_path) == f"steelyard {__version__}\n"
    assert not list(release.environment.glob("lib/*/site-packages/torch"))
    text = (ROOT / "board.toml").read_text("utf-8")
    (tmp_path / "board.toml").write_text(only_boards(text, ("sst-2", "nli")), "utf-8")
    sites = []
    for steelyard in (release.steelyard, Path(sys.executable).with_name("steelyard")):
        sites.append(tmp_path / f"site-{len(sites)}")
        run(steelyard, "build", "--results", ROOT / "results", "--output", sites[-1], cwd=tmp_path)
    ours, theirs = (
        {
            path.relative_to(site): path.read_bytes()
            for path in site.rglob("*")
            if path.is_file() and path.name not in OWN_RECORDS
        }
        for site in sites
    )
    assert ours.keys() == theirs.keys()
    # The first page says where visitors get the Steelyard that made it, if they can.
    apart = [] if this_installation().local else ["index.html"]
    assert [str(name) for name in ours if ours[name] != theirs[name]] == apart
    assert "DeBERTa" in ours[Path("nli/index.html")].decode()


def test_the_wheel_makes_a_new_leaderboard(release: Release, tmp_path: Path) -> None:
    """With nothing but the wheel there is a new repository, which says where pip gets this wheel; answers are imported,
    and the site is built."""
    try_wheel.make_board(release.environment, tmp_path)
    assert (tmp_path / "board/LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    requirements = (tmp_path / "board/requirements.txt").read_text().splitlines()
    assert f"steelyard @ {release.wheel.as_uri()}" in requirements
    assert (tmp_path / "board/build/method/dynascore/index.html").is_file()


def test_a_program_that_does_not_run_is_no_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one on the search path only says that it is not chosen, the one in its own folder is taken."""
    shim, real = tmp_path / "shims/python3.99", tmp_path / "versions/3.99.1/bin/python3.99"
    for path in (shim, real):
        path.parent.mkdir(parents=True)
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(try_wheel, "FOLDERS", (tmp_path / "versions",))
    assert try_wheel.python_of("3.99") is None
    real.symlink_to(sys.executable)
    assert try_wheel.python_of("3.99") == str(real)


def test_extras_are_named_before_they_are_missed(release: Release, tmp_path: Path) -> None:
    """Without extras, the demo's models that need some are named with the one command that installs them all."""
    done = subprocess.run(
        [release.steelyard, "evaluate", "--board", ROOT / "examples/demo/board.toml", "--dry-run"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr.splitlines() == [
        "note: vader, tfidf-logreg, fasttext, bert-small, minilm-logreg: packages are missing; "
        "run: pip install 'steelyard[baselines,fasttext,transformers]'"
    ]


def test_two_builds_give_the_same_bytes(release: Release, tmp_path: Path) -> None:
    """Another folder, other times and rights of the files, and no archive in between: the wheel is the same."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    copy = tmp_path / "another folder"
    for name in filter(lambda name: (ROOT / name).is_file(), filter(None, listed.split("\0"))):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
        (copy / name).chmod(0o600)
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, copy]
    run(*build, cwd=tmp_path, SOURCE_DATE_EPOCH="1700000000")
    again = tmp_path / release.wheel.name
    assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(release.wheel.read_bytes()).digest()


def test_the_wheel_is_small_and_its_names_are_its_own(release: Release) -> None:
    """It has less than 3 MB, and at top level the public API and one private name; no module asks for another."""
    assert release.wheel.stat().st_size < 3_000_000
    with zipfile.ZipFile(release.wheel) as wheel:
        names = wheel.namelist()
        modules = [wheel.read(name).decode() for name in names if name.endswith(".py")]
    assert len(names) == len(set(names))
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"evaluator", "_steelyard_site", f"steelyard-{__version__}.dist-info"}
    assert not [module for module in modules if "site_src" in module]


def test_the_list_of_what_comes_along_is_whole(release: Release) -> None:
    """The SBOM has the release itself, each requirement of the core with its version, and no path of a machine."""
    text = release.sbom.read_text("utf-8")
    sbom = json.loads(text)
    assert (sbom["bomFormat"], sbom["metadata"]["timestamp"]) == ("CycloneDX", "2023-11-14T22:13:20+00:00")
    main = sbom["metadata"]["component"]
    assert (main["name"], main["version"]) == ("steelyard", __version__)
    assert main["licenses"][0]["license"]["id"] == "Apache-2.0"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {plain(re.split("[><=]", requirement)[0]) for requirement in project["dependencies"]}
    assert wanted <= {plain(part["name"]) for part in sbom["components"] if part["version"]}
    needed = next(one for one in sbom["dependencies"] if one["ref"] == main["bom-ref"])["dependsOn"]
    assert {plain(one.partition("==")[0]) for one in needed} == wanted
    assert str(release.environment.parent) not in text


def plain(name: str) -> str:
    """A distribution's name as the packaging standards compare them."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_a_release_closes_the_changelog(tmp_path: Path) -> None:
    """Fragments become the section of a version by their numbers, older sections stay; the code and its citation have the version."""
    (tmp_path / "changes").mkdir()
    (tmp_path / "evaluator").mkdir()
    (tmp_path / "evaluator/__init__.py").write_text(f'"""E."""\n\n__version__ = "{__version__}"\n')
    (tmp_path / "CITATION.cff").write_text(
        'cff-version: 1.2.0\nversion: "0.1.0"\ndate-released: "2025-01-02"\n'
    )
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\nAbout.\n")
    close = [sys.executable, ROOT / "release/changelog.py", "--root", tmp_path]
    for version, fragments in (
        ("0.2.0", {"10-b": "- Ten.", "9-a": "- Nine."}),
        ("0.3.0", {"11-c": "- New."}),
    ):
        for name, text in fragments.items():
            (tmp_path / f"changes/{name}.md").write_text(f"{text}\n")
        run(*close, version, cwd=tmp_path)
    written = (tmp_path / "CHANGELOG.md").read_text()
    days = re.findall(r"\((\d{4}-\d\d-\d\d)\)", written)
    text = re.sub(r"\(\d{4}-\d\d-\d\d\)", "(DAY)", written)
    assert text == (
        "# Changelog\n\nAbout.\n\n## 0.3.0 (DAY)\n\n- New.\n\n## 0.2.0 (DAY)\n\n- Nine.\n- Ten.\n"
    )
    assert '__version__ = "0.3.0"\n' in (tmp_path / "evaluator/__init__.py").read_text()
    cited = yaml.safe_load((tmp_path / "CITATION.cff").read_text())
    assert cited == {"cff-version": "1.2.0", "version": "0.3.0", "date-released": days[0]}
    assert list((tmp_path / "changes").iterdir()) == []
    assert run(*close, "--notes", "0.2.0", cwd=tmp_path) == "- Nine.\n- Ten.\n"


@pytest.mark.parametrize(
    ("version", "message"),
    [("v1", "is not one such as 1.1.0"), ("0.2.0", "changes: holds no fragment")],
)
def test_a_release_that_says_nothing_is_refused(tmp_path: Path, version: str, message: str) -> None:
    """A version that pip cannot order, or one without a change, leaves everything as it is."""
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n")
    close = [sys.executable, ROOT / "release/changelog.py", "--root", tmp_path, version]
    done = subprocess.run(close, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr


def test_only_what_is_uploaded_may_be_signed() -> None:
    """The release's workflow keeps no secret; what may speak for the project neither checks out nor builds."""
    lint = subprocess.run(
        ["node", ROOT / "tests/javascript/actionlint.mjs", WORKFLOW],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (lint.returncode, lint.stdout) == (0, "")
    text = WORKFLOW.read_text("utf-8")
    workflow = yaml.safe_load(text)
    jobs = workflow["jobs"]
    assert "secrets" not in text
    assert workflow["permissions"] == {"contents": "read"}
    assert "permissions" not in jobs["build"]
    assert (jobs["pypi"]["permissions"], jobs["pypi"]["environment"]["name"]) == (
        {"id-token": "write"},
        "pypi",
    )
    used = [step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"(actions|pypa)/[a-z-]+@[0-9a-f]{40}", action) for action in used)
    for name in ("pypi", "github"):
        assert not any("checkout" in step.get("uses", "") for step in jobs[name]["steps"])


@pytest.mark.parametrize(
    ("tag", "closed", "code"), [("v{}", True, 0), ("v{}", False, 2), ("v99.0.0", True, 1)]
)
def test_a_tag_must_be_the_version(tmp_path: Path, tag: str, closed: bool, code: int) -> None:
    """A tag of another version stops the release; so does a version that the changelog says nothing of."""
    (tmp_path / "evaluator").mkdir()
    shutil.copy(ROOT / "evaluator/__init__.py", tmp_path / "evaluator")
    shutil.copytree(ROOT / "release", tmp_path / "release")
    (tmp_path / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## {__version__ if closed else '0.0.1'}\n\n- It.\n"
    )
    steps = yaml.safe_load(WORKFLOW.read_text("utf-8"))["jobs"]["build"]["steps"]
    [step] = [step["run"] for step in steps if step.get("name") == "Compare the tag with the version"]
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step], cwd=tmp_path, capture_output=True,
        text=True, check=False, env=os.environ | {
            "GITHUB_REF_NAME": tag.format(__version__), "RUNNER_TEMP": str(tmp_path), "PATH": path_of_python(),
        },
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert ("::error::the tag is v99.0.0" in done.stdout) == (code == 1)
    assert ("CHANGELOG.md: has no section" in done.stderr) == (code == 2)
    assert code or (tmp_path / "notes.md").read_text() == "- It.\n"


def path_of_python() -> str:
    """The search path on which `python` is the one of the tests."""
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
