"""Runs inside Pyodide at build time: the modules in use, as bytecode, in one zip."""

import importlib
import importlib.util
import io
import marshal
import sys
from collections.abc import Sequence

LIBRARY = "/lib/python314.zip/"


def reduced_zip(modules: Sequence[str]) -> bytes:
    """Bytes of a zip with every module in use after start-up and after importing `modules`."""
    for name in modules:
        importlib.import_module(name)
    names = sorted({path for module in list(sys.modules.values()) if (path := _library_path(module))})
    import zipfile  # not before the modules in use are known: it takes many that nothing else does

    target = io.BytesIO()
    with zipfile.ZipFile(LIBRARY.rstrip("/")) as source, zipfile.ZipFile(target, "w") as reduced:
        for name in names:
            # A fixed date, so that equal contents give equal bytes.
            entry = zipfile.ZipInfo(name + "c", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            reduced.writestr(entry, _bytecode(name, source.read(name)), compresslevel=9)
    return target.getvalue()


def _library_path(module: object) -> str | None:
    """Where in the library's zip a module was loaded from; None where it came from elsewhere."""
    path = getattr(module, "__file__", None) or ""
    # A frozen module is part of the interpreter, though its path is in the library too.
    if getattr(getattr(module, "__spec__", None), "origin", None) == "frozen":
        return None
    return path.removeprefix(LIBRARY) if path.startswith(LIBRARY) and path.endswith(".py") else None


def _bytecode(name: str, source: bytes) -> bytes:
    code = compile(source, LIBRARY + name, "exec", dont_inherit=True, optimize=2)
    hashed = importlib.util.source_hash(source)
    flags = 0b01  # a hash that is not checked against a source file
    return b"".join([importlib.util.MAGIC_NUMBER, flags.to_bytes(4, "little"), hashed, marshal.dumps(code)])
