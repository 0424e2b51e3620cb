"""``steelyard rank``: a board with its stored results, or any table of numbers, ranked in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.difficulty import SCORES, rank_by_difficulty
from evaluator.cli.options import (
    Assignment,
    OneOf,
    Project,
    Setting,
    TradeOff,
    board_of,
    check_known,
    completes,
    declared_trades,
    named_option,
    project_options,
    refuse_options_of_others,
)
from evaluator.cli.printing import (
    GOOD,
    decimal,
    grouped,
    is_quiet,
    note,
    print_json,
    print_table,
    summarise,
    timing_lines,
)
from evaluator.records.errors import printable

if TYPE_CHECKING:
    from evaluator.rank.dynascore import Board, Columns, Question
    from evaluator.rank.rank_sets import Certainty
    from evaluator.records.board import BoardEntry
    from evaluator.score.certainty import BoardRankSets
    from evaluator.score.rates_off import RatesOff

#: What stands for standard input.
STDIN = "-"
#: Beside a number whose timing is suspect, a model with a stale result, and a rank set that takes a number as
#: exact.
SUSPECT, STALE, GIVEN = "?", "*", "^"
#: How many models a note names; --json has all.
NAMED = 20
#: Of more models than this, what would end a lead takes longer to find than somebody waits.
WEIGHED = 150


@dataclass(frozen=True)
class Table:
    """What to rank, its default weights, and how many decimals to show.

    `entries` say of a board's models which numbers are kept apart or in doubt, and `certainty` how sure
    their ranks are; a table has neither. `guessed` are columns of a table that are costs by their names.
    `has_parts` says that a board weighs parts of datasets; `judges` are sentences about its judges.
    """

    board: Board
    weights: dict[str, float]
    dataset_weights: dict[str, float]
    decimals: dict[str, int]
    entries: Mapping[str, BoardEntry] = field(default_factory=dict)
    certainty: Certainty | None = None
    guessed: Sequence[str] = ()
    has_parts: bool = False
    judges: Sequence[str] = ()

    @property
    def guesses(self) -> list[str]:
        """A sentence about the columns that are costs by their names, if any are."""
        said = (
            f"lower is taken as better, by the name: {', '.join(self.guessed)}; --higher-is-better overrules"
        )
        return [said] if self.guessed else []


def stored_table(project: Project, board_id: str, terms: Mapping[str, Any]) -> Table:
    """A board of the board file with its stored results; `terms` take the place of its own.

    Raises `click.UsageError` for names it lacks.
    """
    from evaluator.rank.dynascore import Board
    from evaluator.rank.rank_sets import Certainty
    from evaluator.score.certainty import assemble_board, board_results, sampled
    from evaluator.score.inputs import GivenInputs, outdated_results
    from evaluator.score.judge_sentences import judge_lines, judged_metrics

    spec = board_of(project.boards, board_id, "TABLE", "no file is of that name, and no board of that id")
    names = [metric.name for metric in spec.metrics]
    check_known("--base", terms.get("base", spec.base), names, f"{board_id} has no such metric")
    store = project.store
    results = board_results(spec, project.boards, store)
    outdated = outdated_results(results, GivenInputs(project.boards, project.root, project.data))
    assembled = assemble_board(spec, project.boards, store, results, outdated)
    if not assembled.entries:
        raise ValueError(f"board {board_id} has no results in {store.root}; run: steelyard evaluate")
    board = Board.from_dict({**assembled.data, **terms})
    labels = {name: project.boards.dataset(name).label for name in spec.datasets}
    return Table(
        board,
        assembled.metric_weights,
        assembled.dataset_weights,
        {metric.name: metric.decimals for metric in spec.metrics},
        assembled.entries,
        Certainty.from_dict(board, sampled(assembled, store)),
        has_parts=bool(assembled.parts),
        judges=tuple(judge_lines(judged_metrics(assembled), labels)),
    )


def numbers_table(
    source: str, costs: Sequence[str], goods: Sequence[str], caps: Mapping[str, float], terms: dict[str, Any]
) -> Table:
    """A table of numbers, from a file or ``-``. Raises `click.UsageError` for columns it lacks.

    Columns that are neither `costs`, `goods` nor have `caps` are costs where their names say so.
    """
    from evaluator.data.numbers import is_cost_by_name, read_numbers
    from evaluator.rank.dynascore import Board, RankedMetric

    for option, given in (("--lower-is-better", costs), ("--cap", caps)):
        for name in given:
            if name in goods:
                raise click.UsageError(f"--higher-is-better {name}: {option} says the opposite; give one")
    where, models, columns = read_numbers(source)
    names = list(columns)
    terms = {"base": names[0], **terms}
    for option, given in (
        ("--lower-is-better", costs),
        ("--higher-is-better", goods),
        ("--cap", caps),
        ("--base", [terms["base"]]),
    ):
        for name in given:
            check_known(option, name, names, f"{where} has no such column")
    guessed = [name for name in names if name not in {*costs, *goods, *caps} and is_cost_by_name(name)]
    metrics = [
        RankedMetric(name, -1, caps.get(name)) if name in {*costs, *caps, *guessed} else RankedMetric(name)
        for name in names
    ]
    board = Board(models, metrics, {"": columns}, **terms)
    return Table(board, board.default_weights(), {"": 1.0}, dict.fromkeys(names, 2), guessed=guessed)


#: Files that hold tables of numbers.
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
#: Options that are for some rankings alone.
OF_SCORES = {"base", "weights", "dataset_weights", "costs", "goods", "caps", "epsilon", "epsilon_absolute"}
OF_SCORES |= {"rate", "missing", "data", "trades"}
BY_SCORES = "dynascore, mean, z-score and trades"
BY = {BY_SCORES: OF_SCORES, "a difficulty": {"settings"}}
FILES, BOARDS = "files (a board's are in board.toml)", "boards (a file does not say how its numbers vary)"
#: What plays no part by trade-offs.
OF_WEIGHTS = {"weights", "rate", "caps", "epsilon", "epsilon_absolute"}
OF = {FILES: {"costs", "goods", "caps"}, BOARDS: {"confidence", "data"}}


@click.command("rank")
@click.argument("table", required=False, shell_complete=completes("boards"))
@click.option("--base", help="The base metric; for a file the first column of numbers unless given.")
@named_option("--weight", "weights", Assignment(), "A metric's weight; others weigh 0.")
@named_option("--dataset-weight", "dataset_weights", Assignment(), "A dataset's weight.")
@click.option("--lower-is-better", "costs", multiple=True, metavar="METRIC", help="A cost; see --cap.")
@click.option(
    "--higher-is-better",
    "goods",
    multiple=True,
    metavar="METRIC",
    help="No cost, though a file's column is named like one, such as latency_ms, cost or error_rate.",
)
@named_option("--cap", "caps", Assignment(), "A cost enters as cap - value, else as max - value.")
@named_option(
    "--trade",
    "trades",
    TradeOff(),
    "Rank by trade-offs: how much of a metric one unit of the base metric is worth, such as"
    ' memory="100 MB" or throughput="10 %"; metrics without one do not count.',
)
@click.option("--epsilon", type=float, help="Relative threshold for near-equal pairs.  [default: 0.0001]")
@click.option("--epsilon-absolute", type=float, help="Absolute threshold, instead of --epsilon.")
@click.option(
    "--rate",
    type=OneOf(["mean", "ratio"]),
    help="Exchange rates: the mean of the pairs' slopes, or the ratio of the sums of differences.",
)
@click.option("--missing", type=OneOf(["unranked", "worst"]), help="What an empty cell does.")
@click.option(
    "--confidence",
    type=click.FloatRange(0.5, 1, max_open=True),
    help="Of a board's rank sets: each holds the model's rank with this probability.  [default: 0.95]",
)
@click.option(
    "--by",
    metavar="NAME",
    help="dynascore, mean (the plain weighted mean, of metrics in one unit), z-score (the weighted mean of"
    " z-scores), trades (the board's trade-offs, or those of --trade), or the name of a difficulty, such as"
    " wsbias-1, wood or wmprob, which --set is about."
    "  [default: the board's own, else dynascore]",
)
@named_option(
    "--set",
    "settings",
    Setting(),
    "How to rank by a difficulty: dataset, where the board has several; kind, splits, thresholds, case"
    " (or reward and penalty), scale, weights, ties, zeros, clip, factor, percents of wood.",
)
@project_options("data", "board", "results", "json")
def command(
    project: Project,
    table: str | None,
    base: str | None,
    weights: tuple[tuple[str, float], ...],
    dataset_weights: tuple[tuple[str, float], ...],
    costs: tuple[str, ...],
    goods: tuple[str, ...],
    caps: tuple[tuple[str, float], ...],
    trades: tuple[tuple[str, str], ...],
    epsilon: float | None,
    epsilon_absolute: float | None,
    rate: str | None,
    missing: str | None,
    confidence: float | None,
    by: str | None,
    settings: tuple[tuple[str, Any], ...],
) -> None:
    """Rank TABLE: the id of a board, or a file with a first column "model" and metrics beside it.

    Without TABLE, the only board of the board file.

    The file has commas, tabs or semicolons between its cells (with semicolons, numbers may have decimal
    commas), and may be in UTF-16 or a .gz; "-" is standard input. An empty cell is a missing number.

    Of a file, columns with names such as latency_ms, cost_usd, memory, error or perplexity are better when
    lower, which a note says.

    Without --weight, half of the weight is on the base metric and the rest is shared equally (for a
    board: the board's own weights). On a board, a number of an invalid timing counts as missing, and one
    of a suspect timing has a "?" behind it. A model has a "*" where the board file, its folders or its data
    (--data) changed since one of its results was made. Notes say why.

    With --trade, a score is the base metric plus what the others are worth in its units. Then no weight of a
    metric plays a part, and no score depends on which other models there are.

    Beside each rank of a board is its rank set: the ranks that the model may hold under other examples from
    the same source. It is unknown for numbers that were published without examples, as all of a file are.
    Where exchange rates that are off by up to a factor of 2 make sets wider, a column has these too; a note
    says by which factor rates may be off before the leader is first no more.
    With six datasets or more, the ranks that the model may get elsewhere, on another dataset of this kind,
    are beside it.

    \b
    Examples:
      steelyard rank sst-2 --weight accuracy=4 --weight memory=1
      steelyard rank table.csv --base perf --weight perf=4 --weight memory=1 --cap memory=32
      cut -f 1-4 results.tsv | steelyard rank - --lower-is-better edits
      steelyard rank sst-2 --trade throughput="10 %" --trade memory="100 MB"
      steelyard rank anli --by wmprob --set dataset=anli-r1 --set splits=5
    """
    table = table or _only_board(project)
    kind = BY_SCORES if by is None or by in SCORES else "a difficulty"
    refuse_options_of_others(BY, [kind], f"--by is {by or 'a score'}")
    if by is not None and by not in SCORES:
        if _is_file(table):
            raise click.UsageError(f"--by {by}: a file has no difficulties; use {' or '.join(SCORES)}")
        rank_by_difficulty(project, table, by, dict(settings))
        return
    from evaluator.rank.dynascore import Question
    from evaluator.rank.significance import CONFIDENCE
    from evaluator.score.certainty import Doubts, board_rank_sets, ranking_document
    from evaluator.score.rates_off import rates_off

    if trades and by not in (None, "trades"):
        raise click.UsageError(f"--trade and --by {by}: trade-offs rank by themselves; leave one of them out")
    if epsilon is not None and epsilon_absolute is not None:
        raise click.UsageError("--epsilon and --epsilon-absolute: give one of them")
    given = {"base": base, "missing": missing, "epsilon": epsilon}
    if epsilon is not None:
        given["epsilon_kind"] = "relative"
    if epsilon_absolute is not None:
        given |= {"epsilon": epsilon_absolute, "epsilon_kind": "absolute"}
    terms = {name: value for name, value in given.items() if value is not None}
    if _is_file(table):
        refuse_options_of_others(OF, [FILES], f"{table} is a file")
        found = numbers_table(table, costs, goods, dict(caps), terms)
    else:
        refuse_options_of_others(OF, [BOARDS], f"{table} is a board")
        found = stored_table(project, table, terms)
    if trades or (by or found.board.by) == "trades":
        refuse_options_of_others({"other scores": OF_WEIGHTS}, [], "this ranks by trade-offs")
    for name, _ in weights:
        check_known("--weight", name, found.board.metrics, "the board has no such metric")
    for name, _ in dataset_weights:
        check_known("--dataset-weight", name, found.board.values, "the board has no such dataset")
    question = Question(
        dict(weights) or found.weights,
        dict(dataset_weights) or found.dataset_weights,
        by="trades" if trades else by and by.replace("-", "_"),
        rate=rate,
        trades=_declared(found.board, trades, by),
    )
    try:
        columns = found.board.columns(question)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    level = confidence or CONFIDENCE
    rank_sets = board_rank_sets(found.certainty, question, columns, level) if found.certainty else None
    off = rates_off(found.board, question, columns, found.certainty, level)
    if project.as_json:
        doubts = {model: Doubts.of(entry) for model, entry in found.entries.items()}
        document = ranking_document(found.board, found.board.ranking(question), rank_sets, doubts, off)
        print_json(document | {"notes": [*found.guesses, *document["notes"]]})
    else:
        summarise(printable(_verdict(found, question, rank_sets)))
        print_ranking(found, columns, rank_sets, question.metrics or {}, off)


def _declared(
    board: Board, trades: Sequence[tuple[str, str]], by: str | None
) -> Mapping[str, float | str] | None:
    """The trade-offs of the command line, None where it has none."""
    if by == "trades" and not trades and not board.trades:
        raise click.UsageError('--by trades: none are declared; give some, such as --trade memory="100 MB"')
    units = {name: metric.unit for name, metric in board.metrics.items()}
    return declared_trades(trades, units, board.base) if trades else None


def _only_board(project: Project) -> str:
    """The board that is meant where none is named. Raises `click.UsageError` where there are several."""
    ids = [board.id for board in project.boards.boards]
    if len(ids) > 1:
        raise click.UsageError(f"TABLE: missing; name a board: {', '.join(ids)}")
    return ids[0]


def _is_file(table: str) -> bool:
    path = Path(table)
    return table == STDIN or table.lower().endswith(SUFFIXES) or (path.exists() and not path.is_dir())


def _verdict(table: Table, question: Question, rank_sets: BoardRankSets | None) -> str:
    """Who leads and, of no more than `WEIGHED` models, what would end that and how often it leads."""
    from evaluator.rank.rank_sets import Certainty
    from evaluator.rank.score_sentences import Shown, differences
    from evaluator.rank.verdict_sentences import verdict_sentence
    from evaluator.rank.what_if import leader_found

    board = table.board
    metrics = [
        {"name": name, "label": board.metric_label(name), **differences(metric.unit or "")}
        for name, metric in board.metrics.items()
    ]
    found = None
    if len(board.models) <= WEIGHED:
        found = leader_found(table.certainty or Certainty.from_dict(board, {}), question)
    sets = [rank_sets.sets[model] for model in board.models] if rank_sets else None
    return verdict_sentence(Shown(board, question, {"metrics": metrics}), sets, found)


def print_ranking(
    table: Table,
    columns: Columns,
    rank_sets: BoardRankSets | None,
    weights: Mapping[str, float],
    off: RatesOff | None = None,
) -> None:
    """Print the models by rank; unless --quiet was given, exchange rates and notes too.

    A model whose rank set begins at 1 is green, as any of these may lead. Where a number of a metric is in
    doubt it has a mark, and every other leaves room for it.
    """
    from evaluator.rank.significance import set_words

    board = table.board
    doubted = {
        (model, name)
        for model, entry in table.entries.items()
        for one in entry.suspect
        for name in one.metrics
    }
    marked = {name for _, name in doubted}
    elsewhere = rank_sets.elsewhere if rank_sets else None
    header = ["rank", *([f"{100 * rank_sets.confidence:.4g} % set"] if rank_sets else [])]
    # Sets with exchange rates that are off, where these are others.
    wider = off.ranks if off and rank_sets and off.ranks != rank_sets.sets else None
    header += [f"factor {off.factor:.0f}"] if off and wider else []
    header += [elsewhere.label] if elsewhere else []
    left = len(header)
    header += ["model", {"mean": "mean", "trades": "score"}.get(columns.by, "Dynascore")]
    header += ["z-score"] if columns.z_scores is not None else []
    models = [board.models[index] for index in columns.order]
    leaders = _leaders(models, rank_sets) if rank_sets else []
    rows = [[*header, *(printable(board.metric_label(name)) for name in board.metrics)]]
    colours = [""]
    for index in columns.order:
        model, rank = board.models[index], _figure(columns.ranks[index], 0)
        cells = [rank]
        if rank_sets:
            given = GIVEN if model in rank_sets.given else " " if rank_sets.given else ""
            cells.append(set_words(rank_sets.sets[model]) + given)
        cells += [set_words(wider[model])] if wider else []
        cells += [set_words(elsewhere.sets[index])] if elsewhere else []
        stale = f" {STALE}" if model in table.entries and table.entries[model].outdated else ""
        cells += [printable(board.model_label(model)) + stale, _figure(columns.scores[index])]
        cells += [_figure(columns.z_scores[index])] if columns.z_scores is not None else []
        for name in board.metrics:
            figure = _figure(columns.scale.values[name][index], table.decimals[name])
            mark = SUSPECT if (model, name) in doubted and figure != "-" else " "
            cells.append(figure + mark if name in marked else figure)
        rows.append(cells)
        colours.append(GOOD if model in leaders or (rank == "1" and not rank_sets) else "")
    counting = weights if columns.scale.trades is None else dict.fromkeys(columns.scale.trades, 1.0)
    for line in (*table.guesses, *_gaps(table, counting), *columns.notices):
        note(printable(line))
    print_table(rows, {left}, dict.fromkeys(range(left), colours))
    if is_quiet():
        return
    rates = columns.scale.rates if columns.by in ("dynascore", "z_score") else {}
    if rates:
        base = printable(board.metric_label(board.base))
        click.echo(f"\nExchange rates: units that trade for 1 unit of {base}")
        lines = [[printable(board.metric_label(name)), decimal(rate.rate, 4)] for name, rate in rates.items()]
        print_table(lines, left={0})
    said = (*columns.notes, *_notes(table, columns.by, leaders, rank_sets), *_off(off, wider))
    for line in (*said, *_empty(table, columns)):
        note(printable(line))


def _empty(table: Table, columns: Columns) -> Iterator[str]:
    """Which metrics no model has, though answers are stored that may give them."""
    from evaluator.records.base import TIMING

    if not any(entry.provenance in ("measured", "predictions") for entry in table.entries.values()):
        return
    empty = [name for name, values in columns.scale.values.items() if all(value != value for value in values)]
    if labels := [table.board.metric_label(name) for name in empty if name not in TIMING]:
        yield f"no model has {', '.join(labels)}: steelyard evaluate computes what stored answers give"


def _gaps(table: Table, weights: Mapping[str, float]) -> Iterator[str]:
    """How many models have all datasets, where some have not, and how to rank by what more of them have."""
    from evaluator.rank.coverage import coverage

    if table.has_parts:
        return
    found = coverage(table.board, weights, table.dataset_weights)
    others = [view for view in found.views if not all(view.weights.values())]
    if found.line and others:
        best = others[0]
        options = " ".join(
            f"--dataset-weight {name}={weight:g}" for name, weight in best.weights.items() if weight
        )
        yield f"{found.line}; {best.label}, with {options}"
    elif found.line:
        yield found.line


def _off(off: RatesOff | None, wider: Mapping[str, Any] | None) -> Iterator[str]:
    """How far exchange rates may be off, and what the column of wider sets is."""
    if off and off.words:
        yield _within(off.words)
    if off and wider:
        yield f"factor {off.factor:.0f}: the set with every {off.rate} off by up to that factor"


def _figure(value: float, decimals: int = 2) -> str:
    """A number; "-" for NaN, which differs from itself."""
    return "-" if value != value else f"{value:.{decimals}f}"


def _leaders(models: Sequence[str], rank_sets: BoardRankSets) -> list[str]:
    """The models that may be the first."""
    sets = [(model, rank_sets.sets[model]) for model in models]
    return [model for model, found in sets if found is not None and found[0] == 1]


def _notes(table: Table, by: str, leaders: Sequence[str], rank_sets: BoardRankSets | None) -> Iterator[str]:
    """Why numbers are kept apart or in doubt, what the rank sets say, and of whom nothing is known."""
    from evaluator.rank.published import given_words, published_words
    from evaluator.rank.significance import number_words
    from evaluator.score.certainty import target_of
    from evaluator.score.inputs import outdated_lines

    entries = table.entries.values()
    yield from timing_lines(
        [(entry.id, entry.label, timing) for entry in entries for timing in entry.timings]
    )
    apart = [(entry.label, f"{one}; {one.remedy(entry.id)}") for entry in entries for one in entry.stale]
    yield from grouped(apart, "model")
    yield from (line.removesuffix(".") for line in table.judges)
    outdated = [one for entry in entries for one in entry.outdated]
    yield from (f"{STALE} {line}" for line in outdated_lines(outdated))
    if rank_sets is None:
        return
    label = table.board.model_label
    if rank_sets.too_few:
        yield rank_sets.too_few
    elif len(leaders) > 1:
        yield f"tie of {number_words(len(leaders))}, for {target_of(by)}: {', '.join(map(label, leaders))}"
    if rank_sets.smallest_gap is not None:
        unit = "" if by == "z_score" else " points"
        yield f"gaps under {rank_sets.smallest_gap:.2g}{unit} are often too small to tell who is better"
    if rank_sets.elsewhere:
        yield _within(rank_sets.elsewhere.words)
    known = sum(found is not None for found in rank_sets.sets.values())
    if words := published_words([label(model) for model in rank_sets.published], known):
        yield _within(words)
    exact = [(label(model), metrics.values()) for model, metrics in rank_sets.given.items()]
    if words := given_words(exact, known):
        yield f"{GIVEN} {_within(words)}"
    by_reason: dict[str, list[str]] = {}
    for model, reason in rank_sets.reasons.items():
        by_reason.setdefault(reason, []).append(label(model))
    for reason, models in by_reason.items():
        more = f" and {len(models) - NAMED} more" if len(models) > NAMED else ""
        yield f"rank set unknown, {reason}: {', '.join(models[:NAMED])}{more}"


def _within(sentence: str) -> str:
    """A sentence as the text of a note."""
    return sentence[0].lower() + sentence[1:].removesuffix(".")
