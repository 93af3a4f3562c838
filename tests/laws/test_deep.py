"""Depth and space: recursion a million deep, loops in constant memory, and release of long structures.

Memory is measured in a process of its own, which runs this file: the rise of the highest resident memory
during a run, after all memory that was free before has been filled.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from checkpoint import engines
from checkpoint.ad.values import list_value
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.errors import Source
from checkpoint.functions import runs
from checkpoint.functions.program import load
from tests.support.corpus import engine_name, usable_engines, value_of
from tests.support.same import difference

MEGABYTE = 2**20
ROOT = Path(__file__).resolve().parent.parent.parent

every_engine = pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)

# A million on engine c. The engines in Python need fewer to show that they do not recurse; the long tests
# take a million there, too.
MILLION = 1_000_000
deep_on_every_engine = pytest.mark.parametrize(
    ("engine", "depth"),
    [
        *[(engine, MILLION if engine.name == "c" else 150_000) for engine in usable_engines()],
        *[
            pytest.param(engine, MILLION, marks=pytest.mark.long)
            for engine in usable_engines()
            if engine.name != "c"
        ],
    ],
    ids=lambda value: str(getattr(value, "name", value)),
)

SUM = "(define (sum n) (if (zero? n) 0 (+ n (sum (- n 1))))) "
BUILD = "(define (build n) (let loop ((n n) (l '())) (if (zero? n) l (loop (- n 1) (cons n l))))) "

# Programs of N whose memory does not grow with N.
CONSTANT = {
    "loop": "(let loop ((i 0) (y 1)) (if (= i N) y (loop (+ i 1) (sin y))))",
    "loop of pairs": "(let loop ((i 0) (p (cons 1 2))) (if (= i N) p (loop (+ i 1) (cons (cdr p) (car p)))))",
    "mutual": """
        (define (even? n) (if (zero? n) #t (odd? (- n 1))))
        (define (odd? n) (if (zero? n) #f (even? (- n 1))))
        (even? N)""",
    "continuations": """
        (define (loop n k) (if (zero? n) (k 0) (loop (- n 1) (let ((m (k n))) (lambda (x) (+ m x))))))
        (loop N sin)""",
    "dropped list": "(let loop ((i 0) (l '())) (if (= i N) i (loop (+ i 1) (list i i i))))",
    "handlers": "(let loop ((i 0)) (if (= i N) i (loop (handle (raise (+ i 1)) (e) e))))",
    "inside j*": "(j* (lambda (x) (let loop ((i 0) (y x)) (if (= i N) y (loop (+ i 1) (sin y))))) 1 1)",
    "dead variable": """
        (define (consume l) (if (null? l) 0 (consume (cdr l))))
        (let loop ((i 0)) (if (> (* 1000 i) N) i (let ((l (iota 1000))) (loop (+ i 1 (consume l))))))""",
}


def on_a_small_stack(action: Callable[[], None]) -> None:
    """Perform an action in a thread whose stack of C has 16 bytes for each of 32,768 nested calls.

    So code in C that recurses on what is long ends the process at a length that costs little to make.
    """
    before = threading.stack_size(MEGABYTE // 2)
    try:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(action).result()
    finally:
        threading.stack_size(before)


def rises(texts: Iterable[str], engine: Engine) -> list[int]:
    """Return by how many bytes each run raises the highest memory of a process that makes them in turn."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.laws.test_deep", engine.name, *texts],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.splitlines()]


@every_engine
def test_loops_in_constant_memory(engine: Engine) -> None:
    """The bound is 20 bytes for each iteration, less than any object."""
    found = rises([text.replace("N", "25000") for text in CONSTANT.values()], engine)
    assert {name: rise for name, rise in zip(CONSTANT, found, strict=True) if rise >= MEGABYTE // 2} == {}


@deep_on_every_engine
def test_a_million_turns_in_constant_memory(engine: Engine, depth: int) -> None:
    assert rises([CONSTANT["loop"].replace("N", str(depth))], engine)[0] < MEGABYTE


@every_engine
def test_the_measure_sees_what_is_kept(engine: Engine) -> None:
    """Also after another run in constant memory."""
    for kept in (BUILD + "(car (build 100000))", SUM + "(sum 150000)"):
        assert rises([CONSTANT["continuations"].replace("N", "50000"), kept], engine)[1] > 4 * MEGABYTE


@deep_on_every_engine
def test_recursion_a_million_deep(engine: Engine, depth: int) -> None:
    assert value_of(SUM + f"(sum {depth})", engine) == depth * (depth + 1) / 2


@every_engine
def test_a_raise_from_far_down(engine: Engine) -> None:
    text = (
        "(define (f n) (if (zero? n) (raise 'deep) (+ 1 (f (- n 1))))) (handle (f 200000) (e) (eq? e 'deep))"
    )
    assert value_of(text, engine) is True


@every_engine
def test_a_cut_half_way_down_and_half_way_up(engine: Engine) -> None:
    f = value_of(SUM + "sum", engine)
    depth = 50_000
    n = runs.primops_values(f, float(depth), engine)
    for cut in (n // 4, n // 2, 3 * n // 4):
        z = runs.interrupt_values(f, float(depth), cut, engine)
        assert runs.call_values(runs.RESUME, z, engine) == depth * (depth + 1) / 2


@every_engine
def test_long_lists_pass_through_everything(engine: Engine) -> None:
    """A long list is made, walked, printed in part, cut, differentiated, compared and freed."""
    n = 20_000
    ones = list_value([1.0] * n)
    f = value_of(
        BUILD + "(lambda (l) (let ((m (build 10))) (map-reduce + 0 (lambda (x) (* x x)) l)))", engine
    )
    y, lbar = runs.vjp_values(f, ones, 1.0, engine, Plain())
    assert y == n
    assert difference(lbar, list_value([2.0] * n)) is None
    z = runs.interrupt_values(f, ones, 1000, engine)
    assert runs.call_values(runs.RESUME, z, engine) == n


@every_engine
@pytest.mark.parametrize("length", [50_000, pytest.param(MILLION, marks=pytest.mark.long)])
def test_freeing_a_long_list(engine: Engine, length: int) -> None:
    """The argument, its copy inside the run, and the value are all freed."""
    f = value_of("(lambda (l) (cons 2 (cdr l)))", engine)

    def made_and_freed() -> None:
        value = runs.call_values(f, list_value([1.0] * length), engine)
        assert (value.car, value.cdr.car) == (2.0, 1.0)
        del value
        assert value_of(BUILD + "(car (build 50000))", engine) == 1.0

    on_a_small_stack(made_and_freed)


@every_engine
def test_freeing_nests_of_other_kinds(engine: Engine) -> None:
    """Closures that hold closures, pairs that grow to the left, and a deep stack in a capsule are freed."""
    closures = "(let loop ((i 0) (f sin)) (if (= i 50000) f (loop (+ i 1) (lambda (x) (f x)))))"
    left = "(let loop ((i 0) (p '())) (if (= i 50000) p (loop (+ i 1) (cons p i))))"
    stack = SUM + "(interrupt sum 50000 250000)"

    def made_and_freed() -> None:
        for text in (closures, left, stack):
            value = value_of(text, engine)
            del value

    on_a_small_stack(made_and_freed)


@every_engine
def test_backward_through_recursion(engine: Engine) -> None:
    f = value_of("(lambda (x) (let down ((n 20000)) (if (zero? n) 0 (+ x (down (- n 1))))))", engine)
    for schedule in (Plain(), Bisection(50_000)):
        assert runs.vjp_values(f, 0.5, 1.0, engine, schedule) == (10_000.0, 20_000.0)


@every_engine
@pytest.mark.long
@pytest.mark.timeout(3600)
def test_backward_a_million_deep(engine: Engine) -> None:
    f = value_of("(lambda (x) (let down ((n 1000000)) (if (zero? n) 0 (+ x (down (- n 1))))))", engine)
    for schedule in (Plain(), Bisection(2_000_000)):
        assert runs.vjp_values(f, 0.5, 1.0, engine, schedule) == (500_000.0, 1_000_000.0)


def highest() -> int:
    """Return the highest memory of this process so far, from /proc where there is one.

    On Linux the memory that `getrusage` tells of begins, in a process that another one has started, with
    that one's: as much as all tests so far have taken would have to be filled first.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return 1024 * int(status.read_text().split("VmHWM:")[1].split()[0])
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def main(name: str, *texts: str) -> None:
    """Run programs in turn, and print by how many bytes each has raised the highest memory."""
    engine = engines.get(name)
    runs.run_program(load(Source("<memory>", "(car (list 1 2 3))")), engine)
    for text in texts:
        program = load(Source("<memory>", text))
        before, filling = highest(), []
        while highest() < before + MEGABYTE // 4:
            filling.append([[0] * (i % 32) for i in range(1000)])
        before = highest()
        runs.run_program(program, engine)
        print(highest() - before)


if __name__ == "__main__":
    main(*sys.argv[1:])
