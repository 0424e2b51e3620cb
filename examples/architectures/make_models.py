"""Make networks of published architectures and sizes, with random weights, for the board of this folder.

python examples/architectures/make_models.py FOLDER [ARCHITECTURE ...]

Nothing is downloaded. The same versions of the libraries make the same files.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

from make_texts import LABELS, demo
from sizes import ARCHITECTURES, Architecture
from vocabularies import KINDS

SEED = 0


def head(family: str, task: str = "classification") -> str:
    """The class of transformers that answers a task in this family; T5 writes its answers."""
    if family == "T5":
        return "T5ForConditionalGeneration"
    return family + {"classification": "ForSequenceClassification", "qa": "ForQuestionAnswering"}[task]


def make(architecture: Architecture, folder: Path, task: str = "classification", **settings: Any) -> None:
    """Write network and tokeniser to `folder`, which appears whole; `settings` go to the configuration.

    `task` is "classification", of positive and negative, or "qa", spans of a context.
    """
    import transformers

    labels = dict(enumerate(LABELS))
    transformers.set_seed(SEED)
    config = architecture.config(
        id2label=labels, label2id={name: number for number, name in labels.items()}, **settings
    )
    network = getattr(transformers, head(architecture.family, task))(config)
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    network.save_pretrained(unfinished)
    texts = [text for text, _ in demo()]
    KINDS[architecture.kind](texts, architecture.pieces).save_pretrained(unfinished)
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the models go, each in a folder of its name")
    # No `choices`: argparse would refuse an empty list.
    parser.add_argument("architecture", nargs="*", help="only these; left out: all")
    arguments = parser.parse_args()
    for name in arguments.architecture:
        if name not in ARCHITECTURES:
            parser.error(f"{name}: no such architecture; there are {', '.join(ARCHITECTURES)}")
    for name in arguments.architecture or ARCHITECTURES:
        if not (arguments.folder / name).exists():
            make(ARCHITECTURES[name], arguments.folder / name)
        print(f"{name}: ready", flush=True)


if __name__ == "__main__":
    main()
