"""A capsule as the bytes of a file, and back.

In: a capsule of engine hybrid or c; or bytes, and the function that was interrupted. Out: the parts of a file
(checkpoint.durable.format), or a capsule that continues as the first one does: the same values, steps and
cotangents, to the bit.

    ORIGIN    the machine that wrote it; engine, open tags, origin of the capsule
    CODE      checkpoint.durable.code
    OBJECTS, STACK, BUFFERS   what the capsule holds
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checkpoint import engines
from checkpoint.ad.values import Capsule
from checkpoint.ctarget.capsules.runs import InRuns
from checkpoint.driver.engine import Engine
from checkpoint.durable import machine
from checkpoint.durable.buffers import Arrays
from checkpoint.durable.code import Code, Known, Wanted
from checkpoint.durable.decode import Decoder
from checkpoint.durable.encode import ENGINES, Encoder, of_other_engine
from checkpoint.durable.format import CAPSULE, Buffer, Opened, packed
from checkpoint.durable.programs import Program, program_of
from checkpoint.durable.stream import Reader, Writer
from checkpoint.errors import DurableError
from checkpoint.functions.procedures import Procedure
from checkpoint.functions.python_functions import PythonCapsule


def written(capsule: Capsule) -> list[Buffer]:
    """Return the parts of a capsule's file; DurableError where it holds what has no place in one."""
    if capsule.engine not in ENGINES:
        raise of_other_engine(capsule.engine)
    code = Code(getattr(capsule, "made_by", None))
    encoder = Encoder(code)
    objects, stack = encoder.state(capsule.state)
    origin = Writer()
    write_facts(origin)
    encoder.frame(origin, capsule)
    sections = {
        "ORIGIN": [origin.data],
        "CODE": code.written(),
        "OBJECTS": objects,
        "STACK": stack,
        "BUFFERS": encoder.buffers.written(),
    }
    return packed(CAPSULE, sections)


def write_facts(to: Writer) -> None:
    """Write the fingerprint of this machine."""
    found = machine.facts()
    to.u32(len(found))
    for key, value in found.items():
        to.text(key)
        to.text(value)


def read_facts(reader: Reader) -> machine.Facts:
    """Read the fingerprint of a machine."""
    return {reader.text(): reader.text() for _ in range(reader.count(8))}


class Programs:
    """The program of a function, translated when the first of its capsules is read.

    function: f. known: classes and functions in its arguments.
    """

    def __init__(self, function: Any, known: Sequence[Any]) -> None:
        self.function = function
        self._known = known
        self._made: dict[Any, Program] = {}

    def of(self, wanted: Wanted, engine: Engine) -> Program:
        """Return the program for the call that a file names."""
        key = wanted, engine.name
        if key not in self._made:
            self._made[key] = program_of(self.function, wanted, self._known, engine)
        return self._made[key]


def read(file: Opened, programs: Programs, *, anyway: bool) -> Capsule:
    """Return the capsule of a file, whose function is that of the programs."""
    origin, code = Reader(file, "ORIGIN"), Known(Reader(file, "CODE"))
    written_on = read_facts(origin)
    name, open_tags, found = Decoder.frame(origin)
    origin.end()
    engine = _engine(name)
    program, f = programs.of(code.wanted, engine), programs.function
    machine.check(written_on, file.name, anyway=anyway)
    code.of(program)
    decoder = Decoder(code, Arrays(file))
    state: Any = decoder.state(Reader(file, "OBJECTS"), Reader(file, "STACK"), in_runs=engine.name == "c")
    if type(state) is InRuns:
        in_c: Any = engine
        state = in_c.joined(state)
    if not code.lambdas and found is not None:  # of a run at its end, which needs no code any more
        program.check_code(found.code)
    if found is not None:
        found.code.may_shift = any(lam.may_shift for lam in code.lambdas)
    if isinstance(f, Procedure):
        return Capsule(state, engine.name, open_tags, found)
    return PythonCapsule(state, engine.name, open_tags, found, code.made_by(f))


def _engine(name: str) -> Engine:
    """Return the engine of a capsule, or the one that continues its capsules where it is missing."""
    return engines.get(name if name in engines.usable() else "hybrid")


def check_function(f: Any, file: Opened) -> None:
    """Raise DurableError where f is nothing that a capsule can be of."""
    if not callable(f) and not isinstance(f, Procedure):
        raise DurableError(
            f"{file.name} holds a capsule: pass the function that was interrupted, load(path, f), not a "
            f"{type(f).__name__}"
        )
