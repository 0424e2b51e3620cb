"""Two things never share a name."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("evaluator", "site_src/generator")
#: What begins the name of a class or of a type in a script: `typedef` is followed by a type in braces, if by any.
DECLARED = re.compile(r"^ *(?:export )?(?:class|interface|type) (\w+)|@typedef\s+", re.MULTILINE)
#: A function or a method of a script; branches look alike.
CALLED = re.compile(r"^ *(?:export )?(?:async |static |get |function\*? )*#?(\w+)\([^;]*\) \{$", re.MULTILINE)
#: What says that something was done, and not what comes back.
DONE = {"asked", "heard", "said", "spoken", "told", "wanted"}
#: Lines of a module that need no reason.
LONGEST = 400


def shared(names: Iterable[tuple[str, str]]) -> Mapping[str, list[str]]:
    """The names that stand in more than one place, of pairs of a name and its place."""
    places: dict[str, list[str]] = defaultdict(list)
    for name, place in names:
        places[name].append(place)
    return {name: found for name, found in places.items() if len(found) > 1}


def python_types() -> Iterator[tuple[str, str]]:
    """Public classes of Python, and names that modules give to types; type variables are no types."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            module = ast.parse(path.read_bytes())
            for node in ast.walk(module):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    yield node.name, f"{path.relative_to(ROOT)}:{node.lineno}"
            for statement in module.body:
                if isinstance(statement, ast.Assign) and not ast.unparse(statement.value).startswith(
                    "TypeVar("
                ):
                    for target in statement.targets:
                        if isinstance(target, ast.Name) and re.fullmatch("[A-Z][a-z]\\w*", target.id):
                            yield target.id, f"{path.relative_to(ROOT)}:{statement.lineno}"


def scripts() -> Iterator[Path]:
    """Every script of the site, and the types that several of them share."""
    for folder in ("assets", "local"):
        yield from sorted((ROOT / "site_src" / folder).rglob("*.js"))
    yield ROOT / "site_src" / "types.d.ts"


def script_types() -> Iterator[tuple[str, str]]:
    """Classes and types of the scripts."""
    for path in scripts():
        text = path.read_text(encoding="utf-8")
        for found in DECLARED.finditer(text):
            name = found[1] or named_after(text[found.end() :])
            yield name, f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}"


def named_after(text: str) -> str:
    """The first word after a type in braces, if the text begins with one."""
    depth = 0
    for place, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if not depth and character.isalpha():
            return re.match(r"\w+", text[place:])[0]  # type: ignore[index]
    raise ValueError(text[:40])


def test_no_two_public_classes_share_a_name() -> None:
    """The name of a class or type says which one it is, without a look at the imports."""
    found = list(python_types())
    assert len(found) > 700
    assert shared(found) == {}


def test_no_two_classes_of_scripts_share_a_name() -> None:
    """Nor do those of the scripts."""
    found = list(script_types())
    assert len(found) > 250
    assert shared(found) == {}


def test_no_two_scripts_share_a_name() -> None:
    """A message of a browser names a script without its folder."""
    assert shared((path.name, str(path.relative_to(ROOT))) for path in scripts()) == {}


def test_functions_are_named_by_what_they_return() -> None:
    """A verb in the past says neither what a function does nor what it gives."""
    modules = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    trees = {path: ast.walk(ast.parse(path.read_bytes())) for path in modules}
    named = [
        (path, node.name)
        for path, tree in trees.items()
        for node in tree
        if isinstance(node, ast.FunctionDef)
    ]
    named += [(path, name) for path in scripts() for name in CALLED.findall(path.read_text("utf-8"))]
    assert len(named) > 5000
    assert [(str(path), name) for path, name in named if name.strip("_") in DONE] == []


def test_a_long_module_says_why() -> None:
    """One of more than 400 lines gives its reason in what it says of itself, or is cut into two."""
    modules = [path for package in (*PACKAGES, "benchmarks") for path in (ROOT / package).rglob("*.py")]
    heads = {path: (ast.get_docstring(ast.parse(path.read_bytes())) or "") for path in modules}
    heads |= {path: re.match(r"(?://.*\n)*", path.read_text("utf-8"))[0] for path in scripts()}  # type: ignore[index]
    assert len(heads) > 500
    long = [path for path in heads if len(path.read_text("utf-8").splitlines()) > LONGEST]
    assert [str(path) for path in long if not re.search(r"\blong\b", heads[path])] == []


def test_no_test_imports_a_conftest() -> None:
    """Several folders have one, all of the same name: which it is would depend on what pytest was asked to run."""
    imports = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_bytes()))
        if (isinstance(node, ast.ImportFrom) and node.module == "conftest")
        or (isinstance(node, ast.Import) and "conftest" in [name.name for name in node.names])
    ]
    assert imports == []
