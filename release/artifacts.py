"""Makes what a release consists of: a source archive, a wheel, and a list of what comes with it (SBOM).

The same commit gives the same bytes: all times are ``SOURCE_DATE_EPOCH``, or else that of the commit. The
SBOM (CycloneDX, JSON) has the versions of all dependencies that an installation without extras gets now.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from try_wheel import install

ROOT = Path(__file__).parents[1]
DYNAMIC = 'dynamic = ["version"]'


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the source archive, the wheel and the SBOM.")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="an empty folder  [default: dist]")
    parser.add_argument("--environment", type=Path, help="keep there what the SBOM lists, to try the wheel")
    given = parser.parse_args()
    output: Path = given.output.absolute()
    if output.is_dir() and any(output.iterdir()):
        parser.error(f"--output: {output} is not empty; remove what is in it, or give another folder")
    os.environ.setdefault("SOURCE_DATE_EPOCH", _time_of_commit())
    # The wheel is made of the archive, so that a file which the archive lacks is noticed.
    _run("-m", "build", "--outdir", output, ROOT)
    [wheel] = output.glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        _write_sbom(wheel, given.environment or Path(folder) / "environment", Path(folder))


def _time_of_commit() -> str:
    command = ["git", "-C", ROOT, "log", "-1", "--format=%ct"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _write_sbom(wheel: Path, environment: Path, scratch: Path) -> None:
    """Install `wheel` in an environment with nothing else, and write down what is in it, beside the wheel."""
    install(wheel, sys.executable, environment)
    name, version = wheel.name.split("-")[:2]
    # The tool reads no dynamic version.
    project = scratch / "pyproject.toml"
    described = (ROOT / "pyproject.toml").read_text("utf-8")
    project.write_text(described.replace(DYNAMIC, f'version = "{version}"'), "utf-8")
    sbom = wheel.with_name(f"{name}-{version}.cdx.json")
    options = ["--pyproject", project, "--output-reproducible", "--output-file", sbom]
    _run("-m", "cyclonedx_py", "environment", environment / "bin" / "python", *options)


def _run(*arguments: str | Path) -> None:
    subprocess.run([sys.executable, *map(str, arguments)], check=True)


if __name__ == "__main__":
    main()
