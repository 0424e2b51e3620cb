"""Whether two numbers may be ranked together, and what is said of one that is kept apart."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.records.base import EVALUATED, TIMING
from evaluator.records.result import Result

Key = tuple[str | tuple[str, str] | None, ...]
#: Settings that count something, which is said before their name.
COUNTED = ("examples", "shots", "epochs", "trials")
#: Settings of a mean of values by example that say which of them it is of, and what was published instead.
OF_VALUES = {"examples", "without", "implied by its examples", "published", "labels of people"}
#: The setting of a number that was published without values by example, where others have these.
WITHOUT_VALUES = ("values by example", "none")
#: How many settings that differ a message lists.
LISTED = 3


@dataclass(frozen=True)
class Incomparable:
    """A number that is kept apart, as the other models' were measured in another way.

    `differing` are the settings that differ, where they are known. `sentence` says it all where "measured"
    would not be true, and `fix` what to do about that.
    """

    dataset: str
    metric: str
    how: str
    provenance: str
    differing: str = ""
    sentence: str = ""
    fix: str = ""

    def __str__(self) -> str:
        if self.sentence:
            return self.sentence
        end = f": {self.differing}" if self.differing else ""
        return f"{self.metric} on {self.dataset} was measured {self.how} than the other models'{end}"

    def remedy(self, model: str) -> str:
        """What a maintainer does about it."""
        if self.fix:
            return self.fix
        if self.provenance == "predictions":
            return "import the file of its predictions again"
        if self.provenance not in EVALUATED:
            return "import it from the source of the others"
        if self.metric in TIMING:
            again = f"steelyard evaluate --remeasure --model {model} --dataset {self.dataset}"
            return f"run, on the machine that timed the others: {again}"
        return f"run: steelyard evaluate --dataset {self.dataset}"


def comparability(result: Result, metric: str) -> Key:
    """What must be equal for two numbers to be ranked together.

    Of a number that a tool published these are the settings that decided it, else where it was published.
    """
    score = result.scores[metric]
    if score.settings:
        # What says which examples have values decides nothing else: the source does, as without it.
        alone = result.source and not score.settings.keys() - OF_VALUES
        source = (result.source.citation,) if result.source and alone else ()
        return ("reported", *sorted(score.settings.items()), *source)
    if result.provenance == "reported":
        return ("reported", result.source.citation if result.source else None)
    if metric in TIMING and result.measurement:
        machine = result.measurement.fingerprint.key
        return (result.dataset.revision, score.version, result.measurement.protocol, machine)
    return (result.dataset.revision, score.version)


def incomparable(metric: str, dataset: str, result: Result, key: Key, reference: Key | None) -> Incomparable:
    """Why a number with such a key is kept apart from those with the key of reference."""
    how = "on another machine or by another protocol" if metric in TIMING else "on other data"
    if metric in result.suites:
        how = "with another suite of that name"
    if result.provenance == "reported":
        how = "by another source"
        if WITHOUT_VALUES in result.scores[metric].settings.items():
            sentence = f"{metric} on {dataset} was published without values by example, which others have"
            return Incomparable(dataset, metric, how, "reported", "", sentence, "import its values")
    if result.provenance == "reported" and result.predictions is not None:
        return _mean_apart(metric, dataset, result, _differing(key, reference or ()))
    return Incomparable(dataset, metric, how, result.provenance, _differing(key, reference or ()))


def _mean_apart(metric: str, dataset: str, result: Result, differing: str) -> Incomparable:
    """A mean of values by example that does not compare."""
    score, about = result.scores[metric], f"{metric} on {dataset}"
    of, printed = (score.settings.get(name, "") for name in ("examples", "published"))
    sentence, how, fix = "", "", "import its values again"
    if " of " in of:
        sentence, fix = f"{about} is of {of} examples", "import the values that are missing"
    elif "labels of people" in score.settings:
        sentence = f"{about} is what a judge alone says, without labels of people that correct it"
        fix = "import labels of some of its answers"
    elif printed:
        sentence = f"{about}: {printed} was published, but its examples imply {score.value:.6g}"
        fix = "find out which of the two is right, and import that"
    elif differing:
        how = "by another source"
    else:
        sentence = f"{about} is of other examples than the other models', or from another source"
    return Incomparable(dataset, metric, how, result.provenance, differing, sentence, fix)


def _differing(key: Key, reference: Key) -> str:
    """The settings that differ: ``5 examples here, 1,000 there``; "" where one of the two has none."""
    here, there = (dict(one for one in each if isinstance(one, tuple)) for each in (key, reference))
    if not here or not there:
        return ""
    names = [name for name in (*COUNTED, *here, *there) if here.get(name) != there.get(name)]
    said = [_difference(name, here.get(name), there.get(name)) for name in dict.fromkeys(names)]
    more = f"; and {len(said) - LISTED} more" if len(said) > LISTED else ""
    return "; ".join(said[:LISTED]) + more


def _difference(name: str, here: str | None, there: str | None) -> str:
    ours, theirs = (
        "not given" if one is None else f"{int(one):,}" if one.isdecimal() and name in COUNTED else one
        for one in (here, there)
    )
    if name in COUNTED and here is not None:
        return f"{ours} {name} here, {theirs} there"
    return f"{name} {ours} here, {theirs} there"
