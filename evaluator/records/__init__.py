"""What a result and a set of predictions *are*: their fields, their units, their hash, their history.

Every file in ``results/`` is one of these records as JSON. A record carries ``schema_version``; an
older file is brought up to date by `migrate`, one step a version. JSON Schemas generated from these
classes lie in ``evaluator/records/published_schemas/`` and a test holds the two together.
"""

from evaluator.records.base import (
    HUMAN,
    PEOPLE,
    SCHEMA_VERSION,
    TIMING,
    Count,
    Digest,
    Moment,
    Provenance,
    Record,
    Share,
    Slug,
    describe_errors,
    parts,
)
from evaluator.records.browser import ENCODER, LEAST_EXAMPLES, SUBWORDS, BrowserCheck, BrowserCopy, CopyFile
from evaluator.records.canonical import canonical, digest
from evaluator.records.covariances import Covariances, MetricPair
from evaluator.records.difficulty import TAKEN, Difficulty, DifficultyTable, Percent
from evaluator.records.examples import Examples
from evaluator.records.links import Link, check_link
from evaluator.records.measurement import (
    Fingerprint,
    Isolation,
    Latency,
    Measurement,
    Memory,
    Noise,
    Percentile,
    Repeat,
)
from evaluator.records.migrations import MIGRATIONS, MigrationError, migrate
from evaluator.records.names import check_name, name_problem, same_as, same_names
from evaluator.records.predictions import AnswerPiece, PredictionSet
from evaluator.records.prompts import Parity, PromptRecord, ShownExample
from evaluator.records.references import (
    DatasetRef,
    ModelCard,
    ModelRef,
    PredictionsRef,
    Removal,
    Source,
    left,
)
from evaluator.records.result import (
    BatchCheck,
    Failure,
    Result,
    Score,
    SuiteScores,
    TagScores,
    TransformationScores,
)
from evaluator.records.schemas import RECORDS, json_schemas
from evaluator.records.snapshot import (
    SNAPSHOT_ID,
    Snapshot,
    SnapshotCells,
    SnapshotCertainty,
    SnapshotDataset,
    SnapshotMachine,
    SnapshotModel,
    SnapshotPerson,
    SnapshotRanking,
    SnapshotRate,
    SnapshotRemoval,
    SnapshotResult,
    SnapshotWeights,
)
from evaluator.records.suites import Made, Sample, SuiteCard

__all__ = [
    "ENCODER",
    "HUMAN",
    "LEAST_EXAMPLES",
    "MIGRATIONS",
    "PEOPLE",
    "RECORDS",
    "SCHEMA_VERSION",
    "SNAPSHOT_ID",
    "SUBWORDS",
    "TAKEN",
    "TIMING",
    "AnswerPiece",
    "BatchCheck",
    "BrowserCheck",
    "BrowserCopy",
    "CopyFile",
    "Count",
    "Covariances",
    "DatasetRef",
    "Difficulty",
    "DifficultyTable",
    "Digest",
    "Examples",
    "Failure",
    "Fingerprint",
    "Isolation",
    "Latency",
    "Link",
    "Made",
    "Measurement",
    "Memory",
    "MetricPair",
    "MigrationError",
    "ModelCard",
    "ModelRef",
    "Moment",
    "Noise",
    "Parity",
    "Percent",
    "Percentile",
    "PredictionSet",
    "PredictionsRef",
    "PromptRecord",
    "Provenance",
    "Record",
    "Removal",
    "Repeat",
    "Result",
    "Sample",
    "Score",
    "Share",
    "ShownExample",
    "Slug",
    "Snapshot",
    "SnapshotCells",
    "SnapshotCertainty",
    "SnapshotDataset",
    "SnapshotMachine",
    "SnapshotModel",
    "SnapshotPerson",
    "SnapshotRanking",
    "SnapshotRate",
    "SnapshotRemoval",
    "SnapshotResult",
    "SnapshotWeights",
    "Source",
    "SuiteCard",
    "SuiteScores",
    "TagScores",
    "TransformationScores",
    "canonical",
    "check_link",
    "check_name",
    "describe_errors",
    "digest",
    "json_schemas",
    "left",
    "migrate",
    "name_problem",
    "parts",
    "same_as",
    "same_names",
]
