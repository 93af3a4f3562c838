"""What is translated when: with units that are written by hand, and with whole programs, bit for bit."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import checkpoint
from checkpoint.ctarget import code
from checkpoint.ctarget.translate import cache, compiler, policy, translation
from checkpoint.driver.schedule import BaseCase, Bisection
from tests.ctarget.translate.units import (
    calls,
    counting_compiler,
    fake_compiler,
    needs_c,
    needs_compiler,
    plain,
)

pytestmark = needs_c


def climb(x: float, n: int) -> float:
    y = x
    for _ in range(n):
        y = y + 0.001 * math.sin(y) * x
    return y


@pytest.fixture(autouse=True)
def translator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[policy.Translator]:
    """A translator, a cache and runs of a process that has translated nothing yet."""
    monkeypatch.setenv("CHECKPOINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    fresh = policy.Translator()
    monkeypatch.setattr(policy, "translator", fresh)
    yield fresh
    for each in fresh.pending:
        each.wait()


def another(f: Callable[..., float]) -> Callable[..., Any]:
    """A function of the same text that nobody has run."""
    made: Callable[..., Any] = checkpoint.function(f) if hasattr(checkpoint, "function") else f
    return made


@dataclass
class Fakes:
    """Stand-ins for all that makes units: what was asked of them. refuses: specialise finds nothing to be done."""

    looked_at: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    installed: list[str] = field(default_factory=list)
    refuses: bool = False
    text: str = plain(1)

    def seen(self, held: Any) -> tuple[Any, dict[int, Any]]:
        peer = code.peer_at(policy.runtime().lib.ck_machine_standing(held).block)
        return peer, {}

    def specialise(self, peer: Any, shapes: dict[int, Any]) -> Any:
        self.looked_at.append(peer.block.label)
        return None if self.refuses else SimpleNamespace(heads=[SimpleNamespace(block=peer, entry=())])

    def plain_source(self, unit: Any) -> str:
        self.written.append("plain")
        return self.text

    def taped_source(self, unit: Any) -> str:
        self.written.append("taped")
        return self.text + "/* taped */\n"

    def header_words(self, unit: Any) -> int:
        return 3

    def install(self, unit: Any, plain: Any, taped: Any, header: int = 0) -> None:
        assert (plain is None) != (taped is None)
        assert header == (0 if taped is None else 3)
        self.installed.append("plain" if taped is None else "taped")


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Fakes:
    made = Fakes()
    monkeypatch.setattr(translation, "_made_by", lambda name: getattr(made, name))
    return made


def fresh_climb() -> Callable[..., float]:
    """A program that was never run."""
    space: dict[str, Any] = {"math": math}
    name = f"climb_{len(_FRESH)}"
    path = Path(_FOLDER[0]) / f"{name}.py"
    path.write_text(
        f"import math\n\n\ndef {name}(x, n):\n    y = x\n    for _ in range(n):\n"
        "        y = y + 0.001 * math.sin(y) * x\n    return y\n"
    )
    exec(compile(path.read_text(), str(path), "exec"), space)
    made: Callable[..., float] = space[name]
    _FRESH.append(made)
    return made


_FRESH: list[Any] = []
_FOLDER: list[str] = []


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> None:
    _FOLDER[:] = [str(tmp_path)]


def advanced(f: Callable[..., float], n: int) -> float:
    """The value of a run without a tape."""
    value: float = checkpoint.run(f, 0.9, n, engine="c")
    return value


@needs_compiler
def test_a_run_has_the_plain_form_made_a_gradient_both(fakes: Fakes) -> None:
    f = fresh_climb()
    advanced(f, 3000)
    assert set(fakes.written) == {"plain"}
    assert fakes.installed == fakes.written
    checkpoint.grad(f, engine="c")(0.9, 3000)
    assert "taped" in fakes.installed
    assert sorted(fakes.installed) == sorted(fakes.written)
    assert len(fakes.looked_at) == len(set(fakes.looked_at))
