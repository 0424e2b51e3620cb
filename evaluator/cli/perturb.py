"""``steelyard perturb``: make a suite of perturbations, and look at it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.options import Project, check_known, completes, project_options
from evaluator.cli.printing import print_json, report, summarise
from evaluator.rank.formats import counted

if TYPE_CHECKING:
    from evaluator.data.datasets import Dataset
    from evaluator.data.suites.make import Suite, Variant

#: Texts that --compare looks at, at most.
COMPARED = 1000


@click.command("perturb")
@click.argument("dataset", required=False, shell_complete=completes("datasets"))
@click.option(
    "--suite", default="robustness", show_default=True, help="A suite of the board file, or a kind."
)
@click.option(
    "--variants",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the variants as JSON lines, for a model that answers them elsewhere.",
)
@click.option("--show", type=click.IntRange(min=0), default=0, metavar="N", help="Print N variants as diffs.")
@click.option(
    "--compare",
    is_flag=True,
    help="Compare with TextFlint's transformations instead, on the first 1,000 texts.",
)
@click.option("--install-textflint", is_flag=True, help="Install TextFlint (GPL-3, about 300 MB) instead.")
@project_options("data", "board", "work", "json")
def command(
    project: Project,
    dataset: str | None,
    suite: str,
    variants: Path | None,
    show: int,
    compare: bool,
    install_textflint: bool,
) -> None:
    """Make the variants of DATASET and say how many each transformation made.

    The suite is kept in the working folder under its hash, where `evaluate` finds it; it holds text
    and is no result. Its seed and backend are those of the board file. A model that is not here answers what
    --variants writes, and import --suite scores that.

    TextFlint 0.1.0 can make robustness suites, too, in an environment and process of its own, which touches
    nothing else. --compare says for each transformation how many texts get a variant, how many characters it
    differs in, and how many variants change something the transformation is not for.

    \b
    Examples:
      steelyard perturb sst-2 --show 20
      steelyard perturb sst-2 --suite fairness --json
      steelyard perturb sst-2 --variants variants.jsonl
      steelyard perturb --install-textflint
      steelyard perturb sst-2 --compare
    """
    from evaluator.records.scratch import write_atomic
    from evaluator.score.suites import path_of, planned_suites, suite_of, variants_file

    work, textflint = project.work, (project.work / "textflint").absolute()
    if install_textflint:
        _install(textflint, project.as_json)
        return
    if dataset is None:
        raise click.UsageError("Missing argument 'DATASET'.")
    read = project.dataset(dataset)
    if not read.has_inputs:
        raise click.UsageError(f"DATASET {dataset}: has no texts to perturb")
    if compare:
        _compare(read, textflint, project.as_json)
        return
    suites = project.boards.known_suites
    check_known("--suite", suite, suites, "the board file has no such suite")
    [planned] = planned_suites([suites[suite]], read, work)
    made = suite_of(planned, read, work)
    if variants is not None:
        write_atomic(variants, variants_file(made, read))
    path = path_of(planned, work)
    if project.as_json:
        print_json(made.card() | {"file": str(path)})
    else:
        _print(made, read, path, show)


def _install(into: Path, as_json: bool) -> None:
    from evaluator.textflint.install import install

    versions = install(into, (lambda line: None) if as_json else summarise)
    line = f"{into}: {', '.join(f'{name} {version}' for name, version in versions.items())}"
    report(as_json, {"folder": str(into), "versions": versions}, [line])


def _compare(dataset: Dataset, environment: Path, as_json: bool) -> None:
    from dataclasses import asdict

    from evaluator.data.tasks import get_task
    from evaluator.textflint.backend import TextFlint
    from evaluator.textflint.compare import compare as compared

    fields = get_task(dataset.task).perturbable
    texts = [example[name] for example in dataset.examples for name in fields][:COMPARED]
    with TextFlint(environment) as backend:
        rows = compared(texts, backend)
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    click.echo(f"{counted(len(texts), 'text')} of {dataset.id}")
    click.echo(f"{'':<14} {'':<16} {'changed':>8} {'distance':>9} {'damaged':>8}")
    for row in rows:
        distance = "-" if row.distance is None else f"{row.distance:.2f}"
        shares = f"{_percent(row.changed):>8} {distance:>9} {_percent(row.damaged):>8}"
        click.echo(f"{row.transformation:<14} {row.backend:<16} {shares}")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f} %"


def _print(suite: Suite, dataset: Dataset, path: Path, show: int) -> None:
    rows = len({variant.row for variant in suite.variants})
    examples = counted(len(dataset.examples), "example")
    variants = counted(len(suite.variants), "variant")
    click.echo(f"{suite.name} on {dataset.id}: {variants} of {rows} of {examples}")
    click.echo(f"seed {suite.seed}, {suite.hash}\n{path}\n")
    width = max(len(name) for name in suite.counts)
    click.echo(f"{''.ljust(width)}  {'made':>8}  {'unchanged':>9}  {'not applicable':>14}  {'unclear':>7}")
    for name, counts in suite.counts.items():
        numbers = f"{counts.made:>8}  {counts.unchanged:>9}  {counts.not_applicable:>14}"
        click.echo(f"{name.ljust(width)}  {numbers}  {counts.undecided:>7}")
    step = max(1, len(suite.variants) // show) if show else 0
    for variant in suite.variants[::step][:show] if show else ():
        click.echo(f"\n{variant.transformation}, example {dataset.examples[variant.row]['id']}")
        for line in _diff(variant, dataset):
            click.echo(line)


def _diff(variant: Variant, dataset: Dataset) -> Iterator[str]:
    """Before and after, word by word: what goes in red, what comes in green, marked without colour too."""
    import difflib
    import re

    for name, after in variant.texts.items():
        old, new = (
            re.findall(r"\s+|\w+|[^\w\s]", text) for text in (dataset.examples[variant.row][name], after)
        )
        pieces = []
        for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind == "equal":
                pieces.append("".join(old[a:b]))
                continue
            gone, come = "".join(old[a:b]), "".join(new[c:d])
            pieces += [click.style(f"[-{gone}-]", fg="red")] if gone else []
            pieces += [click.style(f"{{+{come}+}}", fg="green")] if come else []
        yield f"  {name}: {''.join(pieces)}"
