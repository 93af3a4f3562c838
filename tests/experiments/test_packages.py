"""The set of real code: how calls are judged, the scripts that work, and the page that reports them."""

from __future__ import annotations

import importlib
import json
import math
from typing import Any

import numpy as np
import pytest

from checkpoint import engines
from experiments.common import RESULTS
from experiments.packages import judge, report, run
from experiments.packages.case import Case

VERDICTS = json.loads((RESULTS / "packages.json").read_text(encoding="utf-8"))
ENGINE = "c" if "c" in engines.usable() else "hybrid"
WORKING = {each["name"] for each in VERDICTS if each["outcome"] == "works"}
SCRIPTS = [case for name in run.SCRIPTS for case in importlib.import_module(run.SCRIPT_FOLDER + name).CASES]


# What stays is said in docs/design/engines.md.
@pytest.mark.filterwarnings("ignore:.*accumulators of objects.*are left:ResourceWarning")
@pytest.mark.parametrize(
    "case", [case for case in SCRIPTS if case.title in WORKING], ids=lambda case: case.title
)
def test_scripts_that_work_go_on_working(case: Case) -> None:
    verdict = judge.judged(case, (ENGINE,))
    assert (verdict.outcome, verdict.reason) == ("works", "")


def test_every_package_is_pinned() -> None:
    versions = report.versions()
    found = {package for _, package in run.subjects() if not package.startswith(report.SCRIPTS)}
    assert [package for package in sorted(found) if not report.version_of(package, versions)] == []
    assert len(found) >= 20


def test_the_page_is_that_of_the_last_run() -> None:
    assert report.PAGE.read_text(encoding="utf-8") == report.page(VERDICTS, report.versions())


def works(x: float, xs: Any) -> Any:
    return {"a": x * xs[0], "b": np.sin(xs) * x}


def raises(x: float) -> float:
    return [x][int(x)]


HOLDER = [1.0]


def changes(x: float) -> float:
    HOLDER[0] += 1.0
    return x * HOLDER[0]


def normalises(xs: Any) -> Any:
    xs /= np.linalg.norm(xs)
    return xs[0] * xs[1]


@pytest.mark.parametrize(
    ("case", "outcome", "reason"),
    [
        (Case("math", normalises, (np.array([1.0, 2.0]),), has_state=True), "works", ""),
        (Case("math", normalises, (np.array([1.0, 2.0]),)), "refused", "pass has_state=True"),
        (Case("math", works, (0.5, np.array([1.0, 2.0]))), "works", ""),
        (Case("math", math.sqrt, (2.0,)), "works", ""),
        (Case("math", raises, (2.5,)), "fails", "IndexError"),
        (Case("math", changes, (2.5,)), "fails", "another value at each call"),
    ],
)
def test_verdicts(case: Case, outcome: str, reason: str) -> None:
    verdict = judge.judged(case, (ENGINE,))
    assert verdict.outcome == outcome
    assert reason in verdict.reason


def test_a_wrong_gradient_is_seen() -> None:
    case = Case("math", math.sqrt, (2.0,))
    judge.compare(case, 1.0, (0.5 / math.sqrt(2.0),))
    with pytest.raises(judge.Mismatch, match="the slope is"):
        judge.compare(case, 1.0, (0.36,))
