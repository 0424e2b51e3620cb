"""Browser copies in the site: which models a visitor may try, their files, and the code that runs them."""

from __future__ import annotations

from pathlib import Path

from site_src.generator.runtime import EVALUATOR

#: What runs models in a page, as paths in `evaluator`. A test holds it to import nothing else.
MODULES = (
    "plain_text.py",
    "suggesting.py",
    *(f"browser_models/{name}.py" for name in ("__init__", "answering", "features", "linear")),
    *(
        f"models/{name}.py"
        for name in ("__init__", "base", "fasttext", "handler", "lexicon", "majority", "whole_context")
    ),
    *(f"suites/{name}.py" for name in ("__init__", "base", "edits", "errors", "perturbing")),
    *(
        f"{folder}/{path.name}"
        for folder in ("suites/robustness", "tasks")
        for path in sorted(EVALUATOR.glob(f"{folder}/*.py"))
    ),
)


def module_texts() -> dict[str, str]:
    """The texts of these modules, by path."""
    return {name: Path(EVALUATOR, name).read_text("utf-8") for name in MODULES}
