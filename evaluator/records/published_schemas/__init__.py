"""The committed JSON Schemas of the records.

``python -m evaluator.records.published_schemas`` writes them.
"""

from pathlib import Path

from evaluator.records.canonical import dump
from evaluator.records.schemas import json_schemas
from evaluator.records.scratch import write_atomic

FOLDER = Path(__file__).parent


def write(folder: Path = FOLDER) -> list[Path]:
    """Write ``<kind>.schema.json`` for each record kind and return the paths."""
    paths = []
    for kind, schema in json_schemas().items():
        paths.append(folder / f"{kind}.schema.json")
        write_atomic(paths[-1], dump(schema))
    return paths
