"""How good a board is as a benchmark: the criteria of BetterBench, each with its evidence.

The criteria are in `evaluator.records.board.criteria`, since a board file may say how it meets them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluator.records.base import TIMING
from evaluator.records.board import CRITERIA, Assembled, Boards, Criterion, DatasetSpec, MetricSpec
from evaluator.records.result import Result

#: Links beside one piece of evidence: a row is to be read.
MOST_LINKS = 4


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


@dataclass(frozen=True)
class BoardFacts:
    """A board with its results, how many ranks and rank sets are known, and how many snapshots there are."""

    boards: Boards
    assembled: Assembled
    ranked: int
    known_sets: int
    snapshots: int

    @property
    def datasets(self) -> tuple[DatasetSpec, ...]:
        """The tables of its datasets."""
        return tuple(map(self.boards.dataset, self.assembled.board.datasets))

    @property
    def results(self) -> tuple[Result, ...]:
        """All results of its models that came to an end, people left out."""
        entries = self.assembled.entries.values()
        found = (result for entry in entries for result in entry.results.values())
        return tuple(result for result in found if result.status == "complete")

    def names(self, datasets: Sequence[str]) -> str:
        """Datasets of the board as people call them."""
        labels = {spec.id: spec.label for spec in self.datasets}
        return ", ".join(labels.get(id_) or id_ for id_ in datasets)

    def dataset_pages(self, datasets: Sequence[str]) -> tuple[EvidenceLink, ...]:
        """The pages of datasets."""
        labels = {spec.id: spec.label for spec in self.datasets}
        pages = [self.page(f"datasets/{id_}/", labels[id_]) for id_ in datasets if id_ in labels]
        return tuple(pages[:MOST_LINKS])

    def page(self, path: str, words: str | None) -> EvidenceLink:
        """A page of the board."""
        return EvidenceLink(words or path, f"{self.assembled.board.id}/{path}")

    def every_dataset(self, has: Callable[[DatasetSpec], str | None], words: str, key: str) -> Evidence:
        """Whether every dataset has a field, and which have not."""
        without = [spec.id for spec in self.datasets if not has(spec)]
        text = f"Without {key}: {self.names(without)}" if without else f"Every dataset {words}"
        return Evidence(not without, text, self.dataset_pages([s.id for s in self.datasets if has(s)]))

    def every_result(self, has: Callable[[Result], object], text: str, link: EvidenceLink) -> Evidence:
        """Whether all of the results have something; `text` says how many of how many do."""
        count = sum(bool(has(result)) for result in self.results)
        return Evidence(0 < count == len(self.results), text.format(count, len(self.results)), (link,))


def facts_of(
    boards: Boards, assembled: Assembled, sets: Mapping[str, object | None], snapshots: int
) -> BoardFacts:
    """The facts of a board; `sets` are the rank sets of the models that have a rank, None where unknown."""
    known = sum(found is not None for found in sets.values())
    return BoardFacts(boards, assembled, len(sets), known, snapshots)


def evidence_of(facts: BoardFacts) -> dict[str, Evidence]:
    """What the files show, by the criteria of which they can show anything."""
    return {**_design(facts), **_implementation(facts), **_documentation(facts), **_maintenance(facts)}


def _method(page: str, words: str) -> EvidenceLink:
    return EvidenceLink(words, f"method/{page}/")


def _design(facts: BoardFacts) -> dict[str, Evidence]:
    bounds = [f"{metric.label}: {_range(metric)}" for metric in facts.assembled.board.metrics]
    people = sorted({dataset for one in facts.assembled.people.values() for dataset in one.results})
    chance = Evidence(False, "No model that guesses is on the board", fix="name one as floor of the board")
    constant = facts.assembled.entries.get(facts.boards.floor_of(facts.assembled.board) or "")
    if constant is not None:
        text = f"{constant.label} does not look at its input; models that are no better are ranked last"
        chance = Evidence(True, text, (facts.page(f"models/{constant.id}/", constant.label),))
    suites = sorted({(result.dataset.id, name) for result in facts.results for name in result.suites})
    tried = [f"{name} on {facts.names([dataset])}" for dataset, name in suites]
    return {
        "interpretation": Evidence(
            True,
            "Every page says that scores are relative to the models on their board, and how to read ranks",
            (_method("dynascore", "the Dynascore"), _method("rank-sets", "rank sets")),
        ),
        "literature": facts.every_dataset(lambda spec: spec.citation, "cites a publication", "citation"),
        "bounds": Evidence(not any(one.endswith("unknown") for one in bounds), "; ".join(bounds)),
        "people": Evidence(
            bool(people),
            f"People have a score on {facts.names(people)}" if people else "There is no score of people",
            facts.dataset_pages(people),
        ),
        "chance": chance,
        "automatic": facts.every_result(
            _keeps_answers,
            "{} of {} results keep predictions, from which check computes scores again",
            _method("publish", "what check proves"),
        ),
        "sensitivity": Evidence(
            bool(suites),
            f"Models were tried with {', '.join(tried)}" if tried else "No suite of perturbations was run",
            tuple(
                facts.page(f"suites/{dataset}/{name}/", words)
                for (dataset, name), words in zip(suites, tried, strict=True)
            )[:MOST_LINKS],
        ),
    }


def _range(metric: MetricSpec) -> str:
    """Shares are bounded on both sides; costs by 0 and their cap; a throughput has no largest value."""
    if metric.unit == "%":
        return "0 to 100 %"
    if isinstance(metric.cap, float):
        return f"0 to {metric.cap:g} {metric.unit}"
    return "from 0, without an upper bound" if metric.name in TIMING else "unknown"


def _implementation(facts: BoardFacts) -> dict[str, Evidence]:
    source = facts.boards.site.source
    code = Evidence(False, "No address of the board file, the data and the results is given",
                    fix="set [site] source")  # fmt: skip
    if source is not None:
        link = EvidenceLink("source of this site", source)
        code = Evidence(True, "Board file, data and results have an address", (link,))
    local = {result.model.id for result in facts.results if result.provenance == "measured"}
    return {
        "code": code,
        "data-access": facts.every_dataset(lambda spec: spec.link, "says where it can be had", "link"),
        "local-models": Evidence(
            bool(local),
            f"{len(local)} models were run here" if local else "No model was run here",
            (_method("add-a-model", "how a model is added"),),
        ),
        # Measured again by one command; scored again, from predictions, by another.
        "replication": facts.every_result(
            _keeps_answers,
            "evaluate makes {} of {} results again",
            _method("reference/commands", "the commands"),
        ),
        "uncertainty": Evidence(
            facts.known_sets > 0,
            f"The rank sets of {facts.known_sets} of {facts.ranked} ranked models are known",
            (facts.page("", "the board"), _method("rank-sets", "rank sets")),
        ),
    }


def _keeps_answers(result: Result) -> bool:
    """Whether its scores are computed here; values by example are those that a source gave."""
    return result.predictions is not None and result.provenance != "reported"


def _documentation(facts: BoardFacts) -> dict[str, Evidence]:
    measured = [result for result in facts.results if result.provenance == "measured"]
    made = [result.measurement for result in measured if result.measurement]
    listed = sum(bool(measurement.fingerprint.libraries) for measurement in made)
    without = [metric.label for metric in facts.assembled.board.metrics if not metric.description]
    named = f"Without description: {', '.join(without)}"
    licence = facts.every_dataset(lambda spec: spec.licence, "has a licence", "licence")
    numbers = facts.boards.site.licence
    own = f"Numbers: {numbers}" if numbers else "The numbers have none"
    return {
        "requirements": Evidence(
            0 < listed == len(measured),
            f"{listed} of {len(measured)} measured results list the software and its versions",
        ),
        "quick-start": Evidence(True, "The site has a tutorial", (_method("tutorial", "tutorial"),)),
        "code-documentation": Evidence(
            True,
            "The site documents the program that made it",
            (_method("architecture", "how the code is organised"), _method("export", "in Python")),
        ),
        "limitations": Evidence(
            facts.assembled.board.note is not None,
            facts.assembled.board.note or "The board has no note",
            (_method("threats", "what can go wrong"),),
        ),
        "metric-documentation": Evidence(
            not without,
            named if without else "Every metric has a description on the board",
            (_method("metrics", "metrics"), _method("measurement", "measurement")),
        ),
        "licence": Evidence(
            licence.holds and numbers is not None,
            f"{licence.text}. {own}",
            licence.links,
            "" if numbers else "set [site] licence",
        ),
    }


def _maintenance(facts: BoardFacts) -> dict[str, Evidence]:
    # A build must not depend on the day on which it is made, so the reader compares the dates.
    dates = (result.created for result in facts.results if result.provenance != "reported")
    newest = max(dates, default=None)
    # Reported numbers cite their source always, see `evaluator.records.Result`; so must every dataset.
    origin = facts.every_dataset(
        lambda spec: spec.citation or spec.link, "says where it is from", "citation or link"
    )
    # People have a result on a dataset exactly where every example keeps its annotators' answers.
    kept = sorted({dataset for one in facts.assembled.people.values() for dataset in one.results})
    answers = f"Annotators' answers are kept of {facts.names(kept)}"
    frozen = f"{facts.snapshots} snapshot{'' if facts.snapshots == 1 else 's'} of the board"
    hashed = sum(result.dataset.revision is not None for result in facts.results)
    snapshots = (EvidenceLink("snapshots", "snapshots/"),) if facts.snapshots else ()
    solved = "; ".join(
        f"{facts.names([dataset])}: {len(models)} models reach people"
        for dataset, models in sorted(facts.assembled.solved.items())
    )
    return {
        "checked": Evidence(
            newest is not None,
            f"The newest result was made here on {newest[:10]}" if newest else "Nothing was evaluated here",
        ),
        "origin": Evidence(
            origin.holds,
            f"{origin.text}. Every number says whether it was measured, scored from predictions or reported",
            (*origin.links, _method("pages", "where numbers come from")),
        ),
        "annotation": Evidence(
            len(kept) == len(facts.datasets),
            answers if kept else "No annotators' answers are kept",
            facts.dataset_pages(kept),
        ),
        "versions": Evidence(
            0 < hashed == len(facts.results) and facts.snapshots > 0,
            f"{hashed} of {len(facts.results)} results name the hash of their data; {frozen}",
            snapshots,
        ),
        "saturation": Evidence(
            bool(solved), solved or "Without a score of people no dataset is marked as solved"
        ),
        "archive": Evidence(facts.snapshots > 0, f"{frozen}, which never change", snapshots),
    }


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
    statements, shown = facts.boards.quality | facts.assembled.board.quality, evidence_of(facts)
    found = []
    for number, criterion in enumerate(CRITERIA, 1):
        evidence, statement = shown.get(criterion.id), statements.get(criterion.id, "")
        verdict: CriterionVerdict = "stated" if statement else "not met"
        if evidence is not None and evidence.holds:
            verdict = "proven"
        found.append(Assessment(number, criterion, verdict, evidence, statement))
    return tuple(found)


def counts(assessments: tuple[Assessment, ...]) -> dict[CriterionVerdict, int]:
    """How many criteria have each verdict."""
    found = Counter(one.verdict for one in assessments)
    return {verdict: found[verdict] for verdict in VERDICTS}
