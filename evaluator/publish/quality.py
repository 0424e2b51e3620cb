"""How good a board is as a benchmark: the criteria of BetterBench, each with its evidence.

The criteria are in `evaluator.records.board.criteria`, since a board file may say how it meets them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluator.records.base import TIMING
from evaluator.records.board import CRITERIA, Assembled, Boards, BoardSpec, Criterion, DatasetSpec, MetricSpec
from evaluator.records.result import Result

#: Links beside one piece of evidence: a row is to be read.
MOST_LINKS = 4


@dataclass(frozen=True)
class BoardFacts:
    """What proofs look at: a board with its results, how many ranks and rank sets are known, its
    snapshots."""

    boards: Boards
    assembled: Assembled
    ranked: int
    known_sets: int
    snapshots: int

    @property
    def board(self) -> BoardSpec:
        """Its table in the board file."""
        return self.assembled.board

    @property
    def datasets(self) -> tuple[DatasetSpec, ...]:
        """The tables of its datasets."""
        return tuple(map(self.boards.dataset, self.board.datasets))

    @property
    def results(self) -> tuple[Result, ...]:
        """All results of its models that came to an end, people left out."""
        entries = self.assembled.entries.values()
        found = (result for entry in entries for result in entry.results.values())
        return tuple(result for result in found if result.status == "complete")

    @property
    def measured(self) -> tuple[Result, ...]:
        """The results that were measured here."""
        return tuple(result for result in self.results if result.provenance == "measured")


@dataclass(frozen=True)
class EvidenceLink:
    """Where evidence can be seen: a page of the site, by its address from the root, or a full address."""

    words: str
    address: str


@dataclass(frozen=True)
class Evidence:
    """What the files say, whether that is enough, and where to look.

    `fix` is what the maintainer can do, empty where that is to say it under [quality]; no page shows it.
    """

    holds: bool
    text: str
    links: tuple[EvidenceLink, ...] = ()
    fix: str = ""


Proof = Callable[[BoardFacts], Evidence]


def facts_of(
    boards: Boards, assembled: Assembled, sets: Mapping[str, object | None], snapshots: int
) -> BoardFacts:
    """The facts of a board; `sets` are the rank sets of the models that have a rank, None where unknown."""
    known = sum(found is not None for found in sets.values())
    return BoardFacts(boards, assembled, len(sets), known, snapshots)


# Design


def _interpretation(facts: BoardFacts) -> Evidence:
    text = "Every page says that scores are relative to the models on their board, and how to read ranks"
    return Evidence(True, text, (_method("dynascore", "the Dynascore"), _method("rank-sets", "rank sets")))


def _literature(facts: BoardFacts) -> Evidence:
    return _all_datasets(facts, lambda spec: spec.citation, "cites a publication", "citation")


def _bounds(facts: BoardFacts) -> Evidence:
    """Shares are bounded on both sides; costs by 0 and their cap; a throughput has no largest value."""
    known = [f"{metric.label}: {_range(metric)}" for metric in facts.board.metrics]
    unknown = [name for name in known if name.endswith("unknown")]
    return Evidence(not unknown, "; ".join(known))


def _range(metric: MetricSpec) -> str:
    if metric.unit == "%":
        return "0 to 100 %"
    if isinstance(metric.cap, float):
        return f"0 to {metric.cap:g} {metric.unit}"
    return "from 0, without an upper bound" if metric.name in TIMING else "unknown"


def _people(facts: BoardFacts) -> Evidence:
    found = sorted({dataset for one in facts.assembled.people.values() for dataset in one.results})
    text = f"People have a score on {_names(facts, found)}" if found else "There is no score of people"
    return Evidence(bool(found), text, _dataset_pages(facts, found))


def _chance(facts: BoardFacts) -> Evidence:
    floor = facts.boards.floor_of(facts.board)
    named = floor if floor in facts.assembled.entries else None
    if named is None:
        return Evidence(False, "No model that guesses is on the board", fix="name one as floor of the board")
    label = facts.assembled.entries[named].label
    text = f"{label} does not look at its input; models that are no better are ranked last"
    return Evidence(True, text, (_page(facts, f"models/{named}/", label),))


def _automatic(facts: BoardFacts) -> Evidence:
    kept = sum(result.predictions is not None for result in facts.results)
    text = f"{kept} of {len(facts.results)} results keep predictions, from which check computes scores again"
    return Evidence(0 < kept == len(facts.results), text, (_method("publish", "what check proves"),))


def _sensitivity(facts: BoardFacts) -> Evidence:
    suites = sorted({(result.dataset.id, name) for result in facts.results for name in result.suites})
    names = [f"{name} on {_names(facts, [dataset])}" for dataset, name in suites]
    text = f"Models were tried with {', '.join(names)}" if names else "No suite of perturbations was run"
    addresses = (f"suites/{dataset}/{name}/" for dataset, name in suites)
    links = (_page(facts, address, words) for address, words in zip(addresses, names, strict=True))
    return Evidence(bool(suites), text, tuple(links)[:MOST_LINKS])


# Implementation


def _code(facts: BoardFacts) -> Evidence:
    source = facts.boards.site.source
    if source is None:
        text = "No address of the board file, the data and the results is given"
        return Evidence(False, text, fix="set [site] source")
    text = "Board file, data and results have an address"
    return Evidence(True, text, (EvidenceLink("source of this site", source),))


def _data_access(facts: BoardFacts) -> Evidence:
    return _all_datasets(facts, lambda spec: spec.link, "says where it can be had", "link")


def _local_models(facts: BoardFacts) -> Evidence:
    models = {result.model.id for result in facts.measured}
    text = f"{len(models)} models were run here" if models else "No model was run here"
    return Evidence(bool(models), text, (_method("add-a-model", "how a model is added"),))


def _replication(facts: BoardFacts) -> Evidence:
    """Measured again by one command; scored again, from predictions, by another."""
    again = [result for result in facts.results if result.predictions is not None]
    text = f"evaluate makes {len(again)} of {len(facts.results)} results again"
    links = (_method("reference/commands", "the commands"),)
    return Evidence(0 < len(again) == len(facts.results), text, links)


def _uncertainty(facts: BoardFacts) -> Evidence:
    text = f"The rank sets of {facts.known_sets} of {facts.ranked} ranked models are known"
    return Evidence(
        facts.known_sets > 0, text, (_page(facts, "", "the board"), _method("rank-sets", "rank sets"))
    )


# Documentation


def _requirements(facts: BoardFacts) -> Evidence:
    made = [result.measurement for result in facts.measured if result.measurement]
    listed = [measurement for measurement in made if measurement.fingerprint.libraries]
    text = f"{len(listed)} of {len(facts.measured)} measured results list the software and its versions"
    return Evidence(0 < len(listed) == len(facts.measured), text)


def _quick_start(facts: BoardFacts) -> Evidence:
    return Evidence(True, "The site has a tutorial", (_method("tutorial", "tutorial"),))


def _code_documentation(facts: BoardFacts) -> Evidence:
    links = (_method("architecture", "how the code is organised"), _method("python-api", "in Python"))
    return Evidence(True, "The site documents the program that made it", links)


def _limitations(facts: BoardFacts) -> Evidence:
    note = facts.board.note
    return Evidence(
        note is not None, note or "The board has no note", (_method("threats", "what can go wrong"),)
    )


def _metric_documentation(facts: BoardFacts) -> Evidence:
    without = [metric.label for metric in facts.board.metrics if not metric.description]
    text = (
        f"Without description: {', '.join(without)}"
        if without
        else "Every metric has a description on the board"
    )
    return Evidence(not without, text, (_method("metrics", "metrics"), _method("measurement", "measurement")))


def _licence(facts: BoardFacts) -> Evidence:
    found = _all_datasets(facts, lambda spec: spec.licence, "has a licence", "licence")
    numbers = facts.boards.site.licence
    own = f"Numbers: {numbers}" if numbers else "The numbers have none"
    fix = "" if numbers else "set [site] licence"
    return Evidence(found.holds and numbers is not None, f"{found.text}. {own}", found.links, fix)


# Maintenance, data and retirement


def _checked(facts: BoardFacts) -> Evidence:
    """A build must not depend on the day on which it is made, so the reader compares the dates."""
    dates = (result.created for result in facts.results if result.provenance != "reported")
    newest = max(dates, default=None)
    text = f"The newest result was made here on {newest[:10]}" if newest else "Nothing was evaluated here"
    return Evidence(newest is not None, text)


def _origin(facts: BoardFacts) -> Evidence:
    """Reported numbers cite their source always, see `evaluator.records.Result`; so must every dataset."""
    found = _all_datasets(
        facts, lambda spec: spec.citation or spec.link, "says where it is from", "citation or link"
    )
    text = f"{found.text}. Every number says whether it was measured, scored from predictions or reported"
    return Evidence(found.holds, text, (*found.links, _method("pages", "where numbers come from")))


def _annotation(facts: BoardFacts) -> Evidence:
    """People have a result on a dataset exactly where every example keeps its annotators' answers."""
    kept = sorted({dataset for one in facts.assembled.people.values() for dataset in one.results})
    text = (
        f"Annotators' answers are kept of {_names(facts, kept)}"
        if kept
        else "No annotators' answers are kept"
    )
    return Evidence(len(kept) == len(facts.datasets), text, _dataset_pages(facts, kept))


def _versions(facts: BoardFacts) -> Evidence:
    hashed = sum(result.dataset.revision is not None for result in facts.results)
    text = f"{hashed} of {len(facts.results)} results name the hash of their data; {_frozen(facts)}"
    return Evidence(0 < hashed == len(facts.results) and facts.snapshots > 0, text, _snapshot_links(facts))


def _saturation(facts: BoardFacts) -> Evidence:
    solved = sorted(facts.assembled.solved.items())
    found = "; ".join(
        f"{_names(facts, [dataset])}: {len(models)} models reach people" for dataset, models in solved
    )
    return Evidence(bool(found), found or "Without a score of people no dataset is marked as solved")


def _archive(facts: BoardFacts) -> Evidence:
    return Evidence(facts.snapshots > 0, f"{_frozen(facts)}, which never change", _snapshot_links(facts))


#: The criteria that files can prove, by id.
PROOFS: dict[str, Proof] = {
    "interpretation": _interpretation,
    "literature": _literature,
    "bounds": _bounds,
    "people": _people,
    "chance": _chance,
    "automatic": _automatic,
    "sensitivity": _sensitivity,
    "code": _code,
    "data-access": _data_access,
    "local-models": _local_models,
    "replication": _replication,
    "uncertainty": _uncertainty,
    "requirements": _requirements,
    "quick-start": _quick_start,
    "code-documentation": _code_documentation,
    "limitations": _limitations,
    "metric-documentation": _metric_documentation,
    "licence": _licence,
    "checked": _checked,
    "origin": _origin,
    "annotation": _annotation,
    "versions": _versions,
    "saturation": _saturation,
    "archive": _archive,
}


# Words and links


def _all_datasets(
    facts: BoardFacts, has: Callable[[DatasetSpec], str | None], words: str, key: str
) -> Evidence:
    """Whether every dataset has a field, and which have not."""
    without = [spec.id for spec in facts.datasets if not has(spec)]
    text = f"Without {key}: {_names(facts, without)}" if without else f"Every dataset {words}"
    with_it = [spec.id for spec in facts.datasets if has(spec)]
    return Evidence(not without, text, _dataset_pages(facts, with_it))


def _names(facts: BoardFacts, datasets: Sequence[str]) -> str:
    """Datasets of the board as people call them."""
    labels = {spec.id: spec.label for spec in facts.datasets}
    return ", ".join(labels.get(id_, id_) for id_ in datasets)


def _dataset_pages(facts: BoardFacts, datasets: Sequence[str]) -> tuple[EvidenceLink, ...]:
    labels = {spec.id: spec.label for spec in facts.datasets}
    pages = [_page(facts, f"datasets/{id_}/", labels[id_]) for id_ in datasets if id_ in labels]
    return tuple(pages[:MOST_LINKS])


def _page(facts: BoardFacts, path: str, words: str | None) -> EvidenceLink:
    return EvidenceLink(words or path, f"{facts.board.id}/{path}")


def _method(page: str, words: str) -> EvidenceLink:
    return EvidenceLink(words, f"method/{page}/")


def _frozen(facts: BoardFacts) -> str:
    return f"{facts.snapshots} snapshot{'' if facts.snapshots == 1 else 's'} of the board"


def _snapshot_links(facts: BoardFacts) -> tuple[EvidenceLink, ...]:
    return (EvidenceLink("snapshots", "snapshots/"),) if facts.snapshots else ()


#: How a criterion is met: files show it, the maintainer says it, or neither.
CriterionVerdict = Literal["proven", "stated", "not met"]
VERDICTS: tuple[CriterionVerdict, ...] = ("proven", "stated", "not met")


@dataclass(frozen=True)
class Assessment:
    """A criterion, by its number from 1, with its verdict.

    `evidence` is what the board's files show of it, also where that is not enough, or None where they can
    show nothing. `statement` is what the board file says, empty where it says nothing.
    """

    number: int
    criterion: Criterion
    verdict: CriterionVerdict
    evidence: Evidence | None
    statement: str


def assess(facts: BoardFacts) -> tuple[Assessment, ...]:
    """All criteria in their order, of one board."""
    statements = facts.boards.quality | facts.board.quality
    return tuple(
        _assessed(number, criterion, facts, statements.get(criterion.id, ""))
        for number, criterion in enumerate(CRITERIA, 1)
    )


def counts(assessments: tuple[Assessment, ...]) -> dict[CriterionVerdict, int]:
    """How many criteria have each verdict."""
    found = Counter(one.verdict for one in assessments)
    return {verdict: found[verdict] for verdict in VERDICTS}


def _assessed(number: int, criterion: Criterion, facts: BoardFacts, statement: str) -> Assessment:
    evidence = PROOFS[criterion.id](facts) if criterion.id in PROOFS else None
    verdict: CriterionVerdict = "stated" if statement else "not met"
    return Assessment(
        number, criterion, "proven" if evidence and evidence.holds else verdict, evidence, statement
    )
