"""`checkpoint demo raytracer`: the losses, the picture, and what it says without NumPy or matplotlib."""

from __future__ import annotations

import importlib.util
import re
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from checkpoint import engines
from checkpoint.cli import demo_raytracer
from checkpoint.cli.errors import OK, UsageError
from tests.cli.support import checkpoint

LINE = re.compile(r"^ *(\d+)  +(\d\.\d+)  \((.*)\)$", re.MULTILINE)


def check(text: str) -> None:
    losses = [float(loss) for _, loss, _ in LINE.findall(text)]
    assert len(losses) > 3
    assert losses[-1] < 0.3 * losses[0]
    assert "def shoot_ray(x: float, y: float, scene: Scene) -> Color:" in text


def test_it_finds_the_light_and_draws(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = checkpoint("demo", "raytracer", "--size", "6x5", "-o", "seen.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    check(done.stdout)
    assert done.stdout.endswith("\npicture: seen.png\n")
    assert (tmp_path / "seen.png").read_bytes().startswith(b"\x89PNG")


def without(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec

    def find(module: str, package: str | None = None) -> ModuleSpec | None:
        return None if module == name else found(module, package)

    monkeypatch.setattr(importlib.util, "find_spec", find)


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    without("matplotlib", monkeypatch)
    assert demo_raytracer.run(engines.get(), None, (6, 5)) == OK
    text = capsys.readouterr().out
    check(text)
    assert "no picture: pictures need matplotlib, which is not installed: pip install" in text


def test_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    without("numpy", monkeypatch)
    with pytest.raises(UsageError, match=r"need NumPy.*pip install 'checkpoint-ad\[arrays\]'"):
        demo_raytracer.run(engines.get(), None, (6, 5))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["raytracer", "--size", "6"], "expected a width and a height, as 160x120, got '6'"),
        (["raytracer", "--size", "0x5"], "expected a width and a height, as 160x120, got '0x5'"),
        (["raytracer", "-o", "seen.txt"], "-o seen.txt: the suffix must be that of a format of pictures"),
        (["-o", "seen.png"], "-o and --size are for `checkpoint demo raytracer`"),
        (["film"], "invalid choice: 'film'"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str) -> None:
    done = checkpoint("demo", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
