"""A small site whose page "Try it" offers two models and names one that it does not.

The records say that the copies were compared; Node.js is not asked, so this is made in a moment.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from site_tried import HANDLERS, WORDS, store_answers, written_rows
from small_boards import small_board, small_model

from evaluator.measure.run.plan import board_model, board_prepared
from evaluator.records.board import Boards, load_boards
from evaluator.records.browser import COPIES, BrowserCheck
from evaluator.records.store import Store
from evaluator.tryit.copies import make_copy
from site_src.generator.build import build

#: By model, the rows of the 500 examples that its copy answers otherwise.
OFFERED: dict[str, tuple[int, ...]] = {"counter": (), "bold": (17, 203)}
#: When the models answered, in seconds since 1970.
WHEN = "1800000000"
BOLD = "def load(directory): pass\ndef predict(example): return {'label': 'positive', 'confidence': 0.9}\n"


def build_offered(folder: Path, output: Path) -> None:
    """Write the world under `folder`, and build its site in `output`; the page is ``b/try/``."""
    names = ", ".join(f'"{model}"' for model in (*OFFERED, "sly"))
    board = small_board("accuracy").replace(
        "\n[[datasets]]", f"\n[site]\nbrowser_models = [{names}]\n\n[[datasets]]", 1
    )
    models = {"counter": HANDLERS["counter"], "bold": BOLD, "sly": HANDLERS["sly"]}
    file = folder / "board.toml"
    file.write_text(board + "".join(map(small_model, models)))
    (folder / "d.tsv").write_text("".join(written_rows()))
    for name, code in models.items():
        (folder / name).mkdir()
        (folder / name / "handler.py").write_text(code)
        (folder / name / "words.py").write_text(WORDS)
    boards = load_boards(file)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SOURCE_DATE_EPOCH", WHEN)
        for name in models:
            store_answers(folder, boards, name)
    for name, differing in OFFERED.items():
        _offer(folder, boards, name, differing)
    build(file, folder / "results", output)


def _offer(folder: Path, boards: Boards, id_: str, differing: tuple[int, ...]) -> None:
    """Make the copy of a model, and the record that it was compared."""
    spec = next(model for model in boards.models if model.id == id_)
    work, store = folder / ".steelyard", Store(folder / "results")
    made = board_prepared(spec, boards, folder, folder, work)
    copy, _ = make_copy(id_, board_model(spec, boards, folder, folder, work), work / COPIES)
    result = store.find("sentiment", "d", id_)
    assert result is not None
    assert result.predictions is not None
    check = BrowserCheck(
        task="sentiment",
        dataset="d",
        dataset_revision=result.dataset.revision,
        model=id_,
        predictions=result.predictions.sha256,
        copy_sha256=copy.content_hash(),
        revision=made.revision,
        size=copy.size,
        runtime="Pyodide in Node.js",
        asked=500,
        agreed=500 - len(differing),
        differing=differing,
        largest_difference=0.0,
        tool="steelyard",
    )
    store.save_record(check)
