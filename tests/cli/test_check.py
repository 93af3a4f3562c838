"""`checkpoint check`, and `checkpoint.check`: what is refused, found before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import checkpoint
from checkpoint.errors import RunError
from tests.cli.support import checkpoint as shell
from tests.python.texts import defined

TEXT = """\
import subprocess
import threading

lock = threading.Lock()
names = {"lock": lock}


def helper(x):
    if x < 0.0:
        eval("x")
        exec("x")
    return x


def f(x):
    with lock:
        pass
    if lock is None or not lock:
        lock.acquire()
    held = lock
    later = [subprocess.run, held]
    y = held + helper(x)
    return y if y else subprocess.run(later) + id(x)


def plain(x):
    return x * x


class Model:
    def loss(self, x):
        return id(x)


def of_model(model, x):
    return model.loss(x)


async def later(x):
    return x
"""


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(TEXT)
    done = shell("check", f"{path}:f")
    assert (done.returncode, done.stderr) == (1, "")
    lines = [line.removeprefix(f"{path}:").split(": ") for line in done.stdout.splitlines()]
    places = [line[0] for line in lines]
    assert places == ["10:9", "11:9", "16:5", "19:9", "22:9", "23:24", "23:48"]
    assert lines[0][1:] == ["`eval`", "write the expression"]
    assert lines[-1][1] == "`id`"
    assert "lock is of type _thread.lock, which no program can take" in done.stdout
    done = shell("check", f"{path}:plain")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = shell("check", f"{path}:later")
    assert (done.returncode, done.stdout) == (
        1,
        f"{path}:39:1: an async function: write it with a plain def\n",
    )
    assert shell("check", f"{path}:nothing").returncode == 1
    assert shell("check", f"{path}").returncode == 2


def test_texts_of_the_small_language(tmp_path: Path) -> None:
    path = tmp_path / "f.vlad"
    path.write_text("(lambda (x) (* x x))")
    assert shell("check", path).returncode == 0
    path.write_text("(lambda (x) (* x y))")
    done = shell("check", path)
    assert done.returncode == 1
    assert "unbound variable y" in done.stderr


def test_the_function() -> None:
    module: Any = defined(TEXT)
    found = checkpoint.check(module["helper"])
    assert [(each.line, each.column, each.what) for each in found] == [(10, 9, "`eval`"), (11, 9, "`exec`")]
    assert str(found[1]) == f"{module['__file__']}:11:9: `exec`: write the statements"
    assert checkpoint.check(module["plain"]) == []
    assert checkpoint.check(lambda x, *, scale: x * scale) == []


def test_classes_are_known_from_examples() -> None:
    module: Any = defined(TEXT)
    assert checkpoint.check(module["of_model"]) == []
    (found,) = checkpoint.check(module["of_model"], module["Model"](), 2.0)
    assert (found.line, found.what) == (32, "`id`")


def test_functions_that_others_call() -> None:
    text = """\
import subprocess
def f(x):
    if callable(subprocess.run) and subprocess.run is not None:
        x = x * 2.0
    return sum(map(subprocess.run, [x])) + sorted([x], key=id)[0]
"""
    found = checkpoint.check(defined(text)["f"])
    assert [(each.line, each.column, each.what) for each in found] == [
        (5, 16, "`subprocess.run`"),
        (5, 44, "`id`"),
    ]


def test_what_has_no_text() -> None:
    names: dict[str, Any] = {}
    exec("def f(x):\n    return x\n", names)
    (found,) = checkpoint.check(names["f"])
    assert (found.file, found.line) == ("<string>", 1)
    (found,) = checkpoint.check(isinstance)
    assert found.what.startswith("isinstance, for which there is no rule")
    with pytest.raises(RunError, match="check needs a function, not a float"):
        checkpoint.check(3.0)  # type: ignore[arg-type]
