"""``steelyard completion``: what a shell completes when Tab is pressed, and where shells look for it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import click

from evaluator.cli.options import OneOf
from evaluator.cli.printing import summarise

SHELLS = ("bash", "zsh", "fish")
#: zsh completes nothing before its own set-up has run, which some start it without.
ZSH_SETUP = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }"
MARK = "# Completion of steelyard's commands"


@dataclass(frozen=True)
class ShellFiles:
    """The file for a shell's script; and the shell's own file, with the lines that read the script.

    fish reads every script in its folder by itself.
    """

    script: Path
    startup: Path | None = None
    lines: str = ""


@click.command("completion")
@click.argument("shell", type=OneOf(SHELLS), required=False)
@click.option("--install", is_flag=True, help="Set it up for new terminals, instead of printing the script.")
def command(shell: str | None, install: bool) -> None:
    """Print the script that completes commands, options and ids in SHELL (default: the one you use).

    --install writes the script beside your other files and has the shell read it, by a line in ~/.bashrc or
    ~/.zshrc; fish needs none. Run again, it changes nothing but the script.

    \b
    Examples:
      steelyard completion --install
      steelyard completion zsh > _steelyard
    """
    shell = shell or _own_shell()
    script = _script(shell)
    if not install:
        click.echo(script)
        return
    place = _place(shell)
    place.script.parent.mkdir(parents=True, exist_ok=True)
    place.script.write_text(script, encoding="utf-8")
    summarise(f"{place.script}: written")
    if place.startup is not None and _added(place.startup, place.lines):
        summarise(f"{place.startup}: reads it from now on")
    summarise(f"open a new {shell}, or run: source {place.script}")


def _own_shell() -> str:
    """The shell of this user. Raises `click.UsageError` if it is none of `SHELLS`."""
    name = Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise click.UsageError(f"SHELL: {name or 'nothing'!r} is not known here; say {', '.join(SHELLS)}")
    return name


def _script(shell: str) -> str:
    """click's own script, which asks this program what fits."""
    from click.shell_completion import get_completion_class

    from evaluator.cli import group

    found = get_completion_class(shell)
    assert found is not None
    return found(group, {}, "steelyard", "_STEELYARD_COMPLETE").source().strip() + "\n"


def _place(shell: str) -> ShellFiles:
    home = Path.home()
    if shell == "fish":
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        return ShellFiles(folder / "fish" / "completions" / "steelyard.fish")
    folder = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    script = folder / "steelyard" / f"completion.{shell}"
    read = f'[ ! -r "{script}" ] || . "{script}"'
    if shell == "bash":
        return ShellFiles(script, home / ".bashrc", f"{MARK}\n{read}\n")
    startup = Path(os.environ.get("ZDOTDIR") or home) / ".zshrc"
    return ShellFiles(script, startup, f"{MARK}\n{ZSH_SETUP}\n{read}\n")


def _added(startup: Path, lines: str) -> bool:
    """Add the lines to a shell's own file unless they are there; say whether they were added."""
    before = startup.read_text(encoding="utf-8", errors="surrogateescape") if startup.exists() else ""
    if lines in before:
        return False
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    with startup.open("a", encoding="utf-8") as file:
        file.write(gap + lines)
    return True
