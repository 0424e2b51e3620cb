"""Modules of Python's library, and of Pyodide's, in place of larger ones of which ranking uses little.

What they stand for is what Python takes to start in a worker, and nothing that ranks: an event loop, packages
that are installed, and tracebacks, of which a page shows the last line.
"""

from __future__ import annotations

MODULES = {
    # The worker asks, and waits for the answer: nothing in Python waits for anything.
    "asyncio/__init__.py": "",
    "pyodide/webloop.py": """\
def _initialize_event_loop():
    pass
""",
    # No packages are installed.
    "pyodide/_package_loader.py": """\
class _Folder:
    def __init__(self, path):
        self.path = path

    def __str__(self):
        return self.path


SITE_PACKAGES = _Folder("/lib/python3.14/site-packages")
DSO_DIR = _Folder("/usr/lib")


def init_loaded_packages():
    pass
""",
    "traceback.py": """\
import sys


def format_exception(kind, value=None, tb=None, **_):
    error = kind if value is None else value
    lines = ["Traceback (most recent call last):\\n"]
    frame = error.__traceback__
    while frame:
        code = frame.tb_frame.f_code
        lines.append(f'  File "{code.co_filename}", line {frame.tb_lineno}, in {code.co_name}\\n')
        frame = frame.tb_next
    name = type(error).__qualname__
    if type(error).__module__ not in ("builtins", "__main__"):
        name = f"{type(error).__module__}.{name}"
    lines.append(f"{name}: {error}\\n")
    return lines


def print_exception(*error, **_):
    sys.stderr.write("".join(format_exception(*error)))
""",
}
