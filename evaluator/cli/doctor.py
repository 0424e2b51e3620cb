"""``steelyard doctor``: what is installed, what is missing and how to get it."""

from __future__ import annotations

import platform
import re
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, packages_distributions, requires, version

import click

from evaluator.cli.options import json_option
from evaluator.cli.printing import BAD, DOUBT, GOOD, in_colour, is_quiet, print_json


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for; `found` is its version or place, None where it is missing."""

    name: str
    purpose: str
    found: str | None
    fix: str
    needed: bool = False


@click.command("doctor")
@json_option
def command(as_json: bool) -> int:
    """Look for everything Steelyard can use. Exits 1 if something is missing that it cannot do without.

    \b
    Example:
      steelyard doctor
    """
    findings = [*_packages(), _api_name(), *_adapters(), *_programs()]
    findings += [_runtime(), _entities(), *_isolation()]
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        _print(findings)
    return 1 if any(f.needed and f.found is None for f in findings) else 0


def _packages() -> list[Finding]:
    """Every requirement of the distribution, read from its own metadata."""
    findings = [Finding("python", "runs everything", platform.python_version(), "", needed=True)]
    for requirement in requires("steelyard") or []:
        package, _, marker = requirement.partition(";")
        [name] = re.findall(r"^[\w.-]+", package)
        extra = marker.partition("extra ==")[2].strip(" '\"")
        fix = f"pip install 'steelyard[{extra}]'" if extra else "pip install steelyard"
        findings.append(Finding(name, extra or "core", _version(name), fix, needed=not extra))
    return findings


def _api_name() -> Finding:
    """Whether `import evaluator` is Steelyard for sure: others may use that plain word too."""
    others = {name for name in packages_distributions().get("evaluator", []) if name != "steelyard"}
    found = None if others else "steelyard's own"
    fix = f"{', '.join(sorted(others))} has it too; give Steelyard an environment of its own"
    return Finding("import evaluator", "the Python API", found, fix)


def _adapters() -> Iterator[Finding]:
    """Which ways to open models, or to ask them, work here: those whose packages are all there."""
    from evaluator.measure.models import ADAPTERS
    from evaluator.measure.models.preparing import missing_extras

    for name in ADAPTERS:
        extras = ",".join(sorted(missing_extras(None, name)))
        found, fix = (None, f"pip install 'steelyard[{extras}]'") if extras else ("can run", "")
        yield Finding(f"adapter: {name}", "models of board.toml", found, fix)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _programs() -> list[Finding]:
    looked_for = (
        ("git", "evaluate --commit", "apt-get install git"),
        ("node", "the smaller, faster Python runtime of the site", "apt-get install nodejs"),
        ("npm", "fetching Pyodide", "apt-get install npm"),
        ("chromium", "the browser tests", "apt-get install chromium"),
    )
    return [Finding(name, purpose, shutil.which(name), fix) for name, purpose, fix in looked_for]


def _runtime() -> Finding:
    from site_src.generator.runtime import VERSION, cached

    place = cached()
    purpose = "re-weighing in the browser"
    fix = "run steelyard build once while online"
    return Finding(f"Pyodide {VERSION}", purpose, str(place) if place else None, fix)


def _entities() -> Finding:
    """What recognises named entities for suites that name no recogniser; the gazetteer always can."""
    from evaluator.data.suites.entities import GAZETTEER, PIPELINE, recogniser
    from evaluator.records.errors import UserError

    try:
        spec = recogniser().spec()
    except UserError as error:
        return Finding("entities", "named entities in fairness suites", None, str(error))
    version = spec["version"].removeprefix("sha256:")[:12]
    name = GAZETTEER if spec["recogniser"] == GAZETTEER else f"spaCy {spec['pipeline']}"
    fix = "" if name != GAZETTEER else f"python -m spacy download {PIPELINE} lets spaCy do it"
    return Finding("entities", "named entities in fairness suites", f"{name} {version}", fix)


#: What each layer that keeps models in gives them or holds them to.
_LAYERS = {
    "pid": "models see no processes but their own",
    "mount": "models see no files but their own",
    "network": "models have no network",
    "ipc": "models share no memory with others",
    "landlock": "rules for files and signals of models",
    "seccomp": "system calls that models are refused",
}


def _isolation() -> list[Finding]:
    """What keeps models in on this machine, and what would but does not work."""
    from evaluator.measure.isolation.probing import probe

    layers = probe()
    found = {name: f"version {layers.landlock}" if name == "landlock" else "works" for name in layers.names}
    return [
        Finding(f"isolation: {name}", purpose, found.get(name), layers.missing.get(name, ""))
        for name, purpose in _LAYERS.items()
    ]


def _print(findings: list[Finding]) -> None:
    width = max(len(finding.name) for finding in findings)
    purposes = max(len(finding.purpose) for finding in findings)
    for finding in findings:
        if finding.found and is_quiet():
            continue
        colour = GOOD if finding.found else BAD if finding.needed else DOUBT
        mark = in_colour("ok " if finding.found else "-- ", colour)
        state = finding.found or f"missing; {finding.fix}"
        click.echo(f"{mark} {finding.name.ljust(width)}  {finding.purpose.ljust(purposes)}  {state}")
