"""Makes sure that the tests have what they drive: Chromium, Firefox, fonts, and packages of npm.

Chromium: one already here, Playwright's own, or Debian's, and where it is Debian's its headless shell, if it can be
had: the tests are faster with it. Firefox: one already here or Debian's
firefox-esr. The fonts, which pictures of pages are taken with, are Debian's fonts-dejavu-core. The packages,
which check the scripts and drive browsers, are those of ``site_src/package-lock.json``.
With the argument ``npm``, only those packages: for that, no package of Python's needs to be installed yet. Firefox is
left to the argument ``all``.
Exits 1 and says what is missing when something cannot be had; the tests are never skipped for want of it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

PACKAGES = Path(__file__).parents[1] / "site_src"
LOCK = PACKAGES / "package-lock.json"
#: What npm writes when it has installed everything.
INSTALLED = PACKAGES / "node_modules" / ".package-lock.json"
#: Firefox's names, Debian's first.
FIREFOX = ("firefox-esr", "firefox")
FONT_PACKAGE = "fonts-dejavu-core"
#: Which fonts pictures are taken with, for fontconfig.
FONTS = Path(__file__).parent / "site" / "fonts.conf"

Command = list[str]


def chromium() -> bool:
    """Whether the tests would find a Chromium (see tests/site/conftest.py)."""
    if shutil.which("chromium"):
        return True
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


def headless_shell() -> bool:
    """Whether there is a Chromium without windows; Playwright's own has one."""
    return not shutil.which("chromium") or bool(shutil.which("chromium-headless-shell"))


def firefox() -> str | None:
    """The path of a Firefox that the tests would drive."""
    return next(filter(None, map(shutil.which, FIREFOX)), None)


def fonts() -> bool:
    """Whether every font that `FONTS` accepts is here."""
    accepted = ElementTree.parse(FONTS).iterfind("selectfont/acceptfont/glob")
    return all(Path(font.text or "").is_file() for font in accepted)


def packages() -> bool:
    """Whether the packages of the lock, and no older ones, are installed.

    npm writes its own lock last, so a newer one is that of a whole installation.
    """
    return INSTALLED.is_file() and INSTALLED.stat().st_mtime_ns >= LOCK.stat().st_mtime_ns


def from_debian(package: str) -> list[Command]:
    """Commands that install a Debian package, none where there is no Debian."""
    if not shutil.which("apt-get"):
        return []
    sudo = ["sudo", "--non-interactive"] if os.geteuid() and shutil.which("sudo") else []
    install = ["install", "--yes", "--no-install-recommends", package]
    return [[*sudo, "apt-get", "update"], [*sudo, "apt-get", *install]]


def from_npm() -> list[Command]:
    npm = shutil.which("npm")
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"]
    return [[npm, "ci", "--prefix", str(PACKAGES), *options]] if npm else []


def obtain(what: str, present: Callable[[], object], attempts: list[Command]) -> bool:
    """Try the commands, the least intrusive first, until `what` is present; whether it is."""
    for command in attempts:
        if present():
            return True
        print(f"no {what} yet; trying:", " ".join(command), flush=True)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    return bool(present())


def ensure(what: str, present: Callable[[], object], attempts: list[Command], fix: str) -> bool:
    """The same for what the tests cannot do without; says so where it is not there."""
    found = obtain(what, present, attempts)
    if not found:
        print(f"no {what} for the tests: {fix} and try again")
    return found


def ensure_packages() -> bool:
    attempts = from_npm()
    fix = "put right what npm says above" if attempts else "install node 20.19 or newer with npm"
    return ensure("packages of npm", packages, attempts, fix)


def main(arguments: Sequence[str]) -> int:
    if list(arguments) == ["npm"]:
        return 0 if ensure_packages() else 1
    own = [sys.executable, "-m", "playwright", "install", "chromium"]
    had = [
        ensure("Chromium", chromium, [own, *from_debian("chromium")], "apt-get install chromium"),
        ensure("DejaVu fonts", fonts, from_debian(FONT_PACKAGE), f"apt-get install {FONT_PACKAGE}"),
        ensure_packages(),
    ]
    if list(arguments) == ["all"]:
        had.append(ensure("Firefox", firefox, from_debian("firefox-esr"), "apt-get install firefox-esr"))
    # The tests are faster with it, and pass without.
    obtain("headless shell of Chromium", headless_shell, from_debian("chromium-headless-shell"))
    return 0 if all(had) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
