"""Boards read from a published site: the JSON beside its pages, over HTTP.

What the documents are is said by the schemas that the site publishes; only what is needed here is read, so
that a newer site may have more. Files whose SHA-256 a document gives are checked against it.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

from pydantic import ValidationError

from evaluator import __version__
from evaluator.notebook.board import OpenBoard, ResultNumbers, check_there
from evaluator.records.base import describe_errors, digest, parse_record
from evaluator.records.board import MetricSpec
from evaluator.records.datasets import Examples
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.snapshot import SnapshotCells, SnapshotWeights
from evaluator.score.certainty import Doubts

#: Seconds that a server may take to answer.
TIMEOUT = 30
AGAIN = "build the site again"


class Site:
    """The boards of the site at an address. Every method raises `UserError` for what cannot be read."""

    def __init__(self, address: str) -> None:
        plain, _ = urllib.parse.urldefrag(address)
        for name in ("index.html", "index.json"):
            plain = plain.removesuffix(name)
        self.where = plain if plain.endswith("/") else f"{plain}/"
        self._index = f"{self.where}index.json"
        self._documents: dict[str, Any] = {}
        with _as_written(self._index):
            boards = self._document(self._index)["boards"]
            self.titles = {str(one["id"]): str(one["title"]) for one in boards}
            self._boards = {one["id"]: self._address(self._index, one["data"]) for one in boards}

    def board(self, board: str) -> OpenBoard:
        """A board with everything that ranks it."""
        check_there(self.where, "board", [board], self._boards)
        address = self._boards[board]
        found = self._document(address)
        with _as_written(address):
            if not found["models"]:
                raise UserError(address, "models: the board has none yet", "open another board")
            weights = SnapshotWeights.model_validate(found["weights"])
            return OpenBoard(
                source=self,
                where=address,
                id=board,
                title=str(found["title"]),
                metrics=tuple(MetricSpec.model_validate(metric) for metric in found["metrics"]),
                datasets={str(one["id"]): str(one["label"]) for one in found["datasets"]},
                data=SnapshotCells.model_validate(found["cells"]).plain(),
                varied=self._varied(address, found),
                weights=weights.metrics,
                dataset_weights=weights.datasets,
                presets={preset["name"]: preset["weights"] for preset in found["presets"]},
                # A site says in sentences what is in doubt.
                doubts={
                    one["id"]: Doubts(
                        one.get("reasons", []),
                        one.get("suspect", []),
                        one.get("suspect", []),
                        one.get("stale", []),
                    )
                    for one in found["models"]
                },
            )

    def _varied(self, address: str, board: Mapping[str, Any]) -> Any:
        """How the cells vary, as `rank_sets.Certainty.from_dict` takes it."""
        if board.get("certainty") is not None:
            return self._file(address, board["certainty"])
        models = list(range(len(board["models"])))
        why = "the site does not say how it varies"
        unknown = {metric["name"]: [[why, models]] for metric in board["metrics"]}
        counts = {"examples": 0, "clusters": 0, "unit": {}, "right": {}, "apart": {}}
        one = {**counts, "covariances": [], "relative": {}, "unknown": unknown}
        return dict.fromkeys(board["cells"]["datasets"], one)

    def results(self, board: str, dataset: str) -> dict[str, ResultNumbers]:
        """What a board's models scored on one of its datasets, people left out."""
        place, page = self._part(board, "datasets", dataset)
        with _as_written(place):
            return {
                one["id"]: (one["scores"], {**one, "source": (one.get("source") or {}).get("citation")})
                for one in page["models"]
            }

    def predictions(self, board: str, model: str, dataset: str) -> tuple[PredictionSet, Examples | None]:
        """What a model answered, checked by the hash that its result has, and the examples if published."""
        place, page = self._part(board, "models", model)
        with _as_written(place):
            published = page.get("predictions", {})
            if dataset not in published or dataset not in page["results"]:
                known = ", ".join(published) or "none"
                problem = f"predictions: none on {dataset!r} are published"
                raise UserError(place, problem, f"there are {known}")
            result = parse_record(page["results"][dataset], Result, place, fix=AGAIN)
            address = self._address(place, published[dataset])
        document = self._document(address)
        expected = result.predictions.sha256 if result.predictions else None
        if digest(document) != expected:
            raise UserError(address, f"content hash {digest(document)}, not {expected}", AGAIN)
        examples = None
        place, page = self._part(board, "datasets", dataset)
        if (kept := page.get("examples_file")) is not None:
            with _as_written(place):
                examples = parse_record(self._file(place, kept), Examples, place, fix=AGAIN)
        return parse_record(document, PredictionSet, address, fix=AGAIN), examples

    def dataset(self, dataset: str) -> NoReturn:
        """Raises `UserError`: a site has no texts."""
        fix = "open the board file of its repository, and the data"
        raise UserError(self.where, f"dataset: {dataset!r}: a site has no texts and right answers", fix)

    def _part(self, board: str, kind: str, name: str) -> tuple[str, Any]:
        """The address and content of the document of one of a board's ``datasets`` or ``models``."""
        address = self._boards[board]
        with _as_written(address):
            links = {one["id"]: one["data"] for one in self._document(address)[kind]}
            place = self._address(address, links[name])
        return place, self._document(place)

    def _address(self, document: str, address: str) -> str:
        """The full address of what a document names. `UserError` for what is not of this site."""
        full = urllib.parse.urljoin(document, address)
        if not full.startswith(self.where):
            raise UserError(document, f"names {full}, which is not of the site", AGAIN)
        return full

    def _file(self, document: str, named: Mapping[str, str]) -> Any:
        """What is in a file that a document names with its SHA-256."""
        address = self._address(document, named["data"])
        content = _fetched(address)
        found = hashlib.sha256(content).hexdigest()
        if found != named["sha256"]:
            raise UserError(address, f"sha256: {found}, not {named['sha256']}", AGAIN)
        return _parsed(address, content)

    def _document(self, address: str) -> Any:
        """The JSON at an address, fetched once."""
        if address not in self._documents:
            self._documents[address] = _parsed(address, _fetched(address))
        return self._documents[address]


@contextmanager
def _as_written(address: str) -> Iterator[None]:
    """Raise `UserError` where a document is not as sites of this version are."""
    fix = "the site may be older or newer than this version of steelyard"
    try:
        yield
    except ValidationError as error:
        raise UserError(describe_errors(error, address), fix=fix) from None
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(address, f"lacks what is read of it ({type(error).__name__}: {error})", fix) from None


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


def _parsed(address: str, content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        fix = "give the address of the front page of a site that steelyard has built"
        raise UserError(address, f"is no JSON: {error}", fix) from None
