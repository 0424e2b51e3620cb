"""The reference pages: that of the commands, as click knows them, beside those of keys, records and lists.

    python -m evaluator.cli.reference

writes them into the documentation, where they can be read in the repository too.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from evaluator.cli import group
from evaluator.records.scratch import write_atomic
from site_src.generator.pages import reference
from site_src.generator.pages.docs import SOURCE
from site_src.generator.pages.reference import code, escaped, joined, prose, table

COMMANDS_PAGE = "reference/commands.md"


def pages() -> dict[str, str]:
    """The Markdown of each page, by file name."""
    return {COMMANDS_PAGE: commands_page()} | {name: page() for name, page in reference.PAGES.items()}


def write_pages(folder: Path = SOURCE) -> None:
    """Write each page at its place in a folder of documentation."""
    for name, text in pages().items():
        write_atomic(folder / name, f"{text}\n".encode())


def commands_page() -> str:
    """Every command with its help, its options and its examples."""
    return joined(
        "# Commands",
        "What `steelyard COMMAND --help` says, of every command. A command exits 0 when all went well, 1 when"
        " it found a problem and 2 when it was called wrongly.",
        *(_command(name, command) for name, command in commands()),
    )


def commands(name: str = "steelyard", command: click.Command = group) -> Iterator[tuple[str, click.Command]]:
    """Every command by the words it is called with, groups before what is in them."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for word in command.list_commands(context):
            inner = command.get_command(context, word)
            assert inner is not None, word
            yield from commands(f"{name} {word}", inner)


def _command(name: str, command: click.Command) -> str:
    about, examples = help_of(command)
    usage = " ".join([name, *command.collect_usage_pieces(click.Context(command, info_name=name))])
    rows = [[code(written), escaped(" ".join(meaning.split()))] for written, meaning in options(command)]
    return joined(
        f"## {name}",
        prose(about),
        f"```text\n{usage}\n```",
        table(("option", "meaning"), rows),
        "\n".join(["```console", *(f"$ {line}" for line in examples), "```"]) if examples else "",
    )


def help_of(command: click.Command) -> tuple[str, list[str]]:
    """What a command's help says, and the lines of its examples."""
    about, _, examples = inspect.cleandoc(command.help or "").partition("\b\n")
    lines = examples.splitlines()[1:]
    return about.strip(), [line.strip() for line in lines if line.strip()]


def options(command: click.Command) -> list[tuple[str, str]]:
    """Each option as it is written and what its help says."""
    context = click.Context(command)
    given = (one.get_help_record(context) for one in command.params if isinstance(one, click.Option))
    return [record for record in given if record is not None]


if __name__ == "__main__":
    write_pages()
