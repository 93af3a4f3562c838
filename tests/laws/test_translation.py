"""The laws of runs and gradients where what runs is translated to C: a sample of the corpus, random programs,
and programs of which each does something that translated code must get right; and that no memory is lost.

What is compiled is kept for the next run of the tests (tests/conftest.py).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from checkpoint import engines
from checkpoint.ad.graph import enter
from checkpoint.ad.values import Pair
from checkpoint.ctarget.library import reason
from checkpoint.ctarget.translate import translation
from checkpoint.ctarget.translate.compile import compiler
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.errors import RunError
from checkpoint.functions import runs
from tests.laws.random_programs import INPUT, NUMBERS, program
from tests.support import laws
from tests.support.corpus import DIFFERENTIABLE, Case, Entry, value_of
from tests.support.same import difference
from tests.support.translation import forced
from tests.support.world import World

pytestmark = pytest.mark.skipif(
    reason() is not None or compiler.find() is None, reason="there is no engine c or no C compiler"
)

LONGEST = 2_000  # steps of a random program
SAMPLE = ("accumulate", "effects", "lists", "nested-reverse", "newton", "recursion", "sharing", "tree")
# Each is a procedure of one real. Those that fail do so after many steps.
LOOPS = {
    "real": "(lambda (x) (let f ((i 30) (y x)) (if (zero? i) y (f (- i 1) (+ (sin (* y x)) x)))))",
    "recursion": "(lambda (x) (let f ((i 60) (y x)) (if (zero? i) y (+ (* y (f (- i 1) (sin (+ y i)))) x))))",
    "deep": "(lambda (x) (let f ((i 400) (y x)) (if (zero? i) y (+ (* 0.5 (f (- i 1) (sin (+ y i)))) y))))",
    "tree": """(lambda (x) (let f ((n 8) (y x))
        (if (< n 2) (sin y) (+ (* y (f (- n 1) (+ y 1))) (f (- n 2) (* y x))))))""",
    "mutual": """(lambda (x) (letrec ((a (lambda (n y) (if (zero? n) y (b (- n 1) (* x y)))))
                                      (b (lambda (n y) (if (zero? n) y (+ y (a (- n 1) (sin y)))))))
        (a 40 x)))""",
    "pairs": """(lambda (x) (let f ((i 20) (p (cons (cons x 1) x)))
        (if (zero? i) (+ (car (car p)) (cdr p))
            (f (- i 1) (cons (cons (cdr p) (car (car p))) (* (cdr (car p)) (+ x (car (car p)))))))))""",
    "shared": """(lambda (x) (let f ((i 20) (p (cons x x)))
        (if (zero? i) (+ (car p) (cdr p))
            (f (- i 1) (let ((q (cons (* (car p) x) (sin (cdr p))))) (if (< (car q) 0.1) p q))))))""",
    "kinds": """(lambda (x) (let f ((i 25) (v x))
        (if (zero? i) (+ (car v) (cdr v))
            (f (- i 1)
               (if (< i 12) (if (pair? v) (cons (* x (car v)) (sin (cdr v))) (cons v x)) (* v x))))))""",
    # A loop is entered with lists of other kinds and lengths than those for which it was translated.
    "entries": """(lambda (x) (letrec
        ((sum (lambda (l) (cond ((null? l) 0.25)
                                ((procedure? (car l)) (+ ((car l) 0.5) (sum (cdr l))))
                                ((pair? (car l)) (+ (car (car l)) (sum (cdr l))))
                                (else (+ (car l) (sum (cdr l)))))))
         (turns (lambda (n l y) (if (= n 0) y (turns (- n 1) l (+ (* 0.9 y) (* (sum l) 0.1))))))
         (several (lambda (ls y) (if (null? ls) y (several (cdr ls) (turns 15 (car ls) y))))))
        (several (list (list x 0.5) (list (list x) x) (list (lambda (y) (* x y))) '() (list x 0.5)
                       (list x x x) (list (lambda (y) (+ x y)) x) (list (lambda (y) (* x y)))
                       (list x 0.5)) x)))""",
    "lists": """(lambda (x) (let f ((n 9) (l (list x 2 3 4 x)))
        (if (zero? n) (car l) (f (- n 1) (map (lambda (u) (+ u (* x u))) (reverse l))))))""",
    "closures": """(lambda (x)
        ((let f ((i 20) (g (lambda (u) (* u x))))
           (if (zero? i) g (f (- i 1) (lambda (u) (+ (g (sin u)) (* u i)))))) x))""",
    "nan": """(lambda (x) (let f ((i 20) (y x))
        (if (zero? i) y (f (- i 1) (* (- y y) (if (< i 10) (* y 1e308) (* y 1e-308)))))))""",
    "overflow": "(lambda (x) (let f ((i 20) (y x)) (if (zero? i) y (f (- i 1) (* y (+ y 1e150))))))",
    "underflow": "(lambda (x) (let f ((i 40) (y x)) (if (zero? i) y (f (- i 1) (* y 1e-10)))))",
    "around": """(lambda (x) (let f ((i 6) (y x))
        (if (zero? i) y
            (f (- i 1)
               (+ y (cdr (*j (lambda (u) (let g ((k 5) (w u)) (if (zero? k) w (g (- k 1) (sin (* w y))))))
                             x 1)))))))""",
    "forward": """(lambda (x)
        (cdr (j* (lambda (u) (let f ((k 25) (w u)) (if (zero? k) w (f (- k 1) (sin (* w x)))))) x 1)))""",
    "raise": """(lambda (x) (let f ((i 20) (y x))
        (if (zero? i) y
            (f (- i 1) (handle (if (< i 5) (raise (* x y)) (sin (* y x))) (e) (* e 2))))))""",
    "write": """(lambda (x) (let f ((i 20) (y x))
        (if (zero? i) y (f (- i 1) (sin (if (< i 4) (write-real (* x y)) (* y x)))))))""",
    "quotient": "(lambda (x) (let f ((i 20) (y x)) (if (zero? i) y (f (- i 1) (/ (* y x) (- i 4))))))",
    "root": "(lambda (x) (let f ((i 20) (y x)) (if (zero? i) y (f (- i 1) (+ y (sqrt (- i 4.5)))))))",
    "car": "(lambda (x) (let f ((l (list x x x x x x x x))) (f (if (pair? (cdr l)) (cdr l) (car l)))))",
}
POINTS = (0.7, -0.0, 1e-200, 1e200)
FAILING = ("quotient", "root", "car")


def some(every: int, cases: Sequence[Any], name: Callable[[Any], str] = str) -> list[Any]:
    """Return the cases: the first and each `every` further on always run, the others in `make test-long`;
    the C compiler takes most of their time.
    """
    return [
        pytest.param(case, id=name(case), marks=[pytest.mark.long] if i % every else [])
        for i, case in enumerate(cases)
    ]


def entries() -> list[Any]:
    chosen = [entry for entry in DIFFERENTIABLE if entry.name in SAMPLE]
    return some(2, chosen, lambda entry: str(entry.name))


FINE = [name for name in LOOPS if name not in FAILING]


def outcome(f: Any, x: float, name: str, schedule: Any = None) -> tuple[Any, str]:
    """Return the value and number of steps (with a schedule: the gradient) or the error, and the output."""
    engine = engines.get(name)
    with World(INPUT) as world:
        try:
            if schedule is not None:
                return runs.vjp_values(f, x, 1.0, engine, schedule), world.written
            found = runs.call_values(f, x, engine), runs.primops_values(f, x, engine)
        except RunError as error:
            return str(error), world.written
    return found, world.written


def same(a: tuple[Any, str], b: tuple[Any, str]) -> bool:
    """Return whether two outcomes are the same to the last bit."""
    if isinstance(a[0], str) or isinstance(b[0], str):
        return a == b
    return a[1] == b[1] and all(difference(x, y) is None for x, y in zip(a[0], b[0], strict=True))


@pytest.mark.parametrize("entry", entries())
def test_corpus(entry: Entry) -> None:
    """All schedules, and cuts, of a translated program are those of one that is not."""
    engine = engines.get("c")
    other = entry.case(engines.get("hybrid"))
    expected = laws.whole_run(other, engines.get("hybrid"), entry.input)
    gradient = laws.gradient(other, engines.get("hybrid"), entry.input, expected)
    with forced():
        case = entry.case(engine)
        run = laws.whole_run(case, engine, entry.input)
        assert (run.steps, run.written, run.unread) == (expected.steps, expected.written, expected.unread)
        assert difference(laws.gradient(case, engine, entry.input, run), gradient) is None
        laws.check_schedules(case, engine, entry.input, run, (7, 40, 300))
        for cut in laws.cuts(run.steps, Random(entry.name), every=12, more=4):
            laws.check_cut(case, engine, entry.input, run, cut)
    _check_units_asked_in_vain(entry, engine, run, gradient[1])


def _check_units_asked_in_vain(entry: Entry, engine: Engine, run: laws.Run, xbar: Any) -> None:
    """Runs that begin within the program have few registers, and ask units that they cannot enter: these must
    leave the machine as it is.
    """
    for cut in laws.cuts(run.steps, Random(entry.name), every=2, more=6):
        laws.check_gradient_through_cut(entry.case(engine), engine, entry.input, run, xbar, cut, 1)


@pytest.mark.parametrize("name", some(2, list(LOOPS)))
def test_values_steps_and_gradients(name: str) -> None:
    """Slices of any length change nothing, so that units are left anywhere."""
    f = value_of(LOOPS[name], engines.get("hybrid"))
    for x in POINTS:
        expected = outcome(f, x, "hybrid")
        gradient = outcome(f, x, "hybrid", Plain())
        for slice in (7, 400):
            with forced(slice):
                translated = value_of(LOOPS[name], engines.get("c"))
                for _ in range(2):
                    assert same(outcome(translated, x, "c"), expected)
                for schedule in (Plain(), Bisection(30)):
                    assert same(outcome(translated, x, "c", schedule), gradient), (x, slice, schedule)


@pytest.mark.parametrize("name", some(4, FINE))
def test_cuts(name: str) -> None:
    """A state that translated code leaves is like any other, at any step, and across engines."""
    c, hybrid = engines.get("c"), engines.get("hybrid")
    plain, x = value_of(LOOPS[name], hybrid), 0.7
    expected, steps = outcome(plain, x, "hybrid")[0]
    with forced(100):
        f = value_of(LOOPS[name], c)
        for cut in laws.cuts(steps, Random(name), every=3, more=12):
            for first, second in ((c, c), (c, hybrid), (hybrid, c)):
                z = runs.interrupt_values(f if first is c else plain, x, cut, first)
                assert difference(runs.call_values(runs.RESUME, z, second), expected) is None


@pytest.mark.parametrize("name", some(5, FINE))
def test_nothing_is_lost(name: str) -> None:
    """After a run, and after one from its middle that is made twice, a heap holds what it holds anyway."""
    engine: Any = engines.get("c")
    f = value_of(LOOPS[name], engine)

    def left() -> int:
        start = engine.start(0, enter(Pair(f, 0.7)), 0)
        heap = start.heap
        with World(INPUT):
            middle = engine.advance(start, 37, Effects())
            for _ in range(2):
                engine.advance(middle, None, Effects())
            recording = engine.tape(middle, None, Effects())
            engine.reverse(recording, engine.seed(recording.end, 1.0))
        heap.check()
        del start, middle, recording
        gc.collect()
        held: int = heap.bytes
        return held

    left()
    expected = left()
    for slice in (5, 1_000):
        with forced(slice):
            assert [left() for _ in range(3)] == [expected] * 3


@pytest.mark.parametrize("seed", some(4, range(12)))
def test_random_programs(seed: int) -> None:
    """Programs with loops of up to 16 turns."""
    random = Random(f"translation {seed}")

    def pick(options: Sequence[str]) -> str:
        turns = tuple(options) == ("1", "2", "3")
        return random.choice(("4", "7", "16") if turns else options)

    text, x = program(pick), random.choice(NUMBERS)
    f = value_of(text, engines.get("hybrid"))
    expected = outcome(f, x, "hybrid")
    gradient = outcome(f, x, "hybrid", Plain())
    engine = engines.get("c")
    with forced(random.choice((13, 60, 400))):
        translated = value_of(text, engine)
        for _ in range(2):
            assert same(outcome(translated, x, "c"), expected), text
        if isinstance(expected[0], str) or expected[0][1] > LONGEST:
            return
        for schedule in (Plain(), Bisection(17)):
            assert same(outcome(translated, x, "c", schedule), gradient), text
        case = Case(translated, x, 1.0)
        run = laws.whole_run(case, engine, INPUT)
        for cut in laws.cuts(run.steps, random, every=1, more=3):
            laws.check_cut(case, engine, INPUT, run, cut)


# A unit of `h` is entered at either loop, and no way leads from one to the other.
APART = """(lambda (x)
  (letrec ((h (lambda (y c)
                (if (< y 10)
                    (let b ((j 0) (u y) (p (* 2 x)) (q (+ x 1.5)))
                      (if (< j 12) (b (+ j 1) (/ (* u p) q) p q) u))
                    (let g ((j 0) (u y) (p (* 2 x)) (q (+ x 2.5)))
                      (if (< j 12) (g (+ j 1) (/ (* u p) q) p q) u))))))
    (let a ((i 0) (y x))
      (if (>= i 6) y (a (+ i 1) (sin (+ (h (* 20 y) i) (h y i))))))))"""


def test_loops_that_do_not_lead_to_one_another() -> None:
    c, hybrid = engines.get("c"), engines.get("hybrid")
    x, plain = 0.7, value_of(APART, hybrid)
    expected = runs.vjp_values(plain, x, 1.0, hybrid, Plain())
    rest = runs.interrupt_values(plain, x, 249, hybrid)
    of_rest = runs.vjp_values(runs.RESUME, rest, 1.0, hybrid, Plain())
    with forced(first=7):
        f = value_of(APART, c)
        z = runs.interrupt_values(f, x, 249, c)
        assert difference(runs.vjp_values(runs.RESUME, z, 1.0, c, Plain())[0], of_rest[0]) is None
        runs.primops_values(f, x, c)
        for schedule in (Plain(), Bisection(30)):
            found = runs.vjp_values(f, x, 1.0, c, schedule)
            assert all(difference(a, b) is None for a, b in zip(found, expected, strict=True))


def test_something_is_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units are made; otherwise the tests above would show nothing."""
    made: list[Any] = []
    install = translation.Translation.install

    def counted(each: translation.Translation) -> tuple[int, list[Exception]]:
        made.append(each)
        return install(each)

    monkeypatch.setattr(translation.Translation, "install", counted)
    with forced():
        f = value_of(LOOPS["real"], engines.get("c"))
        outcome(f, 0.7, "c", Plain())
        outcome(f, 0.7, "c", Plain())
    assert made
    assert all("plain" not in each.pending for each in made)
