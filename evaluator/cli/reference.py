"""The reference pages: that of the commands, as click knows them, beside those of keys, records and lists.

    python -m evaluator.cli.reference

writes them into the documentation, where they can be read in the repository too.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence

import click

from evaluator.cli import group
from evaluator.records.scratch import write_atomic
from site_src.generator.pages import reference
from site_src.generator.pages.docs import SOURCE
from site_src.generator.pages.reference import code, escaped, joined, prose, table

COMMANDS_PAGE = "reference/commands.md"


#: Variables that change what Steelyard does, and those that it sets for others.
VARIABLES = (
    (
        "SOURCE_DATE_EPOCH",
        "the moment, in seconds since 1970, that results, snapshots and releases say they were made at",
    ),
    ("NO_COLOR", "no colours, if it is set to anything"),
    ("TERM", "`dumb` means no colours too"),
    (
        "XDG_CACHE_HOME",
        "where Pyodide and other fetched files are kept, in its folder `steelyard`; `~/.cache` without it."
        " Models of the Hugging Face hub are in its folder `huggingface`",
    ),
    (
        "HF_HUB_CACHE HUGGINGFACE_HUB_CACHE HF_HOME",
        "where models of the hub are kept, as for the programs of Hugging Face; the first that is set counts",
    ),
    (
        "HF_HUB_OFFLINE",
        "`1`: fetch nothing from the hub; what is not in its cache is reported with the command that fetches"
        " it",
    ),
    ("WNSEARCHDIR", "the folder with WordNet's `data.noun`, for the metric METEOR"),
    (
        "PYTHONPATH LD_LIBRARY_PATH",
        "where else packages and libraries are; models may read these folders",
    ),
)
MODELS_VARIABLES = (
    (
        "OMP_NUM_THREADS MKL_NUM_THREADS OPENBLAS_NUM_THREADS NUMEXPR_NUM_THREADS",
        "the number of threads that `[measure]` gives; while a recipe trains a model, `OMP_NUM_THREADS` is"
        " its own",
    ),
    ("TOKENIZERS_PARALLELISM", "`false`"),
    ("HF_HUB_OFFLINE TRANSFORMERS_OFFLINE", "`1`: models have no network"),
    ("HF_HUB_CACHE", "the cache from which the model was found"),
    ("PYTHONHASHSEED", "`0`, so that sets and dictionaries have the same order in every run"),
    (
        "PYTHONDONTWRITEBYTECODE",
        "`1`: bytecode beside a handler would change the hash of the model's folder",
    ),
    ("HOME TMPDIR TEMP TMP PWD", "an empty folder that is gone when the model stops"),
    ("STEELYARD_WORKER", "a random mark by which all processes of a model are found"),
)


def pages() -> dict[str, str]:
    """The Markdown of each page, by file name."""
    return {COMMANDS_PAGE: commands_page()} | {name: page() for name, page in reference.PAGES.items()}


def write_pages() -> None:
    """Write each page at its place in the documentation."""
    for name, text in pages().items():
        write_atomic(SOURCE / name, f"{text}\n".encode())


def commands_page() -> str:
    """Every command with its help, its options and its examples; then the environment."""
    return joined(
        "# Commands",
        "What `steelyard COMMAND --help` says, of every command. A command exits 0 when all went well, 1 when"
        " it found a problem and 2 when it was called wrongly. `--json` is an option of every command that"
        " reports something; `--quiet` and `--verbose` may stand before or after the command.",
        'After `eval "$(_STEELYARD_COMPLETE=bash_source steelyard)"` in `~/.bashrc`, Tab completes'
        " commands, options and the ids of the board file (`zsh_source` and `fish_source` in other shells).",
        *(_command(name, command) for name, command in commands()),
        "## Environment variables",
        "No variable has to be set. These change what Steelyard does:",
        _variables("what it does", VARIABLES),
        "A model sees the variables of the shell that started `steelyard`, except for those whose names look"
        " like secrets (ending in `TOKEN`, or with `SECRET`, `PASSWORD`, `PASSWD`, `CREDENTIAL` or `API_KEY`"
        " in them) and those that lead to folders at home. These are set for it:",
        _variables("value", MODELS_VARIABLES),
        _variables(
            "value, for git", [("LC_ALL", "`C`, so that git's messages are those that Steelyard knows")]
        ),
    )


def _variables(meaning: str, known: Sequence[tuple[str, str]]) -> str:
    return table(
        ("variable", meaning), [[", ".join(map(code, names.split())), text] for names, text in known]
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
    lines = re.sub(r" \\\n\s*", " ", examples).splitlines()[1:]
    return about.strip(), [line.strip() for line in lines if line.strip()]


def options(command: click.Command) -> list[tuple[str, str]]:
    """Each option as it is written and what its help says."""
    context = click.Context(command)
    given = (one.get_help_record(context) for one in command.params if isinstance(one, click.Option))
    return [record for record in given if record is not None]


if __name__ == "__main__":
    write_pages()
