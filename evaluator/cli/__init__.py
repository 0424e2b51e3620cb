"""The command line: thin commands that parse, call and print.

Commands are imported when they are run, so that ``--help`` answers at once.
"""

from __future__ import annotations

import importlib
import keyword
import sys
from collections.abc import Sequence

import click

from evaluator import __version__

# Each command's module in this package, and its line in ``steelyard --help``.
COMMANDS = {
    "build": "Build the static site.",
    "check": "Run a model over difficult inputs, or check stored results.",
    "diff": "Say who moved between two snapshots, and why.",
    "difficulty": "Compute or import how difficult a dataset's examples are.",
    "doctor": "Say what is installed, what is missing and how to get it.",
    "evaluate": "Measure the board's models on its datasets.",
    "export": "Write a board for other tools: CSV, Hugging Face metadata.",
    "import-lm-eval": "Take numbers of lm-evaluation-harness as reported ones.",
    "import-predictions": "Score predictions made elsewhere.",
    "init": "Make a leaderboard's repository.",
    "migrate": "Bring result files up to the newest schema version.",
    "perturb": "Make a suite of perturbations, and look at it.",
    "publish": "Push the built site to a branch.",
    "rank": "Rank a board, or any CSV table, in the terminal.",
    "rescore": "Compute new metrics from stored predictions.",
    "round": "Check a round: class balance, people, and models at chance.",
    "serve": "Preview the built site on this machine.",
    "snapshot": "Freeze boards as they are, to be cited.",
    "textflint": "Install TextFlint as a second backend, and compare with it.",
    "try": "Talk to a model.",
    "verify": "Check every byte and every rank of snapshots.",
}


class LazyGroup(click.Group):
    """A group whose commands are imported only when they are asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = name.replace("-", "_") + ("_" if keyword.iskeyword(name) else "")
        command = importlib.import_module(f"evaluator.cli.{module}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(__version__, prog_name="steelyard")
def group(debug: bool) -> None:
    """A static-site leaderboard for NLP models that anyone can re-weigh.

    \b
    Example:
      steelyard evaluate && steelyard build && steelyard serve
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; exit 0, 1 (ran, found a problem) or 2 (called wrongly)."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = group.main(arguments, prog_name="steelyard", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("steelyard: stopped", err=True)
        sys.exit(1)
    except Exception as error:
        if "--debug" in arguments:
            raise
        click.echo(f"steelyard: {_readable(error)}", err=True)
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


def _readable(error: Exception) -> str:
    """The message of an error that was foreseen; for any other, its type and the way to see more."""
    ours = type(error).__module__.startswith(("evaluator.", "site_src."))
    if (ours or isinstance(error, ValueError | OSError)) and str(error):
        return str(error)
    return f"internal error: {type(error).__name__}: {error}; run again with: steelyard --debug ..."
