"""The 46 criteria by which a board is judged, by the stage of a benchmark's life that they are about.

Source: Reuel, Hardy, Smith, Lamparth, Hardy and Kochenderfer 2024, "BetterBench: Assessing AI Benchmarks,
Uncovering Issues, and Establishing Best Practices", NeurIPS Datasets and Benchmarks, arXiv:2411.12990. They
stand here in our own words; where these and the paper's differ, the paper's count. Rows 1 to 40 are its
criteria of design, implementation, documentation and maintenance. Rows 41 to 46 are our reading of what it
asks about data and the end of a benchmark's life, and so are numbered last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CriterionStage = Literal["Design", "Implementation", "Documentation", "Maintenance", "Data and retirement"]
STAGES: tuple[CriterionStage, ...] = (
    "Design",
    "Implementation",
    "Documentation",
    "Maintenance",
    "Data and retirement",
)
#: The paper that the criteria are from, and where to read it.
CRITERIA_SOURCE = (
    "Reuel et al. 2024, BetterBench: Assessing AI Benchmarks, Uncovering Issues, and Establishing Best"
    " Practices",
    "https://arxiv.org/abs/2411.12990",
)


@dataclass(frozen=True)
class Criterion:
    """One criterion: its key in ``[quality]`` of a board file, and what it asks for, as a sentence."""

    id: str
    stage: CriterionStage
    asks: str


def _of(stage: CriterionStage, **asks: str) -> tuple[Criterion, ...]:
    return tuple(Criterion(name.replace("_", "-"), stage, text) for name, text in asks.items())


CRITERIA: tuple[Criterion, ...] = (
    *_of(
        "Design",
        concept="What is tested, a capability or a property, is defined.",
        translation="How the task stands for what is tested is described.",
        usefulness="Why it helps to know this in practice is described.",
        interpretation="How scores are to be read, and how not, is said.",
        experts="Experts of the field took part.",
        use_cases="Who uses the results, and for what, is described.",
        literature="The design rests on published work.",
        metric_choice="The choice of metrics has reasons.",
        bounds="The least and the largest value of each metric are known.",
        people="The performance of people is shown.",
        chance="The performance of guessing is shown.",
        automatic="Scores are computed by a program, and this is checked.",
        related="How this differs from related benchmarks is explained.",
        sensitivity="How much small changes of the input matter is measured.",
    ),
    *_of(
        "Implementation",
        code="The code of the evaluation can be had.",
        data_access="The data, or what makes it, can be had.",
        remote_models="Models behind an interface of a provider can be evaluated.",
        local_models="Models on one's own machine can be evaluated.",
        canary="Examples carry a unique mark or are encrypted, so that training data can leave them out.",
        contamination="Whether a model was trained on the test data is tested.",
        replication="There is a script that makes the results again.",
        uncertainty="How uncertain results are is reported.",
        sensitive="It was considered whether users must be warned of offensive or harmful content.",
        build_status="Whether the code works is tested, and shown.",
        release="What a release has to meet is written down.",
    ),
    *_of(
        "Documentation",
        requirements="The software that an evaluation needs is listed, with versions.",
        quick_start="There is a guide to a first run.",
        comments="The code has comments.",
        code_documentation="The code is documented.",
        paper="A paper about it was accepted after peer review.",
        construction="How the benchmark was made is described.",
        rationale="Each task is described, with the reason that it is there.",
        norms="Assumptions about what is right or desirable are named.",
        limitations="Limits are named.",
        collection="How data were collected, or prompts designed, is described.",
        metric_documentation="Every metric is explained.",
        licence="Licences are named.",
    ),
    *_of(
        "Maintenance",
        checked="The evaluation was run within the last year.",
        feedback="There is a place for feedback, and somebody reads it.",
        contact="A person to write to is named.",
    ),
    *_of(
        "Data and retirement",
        origin="Where all data come from is recorded.",
        annotation="How examples got their labels, and how far people agree, is known.",
        versions="Versions of data and results are kept apart and can be cited.",
        errata="Errors that were found later are corrected in the open.",
        saturation="It is said when the benchmark is solved, or no longer tells models apart.",
        archive="Old results stay where they were, unchanged, also after the benchmark's end.",
    ),
)
