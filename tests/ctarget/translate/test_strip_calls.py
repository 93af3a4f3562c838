"""Strips call functions of C lane by lane, whose operands they take out of vectors.

They leave no upper halves of vectors behind: Intel's processors take ten times as long otherwise.
"""

from __future__ import annotations

import math
import re
import subprocess
from pathlib import Path
from typing import Any

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
LOOP = re.compile(r"^( *)(FOR_LANES\(.*?\n)\1}", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"(?:\n[^\n]*){12}\n\s*call\s+exp\b")  # with what precedes it


def waves(x: float, n: float) -> float:
    while n > 0.0:
        x, n = math.sin(x) + math.exp(-x), n - 1.0
    return x


def written(f: Any) -> str:
    """Return the C that runs lanes of a function in strips."""
    ns = np.full(LANES, 30.0)
    units = units_of(lambda: checkpoint.vmap(f, engine="c")(np.linspace(0.0, 1.0, LANES), ns))
    (text,) = [text for unit in units if "strip_plain" in (text := emitted.source(unit, "plain"))]
    return text


@pytest.mark.skipif(not target.pragma(), reason="vectors of this processor have no upper halves")
def test_upper_halves_are_clean_at_calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not is_alone():
        check_alone(__file__, "clean_at_calls")
        return
    translate_soon(monkeypatch)
    text = written(waves)
    (tmp_path / "unit.c").write_text(text)
    compiler = find()
    assert compiler is not None
    command = compiler.command(str(tmp_path / "unit.c"), str(tmp_path / "unit.s"))
    subprocess.run([*[word for word in command if word != "-shared"], "-S"], check=True)
    before = [found.group() for found in CALL.finditer((tmp_path / "unit.s").read_text())]
    assert any("vzeroupper" in line for line in before), before


def tangled(x: float, n: float) -> float:
    """Call functions that read what others return, that do not, and what is computed between them."""
    while n > 0.0:
        a, b = math.sin(x), math.exp(-x)
        c = math.cos(a * 2.0) + math.tanh(b)
        if c > 0.5:
            c = math.log1p(math.sqrt(x * x)) - c
        x, n = math.atan(a + c) + math.sinh(0.5 * b), n - 1.0
    return x


def test_one_loop_calls_functions_that_do_not_need_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_alone():
        check_alone(__file__, "do_not_need_one_another")
        return
    translate_soon(monkeypatch)
    loops = [re.findall(r"value_(\w+)\(", part) for _, part in LOOP.findall(written(tangled))]
    called = [names for names in loops if names]
    assert [sorted(names) for names in called] == [
        ["exp", "sin"],
        ["cos", "tanh"],
        ["log1p"],
        ["atan", "sinh"],
    ]


def test_calls_that_need_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    translate_soon(monkeypatch)
    strips = counted(monkeypatch)
    xs, ns = np.linspace(0.0, 2.0, LANES), np.arange(LANES) % 7 + 1.0
    want = np.array([tangled(x, n) for x, n in zip(xs.tolist(), ns.tolist(), strict=True)]).tobytes()
    for _ in until_in_strips(strips):
        assert checkpoint.vmap(tangled, engine="c")(xs, ns).tobytes() == want
    assert strips.value > 0


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
