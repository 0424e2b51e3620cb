"""What a host can do, found out once: which layers work, and what every worker may read.

Layers are tried on a process that is thrown away. Workers may read the interpreter, its libraries, programs
of the system and this package; not the project around it, nor what lies there: data, results, other models.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from evaluator.measure.isolation.launcher import LAYERS
from evaluator.measure.isolation.namespaces import FLAGS, change_root, enter_namespaces, enter_user
from evaluator.measure.isolation.restrictions import has_filter, landlock_abi, refuse_calls, restrict_files

_SECONDS = 30.0
_LOOK = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    " from evaluator.measure.isolation.probing import main; main()"
)


@dataclass(frozen=True)
class Layers:
    """What works here: `namespaces` to enter, the version of Landlock (0: none), whether seccomp does.

    `missing` says of each layer that does not why, in plain words.
    """

    namespaces: tuple[str, ...]
    landlock: int
    seccomp: bool
    missing: dict[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The layers that work."""
        return tuple(layer for layer in LAYERS if layer not in self.missing)

    def without(self, layers: frozenset[str]) -> Layers:
        """These layers less some of them, as if they did not work here."""
        gone = set(layers) | ({"mount"} if "pid" in layers else set())
        missing = {layer: self.missing.get(layer, "switched off") for layer in LAYERS}
        spaces = tuple(name for name in self.namespaces if name not in gone)
        return Layers(
            () if spaces == ("user",) else spaces,
            0 if "landlock" in gone else self.landlock,
            self.seccomp and "seccomp" not in gone,
            {layer: why for layer, why in missing.items() if layer in gone or layer in self.missing},
        )


@functools.cache
def probe() -> Layers:
    """Find out, once a process: a step that fails half-way cannot be taken back."""
    if sys.platform != "linux":
        return Layers((), 0, False, dict.fromkeys(LAYERS, "only Linux has it"))
    command = [sys.executable, "-I", "-S", "-c", _LOOK, ROOT]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS)
    try:
        found = json.loads(done.stdout)
        return Layers(tuple(found["namespaces"]), found["landlock"], found["seccomp"], found["missing"])
    except (ValueError, KeyError, TypeError):
        last = (done.stderr.strip().splitlines() or [f"code {done.returncode}"])[-1]
        return Layers((), 0, False, dict.fromkeys(LAYERS, f"looking for it failed: {last}"))


def main() -> None:
    """Try every layer in processes of their own, and print what works as JSON."""
    entered, missing = _namespaces()
    if "mount" not in missing and (why := _tried(lambda: _change_root(entered))):
        missing["mount"] = why
        entered.remove("mount")
    if why := _tried(lambda: restrict_files(["/"], ["/dev/null"])):
        missing["landlock"] = f"{why}; kernels from 5.13 on have it, where it is not switched off"
    if why := _tried(_filter):
        missing["seccomp"] = why
    found: dict[str, object] = {"namespaces": entered}
    found["missing"] = {layer: missing[layer] for layer in LAYERS if layer in missing}
    found["landlock"] = 0 if "landlock" in missing else landlock_abi()
    found["seccomp"] = "seccomp" not in missing
    print(json.dumps(found))


def _namespaces() -> tuple[list[str], dict[str, str]]:
    """The namespaces to enter, with one of users where that works; and why others cannot be entered."""
    user = [] if (why := _tried(enter_user)) else ["user"]
    entered, missing = list(user), {}
    for name in FLAGS:
        trial = [*entered, name]
        if failed := _tried(lambda trial=trial: _enter(trial)):  # type: ignore[misc]
            missing[name] = f"{why or failed}; {_fix()}"
        else:
            entered.append(name)
    if "pid" in missing and "mount" in entered:
        entered.remove("mount")
        missing["mount"] = f"it needs a PID namespace: {missing['pid']}"
    return (entered if entered != user else []), missing


def _enter(names: list[str]) -> None:
    enter_namespaces(names)
    if "pid" in names and (why := _tried(lambda: None)):
        raise OSError(0, why)


def _change_root(entered: list[str]) -> None:
    enter_namespaces(entered)
    if why := _tried(lambda: change_root(["/usr", "/lib", "/lib64", "/bin"], 0)):
        raise OSError(0, why)


def _filter() -> None:
    if not has_filter():
        raise OSError(0, f"there is no filter for {os.uname().machine} processors")
    refuse_calls(network=False)


def _fix() -> str:
    """What to do where namespaces are forbidden."""
    apparmor = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
    try:
        with open(apparmor) as file:
            if file.read().strip() == "1":
                return "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 allows it"
    except OSError:
        pass
    options = " ".join(f"--security-opt {name}=unconfined" for name in ("seccomp", "apparmor", "systempaths"))
    return f"in a container, docker run {options} allows it"


def _tried(action: Callable[[], object]) -> str | None:
    """Why `action` fails in a process of its own; None if it does not."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        status = 0
        try:
            action()
        except Exception as error:
            status = 1
            os.write(writes, str(error.args[-1] if error.args else error).encode()[:500])
        finally:
            os._exit(status)
    os.close(writes)
    with os.fdopen(reads, "rb") as file:
        why = file.read().decode("utf-8", "replace")
    _, status = os.waitpid(child, 0)
    return None if status == 0 else why or f"the process that tried it ended with status {status}"


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
    there = [path for path in paths if os.path.exists(path)]
    return sorted({*map(os.path.abspath, there), *map(os.path.realpath, there)})
