"""What the child sends back: a model's answer as JSON, or what is wrong with it."""

from __future__ import annotations

import json
import math
import traceback
from collections.abc import Iterator
from typing import Any

from evaluator.measure.worker.network import NetworkRefused
from evaluator.measure.worker.protocol import frame, pack

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_MESSAGE_CHARS, _DETAIL_CHARS = 1000, 4000

# Room for the largest failure a child sends: every character may take six bytes as \\uXXXX.
FAILURE_BYTES = 8 * (_MESSAGE_CHARS + _DETAIL_CHARS)


def success(token: str, output: Any, limit: int) -> bytes:
    """The frame that carries `output`; a failure's frame if it is no JSON or over `limit` bytes."""
    try:
        body = _ENCODER.encode(output).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return failure(token, *_fault(output, error))
    if len(body) > limit:
        message = f"the answer is {len(body):,} bytes of JSON, at most {limit:,} are allowed; return less"
        return failure(token, "too-large", message)
    return frame(b'{"id":"%s","ok":%s}' % (token.encode(), body))


def failure(token: str, kind: str, message: str, detail: str = "") -> bytes:
    """The frame that carries an error, cut to a bounded size."""
    error = {
        "kind": kind,
        "message": printable(message)[:_MESSAGE_CHARS],
        "detail": printable(detail)[-_DETAIL_CHARS:],
    }
    return pack({"id": token, "error": error})


def printable(text: str) -> str:
    """`text` with what no file can hold, halves of characters, written as an escape such as \\ud800."""
    return text.encode("utf-8", "backslashreplace").decode()


def raised(token: str, error: BaseException, stage: str) -> bytes:
    """The frame for an exception out of the model's code, in `stage` ``"load"`` or ``"predict"``."""
    kind, message = _classify(error, stage)
    return failure(token, kind, message, _trace(error))


def _trace(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(error))
    except Exception:
        return "(a traceback that cannot be printed)"


def _classify(error: BaseException, stage: str) -> tuple[str, str]:
    for link in _chain(error):
        if isinstance(link, NetworkRefused):
            return "network", (
                f"the model tried to use the network ({link}), which is cut off;"
                " put every file it needs into its directory"
            )
    # A dotted name is a module that an installed package lacks: pip cannot fix that.
    if isinstance(error, ModuleNotFoundError) and error.name and "." not in error.name:
        return "missing-package", _missing(error, error.name)
    if stage == "load":
        return "load-failed", f"the model could not be loaded: {_sentence(error)}"
    return "raised", f"predict raised {_sentence(error)}"


def _missing(error: ModuleNotFoundError, package: str) -> str:
    from evaluator.measure.models.base import EXTRAS, MissingPackage

    if isinstance(error, MissingPackage):
        return str(error)
    requirement = f"'steelyard[{EXTRAS[package]}]'" if package in EXTRAS else package
    return f"the package {package} is not installed where the model runs; run: pip install {requirement}"


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        yield link
        seen.add(id(link))
        link = link.__cause__ or link.__context__


def _sentence(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = "an exception that cannot be printed"
    own = type(error).__module__.startswith("evaluator.")
    return text if own else f"{type(error).__name__}: {text}" if text else type(error).__name__


def _fault(output: Any, error: Exception) -> tuple[str, str]:
    """Name what JSON cannot carry in an answer, and where it is."""
    if isinstance(error, RecursionError):
        return "not-json", "the answer is nested too deeply for JSON; return plain dicts, lists and text"
    for path, value in _walk(output, "the answer", 20):
        if isinstance(value, float) and not math.isfinite(value):
            return "not-a-number", f"{path} is {value}, not a finite number; return numbers JSON can carry"
        if not isinstance(value, (str, int, float, type(None), dict, list, tuple)):
            kind = _type_name(value)
            return "not-json", f"{path} is a {kind}, not JSON data; return dicts, lists, text and numbers"
    return "not-json", f"the answer cannot be written as JSON ({error}); return plain dicts, lists and text"


def _walk(value: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    yield path, value
    if depth and isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(key, f"a key of {path}", 0)
            yield from _walk(item, f"{path}[{key!r}]", depth - 1)
    elif depth and isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _walk(item, f"{path}[{index}]", depth - 1)


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
