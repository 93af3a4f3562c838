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


def test_pictures_of_deep_networks(tmp_path: Path) -> None:
    pictures = import_module("experiments.depth_pictures")
    row = {"memory": 1 << 20, "each": False, "growth": 1 << 19}
    rows = [
        {**row, "method": name, "depth": n, "ms": 2.0} for name in ("JAX, scan", "PyTorch") for n in (1, 9)
    ]
    pictures.over_depth({"rows": [*rows, {"error": "no memory"}]}, tmp_path / "depth.png")
    curve = [{"step": 1, "loss": 2.0, "accuracy": 0.5}]
    pictures.training({"depth": 4, "curve": curve}, ("loss", "accuracy"), tmp_path / "train.png")
    found = {"PyTorch": {"ResNet": {"depth": 40}}, "JAX, scan": {"ResNet": {"depth": 9}, "GPT": {"depth": 2}}}
    pictures.deepest({"cap": 1 << 20, "found": found}, tmp_path / "deepest.png")
    for path in tmp_path.iterdir():
        assert path.read_bytes().startswith(b"\x89PNG")
    assert len(list(tmp_path.iterdir())) == 3


def test_a_picture_of_the_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw = import_module("experiments.pictures.draw")  # here, since it needs matplotlib
    path = tmp_path / "demo.png"
    options = Namespace(engine=engines.get().name, over="steps")
    draw.draw(draw.Subject(Bisection(100_000), "by bisection"), path, options)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size < 150_000
    assert "by Bisection(base=100000, tape_bytes=None)" in capsys.readouterr().out
