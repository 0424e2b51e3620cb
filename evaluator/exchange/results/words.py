"""What the names of columns say: who was measured on what, units, which way is better."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from evaluator.data.numbers import GOODS, is_cost_by_name

#: What files call the columns of each role, the likeliest first.
ROLES: dict[str, tuple[str, ...]] = {
    "model": (
        *("model", "model name", "model id", "models", "system", "system name", "llm", "agent", "agent name"),
        *("method", "submission", "checkpoint", "engine", "participant", "team", "entry", "name", "solver"),
    ),
    "dataset": (
        *("dataset", "dataset name", "dataset id", "benchmark", "benchmark name", "task", "task name"),
        *("domain", "test set", "testset", "corpus", "suite", "eval", "evaluation", "subset", "data"),
    ),
    "metric": ("metric", "metric name", "measure", "score type", "score name", "metric id", "indicator"),
    "value": ("value", "score", "result", "metric value", "number", "mean", "val"),
    "example": (
        *("example", "example id", "instance", "instance id", "sample", "sample id", "item", "item id"),
        *("question id", "task id", "doc id", "problem id", "case id", "test case", "prompt id", "id", "uid"),
        *("qid", "idx", "problem", "question", "prompt", "case", "index"),
    ),
    "trial": (
        *("trial", "trial id", "run", "run id", "repeat", "seed", "epoch", "attempt", "replicate", "rep"),
        *("iteration", "try"),
    ),
    "cluster": (
        *("cluster", "cluster id", "group", "group id", "passage", "passage id", "document", "document id"),
        *("question", "question id", "template", "source", "original", "conversation"),
    ),
}
#: Fields of a model's card, by what files call them.
CARDS = {
    "licence": ("license", "licence"),
    "link": ("link", "url", "homepage", "model link", "model url", "hf link", "website"),
    "paper": ("paper", "paper link", "paper url", "arxiv"),
    "description": ("description",),
    "parameters": (
        *("params", "parameters", "num params", "num parameters", "n params", "model size", "size"),
        *("params b", "params m", "parameters b", "size b", "params billions", "parameters billions"),
    ),
    "languages": ("language", "languages"),
    "effort": ("effort", "reasoning effort", "thinking effort", "reasoning level", "thinking level"),
    "thinking_budget": (
        *("thinking budget", "thinking budget tokens", "budget tokens", "reasoning budget"),
        *("max thinking tokens", "max reasoning tokens"),
    ),
    "context": (
        *("context", "context length", "context window", "context size", "context tokens", "max context"),
        *("max context length", "max context tokens", "ctx", "n ctx", "num ctx"),
    ),
    "released": ("release date", "release date ms", "released", "date", "model date", "created", "date ms"),
    "organization": ("organization", "organisation", "org", "provider", "developer", "vendor", "company"),
}
#: Those that are numbers, and what they are.
CARD_NUMBERS = {
    "parameters": "the number of parameters",
    "thinking_budget": "the tokens that it may think in",
    "context": "the tokens that it takes in at once",
}
#: What the number itself is called where others stand beside it.
VALUES = ("value", "score", "mean", "estimate", "val", "point")
STANDARD_ERRORS = ("se", "sem", "stderr", "std err", "std error", "standard error", "s e")
DEVIATIONS = ("sd", "std", "stdev", "std dev", "standard deviation", "stddev", "variance", "var")
INTERVALS = ("ci", "ci95", "ci 95", "95 ci", "confidence interval", "margin", "moe", "plus minus")
LOWS = ("ci low", "ci lower", "lower", "low", "ci lo", "lo", "lb", "lower bound")
HIGHS = ("ci high", "ci upper", "upper", "high", "ci hi", "hi", "ub", "upper bound")
COUNTS_OF_EXAMPLES = (
    *(
        "n",
        "n examples",
        "num examples",
        "n total",
        "total",
        "examples",
        "n samples",
        "num samples",
        "samples",
    ),
    *("support", "n questions", "count", "n instances", "num instances", "size", "n items"),
)
#: Words of columns that people filled in, and of what a model or a rule said in their place. Words that say
#: that a number is a verdict are in both.
VERDICTS = frozenset(("verdict", "verdicts", "label", "labels", "score", "scores", "rating", "ratings"))
PEOPLE = frozenset(("human", "humans", "people", "annotator", "annotators", "expert", "experts", "manual"))
JUDGES = frozenset(("judge", "judges", "autorater", "auto", "automatic", "llm", "model"))
RANKS = ("rank", "ranking", "position", "place", "pos", "no", "nr", "#")
#: Words of names of numbers that are shares, and so per cent where they are over 1.
RATE_WORDS = "rate rates percent percentage pct accuracy acc f1 precision recall em exact match winrate"
RATE_WORDS += " pass passed passrate resolved solved success correct auc auroc share agreement"
RATES = frozenset(RATE_WORDS.split())
#: What a rate is of that is no share: frames in a second, steps of learning.
NO_RATES = frozenset(
    ("frame", "frames", "bit", "sample", "sampling", "learning", "refresh", "token", "clock")
)
#: Counts of what was right, if they are no shares.
COUNTED = frozenset(("solved", "resolved", "correct", "passed", "success"))
#: Names of benchmarks, whose numbers rise with quality.
BENCHMARK_WORDS = (
    "mmlu gsm8k humaneval hellaswag arc winogrande truthfulqa bbh ifeval gpqa mbpp math aime boolq"
)
BENCHMARK_WORDS += " piqa drop squad mgsm musr mtbench glue superglue livecodebench swebench"
BENCHMARKS = frozenset(BENCHMARK_WORDS.split())
#: Further words of names of goods.
GOOD_WORDS = "score scores elo rating reward map mrr ndcg chrf comet meteor bertscore quality points wins win"
GOOD_WORDS += " average avg overall mean index tps"
HIGHER = RATES | BENCHMARKS | frozenset(GOODS.split()) | frozenset(GOOD_WORDS.split())
#: Words that say nothing about which way is better, whatever else the name says.
NEITHER = frozenset(("length", "len", "words", "chars", "characters", "size", "params", "parameters"))
NEITHER |= frozenset(("steps", "turns", "tokens"))
#: How a name's last words say the unit.
UNITS = {
    **dict.fromkeys(("percent", "percentage", "pct", "%"), "%"),
    **dict.fromkeys(("ms", "msec", "milliseconds"), "ms"),
    **dict.fromkeys(("s", "sec", "secs", "seconds"), "s"),
    **dict.fromkeys(("usd", "dollars", "$"), "USD"),
    **dict.fromkeys(("eur", "€"), "EUR"),
    **{unit: unit.upper() for unit in ("kb", "mb", "gb")},
    **{unit: unit[0].upper() + "iB" for unit in ("kib", "mib", "gib")},
    "min": "min",
    "minutes": "min",
    "h": "h",
    "hours": "h",
    "tokens": "tokens",
}
#: Units of numbers that are better when lower.
COST_UNITS = ("ms", "s", "min", "h", "USD", "EUR", "KB", "MB", "GB", "KiB", "MiB", "GiB")


def words(name: str) -> list[str]:
    """The words of a name in lower case: ``evalLoss``, ``eval_loss`` and ``Eval loss`` have the same."""
    found: list[str] = []
    for token in re.findall(r"[^\W_]+|[%$€#]", name):
        if re.fullmatch(r"[a-z]+(?:[A-Z][a-z0-9]+)*[A-Z]*|(?:[A-Z][a-z0-9]+){2,}", token):
            token = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", token)
        found += token.lower().split()
    return found


def last_part(name: str) -> str:
    """The part of a name after the last dot between levels: ``pass_1`` of ``results.*.pass_1``.

    Of ``accuracy.*`` it is the part before, since * stands for what the number is about.
    """
    parts = [part for part in name.split(".") if part != "*"]
    if len(parts) > 1 and parts[-1].lower() in VALUES:
        parts = parts[:-1]
    return parts[-1] if re.fullmatch(r"[^\s.]+(\.[^\s.]+)+", name) and parts else name


def last_words(name: str) -> list[str]:
    """The words of a name's last part."""
    return words(last_part(name))


def is_called(name: str, names: Iterable[str]) -> bool:
    """Whether a column has one of these names, in whatever way its words are joined."""
    own = last_words(name)
    return " ".join(own[1:] if own[:1] == ["#"] and len(own) > 1 else own) in names


def by_role(role: str, columns: Iterable[str]) -> list[str]:
    """The columns whose names are usual for a role, the likeliest first; upper keys before those within."""
    usual = ROLES[role]
    found = [
        ((name.count("."), usual.index(" ".join(last_words(name)))), name)
        for name in columns
        if is_called(name, usual)
    ]
    return [name for _, name in sorted(found, key=lambda pair: pair[0])]


def ends_as(name: str, endings: Iterable[str]) -> str | None:
    """What a name begins with, where it ends in, or begins with, one of `endings`; None where it does not."""
    own = words(name)
    for ending in sorted(endings, key=len, reverse=True):
        tail = ending.split()
        if own[-len(tail) :] == tail:
            return " ".join(own[: -len(tail)])
        if own[: len(tail)] == tail and len(own) > len(tail) and len(tail[0]) > 1:
            return " ".join(own[len(tail) :])
    return None


def unit_in(name: str) -> str:
    """The unit that a name says in brackets or with its last word; "" for none."""
    own = words(name)
    if bracket := re.search(r"[(\[]\s*([^()\[\]]+?)\s*[)\]]\W*$", name):
        said = bracket[1].lower()
        return UNITS.get(said, bracket[1] if set(said) & set("/$€£") else "")
    if own[-2:] in (["per", "s"], ["per", "second"], ["per", "sec"]):
        return "/s"
    if len(own) > 1 and own[-2] == "per":
        return ""
    alone = own[-1:] and (own[-1] == "%" or (len(own[-1]) > 2 and own[-1] not in ("min", "tokens")))
    return UNITS.get(own[-1], "") if len(own) > 1 or alone else ""


def is_rate(name: str) -> bool:
    """Whether a name says that its numbers are shares."""
    own = set(last_words(name)) | {word.rstrip("0123456789") for word in last_words(name)}
    if own & NO_RATES:
        return False
    return bool(own & RATES) or any(word.endswith(("rate", "accuracy")) for word in own)


def direction_in(name: str, unit: str) -> Literal["lower", "higher"] | None:
    """``lower`` or ``higher``; None where neither the name nor the unit says which is better."""
    own = set(last_words(name)) | {word.rstrip("0123456789@") for word in last_words(name)}
    if set(name) & set("↑⬆↓⬇"):
        return "higher" if set(name) & set("↑⬆") else "lower"
    if is_cost_by_name(name):
        return "lower"
    if unit.endswith(("/s", "/sec", "/second")):
        return "higher"
    if own & NEITHER and not is_rate(name):
        return None
    if unit in COST_UNITS and not own & set(GOODS.split()):
        return "lower"
    return "higher" if unit == "%" or own & HIGHER or is_rate(name) else None


def bare(name: str) -> str:
    """A column's name without its unit: ``latency_ms``, ``Latency (ms)``, ``Accuracy [%]``."""
    without = re.sub(r"\s*[(\[][^()\[\]]*[)\]]\W*$", "", name)
    if without != name and without:
        return without
    own = words(name)
    is_unit = len(own) > 1 and own[-1] in UNITS and UNITS[own[-1]] not in ("tokens", "min", "h")
    return "_".join(own[:-1]) if is_unit else name


def initials_of(stem: str, name: str) -> bool:
    """Whether a short name stands for a column's: ``lc`` for ``length_controlled_winrate``."""
    return "".join(word[0] for word in words(name)).startswith(stem.replace(" ", "")) and len(stem) > 1
