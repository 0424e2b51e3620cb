"""Where pip gets this very Steelyard again: for the workflows of a new leaderboard, and visitors of a site.

No index is asked. What pip was given is kept beside what it installed (PEP 610); if that was a name, an index
has this version. A checkout is had by its commit from where it was cloned, if that has the commit.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from evaluator import __version__
from evaluator.publish.scaffolding import HERE, ROOT
from evaluator.records.errors import UserError
from evaluator.records.git import GitError, Repository, over_https

FIX = "say what pip installs with --requirement"


@dataclass(frozen=True)
class Installation:
    """`address` is what pip takes for it, None where an index has it; a `local` one is only here."""

    address: str | None
    local: bool = False

    def requirement(self, extra: str = "") -> str:
        """A line for pip; `extra` is such as ``metrics``."""
        name = f"steelyard[{extra}]" if extra else "steelyard"
        return f"{name}=={__version__}" if self.address is None else f"{name} @ {self.address}"

    @property
    def command(self) -> str:
        """What somebody types who has pip, and nothing of Steelyard."""
        return f"pip install {shlex.quote(self.address or self.requirement())}"


def this_installation() -> Installation:
    """That of the code which is running. Raises `UserError` if pip does not know it or its file is gone."""
    is_wheel = (HERE / "shared").is_dir()
    return installation_of_wheel() if is_wheel else installation_of_folder(ROOT)


def installation_of_wheel() -> Installation:
    """That of the distribution which Python finds first. Raises `UserError`."""
    try:
        told = distribution("steelyard").read_text("direct_url.json")
    except PackageNotFoundError:
        raise UserError(ROOT, "pip does not know how this Steelyard came here", FIX) from None
    if told is None:
        return Installation(None)
    given = json.loads(told)
    url, vcs = given["url"], given.get("vcs_info")
    is_here = url.startswith("file:")
    if vcs:
        return Installation(f"{vcs['vcs']}+{url}@{vcs['commit_id']}", is_here)
    if not is_here:
        return Installation(url)
    path = Path(url2pathname(urlsplit(url).path))
    if not path.exists():
        raise UserError(path, "this Steelyard was installed from it, and it is gone", FIX)
    return installation_of_folder(path) if path.is_dir() else Installation(url, local=True)


def installation_of_folder(folder: Path) -> Installation:
    """That of the project in a folder: its commit where its origin has that, else the folder as it is."""
    here = Installation(folder.resolve().as_uri(), local=True)
    try:
        repository = Repository(folder)
        origin = repository.text("config", "remote.origin.url")
        commit = repository.text("rev-parse", "HEAD")
        pushed = repository.text("for-each-ref", f"--contains={commit}", "refs/remotes/origin")
    except GitError:
        return here
    # A copy of the sources may lie in the repository of something else.
    if not pushed or repository.root.resolve() != folder.resolve():
        return here
    address = over_https(origin)
    if address is not None:
        return Installation(f"git+{address}@{commit}")
    path = repository.root / origin.removeprefix("file://")
    return Installation(f"git+{path.resolve().as_uri()}@{commit}", local=True) if path.exists() else here
