"""TextFlint behind JSON lines: the script that runs in TextFlint's own environment and process.

    python server.py RESOURCES

It is never imported by Steelyard: TextFlint 0.1.0 is GPL-3 and pins old versions of what Steelyard needs.
It writes one line when it is ready, then answers each line of standard input with one of its own:

    {"versions": {"textflint": "0.1.0", ...}}                    or  {"fatal": "what is missing"}
    {"name": "Keyboard", "text": "a fine film", "seed": 7}
    {"variants": ["a fine gilm"], "error": null, "elapsed_ns": 253000}

Lines are ASCII, so that any text passes, lone surrogates too. Whatever else TextFlint and its libraries
print goes to standard error. Nothing is downloaded: an attempt to download is an error that names the file.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import logging
import os
import platform
import random
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

#: The module of each transformation, and the file of rules that it would otherwise download.
TRANSFORMATIONS = {
    "Contraction": ("contraction", None),
    "Keyboard": ("keyboard", "keyboard.json"),
    "OCR": ("ocr", None),  # whose class is Ocr
    "Punctuation": ("punctuation", None),
    "SpellingError": ("spelling_error", "spelling.txt"),
    "Typos": ("typos", None),
    "WordCase": ("word_case", None),
}
#: Packages whose own __init__ would import all of TextFlint, models included; they stay empty.
SHELLS = (
    "textflint",
    "textflint.generation",
    "textflint.generation.transformation.UT",
    "textflint.input",
    "textflint.input.component",
    "textflint.input.component.sample",
)
DISTRIBUTIONS = ("textflint", "spacy", "nltk")


def main() -> None:
    """Answer until standard input ends."""
    answers = _own_stdout()
    try:
        server = Server(Path(sys.argv[1]))
    except Exception as error:
        _write(answers, {"fatal": _described(error)})
        return
    # What decides the variants beside the resources.
    versions = {name: importlib.metadata.version(name) for name in DISTRIBUTIONS}
    _write(answers, {"versions": versions | {"python": platform.python_version()}})
    for line in sys.stdin.buffer:
        request = json.loads(line)
        start = time.perf_counter_ns()
        answer = server.answer(request)
        _write(answers, {**answer, "elapsed_ns": time.perf_counter_ns() - start})


class Server:
    """The seven transformations with TextFlint's own defaults, and what they say when they fail."""

    def __init__(self, resources: Path) -> None:
        _prepare()
        self.complaints = _Complaints()
        sample = importlib.import_module("textflint.input.component.sample.ut_sample")
        self.sample: Callable[[dict[str, str]], Any] = sample.UTSample
        self.transformations = {}
        for name, (module, rules) in TRANSFORMATIONS.items():
            found = importlib.import_module(f"textflint.generation.transformation.UT.{module}")
            options = {"rules_path": str(resources / rules)} if rules else {}
            self.transformations[name] = getattr(found, "Ocr" if name == "OCR" else name)(**options)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The variants of a text as TextFlint gives them, or why it gave none."""
        self.complaints.lines.clear()
        random.seed(request["seed"])
        try:
            found = self.transformations[request["name"]].transform(self.sample({"x": request["text"]}))
            variants = [sample.get_text("x") for sample in found]
        except Exception as error:
            # TextFlint wraps what went wrong in an error that only asks to report it.
            return {"variants": [], "error": _described(error.__context__ or error)}
        return {"variants": variants, "error": "; ".join(self.complaints.lines) or None}


class _Complaints(logging.Handler):
    """TextFlint's log: it answers some of its own errors with a line there and an empty result."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []
        logger = importlib.import_module("textflint.common.utils.logger").logger
        logger.handlers = [self]

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def _prepare() -> None:
    """Make what the seven need importable, and nothing else; keep everything off the network."""
    torch = types.ModuleType("torch")
    torch.__dict__.update(device=str, cuda=types.SimpleNamespace(is_available=lambda: False))
    sys.modules.update(torch=torch, pandas=types.ModuleType("pandas"))
    for name in SHELLS:
        sys.modules[name] = _shell(name)
    install = importlib.import_module("textflint.common.utils.install")
    install.__dict__["download_if_needed"] = _only_local
    processor = importlib.import_module("textflint.common.preprocess.en_processor")
    processor.__dict__["download_if_needed"] = _only_local
    # Its own default is a large English pipeline; the seven use nothing of it but the tokeniser.
    processor.EnProcessor.nlp = importlib.import_module("spacy").blank("en")


def _shell(name: str) -> types.ModuleType:
    """A package of TextFlint whose modules can be imported and whose __init__ is not run."""
    top = importlib.metadata.distribution("textflint").locate_file("textflint")
    shell = types.ModuleType(name)
    shell.__path__ = [str(Path(str(top)).joinpath(*name.split(".")[1:]))]
    return shell


def _only_local(path: str) -> str:
    if os.path.exists(path):
        return path
    raise FileNotFoundError(f"TextFlint wants to download {path}, which this backend does not allow")


def _own_stdout() -> IO[bytes]:
    """Standard output for answers alone; what anything else prints there goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _write(answers: IO[bytes], answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer).encode("ascii") + b"\n")
    answers.flush()


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
