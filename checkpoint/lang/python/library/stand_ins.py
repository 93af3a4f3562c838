"""Classes of the library that stand for classes of Python's own, and the way in and out of programs.

In: an object of Python's, or the attributes of a stand-in, as Python's own objects. Out: the other. This is
not translated.
"""

from __future__ import annotations

import collections
import contextlib
import csv
import functools
import io
import random
import types
from typing import Any

from checkpoint.ad.containers import Layout, Record
from checkpoint.ad.library import (
    Attributes,
    StandIn,
    names_of_stand_ins,
    stand_ins,
    standing,
    stood_for,
)
from checkpoint.ad.library import (
    is_of_library as is_of_array_library,
)
from checkpoint.ad.twister import put_together, taken_apart
from checkpoint.ad.values import Closure
from checkpoint.errors import InternalError, RunError
from checkpoint.lang.python.library import generators, iterators
from checkpoint.lang.python.library.complex_numbers import Complex
from checkpoint.lang.python.library.standard import (
    chains,
    containers,
    files,
    keyed,
    managers,
    mixin_sets,
    namespaces,
    randoms,
    seeded,
)
from checkpoint.lang.python.library.tokens import IS_VALUE, constant_of, needs_tokens, of_constant


class Overloads:
    """The class of a record of procedures, whose fields are named by the number of arguments, or "**".

    It is callable, as `callable` says of these records; a call selects a procedure (py.callee).
    """

    def __call__(self, *args: Any) -> Any:
        raise InternalError("a record of procedures is called by the program")


def callable_of(value: Any) -> Any:
    """Return the class or function that a procedure, or a record of them, stands for; None for all else."""
    is_record = type(value) is Record and value.layout.cls is Overloads and value.items
    first = value.items[0] if is_record else value
    return first.lam.stands_for if type(first) is Closure else None


VIEWS = frozenset(map(type, ({}.keys(), {}.values(), {}.items())))  # which are tuples in programs
COMPLEX = Layout(Complex, ("real", "imag"))


def _default_factory(factory: Any) -> Any:
    """Return a factory; one that stands for a class of Python's own is that class again."""
    if isinstance(factory, Overloads):
        factory = next(iter(vars(factory).values()))
    return _FACTORIES.get(getattr(factory, "__name__", None), factory)


_FACTORIES: dict[Any, Any] = {cls.__name__: cls for cls in (list, dict, tuple, int, float, str, bool)}


def _fill_default(made: Any, attributes: Attributes) -> None:
    made.default_factory = _default_factory(attributes["default_factory"])
    made.update(attributes["table"])


# The tables of checkpoint.ad.library, in which libraries of arrays have theirs.
BY_STAND_IN, BY_CLASS, NAMED_AS, STANDING = stand_ins, stood_for, names_of_stand_ins, standing

_OF_PYTHON = {
    each.cls: each
    for each in (
        StandIn(
            collections.deque,
            containers.Deque,
            lambda thing: {"table": list(thing), "head": 0, "maxlen": thing.maxlen, "changes": 0},
            lambda attributes: collections.deque(maxlen=attributes["maxlen"]),
            lambda made, attributes: made.extend(attributes["table"][attributes["head"] :]),
        ),
        StandIn(
            collections.defaultdict,
            containers.DefaultDict,
            lambda thing: {"default_factory": thing.default_factory, "table": dict(thing)},
            lambda _: collections.defaultdict(),
            _fill_default,
        ),
        StandIn(
            collections.OrderedDict,
            containers.OrderedDict,
            lambda thing: {"table": dict(thing)},
            lambda _: collections.OrderedDict(),
            lambda made, attributes: made.update(attributes["table"]),
        ),
        StandIn(
            collections.Counter,
            chains.Counter,
            lambda thing: {"table": dict(thing)},
            lambda _: collections.Counter(),
            lambda made, attributes: dict.update(made, attributes["table"]),
        ),
        StandIn(
            collections.ChainMap,
            chains.ChainMap,
            lambda thing: {"maps": thing.maps},
            lambda _: collections.ChainMap(),
            lambda made, attributes: vars(made).update(maps=attributes["maps"]),
        ),
        StandIn(
            types.SimpleNamespace,
            namespaces.SimpleNamespace,
            lambda thing: dict(vars(thing)),
            lambda _: types.SimpleNamespace(),
            lambda made, attributes: vars(made).update(attributes),
        ),
        StandIn(
            random.Random,
            randoms.Random,
            taken_apart,
            lambda _: random.Random(0),
            lambda made, attributes: put_together(made, **attributes),
        ),
    )
}
BY_STAND_IN.update(_OF_PYTHON)
BY_CLASS.update({each.of: each for each in _OF_PYTHON.values()})
NAMED_AS.update({each.cls: each.of for each in _OF_PYTHON.values()} | {Complex: complex})


def is_of_library(cls: type) -> bool:
    """Return whether a class is one of this package that stands for one of Python's."""
    return cls.__module__.startswith("checkpoint.lang.python.library")


# What stands for procedures in messages


def placeholder(closure: Closure) -> Any:
    """Return a function that stands for a closure in messages; it cannot be called."""

    def function(*_: Any, **__: Any) -> Any:
        raise RunError("a function of the program was called from within a primitive")

    if isinstance(closure.lam.stands_for, type):
        return _named_as(closure.lam.stands_for)
    function.__qualname__ = closure.lam.name or "<lambda>"
    function.__name__ = function.__qualname__.rpartition(".")[2]
    return function


class _AClass:
    """What stands for a class in messages, where it is a procedure of the program."""

    def __new__(cls, *_: Any) -> Any:
        raise RunError("a class of the program was called from within a primitive")


@functools.cache
def _named_as(cls: type) -> type:
    """Return a class that cannot be called, with the name of another."""
    return type(cls.__name__, (_AClass,), {"__module__": cls.__module__, "__qualname__": cls.__qualname__})


def _never_enters(thing: Any) -> Attributes:
    raise InternalError(f"{type(thing).__name__} objects enter no program")


class _Items:
    """An object that is iterated over by its items."""

    def __getitem__(self, i: int) -> Any:
        raise IndexError(i)


# What is made in a run and never leaves it; an empty one stands for each in messages.
ITERATORS: dict[type, StandIn] = {
    each.cls: each
    for each in (
        StandIn(
            types.GeneratorType,
            generators.generator,
            _never_enters,
            lambda _: (x for x in range(0)),
            lambda made, attributes: None,
            is_inner=True,
        ),
        StandIn(
            type(iter([])),
            iterators.list_iterator,
            _never_enters,
            lambda _: iter([]),
            lambda made, attributes: None,
            is_inner=True,
        ),
        StandIn(
            type(iter(_Items())),
            iterators.item_iterator,
            _never_enters,
            lambda _: iter(_Items()),
            lambda made, attributes: None,
            is_inner=True,
        ),
    )
}
BY_STAND_IN.update(ITERATORS)
NAMED_AS.update({each.cls: each.of for each in ITERATORS.values()})


# A view of a mapping of the user's class shows that mapping.
for _of, _view in mixin_sets.VIEWS.items():
    BY_STAND_IN[_view] = StandIn(
        _of,
        _view,
        lambda thing: {"_mapping": thing._mapping},
        _of,
        lambda made, attributes: setattr(made, "_mapping", attributes["_mapping"]),
    )
NAMED_AS.update({_view: _of for _of, _view in mixin_sets.VIEWS.items()})


# A `__dict__` is made in a run, of an object; it leaves as another dictionary (prims/python/native.py).
BY_STAND_IN[namespaces.Namespace] = StandIn(
    dict, namespaces.Namespace, _never_enters, lambda _: {}, lambda made, attributes: None
)
NAMED_AS[namespaces.Namespace] = dict


def _taken_keyed(thing: dict[Any, Any]) -> Attributes:
    tokens = list(map(of_constant, thing))
    found = {"named": thing, "held": thing.values()}
    return {name: dict(zip(tokens, parts, strict=True)) for name, parts in found.items()}


def stand_in_of(thing: Any) -> StandIn | None:
    """Return how an object of Python's own enters by a stand-in; None for all others."""
    cls = type(thing)
    if cls is dict and needs_tokens(thing):
        return BY_STAND_IN[keyed.KeyedDict]
    _load(cls)
    return BY_CLASS.get(cls)


def standing_for(cls: type) -> type | None:
    """Return the class that stands for one where a program names it; None for all others."""
    _load(cls)
    found = STANDING.get(cls)
    return None if found in ITERATORS else found


def _load(cls: type) -> None:
    """Register the classes that stand for a library's, if this may be one of those."""
    if cls not in BY_CLASS and cls.__module__.startswith(_WITH_STAND_INS):
        is_of_array_library(cls)


# The modules of classes for which tensorlib has others.
_WITH_STAND_INS = ("numpy.random.", "scipy.sparse.", "scipy.spatial.")


def _fill_keyed(made: dict[Any, Any], attributes: Attributes) -> None:
    """Fill a dictionary; of a tangent, in which tangents stand in the place of keys, with the keys."""
    for (token, key), value in zip(attributes["named"].items(), attributes["held"].values(), strict=True):
        constant = constant_of(token)
        made[key if constant is IS_VALUE or constant == key else constant] = value


# What dictionaries are whose keys are values of the run.
BY_STAND_IN[keyed.KeyedDict] = StandIn(
    dict,
    keyed.KeyedDict,
    _taken_keyed,
    lambda _: {},
    _fill_keyed,
)
NAMED_AS[keyed.KeyedDict] = dict

# All classes of Python's own with those that stand for them in programs.
STANDING.update({each.of: each.cls for each in BY_STAND_IN.values()})
STANDING.update(
    {
        contextlib.ExitStack: managers.ExitStack,
        contextlib.closing: managers.closing,
        contextlib.nullcontext: managers.nullcontext,
        io.StringIO: files.StringIO,
        csv.DictReader: files.DictReader,
    }
)

# The generator of the functions of random leaves as one of its own.
BY_STAND_IN[seeded.Shared] = StandIn(
    random.Random,
    seeded.Shared,
    _never_enters,
    lambda _: random.Random(0),
    lambda made, attributes: put_together(made, **attributes),
)
NAMED_AS[seeded.Shared] = random.Random

for _each, _of in NAMED_AS.items():  # as messages call them
    _each.__name__ = _each.__qualname__ = _of.__name__
