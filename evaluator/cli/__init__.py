"""The command line: thin commands that parse, call and print.

Commands are imported when they are run, so that ``--help`` answers at once.
"""

from __future__ import annotations

import importlib
import keyword
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from evaluator import __version__
from evaluator.cli.printing import BAD, VERBOSITY, detail, in_colour
from evaluator.data.suites import BACKENDS
from evaluator.data.suites.base import Transformation

#: Each command's module in this package, and its line in ``steelyard --help``.
COMMANDS = {
    "build": "Build the static site.",
    "check": "Check a repository, a change, a model or a round of data.",
    "collect": "Let people fool models, and make a round of it.",
    "difficulty": "Compute or import how difficult a dataset's examples are.",
    "doctor": "Say what is installed, what is missing and how to get it.",
    "evaluate": "Measure the board's models on its datasets.",
    "export": "Write a board for other tools: CSV, Hugging Face metadata.",
    "import": "Score predictions made elsewhere, and check what other evaluation tools wrote.",
    "init": "Make a repository for a leaderboard.",
    "perturb": "Make a suite of perturbations, and look at it.",
    "publish": "Push the built site to a branch.",
    "rank": "Rank a board, or any table of numbers, in the terminal.",
    "serve": "Preview the built site on this machine.",
    "snapshot": "Freeze boards to be cited; verify and compare snapshots.",
    "try": "Talk to a model.",
}


#: Modules that hold several commands, by the commands, which are functions of their names there.
MODULES = {"build": "site", "publish": "site", "serve": "site", "try": "models"}


def _set_verbosity(context: click.Context, parameter: click.Parameter, given: bool) -> None:
    """Keep --quiet and --verbose, wherever they stand."""
    if not given:
        return
    wanted = 1 if parameter.name == "verbose" else -1
    if context.meta.setdefault(VERBOSITY, wanted) != wanted:
        raise click.UsageError("--quiet and --verbose: give one of them")


#: Where the context keeps when the command began.
BEGAN = "evaluator.cli.began"
#: Options that may stand before or after the command.
EVERYWHERE = (
    click.Option(
        ["-q", "--quiet"], is_flag=True, expose_value=False, callback=_set_verbosity,
        help="Print only what was asked for, and what is wrong.",
    ),
    click.Option(
        ["-v", "--verbose"], is_flag=True, expose_value=False, callback=_set_verbosity,
        help="Print every message, paths and times.",
    ),
    click.Option(["--debug"], is_flag=True, expose_value=False, help="Show the traceback of an error."),
)  # fmt: skip


class LazyGroup(click.Group):
    """A group whose commands are imported only when they are asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = MODULES.get(name, name + ("_" if keyword.iskeyword(name) else ""))
        imported = importlib.import_module(f"evaluator.cli.{module}")
        command = getattr(imported, f"{name}_command" if name in MODULES else "command")
        assert isinstance(command, click.Command)
        _add_everywhere(command)
        return command

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(context, arguments)
        except click.NoSuchCommand as error:
            name = error.command_name
            raise click.NoSuchCommand(name, possibilities=COMMANDS, ctx=context) from None

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        found = [
            CompletionItem(name, help=COMMANDS[name]) for name in COMMANDS if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, context, incomplete)]

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


def _add_everywhere(command: click.Command) -> None:
    if EVERYWHERE[0] not in command.params:
        command.params.extend(EVERYWHERE)
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        _add_everywhere(inner)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, params=[*EVERYWHERE])
@click.version_option(__version__, "-V", "--version", prog_name="steelyard", message="%(prog)s %(version)s")
@click.pass_context
def group(context: click.Context) -> None:
    """A static-site leaderboard for NLP models that anyone can re-weigh.

    \b
    Example:
      steelyard evaluate && steelyard build && steelyard serve
    """
    context.meta[BEGAN] = time.perf_counter()
    BACKENDS["textflint"] = _textflint


def _textflint(work: Path) -> tuple[Transformation, ...]:
    """TextFlint's transformations; nothing below the command line knows its room."""
    from evaluator.textflint.backend import transformations

    return transformations(work)


@group.result_callback()
@click.pass_context
def _say_how_long(context: click.Context, code: object) -> object:
    detail(f"steelyard {context.invoked_subcommand}: {time.perf_counter() - context.meta[BEGAN]:.2f} s")
    return code


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; exit 0, 1 (ran, found a problem) or 2 (called wrongly)."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = group.main(arguments, prog_name="steelyard", standalone_mode=False, color=_colour())
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _complain("stopped")
        sys.exit(1)
    except Exception as error:
        if "--debug" in arguments:
            raise
        _complain(_readable(error))
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


def _colour() -> bool | None:
    """No colours where the reader wants none (https://no-color.org); None: as the output allows."""
    return False if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else None


def _complain(message: str) -> None:
    click.echo(f"{in_colour('steelyard:', BAD)} {message}", err=True, color=_colour())


def _readable(error: Exception) -> str:
    """The message of an error that was foreseen; for any other, its type and the way to see more.

    Errors of our own modules say what to do, as do those of values and of the system, which files and
    addresses cause.
    """
    ours = type(error).__module__.startswith(("evaluator.", "site_src."))
    if (ours or isinstance(error, ValueError | OSError)) and str(error):
        return str(error)
    return f"internal error: {type(error).__name__}: {error}; run again with: steelyard --debug ..."
