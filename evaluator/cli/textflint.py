"""``steelyard textflint``: TextFlint as a second backend of the robustness suites."""

from __future__ import annotations

from pathlib import Path

import click

from evaluator.cli.options import board_option, check_known, completes, data_option, dataset_of, json_option
from evaluator.cli.printing import print_json, summarise
from evaluator.rank.formats import counted

#: Where TextFlint is within the working folder.
FOLDER = "textflint"


@click.group("textflint", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """TextFlint 0.1.0 in an environment and process of its own: install it, compare with it.

    \b
    Example:
      steelyard textflint install
    """


@command.command("install")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    default=Path(".steelyard") / FOLDER,
    show_default=True,
    help="The folder for its virtual environment.",
)
@json_option
def install_command(into: Path, as_json: bool) -> None:
    """Install TextFlint 0.1.0 (GPL-3), its libraries and rules; about 300 MB, nothing else is touched.

    Run again it checks what is there, and makes it anew only if it does not work.

    \b
    Example:
      steelyard textflint install
    """
    from evaluator.textflint import install

    environment = install(into.absolute(), (lambda line: None) if as_json else summarise)
    if as_json:
        print_json({"folder": str(into), "versions": environment.versions})
        return
    versions = ", ".join(f"{name} {version}" for name, version in environment.versions.items())
    summarise(f"{into}: {versions}")


@command.command("compare")
@click.argument("dataset", shell_complete=completes("datasets"))
@click.option(
    "--model",
    shell_complete=completes("models"),
    help="A model of the board file; says how often it labels both texts alike.",
)
@click.option("--limit", type=click.IntRange(min=1), default=1000, show_default=True, help="Texts at most.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of both backends.")
@click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where TextFlint and prepared models are; default: .steelyard beside the board file.",
)
@data_option
@board_option
@json_option
def compare_command(
    dataset: str,
    model: str | None,
    limit: int,
    seed: int,
    work: Path | None,
    data: Path | None,
    board_file: Path,
    as_json: bool,
) -> None:
    """Perturb the texts of DATASET with our transformations and with TextFlint's, and compare.

    Changed: the texts that got a variant. Distance: characters between a text and its variant, on
    average. Damaged: the variants that change something the transformation is not for. Agreement:
    the variants that the model labels like their text.

    \b
    Examples:
      steelyard textflint compare sst-2
      steelyard textflint compare sst-2 --model tfidf-logreg --json
    """
    from evaluator.data.datasets import read_dataset
    from evaluator.data.suites.compare import plain, table
    from evaluator.measure.run import plan
    from evaluator.records.board import load_boards
    from evaluator.score.reading import dataset_source
    from evaluator.textflint.comparing import compare_backends

    boards = load_boards(board_file)
    root = board_file.parent
    folder, start = work or root / ".steelyard", data or root / boards.data
    chosen = dataset_of(boards, dataset)
    unit = None
    if model:
        check_known("--model", model, [one.id for one in boards.models], "the board file has no such model")
        units = plan(boards, root, start, [model], [dataset])
        if not units:
            raise click.UsageError(f"--model {model!r}: does not fit {dataset}; name one of its task")
        unit = units[0]
    read = unit.dataset if unit else read_dataset(dataset_source(chosen, start))
    if not read.has_inputs:
        raise click.UsageError(f"DATASET {dataset}: has no texts to perturb")
    rows = compare_backends(read, (folder / FOLDER).absolute(), seed, limit, unit, folder / "models")
    if as_json:
        print_json(plain(rows))
    else:
        click.echo(f"{counted(rows[0].texts, 'text')} of {dataset}, seed {seed}")
        click.echo(table(rows))
