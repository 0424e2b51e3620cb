"""``steelyard init``: the files of a new leaderboard's repository.

They are templates in ``scaffold/``, with ``<< name >>`` where something is filled in, since workflows are
full of braces. The data, the model and the licence's text are those of this project, which a wheel has in
``scaffold/shared/``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.records.errors import UserError

if TYPE_CHECKING:
    # Reading data takes a second to import, and nothing is read where none are given.
    from evaluator.publish.own_data import OwnData

HERE = Path(__file__).parent / "scaffold"
ROOT = Path(__file__).parents[2]

#: Templates, by where they go.
FILES = {
    ".github/ISSUE_TEMPLATE/submit.yml": "github/ISSUE_TEMPLATE/submit.yml",
    ".github/workflows/check.yml": "github/workflows/check.yml",
    ".github/workflows/collect.yml": "github/workflows/collect.yml",
    ".github/workflows/comment.yml": "github/workflows/comment.yml",
    ".github/workflows/pages.yml": "github/workflows/pages.yml",
    ".gitattributes": "gitattributes",
    ".gitignore": "gitignore",
    "CITATION.cff": "CITATION.cff",
    "README.md": "README.md",
    "board.toml": "board.toml",
    "requirements.txt": "requirements.txt",
}
#: Files of this project that are copied as they are, where no data of one's own are given.
SHARED = {
    "data/test.tsv": "examples/demo/data/test.tsv",
    "data/train.tsv": "examples/demo/data/train.tsv",
    "models/word-list/handler.py": "examples/my-model/handler.py",
    "models/word-list/words.txt": "examples/my-model/words.txt",
}
#: Licences that may be chosen, and what the new README says of each.
LICENCES = {
    "CC-BY-4.0": "Results and pages: CC BY 4.0.",
    "CC0-1.0": "Results and pages: CC0 1.0.",
    "Apache-2.0": "Everything here: Apache License 2.0.",
    "MIT": "Everything here: MIT License.",
}
APACHE = "Apache-2.0"


@dataclass(frozen=True)
class NewLeaderboard:
    """What is asked about a new leaderboard. `repository` is ``owner/name`` on GitHub, if known.

    `source` is where its repository can be seen, if that is somewhere else than on GitHub.
    `requirement` is what pip will install: a version of steelyard, or its address. `own` is the data it
    begins with, if not the reviews that every new one may begin with; `tables` are those of its board file
    where it begins with results of elsewhere.
    """

    title: str
    author: str
    licence: str
    year: str
    requirement: str
    repository: str | None = None
    source: str | None = None
    own: OwnData | None = None
    tables: str | None = None

    @property
    def shown_source(self) -> str | None:
        """Where its files can be seen: where that is said to be, else the repository on GitHub."""
        if self.source is not None:
            return self.source
        return None if self.repository is None else f"https://github.com/{self.repository}"

    @property
    def pages(self) -> str | None:
        """Where GitHub Pages shows the repository's site."""
        if self.repository is None:
            return None
        owner, name = self.repository.lower().split("/")
        host = f"{owner}.github.io"
        return f"https://{host}/" if name == host else f"https://{host}/{self.repository.split('/')[1]}/"


def write_repository(directory: Path, board: NewLeaderboard) -> list[str]:
    """Write a whole leaderboard repository into a folder, made if need be; return its files, sorted.

    Raises `UserError`, having written nothing, where one of them is there already.
    """
    files = {name: _fill(template, board) for name, template in FILES.items()} | _examples(board)
    files["results/.gitkeep"] = b""
    files["LICENSE"] = _licence(board)
    if (
        board.own is not None
        and (directory / "data" / board.own.file.name).resolve() == board.own.file.resolve()
    ):
        del files[f"data/{board.own.file.name}"]
    there = [name for name in sorted(files) if (directory / name).exists() or (directory / name).is_symlink()]
    if there:
        more = f" (and {len(there) - 1} more)" if len(there) > 1 else ""
        problem = f"exists already{more}"
        raise UserError(directory / there[0], problem, "nothing was written: give another folder")
    for name, content in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(content)
    return sorted(files)


def board_file(board: NewLeaderboard) -> bytes:
    """The board file of a new leaderboard."""
    return _fill("board.toml", board)


def _examples(board: NewLeaderboard) -> dict[str, bytes]:
    """The data and the first model, none where there are results of elsewhere."""
    if board.tables is not None:
        return {}
    if board.own is None:
        return {name: _shared(source).read_bytes() for name, source in SHARED.items()}
    return {
        f"data/{board.own.file.name}": board.own.file.read_bytes(),
        "models/first/handler.py": _fill("first-handler", board),
    }


def _fill(template: str, board: NewLeaderboard) -> bytes:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    # A JSON string is one of TOML and of YAML too, whatever is in it.
    environment.filters["json"] = partial(json.dumps, ensure_ascii=False)
    filled = environment.get_template(template).render(
        # Not `asdict`, which would copy what is in `own`.
        **vars(board) | {"source": board.shown_source},
        pages=board.pages,
        licence_sentence=LICENCES[board.licence],
    )
    return filled.encode()


def _licence(board: NewLeaderboard) -> bytes:
    if board.licence == APACHE:
        return _shared("LICENSE").read_bytes()
    return _fill(f"licences/{board.licence}", board)


def _shared(path: str) -> Path:
    """A file of this project: in a wheel beside the templates, else in the repository."""
    installed = HERE / "shared" / path
    return installed if installed.exists() else ROOT / path
