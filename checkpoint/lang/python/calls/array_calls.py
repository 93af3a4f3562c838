"""Translate calls of functions and methods of arrays, with all the arguments that NumPy's have.

In: a call whose record is known. Out: the record's primitive. An argument that the record lacks is left out
where it says nothing here (`order="C"`); with others the call is one of the function that has them
(checkpoint.ad.library.in_full); the rest is refused. `out=x` writes the result to x; with `where=mask`, a
function element by element keeps the other elements of x.
"""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from checkpoint.ad import library
from checkpoint.ad.array_library import ArrayLibrary
from checkpoint.ad.arrays import Native
from checkpoint.ad.opaque import LibraryOperator
from checkpoint.ad.tensors import Tensor
from checkpoint.lang.core import Const, Expr, If, Prim
from checkpoint.lang.python.calls import arrange, arrays
from checkpoint.lang.python.calls.arrays import AMBIGUOUS, argument, callee_of
from checkpoint.lang.python.context import complex_operands, ufuncs
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, const, copy_of, prim
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Callee, Env, Reference
from checkpoint.lang.python.scopes.syntax import has_star, without_out

# Parameters of NumPy's functions that no record has, and what to write instead.
_INSTEAD = {
    "out": "write x = {name}(...) for a new array, or x[...] = {name}(...) for the elements of an old one",
    "where": "pass the array with the other elements, too: {name}(..., out=np.zeros(n), where=mask)",
    "dtype": "convert the operands or the result, x.astype(dtype)",
    "initial": "combine the result with the initial value afterwards",
    "casting": "leave it out, and convert the operands, x.astype(dtype)",
    "order": "leave it out: the order of elements in memory means nothing here",
    "subok": "leave it out: arrays have no subclasses here",
    "signature": "leave it out, and convert the operands, x.astype(dtype)",
    "like": "leave it out",
}

# The values of such parameters that say nothing here, besides None.
_NEUTRAL: dict[str, tuple[Any, ...]] = {
    "order": ("C", "K", "A"),
    "casting": ("same_kind",),
    "subok": (True, False),
    "optimize": (True, False, "greedy", "optimal"),
    "overwrite_input": (False,),
    "sparse": (False,),
    "stable": (False, True),
    "kind": ("sort", "table", "introselect"),
    "device": ("cpu",),
    "where": (True,),
}
# The orders, and the values of `copy`, that say nothing, of functions whose result depends on them.
_ORDERS = {
    **dict.fromkeys(("np.reshape", "ndarray.reshape", "np.ravel", "ndarray.ravel", "ndarray.flatten"), "C"),
    **dict.fromkeys(("np.array", "np.astype", "ndarray.astype", "np.copy"), "K"),
    **dict.fromkeys(("np.zeros", "np.ones", "np.empty", "np.full", "ndarray.copy"), "C"),
    **dict.fromkeys(("np.zeros_like", "np.ones_like", "np.empty_like", "np.full_like"), "K"),
    "np.asarray": "K",
}
_COPIES = {"np.array": True, "np.astype": True, "ndarray.astype": True, "np.asarray": None}
_OF_DTYPE = frozenset(("np.sum", "np.prod", "np.cumsum", "np.cumprod"))  # that of `out`, where there is one


PARTS = {"np.real": "real", "np.imag": "imag"}  # functions that give reals of Python's for a complex number


def call(t: FunctionContext, record: Tensor, node: ast.Call, env: Env) -> Expr:
    """Translate a call of a library function."""
    of_one = len(node.args) == 1 and not node.keywords and not has_star(node)
    if record.name in PARTS and of_one and complex_operands.are_met(t):
        return bind(t.program.names, [t.expr(node.args[0], env)], lambda v: _part(t, record, v[0], node))
    passed = arrange.arguments(t, node, env, lambda part: argument(t, part, env))
    if is_ufunc(record):
        known = t.program.reference(t, node.func, env)
        return ufuncs.chosen(t, known, passed, node, lambda plain: _apply(t, record, plain, node))
    return _apply(t, record, passed, node)


def _part(t: FunctionContext, record: Tensor, value: Expr, node: ast.Call) -> Expr:
    """Return np.real or np.imag of a simple value, which may be a complex number."""
    span = t.span(node)
    otherwise = _apply(t, record, Arguments([copy_of(value)]), node)
    return complex_operands.part(PARTS[record.name], value, otherwise, span)


def call_written(t: FunctionContext, callee: Callee, node: ast.Call, env: Env) -> Expr:
    """Translate a call of a library function that is written in Python."""
    passed = arrange.arguments(t, node, env, lambda part: argument(t, part, env))
    named = callee.signature.named
    keywords = {
        name: value for name, value in passed.keywords.items() if name in named or not is_neutral(name, value)
    }
    passed = dataclasses.replace(passed, keywords=keywords)
    if "out" in keywords:
        out = passed.keywords.pop("out")
        value = arrange.apply(t, callee, passed, node, lambda args: t.call(callee, args, env, t.span(node)))
        return prim(t.span(node), "tensorlib.into", out, value)
    return arrange.apply(t, callee, passed, node, lambda args: t.call(callee, args, env, t.span(node)))


def call_operator(t: FunctionContext, value: Any, node: ast.Call, env: Env) -> Expr | None:
    """Translate a call of a library's function whose derivatives the library computes; None for others."""
    found = arrays.operator_of(value)
    if found is None:
        return None
    passed = arrange.arguments(t, node, env, lambda part: argument(t, part, env))
    return apply_operator(t, *found, passed, node)


def apply_operator(
    t: FunctionContext, owner: ArrayLibrary, operator: LibraryOperator, passed: Arguments, node: ast.AST
) -> Expr:
    """Apply an operator of a library's to arguments, by the record for all of them."""
    span = t.span(node)
    if passed.star is not None or passed.mapping is not None:
        raise t.refuse(node, f"a star in a call of {operator}", "pass the arguments one by one")
    out = passed.keywords.pop("out", None)
    names = prim(span, "py.tuple", *[const(span, name) for name in passed.keywords])
    value = prim(span, owner.operator, Const(span, Native(operator)), names, *passed.values)
    return value if out is None else prim(span, "tensorlib.into", out, value)


def of_instance(t: FunctionContext, known: Reference, node: ast.Call, env: Env) -> Expr | None:
    """Translate a call of a library's object, such as np.vectorize(f); return None for all other objects."""
    if not library.is_of_library(known.value) or type(known.value) not in library.instances:
        return None
    attribute, written = library.instances[type(known.value)]
    callee, span = t.program.library_callee(written), t.span(node)
    assert callee is not None
    held = t.program.maker_of(known, "attribute", attribute)(span)
    passed = arrange.arguments(t, node, env).after([held], {})
    return arrange.apply(t, callee, passed, node, lambda args: t.call(callee, args, env, span))


def of_brackets(t: FunctionContext, node: ast.Subscript, env: Env) -> Expr | None:
    """Translate `np.r_[...]` and its kin; return None for all other items and slices."""
    known = t.program.reference(t, node.value, env)
    if not isinstance(known, Reference) or arrays.translation_of(known.value) is None:
        return None
    callee = t.program.library_callee(known.value)
    assert callee is not None
    index = ast.copy_location(_with_counts(node.slice), node)
    return t.call(callee, [t.expr(index, env)], env, t.span(node))


def _with_counts(index: ast.expr) -> ast.expr:
    """Return an index in which a step such as 5j, a number of points, is the tuple of that number."""
    if isinstance(index, ast.Tuple):
        parts = [_with_counts(part) for part in index.elts]
        return ast.copy_location(ast.Tuple(parts, ast.Load()), index)
    count = _count(index.step) if isinstance(index, ast.Slice) else None
    if count is None:
        return index
    assert isinstance(index, ast.Slice)
    step = ast.copy_location(ast.Tuple([count], ast.Load()), count)
    return ast.copy_location(ast.Slice(index.lower, index.upper, step), index)


def _count(step: ast.expr | None) -> ast.expr | None:
    """Return n of a step n * 1j or complex(0, n)."""
    match step:
        case ast.Constant(value=complex(imag=n)):
            return ast.copy_location(ast.Constant(n), step)
        case ast.BinOp(left=n, op=ast.Mult(), right=ast.Constant(value=complex(imag=1.0))):
            return n
        case ast.BinOp(left=ast.Constant(value=complex(imag=1.0)), op=ast.Mult(), right=n):
            return n
        case ast.Call(func=ast.Name(id="complex"), args=[_, n], keywords=[]):
            return n
    return None


def changed(t: FunctionContext, array: Expr, node: ast.expr, env: Env) -> Expr:
    """Return the array after a call of a library function that changes its first argument."""
    assert isinstance(node, ast.Call)
    record = arrays.changes(t, node, env)
    assert record is not None
    passed = arrange.arguments(t, node, env, lambda part: argument(t, part, env)).after([array], {})
    if record.name == "np.copyto" and "where" in passed.keywords and len(passed.positional) == 2:
        where, name = passed.keywords.pop("where"), const(t.span(node), "np.positive")
        return prim(t.span(node), "tensorlib.masked", array, where, name, passed.positional[1])
    return _apply(t, record, passed, node)


def method(
    t: FunctionContext, self: Expr, name: str, passed: Arguments, node: ast.AST, is_certain: bool
) -> Expr | None:
    """Translate a call of a method of arrays; return None for names of no such method.

    is_certain: whether no class of the program has a method of this name.
    """
    record = library.methods.get(name)
    if record is None or name in AMBIGUOUS:
        return None
    if name in ("std", "var") and t.program.meets_tables and "ddof" not in passed.keywords:
        what = f"{name} without ddof in a function that reads tables of pandas"
        raise t.refuse(node, what, f"say {name}(ddof=1), as pandas has it, or {name}(ddof=0), as NumPy")
    whole = passed.after([self], {})
    return _apply(t, record, whole, node) if is_certain else arrays.apply(t, record, name, whole, node)


def ambiguous(
    t: FunctionContext, self: Expr, name: str, passed: Arguments, node: ast.AST, other: Any
) -> Expr:
    """Translate a call of a method of both arrays and Python's own types; other: translates the latter."""
    if name not in AMBIGUOUS:
        return other(self, passed)  # type: ignore[no-any-return]
    span = t.span(node)
    record = library.methods.get(name)

    def choose(values: list[Expr]) -> Expr:
        """Test for an array in any case, so that the number of steps does not depend on what is loaded."""
        parts = passed.like([copy_of(value) for value in values[1:]])
        if record is None:
            of_array: Expr = prim(span, "py.attribute", copy_of(values[0]), const(span, name))
        else:
            of_array = _apply(t, record, parts.after([copy_of(values[0])], {}), node)
        of_other = other(copy_of(values[0]), passed.like([copy_of(value) for value in values[1:]]))
        return If(span, prim(span, "py.is-array", copy_of(values[0])), of_array, of_other)

    return bind(t.program.names, [self, *passed.values], choose, "argument")


def _apply(t: FunctionContext, record: Tensor, passed: Arguments, node: ast.AST) -> Expr:
    """Apply a record, or the function that has more parameters, to the arguments of a call."""
    name = record.name.rpartition(".")[2]
    if _has_all(record, passed):
        return arrays.apply(t, record, name, passed, node)
    kept = _without_neutral(record, passed)
    if "out" in kept.keywords or (is_ufunc(record) and _extra(record, kept)):
        return _with_out(t, record, kept, node)
    if not _has_all(record, kept):
        whole = _in_full(t, record, kept)
        if whole is not None:
            return arrange.apply(t, whole, kept, node, lambda args: t.call(whole, args, {}, t.span(node)))
        _refuse(t, record, kept, node)
    return arrays.apply(t, record, name, kept, node)


def _extra(record: Tensor, passed: Arguments) -> list[Expr]:
    """Return the positional arguments for which a record has no parameters."""
    signature = callee_of(record, record.name).signature
    return passed.positional[len(signature.positional) :] if signature.vararg is None else []


def _has_all(record: Tensor, passed: Arguments) -> bool:
    """Return whether a record has the parameters of a call's arguments."""
    named = callee_of(record, record.name).signature.named
    return not _extra(record, passed) and all(name in named for name in passed.keywords)


def _without_neutral(record: Tensor, passed: Arguments) -> Arguments:
    """Return the arguments without those that the record lacks and that say nothing here."""
    named = callee_of(record, record.name).signature.named
    kept = {
        name: value
        for name, value in passed.keywords.items()
        if name in named or not is_neutral(name, value, record.name)
    }
    return dataclasses.replace(passed, keywords=kept)


def is_neutral(name: str, value: Expr, function: str = "") -> bool:
    """Return whether an argument says nothing here; function: the name of the record that is called."""
    if not isinstance(value, Const):
        return False
    if name == "copy":
        return value.value is _COPIES.get(function, True)
    if value.value is None:
        return name in _INSTEAD or name in _NEUTRAL
    if name == "order" and function in _ORDERS:
        return bool(value.value == _ORDERS[function])
    return any(type(value.value) is type(x) and value.value == x for x in _NEUTRAL.get(name, ()))


def _in_full(t: FunctionContext, record: Tensor, passed: Arguments) -> Callee | None:
    """Return the function that has the parameters of a call which the record lacks, if there is one."""
    callee = t.program.library_callee(library.in_full.get(record.name))
    has_all = callee is not None and all(name in callee.signature.named for name in passed.keywords)
    return callee if has_all else None


def _refuse(t: FunctionContext, record: Tensor, passed: Arguments, node: ast.AST) -> None:
    """Refuse an argument that NumPy's function may have and the record lacks."""
    named = callee_of(record, record.name).signature.named
    known = [name for name in passed.keywords if name not in named and name in _INSTEAD]
    if known:
        advice = _INSTEAD[known[0]].format(name=record.name.replace("ndarray.", "x."))
        raise t.refuse(node, f"the argument {known[0]} of {record.name}", advice)


def is_ufunc(record: Tensor) -> bool:
    """Return whether a record is of one of NumPy's functions element by element."""
    return any(type(function).__name__ == "ufunc" for function in record.implements)


# Results that are written to an array


def _with_out(t: FunctionContext, record: Tensor, passed: Arguments, node: ast.AST) -> Expr:
    """Apply a record to arguments among which is the array for the result, a new one."""

    def write(values: list[Expr]) -> Expr:
        rest = passed.like(values)
        extra = _extra(record, rest)
        out = rest.keywords.pop("out") if "out" in rest.keywords else rest.positional.pop()
        if len(extra) > 1:
            return arrays.apply(t, record, record.name, rest, node)  # Python's own error
        return _write(t, record, rest, out, node)

    out = passed.keywords.get("out")
    if isinstance(out, Prim) and out.op == "py.tuple" and len(out.args) == 1:
        passed.keywords["out"] = out.args[0]
    return bind(t.program.names, passed.values, write, "argument")


def _write(t: FunctionContext, record: Tensor, passed: Arguments, out: Expr, node: ast.AST) -> Expr:
    """Apply a record and write its result to an array, `out`; without an array it is the result."""
    span = t.span(node)
    passed = _without_neutral(record, passed)
    if is_ufunc(record) and passed.star is None:
        where = passed.keywords.pop("where", const(span, True))
        if not _has_all(record, passed):
            _refuse(t, record, passed, node)
        return prim(span, "tensorlib.masked", out, where, const(span, record.name), *passed.positional)
    if record.name.replace("ndarray.", "np.") in _OF_DTYPE and "dtype" not in passed.keywords:
        passed.keywords["dtype"] = prim(span, "tensorlib.dtype-for", copy_of(out))
    return prim(span, "tensorlib.into", out, _apply(t, record, passed, node))


def is_array_call(t: FunctionContext, node: ast.expr, env: Env) -> bool:
    """Return whether a call with an argument `out` is one of a function of arrays."""
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    known = t.program.reference(t, node.func, env)
    if isinstance(known, Reference):
        return arrays.record_of(known.value) is not None or arrays.translation_of(known.value) is not None
    return known is None and node.func.attr in library.methods and not t.program.owners_of(node.func.attr)


def written(t: FunctionContext, old: Expr, node: ast.expr, is_used: bool, env: Env) -> Expr:
    """Return an array after a call has written its result to it; in a tuple with the result if that is used.

    None in place of the array stays None, and the result is a new array.
    """
    assert isinstance(node, ast.Call)
    span = t.span(node)

    def write(values: list[Expr]) -> Expr:
        return bind(t.program.names, [_result(t, node, values[0], env)], lambda v: both(values[0], v[0]))

    def both(array: Expr, result: Expr) -> Expr:
        is_none = prim(span, "py.is", copy_of(array), const(span, None))
        kept = If(span, is_none, const(span, None), result)
        return prim(span, "py.tuple", kept, copy_of(result)) if is_used else kept

    return bind(t.program.names, [old], write, "out")


def _result(t: FunctionContext, node: ast.Call, array: Expr, env: Env) -> Expr:
    """Return the result of a call that writes it to an array."""
    assert isinstance(node.func, ast.Attribute)
    known = t.program.reference(t, node.func, env)
    plain = without_out(node)
    if isinstance(known, Reference):
        record = arrays.record_of(known.value)
        if record is None:
            return prim(t.span(node), "tensorlib.into", copy_of(array), t.expr(plain, env))
        before = []
    else:
        record = library.methods[node.func.attr]
        before = [t.expr(node.func.value, env)]
    passed = arrange.arguments(t, plain, env, lambda part: argument(t, part, env)).after(before, {})
    return _write(t, record, passed, copy_of(array), node)
