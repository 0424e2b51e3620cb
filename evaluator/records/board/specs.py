"""The tables of ``board.toml``: datasets, suites, models, predictions, checkpoints, collections."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from evaluator.records.base import CANONICAL, HUMAN, Count, Link, Record, Slug
from evaluator.records.board.endpoints import ENDPOINT, asked_facts
from evaluator.records.board.mistakes import MisfitError, check_once
from evaluator.records.references import ModelCard, Removal, Source


class CollectedSpec(Record):
    """How a dataset was collected from people who tried to fool models.

    Of `tries`, `fooled` fooled a model in the loop, and `validated` of these were confirmed by others.
    """

    tries: Annotated[int, Field(ge=1)] = Field(description="texts that were written")
    fooled: Count = Field(description="those that fooled a model in the loop")
    validated: Count = Field(description="those of them that validators confirmed")
    writers: Annotated[int, Field(ge=1)] = Field(description="people who wrote")
    validators: Annotated[int, Field(ge=1)] = Field(description="people who validated")
    annotators: str = Field(
        default="", description="who they are, if not people as the word is meant; pages say it in its place"
    )

    @model_validator(mode="after")
    def _add_up(self) -> CollectedSpec:
        if not self.validated <= self.fooled <= self.tries:
            raise ValueError("validated/fooled/tries: each must be part of the next; correct the numbers")
        return self


#: Two texts whose token F1 is under this, as a share of 1, do not say the same.
UNLIKE = 0.4


class CollectSpec(Record):
    """A collection: people write texts, the models in the loop answer at once, others validate.

    A model is fooled where its answer is not the writer's: another label, or a text whose token F1 with the
    writer's is under `UNLIKE`.
    """

    id: Slug = Field(description="its name in commands and folders")
    label: str = Field(description="its name for people")
    task: Slug = Field(description="one of the tasks; it decides what is written")
    labels: tuple[str, ...] = Field(
        default=(), description="what may be answered, in order; left out: the task's first labels"
    )
    models: Annotated[tuple[Slug, ...], Field(min_length=1)] = Field(
        description="the models in the loop, which answer every try"
    )
    goal: str = Field(description="what writers are asked to do, in a sentence")
    prompts: str | None = Field(
        default=None, description="a file of prompts or contexts, JSON lines, from the data folder"
    )
    tries: Annotated[int, Field(ge=1)] = Field(
        default=10, description="how often one writer may try each prompt"
    )
    reason: bool = Field(default=False, description="whether writers say why the model was fooled")
    responses: Annotated[int, Field(ge=2)] = Field(
        default=3, description="how many validators must have answered before a try can be kept"
    )
    gold_questions: str | None = Field(
        default=None,
        description="a file of questions with known answers, JSON lines, that validators get, too",
    )
    board: Slug | None = Field(default=None, description="the board that its rounds join; left out: none")
    site: bool = Field(
        default=False,
        description="whether the board's site has a page on which visitors write, for the models of"
        " [site] browser_models; its prompts are then published",
    )
    licence: str = Field(description="under which the writers give their texts, such as CC0-1.0")
    annotators: str = Field(
        default="",
        description="who writers and validators are, such as the students of a class; left out: people",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> CollectSpec:
        check_once(("models",), self.models, key="")
        if self.site and self.board is None:
            raise MisfitError(("site",), "it has no board whose site could have its page; give it a board")
        return self


class DatasetFile(Record):
    """How the file of a dataset is read.

    `format` checks all of `columns`, `label_map`, `labels` and `options` when the dataset is read; `columns`
    map what the task needs to column names, or to numbers from 0 where the file has no header.
    """

    path: str | None = Field(
        default=None, description="its file, from the data folder; a format that fetches needs none"
    )
    format: str | None = Field(default=None, description="how the file is read; see the page on formats")
    columns: dict[str, str | int] = Field(
        default={},
        description="what the task needs = the file's column: a name or, without header, a number from 0",
    )
    label_map: dict[str, str] = Field(
        default={},
        description='what the file says = the label it means, or "" where it means that there is no label:'
        " such rows are left out, counted",
    )
    skip_malformed: bool = Field(
        default=False,
        description="whether malformed rows are left out, counted, instead of refused; so, too, where"
        " evaluate --skip-malformed left some out",
    )
    labels: tuple[str, ...] = Field(
        default=(),
        description="what a model may answer, in order; left out where the format or the task says it",
    )
    options: dict[str, Any] = Field(default={}, description="of the format")
    cluster: str | int | None = Field(
        default=None,
        description="the file's column that says what each example is from, such as a passage or a writer:"
        " examples with the same value are no independent evidence of how sure a rank is",
    )
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = Field(
        default=None,
        description="64 hex digits that the file must hash to, so that nothing else is read by accident",
    )

    @model_validator(mode="after")
    def _has_format(self) -> Self:
        if self.path is not None and self.format is None:
            raise MisfitError(("path",), "given, so format must be given too")
        return self

    @property
    def readable(self) -> bool:
        """Whether it says how to read it, so that models can be measured on it."""
        return self.format is not None


class DatasetSpec(DatasetFile):
    """A dataset: what it is called and, unless all its numbers are reported ones, how to read it.

    `tags` are those of every example; `round` is one of them, and the number of the round in a dynamic
    benchmark. `suites` are the perturbations models are tried with; each gives a score of its name.
    `show_text` says that the texts may be published, `show_gold` that the gold labels may: with the site,
    example by example.
    """

    id: Slug = Field(description="its name in addresses, results and other tables")
    label: str = Field(description="its name for people")
    task: Slug = Field(description="one of the tasks; it decides what columns must hold")
    role: Literal["scoring", "evaluation", "training"] = Field(
        default="scoring",
        description="scoring: in the ranking; evaluation: shown, not ranked; training: for recipes, and for"
        " examples in prompts",
    )
    tags: dict[str, str] = Field(
        default={}, description="tags of every example; scores are given for each value of a tag"
    )
    round: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="which round of a dynamic benchmark it is; a tag, too"
    )
    collected: CollectedSpec | None = Field(
        default=None, description="how it was collected; steelyard collect freeze writes it"
    )
    main: Slug | None = Field(
        default=None,
        description="the metric by which it counts in a board's score; left out: the task's canonical one",
    )
    range: tuple[float, float] | None = Field(
        default=None,
        description="the worst and the best value of its main metric, 0 and 100 in a board's score; left out:"
        " its numbers are in per cent already",
    )
    suites: tuple[Slug, ...] = Field(
        default=(), description="the suites of perturbations that models are tried with"
    )
    licence: str | None = Field(default=None, description="of the data, as shown")
    link: Link | None = Field(default=None, description="where it can be had")
    citation: str | None = Field(default=None, description="how to cite it")
    show_text: bool = Field(default=False, description="whether its texts may be published with the site")
    show_gold: bool = Field(
        default=False, description="whether its gold labels may be published with the site"
    )

    @model_validator(mode="after")
    def _is_clear(self) -> Self:
        if self.round is not None and "round" in self.tags:
            raise MisfitError(("tags", "round"), "round is given too; leave one of them out")
        if self.range is not None and self.range[0] == self.range[1]:
            raise MisfitError(("range",), "the worst and the best value are the same; give them apart")
        return self

    @property
    def main_metric(self) -> str | None:
        """The metric by which it counts in a board's score; None where neither it nor its task says so."""
        return self.main or CANONICAL.get(self.task)

    @property
    def all_tags(self) -> dict[str, str]:
        """The tags of every example, the round among them."""
        return self.tags | ({} if self.round is None else {"round": str(self.round)})


class SuiteSpec(Record):
    """A suite of perturbations that differs from the default one of its kind.

    `transformations` narrows it down by name; `options` are theirs, by name, such as severities.
    """

    id: Slug = Field(description="the name of the score it gives; datasets name it in suites")
    kind: Literal["robustness", "fairness", "placebo", "neutral"] = Field(description="what is perturbed")
    seed: Annotated[int, Field(ge=0)] = Field(default=0, description="of all its chances")
    transformations: tuple[str, ...] = Field(
        default=(), description="those it is narrowed down to; left out: all of its kind"
    )
    options: dict[str, Any] = Field(default={}, description="of its transformations, by their names")
    backend: Literal["steelyard", "textflint"] = Field(
        default="steelyard", description="what makes the variants; textflint is for robustness only"
    )


#: Suites that a dataset may name without a `SuiteSpec`.
DEFAULT_SUITES = {
    kind: SuiteSpec(id=kind, kind=kind) for kind in ("robustness", "fairness", "placebo", "neutral")
}


def _listed(given: object) -> object:
    """One name as a list of names."""
    return (given,) if isinstance(given, str) else tuple(given) if isinstance(given, list) else given


class ModelSpec(Record):
    """A model: made by a `recipe` from a training set, or opened by an `adapter`.

    An adapter that reads prompts may draw examples for them from a training set, too. With neither the
    model is known by its predictions only; what is said of it here is
    shown with them. It is evaluated on all datasets of its task, or only on `datasets`.
    """

    id: Slug = Field(description="its name in addresses and results; human is taken")
    was: Slug | None = Field(
        default=None, description="the id that it had before, whose results evaluate moves to this one"
    )
    label: str = Field(description="its name for people")
    task: Slug = Field(
        default="",
        description="it is evaluated on datasets of this task; one that is known by its numbers only, on"
        " datasets of several, has none",
    )
    recipe: str | None = Field(default=None, description="what makes it from the training set")
    train: Annotated[tuple[Slug, ...], BeforeValidator(_listed)] = Field(
        default=(),
        description="the dataset that the recipe learns from, or a list of several; or the one that the"
        " examples of a prompt are drawn from",
    )
    seed: Annotated[int, Field(ge=0)] = Field(
        default=0, description="of the recipe, or of the drawing of examples"
    )
    datasets: tuple[Slug, ...] = Field(
        default=(), description="the only datasets to evaluate it on; left out: all of its task"
    )
    adapter: str | None = Field(default=None, description="what opens a model that exists")
    directory: str | None = Field(
        default=None,
        description="the folder that the adapter opens, or that the recipe onnx exports, from the board"
        " file's own",
    )
    options: dict[str, Any] = Field(default={}, description="of the recipe or the adapter")
    card: ModelCard = Field(default=ModelCard(), description="what its author says of it")
    removed: Removal | None = Field(
        default=None,
        description="that it was removed: it is neither run nor ranked, and its boards say when and why",
    )

    @model_validator(mode="after")
    def _one_origin(self) -> ModelSpec:
        if self.id == HUMAN:
            raise MisfitError(("id",), f"{HUMAN!r} stands for people; choose another")
        if self.recipe is not None and self.adapter is not None:
            raise ValueError("recipe/adapter: give one of them, or none for a model known by predictions")
        if self.adapter is not None and len(self.train) > 1:
            raise MisfitError(("train",), "a prompt's examples are drawn from one dataset; name one")
        check_once(("train",), self.train, key="")
        if not self.task and (self.recipe is not None or self.adapter is not None or self.datasets):
            raise ValueError("task: missing; a model that is run needs one")
        return self

    @model_validator(mode="after")
    def _asked_as(self) -> ModelSpec:
        """What an endpoint is asked with is a fact of the card, unless that says it itself."""
        if self.is_remote:
            said = {**asked_facts(self.options), **self.card.model_dump(exclude_none=True)}
            # Records are frozen, but this one is not made yet.
            object.__setattr__(self, "card", ModelCard(**said))
        return self

    def is_of(self, task: str) -> bool:
        """Whether it may have results on datasets of a task."""
        return self.task in ("", task)

    @property
    def is_remote(self) -> bool:
        """Whether it is behind an endpoint: it is never timed, and asked outside the sandbox."""
        return self.adapter == ENDPOINT

    @property
    def runs(self) -> bool:
        """Whether the model itself is at hand, not only its predictions, and was not removed."""
        return self.removed is None and (self.recipe is not None or self.adapter is not None)


class PredictionsSpec(Record):
    """Predictions made elsewhere, for ``steelyard import``: one model's, or several models'.

    `path` is relative to the data directory. `model` names the model whose predictions they are; in
    its place `models` maps what the file's ``model`` column says to ids of models. Without both, all
    that the column says are models. `columns`, `label_map` and `accept_differences` are those of the command.
    """

    dataset: Slug = Field(description="the dataset that is answered")
    path: str = Field(description="the file, from the data folder")
    model: Slug | None = Field(default=None, description="whose predictions they are")
    models: dict[str, Slug] = Field(
        default={},
        description="what the file's model column says = the model's id; without it and model, all that it"
        " says are models",
    )
    columns: dict[str, str] = Field(
        default={}, description="what is needed = the file's column; trial tells several runs apart"
    )
    values: dict[Slug, str] = Field(
        default={}, description="a board's metric = the file's column with a number beside each answer"
    )
    label_map: dict[str, str] = Field(default={}, description="what the file says = the label it means")
    no_answer: str | None = Field(
        default=None, description="a second file: how likely each question has no answer (SQuAD v2's na_prob)"
    )
    accept_differences: bool = Field(
        default=False, description="whether labels are taken most of which are not the most probable class"
    )
    source: Source | None = Field(default=None, description="where the predictions were published")

    @model_validator(mode="after")
    def _whose(self) -> PredictionsSpec:
        if self.model is not None and self.models:
            raise ValueError("model/models: give one of them: whose predictions are these?")
        return self

    @property
    def whose(self) -> list[str]:
        """The ids of the models whose predictions they are, as far as the board file says it."""
        return list(self.models.values()) if self.model is None else [self.model]


class CheckpointSpec(Record):
    """The weights that a metric reads: a folder's, or those of a model of the hub at a pinned commit.

    `path` is relative to the board file. Nothing is fetched: a model must be in the machine's cache.
    """

    metric: Slug = Field(description="the metric's name, such as bertscore")
    path: str | None = Field(
        default=None, description="the folder with the weights, from the board file's own"
    )
    model: str | None = Field(default=None, description="or a model's name on the hub")
    revision: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")] | None = Field(
        default=None, description="its full 40-digit commit hash, which a model needs"
    )
    options: dict[str, Any] = Field(default={}, description="of the metric, such as layer; see its page")

    @model_validator(mode="after")
    def _one_place(self) -> CheckpointSpec:
        if (self.path is None) == (self.model is None):
            raise ValueError("path/model: give exactly one of them: where are the weights?")
        if (self.model is None) != (self.revision is None):
            raise MisfitError(
                ("revision",), "goes with model, which may change without it; give the full commit hash"
            )
        return self
