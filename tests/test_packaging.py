"""The wheel carries everything: installed in an empty environment it builds a site elsewhere."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_wheel_in_an_empty_environment_builds_a_site(tmp_path: Path) -> None:
    """Built, installed without extras and run from another folder, the wheel makes the site."""
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT, cwd=tmp_path)
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", next(tmp_path.glob("*.whl")), cwd=tmp_path)
    installed = run(python, "-m", "pip", "list", cwd=tmp_path)
    assert not {"torch", "transformers", "scikit-learn"} & set(installed.split())
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "board.toml").write_bytes((ROOT / "board.toml").read_bytes())
    steelyard = tmp_path / "env" / "bin" / "steelyard"
    run(steelyard, "build", "--results", ROOT / "results", "--output", elsewhere / "site", cwd=elsewhere)
    assert "DeBERTa" in (elsewhere / "site" / "nli" / "index.html").read_text()
    assert "A worked example" in (elsewhere / "site" / "method" / "dynascore" / "index.html").read_text()
    assert list((elsewhere / "site").rglob("dynascore*.py"))
    run(steelyard, "init", "new", "--licence", "Apache-2.0", cwd=elsewhere)
    run(steelyard, "build", "--board", "new/board.toml", "--output", "new/build", cwd=elsewhere)
    assert (elsewhere / "new" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
