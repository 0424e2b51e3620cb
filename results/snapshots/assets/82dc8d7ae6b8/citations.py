"""How a view of a snapshot is cited: one plain sentence, APA, BibTeX, RIS and CITATION.cff.

Standard library only: the page of a snapshot is built with these, and asks for the same of any view. Names
are data: everything in them stays text in the program that reads a citation.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluator.rank.certainty_sentences import rank_set_words
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.formats import counted, listed, visible, weight
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.score_sentences import (
    ESTIMATORS,
    NAMES,
    Shown,
    limit_words,
    prices_named,
    trades_words,
)
from evaluator.rank.significance import CONFIDENCE

#: How LaTeX writes a sign with the fonts that it has by itself (OT1); `_ACCENTS` are the marks on letters.
#: BibTeX counts braces even behind a backslash, so a brace becomes a command.
_TEX = dict(
    pair.split(" ")
    for pair in r"""
$ \$, & \&, # \#, % \%, _ \_, \ \textbackslash{}, { \textbraceleft{}, } \textbraceright{}, | \textbar{}
^ \textasciicircum{}, ~ \textasciitilde{}, < \textless{}, > \textgreater{}, ` \`{}, ‘ `, ’ ', “ ``, ” ''
‐ -, ‑ -, – --, — ---, ¡ !`, ¿ ?`, ß {\ss}, æ {\ae}, Æ {\AE}, œ {\oe}, Œ {\OE}, ø {\o}, Ø {\O}, ł {\l}
Ł {\L}, ı {\i}, ȷ {\j}, § {\S}, ¶ {\P}, † {\dag}, ‡ {\ddag}, © {\copyright}, £ {\pounds}, … {\ldots}
· $\cdot$, • $\bullet$, × $\times$, ± $\pm$, − $-$, ° $^{\circ}$, ≤ $\leq$, ≥ $\geq$, → $\rightarrow$
α $\alpha$, β $\beta$, γ $\gamma$, δ $\delta$, ε $\epsilon$, ζ $\zeta$, η $\eta$, θ $\theta$, ι $\iota$
κ $\kappa$, λ $\lambda$, μ $\mu$, µ $\mu$, ν $\nu$, ξ $\xi$, π $\pi$, ρ $\rho$, σ $\sigma$, τ $\tau$
υ $\upsilon$, φ $\phi$, χ $\chi$, ψ $\psi$, ω $\omega$, Γ $\Gamma$, Δ $\Delta$, Θ $\Theta$, Λ $\Lambda$
Ξ $\Xi$, Π $\Pi$, Σ $\Sigma$, Υ $\Upsilon$, Φ $\Phi$, Ψ $\Psi$, Ω $\Omega$
""".strip().replace("\n", ", ").split(", ")
)  # fmt: skip
_ACCENTS = dict(zip("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327\u0331",
                    "`'^~=u.\"rHvdcb", strict=True))  # fmt: skip
#: Signs that TeX would join, as it does -- and ''.
_JOINED = "[-‐‑–—](?=[-‐‑–—])|['’”](?=['’”])|[‘“](?=[‘“])"
_TO_TEX = re.compile(
    f"(?P<letter>[A-Za-z])(?P<marks>[{''.join(_ACCENTS)}]+)|(?P<joined>{_JOINED})|[{re.escape(''.join(_TEX))}]"
)
MONTHS = ["January", "February", "March", "April", "May", "June"]
MONTHS += ["July", "August", "September", "October", "November", "December"]
#: Names of datasets and publishers may be of any length; no citation needs more of one.
LONGEST = 300
#: The formats of citations, and what pages call them; those that are asked for most come first.
FORMAT_NAMES = {
    "sentence": "In a sentence",
    "bibtex": "BibTeX",
    "apa": "APA",
    "ris": "RIS",
    "cff": "CITATION.cff",
}
#: What the hash of a citation is of.
HASHED = "SHA-256 of snapshot.json"
#: What parts of a view are called, of those that a snapshot's page may be too old for.
UNREAD = {
    "limits": "limits",
    "among": "limits",
    "rate": "the choice of exchange rates",
    "trades": "trade-offs",
}
#: What that page makes of them.
WITHOUT = "it opens without them, and what is cited is without them, too"


@dataclass(frozen=True)
class Citation:
    """A view of a snapshot as it is cited. `url` is where it is published, or a place to be filled in.

    `sha256` are the 64 digits of the hash of its ``snapshot.json``; `claim` says who is first, how certain
    that is, and at which weights; empty where only the snapshot itself is named.
    """

    id: str
    sha256: str
    created: str
    board: str
    publisher: str
    url: str
    claim: str = ""

    @property
    def title(self) -> str:
        return f"{self.board}: snapshot of {self.moment}"

    @property
    def moment(self) -> str:
        """When it was frozen, to the second, in UTC."""
        return f"{self.created[:10]} {self.created[11:19]} UTC"

    @property
    def sentence(self) -> str:
        """The claim with datasets, weights and time, as the method's paper asks for with every score."""
        return f"{self.claim}: {self.board}, snapshot {self.id}, frozen {self.moment}, SHA-256 {self.sha256}."

    def texts(self) -> dict[str, str]:
        """The citation by each of `FORMAT_NAMES`."""
        return {
            "sentence": f"{self.sentence} {self.url}",
            "bibtex": self.bibtex(),
            "apa": self.apa,
            # A file has RIS's own line ends.
            "ris": self.ris().replace("\r\n", "\n"),
            "cff": self.cff(),
        }

    def bibtex(self) -> str:
        """An entry for BibTeX and biblatex."""
        fields = {
            "author": f"{{{tex(self.publisher)}}}",
            "title": f"{{{tex(self.title)}}}",
            "year": self.created[:4],
            "month": str(int(self.created[5:7])),
            "howpublished": "Leaderboard snapshot",
            "version": self.id,
            "note": tex(self.sentence),
            "url": self.url,
        }
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
        beyond = "".join(sorted(set(re.sub("[ -~\n]", "", lines))))
        # BibTeX passes over what is outside of entries.
        remark = f"% XeLaTeX or LuaLaTeX, with a font that has them, prints: {beyond}\n" if beyond else ""
        return f"{remark}@misc{{steelyard-{self.id.lower()},\n{lines}}}\n"

    def ris(self) -> str:
        """A record in the format of reference managers; each field is one line."""
        fields = [
            ("TY", "DATA"),
            ("AU", self.publisher),
            ("TI", self.title),
            ("PY", self.created[:4]),
            ("DA", self.created[:10].replace("-", "/")),
            ("ET", self.id),
            ("PB", self.publisher),
            ("N1", self.sentence),
            ("UR", self.url),
            ("ER", ""),
        ]
        return "".join(f"{name}  - {value}\r\n" for name, value in fields)

    def cff(self) -> str:
        """CITATION.cff, version 1.2.0."""
        absolute = self.url.startswith("https://")
        lines = [
            "cff-version: 1.2.0",
            "type: dataset",
            f"message: {quoted('Cite this snapshot with its datasets, its weights and its time.')}",
            f"title: {quoted(self.title)}",
            "authors:",
            f"  - name: {quoted(self.publisher)}",
            f"abstract: {quoted(self.sentence)}",
            f"version: {quoted(self.id)}",
            f"date-released: {quoted(self.created[:10])}",
            "identifiers:",
            "  - type: other",
            f"    value: {quoted(f'sha256:{self.sha256}')}",
            f"    description: {quoted(HASHED)}",
            *([f"url: {quoted(self.url)}"] if absolute else []),
        ]
        return "\n".join(lines) + "\n"

    @property
    def apa(self) -> str:
        """A reference as the American Psychological Association asks for."""
        year, month, day = (int(part) for part in self.created[:10].split("-"))
        when = f"{year}, {MONTHS[month - 1]} {day}"
        what = f"{self.board} (Snapshot {self.id}, SHA-256 {self.sha256}) [Leaderboard]"
        return f"{self.publisher}. ({when}). {what}. {self.url}"

    def island(self) -> dict[str, Any]:
        """What a page needs to ask for the same of another view, see `view_cited`."""
        fields = ("id", "sha256", "created", "board", "publisher")
        return {name: getattr(self, name) for name in fields}


def view_cited(
    shown: Shown,
    about: Mapping[str, Any],
    view: Mapping[str, Any],
    url: str,
    first: Mapping[str, Any] | None = None,
    unread: Sequence[str] = (),
    question: Mapping[str, Any] | None = None,
    sets: Sequence[Sequence[int] | None] | None = None,
    frozen: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The citation of a view for a page: its ``texts``, the ``weights`` in words, its ``url``, whether the
    snapshot gives the ``order`` of the page, and what is ``unread``.

    `about` is a `Citation.island`; `first` the view that the cited page shows by itself, whose base metric,
    threshold and rates need no mention; `unread` the parts of the view that the cited page is too old for,
    and `question` what the view asks without them. `sets` are rank sets by model; `frozen` are the ``data``
    of a snapshot of other numbers than the page has, and its ``certainty``, null where none is known.
    """
    cited, lacking = shown, list[str]()
    if question is not None:
        asked = Question(**question)
        board = Board.from_dict(frozen["data"]) if frozen else shown.board
        asked, lacking = _within(board, asked, shown)
        cited = Shown(board, asked, shown.about)
        if frozen and frozen["certainty"]:
            sets = Certainty.from_dict(board, frozen["certainty"]).sets(asked).sets
        elif frozen:
            sets = [None] * len(board.models)
    claim = claim_words(cited, view, first, sets)
    if lacking:
        claim += f", without {listed(lacking)}, which the snapshot does not have"
    citation = Citation(**about, url=url, claim=claim)
    sentences = []
    if parts := [part for part in unread if part != "prices"]:
        names = listed(list(dict.fromkeys(UNREAD.get(part, part) for part in parts)))
        sentences.append(f"The page of that snapshot is older than {names}: {WITHOUT}.")
    if "prices" in unread:
        sentences.append(f"A snapshot keeps the prices of its day: {WITHOUT}.")
    return {
        "texts": citation.texts(),
        "weights": _at_weights(shown, view),
        "url": url,
        "order": _orders(shown, cited, lacking),
        "unread": " ".join(sentences),
    }


def _within(board: Board, asked: Question, shown: Shown) -> tuple[Question, list[str]]:
    """The part of a question that a board can answer, and the labels of what it asks for and is not there."""
    metrics, datasets = asked.metrics or {}, asked.datasets or {}
    labels = {**_metrics(shown), **shown.about["datasets"]}
    weighed = [name for name, value in metrics.items() if value > 0]
    named = [*weighed, *([asked.base] if asked.base else []), *(asked.limits or {}), *(asked.trades or {})]
    gone = [name for name in dict.fromkeys(named) if name not in board.metrics]
    gone += [name for name, value in datasets.items() if value > 0 and name not in board.values]
    lacking = [plain(labels.get(name, name)) for name in gone]
    kept = replace(
        asked,
        metrics={name: value for name, value in metrics.items() if name in board.metrics},
        datasets={name: value for name, value in datasets.items() if name in board.values},
        base=asked.base if asked.base in board.metrics else None,
        among=asked.among and [model for model in asked.among if model in board.models],
        limits=asked.limits and {name: ends for name, ends in asked.limits.items() if name in board.metrics},
        trades=asked.trades and {name: one for name, one in asked.trades.items() if name in board.metrics},
    )
    return kept, lacking


def _orders(shown: Shown, cited: Shown, lacking: Sequence[str]) -> str:
    """Whether the snapshot that is cited puts the models in the order of the page."""
    if lacking:
        return f"The snapshot has no {listed(lacking)}, so it cannot give the order of this page."
    here, there = ([one.board.models[model] for model in one.ranked] for one in (shown, cited))
    if here == there:
        return "The snapshot gives the order of this page."
    if not there:
        return "The snapshot ranks no model at these weights."
    both = set(here) & set(there)
    places = [[model for model in order if model in both] for order in (here, there)]
    if places[0] == places[1]:
        said = [
            f"{verb} {listed([plain(one.board.model_label(name)) for name in more[:3]], len(more) - 3)}"
            for verb, one, more in (
                ("lacks", shown, [name for name in here if name not in both]),
                ("also ranks", cited, [name for name in there if name not in both]),
            )
            if more
        ]
        return f"The snapshot gives the order of this page, but {' and '.join(said)}."
    moved = sum(one != other for one, other in zip(*places, strict=True))
    leader = plain(cited.board.model_label(there[0]))
    return (
        f"The snapshot gives another order than this page: {leader} is first, and {moved} of the {len(both)}"
        " models that both rank have other places."
    )


def claim_words(
    shown: Shown,
    view: Mapping[str, Any],
    first: Mapping[str, Any] | None = None,
    sets: Sequence[Sequence[int] | None] | None = None,
) -> str:
    """Who is first, how certain that is, and at which weights; `sets` are None where they are not found yet.

    "BERT ranks first (95 % rank set 1–3) of 6 models by Dynascore on SST-2 at metric weights Accuracy (4)".
    Pinned models are named with their ranks, too: who cites one of them is seldom the leader's author.
    """
    scores, terms = NAMES[view["by"] or shown.board.by], view_terms(shown, view, first)
    if not shown.ranked:
        return f"{scores[0].upper()}{scores[1:]}s of {counted(len(shown.board.models), 'model')} {terms}"
    leaders = [model for model in shown.ranked if shown.columns.ranks[model] == 1.0]
    names = listed([plain(shown.label(model)) for model in leaders])
    verb = "ranks" if len(leaders) == 1 else "rank"
    claims = [f"{names} {verb} first{_held_words(sets, leaders)}"]
    for model in shown.ranked:
        if shown.board.models[model] in view.get("pinned", ()) and model not in leaders:
            rank = f"{shown.columns.ranks[model]:.0f}"
            claims.append(f"{plain(shown.label(model))} has rank {rank}{_held_words(sets, [model])}")
    return f"{listed(claims)} of {counted(len(shown.ranked), 'model')} by {scores} {terms}"


def _held_words(sets: Sequence[Sequence[int] | None] | None, models: Sequence[int]) -> str:
    """The rank sets of models, " (95 % rank set 1–3)"."""
    if sets is None:
        return ""
    words = listed(list(dict.fromkeys(rank_set_words(sets[model]) for model in models)))
    return f" ({round(100 * CONFIDENCE)} % rank set {words})"


def view_terms(shown: Shown, view: Mapping[str, Any], first: Mapping[str, Any] | None = None) -> str:
    """On which datasets and by which weights: "on SST-2 at metric weights Accuracy (4) and Memory (1)"."""
    datasets = _weighed(shown.about["datasets"], view["datasets"], True)
    if len(datasets) == 1:
        datasets = _weighed(shown.about["datasets"], view["datasets"], False)
    # A part of a dataset is called by its tag's value alone, such as a repository.
    wholes = _weighed(shown.about.get("parts_of", {}), view["datasets"], False)
    of = f" of {listed(list(dict.fromkeys(wholes)))}" if wholes else ""
    other = _other_terms(shown, view, first) if first else ""
    other += f", prices {prices_named(shown, view)}" if view.get("prices") else ""
    return f"on {listed(datasets)}{of} {_at_weights(shown, view)}{other}{_among(shown, view)}"


def _at_weights(shown: Shown, view: Mapping[str, Any]) -> str:
    """ "at metric weights Accuracy (4)", or which trade-offs."""
    if (view["by"] or shown.board.by) == "trades":
        return f"where {visible(trades_words(shown))}"
    return f"at metric weights {listed(_weighed(_metrics(shown), view['metrics'], True))}"


def _metrics(shown: Shown) -> dict[str, str]:
    return {metric["name"]: metric["label"] for metric in shown.metrics}


def _weighed(labels: Mapping[str, str], weights: Mapping[str, float], with_weights: bool) -> list[str]:
    """Names, with their weights or without, of those that weigh anything."""
    named = [(plain(label), weights.get(name, 0.0)) for name, label in labels.items()]
    return [f"{label} ({weight(value)})" if with_weights else label for label, value in named if value > 0]


def _other_terms(shown: Shown, view: Mapping[str, Any], first: Mapping[str, Any]) -> str:
    """The terms that are not those of the cited page by itself, since they change scores as weights do."""
    if (view["by"] or shown.board.by) != "dynascore":
        return ""
    threshold, named = view["threshold"], ""
    if view["base"] != first["base"]:
        named += f", base metric {plain(shown.metric(view['base'])['label'])}"
    if threshold != first["threshold"]:
        named += f", threshold {weight(threshold['epsilon'])} ({threshold['kind']})"
    if view["rate"] != first["rate"]:
        named += f", exchange rates by {ESTIMATORS[view['rate']]}"
    return named


def _among(shown: Shown, view: Mapping[str, Any]) -> str:
    """Among whom models are ranked, where limits say that."""
    if view["among"] != "left" or not view["limits"]:
        return ""
    return f", among those with {listed([plain(limit_words(shown, limit)) for limit in view['limits']])}"


def plain(text: str) -> str:
    """One line of text, of some length at most, without anything that cannot be seen."""
    line = visible(text)
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def tex(text: str) -> str:
    """A text that plain LaTeX prints as it is and BibTeX can read.

    A letter that LaTeX cannot print without further fonts, such as a Chinese one, stays what it is.
    """
    paired = re.sub('"([^"]*)"', "“\\1”", text).replace('"', "”")
    written = _TO_TEX.sub(_command, unicodedata.normalize("NFD", paired))
    return unicodedata.normalize("NFC", written)


def _command(found: re.Match[str]) -> str:
    """A sign, or a letter with its accents, for LaTeX."""
    letter = found["letter"]
    if letter is None:
        return _TEX.get(found[0], found[0]) + ("{}" if found["joined"] else "")
    for mark in found["marks"]:
        # An i or j loses its dot to what is above it.
        bare = rf"\{letter}" if letter in "ij" and _ACCENTS[mark] not in "dcb" else letter
        letter = rf"\{_ACCENTS[mark]}{{{bare}}}"
    return f"{{{letter}}}"


def quoted(text: str) -> str:
    """A YAML scalar: JSON's strings are such, once nothing is in them that cannot be printed."""
    return json.dumps(text, ensure_ascii=False)
