"""What cannot be translated ends a run where it is reached, and changes nothing in other runs."""

from __future__ import annotations

import contextlib
import linecache
import math
import queue
import sys
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

import checkpoint
from checkpoint.errors import RunError, SourceError
from tests.python.texts import defined, run

pytestmark = pytest.mark.engines_in_turn

# Refused statements and expressions, each in a line of its own.
LINES = [
    "with LOCK: y = x",
    "async def y(): return 1.0",
    "y = id(print(x))",
    "y = eval('x')",
    "y = no.such.name.of(x)",
    "y = math.no_such_function(x)",
    "y = LOCK.acquire()",
    "LOG.put('here')",
    "y = LOG.maxsize",
    "y = TABLE['lock'] + x",
    "y = LOCK + x",
    "y = [v for v in LOCK]",
    "TABLE['rate'] = x",
]
NAMES = {
    "math": math,
    "sys": sys,
    "LOCK": threading.Lock(),
    "LOG": queue.Queue(),
    "TABLE": {"lock": threading.Lock(), "rate": 2.0},
    "no": queue,
}

PLAIN = """\
def f(x, deep):
    y = 1.0
    for i in range(20):
        try:
            if i == deep:
                {line}
            x = x * 1.01 + y
        except Exception:
            return 0.0
        except BaseException:
            return 1.0
        finally:
            y = y + 0.5
    return x * x
"""


def results(f: Callable[..., Any], engine: str, schedule: Any) -> Any:
    slope = checkpoint.value_and_grad(f, engine=engine, schedule=schedule)(1.5, 99)
    tangent = checkpoint.jvp(lambda x: f(x, 99), 1.5, 1.0, engine=engine)
    return slope, tangent, run(f, 1.5, 99, engine=engine)


@pytest.mark.parametrize(
    "schedule", [checkpoint.Plain(), checkpoint.Bisection(8)], ids=["plain", "bisection"]
)
def test_lines_that_are_never_reached_change_nothing(schedule: Any, engine: str) -> None:
    space = "\n" + 12 * " "
    lines = space.join([f"if i == deep + {n}:{space}    {line}" for n, line in enumerate(LINES)])
    tests = space.join([f"if i == deep + {n}:{space}    pass" for n in range(len(LINES))])
    whole = "if i == deep:\n                {line}"
    without = defined(PLAIN.replace(whole, tests), **NAMES)["f"]
    f = defined(PLAIN.replace(whole, lines), **NAMES)["f"]
    assert results(f, engine, schedule) == results(without, engine, schedule)


@pytest.mark.parametrize("line", LINES)
def test_a_line_that_is_reached_ends_the_run_there(
    line: str, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    f = defined(PLAIN.format(line=line), **NAMES)["f"]
    found = []
    for call in (
        lambda: run(f, 1.5, 7, engine=engine),
        lambda: checkpoint.value_and_grad(f, engine=engine)(1.5, 7),
        lambda: checkpoint.grad(f, engine=engine, schedule=checkpoint.Plain())(1.5, 7),
        lambda: checkpoint.jvp(lambda x: f(x, 7), 1.5, 1.0, engine=engine),
    ):
        with pytest.raises(SourceError) as caught:
            call()
        found.append(str(caught.value))
        assert caught.value.span is not None
        assert caught.value.span.line == 6
    assert len(set(found)) == 1
    assert capsys.readouterr().out == ""


def test_a_refused_call_takes_no_steps_elsewhere(engine: str) -> None:
    text = "def f(x):\n    for i in range(9):\n        if i == x:\n            {line}\n        x = x * 1.5\n"
    counts = [
        checkpoint.primops(defined(text.format(line=line), **NAMES)["f"], 0.5, engine=engine)
        for line in ("pass", "LOCK.acquire()", "exec('x')", "with open(x): pass")
    ]
    assert len(set(counts)) == 1


def test_it_comes_at_its_step(engine: str) -> None:
    f = defined("def f(x):\n    y = x * x\n    return y + id(y)\n")["f"]
    before = [
        n for n in range(100) if not _is_refused(partial(checkpoint.interrupt, f, 2.0, n, engine=engine))
    ]
    assert before == list(range(len(before)))
    capsule = checkpoint.interrupt(f, 2.0, before[-1], engine=engine)
    with pytest.raises(SourceError, match=r":3:16: `id` cannot be differentiated"):
        checkpoint.resume(capsule)


def _is_refused(call: Callable[[], Any]) -> bool:
    try:
        call()
    except SourceError:
        return True
    return False


def test_in_hot_loops(engine: str) -> None:
    text = """\
def f(x, n, bad):
    total = 0.0
    for i in range(n):
        if i == bad:
            total = total + id(total)
        total = total * 0.5 + x
    return total
"""
    f = defined(text)["f"]
    for n in (10, 3000, 40000) if engine == "c" else (10, 3000):
        value, slope = checkpoint.value_and_grad(f, engine=engine)(1.0, n, -1)
        assert value == f(1.0, n, -1)
        assert slope == pytest.approx(2.0, rel=2e-3)
        with pytest.raises(SourceError, match=r":5:29: `id` cannot be differentiated"):
            checkpoint.value_and_grad(f, engine=engine)(1.0, n, n - 1)


def test_scopes_count_the_refused_text(engine: str) -> None:
    text = """\
x = 5.0
def local(y):
    if y < 0.0:
        with open("a") as x:
            pass
        del y
    return x * y
def generator(y):
    if y < 0.0:
        yield y
    return y
def declared(y):
    global x
    if y < 0.0:
        x = y
    return x * y
"""
    module = defined(text)
    with pytest.raises(UnboundLocalError, match="cannot access local variable 'x'"):
        run(module["local"], 3.0, engine=engine)
    with pytest.raises(RunError, match="a generator is no value outside of its run: return a list"):
        run(module["generator"], 3.0, engine=engine)
    assert run(module["declared"], 3.0, engine=engine) == 15.0
    assert run(module["declared"], -3.0, engine=engine) == 9.0


class Swallowing:
    """A context manager that handles every exception, and says so."""

    def __enter__(self) -> None:
        print("enter")

    def __exit__(self, *failure: object) -> bool:
        print("exit")
        return True


SWALLOWING = Swallowing()


def test_no_handler_sees_it(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    def inner(y: float) -> float:
        with SWALLOWING, contextlib.suppress(Exception):
            return y * y + (id(y) if y > 2.0 else 0.0)
        return 0.0

    def outer(x: float) -> float:
        try:
            value: float = checkpoint.grad(inner)(x) * x
            return value
        except Exception:
            return 0.0
        finally:
            print("finally")

    assert checkpoint.value_and_grad(outer, engine=engine)(1.0) == (2.0, 4.0)
    assert capsys.readouterr().out == "enter\nexit\nfinally\n"
    with pytest.raises(SourceError, match="`id` cannot be differentiated"):
        checkpoint.value_and_grad(outer, engine=engine)(3.0)
    assert capsys.readouterr().out == "enter\n"


# Hidden inputs and attributes that are no values


class Model:
    def __init__(self) -> None:
        self.rate = 3.0
        self.lock = threading.Lock()
        self.log: Any = queue.Queue()

    def loss(self, x: float) -> float:
        if x < 0.0:
            self.log.put("negative")
        if self.log is None or not isinstance(self.log, queue.Queue):
            return 0.0
        return self.rate * x * x

    def both(self, x: float, other: Model) -> float:
        return self.loss(x) if other.lock is not self.lock else other.loss(x) * 2.0


@dataclass
class Setting:
    scale: float
    stream: Any = field(default=sys.stderr)


def test_attributes_that_are_no_values(engine: str) -> None:
    model = Model()
    assert checkpoint.grad(model.loss, engine=engine)(2.0) == 12.0
    assert checkpoint.grad(lambda x, m: m.loss(x), engine=engine)(2.0, model) == 12.0
    assert checkpoint.grad(model.both, engine=engine)(2.0, Model()) == 12.0
    with pytest.raises(SourceError, match=r":\d+:13: .*queue.Queue"):
        checkpoint.grad(model.loss, engine=engine)(-2.0)
    with pytest.raises(SourceError, match=r"queue.Queue"):
        checkpoint.grad(lambda x, m: m.loss(x), engine=engine)(-2.0, model)


def test_the_gradient_of_an_argument_that_holds_one(engine: str) -> None:
    def f(setting: Setting, x: float) -> float:
        return setting.scale * x if setting.stream is not None else 0.0

    found: Any = checkpoint.grad(f, engine=engine)(Setting(2.0), 5.0)
    assert (found.scale, found.stream) == (5.0, None)
    value = run(lambda setting: (setting.stream, setting.scale), Setting(2.0), engine=engine)
    assert value == (sys.stderr, 2.0)


def test_functions_that_are_named_and_not_called(engine: str) -> None:
    text = """\
import pprint, math, sys
HANDLERS = {"json": pprint.pformat, "sin": math.sin}
def f(x, write=pprint.pformat):
    handler = pprint.pprint
    if x < 0.0:
        return handler(x)
    if x > 100.0:
        return write(x)
    if x > 50.0:
        return HANDLERS["json"](x)
    module = math
    return HANDLERS["sin"](x) + (1.0 if handler is pprint.pprint and callable(write) else 0.0)
"""
    f = defined(text)["f"]
    assert run(f, 1.0, engine=engine) == f(1.0)
    for x, line in ((-1.0, 6), (101.0, 8), (51.0, 10)):
        with pytest.raises(
            SourceError, match=rf":{line}:16: pprint\.(pformat|pprint), a function of a package"
        ):
            run(f, x, engine=engine)


def test_globals_that_become_values(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = defined("state = None\ndef f(x):\n    return x * 2.0 if state is None else x * state\n")
    f = module["f"]
    assert checkpoint.grad(f, engine=engine)(1.0) == 2.0
    with open(sys.executable, "rb") as file:
        for value in (threading.Lock(), file):
            monkeypatch.setitem(module, "state", value)
            with pytest.raises(SourceError, match=r":3:42: state is of type"):
                checkpoint.grad(f, engine=engine)(1.0)
    monkeypatch.setitem(module, "state", 7.0)
    assert checkpoint.grad(f, engine=engine)(1.0) == 7.0


def test_what_was_not_found_may_be_there_later(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def g(x):\n    return x * x\n"
    names: dict[str, Any] = {}
    file = f"<later, {engine}>"
    exec(compile(text, file, "exec"), names)
    late: Any = types.ModuleType("late")
    module = defined("def f(x):\n    return g(x)\ndef h(x):\n    return late.g(x)\n", g=names["g"], late=late)
    with pytest.raises(SourceError, match=r"the text of g .* is not available"):
        checkpoint.grad(module["f"], engine=engine)(3.0)
    with pytest.raises(SourceError, match=r"late\.g, which does not exist"):
        checkpoint.grad(module["h"], engine=engine)(3.0)
    monkeypatch.setitem(linecache.cache, file, (len(text), None, text.splitlines(True), file))
    late.g = names["g"]
    assert checkpoint.grad(module["f"], engine=engine)(3.0) == 6.0
    assert checkpoint.grad(module["h"], engine=engine)(3.0) == 6.0
