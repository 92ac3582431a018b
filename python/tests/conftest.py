# SPDX-License-Identifier: Apache-2.0
"""Reports skipped tests as the tally of scripts/test.sh reads them (TAP), with their reasons."""
from __future__ import annotations

import pytest

skipped: list[tuple[str, str]] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collects what a test skips, with the name of the test and the reason."""
    if report.skipped and isinstance(report.longrepr, tuple):
        skipped.append((report.nodeid.rpartition("::")[2], report.longrepr[2]))


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Collects files that are skipped as a whole (pytest.importorskip at their head)."""
    if report.skipped and isinstance(report.longrepr, tuple):
        skipped.append(("all", report.longrepr[2]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints one line per skip: ok NUMBER NAME # skip REASON."""
    for number, (name, reason) in enumerate(skipped, 1):
        reason = reason.removeprefix("Skipped: ").removeprefix("skipped: ")
        terminalreporter.write_line(f"ok {number} {name} # skip {reason}")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A file whose tests are all skipped has passed: its skips are in the tally."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and skipped:
        session.exitstatus = pytest.ExitCode.OK
