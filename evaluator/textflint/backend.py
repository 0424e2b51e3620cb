"""TextFlint's seven transformations, asked of a process of their own: as a suite's, or a text at a time."""

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
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from evaluator.data.suites.base import Edit, Edits, FieldTexts, Protected, Transformation, seed_of, touches
from evaluator.records.errors import UserError

#: Changes whenever the server, or how we read it, would give other variants.
VERSION = 1
SERVER = Path(__file__).with_name("server.py")
#: The seven transformations, as our own are called.
NAMES = ("Contraction", "Keyboard", "OCR", "Punctuation", "SpellingError", "Typos", "WordCase")
#: TextFlint walks sets of words whose order depends on it.
HASH_SEED = "0"
#: Written into the environment last, once everything else is there and works.
MANIFEST = "steelyard.json"
RESOURCES = ("keyboard.json", "spelling.txt")
INSTALL = "run: steelyard perturb --install-textflint"


def transformations(work: Path) -> tuple[Transformation, ...]:
    """TextFlint's seven transformations as those of a suite; its process starts at the first text.

    TextFlint is installed in the folder `textflint` of the working folder. Each field is perturbed by itself,
    as TextFlint does with several. Edits that touch a protected span are left out; TextFlint's own protection
    of answers is not used, for Contraction ignores it, and an answer found inside a longer word makes
    TextFlint reject the text. Raises `UserError` if it is not installed there.
    """
    backend = TextFlint(work.absolute() / "textflint")
    decides = {**backend.manifest, "hash_seed": HASH_SEED}
    return tuple(
        Transformation(name, VERSION, partial(_edit, backend, name), decides, backend.name) for name in NAMES
    )


def _edit(
    backend: TextFlint, name: str, texts: FieldTexts, rng: random.Random, protected: Protected
) -> Edits:
    found: Edits = {}
    for field, text in texts.items():
        answer = backend.ask(name, text, rng.getrandbits(64))
        variant = answer.changed(text)
        # A variant that is equal to its text is an edit that changes nothing.
        same = [Edit(0, len(text), text)] if answer.variants else []
        edits = edits_between(text, variant) if variant is not None else same
        found[field] = [edit for edit in edits if not touches(edit, protected.get(field, ()))]
    return found


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
    transformation: an answer with an error, a process that died, and one that gave no answer within `timeout`
    seconds. Raises `UserError` if the environment is not whole or its process cannot be started.
    """

    def __init__(self, environment: Path, timeout: float = 60.0) -> None:
        self.environment = environment
        self.manifest = read_manifest(environment)
        self.name = f"textflint {self.manifest['versions']['textflint']}"
        self.failures: dict[str, Counter[str]] = {name: Counter() for name in NAMES}
        self._timeout = timeout
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - the process's standard error
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> TextFlint:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; the next question starts another."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def perturb(self, name: str, texts: Sequence[str]) -> list[str | None]:
        """For each text the first variant that differs from it; None where there is none.

        `name` is one of `NAMES`. Equal texts get equal variants.
        """
        return [self.ask(name, text, seed_of(0, name, text)).changed(text) for text in texts]

    def ask(self, name: str, text: str, seed: int) -> ServerAnswer:
        """Every variant that TextFlint makes of a text."""
        if self._process is None:
            self._start()
        try:
            found = self._answer({"name": name, "text": text, "seed": seed})
            answer = ServerAnswer(tuple(found["variants"]), found["error"], found["elapsed_ns"])
        except (_NoAnswerError, KeyError, TypeError) as error:
            self.close()
            answer = ServerAnswer((), str(error))
        if answer.error is not None:
            self.failures[name][answer.error] += 1
        return answer

    def _start(self) -> None:
        """Wait until the process is ready. Raises `UserError` if it never is, or is another version."""
        place = f"textflint: {self.environment}"
        python, resources = str(python_of(self.environment)), str(self.environment / "resources")
        self._log.truncate(0)
        try:
            # Its own interpreter, without our paths and our Python's settings; it ends when our end closes.
            self._process = subprocess.Popen(
                [python, "-P", "-s", str(SERVER), resources],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env={**without_python_settings(), "PYTHONHASHSEED": HASH_SEED},
            )
            ready = self._line()
        except (OSError, _NoAnswerError) as error:
            self.close()
            raise UserError(place, f"does not start: {error}", INSTALL) from None
        versions, installed = ready.get("versions", {}), self.manifest["versions"]
        others = sorted(name for name, version in versions.items() if installed.get(name) != version)
        if others or not versions:
            self.close()
            wrong = f"{', '.join(others)}: not the version that was installed"
            raise UserError(place, wrong if others else str(ready.get("fatal", ready)), INSTALL)

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise _NoAnswerError(self._end()) from None
        return self._line()

    def _line(self) -> dict[str, Any]:
        """The next line of the process, which writes one only when it is asked."""
        assert self._process is not None
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], self._timeout)[0]:
            raise _NoAnswerError(f"the TextFlint process gave no answer within {self._timeout:g} s")
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise _NoAnswerError(self._end())
        try:
            answer: dict[str, Any] = dict(json.loads(line))
        except (ValueError, TypeError):
            raise _NoAnswerError(f"the TextFlint process wrote {line[:200]!r} instead of an answer") from None
        return answer

    def _end(self) -> str:
        """How it ended, with the last line of its log."""
        assert self._process is not None
        code = self._process.wait()
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", "replace").strip().splitlines()
        return f"the TextFlint process ended with exit status {code}" + (f": {lines[-1]}" if lines else "")


class _NoAnswerError(Exception):
    """The process ended, took too long, or wrote something else than answers."""


def read_manifest(environment: Path) -> dict[str, Any]:
    """What decides the variants of an environment, as JSON data.

    That is the ``versions`` of TextFlint, of its libraries and of Python, the SHA-256 of the ``resources``,
    which are the rules that TextFlint is given, and the ``sources`` of the misspellings among them. Raises
    `UserError` if there is no environment, or another than was made.
    """
    try:
        found = json.loads((environment / MANIFEST).read_text(encoding="utf-8"))
        manifest = {key: found[key] for key in ("versions", "resources", "sources")}
        wrong = [name for name in RESOURCES if found["resources"][name] != sha256(environment, name)]
    except FileNotFoundError:
        raise UserError(f"textflint: {environment}", "TextFlint is not installed there", INSTALL) from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UserError(f"textflint: {environment / MANIFEST}", repr(error), INSTALL) from None
    if wrong:
        where = environment / "resources" / wrong[0]
        raise UserError(f"textflint: {where}", "missing, or not as installed", INSTALL)
    return manifest


def sha256(environment: Path, name: str) -> str:
    """The SHA-256 of one of the resources, "" where it is missing."""
    path = environment / "resources" / name
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def python_of(environment: Path) -> Path:
    """The interpreter of a virtual environment."""
    return environment / "bin" / "python"


def without_python_settings() -> dict[str, str]:
    """The environment variables without our Python's, of which a path would mix packages."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def edits_between(original: str, variant: str) -> list[Edit]:
    """The fewest changed characters that make `variant` of `original`, word by word.

    All changes of one word are one edit, so that it is read, and left out, whole; one of white space is
    by itself. `apply(original, edits)` is `variant`. Raises `UserError` without rapidfuzz.
    """
    found: list[Edit] = []
    for step in levenshtein().opcodes(original, variant):
        if step.tag == "equal":
            continue
        start, end, text = step.src_start, step.src_end, variant[step.dest_start : step.dest_end]
        if found and (found[-1].end == start or not re.search(r"\s", original[found[-1].start : end])):
            last = found.pop()
            start, text = last.start, last.text + original[last.end : start] + text
        found.append(Edit(start, end, text))
    return found


def levenshtein() -> Any:
    """rapidfuzz's Levenshtein distance. Raises `UserError` if it is not installed."""
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        raise UserError(
            "textflint", "rapidfuzz is missing", "run: pip install 'steelyard[metrics]'"
        ) from None
    return Levenshtein
