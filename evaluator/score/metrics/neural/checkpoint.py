"""The weights that a neural metric reads: a folder, or a model of the hub at a pinned commit.

Nothing is fetched: a model of the hub must be in its local cache.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluator.score.metrics.base import MetricError
from evaluator.score.pretrained import Pretrained, PretrainedError, read_pretrained

#: The longest input, in tokens, of networks that state no limit of their own.
LONGEST = 512
_MANY = 10**9
#: Networks whose positions are counted from the one after that of padding.
_SHIFTED = ("roberta", "camembert", "longformer", "mpnet", "esm")


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """What `metric` reads: the files in `folder`, or those of `model` on the hub at commit `revision`.

    `options` are the metric's own, such as BERTScore's layer. Raises `MetricError` unless exactly one of
    folder and model is given, and with a model the 40 hex digits of a commit.
    """

    metric: str
    folder: Path | None = None
    model: str | None = None
    revision: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.folder is None) == (self.model is None):
            raise MetricError(f"{self.metric}: give either a folder with its weights or a model of the hub")
        if self.model is not None and not re.fullmatch(r"[0-9a-f]{40}", self.revision or ""):
            raise MetricError(
                f"{self.metric}: revision: {self.revision!r} does not pin {self.model};"
                " give the full 40-digit commit hash"
            )

    @cached_property
    def directory(self) -> Path:
        """Where the files are. Raises `MetricError` if they are not on this machine."""
        if self.model is not None:
            return self._cached(self.model)
        assert self.folder is not None
        if not self.folder.is_dir():
            raise MetricError(f"{self.metric}: {self.folder}: no such folder; put its weights there")
        return self.folder

    def _cached(self, model: str) -> Path:
        try:
            from huggingface_hub import snapshot_download
            from huggingface_hub.errors import LocalEntryNotFoundError
        except ImportError as error:
            raise missing_extra(self.metric, error) from None
        try:
            return Path(snapshot_download(model, revision=self.revision, local_files_only=True))
        except (LocalEntryNotFoundError, ValueError):
            raise MetricError(
                f"{self.metric}: {model} is not in the cache of this machine, and metrics fetch nothing;"
                f" where there is a network, run: hf download {model} --revision {self.revision}"
            ) from None

    @cached_property
    def identity(self) -> str:
        """What a version names the weights by: the start of the commit, or of the hash of all files."""
        return str(self.revision)[:12] if self.model is not None else _digest(self.directory)

    def option(self, name: str, kind: type, usual: Any) -> Any:
        """One of `options`, `usual` if it is not given. Raises `MetricError` for one of another type."""
        value = self.options.get(name, usual)
        if value is not usual and (not isinstance(value, kind) or isinstance(value, bool)):
            raise MetricError(f"{self.metric}: options.{name}: {value!r} is no {kind.__name__}")
        return value

    def check_options(self, known: Sequence[str]) -> None:
        """Raise `MetricError` if there is an option of another name."""
        if unknown := sorted(set(self.options) - set(known)):
            fix = f"use only {', '.join(known)}" if known else "leave options out"
            raise MetricError(f"{self.metric}: options.{unknown[0]}: there is no such option; {fix}")

    def read(self, head: str, may_lack: Sequence[str] = (), **tokenizer_options: Any) -> Pretrained:
        """The network and its tokeniser, as `read_pretrained` reads them. Raises `MetricError`."""
        try:
            return read_pretrained(head, self.directory, may_lack, **tokenizer_options)
        except PretrainedError as error:
            raise MetricError(f"{self.metric}: {error}") from None
        except ImportError as error:
            raise missing_extra(self.metric, error) from None


def missing_extra(metric: str, error: ImportError) -> MetricError:
    """What to say where torch or transformers is missing."""
    return MetricError(f"{metric}: needs {error.name}; pip install 'steelyard[transformers]'")


def token_room(config: Any, tokenizer: Any) -> int:
    """How many tokens a network takes, special ones included; longer inputs are cut off at the end."""
    stated = tokenizer.model_max_length
    positions = getattr(config, "max_position_embeddings", None) or 0
    if any(name in config.model_type for name in _SHIFTED):
        positions -= (config.pad_token_id or 0) + 1
    known = [limit for limit in (stated, positions) if 0 < limit < _MANY]
    return min(known, default=LONGEST)


def _digest(folder: Path) -> str:
    """Twelve digits of the hash of the folder's files and their names."""
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            own = hashlib.file_digest(file, "sha256").hexdigest()
        whole.update(f"{path.relative_to(folder).as_posix()} {own}\n".encode())
    return whole.hexdigest()[:12]
