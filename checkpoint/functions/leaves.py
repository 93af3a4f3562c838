"""The leaves of arguments by their paths, and the report of each leaf's cotangent (`each=`).

In: an argument, its value in the language, later its cotangent. Out: the paths of its leaves; and, at the
end of a sweep, a report of every cotangent that was not reported during it. A path is the tuple of the
keys, indices and names of attributes that lead to the leaf in the gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from checkpoint.ad.arrays import Array
from checkpoint.ad.containers import CONTAINERS, Dict, List
from checkpoint.ad.walk import Branch, fold
from checkpoint.driver.finals import NAMELESS, Finals, Leaf, Path, path_of
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import RunError, an
from checkpoint.functions.interface import Call, holds_real
from checkpoint.functions.python_functions import PythonCall
from checkpoint.functions.pytrees import cotangent_leaf, parts_of_python, rebuilt
from checkpoint.lang.python.library.stand_ins import BY_CLASS

Receiver = Callable[[Path, Any], object]
Each = Receiver | None


def check_each(each: Each, has_state: bool) -> None:
    """Raise RunError unless `each` is a function or None, and can do what it should."""
    if each is None:
        return
    if not callable(each):
        raise RunError(f"each is a function of a path and a cotangent, not {an(type(each).__name__)}")
    if has_state:
        raise RunError("each= and has_state= cannot be combined: the state that is returned needs its leaves")


def vjp_reporting(
    call: Call, ybar: Any, schedule: Schedule, each: Receiver, names: tuple[str, str]
) -> tuple[Any, Any]:
    """Return the value of a call, and the structure of its argument's cotangent, whose leaves are reported.

    names: what messages call the argument and ybar.
    """
    if not isinstance(call, PythonCall):
        raise RunError("each= needs a Python function: procedures and capsules return their cotangents whole")
    x, part = call.given[0], call.parts[0]
    if not holds_real(part):
        raise RunError(call.without_reals(names[0], x))
    with reporting(each, [((), x, part)]) as finals:
        y, xbar = call.run.vjp(call.seed(ybar, names[1]), schedule, finals)
        rest = report_rest(finals, (), x, call.unpacked(xbar)[0])
    return call.leave(y), rest


@contextmanager
def reporting(each: Receiver, parts: Sequence[tuple[Path, Any, Any]]) -> Iterator[Finals]:
    """Give what receives cotangents of arguments; an error within the `with` names those that it received.

    parts: of each argument by which the function is differentiated its path, itself and its value.
    """
    leaves = (leaf for path, item, value in parts for leaf in _arrays(path, item, value))
    finals = Finals(each, cotangent_leaf, leaves)
    try:
        yield finals
    except BaseException as error:
        finals.note(error)
        raise


def _arrays(path: Path, nest: Any, value: Any) -> Iterator[Leaf]:
    """Yield the arrays among the leaves of an argument."""
    pending = [(path, NAMELESS, nest, value)]
    while pending:
        base, key, item, other = pending.pop()
        if type(other) is Array:
            yield Leaf(base, key, item, other)
        elif type(other) in CONTAINERS and not isinstance(item, type | complex):
            here = path_of(base, key)
            pending.extend([(here, *part) for part in _parts(item, other)][::-1])


def report_rest(finals: Finals, path: Path, nest: Any, cotangent: Any) -> Any:
    """Report the cotangents in that of an argument; return its structure with None in their places."""

    def opened(place: tuple[Path, Any, Any]) -> Any:
        here, item, other = place
        if isinstance(item, type):
            return None
        if type(other) in CONTAINERS and not isinstance(item, complex):
            inner = [(path_of(here, key), part, value) for key, part, value in _parts(item, other)]
            return Branch(inner, lambda parts: rebuilt(item, other, parts))
        found = _of_complex(item, other) if isinstance(item, complex) else cotangent_leaf(item, other)
        if found is not None:
            finals.report_after(here, found)
        return None

    return fold((path, nest, cotangent), opened)


def _of_complex(item: complex, cotangent: Any) -> Any:
    return rebuilt(item, cotangent, list(cotangent.parts())) if type(cotangent) in CONTAINERS else None


def _parts(item: Any, value: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the parts of a Python object with their keys and their values in the language."""
    yield from zip(_keys(item, value), parts_of_python(item, value), value.parts(), strict=True)


def _keys(item: Any, value: Any) -> list[Any]:
    """Return the last parts of the paths of an object's parts; NAMELESS for what has no key of its own."""
    if type(value) is Dict:
        return list(item)
    if type(value) is List or type(item) is tuple:
        return list(range(len(value.parts())))
    if isinstance(item, set | frozenset) or type(item) in BY_CLASS:
        return [NAMELESS] * len(value.parts())
    return list(value.layout.names)
