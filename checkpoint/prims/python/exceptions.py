"""Exceptions as values: objects whose first field is the tuple of their arguments.

One that was raised by `raise x from y` has a second field, `__cause__`: y, an exception or None.

What a Python function cannot have translated is one step, which ends the run when it is reached:

    (py.refuse message)          raises SourceError at the place of the step

The program cannot see that error: it passes all handlers, as running out of memory does.
"""

from __future__ import annotations

import sys
import types
from typing import Any, NoReturn

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import WITH_ATTRIBUTES, Layout, Record, Types
from checkpoint.ad.numbers import fresh
from checkpoint.ad.record import Purity
from checkpoint.ad.storage import Now
from checkpoint.ad.values import Failure
from checkpoint.errors import SourceError, Unreached, refusal
from checkpoint.lang.python.source.plain_objects import attribute_names, getattr_of
from checkpoint.prims.python.native import CAUSE, class_name, class_of, python_exception
from checkpoint.prims.python.objects import classes_of
from checkpoint.prims.python.support import PLAIN, rearrange, to_value

ARGS = ("args",)


def is_exception(x: Any) -> bool:
    """Return whether a value is an exception, raised by the program or by a primitive."""
    return type(x) is Failure or (type(x) in WITH_ATTRIBUTES and issubclass(x.layout.cls, BaseException))


def _caught(now: Now, x: Any) -> Any:
    if type(x) is Failure:
        exception = python_exception(x.exception)
        # An OSError keeps the file's name apart from its args, but takes it with them.
        args = exception.__reduce__()[1] if isinstance(exception, OSError) else exception.args
        kept = _beside_args(exception)
        return Record(Layout(type(exception), (*ARGS, *kept)), (to_value(now, args), *kept.values()))
    return Record(x.layout, tuple(map(fresh, x.items))) if type(x) is Record else x


def _beside_args(exception: Exception) -> dict[str, Any]:
    """Return the attributes of a library's exception that are numbers or texts: AxisError has `axis`."""
    found = {name: getattr_of(exception, name) for name in attribute_names(exception) if name not in ARGS}
    return {name: value for name, value in found.items() if type(value) in PLAIN or type(value) is float}


def _class_of(now: Now, x: Any) -> Native:
    return Native(class_of(x))


TRACEBACK = Native(types.TracebackType(None, sys._getframe(), 0, 1))  # runs keep their own places


def _no_manager(now: Now, x: Any) -> Any:
    raise TypeError(f"{class_name(x)!r} object does not support the context manager protocol")


def _cause(now: Now, x: Any) -> Any:
    """Return what may follow `from`."""
    if x is not None and not is_exception(x):
        raise TypeError("exception causes must derive from BaseException")
    return _caught(now, x)


def _raised_from(now: Now, x: Any, cause: Any) -> Record:
    """Return an exception with a cause in place of the one that it may have."""
    fields = dict(zip(x.layout.names, x.items, strict=True)) | {CAUSE: cause}
    return Record(Layout(x.layout.cls, tuple(fields)), tuple(map(fresh, fields.values())))


def _matches(now: Now, x: Any, classes: Types) -> bool:
    return is_exception(x) and issubclass(class_of(x), classes_of(classes))


def _checked(now: Now, x: Any) -> Any:
    if not is_exception(x):
        raise TypeError("exceptions must derive from BaseException")
    return _caught(now, x)


rearrange("caught", 1, "a failure as an exception; an exception as it is", _caught, (), Purity.PURE)
rearrange(
    "matches", 2, "whether an exception is of one of the classes: exception, classes", _matches, discrete=True
)
rearrange("raise-check", 1, "an exception, which may be raised", _checked)
rearrange("class-of", 1, "the class of an exception", _class_of, (), Purity.PURE, discrete=True)
rearrange("traceback", 0, "what `__exit__` receives as traceback", lambda now: TRACEBACK, (), Purity.PURE)
rearrange("no-manager", 1, "nothing: raise the error for what is no context manager", _no_manager)
rearrange("cause-check", 1, "an exception or None, which may follow `from`", _cause)
rearrange("raise-from", 2, "an exception with its cause: exception, cause", _raised_from)


def _refuse(now: Now, message: Any) -> NoReturn:
    raise SourceError(message)


def _stub(now: Now, function: Native) -> NoReturn:
    raise Unreached(function.value)


rearrange("stub", 1, "the end of the run, which begins again: a function to translate", _stub, discrete=True)
rearrange("refuse", 1, "the end of the run, with a message: no value", _refuse, (refusal,), discrete=True)
