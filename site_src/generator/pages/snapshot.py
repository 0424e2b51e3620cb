"""The page of a snapshot, and the citation of a board's newest one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jinja2

from evaluator.publish.snapshots.repository import CERTAINTY, folder_of, load, record_bytes, shared_folder
from evaluator.publish.snapshots.scorers import file_hash, shipped
from evaluator.rank.citations import FORMAT_NAMES, Citation, claim_words, plain
from evaluator.records.board import Assembled, Boards
from evaluator.records.snapshot import Snapshot
from site_src.generator import formats
from site_src.generator.pages.board import POLICIES, BoardView, board_view
from site_src.generator.pages.snapshots import CitedSnapshot
from site_src.generator.scripts import SOURCE, with_imports
from site_src.generator.table import Varied
from site_src.generator.urls import FrozenUrls, Shared

#: Scripts and styles that a page names itself; what these import is found in them.
PAGE_ASSETS = (
    *("base/favicon.svg", "base/style.css", "base/early.js", "base/every-page.js"),
    *("parts/table.css", "parts/weights.css", "parts/exchange-rates.css", "parts/explanation.css"),
    *("parts/pin.svg", "parts/cite.css", "charts/charts.css", "pages/snapshot.css"),
    *("scorer/start.js", "pages/snapshot.js", "scorer/scorer-worker.js"),
)
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
PROFILE = "https://w3id.org/ro/crate/1.1"
MEDIA = {
    "index.html": "text/html",
    "snapshot.json": "application/json",
    "citation.bib": "application/x-bibtex",
    "citation.ris": "application/x-research-info-systems",
    "CITATION.cff": "text/yaml",
}


@dataclass(frozen=True)
class Frozen:
    """What the page of a snapshot says in addition to a board's page."""

    snapshot: Snapshot
    view: BoardView
    citation: Citation
    urls: FrozenUrls
    absolute: bool

    @property
    def moment(self) -> str:
        return formats.moment(self.snapshot.created)

    @property
    def scorers(self) -> list[tuple[str, str, str]]:
        """Name, address and hash of each scorer."""
        folder = self.urls.scorer().rpartition("/")[0]
        hashes = self.snapshot.scorer.items()
        return [(name, f"{folder}/{name}", hashed.removeprefix("sha256:")) for name, hashed in hashes]

    @property
    def certainty(self) -> dict[str, Any]:
        """The rank sets of the page, and the file of which a script makes those of other weights."""
        sure = self.view.certainty
        sets, within = (sure.answer["sets"], sure.answer["within"]) if sure.known else ([], None)
        file = CERTAINTY if sure.content else None
        return {**sure.answer, "sets": sets, "within": within, "leader": sure.leader, "file": file}

    @property
    def texts(self) -> list[tuple[str, str, str]]:
        """Every way to cite: its id, its name, its text; a script writes those that are files beside it, too,
        and are folded on the page."""
        texts = {**self.citation.texts(), "ris": "", "cff": ""}
        return [(format_, name, texts[format_]) for format_, name in FORMAT_NAMES.items()]

    @property
    def tags(self) -> list[tuple[str, str]]:
        """What Zotero and Google Scholar read."""
        cited = self.citation
        return [
            ("citation_title", cited.title),
            ("citation_author", cited.publisher),
            ("citation_publisher", cited.publisher),
            ("citation_publication_date", cited.created[:10].replace("-", "/")),
            ("citation_technical_report_number", cited.id),
            ("citation_public_url", cited.url),
        ]

    @property
    def linked_data(self) -> dict[str, Any]:
        """The snapshot as a schema.org Dataset."""
        cited, snapshot = self.citation, self.snapshot
        times = [result.created for model in snapshot.models for result in model.results.values()]
        times = times or [snapshot.created]
        return {
            "@context": "https://schema.org",
            "@type": "Dataset",
            "name": cited.title,
            "description": cited.sentence,
            "identifier": cited.id,
            "version": cited.id,
            "url": cited.url,
            "datePublished": snapshot.created,
            "temporalCoverage": f"{min(times)}/{max(times)}",
            "creator": {"@type": "Organization", "name": cited.publisher},
            "publisher": {"@type": "Organization", "name": cited.publisher},
            **({"license": plain(snapshot.licence)} if snapshot.licence else {}),
            "isAccessibleForFree": True,
            "variableMeasured": [column.label for column in self.view.columns],
            "measurementTechnique": f"Dynascore, {snapshot.tool}",
            "isBasedOn": [_source(dataset) for dataset in snapshot.datasets],
            "distribution": [
                {
                    "@type": "DataDownload",
                    "encodingFormat": "application/json",
                    "contentUrl": f"{cited.url}snapshot.json",
                    "sha256": cited.sha256,
                }
            ],
        }

    @property
    def island(self) -> dict[str, Any]:
        """The board's data without what ``snapshot.json`` has, and provenances but the usual one."""
        usual = {"provenance": self.provenance}.items()
        models = [
            dict(facts for facts in model.items() if facts[0] not in ("id", "label") and facts not in usual)
            for model in self.view.island["models"]
        ]
        return {**self.view.island, "models": models}

    @property
    def provenance(self) -> str | None:
        """That of most models; None on a board without models."""
        counts = Counter(model["provenance"] for model in self.view.island["models"])
        return max(counts, key=counts.__getitem__, default=None)

    @property
    def addresses(self) -> dict[str, Any]:
        """What the script starts from.

        `values` are means over datasets, None where they follow from the cells: of one dataset, or of
        many models. `order` is None where the page has a row for every model.
        """
        data, ranking = self.snapshot.data, self.view.ranking
        columns = [list(data.values[data.datasets[0]][column.name]) for column in self.view.columns]
        values = ranking.get("values")
        return {
            "id": self.snapshot.id,
            "board": self.view.spec.id,
            "created": self.snapshot.created,
            "controls": self.urls.controls(),
            "scorer": self.urls.scorer(),
            "provenance": self.provenance,
            "values": None if len(data.datasets) == 1 and values == columns else values,
            "idle": ranking["idle"],
        }


def snapshot_files(
    snapshot: Snapshot,
    assembled: Assembled,
    boards: Boards,
    templates: jinja2.Environment,
    varied: Varied | None = None,
) -> dict[str, bytes]:
    """The files of a snapshot's page by name, as `evaluator.publish.snapshots.save` takes them.

    `assembled` is what was frozen, and `varied` how its cells vary. The page shows it at the weights of the
    snapshot.
    """
    weights = snapshot.weights
    at_weights = replace(assembled, metric_weights=weights.metrics, dataset_weights=weights.datasets)
    view = board_view(at_weights, boards, varied=varied)
    view = replace(view, datasets=tuple(replace(dataset, suites=()) for dataset in view.datasets))
    assets, site = with_imports(SOURCE, PAGE_ASSETS), boards.site.url
    shared = Shared(assets=shared_folder(assets), scorer=shared_folder(shipped()), runtime="")
    urls = FrozenUrls(shared, "")
    citation = Citation(
        id=snapshot.id,
        sha256=file_hash(record_bytes(snapshot)).removeprefix("sha256:"),
        created=snapshot.created,
        board=plain(view.spec.title),
        publisher=plain(boards.title),
        url=f"{site or ''}snapshots/{snapshot.id}/",
        claim=_claim(view),
    )
    frozen = Frozen(snapshot, view, citation, urls, site is not None)
    context = {"site": boards, "urls": urls, "view": view, "frozen": frozen, "policies": POLICIES}
    controls = _small(templates.get_template("snapshot/controls.html").render(context)).encode()
    urls.folder = shared_folder({"controls.html": controls})
    page = _small(templates.get_template("snapshot.html").render(context)).encode()
    return {
        **({CERTAINTY: view.certainty.content} if view.certainty.content else {}),
        "index.html": page,
        "citation.bib": citation.bibtex().encode(),
        "citation.ris": citation.ris().encode(),
        "CITATION.cff": citation.cff().encode(),
        "ro-crate-metadata.json": _crate(frozen),
        f"../{urls.folder}/controls.html": controls,
        **{f"../{shared.assets}/{name}": content for name, content in assets.items()},
    }


def _claim(view: BoardView) -> str:
    """What a citation says of a board's default view."""
    cited = {**view.island["weights"], "by": view.spec.by, "among": "all", "limits": []}
    return claim_words(view.words, cited, None, view.certainty.answer["sets"]) if view.words else ""


def _small(page: str) -> str:
    """The same page without indentation and empty lines, except where white space is part of the text."""
    parts = re.split(
        r"(<pre\b.*?</pre>|<script\b.*?</script>|<textarea\b.*?</textarea>)", page, flags=re.DOTALL
    )
    return "".join(part if index % 2 else re.sub(r"\s*\n\s*", "\n", part) for index, part in enumerate(parts))


def _source(dataset: Any) -> dict[str, Any]:
    """A dataset that models were scored on."""
    link = {"url": dataset.link} if dataset.link and formats.is_link(dataset.link) else {}
    cited = {"citation": plain(dataset.citation)} if dataset.citation else {}
    licence = {"license": plain(dataset.licence)} if dataset.licence else {}
    return {"@type": "Dataset", "name": plain(dataset.label), **link, **cited, **licence}


def _crate(frozen: Frozen) -> bytes:
    """The metadata of an RO-Crate 1.1 whose root is the snapshot's folder."""
    snapshot, cited = frozen.snapshot, frozen.citation
    datasets = [{"@id": f"#dataset-{dataset.id}", **_source(dataset)} for dataset in snapshot.datasets]
    licence = plain(snapshot.licence) if snapshot.licence else "Not stated"
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": cited.title,
        "description": cited.sentence,
        "datePublished": snapshot.created,
        "identifier": cited.id,
        "version": cited.id,
        "license": {"@id": "#licence"},
        "author": {"@id": "#publisher"},
        "publisher": {"@id": "#publisher"},
        "isBasedOn": [{"@id": dataset["@id"]} for dataset in datasets],
        "hasPart": [{"@id": name} for name in MEDIA],
    }
    descriptor = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": {"@id": PROFILE},
        "about": {"@id": "./"},
    }
    publisher = {"@id": "#publisher", "@type": "Organization", "name": cited.publisher}
    terms = {"@id": "#licence", "@type": "CreativeWork", "name": licence, "description": "Of the numbers"}
    files = [
        {"@id": name, "@type": "File", "name": name, "encodingFormat": kind} for name, kind in MEDIA.items()
    ]
    document = {"@context": CONTEXT, "@graph": [descriptor, root, publisher, terms, *files, *datasets]}
    return (json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n").encode()


_SCRIPTS = re.compile(r"\.\./(assets/\w+)/")
#: As `BOARD_PARTS` of assets/view/fragment.js begins each of its lines.
_PART = re.compile(r'^ *\["([a-z])", "', re.MULTILINE)


@dataclass(frozen=True)
class NewestCitation:
    """The newest snapshot of a board, to be cited from the board's page at any weights.

    `parts` are the keys of a view's parts that the snapshot's page reads in its address. `whole` says whether
    it holds every number of the live board, and no other.
    """

    citation: Citation
    snapshot: Snapshot
    parts: str
    whole: bool

    @property
    def texts(self) -> list[tuple[str, str, str]]:
        """Every way to cite: its id, its name, and no text until a script knows the view."""
        return [(format_, name, "") for format_, name in FORMAT_NAMES.items()]

    def island(self) -> dict[str, Any]:
        """What the script needs: the view that the snapshot's page shows first, and where that page is."""
        data, weights = self.snapshot.data, self.snapshot.weights
        first = {
            "metrics": weights.metrics,
            "datasets": weights.datasets,
            "base": data.base,
            "threshold": {"kind": data.epsilon_kind, "epsilon": data.epsilon},
            "rate": data.rate,
            "by": data.by,
            "trades": dict(data.trades),
        }
        more = {"path": self.citation.url, "parts": self.parts, "first": first}
        files = {"whole": self.whole, "certainty": CERTAINTY if self.snapshot.certainty else None}
        return {**self.citation.island(), **more, **files}


def newest_citation(
    results: Path, cited: CitedSnapshot, view: BoardView, publisher: str, address: str
) -> NewestCitation:
    """Of the newest snapshot of the board that `view` shows; `address` is where the snapshot's page is."""
    snapshot, folder = load(folder_of(results), cited.id), folder_of(results) / cited.id
    citation = Citation(
        id=cited.id,
        sha256=cited.sha256,
        created=snapshot.created,
        board=plain(snapshot.board["title"]),
        publisher=plain(publisher),
        url=address,
    )
    kept, cells = snapshot.data, view.cells
    whole = _numbers(kept.models, kept.values) == _numbers(cells["models"], cells["values"])
    return NewestCitation(citation, snapshot, _parts(folder), whole)


def _parts(folder: Path) -> str:
    """The keys that a snapshot's page reads, from its own script; none where that cannot be found."""
    page = folder / "index.html"
    found = _SCRIPTS.search(page.read_text(encoding="utf-8")) if page.exists() else None
    scripts = sorted((folder.parent / found[1]).rglob("fragment.js")) if found else []
    return "".join(_PART.findall(scripts[0].read_text(encoding="utf-8"))) if scripts else ""


def _numbers(
    models: Sequence[str], values: Mapping[str, Mapping[str, Sequence[float | None]]]
) -> dict[tuple[str, str, str], float]:
    """Each number by dataset, metric and model, in whatever order these stand."""
    return {
        (dataset, metric, model): value
        for dataset, columns in values.items()
        for metric, column in columns.items()
        for model, value in zip(models, column, strict=True)
        if value is not None
    }
