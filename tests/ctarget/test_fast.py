"""Translated code in the machine: a unit written by hand does what the machine does, in every bit.

Of each run both are made: by a program with the unit, and by the same program without.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import checkpoint
from checkpoint import engines
from checkpoint.ad.graph import enter
from checkpoint.ad.values import Pair
from checkpoint.ctarget.build import compiler
from checkpoint.ctarget.code import make_code
from checkpoint.ctarget.cotangent import Cotangent
from checkpoint.ctarget.library import reason, runtime
from checkpoint.ctarget.peers import BlockPeer, procedure_peer
from checkpoint.ctarget.run import RunHelper, block_at
from checkpoint.ctarget.states import State
from checkpoint.ctarget.translate.compile.folders import Folder
from checkpoint.ctarget.translate.compile.install import install
from checkpoint.ctarget.translate.compile.loading import Loaded, load
from checkpoint.ctarget.translate.specialise.observe import Shape, seen
from checkpoint.ctarget.translate.units.graph import Header, Unit
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Wanted
from checkpoint.driver.execute import outcome
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import InternalError, Source
from checkpoint.functions import runs
from checkpoint.functions.program import load as load_program
from checkpoint.interp.hybrid.machine import HALT, Machine
from checkpoint.interp.hybrid.machine import State as PythonState
from tests.ctarget.c_sources import TEMPLATES

pytestmark = [
    pytest.mark.skipif(reason() is not None, reason=str(reason())),
    pytest.mark.skipif(compiler() is None, reason="there is no C compiler"),
]

HERE = Path(__file__).parent
FLAGS = ["-std=c11", "-O1", "-fPIC", "-shared", "-ffp-contract=off", "-Wall", "-Werror"]
LOOP = """(lambda (x)
  (let loop ((i {n}) (x x))
    (if (= i 0) x (loop (- i 1) (* x (- 1.0001 (* x 0.0001)))))))"""
LONG, SHORT = 3000, 5
X = 0.7


@dataclass
class Program:
    """A program at its start, and how often each function of its unit, if it has one, did something."""

    start: State
    f: Any
    loop: BlockPeer
    runs: Any = None
    refused: Any = None
    unit: Unit | None = None
    loaded: Loaded | None = None


def program(n: int) -> Program:
    f = runs.run_program(load_program(Source("<test>", LOOP.format(n=n))), engines.get("c"))
    start: Any = engines.get("c").start(0, enter(Pair(f, X)), 0)
    (loop,) = [peer for label, peer in procedure_peer(f.lam).blocks.items() if label.endswith(".loop")]
    return Program(start, f, loop)


def with_unit(n: int, folder: Path, *flags: str, forms: tuple[bool, bool] = (True, True)) -> Program:
    made = program(n)
    i, x = (made.loop.registers[name] for name in made.loop.block.params)
    cost = made.loop.block.cost + max(peer.block.cost for peer in made.loop.procedure.blocks.values())
    path = folder / f"unit{len(list(folder.iterdir()))}.so"
    constants = [f"-DI={i}", f"-DX={x}", f"-DCOST={cost}", *flags]
    command = [*(compiler() or ()), *FLAGS, *constants, f"-I{TEMPLATES}", HERE / "fast.c", "-o", path]
    subprocess.run(command, check=True)
    made.loaded = load(path.read_bytes(), Folder(folder))
    library = made.loaded.library
    made.runs = (ctypes.c_int64 * 3).in_dll(library, "unit_runs_of")
    made.refused = ctypes.c_int64.in_dll(library, "unit_refused")
    headers = [Header(3, made.loop, (), ())]
    made.unit = Unit("loop", headers, [], [made.loop, made.loop.procedure])
    install(made.unit, made.loaded if forms[0] else None, made.loaded if forms[1] else None, 1)
    return made


def look(state: Any) -> Any:
    """Return all that there is of a state."""
    found = state.python()
    saved, frame = [], found.frame
    while frame is not None:
        saved.append((frame.block.block.label, frame.saved))
        frame = frame.next
    at = found.block.block.label, found.index
    return at, found.values, saved, found.steps, found.births, found.tags


def gradient(end: Any, cotangent: Cotangent) -> tuple[Any, ...]:
    return (*look(end), *(each.hex() for each in cotangent.slots if type(each) is float))


def reversed_tape(start: State, recording: Any, ybar: float = 1.25) -> tuple[Any, ...]:
    cotangent = engines.get("c").seed(recording.end, ybar)
    engines.get("c").reverse(recording, cotangent)
    assert isinstance(cotangent, Cotangent)
    return gradient(recording.end, cotangent)


def swept(start: State, schedule: Schedule) -> tuple[Any, ...]:
    engine: Any = engines.get("c")
    wanted = Wanted(engine, Effects(), lambda end: engine.seed(end, 1.25))
    end, cotangent = outcome(engine.sweep(wanted, start, schedule))
    return gradient(end, cotangent)


def test_every_cut(tmp_path: Path) -> None:
    engine: Any = engines.get("c")
    without, fast = program(SHORT), with_unit(SHORT, tmp_path)
    steps = runs.primops_values(without.f, X, engine)
    for cut in range(steps + 1):
        expected = look(engine.advance(without.start, cut, Effects()))
        assert look(engine.advance(fast.start, cut, Effects())) == expected
        taped, other = (engine.tape(each.start, cut, Effects()) for each in (fast, without))
        assert look(taped.end) == look(other.end) == expected
        again = engine.advance(engine.advance(fast.start, cut, Effects()), None, Effects())
        assert look(again) == look(engine.advance(without.start, None, Effects()))
    assert fast.runs[0] > steps
    assert fast.runs[1] > steps // 2


def test_tape_and_reversal(tmp_path: Path) -> None:
    engine: Any = engines.get("c")
    without, fast = program(LONG), with_unit(LONG, tmp_path)
    own, other = (engine.tape(each.start, None, Effects()) for each in (fast, without))
    assert 8 * LONG < own.bytes < other.bytes
    assert reversed_tape(fast.start, own) == reversed_tape(without.start, other)
    assert runtime().lib.ck_tape_bytes(own.tape) == 0
    assert fast.runs[1] == fast.runs[2] > 1  # it continues in another chunk


@pytest.mark.parametrize("bytes", [1, 100, 1000, 5000, 20_000])
def test_the_bound_of_a_tape(bytes: int, tmp_path: Path) -> None:
    engine: Any = engines.get("c")
    fast = with_unit(LONG, tmp_path)
    recording = engine.tape(fast.start, None, Effects(), bytes)
    assert not recording.end.finished
    assert bytes < recording.bytes < bytes + 200
    assert fast.runs[1] > 0 or bytes < 1000
    rest = engine.tape(recording.end, None, Effects())
    cotangent = engine.seed(rest.end, 1.25)
    for each in (rest, recording):
        engine.reverse(each, cotangent)
    without = program(LONG)
    expected = reversed_tape(without.start, engine.tape(without.start, None, Effects()))
    assert gradient(rest.end, cotangent) == expected
    assert fast.runs[1] == fast.runs[2] > 0


def test_a_tape_is_released(tmp_path: Path) -> None:
    engine: Any = engines.get("c")
    fast = with_unit(LONG, tmp_path)
    engine.advance(fast.start, None, Effects())
    before = fast.start.heap.bytes
    recording = engine.tape(fast.start, None, Effects())
    held = fast.start.heap.bytes
    assert held > before + 8 * LONG
    del recording
    fast.start.heap.check()
    assert fast.start.heap.bytes == before
    assert fast.runs[1] > 0


@pytest.mark.parametrize(
    "schedule",
    [
        checkpoint.Bisection(base=1),
        checkpoint.Bisection(base=500),
        checkpoint.Bisection(base=10**6, tape_bytes=3000),
        checkpoint.Bisection(base=10**6),
        checkpoint.Binomial(snapshots=4, base=300),
        checkpoint.Binomial(base=1000, tape_bytes=1000),
    ],
    ids=str,
)
def test_schedules(schedule: Schedule, tmp_path: Path) -> None:
    n = 300
    without, fast = program(n), with_unit(n, tmp_path)
    assert swept(fast.start, schedule) == swept(without.start, schedule)
    assert fast.runs[0] + fast.runs[1] > 0
    assert fast.runs[1] >= fast.runs[2]  # some tapes are dropped
    assert fast.runs[2] > 0 or schedule == checkpoint.Bisection(base=1)


def test_a_unit_that_does_nothing(tmp_path: Path) -> None:
    engine: Any = engines.get("c")
    without, fast = program(LONG), with_unit(LONG, tmp_path, "-DREFUSES=1")
    assert look(engine.advance(fast.start, None, Effects())) == look(
        engine.advance(without.start, None, Effects())
    )
    own, other = (engine.tape(each.start, None, Effects()) for each in (fast, without))
    assert own.bytes == other.bytes
    assert reversed_tape(fast.start, own) == reversed_tape(without.start, other)
    assert fast.refused.value > 2 * LONG
    assert list(fast.runs) == [0, 0, 0]


def test_forms_come_one_after_the_other(tmp_path: Path) -> None:
    """A form of the code may be installed where the blocks have had another before."""
    engine: Any = engines.get("c")
    without, fast = program(LONG), with_unit(LONG, tmp_path, forms=(True, False))
    for taped in (False, True):
        if taped:
            assert fast.unit
            install(fast.unit, None, fast.loaded, 1)
        engine.advance(fast.start, None, Effects())
        own, other = (engine.tape(each.start, None, Effects()) for each in (fast, without))
        assert reversed_tape(fast.start, own) == reversed_tape(without.start, other)
        assert (fast.runs[1] > 0) == taped
    assert fast.runs[0] > 0


def test_code_that_was_there_is_made_again(tmp_path: Path) -> None:
    engine: Any = engines.get("c")
    fast = with_unit(LONG, tmp_path)
    other = program(LONG)
    expected = look(engine.advance(other.start, None, Effects()))
    assert fast.loaded
    unit = Unit("loop", [Header(3, other.loop, (), ())], [], [other.loop, other.loop.procedure])
    install(unit, fast.loaded, None)
    assert look(engine.advance(other.start, None, Effects())) == expected
    assert fast.runs[0] > 0


def test_the_newer_unit_is_entered(tmp_path: Path) -> None:
    fast = with_unit(LONG, tmp_path)
    assert fast.unit
    first = fast.loop.entry
    install(Unit("loop", [Header(3, fast.loop, (), None)], [], []), fast.loaded, fast.loaded)
    assert fast.loop.entry == first  # it has no entry
    install(Unit("loop", [Header(3, fast.loop, (), ())], [], fast.unit.references), fast.loaded, None)
    newer = fast.loop.entry
    assert newer != first
    install(fast.unit, None, fast.loaded, 1)
    assert fast.loop.entry == newer


def test_runs_within_derivatives(tmp_path: Path) -> None:
    """A unit of reals records where dual numbers may occur elsewhere."""
    engine: Any = engines.get("c")
    fast = with_unit(LONG, tmp_path)
    inner: Any = engine.start(0, enter(Pair(fast.f, X)), 1)
    assert inner.tags == 1
    own, other = (engine.tape(start, None, Effects()) for start in (inner, program(LONG).start))
    assert own.bytes < other.bytes
    assert fast.runs[1] > 0


def test_cotangents_that_are_no_reals(tmp_path: Path) -> None:
    """A cotangent that a run cannot take back raises an error instead of giving a wrong result."""
    engine: Any = engines.get("c")
    fast = with_unit(SHORT, tmp_path)
    np = pytest.importorskip("numpy")
    cut = next(each for each in range(20, 60) if standing(engine.advance(fast.start, each, Effects())) == 0)
    recording = engine.tape(fast.start, cut, Effects())
    assert fast.runs[1] > 0
    cotangent = Cotangent(recording.end, (0.0, np.array([1.0, 2.0])))
    with pytest.raises(InternalError, match="no reals"):
        cotangent.reverse(recording.tape)


def standing(state: State) -> int:
    """Return the index within the loop header's block at which a state is, or -1 in another block."""
    found = state.python()
    return found.index if found.block.block.label.endswith(".loop") else -1


OBSERVED = """(define ((add a) b) (+ a b))
(lambda (x)
  (let ((g (add x)) (p (cons x (cons 1 #t))))
    (let loop ((i 5) (g g) (p p) (f add) (x x))
      (if (= i 0) (+ (g x) (car p)) (loop (- i 1) g p f (* x 0.5))))))"""


@pytest.fixture
def held() -> Iterator[Any]:
    """Yield a machine at the start of OBSERVED."""
    module = runtime()
    engine: Any = engines.get("c")
    f = runs.run_program(load_program(Source("<test>", OBSERVED)), engine)
    start = engine.start(0, enter(Pair(f, X)), 0)
    at = PythonState(HALT, 0, (), None, 0, 0, start.births)
    peer = RunHelper(lambda: Machine(engine, at, Effects()), start.heap)
    machine = start.heap.got(module.lib.ck_machine_create(start.held, module.ffi.NULL, 1 << 60, id(peer)))
    yield machine
    module.ffi.release(machine)


def test_what_stands_in_registers(held: Any) -> None:
    lib = runtime().lib
    found = None
    for limit in range(1000):
        while lib.ck_machine_run(held, limit, 1 << 40) == lib.WANTS_CODE:
            make_code(block_at(held), lib.ck_machine_position(held).wanted)
        found = seen(held)
        assert (found is None) == bool(lib.ck_machine_position(held).index)
        if found is not None and found[0].block.label.endswith("loop") and "p" in str(found[0].block.params):
            break
    assert found is not None
    peer, shapes = found
    real = Shape("REAL")
    told = {name.split(".")[0]: shapes[peer.registers[name]] for name in peer.block.params}
    assert told["i"] == told["x"] == real
    assert told["p"] == Shape("PAIR", None, (real, Shape("PAIR", None, (real, Shape("BOOLEAN")))))
    assert told["g"].tag == "CLOSURE"
    assert told["g"].procedure is not None
    assert told["g"].fields == (Shape("ENVIRONMENT", None, (real,)),)
