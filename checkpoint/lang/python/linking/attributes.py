"""Attributes of known objects: of which objects they are known, too, and what functions have been given."""

from __future__ import annotations

import ast
import dis
import functools
import sys
import types
from collections.abc import Callable
from typing import Any

from checkpoint.ad.opaque import is_logger
from checkpoint.lang.python.calls import arrays
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Reference
from checkpoint.lang.python.library.standard.files import STREAMS
from checkpoint.lang.python.linking.inputs import Inputs, is_data, is_of_system
from checkpoint.lang.python.source.boundary import is_own
from checkpoint.lang.python.source.plain_objects import attribute_names, is_plain_object
from checkpoint.lang.python.source.wrappers import Wrapper

_KNOWN = (types.ModuleType, type, types.UnionType)
_OF_CLASSES = frozenset(("__name__", "__qualname__", "__members__"))
_WITH_ATTRIBUTES = (types.FunctionType, functools._lru_cache_wrapper, Wrapper)
_OF_FUNCTIONS = frozenset(("__doc__", "__module__", "__name__", "__qualname__"))


def are_known(value: Any) -> bool:
    """Return whether an object's attributes are known: a module's, a class's, np.add's (np.add.at)."""
    known = isinstance(value, _KNOWN) or is_logger(value) or is_of_system(value)
    return known or arrays.record_of(value) is not None or _is_distribution(value)


def is_value(of: Any, name: str) -> bool:
    """Return whether an attribute of a known object is read of a value of the run, when it runs."""
    return name in _OF_CLASSES if isinstance(of, type) else of is sys and name in STREAMS


def _is_distribution(value: Any) -> bool:
    """Return whether an object stands for a function, and has methods that do, as scipy.stats.norm."""
    return type(value).__module__.startswith("scipy.stats.") and arrays.translation_of(value) is not None


def of_function(
    t: FunctionContext,
    base: Reference,
    node: ast.Attribute,
    find: Callable[[int, str, Any], Reference | str | None],
) -> Reference | str | None:
    """Return the meaning of an attribute that a known function has been given; None for all others.

    find: returns the meaning of what an access from an input leads to.
    """
    function, name = base.value, node.attr
    if not isinstance(function, _WITH_ATTRIBUTES) or base.input is None:
        return None
    if name in vars(function) or name in _OF_FUNCTIONS:
        return find(base.input, "attribute", name)
    if isinstance(function, functools._lru_cache_wrapper) and hasattr(function, name):
        raise t.refuse(node, f"{function.__name__}.{name}", "leave it out: each run has a cache of its own")
    return None


def forwarded(
    inputs: Inputs, index: int, name: str, find: Callable[[int, str, Any], Reference | str | None]
) -> Reference | None:
    """Return the meaning of an attribute of an input that holds a module which has it: shim.exp.

    find: returns the meaning of what an access from an input leads to.
    """
    found = find(index, "attribute", name) if _is_forwarded(inputs.value(index), name) else None
    return found if isinstance(found, Reference) else None


def _is_forwarded(value: Any, name: str) -> bool:
    """Return whether an attribute of an object is one of a module that the object holds.

    Such is what a `__getattr__` returns that does nothing but ask for attributes of others, if it is no data.
    """
    cls = type(value)
    if not is_plain_object(value) or not is_own(cls) or name.startswith("__"):
        return False
    function = getattr(cls, "__getattr__", None)
    if not isinstance(function, types.FunctionType) or not _only_forwards(function):
        return False
    if name in attribute_names(value) or hasattr(cls, name):
        return False
    held = [object.__getattribute__(value, each) for each in attribute_names(value)]
    if not any(isinstance(each, types.ModuleType) for each in held):
        return False
    found = getattr(value, name, None)
    return found is not None and not is_data(found)


@functools.cache
def _only_forwards(function: types.FunctionType) -> bool:
    """Return whether a function changes nothing, and calls nothing but getattr and AttributeError."""
    calls, callees = 0, 0
    for step in dis.get_instructions(function):
        if step.opname in _LOADS and step.argval in ("getattr", "AttributeError"):
            callees += 1
        elif step.opname in _LOADS or step.opname.startswith(_EFFECTS):
            return False
        calls += step.opname.startswith("CALL")
    return calls <= callees


_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF")
_EFFECTS = ("STORE_ATTR", "STORE_GLOBAL", "STORE_DEREF", "STORE_SUBSCR", "DELETE", "IMPORT", "MAKE", "YIELD")
