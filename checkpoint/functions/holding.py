"""Arguments and hidden inputs that hold what is no value of a program.

In: a pytree that cannot enter as it is. Out: its value, in which the objects that no program can take are
held by reference (checkpoint.ad.values.Unusable); or a RunError that names the place as Python writes it.

Held are, in hidden inputs, all such objects; in arguments those that are attributes of objects. An object of
a class that is not the user's own is held as a whole. What a program does with one is refused when it is
done.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from types import ModuleType
from typing import Any

from checkpoint.ad.array_library import libraries
from checkpoint.ad.entered import Entered
from checkpoint.ad.library import load_imported
from checkpoint.ad.values import Unusable
from checkpoint.errors import RunError, SourceError
from checkpoint.lang.python.source.advice import OF_MODULE, is_random, of_object
from checkpoint.lang.python.source.boundary import is_own
from checkpoint.lang.python.source.plain_objects import attribute_names, is_plain_object
from checkpoint.prims.python.native import NoValue, from_native

Trail = list[tuple[Any, str]]  # objects, each a part of the one before, with their paths


class Holder:
    """The entry of one argument or hidden input.

    nest: the pytree. name: what the user calls it. entered: what hidden inputs have entered, if it is one.
    kinds: the classes of which all objects are held. things: single objects that are held, by their ids.
    """

    def __init__(self, nest: Any, name: str, entered: Entered | None) -> None:
        self.nest = nest
        self.name = name
        self.entered = entered
        self.is_input = entered is not None
        self.kinds: set[type] = set()
        self.things: dict[int, tuple[Any, Callable[[], str]]] = {}

    def value(self, leaf: Callable[[Any], Any]) -> Any:
        """Return the value; leaf: gives that of what is no container, or raises NoValue or SourceError."""

        def opened(thing: Any) -> Any:
            try:
                return leaf(thing)
            except SourceError as error:
                if not self._may_hold(self._trail(thing)):
                    raise
                return Unusable(thing, partial(str, error.message))

        while True:
            try:
                return from_native(self.nest, opened, held=self._held, entered=self.entered)
            except NoValue as error:
                self._hold(error)

    def _held(self, item: Any) -> Unusable | None:
        if type(item) in self.kinds:
            return Unusable(item, partial(self._explained, item))
        found = self.things.get(id(item))
        return None if found is None else Unusable(*found)

    def _hold(self, error: NoValue) -> None:
        """Hold what cannot enter; raise RunError where that is an error."""
        thing, trail = error.thing, self._trail(error.thing)
        if not self._may_hold(trail):
            raise RunError(error.message or self._explained(thing)) from None
        whole = next((each for each, _ in trail if is_plain_object(each) and not is_own(type(each))), None)
        if whole is not None:
            self.things[id(whole)] = whole, partial(self._explained, whole if self.is_input else thing)
        elif error.message or callable(thing) or type(thing) in libraries:
            self.things[id(thing)] = thing, partial(self._explained, thing, error.message)
        else:
            self.kinds.add(type(thing))

    def _may_hold(self, trail: Trail) -> bool:
        own = (each for each, _ in trail[:-1] if is_plain_object(each) and is_own(type(each)))
        return self.is_input or next(own, None) is not None

    def _trail(self, thing: Any) -> Trail:
        return trail_to(self.nest, thing, self._is_held)

    def _is_held(self, item: Any) -> bool:
        return type(item) in self.kinds or id(item) in self.things

    def _explained(self, thing: Any, message: str = "") -> str:
        """Return the message for a thing in the pytree that no program can take."""
        if message:
            return message
        if is_random(thing):
            construct, advised = of_object(thing)
            return f"{construct} cannot be differentiated: {advised}"
        trail = self._trail(thing)
        path, what = trail[-1][1], _advice(thing, self.is_input)
        if "._" in path:
            cls = type(self.nest)
            what, _, _ = what.partition(", which")
            return (
                f"{self.name}, of type {cls.__module__}.{cls.__qualname__}, holds what no program can take "
                f"({self.name}{path} is {what}): pass the numbers that the function needs of it, or make its "
                f"calls single steps, checkpoint.primitive"
            )
        return f"{self.name}{path} is {what}"


def _advice(thing: Any, is_input: bool) -> str:
    """Return what a thing that cannot enter is, and what to pass instead."""
    cls = type(thing)
    named = f"of type {cls.__module__}.{cls.__qualname__}, which no program can take"
    if cls in libraries:
        return f"an array of {thing.dtype}, which no program can take: pass one of numbers or booleans"
    if isinstance(thing, ModuleType):
        return f"the module {thing.__name__}, which no program can hold: name it where it is used"
    if isinstance(thing, Enum):
        return f"{named}: pass its value"
    for base in (dict, list, tuple, str, int):
        if isinstance(thing, base):
            return f"{named}: pass {base.__name__}(x)"
    if isinstance(thing, set | frozenset):
        return f"{named}: pass sorted(x)"
    if isinstance(thing, itertools.count | itertools.cycle | itertools.repeat):
        return (
            f"{named}, since each item that is taken is missing at the next call: make the iterator within "
            f"the function, {cls.__name__}(...), or count in a variable of the function"
        )
    for stream in ("stdout", "stderr"):
        if thing is getattr(sys, stream):
            return f"{named}: name it where it is used, print(x, file=sys.{stream})"
    if isinstance(thing, Iterator):
        return f"{named}: pass list(x)"
    load_imported()
    library = next((libraries[each] for each in cls.__mro__ if each in libraries), None)
    if library is not None:
        return f"{named}: pass {library.plain}"
    if hasattr(cls, "tolist"):
        return f"{named}: pass numpy.asarray(x)"
    if hasattr(cls, "__float__"):
        return f"{named}: pass float(x)"
    known = OF_MODULE.get(cls.__module__.partition(".")[0])
    if known is not None:
        return f"{named}: {known}"
    if is_input:
        return (
            f"{named}: do what needs it outside of the function, or make it a single step, "
            f"checkpoint.primitive(f, vjp=lambda ybar, y, *args: ...)"
        )
    return (
        f"{named}: pass numbers in tuples, lists, dicts, named tuples or dataclasses, and the functions and "
        f"objects that stay the same from call to call as variables of the function or its module"
    )


def trail_to(nest: Any, thing: Any, is_held: Callable[[Any], bool] = lambda item: False) -> Trail:
    """Return the way from a pytree to an object in it, both included, through no object that is held."""
    pending: list[tuple[Any, str, Any]] = [(nest, "", None)]
    seen: set[int] = set()
    while pending:
        link = pending.pop()
        item, path, _ = link
        if item is thing:
            return _unwound(link)
        if id(item) not in seen and not is_held(item):
            seen.add(id(item))
            pending.extend([(part, at, link) for part, at in reversed(_entries(item, path))])
    return [(nest, ""), (thing, "")]


def _unwound(link: Any) -> Trail:
    found: Trail = []
    while link is not None:
        item, path, link = link
        found.append((item, path))
    return found[::-1]


def _entries(item: Any, path: str) -> list[tuple[Any, str]]:
    if type(item) is dict:
        return [(part, f"{path}[{key!r}]") for key, part in item.items()]
    if type(item) is list or type(item) is tuple:
        return [(part, f"{path}[{i}]") for i, part in enumerate(item)]
    if isinstance(item, tuple):
        names = getattr(item, "_fields", None)
        places = [f"[{i}]" for i in range(len(item))] if names is None else [f".{name}" for name in names]
        return [(part, f"{path}{place}") for part, place in zip(item, places, strict=False)]
    if not is_plain_object(item):
        return []
    return [(object.__getattribute__(item, name), f"{path}.{name}") for name in attribute_names(item)]
