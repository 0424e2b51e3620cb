"""Browser copies in the site: which models a visitor may try, their files, and the code that runs them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluator.data.suites.robustness.spelling import LIST, list_text
from evaluator.records.board import Boards
from evaluator.records.browser import BrowserCheck, BrowserCopy, copy_folder, find_copy
from evaluator.records.errors import UserError
from evaluator.records.store import BROWSER_CHECKS, Store
from site_src.generator.networks import PublishedNetworks, publish_networks
from site_src.generator.output import publish
from site_src.generator.runtime import EVALUATOR, STDLIB, stock_files

#: What runs models in a page, as paths in `evaluator`. A test holds it to import nothing else.
MODULES = (
    "records/errors.py",
    "score/metrics/squad_pair.py",
    *(f"tryit/{name}.py" for name in ("__init__", "answering", "linear")),
    *(f"measure/models/{name}.py" for name in ("__init__", "base", "baselines")),
    *(f"data/suites/{name}.py" for name in ("__init__", "base", "entities", "reading")),
    *(
        f"{folder}/{path.name}"
        for folder in ("data/suites/fairness", "data/suites/robustness", "data/tasks")
        for path in sorted(EVALUATOR.glob(f"{folder}/*.py"))
    ),
)
#: The lists that they read.
LISTS = tuple(
    f"data/suites/fairness/data/{path.name}" for path in sorted(EVALUATOR.glob("data/suites/fairness/data/*"))
)
#: The list that variants need besides, made of packages; pages load it once a visitor asks for variants.
MISSPELLINGS = LIST.relative_to(EVALUATOR).as_posix()
#: The module that the page asks, and the file that holds all of them.
OPENER, BUNDLE = "tryit.answering", "models.json"
MEGABYTE = 1_000_000
#: What to do about a copy that answers otherwise than its model.
NOT_ALIKE = "take it out of [site] browser_models"


@dataclass(frozen=True)
class Candidate:
    """A model that the board file allows, on one dataset: its check and copy, or `why` it is not offered.

    `fix` is what whoever keeps the board does about that; "" for checking it again.
    """

    model: str
    task: str
    dataset: str
    check: BrowserCheck | None = None
    copy: BrowserCopy | None = None
    why: str = ""
    fix: str = ""


@dataclass(frozen=True)
class PublishedList:
    """A list in the site: its path in `evaluator`, its address from the root, and its size in bytes."""

    path: str
    address: str
    size: int


@dataclass(frozen=True)
class PublishedCopies:
    """The copies that are in the site, each with its folder from the root, and what runs them.

    `size` is of all that a page loads before its first model, in bytes; `misspellings` is what it loads
    before its first variants, where the packages that it is made of are installed; `networks` is what runs
    those that have one.
    """

    candidates: tuple[Candidate, ...]
    folders: dict[str, str]
    bundle: str
    library: str
    size: int
    misspellings: PublishedList | None
    networks: PublishedNetworks | None


def module_texts() -> dict[str, str]:
    """The texts of the modules that run models, and of their lists, by path."""
    return {name: Path(EVALUATOR, name).read_text("utf-8") for name in (*MODULES, *LISTS)}


def candidates(boards: Boards, store: Store, copies: Path) -> tuple[Candidate, ...]:
    """The models that [site] browser_models names, in its order, with each check that is stored of them.

    `copies` is the folder that `check --browser` leaves copies in.
    """
    return tuple(one for id_ in boards.site.browser_models for one in _of_model(id_, boards, store, copies))


def _of_model(id_: str, boards: Boards, store: Store, copies: Path) -> Iterator[Candidate]:
    task = next(model.task for model in boards.models if model.id == id_)
    paths = [path for path in store.record_paths(BROWSER_CHECKS) if path.parts[-3] == task]
    checks = [store.load_record(BROWSER_CHECKS, path) for path in paths if path.name == f"{id_}.browser.json"]
    if not checks:
        yield Candidate(id_, task, "", why="its browser copy has not been compared with it")
    for check in checks:
        yield _candidate(check, store, copies)


def _candidate(check: BrowserCheck, store: Store, copies: Path) -> Candidate:
    about = check.model, check.task, check.dataset
    result = store.find(check.task, check.dataset, check.model)
    if result is None or store.browser_check(result) is None:
        return Candidate(*about, why="its browser copy was compared with other answers than those shown")
    if not check.offered:
        why = f"its browser copy agrees with it on {check.agreed} of {check.asked} examples only"
        return Candidate(*about, check, why=why, fix=NOT_ALIKE)
    copy = find_copy(copies, check.model, check.copy_sha256)
    return Candidate(
        *about, check, copy, "" if copy else "its browser copy was not there when the site was made"
    )


def warnings(found: tuple[Candidate, ...], copies: Path) -> Iterator[str]:
    """A line of each model that visitors cannot try though the board file says that they may, and of variants
    that they cannot see.
    """
    for one in found:
        if one.why:
            about = f"{one.model} on {one.dataset}" if one.dataset else one.model
            again = f"run steelyard check --browser {one.model}, which puts the copy in {copies}"
            yield f"{about} cannot be tried on the site: {one.why}; {one.fix or again}"
    if any(one.copy for one in found):
        try:
            list_text()
        except UserError as error:
            yield f"the pages to try models have no misspelt variants: {error}"


def publish_copies(
    output: Path, found: tuple[Candidate, ...], copies: Path, cache: Path
) -> PublishedCopies | None:
    """Put the copies and what runs them into the site; None where there is nothing to try."""
    offered = {one.check.copy_sha256: (one.model, one.copy) for one in found if one.copy and one.check}
    if not offered:
        return None
    folders = {}
    for hash_, (model, copy) in offered.items():
        folder = copy_folder(copies, model, hash_)
        folders[hash_] = publish(output, "scorer", {name: folder / name for name in copy.files})
    stock, bundle = stock_files(cache), json.dumps(module_texts(), sort_keys=True).encode()
    networks = any(copy.has_network for _, copy in offered.values())
    return PublishedCopies(
        candidates=found,
        folders=folders,
        bundle=f"{publish(output, 'scorer', {BUNDLE: bundle})}/{BUNDLE}",
        library=f"{publish(output, 'runtime', {STDLIB: stock[STDLIB]})}/{STDLIB}",
        size=len(bundle) + sum(path.stat().st_size for path in stock.values()),
        misspellings=_publish_misspellings(output),
        networks=publish_networks(output, cache) if networks else None,
    )


def _publish_misspellings(output: Path) -> PublishedList | None:
    try:
        content = list_text().encode()
    except UserError:
        return None
    address = f"{publish(output, 'scorer', {LIST.name: content})}/{LIST.name}"
    return PublishedList(MISSPELLINGS, address, len(content))
