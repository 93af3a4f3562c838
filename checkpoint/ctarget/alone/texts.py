"""Asks the records what an executable says when something fails.

In: records of primitives. Out: their operations as C (ctemplates/alone/program.h), and the texts of calls and
tangents. What always holds: each is what Python's own code says, of operands for which it fails; where it
names a number or a value, that is a mark of printf's. Only what executables alone say stands here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from checkpoint.ad import tangent
from checkpoint.ad.containers import TUPLE, List, Record
from checkpoint.ad.numbers import apply
from checkpoint.ad.record import OperandError, Scalar, WrongCall, lookup
from checkpoint.ad.values import EMPTY, NO_CAPSULE, Closure, Failure, Opaque, Pair, Symbol
from checkpoint.driver.effects import Effects
from checkpoint.driver.raised import NO_RESET, uncaught, within_step
from checkpoint.errors import InternalError
from checkpoint.prims import data, interruption, references
from checkpoint.prims.arrays import boolean_of

IF = "if"  # what a branch is called where its test is no boolean
# How each primitive is done that is no scalar function: by a Doing of program.h.
DOINGS = {
    **dict.fromkeys(("cons", "null?", "ref", "tagged"), "DOES_NOTHING_ELSE"),
    **dict.fromkeys(("car", "cdr", "!", "tag-of", "untagged", NO_RESET), "DOES_DATA"),
    ":=": "DOES_ASSIGN",
    **dict.fromkeys(("boolean?", "real?", "tensor?", "pair?", "procedure?", "string?"), "DOES_OTHER_TEST"),
    "symbol?": "DOES_SYMBOL_TEST",
    "eq?": "DOES_SAME",
    "read-real": "DOES_READ_REAL",
    "write-real": "DOES_WRITE_REAL",
    "write": "DOES_WRITE",
    "*j": "DOES_GRADIENT",
    "checkpoint-*j": "DOES_GRADIENT",
    "primops": "DOES_PRIMOPS",
    "interrupt": "DOES_INTERRUPT",
    "resume": "DOES_CONTROL",
    "j*": "DOES_CONTROL",
    IF: "DOES_CONTROL",
}
_REFUSING = {
    "car": (None,),
    "cdr": (None,),
    "eq?": (1.0, 1.0),
    "!": (None, None),
    ":=": (None, None, None),
    "tag-of": (None, None),
    "untagged": (None, None),
    NO_RESET: (None,),
}  # operands for which these fail
_NO_REAL = None  # an operand that no scalar function takes

# The classes of reals of program.h, in their order: examples of each.
_CLASSES = (
    (float("nan"),),
    (float("-inf"),),
    (-0.5, -1.5, -2.5, -1e-300, -1e-3, -1000.5),
    (-1.0, -2.0, -3.0, -1000.0, -1e17, -1e308),
    (0.0, -0.0),
    (0.5, 1.5, 2.5, 1e-300, 1e-3, 1000.5),
    (1.0, 2.0, 3.0, 1000.0, 1e17, 1e308),
    (float("inf"),),
)


def string(text: str | None) -> str:
    r"""Return a text as a literal of C.

    >>> print(string('a "b"\n?'), string("\xe9"))
    "a \"b\"\n\?" "\303\251"
    """
    if text is None:
        return "NULL"
    parts = []
    for byte in text.encode("utf-8", "surrogatepass"):
        character = chr(byte)
        if character == "\n":
            parts.append("\\n")
        elif character in '"\\?':
            parts.append(f"\\{character}")
        elif 32 <= byte < 127:
            parts.append(character)
        else:
            parts.append(f"\\{byte:03o}")
    return f'"{"".join(parts)}"'


@cache
def failures(name: str) -> tuple[str | None, ...]:
    """Return why a scalar function fails for reals of each class, or pair of classes; None: it does not."""
    record = lookup(name)
    assert isinstance(record, Scalar)
    return tuple(
        [_of_classes(record, classes) for classes in itertools.product(_CLASSES, repeat=record.arity)]
    )


def _of_classes(record: Scalar, classes: tuple[tuple[float, ...], ...]) -> str | None:
    found: set[str] = set()
    for operands in itertools.product(*classes):
        try:
            record.value(*operands)
        except record.failures as error:
            found.add(str(error))
    if len(found) > 1:
        raise InternalError(f"{record.name} fails in {len(found)} ways for reals of one class: {found}")
    return next(iter(found), None)


def refusals(name: str) -> tuple[str, ...]:
    """Return what a primitive says of operands of another kind than it takes, by operand."""
    record = lookup(name)
    if isinstance(record, Scalar):
        operands: list[list[Any]] = [[1.0] * record.arity for _ in range(record.arity)]
        for i, given in enumerate(operands):
            given[i] = _NO_REAL
        return tuple([_said(partial(apply, record, given)) for given in operands])
    value: Callable[..., Any] = getattr(record, "value", lambda: None)
    if name in _REFUSING:
        return (_said(lambda: value(*_REFUSING[name])),)
    if name == "write-real":
        return (_said(lambda: value(Effects(), 0, _NO_REAL)),)
    if name == "interrupt":
        return (_said(lambda: value(None, None, None, _NO_REAL)),)
    return ()


def _said(fails: Callable[[], Any]) -> str:
    try:
        fails()
    except OperandError as error:
        return str(error)
    raise InternalError("a primitive takes what it was to refuse")


def operation(name: str, identifier: str) -> list[str]:
    """Return the definition of an operation as C, under an identifier."""
    is_scalar = name != IF and isinstance(lookup(name), Scalar)
    refused, failing = () if name == IF else refusals(name), failures(name) if is_scalar else ()
    lines: list[str] = []
    # What is not here is behind tests for tensors.
    fields = [string(name), "DOES_SCALAR" if is_scalar else DOINGS.get(name, "DOES_NOTHING_ELSE")]
    for kind, texts in (("refused", refused), ("failures", failing)):
        if any(text is not None for text in texts):
            listed = ", ".join(map(string, texts))
            lines.append(f"static const char *const {identifier}_{kind}[] = {{{listed}}};")
            fields.append(f"{identifier}_{kind}")
        else:
            fields.append("NULL")
    return [*lines, f"static const Operation {identifier} = {{{', '.join(fields)}}};"]


_COUNT: Any = "%u"  # these stand for numbers that are known when the text is said
_STEPS: Any = "%lld"
_WRITTEN: Any = "%s"
TOO_MUCH = (
    "the derivatives here are nested too deep for an executable, or of procedures that share numbers: use "
    "`checkpoint run`"
)
OUT_OF_MEMORY = "out of memory"


def texts(memory: int | None) -> list[str]:
    """Return the texts of calls, tests, words and tangents, as C; memory: what a run may hold, or None."""
    bounded = "" if memory is None else f": the run may hold no more than {memory:,} bytes"
    fields = {
        "no_procedure": str(WrongCall(None, 1)),
        "one_argument": str(WrongCall(None, _COUNT, 1)),
        "arguments": str(WrongCall(None, _COUNT, _COUNT)),
        "test": _said(lambda: boolean_of(None, None)),
        "uncaught": uncaught("%s"),
        "end_of_input": data.END_OF_INPUT,
        "no_real": data.no_real("%s"),
        "mismatch": tangent.difference("%s", "%s", "%s", "%s"),
        "at": tangent.AT,
        "car": tangent.CAR,
        "cdr": tangent.CDR,
        "between": tangent.BETWEEN,
        "tangent": tangent.TANGENT,
        "cotangent": tangent.COTANGENT,
        "nothing": tangent.NOTHING,
        "one_real": tangent.of_holder(1),
        "reals": tangent.of_holder(_COUNT),
        "no_capsule": NO_CAPSULE,
        "no_whole": interruption.not_whole("%s"),
        "too_short": interruption.too_short(_STEPS, _WRITTEN),
        "no_reset": f"({NO_RESET} ",
        "came_in": references.CAME_IN,
        "within_step": within_step("%s"),
        "too_much": TOO_MUCH,
        "out_of_memory": f"{OUT_OF_MEMORY}{bounded}",
    }
    lines = [f"    .{name} = {string(text)}," for name, text in fields.items()]
    shown = ", ".join([f"[{kind}] = {string(tangent.describe(value))}" for kind, value in _DESCRIBED.items()])
    elements = ", ".join(map(string, tangent.ELEMENTS))
    ends = [f"    .described = {{{shown}}},", f"    .elements = {{{elements}}},"]
    return ["const Texts TEXTS = {", *lines, *ends, "};"]


_DESCRIBED = {
    "DESCRIBED_REAL": 1.0,
    "DESCRIBED_BOOLEAN": True,
    "DESCRIBED_NULL": None,
    "DESCRIBED_TEXT": "",
    "DESCRIBED_SYMBOL": Symbol("a"),
    "DESCRIBED_FAILURE": Failure(ValueError(), ""),
    "DESCRIBED_PAIR": Pair(None, None),
    "DESCRIBED_REFERENCE": List([1.0]),
    "DESCRIBED_SUM": Record(TUPLE, (None, 1.0)),
    "DESCRIBED_PROCEDURE": Closure(None, EMPTY),
    "DESCRIBED_OPAQUE": Opaque(()),
}
