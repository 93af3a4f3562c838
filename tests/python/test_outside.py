"""What programs do to the world outside, and read from it: each once, and as Python does it."""

from __future__ import annotations

import logging
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.functions.python_functions import run_of
from tests.python.texts import run

logger = logging.getLogger("tests.python.outside")
SCHEDULES: list[Schedule] = [Plain(), Bisection(5)]


@dataclass(frozen=True)
class Solver:
    """A solver that reports to a logger of its own."""

    log: logging.Logger
    rate: float

    def solve(self, x: float) -> float:
        """Return a root, with a report of each step."""
        root = x
        for i in range(3):
            root = root - self.rate * (root * root - x) / root
            self.log.info("step %d: %.3f", i, root)
        return root


def warns(x: float) -> float:
    """Warn in each iteration."""
    for i in range(3):
        warnings.warn(f"x is {x} at {i}", RuntimeWarning, stacklevel=2)
        x = x * 1.5
    warnings.warn(UserWarning("the end"), stacklevel=1)
    return x


def logs(x: float) -> float:
    """Log in each way."""
    logger.debug("not shown %s", x)
    for i in range(3):
        logger.info("x is %s at %d", x, i, extra={"kind": "loop"})
        x = x * x
    logger.log(logging.ERROR, "a list %r", [x])
    log = logging.getLogger("tests.python.outside.inner")
    log.warning("deep")
    if logger.isEnabledFor(logging.DEBUG):
        x = x * 0.0
    if log.getEffectiveLevel() == logging.INFO:
        x = 2.0 * x
    logging.critical("root %(a)s", {"a": 1})
    return x


def logs_by_an_object(x: float) -> float:
    """Log by a logger that an object holds."""
    return Solver(logger, 0.5).solve(x)


def reports(x: float) -> float:
    """Print to both streams."""
    print("out", x, file=sys.stdout)
    print("problem", x, sep=": ", end="!\n", file=sys.stderr)
    return x * x


def is_timed(x: float) -> float:
    """Return x times a time that passes."""
    start = time.perf_counter()
    time.sleep(0.002)
    passed = time.perf_counter() - start
    return x * (passed + time.monotonic_ns() * 0)


def handles(x: float) -> float:
    """Handle a warning that is an error here."""
    try:
        warnings.warn("rough", stacklevel=1)
    except UserWarning as error:
        print(error)
        return 2.0 * x
    return x


def refuses(x: float) -> float:
    """Warn by what is no category."""
    warnings.warn("a", int, 1)  # type: ignore[arg-type]
    return x


def asks(x: float) -> float:
    """Read the environment."""
    if "CHECKPOINT_ABSENT" in os.environ:
        return 0.0
    return x * len(os.environ["CHECKPOINT_X"]) * len(os.environ.get("CHECKPOINT_ABSENT", "ab"))


class Records(logging.Handler):
    """What was logged, with its place."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[Any, ...]] = []

    def emit(self, record: logging.LogRecord) -> None:
        place = record.pathname, record.lineno, record.funcName
        self.found.append(
            (record.name, record.levelno, record.getMessage(), *place, getattr(record, "kind", ""))
        )


def logged(action: Callable[[], object]) -> list[tuple[Any, ...]]:
    """Return what an action logs."""
    root, handler, level = logging.getLogger(), Records(), logger.level
    root.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        action()
    finally:
        root.removeHandler(handler)
        logger.setLevel(level)
    return handler.found


def warned(action: Callable[[], object]) -> list[tuple[type, str, int]]:
    """Return the warnings of an action, each with the line that it names."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        action()
    return [(each.category, str(each.message), each.lineno) for each in found]


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@pytest.mark.parametrize("f", [logs, logs_by_an_object])
def test_what_is_logged(f: Callable[[float], float], schedule: Schedule, engine: str) -> None:
    want = logged(lambda: f(2.0))
    assert len(want) >= 3
    assert logged(lambda: run_of(f, (2.0,), {}, engine).vjp(lambda y: 1.0, schedule)) == want
    assert logged(lambda: run(f, 2.0, engine=engine)) == want


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_what_is_warned(schedule: Schedule, engine: str) -> None:
    want = [(category, text) for category, text, _ in warned(lambda: warns(2.0))]
    got = warned(lambda: run_of(warns, (2.0,), {}, engine).vjp(lambda y: 1.0, schedule))
    assert [(category, text) for category, text, _ in got] == want
    first = warns.__code__.co_firstlineno
    assert [line - first for _, _, line in got] == [3, 3, 3, 5]  # the places of the calls


def test_a_place_warns_once_by_default(engine: str) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        run(warns, 1.0, engine=engine)
        run(warns, 1.0, engine=engine)
    assert len(found) == 4  # the texts of the first loop differ


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_streams(schedule: Schedule, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    run_of(reports, (2.0,), {}, engine).vjp(lambda y: 1.0, schedule)
    assert capsys.readouterr() == ("out 2.0\n", "problem: 2.0!\n")


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_clocks_are_read_once(schedule: Schedule, engine: str) -> None:
    y, slope = run_of(is_timed, (2.0,), {}, engine).vjp(lambda y: 1.0, schedule)
    assert y >= 0.004
    assert slope.items[0] == y / 2.0  # by the times that the first execution read


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_warnings_that_are_errors(
    schedule: Schedule, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y, slope = run_of(handles, (3.0,), {}, engine).vjp(lambda y: 1.0, schedule)
    assert (y, slope.items[0]) == (6.0, 2.0)
    assert capsys.readouterr().out == "rough\n"


def test_the_environment_is_a_hidden_input(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("abc", "a"):
        monkeypatch.setenv("CHECKPOINT_X", text)
        assert run(asks, 2.0, engine=engine) == asks(2.0) == 4.0 * len(text)
    monkeypatch.delenv("CHECKPOINT_X")
    with pytest.raises(KeyError, match="CHECKPOINT_X"):
        run(asks, 2.0, engine=engine)


def test_errors_of_python(engine: str) -> None:
    with pytest.raises(TypeError, match="category must be a Warning subclass, not 'type'"):
        refuses(1.0)
    with pytest.raises(TypeError, match="category must be a Warning subclass, not 'type'"):
        run(refuses, 1.0, engine=engine)


class Controller:
    """A controller that measures the time between its calls by a clock that is passed, as packages do."""

    def __init__(self, gain: float, time_fn: Callable[[], float] = time.monotonic) -> None:
        self.gain = gain
        self.time_fn = time_fn
        self.last = self.time_fn()

    def __call__(self, error: float) -> float:
        now = self.time_fn()
        passed, self.last = now - self.last, now
        return self.gain * error * (1.0 + passed)


def controlled(x: float) -> float:
    """Return what a controller does, with clocks that are values."""
    control = Controller(2.0)
    state = x
    for _ in range(3):
        state = state - 0.1 * control(state)
    clocks = {"wall": time.time, "work": time.process_time}
    return state * clocks["wall"]() + max(clock() for clock in clocks.values())


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_clocks_are_values(engine: str, schedule: Schedule) -> None:
    """Every execution receives the readings of the first one."""
    call = run_of(controlled, (1.0,), {}, engine)
    y, xbar = call.vjp(lambda y: 1.0, schedule)
    again, other = call.vjp(lambda y: 1.0, Plain())
    assert (y, xbar.items) == (again, other.items)
    assert 0.0 < y < 2.0 * time.time()
