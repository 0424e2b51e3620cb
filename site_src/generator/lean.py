"""Python for ranking in fewer bytes: Pyodide without what it never needs in a worker that ranks.

Its library is a reduced one, as in `runtime`, after modules that only start an event loop or packages have
been replaced (`thin_library`). No other WebAssembly is ever linked to it, so names that only such a module
would use are left out, of the binary and of the script that loads it. No function is. Where a part of the
library turns out to be missing, the worker goes on with all of Pyodide, which lies beside.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from evaluator.records.scratch import scratch_folder
from site_src.generator.distribution import sha256
from site_src.generator.thin_library import MODULES
from site_src.generator.wasm import with_exports

LOADER, SCRIPT, BINARY, STDLIB = "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"
#: SHA-256 of what is made; where anything else comes out, pages have all of Pyodide.
MADE = {
    SCRIPT: "81159bfd1b1abfd2739e18d68ab4f5f4b6b3decad8744babd676c924c1c91cc5",
    BINARY: "f1777fb49d874a3cde902edf7c18a6aff40ea45f5b02015616b019da3f63e9cd",
    STDLIB: "8632d37ba14d617f38c7f7be87ef7d13d5b0c89960cd87186c7f5c54cac3b1ba",
}
#: Bytes of the files that hosts compress, as they send them: by gzip at level 6.
SENT = {LOADER: 7156, SCRIPT: 186413, BINARY: 3474969}

HERE = Path(__file__).parent
#: Modules that those of the library import when they are first asked for something.
LATER = ["heapq"]

WORD = re.compile(r"[\w$]+")
#: A name among the imports of modules that are linked when they are loaded.
IMPORTED = re.compile(rb"GOT\.(?:func|mem)[\x01-\x7f]([\w$.]+?)\x03")
_EXPORTED = re.compile(r'([\w$]+)=Module\["\1"\]=wasmExports\["([^"]+)"\];')
_DECLARED = re.compile(r"(?<=var )[\w$,]+(?=;function assignWasmExports)")

#: Makes a reduced library of a folder with Pyodide's files; None where nothing can make one.
Reduce = Callable[[Path], bytes | None]


def lean_files(cache: Path, stock: Mapping[str, Path], recipe: str, reduce: Reduce) -> dict[str, Path] | None:
    """The four files, from a folder of `cache`, made where it has none of this `recipe`.

    None where they cannot be made here, or others come out than those that are pinned.
    """
    made_from = [recipe, *LATER, *MODULES.values(), *MADE.values()]
    made_from += [(HERE / name).read_text("utf-8") for name in ("lean.py", "wasm.py")]
    place = cache / f"lean-{sha256(''.join(made_from).encode())[:16]}"
    if not _is_intact(place):
        library = thin_library(stock, reduce)
        if library is None:
            return None
        made = {**lean_module(stock), STDLIB: library}
        if {name: sha256(content) for name, content in made.items()} != MADE:
            return None
        with scratch_folder(place) as scratch:
            for name, content in {**made, LOADER: stock[LOADER].read_bytes()}.items():
                (scratch / name).write_bytes(content)
            shutil.rmtree(place, ignore_errors=True)
            scratch.rename(place)
    return {name: place / name for name in stock}


def _is_intact(place: Path) -> bool:
    return (place / LOADER).is_file() and all(
        sha256((place / name).read_bytes()) == made for name, made in MADE.items()
    )


def lean_module(stock: Mapping[str, Path]) -> dict[str, bytes]:
    """The WebAssembly with those names alone that somebody uses, and the script that loads it."""
    script, binary = lean_script(stock[SCRIPT].read_text("utf-8")), stock[BINARY].read_bytes()
    # What the module takes of itself by name is among its imports.
    words = {*WORD.findall(script), *(name.decode() for name in IMPORTED.findall(binary))}
    named = words | {word.removeprefix("_") for word in words}
    return {SCRIPT: script.encode(), BINARY: with_exports(binary, named)}


def lean_script(script: str) -> str:
    """The script without the variables of exports that it never uses."""
    counts = Counter(WORD.findall(script))
    # Declared, set and given to the module; and as a name of the module's.
    unused = {
        name for name, exported in _EXPORTED.findall(script) if counts[name] == 3 and counts[exported] == 1
    }
    script = _EXPORTED.sub(lambda found: "" if found[1] in unused else found[0], script)
    return _DECLARED.sub(lambda found: ",".join(n for n in found[0].split(",") if n not in unused), script)


def thin_library(stock: Mapping[str, Path], reduce: Reduce) -> bytes | None:
    """The reduced library of one in which modules that only start Python have been replaced."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name in (LOADER, SCRIPT, BINARY):
            (folder / name).symlink_to(stock[name])
        with zipfile.ZipFile(stock[STDLIB]) as whole, zipfile.ZipFile(folder / STDLIB, "w") as thin:
            for entry in whole.infolist():
                content = MODULES.get(entry.filename)
                thin.writestr(entry, whole.read(entry) if content is None else content)
        return reduce(folder)
