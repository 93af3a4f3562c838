"""The libraries whose arrays programs can hold: for each type of array, a namespace with NumPy's names.

Records are written against these names: `xp.sin(x)`. Here is NumPy itself. Another library is added by
`install`ing its type of array with a namespace that has the names which records use.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.arrays import backends, defaults
from checkpoint.prims.arrays import knows_dtypes, silences


def install(kind: type, namespace: Any) -> None:
    """Let programs hold arrays of a type; namespace: the functions that work on them, by NumPy's names."""
    backends[kind] = namespace


install(np.ndarray, np)
_SCALARS: set[type] = {np.bool_, *np.sctypeDict.values()}
for _scalar in _SCALARS:
    if issubclass(_scalar, np.bool_ | np.number):
        install(_scalar, np)
defaults.append(np)


# The classes of kinds of dtypes, which np.issubdtype takes.
_ABSTRACT = (
    np.generic,
    np.number,
    np.inexact,
    np.integer,
    np.signedinteger,
    np.unsignedinteger,
    np.floating,
    np.complexfloating,
)


def dtype_of(value: Any) -> Any:
    """Return the dtype that a class means (np.float32, float), or a dtype itself; None for anything else.

    Abstract classes of scalars (np.floating), which np.issubdtype takes, mean themselves.
    """
    if isinstance(value, np.dtype):
        return value
    if any(value is each for each in _ABSTRACT):
        return value
    is_class = isinstance(value, type) and (value in _SCALARS or value in (float, int, bool, complex))
    return np.dtype(value) if is_class else None


knows_dtypes(dtype_of)
silences(lambda: np.errstate(all="ignore"))
