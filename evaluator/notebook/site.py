"""Boards read from a published site: the JSON beside its pages, over HTTP.

What the documents are is said by the schemas that the site publishes; the classes here name the fields that
are read, so that a newer site may have more. Files whose SHA-256 a document gives are checked against it.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluator import __version__
from evaluator.data.datasets import Dataset
from evaluator.notebook.reading import BoardContent, OneResult, not_there
from evaluator.records.base import Record, describe_errors, digest, parse_record
from evaluator.records.board import MetricSpec, Preset
from evaluator.records.datasets import Examples
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet, Source
from evaluator.records.result import Result
from evaluator.records.snapshot import SnapshotCells, SnapshotWeights
from evaluator.score.certainty import Doubts

#: Seconds that a server may take to answer.
TIMEOUT = 30


class SitePart(BaseModel):
    """What is read of a document; other fields are left alone."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class SiteFile(SitePart):
    """The address of a file, relative to its document, and the SHA-256 of its bytes."""

    data: str
    sha256: str


class SiteBoardLink(SitePart):
    """A board of ``index.json``."""

    id: str
    title: str
    data: str


class SiteIndex(SitePart):
    """``index.json``."""

    boards: tuple[SiteBoardLink, ...]


class SiteDataset(SitePart):
    """A dataset of a board."""

    id: str
    label: str
    data: str


class SiteModel(SitePart):
    """A model of a board."""

    id: str
    data: str
    reasons: tuple[str, ...] = ()
    suspect: tuple[str, ...] = ()


class SiteBoard(SitePart):
    """``BOARD/board.json``."""

    id: str
    title: str
    task: str
    updated: str | None = None
    metrics: tuple[MetricSpec, ...]
    datasets: tuple[SiteDataset, ...]
    weights: SnapshotWeights
    presets: tuple[Preset, ...]
    models: tuple[SiteModel, ...]
    cells: SnapshotCells
    shown: dict[str, dict[str, tuple[float | None, ...]]]
    certainty: SiteFile | None = None


class SiteScores(SitePart):
    """What a model scored, in ``dataset.json``."""

    id: str
    provenance: str
    revision: str | None = None
    source: Source | None = None
    scores: dict[str, float]


class SiteDatasetPage(SitePart):
    """``BOARD/datasets/DATASET/dataset.json``."""

    models: tuple[SiteScores, ...]
    examples_file: SiteFile | None = None


class SiteModelPage(SitePart):
    """``BOARD/models/MODEL/model.json``."""

    results: dict[str, dict[str, Any]]
    predictions: dict[str, str] = {}


AnySitePart = TypeVar("AnySitePart", bound=SitePart)
AnyKept = TypeVar("AnyKept", bound=Record)


class SiteReader:
    """The boards of the site at an address. Every method raises `UserError` for what cannot be read."""

    def __init__(self, address: str) -> None:
        self.root = _root(address)
        self.index = self._document(f"{self.root}index.json", SiteIndex)
        self._boards: dict[str, SiteBoard] = {}

    @property
    def where(self) -> str:
        return self.root

    def titles(self) -> dict[str, str]:
        return {board.id: board.title for board in self.index.boards}

    def _board(self, board: str) -> tuple[str, SiteBoard]:
        """The address of a board's document, and what is in it."""
        links = {link.id: link for link in self.index.boards}
        if board not in links:
            raise not_there(self.root, "board", board, links)
        address = self._address(f"{self.root}index.json", links[board].data)
        if board not in self._boards:
            self._boards[board] = self._document(address, SiteBoard)
        return address, self._boards[board]

    def content(self, board: str) -> BoardContent:
        address, found = self._board(board)
        if not found.models:
            raise UserError(address, "models: the board has none yet", "open another board")
        cells = found.cells.plain()
        return BoardContent(
            where=address,
            id=found.id,
            title=found.title,
            task=found.task,
            metrics=found.metrics,
            datasets={dataset.id: dataset.label for dataset in found.datasets},
            data=cells,
            values={**cells["values"], **found.shown},
            varied=self._varied(address, found),
            metric_weights=dict(found.weights.metrics),
            dataset_weights=dict(found.weights.datasets),
            presets={preset.name: dict(preset.weights) for preset in found.presets},
            doubts={
                # A site says in sentences what is in doubt.
                model.id: Doubts([*model.reasons], [*model.suspect], [*model.suspect])
                for model in found.models
            },
            updated=found.updated,
        )

    def _varied(self, address: str, board: SiteBoard) -> Mapping[str, Any]:
        """How the cells vary, as `rank_sets.Certainty.from_dict` takes it."""
        if board.certainty is None:
            return _not_said(board)
        place = self._address(address, board.certainty.data)
        found: Mapping[str, Any] = _parsed(place, _checked(place, board.certainty.sha256))
        return found

    def results(self, board: str, dataset: str) -> Iterator[OneResult]:
        _, page = self._dataset_page(board, dataset)
        for model in page.models:
            source = model.source.citation if model.source else None
            yield OneResult(model.id, model.provenance, model.revision, source, model.scores)

    def _dataset_page(self, board: str, dataset: str) -> tuple[str, SiteDatasetPage]:
        address, found = self._board(board)
        links = {one.id: one.data for one in found.datasets}
        if dataset not in links:
            raise not_there(address, "dataset", dataset, links)
        place = self._address(address, links[dataset])
        return place, self._document(place, SiteDatasetPage)

    def predictions(self, board: str, model: str, dataset: str) -> tuple[PredictionSet, Examples | None]:
        address, found = self._board(board)
        links = {one.id: one.data for one in found.models}
        if model not in links:
            raise not_there(address, "model", model, links)
        place = self._address(address, links[model])
        predictions = self._predictions(place, dataset)
        return predictions, self._examples(board, dataset)

    def _predictions(self, place: str, dataset: str) -> PredictionSet:
        """Those that a model's document names, checked by the hash that its result has."""
        page = self._document(place, SiteModelPage)
        if dataset not in page.predictions or dataset not in page.results:
            known = ", ".join(page.predictions) or "none"
            raise UserError(place, f"predictions: none on {dataset!r} are published", f"there are {known}")
        result = _record(place, page.results[dataset], Result)
        address = self._address(place, page.predictions[dataset])
        document = _parsed(address, _fetched(address))
        expected = result.predictions.sha256 if result.predictions else None
        if digest(document) != expected:
            raise UserError(
                address, f"content hash {digest(document)}, not {expected}", "build the site again"
            )
        return _record(address, document, PredictionSet)

    def _examples(self, board: str, dataset: str) -> Examples | None:
        place, page = self._dataset_page(board, dataset)
        if page.examples_file is None:
            return None
        address = self._address(place, page.examples_file.data)
        return _record(address, _parsed(address, _checked(address, page.examples_file.sha256)), Examples)

    def dataset(self, dataset: str) -> Dataset:
        fix = "open the board file of its repository, and the data"
        raise UserError(self.root, f"dataset: {dataset!r}: a site has no texts and right answers", fix)

    def _address(self, document: str, address: str) -> str:
        """The full address of what a document names. `UserError` for what is not of this site."""
        full = urllib.parse.urljoin(document, address)
        if not full.startswith(self.root):
            raise UserError(document, f"names {full}, which is not of the site", "build the site again")
        return full

    def _document(self, address: str, part: type[AnySitePart]) -> AnySitePart:
        try:
            return part.model_validate(_parsed(address, _fetched(address)))
        except ValidationError as error:
            fix = "the site may be older or newer than this version of steelyard"
            raise UserError(describe_errors(error, address), "", fix) from None


def _not_said(board: SiteBoard) -> dict[str, Any]:
    """What stands for how cells vary where a site does not say."""
    models = list(range(len(board.models)))
    unknown = {metric.name: [["the site does not say how it varies", models]] for metric in board.metrics}
    counts = {"examples": 0, "clusters": 0, "unit": {}, "right": {}, "apart": {}}
    one = {**counts, "covariances": [], "relative": {}, "unknown": unknown}
    return dict.fromkeys(board.cells.datasets, one)


def _root(address: str) -> str:
    """The folder of a site's front page."""
    plain, _ = urllib.parse.urldefrag(address)
    for name in ("index.html", "index.json"):
        plain = plain.removesuffix(name)
    return plain if plain.endswith("/") else f"{plain}/"


def _fetched(address: str) -> bytes:
    request = urllib.request.Request(address, headers={"User-Agent": f"steelyard/{__version__}"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            content: bytes = answer.read()
            return content
    except urllib.error.HTTPError as error:
        fix = "give the address of the site's front page"
        raise UserError(address, f"the server answers {error.code} {error.reason}", fix) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        why = getattr(error, "reason", None) or error
        raise UserError(address, f"cannot be reached: {why}", "check the address and the network") from None


def _checked(address: str, sha256: str) -> bytes:
    """The bytes at an address. Raises `UserError` unless they have that hash."""
    content = _fetched(address)
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise UserError(address, f"sha256: {found}, not {sha256}", "build the site again")
    return content


def _parsed(address: str, content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        fix = "give the address of the front page of a site that steelyard has built"
        raise UserError(address, f"is no JSON: {error}", fix) from None


def _record(address: str, document: Any, record: type[AnyKept]) -> AnyKept:
    """A record of the site. Raises `UserError`."""
    return parse_record(document, record, address, fix="build the site again")
