"""Our side of TextFlint: a process in its environment, asked one text at a time over JSON lines."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import select
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from evaluator.data.suites.base import Edits, FieldTexts, Protected, Transformation
from evaluator.data.suites.edits import Edit, touches
from evaluator.data.suites.errors import SuiteError
from evaluator.textflint.environment import INSTALL, Environment

#: Changes whenever the server, or how we read it, would give other variants.
VERSION = 1
SERVER = Path(__file__).with_name("server.py")
#: The names of the seven transformations, and TextFlint's.
NAMES = {
    "Contraction": "Contraction",
    "Keyboard": "Keyboard",
    "OCR": "Ocr",
    "Punctuation": "Punctuation",
    "SpellingError": "SpellingError",
    "Typos": "Typos",
    "WordCase": "WordCase",
}
#: TextFlint walks sets of words whose order depends on it.
HASH_SEED = "0"


@dataclass(frozen=True)
class ServerAnswer:
    """What TextFlint made of a text: its variants, or the message of the error in their place.

    `elapsed_ns` is the time that TextFlint itself took, in nanoseconds, without the pipe.
    """

    variants: tuple[str, ...]
    error: str | None = None
    elapsed_ns: int = 0

    def changed(self, text: str) -> str | None:
        """The first variant that is not `text` itself; TextFlint keeps such."""
        return next((variant for variant in self.variants if variant != text), None)


class TextFlint:
    """TextFlint in its own process, started at the first question and again if it dies.

    What a text becomes depends on the text, the transformation, the seed and the environment alone; not
    on earlier requests. `failures` counts the messages of what went wrong, transformation by
    transformation. A question that is not answered within `timeout` seconds counts as failed.
    Raises `SuiteError` if the environment is not whole or its process cannot be started.
    """

    def __init__(self, environment: Path, seed: int = 0, timeout: float = 60.0) -> None:
        self.environment = Environment.load(environment)
        self.seed = seed
        self.failures: dict[str, Counter[str]] = {name: Counter() for name in NAMES}
        self._timeout = timeout
        self._process: _Process | None = None

    def __enter__(self) -> TextFlint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def backend(self) -> str:
        """What results say made their variants: ``textflint`` and its version."""
        return f"textflint {self.environment.versions['textflint']}"

    def close(self) -> None:
        """End the process; the next question starts another."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def perturb(self, name: str, texts: Sequence[str]) -> list[str | None]:
        """For each text the first variant that differs from it; None where there is none.

        `name` is one of `NAMES`. Equal texts get equal variants.
        """
        answers = (self.ask(name, text, _seed(self.seed, name, text)) for text in texts)
        return [answer.changed(text) for answer, text in zip(answers, texts, strict=True)]

    def ask(self, name: str, text: str, seed: int) -> ServerAnswer:
        """Every variant that TextFlint makes of a text. Tried again after one crash."""
        request = {"name": NAMES[name], "text": text, "seed": seed}
        try:
            try:
                answer = self._running().ask(request)
            except _DiedError:
                self.close()
                answer = self._running().ask(request)
        except (_DiedError, TimeoutError) as error:
            self.close()
            answer = ServerAnswer((), str(error))
        if answer.error is not None:
            self.failures[name][answer.error] += 1
        return answer

    def _running(self) -> _Process:
        if self._process is None:
            process = _Process(self.environment, self._timeout)
            try:
                process.start()
            except BaseException:
                process.end()
                raise
            self._process = process
        return self._process


class _DiedError(Exception):
    """The process ended, or wrote something else than answers."""


class _Process:
    """One run of the server; it ends by itself when our end of the pipe closes, however we end."""

    def __init__(self, environment: Environment, timeout: float) -> None:
        self._environment, self._timeout = environment, timeout
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by end()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Wait until it is ready. Raises `SuiteError` if it never is, or is not what was installed."""
        where = self._environment.path
        try:
            self._process = self._popen()
            ready = self._line()
        except (OSError, _DiedError, TimeoutError) as error:
            raise SuiteError(f"textflint: {where}: does not start: {error}; {INSTALL} {where}") from None
        if "versions" not in ready:
            raise SuiteError(f"textflint: {where}: {ready.get('fatal', ready)}; {INSTALL} {where}")
        installed = self._environment.versions
        for name, version in ready["versions"].items():
            if installed.get(name) != version:
                raise SuiteError(
                    f"textflint: {where}: {name} is {version}, installed was {installed.get(name)};"
                    f" {INSTALL} {where}"
                )

    def ask(self, request: dict[str, Any]) -> ServerAnswer:
        """Raises `_DiedError` and TimeoutError."""
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise _DiedError(self._end()) from None
        answer = self._line()
        try:
            return ServerAnswer(tuple(answer["variants"]), answer["error"], answer["elapsed_ns"])
        except (KeyError, TypeError):
            raise _DiedError(f"the TextFlint process answered {answer!r}") from None

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._log.close()

    def _popen(self) -> subprocess.Popen[bytes]:
        """Its own interpreter, without our paths and our Python's settings."""
        keep = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return subprocess.Popen(
            [str(self._environment.python), "-P", "-s", str(SERVER), str(self._environment.rules)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**keep, "PYTHONHASHSEED": HASH_SEED},
        )

    def _line(self) -> dict[str, Any]:
        """The next line of the process, which writes one only when it is asked."""
        assert self._process is not None
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], self._timeout)[0]:
            raise TimeoutError(f"the TextFlint process gave no answer within {self._timeout:g} s")
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise _DiedError(self._end())
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise _DiedError(f"the TextFlint process wrote {line[:200]!r} instead of an answer")
        return answer

    def _end(self) -> str:
        """How it ended, with the last line of its log."""
        assert self._process is not None
        code = self._process.wait()
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", "replace").strip().splitlines()
        return f"the TextFlint process ended with exit status {code}" + (f": {lines[-1]}" if lines else "")


def textflint(environment: Path) -> tuple[Transformation, ...]:
    """TextFlint's seven transformations as those of a suite; its process starts at the first text.

    Raises `SuiteError` if TextFlint is not installed in `environment`.
    """
    return transformations(TextFlint(environment))


def transformations(backend: TextFlint) -> tuple[Transformation, ...]:
    """The seven, asking `backend`.

    Each field is perturbed by itself, as TextFlint does with several. Edits that touch a protected span
    are left out; TextFlint's own protection of answers is not used, for Contraction ignores it and an
    answer found inside a longer word makes TextFlint reject the text.
    """
    decides = {
        "versions": dict(backend.environment.versions),
        "resources": dict(backend.environment.resources),
        "sources": [dict(source) for source in backend.environment.sources],
        "hash_seed": HASH_SEED,
    }
    return tuple(
        Transformation(name, VERSION, partial(_edit, backend, name), decides, backend.backend)
        for name in NAMES
    )


def _edit(
    backend: TextFlint, name: str, texts: FieldTexts, rng: random.Random, protected: Protected
) -> Edits:
    found: Edits = {}
    for field, text in texts.items():
        answer = backend.ask(name, text, rng.getrandbits(64))
        spans = protected.get(field, ())
        found[field] = [edit for edit in _edits_of(answer, text) if not touches(edit, spans)]
    return found


def _edits_of(answer: ServerAnswer, text: str) -> list[Edit]:
    """Its first changed variant as edits; one that is equal to the text as an edit that changes nothing."""
    variant = answer.changed(text)
    if variant is not None:
        return edits_between(text, variant)
    return [Edit(0, len(text), text)] if answer.variants else []


def edits_between(original: str, variant: str) -> list[Edit]:
    """The fewest changed characters that make `variant` of `original`, word by word.

    All changes of one word are one edit, so that it is read, and left out, whole; one of white space is
    by itself. `apply(original, edits)` is `variant`. Raises `SuiteError` without rapidfuzz.
    """
    found: list[Edit] = []
    for start, end, text in _changes(original, variant):
        if found and (found[-1].end == start or not re.search(r"\s", original[found[-1].start : end])):
            last = found.pop()
            start, text = last.start, last.text + original[last.end : start] + text
        found.append(Edit(start, end, text))
    return found


def _changes(original: str, variant: str) -> Iterator[tuple[int, int, str]]:
    for step in levenshtein().opcodes(original, variant):
        if step.tag != "equal":
            yield step.src_start, step.src_end, variant[step.dest_start : step.dest_end]


def levenshtein() -> Any:
    """rapidfuzz's Levenshtein distance. Raises `SuiteError` if it is not installed."""
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        raise SuiteError("textflint: rapidfuzz is missing; run: pip install 'steelyard[metrics]'") from None
    return Levenshtein


def _seed(seed: int, name: str, text: str) -> int:
    content = f"{seed}\0{name}\0{text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big")
