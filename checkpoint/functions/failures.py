"""Exceptions of runs of Python functions, as Python itself would raise them.

    a primitive failed                  Python's own exception
    the program raised an exception     an exception of that class with these args
    a wrong argument, a wrong shape     RunError
    what cannot be translated           SourceError
    Ctrl-C, no memory                   as they are; they learn where the run was

The first two have notes: the place with its line, underlined, and the calls that led there, innermost
first. An exception that is raised again says only where it was raised last. Places in the functions that
stand for Python's own (checkpoint/lang/python/library/), or for a library's, are left out: the first one is
where the user's code called them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from types import TracebackType

from checkpoint.ad.containers import WITH_ATTRIBUTES
from checkpoint.ad.library import files_translated
from checkpoint.ad.values import Failure
from checkpoint.driver.raised import Raised
from checkpoint.errors import RUN_ENDING, CheckpointError, SourceError, Span, Unreached
from checkpoint.functions.language_errors import LanguageErrors
from checkpoint.prims.python.native import native

_OWN = os.path.join(os.path.dirname(os.path.dirname(__file__)), "lang", "python")
_CALLS_SHOWN = 20  # of a deep recursion, from the innermost


class PythonErrors(LanguageErrors):
    """Context manager that turns what a run raises into what Python would raise.

    span: the place of the function that runs.
    """

    __slots__ = ()

    def __init__(self, span: Span | None) -> None:
        super().__init__(span if span is not None and span.source.text else None)

    def received(self, raised: Raised) -> BaseException:
        """Return the exception that the caller receives for what a program raised."""
        return exception_of(raised)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            return
        if isinstance(error, RUN_ENDING) and error.span is not None:
            places = users_places((error.span, *error.trace))
            error.span = places[0] if places else self.span
        if isinstance(error, SourceError) and not isinstance(error, Unreached):
            from checkpoint.functions.closures import forget_provisional  # noqa: PLC0415  (loaded by then)

            forget_provisional()
        super().__exit__(kind, error, traceback)


def exception_of(raised: Raised) -> BaseException:
    """Return the exception that a caller from Python receives."""
    value = raised.value
    places = users_places((raised.span, *raised.trace))
    is_exception = type(value) in WITH_ATTRIBUTES and issubclass(value.layout.cls, BaseException)
    if not is_exception and type(value) is not Failure:
        error = raised.as_run_error()
        error.span = places[0] if places else raised.span
        return error
    exception: BaseException = native(value)
    if not isinstance(exception, CheckpointError):
        about = value.about if type(value) is Failure else ""
        exception.__notes__ = [*notes(places), *([about] if about else [])]
    return exception.with_traceback(None)


def users_places(places: Iterable[Span]) -> list[Span]:
    """Return the places that are in the user's own code."""
    return [
        place
        for place in places
        if place.source.text and not place.source.name.startswith(_OWN)
        if place.source.name not in files_translated
    ]


def notes(places: list[Span]) -> list[str]:
    """Return notes of an exception: its place, and those of the calls that led there."""
    found = [f"{place}\n{place.excerpt()}" for place in places[:1]]
    calls = places[1:]
    found += [f"called at {place}\n{place.excerpt()}" for place in calls[:_CALLS_SHOWN]]
    if len(calls) > _CALLS_SHOWN:
        found.append(f"and {len(calls) - _CALLS_SHOWN} more calls")
    return found
