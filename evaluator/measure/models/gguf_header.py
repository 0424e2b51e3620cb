"""What a GGUF file says of itself, read without llama.cpp and without its weights.

The format is that of https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3,
little-endian: fields by name, then the name, shape and type of each tensor.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

from evaluator.records.errors import UserError

MAGIC, VERSIONS = b"GGUF", (2, 3)
#: Values by the format's number for their type, as `struct` calls them; two types are no such number.
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9
#: No tensor has more dimensions.
_MOST_DIMENSIONS = 4
#: What most weights are stored as, by the number in ``general.file_type``: `enum llama_ftype` of llama.h.
_FILE_TYPES = {
    **dict(enumerate(("F32", "F16", "Q4_0", "Q4_1"))),
    **dict(enumerate(("Q8_0", "Q5_0", "Q5_1", "Q2_K", "Q3_K_S", "Q3_K_M", "Q3_K_L", "Q4_K_S", "Q4_K_M"), 7)),
    **dict(enumerate(("Q5_K_S", "Q5_K_M", "Q6_K", "IQ2_XXS", "IQ2_XS", "Q2_K_S", "IQ3_XS", "IQ3_XXS"), 16)),
    **dict(enumerate(("IQ1_S", "IQ4_NL", "IQ3_S", "IQ3_M", "IQ2_S", "IQ2_M", "IQ4_XS", "IQ1_M", "BF16"), 24)),
    **dict(enumerate(("TQ1_0", "TQ2_0", "MXFP4", "NVFP4", "Q1_0"), 36)),
}
#: Architectures that read a text before they write one. Others that only read say that they are not causal.
_READS_FIRST = ("t5", "t5encoder")


@dataclass(frozen=True)
class GgufHeader:
    """The fields of a file but for its lists, and how many numbers its tensors hold."""

    fields: Mapping[str, Any]
    parameters: int

    @property
    def architecture(self) -> str:
        """What llama.cpp calls its kind of network, such as ``qwen3``."""
        return str(self.fields.get("general.architecture", ""))

    @property
    def context(self) -> int:
        """How many tokens it has learnt to look back on; 0 where it does not say."""
        return int(self.fields.get(f"{self.architecture}.context_length", 0))

    @property
    def quantisation(self) -> str | None:
        """What most weights are stored as, such as ``Q4_K_M``; None where it does not say."""
        return _FILE_TYPES.get(self.fields.get("general.file_type", -1))


def read_decoder(path: Path) -> GgufHeader:
    """The header of a file that holds a whole decoder. Raises `UserError` for any other."""
    header = read_header(path)
    kind, parts = header.fields.get("general.type", "model"), header.fields.get("split.count", 1)
    if kind != "model":
        raise UserError(path, f"holds no model, but what it calls {kind}", "name the file of the model")
    if parts not in (0, 1):
        what = f"is one of {parts} files that a model is split into"
        raise UserError(path, what, "join them with llama.cpp's llama-gguf-split --merge")
    causal = header.fields.get(f"{header.architecture}.attention.causal", True)
    if not causal or header.architecture in _READS_FIRST:
        what = f"its model ({header.architecture}) is an encoder, which a prompt cannot ask"
        raise UserError(path, what, "use the adapter transformers with the weights that it was made from")
    return header


def read_header(path: Path) -> GgufHeader:
    """The header of a GGUF file. Raises `UserError` where it is none, or not whole."""
    try:
        about = path.stat()
    except OSError as error:
        raise UserError(path, error.strerror or "cannot be read", "correct the name") from None
    return _read(path, about.st_size, about.st_mtime_ns)


@cache
def _read(path: Path, size: int, changed_ns: int) -> GgufHeader:
    """Every dataset of a model asks again, and the list of all tokens takes long to pass over."""
    fix = "give a model that llama.cpp's convert_hf_to_gguf.py made"
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise UserError(path, "is no GGUF file", fix)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            try:
                return _Reader(data).header()
            except (struct.error, ValueError) as error:
                raise UserError(path, f"cannot be read as GGUF: {error}", fix) from None


class _Reader:
    """Takes one thing after another from the bytes of a file. Raises ValueError and struct.error."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data, self.at = data, len(MAGIC)

    def header(self) -> GgufHeader:
        version = self.number("I")
        if version not in VERSIONS:
            raise ValueError(f"its version is {version}, not 2 or 3")
        tensors, count = self.number("Q"), self.number("Q")
        fields = {}
        for _ in range(count):
            name = self.text()
            if (value := self.value(self.number("I"))) is not None:
                fields[name] = value
        return GgufHeader(fields, sum(self.tensor() for _ in range(tensors)))

    def tensor(self) -> int:
        """How many numbers a tensor holds."""
        self.text()
        if (dimensions := self.number("I")) > _MOST_DIMENSIONS:
            raise ValueError(f"a tensor has {dimensions} dimensions")
        shape = [self.number("Q") for _ in range(dimensions)]
        self.at += struct.calcsize("<IQ")  # its type, and where it begins
        return prod(shape)

    def number(self, code: str) -> Any:
        (value,) = struct.unpack_from(f"<{code}", self.data, self.at)
        self.at += struct.calcsize(f"<{code}")
        return value

    def text(self) -> str:
        begin, end = self.skip_text()
        return self.data[begin:end].decode(errors="replace")

    def skip_text(self) -> tuple[int, int]:
        """Pass over a text; where it begins and ends."""
        begin = self.at + struct.calcsize("<Q")
        end = begin + self.number("Q")
        if end > len(self.data):
            raise ValueError("it is cut off")
        self.at = end
        return begin, end

    def value(self, kind: int) -> Any:
        """A value, None for a list."""
        if kind in _NUMBERS:
            return self.number(_NUMBERS[kind])
        if kind == _TEXT:
            return self.text()
        if kind != _ARRAY:
            raise ValueError(f"a field has the unknown type {kind}")
        of, count = self.number("I"), self.number("Q")
        if of in _NUMBERS:
            self.at += count * struct.calcsize(f"<{_NUMBERS[of]}")
            if self.at > len(self.data):
                raise ValueError("it is cut off")
        elif of == _TEXT:
            for _ in range(count):
                self.skip_text()
        else:
            raise ValueError(f"a list has the unknown type {of}")
        return None
