"""Refuse Python objects that no program can call or hold, and say what to write instead.

In: an object without a translatable text and without a rule. Out: the two parts of a refusal, its name and
advice.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import types
import warnings
from typing import Any

from checkpoint.ad.attributes import stored
from checkpoint.ad.library import refusal
from checkpoint.lang.python.source.members import why_not_made

_OUTSIDE = "do it outside of the function, and pass the value"
_BY_NAME = "read the variables by name"
_TEXTS = "use a str"
_SORTED = "keep the list sorted, xs = sorted([*xs, x]), and take from it by xs.pop(0)"
_REPORT = "use print, or return what is to be reported and report it outside of the function"
_WHOLE = "call the function on whole arrays, or build one, np.array([f(v) for v in x])"

# Objects for which no rule is possible, with what to write instead.
ADVICE: dict[Any, str] = {
    builtins.type: "ask isinstance(x, cls)",
    builtins.aiter: "write a `for` loop over a list",
    builtins.anext: "write a `for` loop over a list",
    builtins.input: "read outside of the function and pass the value",
    builtins.eval: "write the expression",
    builtins.getattr: "look up what a module has by its name in a dictionary, {'sin': math.sin}[name]",
    builtins.exec: "write the statements",
    builtins.compile: "write the expression",
    builtins.setattr: "assign to the attribute, x.name = value",
    builtins.delattr: "write `del x.name`",
    builtins.hasattr: "call it where it is used, hasattr(x, name)",
    builtins.issubclass: "call it where it is used, with classes by their names",
    builtins.globals: _BY_NAME,
    builtins.locals: _BY_NAME,
    builtins.vars: "call it with an object, vars(x)",
    builtins.dir: "read the attributes by name",
    builtins.bytes: _TEXTS,
    builtins.bytearray: _TEXTS,
    builtins.memoryview: "use a list",
    builtins.super: "call a method of it, super().name(...)",
    builtins.id: "an address is another one in each run: write `a is b`, or compare values",
    builtins.object: "use a string or a number of your own",
    builtins.breakpoint: "use print",
    builtins.__import__: "write an `import` statement",
    inspect.signature: "call it with the name of a function, or outside of the function, and pass the value",
    functools.singledispatch: "decorate a function of the module with it, not one within a function",
    warnings.catch_warnings: "leave out record=True, and append the messages to a list of the function",
}

# The same for all objects of a module.
OF_MODULE: dict[str, str] = {
    "itertools": "write the loop, or a comprehension",
    "collections": "use a list or a dict",
    "_collections": "use a list or a dict",
    "heapq": _SORTED,
    "_heapq": _SORTED,
    "warnings": _REPORT,
    "_warnings": _REPORT,
    "logging": _REPORT,
    "copy": "use x.copy(), list(x), dict(x) or dataclasses.replace(x)",
    "array": "use a list, or a NumPy array",
    "decimal": "use floats",
    "fractions": "use floats",
    "typing": "leave it out: it says nothing to a run",
    "re": _OUTSIDE,
    "pickle": _OUTSIDE,
    "_pickle": _OUTSIDE,
    "weakref": "keep the object itself",
    "threading": _OUTSIDE,
    "_thread": _OUTSIDE,
    "subprocess": _OUTSIDE,
    "contextlib": "do what needs a context manager outside of the differentiated function",
    "time": _OUTSIDE,
    "datetime": _OUTSIDE,
    "os": _OUTSIDE,
    "posix": _OUTSIDE,
    "io": _OUTSIDE,
}


def of_object(value: Any) -> tuple[str, str]:
    """Return the name of an object that cannot be called or held, and what to write instead."""
    module, name = _module(value), _name(value)
    shown = f"{module}.{name}" if module not in {"", "builtins"} else name
    if is_random(value):
        return of_random(shown)
    barred = refusal(value) or refusal(stored(value, "__wrapped__"))  # torch._dynamo wraps torch.manual_seed
    if barred is not None:
        return barred
    advice = _advice(value)
    if advice is not None:
        return f"`{shown}`", advice
    if module in OF_MODULE:
        return f"`{shown}`", OF_MODULE[module]
    if isinstance(value, types.ModuleType):
        return f"the module {value.__name__} as a value", "name what is used of it"
    if module.partition(".")[0] == "numpy" and (found := _of_numpy(value)) is not None:
        return found
    if isinstance(value, type) and value.__flags__ & _HEAP:
        return f"the class {name}, {_of_class(value)},", _MAKE_OUTSIDE
    register = _register(name)
    if isinstance(value, types.FunctionType):
        return (
            f"{shown}, a function of a package outside of your code,",
            (
                f"give its derivative, {register}, or have its package translated: "
                f"checkpoint.translate({module.partition('.')[0]!r}), or CHECKPOINT_CONVERT="
                f"{module.partition('.')[0]}"
            ),
        )
    return f"{shown}, for which there is no rule,", f"give it one: {register}"


_HEAP = 1 << 9  # the flag of classes made by a class statement
_MAKE_OUTSIDE = "make the object outside of the function and pass it, or make its class without that"


def _of_class(cls: type) -> str:
    """Return why no program can make objects of a class that a class statement made."""
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return "a named tuple with an __init__ of its own"
    return why_not_made(cls) or "whose __init__ is not of your own code"


def _of_numpy(value: Any) -> tuple[str, str] | None:
    """Return the same of what NumPy makes of functions, which are not known to act on whole arrays."""
    for each in (value, type(value)):
        if stored(each, "__name__") in {"vectorize", "frompyfunc"}:
            return f"`np.{stored(each, '__name__')}`", _WHOLE
        if stored(each, "__name__") in _POLYNOMIALS:
            return f"`{stored(each, '__name__')}`", _BY_COEFFICIENTS
    if stored(value, "__name__") == "nditer":
        return (
            "`np.nditer`",
            "write a loop over positions, for i in np.ndindex(x.shape), or work on whole arrays",
        )
    if stored(value, "__name__") == "as_strided":
        return "`as_strided`", "use np.lib.stride_tricks.sliding_window_view(x, window), or x[start::step]"
    return None


_BY_COEFFICIENTS = (
    "compute with its coefficients: np.polynomial.polynomial.polyval(x, [c0, c1, ...]) and its kin, or "
    "np.polyval([..., c1, c0], x)"
)
_POLYNOMIALS = frozenset(("poly1d", "Polynomial", "Chebyshev", "Legendre", "Laguerre", "Hermite", "HermiteE"))


def _advice(value: Any) -> str | None:
    try:
        return ADVICE.get(value)
    except TypeError:
        return None


def _module(value: Any) -> str:
    """Return the module by which a user knows an object."""
    owner = stored(value, "__self__")
    if getattr(builtins, str(stored(value, "__name__", "")), None) is value:
        return ""
    if isinstance(owner, types.ModuleType):
        return owner.__name__
    if isinstance(value, types.BuiltinFunctionType | types.MethodType) and owner is not None:
        return _public(str(type(owner).__module__ if not isinstance(owner, type) else owner.__module__))
    return _public(str(stored(value, "__module__") or ""))


def _public(module: str) -> str:
    return "numpy.random" if module.startswith("numpy.random") else module


def _name(value: Any) -> str:
    if isinstance(value, types.BuiltinFunctionType | types.MethodType) and is_random(value):
        return value.__name__
    return str(stored(value, "__qualname__") or stored(value, "__name__") or type(value).__qualname__)


def is_random(value: Any) -> bool:
    """Return whether an object is a source of random numbers, or a method of one."""
    owner = stored(value, "__self__", value)
    cls = owner if isinstance(owner, type) else type(owner)
    own = owner.__name__ if isinstance(owner, types.ModuleType) else stored(owner, "__module__")
    modules = (cls.__module__, own)
    return any(str(module).startswith("numpy.random") or module in _RANDOM for module in modules)


_RANDOM = frozenset(["random", "secrets"])


def of_random(shown: str) -> tuple[str, str]:
    """Return the refusal of random numbers that come from a hidden state, and what to write instead."""
    made = "np.random.default_rng(0)" if shown.startswith("numpy.") else "random.Random(0)"
    return (
        f"{shown}, whose numbers come from a hidden state,",
        (
            f"draw from a generator with a seed, rng = {made}; or pass the random numbers as an "
            "argument; or, with arrays, explicit keys: key = tensorlib.random.key(0); "
            "u = tensorlib.random.uniform(key, shape)"
        ),
    )


def _register(name: str) -> str:
    short = name.rpartition(".")[2]
    return f"{short} = checkpoint.primitive({short}, vjp=lambda ybar, y, *args: ...)"
