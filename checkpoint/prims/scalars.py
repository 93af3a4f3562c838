"""The scalar primitives of the language: reals to a real, or to a boolean; and records of definitions.

In: the definitions of checkpoint.scalars. Out: a record for each that the language names. Partials are their
expressions read on numbers of any kind: floats, duals and nodes alike. They never fail, so that derivatives
of derivatives need no further rules.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from checkpoint.ad.numbers import Number, apply, real_part
from checkpoint.ad.record import PYTHON_FAILURES, Interval, Partial, Purity, Scalar, lookup, register
from checkpoint.scalars import python_text
from checkpoint.scalars.algebra import find_step_function
from checkpoint.scalars.definition import Definition, definitions, find


def record_of(definition: Definition, name: str, **changes: Any) -> Scalar:
    """Return the record of a definition under a name."""
    fields: dict[str, Any] = {
        "doc": definition.doc,
        "value": definition.value,
        "ieee": definition.ieee,
        "purity": Purity.PURE if definition.ieee is definition.value else Purity.MAY_FAIL,
        **changes,
    }
    if name.startswith("py."):
        fields["failures"] = PYTHON_FAILURES
    has_text = name != definition.of_python  # of operators; a function of Python has its own value
    return Scalar(
        name=name,
        arity=definition.arity,
        partials=_partials(definition.name),
        on_floats=lambda: definition.slopes,
        reads=lambda: definition.needs,
        levels=lambda: definition.flat,
        text=lambda: _inline(definition) if has_text else None,
        singular=definition.singular,
        convention=definition.convention,
        domain=tuple([Interval(*bounds) for bounds in definition.domain]),
        **fields,
    )


@cache
def _partials(name: str) -> tuple[Partial, ...] | None:
    """Return the partials of a definition as functions of numbers of any kind."""
    definition = find(name)
    if definition.partials is None:
        return None
    return tuple([_of_numbers(definition, i) for i in range(definition.arity)])


def _of_numbers(definition: Definition, i: int) -> Partial:
    """Return a partial as a function of numbers; its text is made when it is first called."""
    made: list[Partial] = []

    def partial(*numbers: Number) -> Number:
        if not made:
            part = definition.scalar_derivatives[i]
            made.append(python_text.on_numbers(part, definition.arity, generic, real_part))
        return made[0](*numbers)

    return partial


@cache
def generic(name: str) -> Callable[..., Number]:
    """Return the function of a name on numbers of any kind, without failures."""
    step = find_step_function(name)
    if step is not None:
        return step.value
    definition = find(name)
    record = lookup(definition.language or definition.of_python or definition.beside[0])
    assert isinstance(record, Scalar)
    return lambda *operands: apply(record, operands, strict=False)


def _inline(definition: Definition) -> tuple[str, ...] | None:
    """Return the text of the value and, where all of them have one, that of the partials."""
    if not definition.inline:
        return None
    texts = [python_text.inline(part, definition.arity) for part in definition.scalar_derivatives]
    found = [text for text in texts if text is not None]
    return (definition.inline, *(found if len(found) == len(texts) else ()))


for _definition in definitions().values():
    if _definition.language:
        register(record_of(_definition, _definition.language))
