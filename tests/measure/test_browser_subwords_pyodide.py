"""Tokenisers of subwords as a page runs them: in Pyodide, whose Python and Unicode are other ones than here."""

from __future__ import annotations

import json
import random
from pathlib import Path

from in_pyodide import in_pyodide
from subword_tokenizers import BYTE_PAIRS, PIECES, TEXTS
from test_browser_subwords import ODD

from evaluator.tryit.encoder_export import described
from site_src.generator.browser_copies import LISTS, MODULES, SUBWORDS

PROGRAM = """
import json
from evaluator.tryit.subwords import Subwords
asked = json.loads(text)
print(json.dumps([
    [Subwords(spec).encode([one], 10_000)["ids"] for one in asked["texts"]] for spec in asked["tokenizers"]
]))
"""


def test_a_page_numbers_subwords_as_the_library_does(tmp_path: Path) -> None:
    """Every kind of tokeniser, from the modules that a site publishes, of hostile texts and rare characters."""
    chosen = random.Random(0)
    pieces = [*ODD, *TEXTS, "good", "film", " a ", " ", "."]
    mixed = ["".join(chosen.choices(pieces, k=8)) for _ in range(200)]
    rare = ["".join(map(chr, range(start, 0xD800, 864))) for start in range(13, 864, 7)]
    texts = [*mixed, *rare]
    libraries = [make() for make in (*BYTE_PAIRS, *PIECES)]
    asked = json.dumps({"texts": texts, "tokenizers": [described(library) for library in libraries]})
    answered = json.loads(in_pyodide(PROGRAM, (*MODULES, *SUBWORDS, *LISTS), tmp_path, asked))
    for library, found in zip(libraries, answered, strict=True):
        assert found == [library.encode(text).ids for text in texts]
