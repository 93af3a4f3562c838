"""Strips call functions of C lane by lane, whose operands they take out of vectors.

They leave no upper halves of vectors behind: Intel's processors take ten times as long otherwise.
"""

from __future__ import annotations

import math
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import checkpoint
from checkpoint.ctarget.translate.collected import units_of
from checkpoint.ctarget.translate.compile.compiler import find
from checkpoint.ctarget.translate.emit import text as emitted
from checkpoint.ctarget.translate.strips import target
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.alone import check_alone, is_alone
from tests.support.strips import counted, translate_soon, until_in_strips

pytestmark = [needs_c, needs_compiler]

LANES = 400
CALL = re.compile(r"(?:\n[^\n]*){12}\n\s*call\s+exp\b")  # with what precedes it


def waves(x: float, n: float) -> float:
    while n > 0.0:
        x, n = math.sin(x) + math.exp(-x), n - 1.0
    return x


@pytest.mark.skipif(not target.pragma(), reason="vectors of this processor have no upper halves")
def test_upper_halves_are_clean_at_calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not is_alone():
        check_alone(__file__, "clean_at_calls")
        return
    translate_soon(monkeypatch)
    ns = np.full(LANES, 30.0)
    units = units_of(lambda: checkpoint.vmap(waves, engine="c")(np.linspace(0.0, 1.0, LANES), ns))
    (text,) = [text for unit in units if "strip_plain" in (text := emitted.source(unit, "plain"))]
    (tmp_path / "unit.c").write_text(text)
    compiler = find()
    assert compiler is not None
    command = compiler.command(str(tmp_path / "unit.c"), str(tmp_path / "unit.s"))
    subprocess.run([*[word for word in command if word != "-shared"], "-S"], check=True)
    before = [found.group() for found in CALL.finditer((tmp_path / "unit.s").read_text())]
    assert any("vzeroupper" in line for line in before), before


def kept(x: float, n: float) -> float:
    if n > 1.0 and x > 5.0:
        return x
    return math.sin(x) * x  # where both ways meet that do not return


def test_a_partial_reads_what_a_lane_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A param that is the same throughout a lane is a vector, of which no record has the value."""
    translate_soon(monkeypatch)
    strips = counted(monkeypatch)
    xs, ns = np.linspace(0.0, 2.0, LANES), np.full(LANES, 30.0)

    def gradient(engine: str) -> bytes:
        def total(xs: np.ndarray) -> float:
            return float(np.sum(checkpoint.vmap(kept)(xs, ns)))

        return bytes(checkpoint.grad(total, engine=engine)(xs).tobytes())

    want = gradient("hybrid")
    for _ in until_in_strips(strips):
        assert gradient("c") == want
    assert strips.value > 0
