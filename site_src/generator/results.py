"""What pages say of results: where they come from, how they were measured, what failed."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from evaluator.records.measurement import Isolation
from evaluator.records.references import ModelCard, PromptRecord, Source
from evaluator.records.result import BatchCheck, Failure, Result, SuiteScores
from evaluator.score.run_sentences import runs_of
from site_src.generator import formats

#: Every provenance that a result may have, and what it means.
MEANINGS = {
    "measured": "run here, on the machine described on the model's page",
    "recorded": "asked at an endpoint, and scored here; neither speed nor memory of the model is known",
    "predictions": "scored here from predictions made elsewhere; the model was not run, so nothing was timed",
    "reported": "published elsewhere and copied from there",
    "human": "people, estimated from the annotators' responses; shown beside the models and never ranked",
}


#: What it means that a number is reported of which a value for each example is kept.
BY_EXAMPLE = "published elsewhere example by example, and averaged here"


def meaning_of(result: Result) -> str:
    """What the provenance of a result means."""
    by_example = result.provenance == "reported" and result.predictions is not None
    return BY_EXAMPLE if by_example else MEANINGS[result.provenance]


@dataclass(frozen=True)
class Origin:
    """One way in which numbers of a page came about, with all the sources named for it."""

    kind: str
    meaning: str
    sources: tuple[Source, ...]


def origins(results: Iterable[Result]) -> tuple[Origin, ...]:
    """Every provenance among `results`, in the order of `MEANINGS`."""
    by_kind: dict[str, dict[tuple[str, str], Source]] = {}
    meanings: dict[str, list[str]] = {}
    for result in results:
        meanings.setdefault(result.provenance, []).append(meaning_of(result))
        sources, source = by_kind.setdefault(result.provenance, {}), result.source
        if source:
            sources[source.citation, source.link or ""] = source
    return tuple(
        Origin(
            kind,
            "; or ".join(sorted(set(meanings[kind]))),
            tuple(by_kind[kind][key] for key in sorted(by_kind[kind])),
        )
        for kind in MEANINGS
        if kind in by_kind
    )


def summary(results: Collection[Result]) -> str:
    """Provenance in a few words: how the numbers came here, of how many runs, how the model thinks,
    and from whom."""
    found = origins(results)
    citations = {short(source.citation) for origin in found for source in origin.sources}
    kinds = ", ".join(origin.kind for origin in found)
    run = [f"{name} {words}" for name, words in run_facts(card_of(results))]
    return " · ".join(filter(None, [kinds, runs_of(results), *run, "; ".join(sorted(citations))]))


def short(citation: str) -> str:
    """The authors and year of a citation, or its first words."""
    found = re.match(r".{1,60}?\b(19|20)\d\d\b(?!-\d)", citation)
    return found[0] if found else formats.shortened(citation, 60)


#: What the line is about, and what it says; a line that says nothing is left out where that may be.
Fact = tuple[str, str | None]


def card_of(results: Iterable[Result]) -> ModelCard:
    """The card of the newest result that says anything; an empty one where none does."""
    with_card = [result for result in results if result.model.card != ModelCard()]
    newest = max(with_card, key=lambda result: (result.created, result.dataset.id), default=None)
    return newest.model.card if newest else ModelCard()


def run_facts(card: ModelCard) -> list[tuple[str, str]]:
    """As what a model's weights are stored, how hard and in how many tokens it was asked to think, and its
    context, as far as it says so."""
    facts = [("quantisation", card.quantisation), ("effort", card.effort)]
    for name, tokens in (("thinking budget", card.thinking_budget), ("context", card.context)):
        facts.append((name, None if tokens is None else f"{formats.count(tokens)} tokens"))
    return [(name, words) for name, words in facts if words]


def batch_sentence(check: BatchCheck | None) -> str | None:
    """Whether the model answered in batches, and how that was decided; None where nothing is known of it."""
    if check is None:
        return None
    if not check.passed:
        return (
            f"Asked one by one: in a batch, {check.differing} of {check.sample} examples had another answer."
        )
    off = check.largest_difference
    allowed = f"({check.tolerance:g} is allowed)"
    close = "" if off is None else f", with probabilities at most {off:.1g} apart {allowed}"
    return f"Asked in batches: {check.sample} examples asked both ways had the same answers{close}."


#: What a model had to itself or was held to, by the layer that saw to it.
LAYERS = {
    "pid": "saw no processes but its own",
    "mount": "saw no files but its own and libraries, and could write to a scratch folder only",
    "network": "had no network",
    "ipc": "shared no memory with others",
    "landlock": "was held to its own files and processes by rules of the kernel (Landlock)",
    "seccomp": "could make no system call that hides memory or reaches into other processes (seccomp)",
}
#: The same layers where they were missing.
MISSING = {
    "pid": "processes of its own",
    "mount": "a file system of its own",
    "network": "a network of its own",
    "ipc": "shared memory of its own",
    "landlock": "the kernel's rules for files and signals (Landlock)",
    "seccomp": "a filter of system calls (seccomp)",
}


def kept_in(isolation: Isolation) -> tuple[str, ...]:
    """A sentence about how the model was isolated, and one about each layer that was missing."""
    held = formats.listed([LAYERS[layer] for layer in isolation.layers])
    return (
        f"While it was measured, the model {held or 'was limited by the rights of its user only'}.",
        *(
            f"Missing: {MISSING[layer]}. " + (f"The reason: {why}." if why else "")
            for layer, why in isolation.missing.items()
        ),
    )


#: What happened to the model, by the kind of failure. A kind that is not here is shown by its name.
KINDS = {
    "raised": "the model raised an error",
    "not-json": "the model gave something that is not plain data",
    "not-a-number": "the model gave a number that is not finite",
    "too-large": "the model gave an answer that is too large",
    "bad-batch": "the model did not give one answer an example",
    "network": "the model tried to use the network",
    "missing-package": "the model needs a package that is not installed",
    "not-prepared": "the model could not be prepared",
    "load-failed": "the model could not be loaded",
    "timeout": "the model took too long",
    "memory": "the model used more memory than it may",
    "killed": "something outside the model ended its process",
    "isolation": "the model could not be isolated as the board requires",
    "exited": "the model's process ended by itself",
    "protocol": "the model wrote to the connection of its process",
}


@dataclass(frozen=True)
class FailureView:
    """A failure as a sentence, with the program's own message and the examples it names."""

    sentence: str
    message: str
    examples: str | None


def failure_views(result: Result) -> tuple[FailureView, ...]:
    """Every kind of failure of a result."""
    return tuple(
        FailureView(_sentence(failure, result.status == "failed"), failure.full_message, _ids(failure))
        for failure in result.failures
    )


def variant_failures(scores: SuiteScores) -> tuple[FailureView, ...]:
    """Every kind of failure on the variants of a suite."""
    return tuple(
        FailureView(_wrong_answers(failure, "variant"), failure.message, _ids(failure))
        for failure in scores.failures
    )


def _sentence(failure: Failure, whole: bool) -> str:
    what = KINDS.get(failure.kind, formats.shortened(failure.kind))
    if failure.stage == "timing":
        return f"While it was timed, {what}. Its answers are kept; its timing is missing."
    if failure.stage == "suites":
        return f"The model could not be tried with the suite {failure.suite}. Its other scores are kept."
    return f"{what[:1].upper()}{what[1:]}." if whole else _wrong_answers(failure, "example")


def _wrong_answers(failure: Failure, thing: str) -> str:
    """Of answers that are wrong because there is none, or none that can be read."""
    one = failure.count == 1
    things, counts = formats.counted(failure.count, thing), "counts" if one else "count"
    if failure.kind == "missing":
        return f"{things} {'has' if one else 'have'} no answer and {counts} as wrong."
    if failure.kind == "invalid-answer":
        answers = formats.counted(failure.count, "answer")
        return f"{answers} {'was' if one else 'were'} not valid and {counts} as wrong."
    what = KINDS.get(failure.kind, formats.shortened(failure.kind))
    return f"On {things} {what}; {'it counts' if one else 'they count'} as wrong."


def _ids(failure: Failure) -> str | None:
    """The examples whose ids were kept, and how many more there are."""
    ids = failure.first_ids
    return formats.listed(ids, failure.count - len(ids)) if ids else None


Named = tuple[str, str]

_NORMALISED = {
    "none": "not normalised",
    "tokens": "divided by the number of their tokens",
    "characters": "divided by the number of their characters",
}


@dataclass(frozen=True)
class PromptView:
    """What a page shows of a prompt: facts, and texts by their names.

    `texts` are the template and what stands beside it, `words` those of each label, `examples` the texts of
    each example that was shown and may be published.
    """

    facts: tuple[Named, ...]
    texts: tuple[Named, ...]
    words: tuple[Named, ...]
    examples: tuple[tuple[Named, ...], ...]


def prompt_view(prompt: PromptRecord | None) -> PromptView | None:
    """A prompt as its page shows it; None where the model reads none."""
    if prompt is None:
        return None
    instruction = [("Instruction", prompt.instruction)] if prompt.instruction else []
    return PromptView(
        facts=tuple(_facts(prompt)),
        texts=(*instruction, ("Template", prompt.template)),
        words=tuple(prompt.answers.items()),
        examples=tuple((*shot.inputs.items(), ("Answer", shot.answer)) for shot in prompt.shown),
    )


def _facts(prompt: PromptRecord) -> list[Named]:
    facts = [
        ("How it answers", _scoring(prompt)),
        ("Ends an answer", ", ".join(map(_quoted, prompt.stop))),
        ("Finds the answer", prompt.pattern or ""),
        ("Words for no answer", prompt.unanswerable),
        ("Chat template", _chat(prompt)),
        ("Examples shown", _examples(prompt)),
        ("Between examples", _quoted(prompt.separator) if prompt.examples and not prompt.chat else ""),
        ("Before an answer", _quoted(prompt.delimiter) if prompt.delimiter else ""),
        ("Hash of the examples", prompt.sha256 if prompt.examples else ""),
    ]
    return [(name, value) for name, value in facts if value]


def _scoring(prompt: PromptRecord) -> str:
    if not prompt.answers:
        most = formats.count(prompt.max_new_tokens or 0)
        return f"it writes freely, the likeliest token each time, at most {most} tokens"
    if prompt.scoring == "generation":
        return "it writes the likeliest token each time, among those that continue the words of a label"
    if prompt.scoring == "found":
        most = formats.count(prompt.max_new_tokens or 0)
        return f"it writes freely, at most {most} tokens; the label is the one that its answer names"
    normalised = _NORMALISED[prompt.normalise]
    return f"with the label whose words have the highest log-likelihood after the prompt, {normalised}"


def _chat(prompt: PromptRecord) -> str:
    if not prompt.chat:
        return "none: the prompt is plain text"
    given = ", ".join(f"{name} = {json.dumps(value)}" for name, value in sorted(prompt.chat_options.items()))
    return "the tokeniser's own" + (f", with {given}" if given else "")


def _examples(prompt: PromptRecord) -> str:
    if not prompt.examples:
        return "none"
    source, kept = "written in the board file", ""
    if prompt.drawn_from is not None:
        source = f"drawn from {prompt.drawn_from} with seed {prompt.seed}"
        kept = "" if prompt.shown else "; their texts may not be published"
    return f"{formats.count(prompt.examples)}, {source}; none of them is in this dataset{kept}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
