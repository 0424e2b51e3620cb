"""Metrics that ask a network, by name, and the weights that they read: ``[[checkpoints]]`` of a board file.

The networks themselves are imported once such a metric is asked for with its weights, torch and transformers
(the extra `transformers`) once something is scored. Nothing is fetched: a model of the hub must be in its
local cache.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluator.records.errors import UserError
from evaluator.score.metrics.base import Metric, Scored, for_texts, package

#: By how much a score may differ between machines, relative or absolute: they add in another order.
TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """What `metric` reads: the files in `folder`, or those of `model` on the hub at commit `revision`.

    `options` are the metric's own, such as BERTScore's layer. Raises `UserError` for a metric without
    weights, and unless one of folder and model is given, with a model the 40 hex digits of a commit too.
    """

    metric: str
    folder: Path | None = None
    model: str | None = None
    revision: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.metric not in NEURAL:
            raise UserError("checkpoints", f"{self.metric!r} is none of {', '.join(NEURAL)}")
        if (self.folder is None) == (self.model is None):
            raise UserError(self.metric, "give either a folder with its weights or a model of the hub")
        if self.model is not None and not re.fullmatch(r"[0-9a-f]{40}", self.revision or ""):
            wrong = f"{self.revision!r} does not pin {self.model}"
            raise UserError(f"{self.metric}: revision", wrong, "give the full 40-digit commit hash")

    @cached_property
    def directory(self) -> Path:
        """Where the files are. Raises `UserError` if they are not on this machine."""
        if self.folder is not None:
            if not self.folder.is_dir():
                raise UserError(f"{self.metric}: {self.folder}", "no such folder", "put its weights there")
            return self.folder
        hub = package("huggingface_hub", self.metric, "transformers")
        try:
            return Path(hub.snapshot_download(self.model, revision=self.revision, local_files_only=True))
        except (hub.errors.LocalEntryNotFoundError, ValueError):
            wrong = f"{self.model} is not in the cache of this machine, and metrics fetch nothing"
            fix = f"where there is a network, run: hf download {self.model} --revision {self.revision}"
            raise UserError(self.metric, wrong, fix) from None

    @cached_property
    def identity(self) -> str:
        """What a version names the weights by: the start of the commit, or of the hash of all files."""
        if self.revision is not None:
            return self.revision[:12]
        whole = hashlib.sha256()
        for path in sorted(path for path in self.directory.rglob("*") if path.is_file()):
            with path.open("rb") as file:
                own = hashlib.file_digest(file, "sha256").hexdigest()
            whole.update(f"{path.relative_to(self.directory).as_posix()} {own}\n".encode())
        return whole.hexdigest()[:12]


def with_weights(checkpoint: Checkpoint) -> Metric:
    """The metric that `checkpoint` is for, which `report` takes in place of a name.

    Its version names the weights and the settings, so that other weights are another metric. Raises
    `UserError` for weights that are not there and options that do not fit; when it scores, where the weights
    or a package are missing or broken.
    """
    from evaluator.score.metrics.neural import comet, networks

    kinds: dict[str, type[networks.Network]] = {
        "bertscore": networks.BERTScore,
        "bleurt": networks.BLEURT,
        "comet": comet.COMET,
        "bartscore": networks.BARTScore,
        "prism": networks.Prism,
        "perplexity": networks.Perplexity,
    }
    plain, network = NEURAL[checkpoint.metric], kinds[checkpoint.metric](checkpoint)
    version = f"{plain.version}-{checkpoint.identity}{network.settings}"
    return replace(plain, version=version, compute=dict.fromkeys(plain.compute, network.scored))


def _needs_weights(name: str) -> Callable[[Any], Scored]:
    def compute(_: Any) -> Scored:
        where = "name a folder, or a model of the hub and its revision, in a [[checkpoints]] of board.toml"
        raise UserError(name, "needs weights", f'{where} with metric = "{name}"')

    return compute


#: Name, label, unit, and a sentence on each.
_NAMED = (
    ("bertscore", "BERTScore", "%", "F1 of each token's most similar token, by an encoder's vectors"),
    ("bleurt", "BLEURT", "", "rating of an answer beside its reference by a fine-tuned encoder"),
    ("comet", "COMET", "", "rating of a translation beside its source and reference by a fine-tuned encoder"),
    (
        "bartscore",
        "BARTScore",
        "nats",
        "log-probability a token of answer and reference by each other, by a BART",
    ),
    ("prism", "Prism", "nats", "the same by a translation model that paraphrases"),
    ("perplexity", "Perplexity", "", "of the answers under a language model, whatever the references say"),
)
NEURAL: dict[str, Metric] = {
    name: Metric(
        name,
        label,
        f"{name}-1",
        # COMET rates translations, which have a source.
        {"generation": _needs_weights(name)} if name == "comet" else for_texts(_needs_weights(name)),
        unit=unit,
        better="lower" if name == "perplexity" else "higher",
        needs=("sources",) if name == "comet" else (),
        description=description,
        tolerance=TOLERANCE,
    )
    for name, label, unit, description in _NAMED
}
