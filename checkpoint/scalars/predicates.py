"""Comparisons of reals: functions to booleans, which have no derivative."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from checkpoint.scalars.algebra import compared
from checkpoint.scalars.definition import ANY, Definition, Integers, enter


def _comparison(name: str, doc: str, sign: str, value: Callable[..., Any], **names: Any) -> Definition:
    return enter(
        name=name,
        doc=doc,
        arity=2,
        partials=None,
        formula=lambda x, y: compared(sign, x, y),
        value=value,
        ieee=None,
        python=(),
        integers=Integers(given="true", result=f"of_boolean(x {sign} y)"),
        inline=f"{{0}} {sign} {{1}}",
        domain=(ANY, ANY),
        **names,
    )


def _sign(name: str, doc: str, sign: str, value: Callable[..., Any], language: str) -> Definition:
    return enter(
        name=name,
        doc=doc,
        arity=1,
        partials=None,
        formula=lambda x: compared(sign, x, 0.0),
        value=value,
        ieee=None,
        python=(),
        language=language,
        inline=f"{{0}} {sign} 0.0",
        domain=(ANY,),
    )


equal = _comparison("equal", "equal", "==", operator.eq, language="=", exact=("py.eq",))
unequal = _comparison("unequal", "not equal", "!=", operator.ne, exact=("py.ne",))
less = _comparison("less", "less", "<", operator.lt, language="<", exact=("py.lt",))
greater = _comparison("greater", "greater", ">", operator.gt, language=">", exact=("py.gt",))
not_greater = _comparison("not_greater", "not greater", "<=", operator.le, language="<=", exact=("py.le",))
not_less = _comparison("not_less", "not less", ">=", operator.ge, language=">=", exact=("py.ge",))
zero = _sign("is_zero", "equal to 0", "==", lambda x: x == 0.0, "zero?")
positive = _sign("is_positive", "greater than 0", ">", lambda x: x > 0.0, "positive?")
negative = _sign("is_negative", "less than 0", "<", lambda x: x < 0.0, "negative?")
