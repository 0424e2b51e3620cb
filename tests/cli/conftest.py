"""The program called in the process of the tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evaluator.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls the program; gives its exit code, stdout and stderr."""

    def call(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        done = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, done.out, done.err

    return call
