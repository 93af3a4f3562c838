"""A Python function and all that it calls, as one program of the core.

In: a function, how it is to be called, and the classes of what it will be called with. Out: a Linked
program: one letrec of the lambdas of all functions that are reached, over the variables that hold the
inputs. A function is translated when it is first referred to.

What is learned on the way (which classes there are, whether some function takes a varying number of
arguments) changes how calls are translated; when something new is learned the translation starts again.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from checkpoint.ad.containers import Types
from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import App, Const, Expr, If, Lambda, Letrec, Var
from checkpoint.lang.python import boundary, classes, library, refusals, statics, values
from checkpoint.lang.python.builder import Names, again, bound, const, instance, prim
from checkpoint.lang.python.inputs import Inputs, Unknown, is_data
from checkpoint.lang.python.meanings import Callee, Env, Maker, Reference, defaulted, signature_of
from checkpoint.lang.python.scopes import scope_of
from checkpoint.lang.python.source import text_of
from checkpoint.lang.python.translator import Translator

# The methods behind an operation, and the one that is asked of the second operand.
METHODS: dict[str, tuple[str, str | None]] = {
    "py.add": ("__add__", "__radd__"),
    "py.iadd": ("__add__", "__radd__"),
    "py.sub": ("__sub__", "__rsub__"),
    "py.mul": ("__mul__", "__rmul__"),
    "py.imul": ("__mul__", "__rmul__"),
    "py.truediv": ("__truediv__", "__rtruediv__"),
    "py.floordiv": ("__floordiv__", "__rfloordiv__"),
    "py.mod": ("__mod__", "__rmod__"),
    "py.pow": ("__pow__", "__rpow__"),
    "py.matmul": ("__matmul__", "__rmatmul__"),
    "py.neg": ("__neg__", None),
    "py.pos": ("__pos__", None),
    "py.abs": ("__abs__", None),
    "py.lt": ("__lt__", "__gt__"),
    "py.le": ("__le__", "__ge__"),
    "py.gt": ("__gt__", "__lt__"),
    "py.ge": ("__ge__", "__le__"),
    "py.eq": ("__eq__", "__eq__"),
    "py.ne": ("__ne__", "__ne__"),
    "py.truth": ("__bool__", None),
    "py.len": ("__len__", None),
    "py.item": ("__getitem__", None),
    "py.contains": ("__contains__", None),
    "py.str": ("__str__", None),
    "py.repr": ("__repr__", None),
    "py.float": ("__float__", None),
    "py.int": ("__int__", None),
}


@dataclass
class Learned:
    """What the translation has found out about the whole program."""

    classes: dict[type, Any] = field(default_factory=dict)
    varying: bool = False

    def covers(self, found: tuple[type, ...]) -> bool:
        """Whether a program is translated for these classes; that of functions stands for varying calls."""
        return all(cls in self.classes or (cls is types.FunctionType and self.varying) for cls in found)


class LearnedSomething(Exception):
    """Start again, with what is known now."""


class Linker:
    """One translation of a program. `learned` outlives it, if it must start again."""

    def __init__(self, root: Any, learned: Learned) -> None:
        self.learned = learned
        self.names = Names()
        self.inputs = Inputs(root)
        self.variables: dict[int, str] = {}  # of the inputs that are data
        self.bindings: dict[str, Lambda] = {}
        self._callees: dict[Any, Callee] = {}
        self._pending: list[tuple[str, Translator]] = []
        self.method_names = {
            name for cls in learned.classes for name, v in vars(cls).items() if isinstance(v, types.FunctionType)
        }

    # Inputs

    def reference_to(self, index: int, value: Any) -> Reference | str:
        """What a name means that leads to an input."""
        if not is_data(value):
            if isinstance(value, type):
                self.learn_class(value)
            return Reference(value, index)
        self.learn_classes_of(value)
        if index not in self.variables:
            how = self.inputs.nodes[index].how
            self.variables[index] = self.names.fresh(str(how[1]))
        return self.variables[index]

    def find(self, parent: int, kind: str, what: Any) -> Reference | str | None:
        """The meaning of what a step from an input leads to."""
        try:
            index, value = self.inputs.find(parent, kind, what)
        except Unknown:
            return None
        return self.reference_to(index, value)

    def globals_of(self, index: int) -> Callable[[str], Reference | str | None]:
        """What names mean in a function that no function around binds."""
        function = self.inputs.value(index)
        free = {name: i for i, name in enumerate(function.__code__.co_freevars)}

        def meaning(name: str) -> Reference | str | None:
            if name in free:
                return self.find(index, "cell", free[name])
            if name in function.__globals__:
                return self.find(index, "global", name)
            return Reference(getattr(builtins, name)) if hasattr(builtins, name) else None

        return meaning

    def reference(self, t: Translator, node: ast.expr, env: Env) -> Reference | str | None:
        """What a name or dotted name means, if that is known; None for other values."""
        if isinstance(node, ast.Name):
            found = t.meaning(node.id, env)
            return found if isinstance(found, Reference | str) else None
        if not isinstance(node, ast.Attribute):
            return None
        base = self.reference(t, node.value, env)
        if not isinstance(base, Reference) or not isinstance(base.value, types.ModuleType | type):
            return None
        if isinstance(base.value, type) and node.attr in {"__name__", "__qualname__"}:
            return None
        found = self.attribute_of(base, node.attr)
        if found is None:
            what = f"{base.value.__name__}.{node.attr}"
            raise t.refuse(node, f"{what}, which does not exist,", "check the name")
        return found

    def attribute_of(self, base: Reference, name: str) -> Reference | str | None:
        if base.input is None:
            value = getattr(base.value, name, Unknown)
            return None if value is Unknown else Reference(value)
        if getattr(base.value, "__name__", "") in sys.stdlib_module_names:
            value = getattr(base.value, name, Unknown)
            if type(value) in (float, int, str):
                return Reference(value)
        return self.find(base.input, "attribute", name)

    def imported(self, t: Translator, module: str, name: str | None) -> Reference | str | None:
        """What an import inside a function means."""
        found: Any = importlib.import_module(module)
        if name is not None:
            found = getattr(found, name)
        return Reference(found)

    def maker_of(self, known: Reference, kind: str, what: Any) -> Maker:
        """A maker of what a step from an input leads to."""
        assert known.input is not None
        found = self.find(known.input, kind, what)
        return self.maker(found)

    def maker(self, found: Reference | str | None) -> Maker:
        if isinstance(found, str):
            return lambda span: Var(span, found)
        assert found is not None
        return lambda span: values.of_reference(self, None, found, span)

    def factory_of(self, known: Reference, name: str) -> Maker:
        factory = known.value.__dataclass_fields__[name].default_factory
        raise SourceError(f"the default factory {factory!r} of {known.value.__qualname__}.{name} cannot be translated")

    # Functions

    def callee(self, t: Translator | None, known: Reference, node: ast.AST | None) -> Callee | None:
        """The translated function that a known object is, or None."""
        value = known.value
        if isinstance(value, functools._lru_cache_wrapper):  # type: ignore[attr-defined]
            wrapped = self.attribute_of(known, "__wrapped__")
            return self.callee(t, wrapped, node) if isinstance(wrapped, Reference) else None
        if not isinstance(value, types.FunctionType) or known.input is None:
            library_callee = self.library_callee(t, value)
            return library_callee
        if not boundary.is_allowed(value):
            return None
        if value not in self._callees:
            self._callees[value] = self._translate(known.input, value)
        return self._callees[value]

    def _translate(self, index: int, function: Any) -> Callee:
        text = text_of(function)
        refusals.check(text)
        node = text.tree
        assert isinstance(node, ast.FunctionDef | ast.Lambda)
        core = self.names.fresh(function.__name__)
        makers = {name: self._default(index, function, name) for name, _ in defaulted(node)}
        translator = Translator(self, text, scope_of(node), self.globals_of(index))
        self._pending.append((core, translator))
        return Callee(function.__qualname__, lambda span: Var(span, core), signature_of(node, makers))

    def _default(self, index: int, function: Any, name: str) -> Maker:
        code = function.__code__
        positional = code.co_varnames[: code.co_argcount]
        if name in positional:
            at = positional.index(name) - (len(positional) - len(function.__defaults__))
            found = self.find(index, "default", at)
        else:
            found = self.find(index, "keyword default", name)
        return self.maker(found)

    def finish(self) -> None:
        """Translate all functions that have been referred to."""
        while self._pending:
            core, translator = self._pending.pop()
            self.bindings[core] = translator.function({}, getattr(translator.scope, "name", "lambda"))

    def library_callee(self, t: Translator | None, value: Any) -> Callee | None:
        """The function of the library that does what a Python object does."""
        try:
            function = library.FUNCTIONS.get(value)
        except TypeError:
            return None
        return None if function is None else self.library_function(function)

    def library_function(self, function: Any) -> Callee:
        if function not in self._callees:
            index = len(self.inputs.nodes)
            self.inputs.find(0, "library", function)
            self._callees[function] = self._translate(index, function)
        return self._callees[function]

    def library_method(self, t: Translator, name: str) -> Callee | None:
        function = library.METHODS.get(name)
        return None if function is None else self.library_function(function)

    def library_call(
        self, t: Translator, name: str, args: list[Expr], names: list[str | None], node: ast.AST
    ) -> Expr:
        """A call of a function of the library by its name."""
        from checkpoint.lang.python import calls  # noqa: PLC0415

        function = getattr(library, name, None)
        if function is None:
            raise t.refuse(node, f"the method {name.removeprefix('change_')}", "build a new list or dictionary")
        callee = self.library_function(function)
        positional = [a for a, n in zip(args, names, strict=True) if n is None]
        keywords = {n: a for a, n in zip(args, names, strict=True) if n is not None}
        given = calls.Arguments(positional, None, keywords)
        return calls.arranged(t, callee, given, node, lambda a: t.call(callee, a, {}, t.span(node)))

    def method_parts(self, t: Translator, known: Reference) -> tuple[Reference, Reference | str]:
        """The function and the object of a bound method."""
        assert known.input is not None
        function = self.find(known.input, "function", None)
        self_ = self.find(known.input, "self", None)
        assert isinstance(function, Reference)
        assert self_ is not None
        return function, self_

    def partial_parts(
        self, t: Translator | None, known: Reference, node: ast.AST | None
    ) -> tuple[Reference, list[Expr], dict[str, Expr]]:
        assert known.input is not None
        span = Span(*_NOWHERE) if t is None or node is None else t.span(node)
        function = self.find(known.input, "partial function", None)
        assert isinstance(function, Reference)
        positional = [
            self.maker_of(known, "partial argument", i)(span) for i in range(len(known.value.args))
        ]
        keywords = {name: self.maker_of(known, "partial keyword", name)(span) for name in known.value.keywords}
        return function, positional, keywords

    # Values

    def variable(self, t: Translator, name: str, node: ast.AST) -> Expr:
        return Var(t.span(node), name)

    def value_of(self, t: Translator, known: Reference, node: ast.AST) -> Expr:
        """A known object as a value."""
        return values.of_reference(self, t, known, t.span(node), node)

    def as_value(self, t: Translator | None, callee: Callee, span: Span) -> Expr:
        """A function as a value that is called by position."""
        return values.of_callee(self, callee, span)

    def apply(self, t: Translator, function: ast.expr, args: list[Expr], env: Env) -> Expr:
        """A call of what an expression means, on values (a decorator)."""
        from checkpoint.lang.python import calls  # noqa: PLC0415

        known = self.reference(t, function, env)
        callee = self.callee(t, known, function) if isinstance(known, Reference) else None
        binding = env.get(function.id) if isinstance(function, ast.Name) else None
        if callee is None and binding is not None:
            callee = binding.callee
        given = calls.Arguments(list(args))
        if callee is None:
            return calls.to_value(t, t.expr(function, env), given, function)
        found = callee
        return calls.arranged(t, found, given, function, lambda a: t.call(found, a, env, t.span(function)))

    # Classes

    def learn_class(self, cls: type) -> None:
        """Note a class whose objects the program may meet."""
        for each in cls.__mro__:
            if each.__module__ == "builtins" or issubclass(each, BaseException) or each in self.learned.classes:
                continue
            if any(isinstance(v, CLASS_MEMBERS) for v in vars(each).values()) or classes.all_fields(each):
                self.learned.classes[each] = None
                raise LearnedSomething

    def learn_classes_of(self, value: Any) -> None:
        """Note the classes of the objects in an input."""
        pending, seen = [value], set()
        while pending:
            each = pending.pop()
            if id(each) in seen or isinstance(each, float | int | str | bool | type(None)):
                continue
            seen.add(id(each))
            if isinstance(each, list | tuple):
                pending.extend(each)
            elif isinstance(each, dict):
                pending.extend(each.values())
            elif not is_data(each):
                self.learn_varying()
                continue
            if type(each).__module__ != "builtins":
                self.learn_class(type(each))
                pending.extend(getattr(each, "__dict__", {}).values())

    @property
    def has_callables(self) -> bool:
        """Whether a value that is called may be something else than a procedure."""
        return self.learned.varying or self.has_method("__call__")

    def learn_varying(self) -> None:
        if not self.learned.varying:
            self.learned.varying = True
            raise LearnedSomething

    def has_method(self, *names: str) -> bool:
        """Whether a class of the program has one of these methods."""
        return any(
            classes.found_in_class(cls, name) is not None for cls in self.learned.classes for name in names
        )

    def classes_with_field(self, name: str) -> tuple[type, ...]:
        return tuple(cls for cls in self.learned.classes if name in classes.all_fields(cls))

    def reference_to_class(self, t: Translator, cls: type) -> Reference:
        """A class that has been learned, as something to find methods in."""
        self.inputs.find(0, "library", cls)
        return Reference(cls, self.inputs.find(0, "library", cls)[0])

    def in_class(self, t: Translator, cls: type, name: str) -> Reference | str | None:
        base = self.reference_to_class(t, cls)
        assert base.input is not None
        return self.find(base.input, "in class", name)

    def callee_in_class(self, t: Translator, cls: type, name: str) -> Callee | None:
        """A method of a class, that takes the object first."""
        if not isinstance(classes.found_in_class(cls, name), types.FunctionType):
            return None
        found = self.in_class(t, cls, name)
        return self.callee(t, found, None) if isinstance(found, Reference) else None

    def owners_of(self, t: Translator, name: str) -> list[tuple[type, Callee, bool]]:
        """The classes with a method, the derived before their bases; whether it takes the object."""
        found = []
        for cls in _derived_first(self.learned.classes):
            member = classes.found_in_class(cls, name)
            if isinstance(member, types.FunctionType):
                callee = self.callee_in_class(t, cls, name)
                if callee is not None:
                    found.append((cls, callee, True))
            elif isinstance(member, staticmethod):
                static = self.attribute_of(self.reference_to_class(t, cls), name)
                callee = self.callee(t, static, None) if isinstance(static, Reference) else None
                if callee is not None:
                    found.append((cls, callee, False))
        return found

    def operation(self, t: Translator, op: str, args: list[Expr], node: ast.AST) -> Expr:
        """A primitive on values; for objects of the program's classes the method behind it."""
        span = t.span(node)
        method, reflected = METHODS.get(op, (None, None))
        if method is None or not (self.has_method(method) or (reflected and self.has_method(reflected))):
            return prim(span, op, *args)
        first = self.owners_of(t, method)
        second = self.owners_of(t, reflected) if reflected else []

        def dispatch(v: list[Expr]) -> Expr:
            result = prim(span, op, *map(again, v))
            for cls, callee, _ in reversed(second):
                made = t.call(callee, [again(v[1]), again(v[0])], {}, span)
                result = If(span, instance(span, again(v[1]), cls), made, result)
            for cls, callee, _ in reversed(first):
                made = t.call(callee, list(map(again, v)), {}, span)
                result = If(span, instance(span, again(v[0]), cls), made, result)
            return result

        return bound(self.names, args, dispatch)

    def called(self, t: Translator, function: Expr, args: list[Expr], node: ast.AST) -> Expr:
        """A call of a value that may be an object with `__call__`, or take a varying number."""
        owners = self.owners_of(t, "__call__")
        if not owners:
            return self._applied(function, args, t.span(node))
        return bound(self.names, [function, *args], lambda v: self._call_of_one(t, owners, v, node))

    def _applied(self, function: Expr, args: list[Expr], span: Span) -> Expr:
        if self.learned.varying:
            function = prim(span, "py.callee", function, const(span, len(args)))
        return App(span, function, tuple(args))

    def _call_of_one(
        self, t: Translator, owners: list[tuple[type, Callee, bool]], v: list[Expr], node: ast.AST
    ) -> Expr:
        from checkpoint.lang.python import calls  # noqa: PLC0415

        span = t.span(node)
        result = self._applied(again(v[0]), list(map(again, v[1:])), span)
        for cls, callee, _ in reversed(owners):
            given = calls.Arguments(list(map(again, v)))
            made = calls.arranged(t, callee, given, node, lambda a, c=callee: t.call(c, a, {}, span))
            result = If(span, instance(span, again(v[0]), cls), made, result)
        return result

    def attribute(self, t: Translator, value: Expr, name: str, node: ast.AST) -> Expr:
        """An attribute of a value: a field, or what its class has."""
        span = t.span(node)
        members = [(c, classes.found_in_class(c, name)) for c in _derived_first(self.learned.classes)]
        members = [(c, m) for c, m in members if m is not None and name not in classes.all_fields(c)]
        if not members:
            return prim(span, "py.attribute", value, const(span, name))

        def dispatch(v: list[Expr]) -> Expr:
            result = prim(span, "py.attribute", again(v[0]), const(span, name))
            for cls, member in reversed(members):
                made = self._member(t, cls, name, member, again(v[0]), node)
                result = If(span, instance(span, again(v[0]), cls), made, result)
            return result

        return bound(self.names, [value], dispatch)

    def _member(
        self, t: Translator, cls: type, name: str, member: Any, value: Expr, node: ast.AST
    ) -> Expr:
        """What a class has under a name, for one of its objects."""
        span = t.span(node)
        if isinstance(member, property | functools.cached_property):
            base = self.in_class(t, cls, name)
            assert isinstance(base, Reference)
            assert base.input is not None
            getter = self.find(base.input, "getter" if isinstance(member, property) else "func", None)
            assert isinstance(getter, Reference)
            callee = self.callee(t, getter, node)
            assert callee is not None
            return t.call(callee, [value], {}, span)
        if isinstance(member, types.FunctionType):
            callee = self.callee_in_class(t, cls, name)
            assert callee is not None
            return values.bound_method(self, callee, value, span)
        found = self.in_class(t, cls, name)
        if found is None or isinstance(found, Reference):
            raise t.refuse(node, f"the attribute {name} of {cls.__qualname__}", "use a field, a property or a method")
        return Var(span, found)

    # Exceptions and isinstance

    def exception(self, t: Translator, node: ast.expr, env: Env) -> Expr:
        """What a `raise` raises: a class stands for an object of it."""
        span = t.span(node)
        known = self.reference(t, node, env)
        if isinstance(known, Reference) and isinstance(known.value, type):
            call = ast.copy_location(ast.Call(node, [], []), node)
            return classes.exception(t, known.value, call, env)
        return prim(span, "py.raise-check", t.expr(node, env))

    def classes_of(self, t: Translator, node: ast.expr, env: Env) -> tuple[type, ...]:
        """The classes that an expression names, as `isinstance` and `except` take them."""
        if isinstance(node, ast.Tuple):
            return tuple([cls for part in node.elts for cls in self.classes_of(t, part, env)])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.classes_of(t, node.left, env) + self.classes_of(t, node.right, env)
        if isinstance(node, ast.Constant) and node.value is None:
            return (type(None),)
        known = self.reference(t, node, env)
        value = known.value if isinstance(known, Reference) else None
        if isinstance(value, types.UnionType):
            return tuple(value.__args__)
        if isinstance(value, type):
            return (value,)
        if isinstance(known, str):
            index = next(i for i, name in self.variables.items() if name == known)
            found = self.inputs.value(index)
            if isinstance(found, tuple) and all(isinstance(cls, type) for cls in found):
                return found
        raise t.refuse(node, "a class that is only known when it runs", "name the classes")


CLASS_MEMBERS = (types.FunctionType, property, staticmethod, classmethod, functools.cached_property)
_NOWHERE: tuple[Any, ...] = ()


def _derived_first(found: dict[type, Any]) -> list[type]:
    return sorted(found, key=lambda cls: -len(cls.__mro__))


__all__ = ["App", "Const", "Learned", "LearnedSomething", "Letrec", "Linker", "Types"]
