"""Translate a Python function and all that it calls to one program of the core.

In: a function, the shape of its call, and the classes of its arguments. Out: one letrec of the lambdas of all
functions that are reached, over the variables that hold the inputs. A function is translated when it is first
referred to.

Facts found on the way (the program's classes, whether some value takes a varying number of arguments)
determine how calls are translated. A function that meets a new fact is translated again at once, the program
once more when all of it has been seen: so there are few translations, however many facts.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
import types
import weakref
from collections.abc import Callable
from enum import Enum, EnumType
from importlib.util import resolve_name
from typing import Any

from checkpoint import config
from checkpoint.ad.array_library import installed
from checkpoint.ad.attributes import stored
from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import Const, Expr, Lambda, Var
from checkpoint.lang.python.calls import arrange, arrays, classes
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import Names
from checkpoint.lang.python.context.contexts import CallContext, FunctionContext
from checkpoint.lang.python.context.entry import NO_NODE, Entry
from checkpoint.lang.python.context.meanings import (
    Binding,
    Callee,
    Env,
    Maker,
    Reference,
    signature_of,
    variable,
)
from checkpoint.lang.python.library import methods as library_methods
from checkpoint.lang.python.library import sets as library_sets
from checkpoint.lang.python.library import tables
from checkpoint.lang.python.library.stand_ins import BY_CLASS, standing_for
from checkpoint.lang.python.library.standard import patterns
from checkpoint.lang.python.linking import attributes, dispatch, managers, values
from checkpoint.lang.python.linking.caches import Caches
from checkpoint.lang.python.linking.facts import Facts
from checkpoint.lang.python.linking.inputs import Inputs, NotFound, is_data, is_of_system, wrapped
from checkpoint.lang.python.linking.local_classes import LocalClasses
from checkpoint.lang.python.linking.methods import Pending, may_decline
from checkpoint.lang.python.scopes.imports import Target
from checkpoint.lang.python.source import advice, boundary
from checkpoint.lang.python.source.members import defaults_of, without_cache
from checkpoint.lang.python.source.texts import text_of


class Linker(LocalClasses):
    """One translation of a program.

    facts: what is known of the whole program; they outlive a translation that starts again.
    variables: the core variables of the inputs that are data, by their indices.
    packages: those that are open for translation.
    bindings: the lambdas that are translated so far.
    is_stale: whether a fact was found after some function was translated without it.
    is_provisional: whether something was not found, a text or an attribute, that may be there later.
    caches: the functions that keep their results.
    """

    def __init__(self, root: Any, facts: Facts) -> None:
        self.facts = facts
        self.has_sets, self.has_generators = facts.sets, facts.generators
        self.names = Names()
        self.inputs = Inputs(root)
        self.packages = config.packages()
        self.variables: dict[int, str] = {}
        self.bindings: dict[str, Lambda] = {}
        self.is_provisional = False
        self.used_as_values: list[tuple[Reference, Expr]] = []  # functions, with what was made of them
        self.nested: list[tuple[Lambda, FunctionContext, Env]] = []  # functions that it makes, and where
        self.caches = Caches()
        self.known_groups, self.classes_having = {}, {}
        self.layouts = {}
        self.callees: dict[Any, Callee] = {}
        self.with_writers(facts)
        self.with_outside()
        self.with_local_classes()
        self._made_as_values: list[Any] = []  # the known objects that are being made values, nested
        self.pending: list[Pending] = []
        self.put_off = {}
        self.is_stale = False
        self.method_names = {
            name
            for cls in facts.classes
            for name, v in vars(cls).items()
            if isinstance(without_cache(v), types.FunctionType)
        }

    # Inputs

    def reference_to(self, index: int, value: Any) -> Reference | str:
        """Return the meaning of a name that leads to an input."""
        stand_in = standing_for(value) if isinstance(value, type) else None
        if stand_in is not None:
            index, value = self.inputs.find(0, "library", stand_in)
        self.note_arrays(value)
        if not is_data(value):
            if isinstance(value, EnumType | Enum):
                self.note_class(value if isinstance(value, EnumType) else type(value))
            return Reference(value, index)
        self.note_classes_of(value)
        if index not in self.variables:
            name = self.inputs.name_of(index)
            self.variables[index] = self.names.fresh(name if name.isidentifier() else "input")
        return self.variables[index]

    def check_input(self, t: FunctionContext, variable: str, node: ast.AST) -> None:
        """Refuse values that no program can hold."""
        value = self.input_of(variable)
        changes = not self.facts.has_state and type(value).__module__.startswith("numpy.")
        if advice.is_random(value) and (changes or type(value) not in BY_CLASS):
            raise t.refuse(node, *advice.of_random(type(value).__name__))

    def note_nested(self, lam: Lambda, t: FunctionContext, env: Env) -> None:
        """Note a nested function that is not known to be called only."""
        self.nested.append((lam, t, env))

    def find(self, parent: int, kind: str, key: Any) -> Reference | str | None:
        """Return the meaning of what an access from an input leads to."""
        try:
            index, value = self.inputs.find(parent, kind, key)
        except NotFound:
            return None
        return self.reference_to(index, value)

    def globals_of(self, index: int) -> Callable[[str], Binding | Reference | str | None]:
        """Return the function that gives the meanings of names in a function that no function encloses."""
        function = self.inputs.value(index)
        free = {name: i for i, name in enumerate(function.__code__.co_freevars)}

        def meaning(name: str) -> Binding | Reference | str | None:
            kind, key = ("cell", free[name]) if name in free else ("global", name)
            outside = self.outside(index, name)
            if outside is not None:
                return outside
            if kind == "cell" and (captured := self.meaning_of_captured(function, name)) is not None:
                return captured
            if kind == "cell" or name in function.__globals__:
                found = self.find(index, kind, key)
                if found is not None:
                    return found
            self.inputs.absent(index, kind, key)
            if kind == "cell":
                return Binding("", unbound=True)
            return Reference(getattr(builtins, name)) if name in vars(builtins) else None

        return meaning

    def reference(self, t: FunctionContext, node: ast.expr, env: Env) -> Reference | str | None:
        """Return the meaning of a name or dotted name, if that is known; None for all other values."""
        if isinstance(node, ast.Name):
            found = t.meaning(node.id, env)
            return found if isinstance(found, Reference | str) else None
        if not isinstance(node, ast.Attribute):
            return None
        base = self.reference(t, node.value, env)
        if isinstance(base, str):
            index = None if self.facts.has_state else self.index_of(base)
            return None if index is None else attributes.forwarded(self.inputs, index, node.attr, self.find)
        if not isinstance(base, Reference) or not attributes.are_known(base.value):
            return attributes.of_function(t, base, node, self.find) if isinstance(base, Reference) else None
        if attributes.is_value(base.value, node.attr):
            return None
        found = self.attribute_of(base, node.attr)
        if found is None:
            self.is_provisional = True
            what = f"{stored(base.value, '__name__', type(base.value).__name__)}.{node.attr}"
            raise t.refuse(node, f"{what}, which does not exist,", "check the name")
        return found

    def attribute_of(self, base: Reference, name: str) -> Reference | str | None:
        self.check_read(base.value, name)
        if base.input is None or is_of_system(base.value) or arrays.record_of(base.value) is not None:
            value = getattr(base.value, name, NotFound)
            return None if value is NotFound else Reference(value)
        if getattr(base.value, "__name__", "") in {*sys.stdlib_module_names, "numpy"}:
            value = getattr(base.value, name, NotFound)
            if type(value) in (float, int, str):
                return Reference(value)
        return self.find(base.input, "attribute", name)

    def imported(self, t: FunctionContext, targets: list[Target]) -> Reference | str | None:
        """Return the meaning of the first import inside a function that does not fail."""
        found = [target for target in targets if self.import_error(t, target) is None]
        return self._imported(t, *found[0]) if found else None

    def _imported(self, t: FunctionContext, module: str, name: str | None) -> Reference | str | None:
        full = self._absolute(t, module)
        found = self.find(0, "module", full)
        if name is None:
            return found
        if isinstance(found, str):  # an object that has taken the module's place, with its `__getattr__`
            found = self.reference_of(sys.modules[full])
        return None if found is None else self.attribute_of(found, name)

    def _absolute(self, t: FunctionContext, module: str) -> str:
        """Return the full name of a module; raise ImportError where a relative one has no package."""
        package = self.inputs.value(t.function_input or 0).__globals__.get("__package__")
        if module.startswith(".") and not package:
            raise ImportError("attempted relative import with no known parent package")
        return resolve_name(module, package)

    def import_error(self, t: FunctionContext, target: Target) -> ImportError | None:
        """Return the exception that Python raises at an import, or None."""
        name = target[1]
        try:
            module = self._absolute(t, target[0])
            found = importlib.import_module(module)
            if name is not None and not hasattr(found, name) and hasattr(found, "__path__"):
                importlib.import_module(f"{module}.{name}")
        except ImportError as error:
            return error
        if name is None or hasattr(found, name):
            return None
        file = getattr(found, "__file__", None) or "unknown location"
        return ImportError(f"cannot import name {name!r} from {module!r} ({file})")

    def maker_of(self, known: Reference, kind: str, key: Any) -> Maker:
        """Return a maker of what an access from an input leads to."""
        assert known.input is not None
        found = self.find(known.input, kind, key)
        return self.maker(found)

    def maker(self, found: Reference | str | None) -> Maker:
        if isinstance(found, str):
            return lambda span: Var(span, found)
        assert found is not None
        return lambda span: self._value(Entry(self), found, span, NO_NODE)

    # Functions

    def callee(self, known: Reference) -> Callee | None:
        """Return the translated function that a known object is, or None."""
        value = known.value
        if wrapped(value):
            inner = self.attribute_of(known, wrapped(value))
            function = self.callee(inner) if isinstance(inner, Reference) else None
            is_cache = wrapped(value) == "__wrapped__"
            return self.caches.callee(value, function, self.names, self.bindings) if is_cache else function
        if boundary.makes_manager(value):
            return managers.made_by(self, known)
        library = dispatch.made_by(self, known) or self.library_callee(value)
        if library is not None:
            return library
        if isinstance(value, types.MethodType) and isinstance(value.__self__, type):
            return self.class_method(known)
        if not isinstance(value, types.FunctionType):
            return None
        if known.input is None:
            return self.library_function(value) if tables.is_opened(value) else None
        if value not in self.callees:
            if not boundary.is_allowed(value):
                return None
            self.callees[value] = self.translated(known.input, value)
        return self.callees[value]

    def translated(self, index: int, function: Any, cls: Reference | None = None) -> Callee:
        """Translate a function; cls: the class that is its first argument, if that is known."""
        try:
            text = text_of(function)
        except SourceError:
            self.is_provisional = True
            raise
        node = text.tree
        assert isinstance(node, ast.FunctionDef | ast.Lambda)
        core = self.names.fresh(function.__name__)
        makers = {name: self.maker(self.find(index, "default", name)) for name in defaults_of(function)}
        own = tables.is_internal(function) or boundary.is_counterpart(function)
        name = tables.known_as(function.__name__) if own else function.__qualname__
        signature = signature_of(node, makers)
        known = weakref.ref(function) if cls is None else None
        if cls is not None:
            signature = classes.bound(signature)
        self.pending.append(Pending(core, text, index, name, cls=cls, stands_for=known))
        implicit = 0 if cls is None else 1
        declines = may_decline(node)
        make = variable(core)
        callee = Callee(name, make, signature, internal=own, implicit=implicit, may_decline=declines)
        self.sources[callee] = (index, function, cls)
        self.may_put_off(callee)
        return callee

    def library_callee(self, value: Any) -> Callee | None:
        """Return the library function that stands for a Python object, or None."""
        try:
            function = tables.standing_for(value, self.facts.classes) or arrays.translation_of(value)
            function = function or arrays.translation_beside(value, self.facts.classes)
            if value in tables.LAZY or value is builtins.next:
                function = self.lazily(value) or function
        except TypeError:
            return None
        return None if function is None else self.library_function(dispatch.also_of_objects(self, function))

    def lazily(self, value: Any) -> Any:
        """Return the library function that makes an iterator, for a program that could see the difference.

        It sees one if it has generators, if it takes items by `next`, or if there is no function that returns
        a list.
        """
        self.facts.used.add(value)
        is_seen = builtins.next in self.facts.used and not self.facts.used.isdisjoint(tables.LAZY)
        if is_seen or (value in tables.LAZY and value not in tables.FUNCTIONS):
            self.note_generators()
        return tables.LAZY.get(value) if self.has_generators else None

    def library_function(self, function: Any) -> Callee:
        """Return a function of the library."""
        if function.__module__ == library_sets.__name__:
            self.note_sets()
        for library in installed:
            if function.__module__ == library.written_in:
                self.note_library(library)
        if function not in self.callees:
            index, _ = self.inputs.find(0, "library", function)
            self.callees[function] = self.translated(index, function)
        return self.callees[function]

    def library_method(self, name: str) -> Callee | None:
        tables_of_methods = (library_methods.METHODS, library_sets.METHODS, patterns.METHODS)
        function = next((table[name] for table in tables_of_methods if name in table), None)
        return None if function is None else self.library_function(function)

    def changing_method(self, name: str) -> Callee | None:
        """Return the library function for a method that changes a list or dictionary, or None."""
        function = library_methods.CHANGES.get(name)
        return None if function is None else self.library_function(function)

    def bound_parts(
        self, t: CallContext, known: Reference, node: ast.AST
    ) -> tuple[Reference, list[Expr], dict[str, Expr]]:
        """Return the function of a bound method or partial object, and the arguments that it holds."""
        value = known.value

        def part(kind: str, key: Any) -> Expr:
            assert known.input is not None
            found = self.find(known.input, kind, key)
            assert found is not None
            return Var(t.span(node), found) if isinstance(found, str) else self.value_of(t, found, node)

        assert known.input is not None
        if isinstance(value, types.MethodType):
            function = self.find(known.input, "function", None)
            positional, keywords = [part("self", None)], {}
        else:
            function = self.find(known.input, "partial function", None)
            positional = [part("partial argument", i) for i in range(len(value.args))]
            keywords = {name: part("partial keyword", name) for name in value.keywords}
        assert isinstance(function, Reference)
        return function, positional, keywords

    # Values

    def value_of(self, t: CallContext, known: Reference, node: ast.AST) -> Expr:
        """Return a known object as a value."""
        return self._value(t, known, t.span(node), node)

    def _value(self, t: CallContext, known: Reference, span: Span, node: ast.AST) -> Expr:
        if any(each is known.value for each in self._made_as_values):
            what = f"{stored(known.value, '__qualname__')}, which is a default value of itself,"
            raise SourceError(f"{what} cannot be differentiated: let the default be None", span)
        self._made_as_values.append(known.value)
        try:
            value = values.of_reference(self, t, known, span, node)
        finally:
            self._made_as_values.pop()
        if not isinstance(value, Const):
            values.mark(value, known.value)
            self.used_as_values.append((known, value))
        return value

    def as_value(self, callee: Callee, span: Span) -> Expr:
        """Return a function as a value that is called by position."""
        return values.of_callee(self, callee, span)

    def apply(self, t: FunctionContext, function: ast.expr, args: list[Expr], env: Env) -> Expr:
        """Call the meaning of an expression on values, as a decorator is called."""
        known = self.reference(t, function, env)
        callee = self.callee(known) if isinstance(known, Reference) else None
        binding = env.get(function.id) if isinstance(function, ast.Name) else None
        if callee is None and binding is not None:
            callee = binding.callee
        passed = Arguments(list(args))
        if callee is None:
            return arrange.to_value(t, t.expr(function, env), passed, function)
        found = callee
        return arrange.apply(t, found, passed, function, lambda a: t.call(found, a, env, t.span(function)))
