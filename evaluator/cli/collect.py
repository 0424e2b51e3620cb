"""``steelyard collect``: people write what fools models; then it is checked, merged and frozen as a round."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaluator.cli.options import (
    Assignment,
    ExistingPath,
    Project,
    check_known,
    completes,
    given_once,
    project_options,
)
from evaluator.cli.printing import TerminalProgress, detail, note, print_json, report, summarise
from evaluator.rank.formats import counted
from evaluator.records.errors import printable

if TYPE_CHECKING:
    from evaluator.rounds.collection import Collection
    from evaluator.rounds.merging import Merged, Rate
    from evaluator.rounds.server import Routes

collection_argument = click.argument("name", metavar="COLLECTION", shell_complete=completes("collect"))
port_option = click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port of the page.  [default: a free one]"
)


@click.group("collect")
def command() -> None:
    """Let people write what fools models, with a page on this machine; then make a round of it.

    What they write is in collect/COLLECTION/tries beside the board file, one file for each writer.

    \b
    Example:
      steelyard collect open film-notes
      steelyard collect check film-notes && steelyard collect validate film-notes
      steelyard collect merge film-notes && steelyard collect freeze film-notes --round 1
    """


@command.command("open")
@collection_argument
@port_option
@project_options("data", "board", "work")
def open_(project: Project, name: str, port: int) -> None:
    """Open the page on which people write for COLLECTION, and its models answer.

    \b
    Example:
      steelyard collect open film-notes --port 8000
    """
    from evaluator.rounds.desks import Desk
    from evaluator.rounds.loop import Loop

    collection = named_collection(name, project)
    with Loop(collection, project.work) as loop:
        serve_page("collect", port, Desk(collection, loop).routes())


@command.command("validate")
@collection_argument
@click.option(
    "--show",
    "shown",
    multiple=True,
    metavar="COLUMN",
    help="Of a dataset: the columns of its file that people see of each answer, such as question and answer;"
    " may be repeated.  [default: as before]",
)
@click.option(
    "--number",
    type=click.IntRange(min=1),
    help="Of a dataset: how many examples are labelled, drawn at random.  [default: as before, else 300]",
)
@click.option("--metric", help="Of a dataset: the metric that a judge gives.  [default: its only one]")
@port_option
@project_options("data", "board")
def validate(
    project: Project, name: str, port: int, shown: tuple[str, ...], number: int | None, metric: str | None
) -> None:
    """Open a page on this machine on which people validate the tries of COLLECTION.

    Each sees the texts alone, in an order of their own, and answers, marks or flags them. Their responses
    are in collect/COLLECTION/responses beside the board file, one file each.

    COLLECTION may also be a dataset of answers that a judge rated, imported a row each. Then people say how
    good these answers are, without knowing whose they are or what the judge said.

    \b
    Examples:
      steelyard collect validate film-notes
      steelyard collect validate chats --show question --show answer
    """
    from evaluator.rounds.desks import Bench, LabelBench

    if is_rated_dataset(name, project):
        from evaluator.rounds.rating import open_rating

        rating = open_rating(project.boards, name, project.root, project.data, shown, number, metric)
        serve_page("validate", port, LabelBench(rating).routes())
        return
    for option, given in (("--show", shown), ("--number", number), ("--metric", metric)):
        if given:
            raise click.UsageError(f"{option}: {name} is no dataset whose answers were imported a row each")
    serve_page("validate", port, Bench(named_collection(name, project)).routes())


@command.command("receive")
@click.argument("file", type=ExistingPath(dir_okay=False))
@project_options("data", "board", "json")
def receive(project: Project, file: Path) -> None:
    """Add the tries of FILE to their writer's file: the text of an issue, or what a visitor exported.

    Which collection and writer it is the lines say. What the site's page could not have written is refused,
    what is there already stays as it is, and no model is asked: that is for steelyard collect check.

    \b
    Example:
      steelyard collect receive blue-fox.jsonl && steelyard collect check film-notes
    """
    from evaluator.rounds.receiving import receive as receive_file

    received = receive_file(file, project.scoring_boards, project.root, project.data)
    name = received.path.relative_to(project.root).as_posix()
    of = {"collection": received.collection, "writer": received.writer}
    document = {**of, "file": name, "added": received.added, "known": received.known}
    line = f"{counted_tries(received.added)} added to {name}, {received.known} there already"
    report(project.as_json, document, [line])


@command.command("check")
@collection_argument
@project_options("data", "board", "work", "json")
def check(project: Project, name: str) -> None:
    """Ask the models again about every try of COLLECTION, and look for what cannot be kept.

    Nothing that the files say of the models is believed. Texts that are repeated, or nearly in a dataset of
    the board file, and those with an e-mail address or a telephone number are named. What is found is
    written to collect/COLLECTION/checked.json. Exits 1 where a line of a file is wrong.

    \b
    Example:
      steelyard collect check film-notes
    """
    from evaluator.rounds.checking import FILE, check_tries
    from evaluator.rounds.loop import Loop

    collection = named_collection(name, project)
    progress = TerminalProgress()
    with Loop(collection, project.work) as loop:
        progress.phase("tries asked again", len(collection.judged_tries()))
        checked = check_tries(collection, loop, progress.advance)
    progress.close()
    path = collection.keep(FILE, checked)
    if project.as_json:
        print_json(checked.plain())
        return
    for one in checked.tries:
        for problem in one.problems:
            note(printable(f"{one.id} {problem}; it will be left out"))
        for answer in one.answers:
            if answer.failure:
                note(printable(f"{one.id}: {answer.model} fails on it: {answer.failure}"))
    fooled = sum(bool(one.fooled) for one in checked.tries)
    summarise(f"{counted_tries(len(checked.tries))}, {fooled} of which really fool a model: {path}")


@command.command("merge")
@collection_argument
@project_options("data", "board", "json")
def merge(project: Project, name: str) -> None:
    """Put the validators' responses of COLLECTION together: votes, majorities, agreement, error rates.

    Written to collect/COLLECTION/merged.json. The tries must have been checked. Of a dataset of answers,
    the labels are written to collect/DATASET/labels.csv, to be imported.

    \b
    Examples:
      steelyard collect merge film-notes
      steelyard collect merge chats
    """
    if is_rated_dataset(name, project):
        merge_labels(name, project)
        return
    from evaluator.rounds.merging import FILE
    from evaluator.rounds.merging import merge as merge_all

    collection = named_collection(name, project)
    merged = merge_all(collection)
    path = collection.keep(FILE, merged)
    report(project.as_json, merged.plain(), _merged_lines(merged))
    detail(f"written: {path}")


def merge_labels(name: str, project: Project) -> None:
    """Write the labels of a dataset's answers, and say how they are imported."""
    from evaluator.rounds.rating import open_rating
    from evaluator.score.metrics.annotators import krippendorff_alpha

    rating = open_rating(project.boards, name, project.root, project.data)
    path, labels = rating.keep_labels()
    alpha = krippendorff_alpha([[f"{label:g}" for label in each] for each in labels])
    asked = len(rating.order)
    again = f"steelyard import {path} --dataset {name} --metric human={rating.plan.metric}"
    again += " --column trial=trial" if any(len(each) > 1 for each in labels) else ""
    report(
        project.as_json,
        {"labelled": len(labels), "asked": asked, "file": str(path), "import": again},
        [
            f"{counted(len(labels), 'answer')} of {asked} labelled: {path}",
            *([f"  Krippendorff's alpha: {alpha.value:.3f}"] if alpha else []),
            f"next: {again}",
        ],
    )


def _merged_lines(merged: Merged) -> Iterator[str]:
    validated = sum(one.validated for one in merged.tries)
    writers = counted(merged.writers, "writer")
    yield f"{counted_tries(len(merged.tries))} of {writers}, {validated} validated"
    for name, rate in merged.error_rate.items():
        validated_rate = _rate(merged.validated_error_rate[name])
        yield f"  {name}: fooled by {_rate(rate)}; validated (vMER) {validated_rate}"
    if alpha := merged.krippendorff_alpha:
        low, high = alpha.interval
        yield f"  Krippendorff's alpha: {alpha.value:.3f} ({low:.3f} to {high:.3f})"
    else:
        yield "  Krippendorff's alpha: undefined: too few responses differ"
    for one in merged.validators:
        gold = f", gold questions {_rate(one.gold)}" if one.gold else ""
        marks = f", {one.unsure} unsure, {one.flags} flagged"
        yield f"  {one.validator}: {one.responses} responses{gold}{marks}"


def _rate(rate: Rate) -> str:
    return f"{rate.count} of {rate.of} ({rate.share:.1%})"


@command.command("freeze")
@collection_argument
@click.option("--round", "number", type=click.IntRange(min=1), required=True, help="The number of the round.")
@click.option(
    "--share",
    "shares",
    type=Assignment(),
    multiple=True,
    callback=given_once,
    metavar="PART=NUMBER",
    help="How much of it goes to train, dev or test; may be repeated.  [default: train=0.4 dev=0.2 test=0.4]",
)
@project_options("data", "board", "json")
def freeze(project: Project, name: str, number: int, shares: tuple[tuple[str, float], ...]) -> None:
    """Make a round of the validated tries of COLLECTION: data, datasheet, a place on the board.

    No writer, prompt or near-duplicate is in two parts; dev and test have each label equally often. The board
    file gets the dataset COLLECTION-rN, and COLLECTION-rN-train to train the next models on.

    \b
    Example:
      steelyard collect freeze film-notes --round 1 --share train=0 --share dev=0
    """
    from evaluator.rounds.freezing import freeze as freeze_round

    folder, record, datasets = freeze_round(
        named_collection(name, project), number, _shares(shares), project.board_file
    )
    report(
        project.as_json,
        {"folder": str(folder), "datasets": datasets, "round": record.plain()},
        [
            *(
                f"{part}: {', '.join(f'{n} {label}' for label, n in counts.items())}"
                for part, counts in record.parts.items()
            ),
            *(f"left out: {count} ({reason})" for reason, count in record.left_out.items()),
            f"{folder}; {project.board_file} has {' and '.join(datasets)}",
        ],
    )


def _shares(given: tuple[tuple[str, float], ...]) -> dict[str, float]:
    """The default shares with those given in their place."""
    shares = {"train": 0.4, "dev": 0.2, "test": 0.4}
    for part, share in given:
        check_known("--share", part, shares, "there is no such part")
        if not 0 <= share < math.inf:
            raise click.UsageError(f"--share {part}={share}: give 0 or more")
        shares[part] = share
    if not shares["test"]:
        raise click.UsageError("--share test=0: a round needs a part that models are measured on")
    return shares


def counted_tries(count: int) -> str:
    """As in "3 tries", "1 try"."""
    return f"{count} {'try' if count == 1 else 'tries'}"


def is_rated_dataset(name: str, project: Project) -> bool:
    """Whether a name is that of a dataset of answers that people may label, and of no collection."""
    from evaluator.rounds.rating import is_rated

    known = {spec.id for spec in project.boards.collect}
    return name not in known and is_rated(project.boards, name)


def named_collection(name: str, project: Project) -> Collection:
    """The collection of that name. Raises `UserError` that suggests one."""
    from evaluator.rounds.collection import open_collection

    return open_collection(project.scoring_boards, name, project.root, project.data)


def serve_page(page: str, port: int, routes: Routes) -> None:
    """Serve a local page, print its address, and go on until interrupted.

    Raises `click.UsageError` if the port is taken.
    """
    import site_src
    from evaluator.rounds.server import PageServer, page_files
    from site_src.generator.texts import script_texts

    files = page_files(Path(site_src.__path__[0]), page)
    try:
        opened = PageServer(port, files, {**routes, "/api/texts": lambda: script_texts(f"local-{page}")})
    except OSError as error:
        raise click.UsageError(f"--port {port}: {error.strerror}; --port 0 takes a free one") from None
    with opened as server, suppress(KeyboardInterrupt):
        click.echo(f"Open {server.address} (stop with Ctrl-C)")
        server.serve_forever()
