"""A plugin for pytest: tests run in processes forked from the one that has collected them.

    python tests/forked_tests.py --forks=4 [--first=FILE ...] [PYTEST ARGUMENTS]

To collect all tests takes a quarter of a minute and hundreds of megabytes, most of it for imports; processes that
are forked do not do it again, and share the memory. Each takes one file after the other, the first ones first, and
keeps its fixtures of the session from file to file. The process that was forked from runs no test, and reports all.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection, Pipe, wait

import pytest

Files = dict[str, list[pytest.Item]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--forks", type=int, default=0, help="run files in so many forked processes")
    parser.addoption(
        "--first", action="append", default=[], help="a file to begin with: those that take long"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("forks"):
        config.pluginmanager.register(Forking(), "forking")


class Forking:
    """Gives files to processes, and reports what they say of tests as if they had run here."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        # Where something could not be collected, pytest says so by itself.
        if session.testsfailed or session.config.option.collectonly:
            return None
        self.session, self.files = session, by_file(session)
        self.queue = list(self.files)
        #: The process at the end of each connection, and the test that it is in.
        self.processes: dict[Connection, int] = {}
        self.running: dict[Connection, str] = {}
        # What is here stays: no process looks through it for garbage, which would copy it.
        gc.collect()
        gc.freeze()
        for _ in range(min(session.config.getoption("forks"), len(self.files))):
            self.start()
        while self.processes:
            for connection in wait(list(self.processes)):
                self.hear(connection)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        return True

    def start(self) -> None:
        ours, theirs = Pipe()
        process = os.fork()
        if not process:
            # Where others keep an end of theirs open, nobody hears that it has ended.
            for connection in [ours, *self.processes]:
                connection.close()
            be_forked(self.session, self.files, theirs)
        theirs.close()
        self.processes[ours] = process

    def hear(self, connection: Connection) -> None:
        try:
            kind, said = connection.recv()
        except EOFError:
            self.ended(connection)
            return
        if kind == "next":
            connection.send(self.queue.pop(0) if self.queue and not self.session.shouldfail else None)
        elif kind == "start":
            self.running[connection] = said
        else:
            hook = self.session.config.hook
            self.report(hook.pytest_report_from_serializable(config=self.session.config, data=said))

    def report(self, report: pytest.TestReport) -> None:
        hook = self.session.config.hook
        hook.pytest_runtest_logreport(report=report)
        if report.when == "teardown":
            for connection, test in list(self.running.items()):
                if test == report.nodeid:
                    del self.running[connection]
            hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)

    def ended(self, connection: Connection) -> None:
        """A process has ended: in the middle of a test, which has failed then with the rest of its file, or not."""
        code = os.waitstatus_to_exitcode(os.waitpid(self.processes.pop(connection), 0)[1])
        test = self.running.pop(connection, None)
        connection.close()
        if test is None and not code:
            return
        names = (
            [item.nodeid for item in self.files[test.split("::")[0]]] if test else ["(a process of tests)"]
        )
        for name in names[names.index(test) if test else 0 :]:
            self.report(lost(name, f"the process ended with {code} in {test or 'no test'}"))
        # One that ends outside of tests would do so again.
        if test:
            self.start()


def by_file(session: pytest.Session) -> Files:
    """The tests of each file, those files first that are to be."""
    found: Files = {name: [] for name in session.config.getoption("first")}
    for item in session.items:
        found.setdefault(item.nodeid.split("::")[0], []).append(item)
    return {name: items for name, items in found.items() if items}


def lost(test: str, why: str) -> pytest.TestReport:
    """What is reported of a test that nobody else reports."""
    where = (test.split("::")[0], None, test)
    return pytest.TestReport(test, where, {}, "failed", why, "call")


def be_forked(session: pytest.Session, files: Files, connection: Connection) -> None:
    """Be a process of tests until there are no more; never returns."""
    code = 1
    try:
        capture = session.config.pluginmanager.getplugin("capturemanager")
        # What is captured would else go to one file with that of other processes.
        capture.stop_global_capturing()
        capture.start_global_capturing()
        capture.suspend_global_capture()
        session.config.pluginmanager.unregister(name="terminalreporter")
        session.config.pluginmanager.register(Reporting(session.config, connection), "reporting")
        run(session, assigned(files, connection))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        os._exit(code)


def assigned(files: Files, connection: Connection) -> Iterator[pytest.Item]:
    """The tests of the files that this process is given; the next file is asked for when its first test is."""
    while True:
        connection.send(("next", None))
        name = connection.recv()
        if name is None:
            return
        yield from files[name]


def run(session: pytest.Session, items: Iterator[pytest.Item]) -> None:
    """Each test is told of the next one, which decides what fixtures are kept."""
    item = next(items, None)
    while item is not None:
        following = next(items, None)
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        item = following


class Reporting:
    """Tells the process that reports everything."""

    def __init__(self, config: pytest.Config, connection: Connection) -> None:
        self.config, self.connection = config, connection

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.connection.send(("start", nodeid))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.connection.send(("report", data))


if __name__ == "__main__":
    sys.exit(pytest.main(sys.argv[1:], plugins=[sys.modules[__name__]]))
