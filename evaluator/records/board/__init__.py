"""``board.toml``: which datasets, models, metrics, weights and caps make up a site's boards.

`load_boards` reads and checks the file; `assemble` lays stored results out as the cells of a board,
keeping apart what is not comparable.
"""

from evaluator.rank.prices import COST
from evaluator.records.board.cells import (
    Assembled,
    BoardEntry,
    OutdatedResult,
    WeighedPart,
    assemble,
    idle_presets,
    named,
)
from evaluator.records.board.comparing import comparability
from evaluator.records.board.criteria import CRITERIA, CRITERIA_SOURCE, STAGES, Criterion
from evaluator.records.board.endpoints import ENDPOINT, TAKEN, EndpointSpec, PriceSpec
from evaluator.records.board.file import (
    Boards,
    LimitSettings,
    MeasureSettings,
    SiteSpec,
    load_boards,
)
from evaluator.records.board.pages import RESERVED, BoardSpec, MetricSpec, Preset, TrialsSpec
from evaluator.records.board.specs import (
    DEFAULT_SUITES,
    CheckpointSpec,
    CollectedSpec,
    CollectSpec,
    DatasetSpec,
    ModelSpec,
    PredictionsSpec,
    SuiteSpec,
)

__all__ = [
    "COST",
    "CRITERIA",
    "CRITERIA_SOURCE",
    "DEFAULT_SUITES",
    "ENDPOINT",
    "RESERVED",
    "STAGES",
    "TAKEN",
    "Assembled",
    "BoardEntry",
    "BoardSpec",
    "Boards",
    "CheckpointSpec",
    "CollectSpec",
    "CollectedSpec",
    "Criterion",
    "DatasetSpec",
    "EndpointSpec",
    "LimitSettings",
    "MeasureSettings",
    "MetricSpec",
    "ModelSpec",
    "OutdatedResult",
    "PredictionsSpec",
    "Preset",
    "PriceSpec",
    "SiteSpec",
    "SuiteSpec",
    "TrialsSpec",
    "WeighedPart",
    "assemble",
    "comparability",
    "idle_presets",
    "load_boards",
    "named",
]
