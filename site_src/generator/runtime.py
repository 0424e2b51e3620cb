"""Pyodide for the site: fetched once, verified on every use, published under a content hash.

Four files are all that a page needs: ``pyodide.mjs``, ``pyodide.asm.mjs``, ``pyodide.asm.wasm`` and
a standard-library zip. Where node is at hand the zip is replaced by a reduced one of bytecode
(`reduce_stdlib.mjs`), which halves the time until the scorer is ready.
"""

from __future__ import annotations

import ast
import functools
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from evaluator.rank import FILES as RANK_FILES
from evaluator.records.errors import UserError
from evaluator.records.scratch import write_atomic
from site_src.generator import lean
from site_src.generator.distribution import Distribution, cache_folder, sha256
from site_src.generator.output import publish
from site_src.generator.scripts import SOURCE
from site_src.generator.urls import Shared, Weight

VERSION = "314.0.7"
STDLIB = "python_stdlib.zip"
#: Where, in the folder of the runtime, the one lies that has no more than ranking takes.
LEAN = "lean/"
#: SHA-256 of every file taken from the distribution.
FILES = {
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    STDLIB: "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
}
#: SHA-256 of the reduced library; any other that was made or found is not used.
REDUCED = "1411cac4563b140ee25497a5ff420f4b3b07fb4ba218500a39663b02872c7343"
#: Bytes of those files that hosts compress, as they send them: by gzip at level 6.
SENT = {"pyodide.mjs": 7156, "pyodide.asm.mjs": 260107, "pyodide.asm.wasm": 3546122}
PYODIDE = Distribution(
    title="Pyodide",
    package="pyodide",
    version=VERSION,
    integrity="sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==",
    hashes=FILES,
)

HERE = Path(__file__).parent
EVALUATOR = HERE.parent.parent / "evaluator"
#: The room of what runs in the browser.
RANK = EVALUATOR / "rank"


def runtime_files(cache: Path) -> dict[str, Path]:
    """The four files to publish, from `cache`, which is filled first where it is cold."""
    files = stock_files(cache)
    return {**files, STDLIB: _reduced_stdlib(cache, files) or files[STDLIB]}


def is_reduced(cache: Path) -> bool:
    """Whether the standard library among `runtime_files` is the reduced one."""
    return runtime_files(cache)[STDLIB].parent == cache


def pinned() -> dict[str, tuple[str, ...]]:
    """The hashes, as records write them, that each published file of the runtime may have."""
    hashes = {name: (f"sha256:{hashed}",) for name, hashed in FILES.items()}
    made = {**FILES, **lean.MADE}
    of_lean = {f"{LEAN}{name}": (f"sha256:{hashed}",) for name, hashed in made.items()}
    return {**hashes, STDLIB: (*hashes[STDLIB], f"sha256:{REDUCED}"), **of_lean}


def lean_runtime(cache: Path) -> dict[str, Path] | None:
    """The four files with no more than ranking takes; None where they cannot be made: see `lean`."""
    recipe = "\n".join([VERSION, *FILES.values(), *scorer_imports(), *_recipe()])
    return lean.lean_files(cache, stock_files(cache), recipe, reducing())


def reducing() -> lean.Reduce:
    """What reduces the library among Pyodide's files in a folder to what scorers import."""

    def reduce(folder: Path) -> bytes | None:
        node = shutil.which("node")
        return _reduce(node, folder, [*scorer_imports(), *lean.LATER]) if node else None

    return reduce


def stock_files(cache: Path) -> dict[str, Path]:
    """The four files as Pyodide distributes them, each verified against its pinned hash."""
    return PYODIDE.files(cache)


def cached(cache: Path | None = None) -> Path | None:
    """The folder with the verified runtime, None where the cache is cold."""
    return PYODIDE.cached(cache or cache_folder())


def _reduced_stdlib(cache: Path, files: Mapping[str, Path]) -> Path | None:
    """The reduced zip, made where the cache has none.

    None where there is no node to make it with, or where another one comes out than the one that is pinned.
    """
    imports = scorer_imports()
    key = sha256("\n".join([VERSION, *FILES.values(), *imports, *_recipe()]).encode())[:16]
    for known in cache.glob(f"stdlib-{key}-*.zip"):
        if sha256(known.read_bytes()) == REDUCED:
            return known
        known.unlink()
    node = shutil.which("node")
    if node is None:
        return None
    reduced = _reduce(node, files["pyodide.mjs"].parent, imports)
    if sha256(reduced) != REDUCED:
        return None
    target = cache / f"stdlib-{key}-{sha256(reduced)}.zip"
    write_atomic(target, reduced)
    return target


def scorer_imports() -> list[str]:
    """Names of the library's modules that the scorers import: they must be in the reduced zip."""
    sources = [RANK / name for name in RANK_FILES]
    names = {name for path in sources for name in _imports(path.read_text("utf-8"))}
    return sorted(name for name in names if name.partition(".")[0] != EVALUATOR.name)


@functools.cache
def _imports(source: str) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return frozenset(found)


def _recipe() -> list[str]:
    return [sha256((HERE / name).read_bytes()) for name in ("reduce_stdlib.mjs", "reduce_stdlib.py")]


def _reduce(node: str, folder: Path, imports: list[str]) -> bytes:
    with tempfile.TemporaryDirectory() as scratch:
        target = Path(scratch, "stdlib.zip")
        script = HERE / "reduce_stdlib.mjs"
        command = [node, str(script), str(folder), str(target), *imports]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode or not target.is_file():
            why = done.stderr[-2000:]
            raise UserError("node", f"could not reduce the standard library:\n{why}")
        return target.read_bytes()


def publish_shared(output: Path, cache: Path | None = None) -> Shared:
    """Write assets, scorer and runtime into `output`; the modules keep their relative imports.

    `cache` defaults to ``$XDG_CACHE_HOME/steelyard``. Raises `UserError` when it is cold and nothing can be
    fetched.
    """
    files = {p.relative_to(SOURCE).as_posix(): p for p in sorted(SOURCE.glob("*/*")) if p.is_file()}
    cache = cache or cache_folder()
    python, little = runtime_files(cache), lean_runtime(cache)
    return Shared(
        assets=publish(output, "assets", files),
        scorer=publish(output, "scorer", {name: RANK / name for name in RANK_FILES}),
        runtime=publish(
            output, "runtime", {**python, **{LEAN + name: path for name, path in (little or {}).items()}}
        ),
        python=_weight(python, SENT),
        lean=(LEAN, _weight(little, lean.SENT)) if little else None,
    )


def _weight(python: Mapping[str, Path], sent: Mapping[str, int]) -> Weight:
    library = python[STDLIB].stat().st_size
    return Weight(sum(sent.values()) + library, python["pyodide.asm.wasm"].stat().st_size + library)
