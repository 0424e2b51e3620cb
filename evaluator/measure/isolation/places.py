"""What every worker may read: the interpreter, its libraries, programs of the system, and this package.

Not the project around the package, nor what lies beside it: data, results, other models.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator

#: The folder that the package `evaluator` is in.
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))

# A prefix may be the folder of a project as well, so only these parts of it are shown.
_PARTS = ("bin", "sbin", "lib", "lib32", "lib64", "libexec", "include", "share", "ssl", "pyvenv.cfg")
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store", "/sys/devices/system")
_ETC = (
    *("alternatives", "fonts", "group", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.conf"),
    *("localtime", "mime.types", "nsswitch.conf", "passwd", "ssl/certs", "timezone"),
)

_ASK = """
import json, sys
try:
    with open("/proc/self/maps") as file:
        mapped = sorted({line.split(None, 5)[5].strip() for line in file if ".so" in line})
except OSError:
    mapped = []
print(json.dumps([sys.path, [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix], mapped]))
"""


@functools.cache
def common() -> tuple[str, ...]:
    """The paths that every worker may read. Found out once a process, by asking a fresh interpreter.

    Entries of ``PYTHONPATH`` are libraries; the project's own folder among them shows its package only.
    """
    command = [sys.executable, "-P", "-c", _ASK]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    path, prefixes, mapped = json.loads(done.stdout)
    entries = [os.path.abspath(entry) for entry in path]
    libraries = [entry for entry in entries if entry != ROOT or entry.endswith("-packages")]
    loader = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    parts = [os.path.join(prefix, part) for prefix in [*prefixes, "/usr", "/usr/local"] for part in _PARTS]
    package = os.path.join(ROOT, "evaluator")
    etc = [f"/etc/{name}" for name in _ETC]
    own = [sys.executable, package, *libraries, *parts, *mapped, *filter(None, loader)]
    return tuple(with_targets([*own, *_SYSTEM, *etc]))


def with_targets(paths: Iterable[str]) -> list[str]:
    """The paths that exist, each once, and where they really are if links lead there."""
    return sorted({place for path in paths if os.path.exists(path) for place in _both(path)})


def _both(path: str) -> Iterator[str]:
    yield os.path.abspath(path)
    yield os.path.realpath(path)
