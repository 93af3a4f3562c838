"""The README's pictures can be drawn."""

from __future__ import annotations

from argparse import Namespace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from checkpoint import engines
from checkpoint.driver.schedule import Bisection

pytestmark = pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")


def test_a_picture_of_the_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw = import_module("experiments.pictures.draw")  # here, since it needs matplotlib
    path = tmp_path / "demo.png"
    options = Namespace(engine=engines.get().name, over="steps")
    draw.draw(draw.Subject(Bisection(100_000), "by bisection"), path, options)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size < 150_000
    assert "by Bisection(base=100000, tape_bytes=None)" in capsys.readouterr().out
