"""Translate calls that act on the world outside, or read it: warnings, loggers, clocks, files that may exist.

In: a call of a known function. Out: one step that calls it when it is first executed
(checkpoint.prims.python.outside). Functions that are called as they are have a
table (checkpoint.lang.python.source.as_they_are); what needs more than this has a function here.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.library import load_imported
from checkpoint.ad.opaque import is_constant, is_logger
from checkpoint.ad.tables import held
from checkpoint.ad.values import Foreign
from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import Const, Expr, If
from checkpoint.lang.python.calls import arrange
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, const, copy_of, instance, prim
from checkpoint.lang.python.context.contexts import CallContext, FunctionContext
from checkpoint.lang.python.context.meanings import Env, Reference
from checkpoint.lang.python.control import views
from checkpoint.lang.python.library import actions, functions
from checkpoint.lang.python.library.standard import files
from checkpoint.lang.python.scopes.syntax import has_star
from checkpoint.lang.python.source import as_they_are

# Functions and methods of loggers that log at a level of their own, with the name of that level.
_LEVELS = {
    "debug": "DEBUG",
    "info": "INFO",
    "warning": "WARNING",
    "warn": "WARNING",
    "error": "ERROR",
    "exception": "ERROR",
    "critical": "CRITICAL",
    "fatal": "CRITICAL",
}
_LOGGING = frozenset((*_LEVELS, "log"))
_OF_LOGGERS = {"setLevel": "py.perform", "isEnabledFor": "py.observe", "getEffectiveLevel": "py.observe"}
_NOW = frozenset(("now", "utcnow", "today", "cwd", "home"))  # class methods that read the world outside
METHODS = _LOGGING | _OF_LOGGERS.keys()  # of loggers


def call(t: FunctionContext, value: Any, node: ast.Call, env: Env) -> Expr | None:
    """Translate the call of a known function; return None for all that this module does not know."""
    if isinstance(value, type) and is_constant(value):
        t.program.note_class(value)
        number = _literal(node)
        if number is not None:
            return Const(t.span(node), held(value(number)))
    op = op_of(value)
    if op is not None:
        return step(t, op, value, arrange.arguments(t, node, env), node)
    if isinstance(value, types.MethodType) and is_logger(value.__self__):
        if value.__name__ not in METHODS:
            return None
        logger = Const(t.span(node), Native(value.__self__))
        return _of_logger(t, logger, value.__name__, arrange.arguments(t, node, env), node)
    if not isinstance(value, types.FunctionType | types.BuiltinFunctionType):
        return None
    if value is warnings.warn:
        return _warn(t, node, env)
    name = value.__name__
    if _logs(value):
        return _log(t, const(t.span(node), None), name, arrange.arguments(t, node, env), node)
    return None


def _literal(node: ast.Call) -> float | None:
    """Return the only argument of a call if it is a real written as a literal: it has no derivative."""
    match node:
        case ast.Call(args=[ast.Constant(value=float(number))], keywords=[]):
            return number
        case ast.Call(args=[ast.UnaryOp(ast.USub(), ast.Constant(value=float(number)))], keywords=[]):
            return -number
    return None


def op_of(value: Any) -> str | None:
    """Return the primitive that calls a function as it is; None for all that this module does not know."""
    if isinstance(value, type):
        return "py.computed" if is_constant(value) else None
    if isinstance(value, types.MethodDescriptorType):
        return "py.computed" if _is_of_constants(value) else None
    if isinstance(value, types.BuiltinFunctionType | types.MethodType) and _is_maker(value):
        return "py.observe" if value.__name__ in _NOW else "py.computed"
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType):
        return as_they_are.primitive_of(value)
    return None


def _is_of_constants(value: types.MethodDescriptorType) -> bool:
    """Return whether a function is a method of strings, numbers or constants that gives no real."""
    cls = value.__objclass__
    return is_constant(cls) or (cls in (str, bytes, int, float) and value.__name__ != "conjugate")


def is_known(value: Any) -> bool:
    """Return whether calls of a function are translated here."""
    if op_of(value) is not None:
        return True
    if not isinstance(value, types.FunctionType | types.BuiltinFunctionType):
        return False
    return _logs(value) or value is warnings.warn


def _logs(value: types.FunctionType | types.BuiltinFunctionType) -> bool:
    """Return whether a function is one of `logging` that logs."""
    is_of_logging = value.__module__ == "logging" and value.__name__ in _LOGGING
    return is_of_logging and getattr(_logging(), value.__name__) is value


def _logging() -> Any:
    """Return the module `logging`."""
    import logging  # noqa: PLC0415  (few programs log)

    return logging


def _is_maker(value: Any) -> bool:
    """Return whether a function is a class method that makes constants: datetime.now, float.fromhex."""
    owner = value.__self__
    return isinstance(owner, type) and (is_constant(owner) or owner in (str, bytes, int, float))


def at(span: Span, value: Any, args: list[Expr]) -> Expr:
    """Return the step that calls such a function with arguments by position."""
    positional, keywords = prim(span, "py.tuple", *args), prim(span, "py.dict")
    return prim(span, str(op_of(value)), Const(span, Native(value)), positional, keywords)


def counts(value: Any) -> list[int]:
    """Return the numbers of arguments with which such a function is called as a value."""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except ValueError:  # a function in C that does not say
        return list(range(4))
    by_position = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return list(range(4))
    required = sum(p.default is p.empty for p in by_position)
    return list(range(required, len(by_position) + 1))


def step(t: CallContext, op: str, function: Any, passed: Arguments, node: ast.AST) -> Expr:
    """Return the step that calls a function of Python, with these arguments."""
    span = t.span(node)
    positional: Expr = prim(span, "py.tuple", *passed.positional)
    keywords: Expr = prim(span, "py.dict")

    def make(values: list[Expr]) -> Expr:
        again = passed.like(values)
        positional = prim(span, "py.tuple", *again.positional)
        if again.star is not None:
            positional = prim(span, "py.add", positional, again.star)
        keywords = prim(span, "py.dict")
        for name, value in again.keywords.items():
            keywords = prim(span, "py.set", keywords, const(span, name), value)
        if again.mapping is not None:
            keywords = prim(span, "py.merge", keywords, again.mapping)
        return prim(span, op, Const(span, Native(function)), positional, keywords)

    if not passed.keywords and passed.star is None and passed.mapping is None:
        return prim(span, op, Const(span, Native(function)), positional, keywords)
    return bind(t.program.names, passed.values, make)


def fixed(t: FunctionContext, value: Any, refusal: SourceError, node: ast.Call, env: Env) -> Expr | None:
    """Translate a call of a function of NumPy or SciPy that has no rule: with constants it gives a constant.

    Return None for all other functions. Arguments that are no constants in the text must not hold a real when
    the call is reached; otherwise it is refused.
    """
    if not _is_fixed_by_arguments(value) or has_star(node):
        return None
    passed = arrange.arguments(t, node, env)
    parts = [*node.args, *(keyword.value for keyword in node.keywords)]

    def make(values: list[Expr]) -> Expr:
        varying = [copy_of(v) for v, part in zip(values, parts, strict=True) if not _is_fixed(t, part, env)]
        call = step(t, "py.computed", value, passed.like(values), node)
        if not varying:
            return call
        return If(t.span(node), prim(t.span(node), "py.is-fixed", *varying), call, t.refused(refusal, node))

    return bind(t.program.names, passed.values, make, "argument")


# Files of NumPy and SciPy whose functions read files, or what is set elsewhere, or set it.
_IMPURE = re.compile(
    r"/(random|testing|io|datasets)/|(arrayprint|_ufunc_config|npyio|_npyio_impl|memmap)\.py$"
)


def _is_fixed_by_arguments(value: Any) -> bool:
    """Return whether a function of NumPy or SciPy does nothing but compute its result."""
    if type(value).__name__ == "ufunc":
        return True
    if not isinstance(value, types.FunctionType | types.BuiltinFunctionType):
        return False
    module = str(getattr(value, "__module__", None) or "")
    if module.partition(".")[0] not in ("numpy", "scipy") or module.startswith("numpy.random"):
        return False
    code = getattr(inspect.unwrap(value), "__code__", None)
    return code is None or not _IMPURE.search(code.co_filename.replace(os.sep, "/"))


def _is_fixed(t: FunctionContext, node: ast.expr, env: Env) -> bool:
    """Return whether an argument is a constant in the text, or an object from outside of the function."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp | ast.BinOp | ast.Tuple | ast.List):
        inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
        return all(_is_fixed(t, each, env) for each in inner)
    known = isinstance(node, ast.Name | ast.Attribute) and t.program.reference(t, node, env)
    return isinstance(known, str) and not callable(t.program.input_of(known))


def write(t: FunctionContext, stream: str, text: Expr, end: Expr, node: ast.AST) -> Expr:
    """Return the step that writes a text and its end to sys.stdout or sys.stderr."""
    return step(t, "py.perform", actions.write, Arguments([const(t.span(node), stream), text, end]), node)


def stream_of(t: FunctionContext, node: ast.expr, env: Env) -> str | None:
    """Return "stdout" or "stderr" for `sys.stdout` and `sys.stderr`, and None for all else."""
    if not isinstance(node, ast.Attribute) or node.attr not in files.STREAMS:
        return None
    known = t.program.reference(t, node.value, env)
    return node.attr if isinstance(known, Reference) and known.value is sys else None


def printed(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Translate a call of `print`; return None for keywords that it does not take."""
    span = t.span(node)
    named = {k.arg: k.value for k in node.keywords}
    if set(named) - {"sep", "end", "flush", "file"}:
        return None
    stream = stream_of(t, named["file"], env) if "file" in named else "stdout"
    if stream is None:
        return arrange.to_callee(t, t.program.library_function(files.print_), node, env)
    ends = [_end_of_print(t, n, d, named, env, span) for n, d in (("sep", " "), ("end", "\n"))]
    parts = [views.shown(t, part, env) for part in node.args]
    if has_star(node):
        passed = arrange.arguments(t, ast.copy_location(ast.Call(node.func, parts, []), node), env)
        assert passed.star is not None
        values = [prim(span, "py.add", prim(span, "py.tuple", *passed.positional), passed.star)]
    else:
        values = [t.program.operation(t, "py.str", [t.expr(part, env)], node) for part in parts]

    def joined(made: list[Expr]) -> Expr:
        *texts, sep, end = made
        if has_star(node):
            text = t.call(t.program.library_function(functions.printed), [*texts, sep], {}, span)
        else:
            text = prim(span, "py.joined", *[piece for text in texts for piece in (copy_of(sep), text)][1:])
        if stream == "stderr":
            return write(t, stream, text, end, node)
        return prim(span, "py.print", text, end)

    return bind(t.program.names, [*values, *ends], joined)


def _end_of_print(
    t: FunctionContext, name: str, default: str, named: dict[str | None, ast.expr], env: Env, span: Span
) -> Expr:
    """Return the text that `print` writes between or after values."""
    if name not in named:
        return const(span, default)
    value = t.expr(named[name], env)
    if isinstance(value, Const) and type(value.value) is str:
        return value
    return prim(span, "py.print-text", value, const(span, name), const(span, default))


def _place(t: FunctionContext, span: Span) -> Expr:
    name = t.name.rpartition(".")[2]
    return prim(span, "py.tuple", const(span, span.source.name), const(span, span.line), const(span, name))


def _warn(t: FunctionContext, node: ast.Call, env: Env) -> Expr:
    """Translate `warnings.warn(message, category, stacklevel)`; the category is a class."""

    def argument(part: ast.expr) -> Expr:
        known = t.program.reference(t, part, env) if isinstance(part, ast.Name | ast.Attribute) else None
        if isinstance(known, Reference) and isinstance(known.value, type):
            return Const(t.span(part), Native(known.value))
        return t.expr(part, env)

    span = t.span(node)
    passed = arrange.arguments(t, node, env, argument)
    passed.keywords.pop("source", None)
    place = [const(span, span.source.name), const(span, span.line)]
    return step(t, "py.perform", actions.warn, passed.after(place, {}), node)


def _log(t: FunctionContext, logger: Expr, name: str, passed: Arguments, node: ast.AST) -> Expr:
    span = t.span(node)
    first = [_place(t, span), logger]
    if name in _LEVELS:
        first.append(const(span, getattr(_logging(), _LEVELS[name])))
    return step(t, "py.perform", actions.log, passed.after(first, {}), node)


def _of_logger(t: FunctionContext, self: Expr, name: str, passed: Arguments, node: ast.AST) -> Expr:
    """Translate a call of a method of a logger."""
    if name in _LOGGING:
        return _log(t, self, name, passed, node)
    return step(t, _OF_LOGGERS[name], getattr(_logging().Logger, name), passed.after([self], {}), node)


def method(
    t: FunctionContext, self: Expr, name: str, passed: Arguments, node: ast.AST, other: Callable[..., Expr]
) -> Expr:
    """Translate `x.info(...)` and its kin, where x may be a logger that is only known when it runs."""
    span = t.span(node)

    def choose(values: list[Expr]) -> Expr:
        parts = passed.like(values[1:])
        copies = passed.like([copy_of(value) for value in values[1:]])
        logged = _of_logger(t, copy_of(values[0]), name, parts, node)
        return If(
            span,
            instance(span, copy_of(values[0]), _logging().Logger),
            logged,
            other(copy_of(values[0]), copies),
        )

    return bind(t.program.names, [self, *passed.values], choose, "argument")


def foreign(t: FunctionContext, value: Foreign, node: ast.Call, env: Env) -> Expr:
    """Call a function to which `checkpoint.primitive` has given derivatives."""
    load_imported()  # the function may return arrays of any of these libraries
    if node.keywords or has_star(node):
        raise t.refuse(node, "keywords and stars in a call of a primitive", "pass its arguments by position")
    args = [t.expr(part, env) for part in node.args]
    return prim(t.span(node), "py.call-primitive", const(t.span(node), value), *args)
