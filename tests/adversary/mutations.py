"""Ways to break a file that is valid: its bytes, its lines, and the values of JSON and TOML in it.

Everything is drawn from the generator that is given, so the same seed breaks a file in the same way.
"""

from __future__ import annotations

import copy
import gzip
import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

#: What readers have fallen over: bytes to put anywhere.
TOKENS = [
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xfe\xff", b"\r\n", b"\r", b"\n", b"\n\n", b"\t", b'"', b"'", b'""', b",",
    b";", b"{", b"}", b"[", b"]", b"(", b")", b"\\", b"\\u", b"\\ud800", b"\\udfff\\ud800", b"\\u0000", b"NaN",
    b"-Infinity", b"1e999", b"-0", b"1" + b"0" * 400, b"0x10", b"1_000", b"null", b"true", b"__proto__",
    "\u0663\u0664".encode(), "\u2028".encode(), "\u202e".encode(), "\ud800".encode("utf-8", "surrogatepass"),
    "\U0001f600".encode(), b"../../etc/passwd", b"=1+1", b"#", b"\x1b[2J", b"%00", b"<script>", b"{}", b"[]",
]  # fmt: skip
#: Rare, since each takes its time.
LARGE = [
    b"[" * 5_000,
    b'{"a":' * 5_000,
    b"(" * 5_000,
    b"x" * 300_000,
    b'"' + b"y" * 150_000 + b'"',
    b"\n" * 20_000,
    b"9" * 5_000,
]
#: Values of JSON to put in the place of any other.
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**63, 10**30, 0.5, -0.0, 1e308, float("nan"), float("inf"), "", " ", "0", "x" * 300,
    "\ud800", "\x00", "\u202e", "\u0663", "NaN", "a\nb", "../x", [], [None], [[]], {}, {"": None}, {"a": {"a": {}}},
    ["a", 1, None], "2026-13-45T99:99:99Z", "sha256:" + "0" * 64, "sha256:" + "g" * 64, 3, 99,
]  # fmt: skip
#: The same for TOML, as it is written there.
TOML_VALUES = [
    "true", "0", "-1", "1.5", "nan", "inf", "1e400", '""', '" "', '"x"', "[]", '["x"]', "[[]]", "{}", "{ x = 1 }",
    "1979-05-27", "0xff", "1_000", '"\\u202e"', '"../x"', '"CON"', "99999999999999999999", "'''\nx'''", "{ a = { b = [] } }",
]  # fmt: skip

Mutation = Callable[[bytes, Random], bytes]


def mutated(content: bytes, random: Random) -> bytes:
    """The content with one to four things wrong; now and then nothing that was there is left."""
    kinds = [*BYTES, *([_json_lines, _json_lines, _json_lines] if b"{" in content or b"[" in content else [])]
    if re.search(rb"(?m)^\w+ = ", content):
        kinds += [_toml, _toml, _toml, _toml]
    for _ in range(random.choice([1, 1, 1, 2, 3, 4])):
        content = random.choice(kinds)(content, random)
    return content


def packed(content: bytes, random: Random) -> bytes:
    """The content in a gzip file, of which some bytes may be wrong."""
    zipped = gzip.compress(content, compresslevel=1, mtime=0)
    return zipped if random.random() < 0.5 else random.choice([_flip, _cut, _insert, _delete])(zipped, random)


def _flip(content: bytes, random: Random) -> bytes:
    broken = bytearray(content)
    for _ in range(random.randint(1, 8) if broken else 0):
        broken[random.randrange(len(broken))] ^= 1 << random.randrange(8)
    return bytes(broken)


def _cut(content: bytes, random: Random) -> bytes:
    return content[: random.randint(0, len(content))]


def _delete(content: bytes, random: Random) -> bytes:
    start = random.randint(0, len(content))
    return content[:start] + content[start + random.randint(1, 40) :]


def _insert(content: bytes, random: Random) -> bytes:
    place = random.choice([0, len(content), random.randint(0, len(content))])
    token = random.choice(LARGE) if random.random() < 0.01 else random.choice(TOKENS)
    return content[:place] + token + content[place:]


def _again(content: bytes, random: Random) -> bytes:
    start = random.randint(0, len(content))
    piece = content[start : start + random.randint(1, 200)]
    place = random.randint(0, len(content))
    return content[:place] + piece + content[place:]


def _lines(content: bytes, random: Random) -> bytes:
    lines = content.splitlines(keepends=True)
    random.shuffle(lines)
    return b"".join(lines[: random.randint(0, len(lines))] + lines[:1])


def _ends(content: bytes, random: Random) -> bytes:
    return content.replace(b"\n", random.choice([b"\r\n", b"\r", b"\n\n", b" ", b"\x0b", "\u2028".encode()]))


def _digits(content: bytes, random: Random) -> bytes:
    found = [match.span() for match in re.finditer(rb"\d+(\.\d+)?", content)]
    if not found:
        return content
    start, end = random.choice(found)
    new = random.choice(
        [b"-1", b"1e999", b"9" * 400, b"0.1.2", b"", b"NaN", "\u0663".encode(), b"00", b"1e-400"]
    )
    return content[:start] + new + content[end:]


def _recoded(content: bytes, random: Random) -> bytes:
    encoding = random.choice(["utf-16", "utf-32", "utf-7", "latin-1"])
    return content.decode("utf-8", "replace").encode(encoding, "replace")


def _rubbish(_: bytes, random: Random) -> bytes:
    return random.randbytes(random.randint(0, 200))


BYTES: list[Mutation] = [
    _flip,
    _flip,
    _cut,
    _delete,
    _insert,
    _insert,
    _insert,
    _again,
    _lines,
    _ends,
    _digits,
    _recoded,
    _rubbish,
]


def _json_lines(content: bytes, random: Random) -> bytes:
    """One value of one JSON document, which is the file or a line of it, is another."""
    try:
        return _dumped(_changed(json.loads(content), random))
    except (ValueError, RecursionError):
        lines = content.split(b"\n")
    place = random.randrange(len(lines))
    try:
        lines[place] = _dumped(_changed(json.loads(lines[place]), random))
    except (ValueError, RecursionError):
        return _insert(content, random)
    return b"\n".join(lines)


def _dumped(document: Any) -> bytes:
    return json.dumps(document).encode()


def _changed(document: Any, random: Random) -> Any:
    """A copy in which one value is replaced, removed, renamed or swapped with another."""
    document = copy.deepcopy(document)
    holders = [holder for holder in _holders(document) if holder]
    if not holders:
        return random.choice(VALUES)
    holder = random.choice(holders)
    place = random.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    match random.randrange(5):
        case 0:
            del holder[place]
        case 1 if isinstance(holder, dict):
            holder[
                random.choice(["", "x", "\ud800", "schema_version", "kind", str(place) * 2, "__proto__"])
            ] = holder.pop(place)
        case 2:
            other = random.choice(holders)
            holder[place] = copy.deepcopy(
                random.choice(list(other.values()) if isinstance(other, dict) else other)
            )
        case 3:
            holder[place] = [holder[place]]
        case _:
            holder[place] = copy.deepcopy(random.choice(VALUES))
    return document


def _holders(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [value, *(inner for item in value.values() for inner in _holders(item))]
    if isinstance(value, list):
        return [value, *(inner for item in value[:50] for inner in _holders(item))]
    return []


def _toml(content: bytes, random: Random) -> bytes:
    """One value or key of a TOML file is another, or a line comes twice or in another table."""
    lines = content.split(b"\n")
    keyed = [at for at, line in enumerate(lines) if re.match(rb"\s*(\w+ = |\[)", line)]
    if not keyed:
        return content
    at = random.choice(keyed)
    key, equals, _ = lines[at].partition(b" = ")
    match random.randrange(5):
        case 0:
            lines.insert(at, lines[random.choice(keyed)])
        case 1:
            del lines[at]
        case 2 if equals:
            lines[at] = (
                random.choice([b"x", b"ID", b"labels", b"path", b'"\\u0000"', b"a.b"]) + lines[at][len(key) :]
            )
        case _ if equals:
            lines[at] = key + equals + random.choice(TOML_VALUES).encode()
        case _:
            lines[at] = random.choice([b"[x]", b"[[x]]", b"[site]", b"[", b"[[boards]]", b"[boards]"])
    return b"\n".join(lines)
