"""Makes sure that the browser tests have a browser: one already here, Playwright's own, or Debian's.

Exits 1 with a message when none can be had; the tests are never skipped for want of one.
"""

from __future__ import annotations

import shutil
import subprocess
import sys


def present() -> bool:
    """Whether the tests would find a browser (see tests/site/conftest.py)."""
    if shutil.which("chromium"):
        return True
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        from pathlib import Path

        return Path(playwright.chromium.executable_path).exists()


def attempts() -> list[list[str]]:
    """Commands that install a browser, the least intrusive first."""
    apt = ["apt-get"] if shutil.which("apt-get") else []
    sudo = ["sudo", "--non-interactive"] if shutil.which("sudo") else []
    own = [sys.executable, "-m", "playwright", "install", "chromium"]
    debian = [[*sudo, *apt, "update"], [*sudo, *apt, "install", "--yes", "chromium"]] if apt else []
    return [own, *debian]


def main() -> int:
    for command in attempts():
        if present():
            return 0
        print("no browser yet; trying:", " ".join(command), flush=True)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if present():
        return 0
    print("no browser for the tests: install Chromium (apt-get install chromium) and run make test again")
    return 1


if __name__ == "__main__":
    sys.exit(main())
