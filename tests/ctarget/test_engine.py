"""The C engine as the driver sees it: states that cross, stops from outside, limits, threads, processes."""

from __future__ import annotations

import _thread
import gc
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import FrameType, FunctionType
from typing import Any

import pytest

import checkpoint
from checkpoint import engines
from checkpoint.ad.graph import enter
from checkpoint.ad.values import Capsule, Pair
from checkpoint.ctarget.foreign import PythonHelper
from checkpoint.ctarget.library import reason
from checkpoint.ctarget.plans import plan_of
from checkpoint.driver.effects import Effects
from checkpoint.driver.raised import Raised
from checkpoint.driver.schedule import Bisection
from checkpoint.errors import RunError, Source
from checkpoint.functions import runs
from checkpoint.functions.program import load
from checkpoint.interp.hybrid.machine import Frame
from tests.ctarget.failing import every_allocation_fails_once, only_hostile
from tests.support.same import difference

pytestmark = pytest.mark.skipif(reason() is not None, reason=str(reason()))

# Functions of a real with frames, closures, derivatives, handlers and failures to be cut anywhere.
DEEP = "(define (f k x) (if (= k 0) x (+ (* 1.0001 (sin (f (- k 1) x))) x)))\n"
CUT = {
    "loop": "(define (loop i x) (if (= i 0) x (loop (- i 1) (+ (sin x) 0.5))))\n(lambda (x) (loop 6 x))",
    "deep": DEEP + "(lambda (x) (f 5 x))",
    "pairs": "(lambda (x) (let ((p (cons x (cons (* x 2) 1)))) (* (car p) (car (cdr p)))))",
    "closures": "(define ((add a) b) (+ a b))\n(lambda (x) (let ((g (add (* x x)))) (* (g 1) (g x))))",
    "derivative": "(lambda (x) (cdr (j* (lambda (y) (* y (sin (* x y)))) x 1)))",
    "reverse": "(lambda (x) (cdr (*j (lambda (y) (* y (sin (* x y)))) x 1)))",
    "capsule": "(lambda (x) (resume (interrupt (lambda (y) (* y (sin (* y x)))) x 2)))",
}
FOREVER = "(define (loop x) (loop (+ x 1)))\n(lambda (x) (loop x))"
COUNTING = """(define (count x) (if (= x 0) x (count (- x 1))))
(lambda (x) (car (checkpoint-*j (lambda (x) (j* count 9 1)) (write-real x) '(1 . 1))))"""
GROWING = "(define (grow xs) (grow (cons 1 xs)))\n(lambda (x) (grow (cons x '())))"


def closure(text: str, name: str = "c") -> Any:
    """Return the value of a program's text on an engine."""
    return runs.run_program(load(Source("<test>", text)), engines.get(name))


def started(text: str, x: float = 0.7) -> tuple[Any, Any]:
    """Return the C engine, and the first state of a text's function at x."""
    engine = engines.get("c")
    return engine, engine.start(0, enter(Pair(closure(text), x)), 0)


def opened(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the values, with the slots of a capsule in its place: a capsule names its engine."""
    return tuple([value.state.values if type(value) is Capsule else value for value in values])


def frames(state: Any) -> list[Frame]:
    found = []
    frame = state.frame
    while frame is not None:
        found.append(frame)
        frame = frame.next
    return found


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize(("first", "second"), [("c", "hybrid"), ("hybrid", "c"), ("c", "c")])
def test_a_capsule_resumes_in_the_other_engine(name: str, first: str, second: str) -> None:
    f = closure(CUT[name], "hybrid")
    whole = runs.call_values(f, 0.7, engines.get("hybrid"))
    steps = runs.primops_values(f, 0.7, engines.get("hybrid"))
    for cut in range(steps + 1):
        capsule = runs.interrupt_values(f, 0.7, cut, engines.get(first))
        assert difference(runs.call_values(runs.RESUME, capsule, engines.get(second)), whole) is None
        assert runs.primops_values(runs.RESUME, capsule, engines.get(second)) == steps - cut


@pytest.mark.parametrize("name", CUT)
def test_a_state_crosses_as_it_is(name: str) -> None:
    """C is at the same place as hybrid at every step, and holds the same."""
    f = closure(CUT[name])
    engine, hybrid = engines.get("c"), engines.get("hybrid")
    steps = runs.primops_values(f, 0.7, hybrid)
    for cut in range(steps + 1):
        mine: Any = engine.advance(engine.start(0, enter(Pair(f, 0.7)), 0), cut, Effects())
        other: Any = hybrid.advance(hybrid.start(0, enter(Pair(f, 0.7)), 0), cut, Effects())
        state = mine.python()
        assert (state.block, state.index) == (other.block, other.index)
        assert (state.steps, state.tags, state.births) == (other.steps, other.tags, other.births)
        assert difference(opened(state.values), opened(other.values)) is None
        for a, b in zip(frames(state), frames(other), strict=True):
            assert (a.block, a.handler, a.call) == (b.block, b.handler, b.call)
            assert difference(opened(a.saved), opened(b.saved)) is None


def test_a_value_is_one_object() -> None:
    engine, start = started("(lambda (x) (cons x x))")
    end = engine.advance(start, None, Effects())
    assert end.finished
    assert end.value is end.value


def test_the_bytes_of_a_tape_bound_it() -> None:
    engine, start = started(DEEP + "(lambda (x) (f 10000 x))")
    whole = engine.tape(start, None, Effects())
    part = engine.tape(start, None, Effects(), whole.bytes // 2)
    assert whole.end.finished
    assert not part.end.finished
    assert whole.bytes // 2 < part.bytes < whole.bytes // 2 + 10_000


def test_a_failure_tells_where_it_was() -> None:
    text = "(define (f x) (car x))\n(define (g x) (+ 1 (f x)))\n(lambda (x) (* 2 (g x)))"
    told = []
    for name in ("hybrid", "c"):
        with pytest.raises(RunError) as caught:
            runs.call_values(closure(text, name), 0.7, engines.get(name))
        error = caught.value
        told.append((error.message, error.span and error.span.start, [span.start for span in error.trace]))
    assert told[0] == told[1]


def test_raised_is_raised() -> None:
    engine, start = started("(lambda (x) (raise x))")
    with pytest.raises(Raised) as caught:
        engine.advance(start, None, Effects())
    assert caught.value.value == 0.7


def test_ctrl_c_in_a_long_run() -> None:
    engine, start = started(FOREVER)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        engine.advance(start, None, Effects())
    assert caught.value.span is not None  # type: ignore[attr-defined]
    assert engine.advance(start, 1000, Effects()).steps == 1000


@pytest.mark.parametrize("function", [plan_of, PythonHelper.make_code], ids=lambda f: f.__name__)
def test_ctrl_c_where_c_could_go_on(function: FunctionType) -> None:
    """A handler raises as C calls a function whose failure means only that Python does a step."""
    reached: list[str] = []

    def interrupt(frame: FrameType, event: str, argument: object) -> None:
        if frame.f_code is function.__code__:
            sys.settrace(tracing)
            reached.append(event)
            raise KeyboardInterrupt

    engine, start = started(COUNTING)
    tracing = sys.gettrace()
    sys.settrace(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            engine.advance(start, None, Effects())
    finally:
        sys.settrace(tracing)
    assert reached == ["call"]


@pytest.mark.parametrize("taped", [False, True])
def test_memory_has_a_limit(taped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_MEMORY", "4MiB")
    engine, start = started(GROWING)
    with pytest.raises(
        MemoryError, match=r"out of memory: the run holds .* no more than 4,194,304"
    ) as caught:
        if taped:
            engine.tape(start, None, Effects())
        else:
            engine.advance(start, None, Effects())
    assert caught.value.span is not None  # type: ignore[attr-defined]
    assert 3_000_000 < start.heap.peak <= 4 * 2**20


def test_everything_is_released() -> None:
    engine, start = started(CUT["deep"])
    engine.advance(start, None, Effects())
    used = start.heap.bytes
    for _ in range(10):
        engine.advance(engine.advance(start, 20, Effects()), None, Effects())
        engine.tape(start, None, Effects())
    assert start.heap.bytes == used
    start.heap.check()


def test_threads_have_runs_of_their_own() -> None:
    f = closure(DEEP + "(lambda (x) (f 300 x))")
    points = [0.1 * i for i in range(16)]

    def gradient(x: float, name: str = "c") -> Any:
        return runs.vjp_values(f, x, 1.0, engines.get(name), Bisection(base=50))

    expected = [gradient(x, "hybrid") for x in points]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(gradient, points)) == expected


def test_states_are_dropped_while_their_heap_runs() -> None:
    text = "(define (loop i x) (if (= i 0) x (loop (- i 1) (car (cons x i)))))\n(lambda (x) (loop 2e6 x))"
    engine, start = started(text)
    kept = [engine.advance(start, 1000 + i, Effects()) for i in range(200)]
    ends: list[Any] = []
    thread = threading.Thread(target=lambda: ends.append(engine.advance(start, None, Effects())))
    thread.start()
    while kept:
        kept.pop()
        time.sleep(0.0002)
    thread.join()
    assert ends[0].finished
    gc.collect()
    start.heap.check()


def test_one_heap_in_two_threads() -> None:
    engine, start = started(DEEP + "(lambda (x) (f 20000 x))")
    with ThreadPoolExecutor(3) as pool:
        ends = list(pool.map(lambda _: engine.advance(start, None, Effects()).value, range(9)))
    assert len(set(ends)) == 1


def test_a_fork_goes_on_in_both() -> None:
    """Both processes of a fork go on, also within a step that Python does, while its heap is at work."""
    children = []

    def forked(x: float) -> float:
        children.append(os.fork())
        return x * 2.0

    double = checkpoint.primitive(forked, vjp=lambda ybar, y, x: (2.0 * ybar,))

    def f(x: float) -> Any:
        return double(x) * x

    y, xbar = checkpoint.vjp(f, 3.0, 1.0, engine="c")
    if not children[0]:
        os._exit(0 if (y, xbar) == (18.0, 12.0) else 1)
    assert (y, xbar) == (18.0, 12.0)
    for child in filter(None, children):
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def gradient_in_two_parts(engine: Any, start: Any) -> Any:
    """Return the value of a run that is taped from its fifth step on, and reversed."""
    recording = engine.tape(engine.advance(start, 5, Effects()), None, Effects())
    engine.reverse(recording, engine.seed(recording.end, 1.0))
    return recording.end.value


@only_hostile
@pytest.mark.parametrize("name", CUT)
def test_memory_may_end_anywhere(name: str) -> None:
    """Each allocation fails once: MemoryError, the heap in order, every Python object let go of."""
    every_allocation_fails_once(closure(CUT[name]), gradient_in_two_parts)
