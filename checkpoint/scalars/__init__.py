"""Scalar functions: one definition each, from which every engine, translated code and arrays take theirs.

In: nothing but Python's own modules. Out: `definitions()`. A definition states the value and the partial
derivatives over a small algebra (algebra.py); a partial is written nowhere else. It is read

    on floats                        python_text.py, by interp and hybrid
    on duals and nodes of a tape     python_text.py, by checkpoint/prims/scalars.py
    as Python text of hybrid         python_text.py, the field `inline` of records
    as C on doubles and on duals     c_text.py, by the build, for ctemplates/scalars/, and by translated code
    on arrays                        tensorlib/elementwise/formulas.py

What always holds: all of these compute the same operations in the same order, so they agree in every bit. The
build imports this package alone, without its parent and without NumPy (checkpoint/ctarget/build.py).
"""

from __future__ import annotations

from checkpoint.scalars import (
    angles,
    arithmetic,
    complex_parts,
    gamma,
    piecewise,
    powers,
    predicates,
    special,
)
from checkpoint.scalars.definition import Arrays, Definition, define, definitions

__all__ = [
    "Arrays",
    "Definition",
    "angles",
    "arithmetic",
    "complex_parts",
    "define",
    "definitions",
    "gamma",
    "piecewise",
    "powers",
    "predicates",
    "special",
]
