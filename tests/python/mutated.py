"""What must hold of a mutated program: it ends as in Python, or is refused with a place, and `check` says so.

In: the text of a module, the name of a function and arguments. Out: how the run ends ("value", "error",
"refused", "run error", "long"), or an AssertionError. A run ends on every engine in Python's value, Python's
exception, a SourceError or a RunError with a place. `checkpoint.check` never fails, and lists the SourceError
in which a run ends, with its place and text.
"""

from __future__ import annotations

import linecache
import re
import sys
import types
import warnings
from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

from checkpoint import check, engines
from checkpoint.errors import CheckpointError, InternalError, SourceError
from checkpoint.functions.python_functions import result, run_of
from checkpoint.functions.refused import refusal_of
from tests.python.agreement import Outcome, TooLong, check_gradients, natively, outcome, same_outcomes

_numbers = count(1)
ENDS = ("value", "error", "refused", "run error", "long", "no program")


def module_of(text: str) -> types.ModuleType:
    """Return a module of a text that is in no file."""
    name = f"mutated_{next(_numbers)}"
    module = types.ModuleType(name)
    module.__file__ = f"<{name}>"
    linecache.cache[module.__file__] = (len(text), None, text.splitlines(keepends=True), module.__file__)
    sys.modules[name] = module
    exec(compile(text, module.__file__, "exec", dont_inherit=True), vars(module))
    return module


def judge(text: str, name: str, args: tuple[Any, ...], random: Random) -> str:
    """Return how a mutated function ends."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = module_of(text)
        except Exception:  # its class statements and defaults run
            return "no program"
        function = vars(module)[name]
        try:
            return ended(function, args, random)
        finally:
            del sys.modules[module.__name__], linecache.cache[str(module.__file__)]


def ended(function: Callable[..., Any], args: tuple[Any, ...], random: Random) -> str:
    """Return how a function ends, once all has been checked."""
    try:
        want = natively(function, args)
    except TooLong:
        return "long"
    if isinstance(want.error, RecursionError | MemoryError | OverflowError):
        return "long"  # the limits are Python's own
    listed = {str(each) for each in check(function, *args)}
    found = {name: outcome(lambda name=name: _run(function, args, name)) for name in engines.usable()}  # type: ignore[misc]
    first = next(iter(found.values()))
    for engine, each in found.items():
        _compare(engine, each, first, want)
    if isinstance(first.error, SourceError):
        said = str(refusal_of(first.error, function))
        assert said in listed, f"not listed: {said}; listed: {listed}"
        return "refused"
    if isinstance(first.error, CheckpointError):
        return "run error"
    if first.error is None and random.random() < 0.2:
        check_gradients(function, args, list(found))
    return "value" if first.error is None else "error"


def _run(function: Callable[..., Any], args: tuple[Any, ...], engine: str) -> Any:
    call = run_of(function, args, {}, engine)
    return result(call.value(), call.engine)


def _compare(engine: str, found: Outcome, first: Outcome, want: Outcome) -> None:
    """Check the end of a run on one engine, beside the first engine's and Python's."""
    if isinstance(found.error, CheckpointError):
        error = found.error
        assert not isinstance(error, InternalError), f"{engine}: {error}"
        leaves = "no value outside of its run" in str(error)  # the end of the run has no place
        assert leaves or getattr(error, "span", None) is not None, f"{engine}: no place in {error!r}"
        assert str(error) == str(first.error), f"{engine}: {error}; else {first}"
        assert want.text.startswith(found.text), f"{engine} prints {found.text!r}; Python {want.text!r}"
        return
    if not _are_same(want, found):
        assert _is_documented(want, found), f"{engine} gives {found}; Python gives {want}"


def _are_same(want: Outcome, found: Outcome) -> bool:
    try:
        return same_outcomes(want, found)
    except (RecursionError, ValueError):  # a list that holds itself; arrays, which tests/arrays compares
        return True


_ARGUMENTS = re.compile(
    r"argument after \*|Value after \*|is not a mapping|arguments?\b|builtin_function_or_method"
)
_LISTS = re.compile(r"'(map|filter|zip|enumerate|reversed|dict_\w+|\w*_?iterator|\w+_reverseiterator)'")


def _is_documented(want: Outcome, found: Outcome) -> bool:
    """Return whether two outcomes differ as documented: iterators and views are lists and tuples.

    The texts of Python's own functions for wrong arguments are not all kept, either.
    """
    said = f"{want.value!r} {want.error} {want.text}"
    if _LISTS.search(said) or " at 0x" in said or "<built-in" in said or "dict_" in said:
        return True
    both = type(want.error) is type(found.error) is TypeError
    return both and _ARGUMENTS.search(str(want.error)) is not None and want.text == found.text
