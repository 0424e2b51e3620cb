"""What a page asks in words: many things in one message, with the modules that its worker loads."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

from shown_boards import read, shown_board

from evaluator import rank
from evaluator.rank.page_words import say

ROOM = Path(rank.__file__).parent
WORKER = Path(__file__).parents[2] / "site_src" / "assets" / "scorer" / "scorer-worker.js"


def needed(module: str, known: set[str]) -> set[str]:
    """The modules of the room that one imports, and these import."""
    tree = ast.parse((ROOM / f"{module}.py").read_text(encoding="utf-8"))
    froms = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    for name in (
        name.removeprefix("evaluator.rank.") for name in froms if name.startswith("evaluator.rank.")
    ):
        if name not in known:
            known |= {name} | needed(name, known | {name})
    return known


def listed(name: str) -> set[str]:
    found = re.search(rf"const {name} = \[(.*?)\];", WORKER.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return set(re.findall(r'"(\w+)"', found[1]))


def test_a_page_asks_many_things_at_once() -> None:
    """They are answered by name, of the board at one question."""
    shown = shown_board()
    asked = {
        "question": {"metrics": {"acc": 1.0}, "datasets": {"sst": 1.0}},
        "about": shown.about,
        "asks": {"leaders": {"sets": None}, "leaving": {"moves": {}}, "frame": {"address": "https://x.org/"}},
    }
    found = json.loads(say(shown.board, json.dumps(asked)))
    assert read([found["leaders"]]) == "Top three: 1 BERT, 2 SVM, 3 Rules"
    assert found["leaving"] == [["Whichever model leaves, no other changes place."]]
    assert found["frame"].startswith('<iframe src="https://x.org/" title="Sentiment"')


def test_the_worker_loads_what_its_questions_need() -> None:
    """What ranks at once, and the rest when first asked for: nothing is missing and nothing is loaded in vain."""
    entries = ("page_words", "rank_answers", "what_if", "tradeoffs")
    wanted = {*entries, *(name for entry in entries for name in needed(entry, set()))}
    assert listed("SCORERS") | listed("REST") == wanted
