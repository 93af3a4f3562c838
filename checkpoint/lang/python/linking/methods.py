"""Class methods and constructors as functions: methods whose first argument is known where they are called.

In: a class method and its class, or the `__init__` of a class. Out: a function without the first parameter.
"""

from __future__ import annotations

import ast
import types
from abc import abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.errors import SourceError
from checkpoint.lang.core import Lambda, Let
from checkpoint.lang.python.calls import arrange, classes, creation
from checkpoint.lang.python.context.builder import NOWHERE, read_own_cell
from checkpoint.lang.python.context.meanings import Binding, Callee, Maker, Reference, variable
from checkpoint.lang.python.linking import class_values, dispatch
from checkpoint.lang.python.linking.facts import FactsChanged
from checkpoint.lang.python.linking.objects import Objects
from checkpoint.lang.python.linking.stubs import LIMIT, Stub, TooLarge, stub_of
from checkpoint.lang.python.normal import initial
from checkpoint.lang.python.scopes.scopes import parameters, scope_of
from checkpoint.lang.python.scopes.syntax import nodes_in, remembered
from checkpoint.lang.python.source import boundary, refusals
from checkpoint.lang.python.source.members import makes_named_tuple
from checkpoint.lang.python.source.texts import FunctionText, text_of
from checkpoint.lang.python.translation.translator import Translator


@dataclass(eq=False)
class Pending:
    """A function that is still to be translated.

    core: the variable that is to hold it. text: its text. index: the number of its input. name: its own.
    receiver: the parameter that is the object, in a constructor. cls: the known class that is the first
    parameter, if there is one. stands_for, outs: as of Translator.
    """

    core: str
    text: FunctionText
    index: int
    name: str
    receiver: str | None = None
    cls: Reference | None = None
    stands_for: object = None
    outs: tuple[str, ...] = ()

    def translator(self, program: Methods) -> Translator:
        """Return a new translator of the function."""
        text, known = self._text(), program.globals_of(self.index)
        refused, tree = refusals.refusals_of(text), text.tree
        made = Translator(program, text, scope_of(tree), known, self.name, refusals=refused)
        made.function_input = self.index
        made.receiver = self.receiver
        made.stands_for = self.stands_for
        if self.cls is not None:
            made.statics = {next(parameters(tree.args)).arg: self.cls}
        return made

    def _text(self) -> FunctionText:
        """Return the text; where a known class is a variable that changes, with an assignment of it."""
        tree = self.text.tree
        if self.cls is None or not isinstance(tree, ast.FunctionDef):
            return self.text
        name = next(parameters(tree.args)).arg
        if not initial.rebinds(tree, name):
            return self.text
        return replace(self.text, tree=initial.with_variable_class(tree, name))


class Methods(Objects):
    """The class methods and constructors of a program.

    callees: the functions that have been referred to. pending: those that are still to be translated.
    put_off: of a large program, those that are stubs unless a run reaches them (stubs.py).
    bindings, is_stale: as of the Linker.
    """

    callees: dict[Any, Callee]
    pending: list[Pending]
    put_off: dict[Callee, Pending]
    bindings: dict[str, Lambda]
    is_stale: bool

    @abstractmethod
    def translated(self, index: int, function: Any, cls: Reference | None = None) -> Callee:
        """Translate a function; cls: the class that is its first argument, if that is known."""

    @abstractmethod
    def globals_of(self, index: int) -> Callable[[str], Binding | Reference | str | None]:
        """Return the function that gives the meanings of names in a function that no function encloses."""

    def finish(self) -> None:
        """Translate all functions that have been referred to; one that meets a new fact, once more.

        Those that are put off are stubs.
        """
        self._translate_pending()
        for callee, each in self.put_off.items():
            if each.core not in self.bindings:
                assert self.facts.reached is not None
                made = stub_of(callee, self._key_of(each), self.facts.reached, self.names)
                self.bindings[each.core] = made

    def take_up(self, each: Pending) -> None:
        """Translate a function that was put off, and all to which it refers."""
        assert self.facts.reached is not None
        Stub(self.facts.reached, self._key_of(each), each.name).note()
        self.put_off = {callee: other for callee, other in self.put_off.items() if other is not each}
        self.pending.append(each)
        self.finish()

    def _translate_pending(self) -> None:
        while self.pending:
            if self.facts.reached is None and len(self.bindings) + len(self.pending) > LIMIT:
                raise TooLarge
            each = self._next()
            try:
                made = self.translation(each)
            except FactsChanged:
                if not self.bindings:
                    raise  # nothing has been translated without it: the program begins again, with it
                self.is_stale = True
                self.known_groups.clear()
                self.pending.append(each)
            else:
                made.stands_for = each.stands_for
                self.bindings[each.core] = made
            if not self.pending and self.made_class and self.made_class not in self.bindings:
                self.bindings[self.made_class] = class_values.maker_of(self)

    def _next(self) -> Pending:
        """Take a function that is still to be translated; methods of classes within functions come last."""
        for i in reversed(range(len(self.pending))):
            if not self.is_early(self.pending[i].index):
                return self.pending.pop(i)
        return self.pending.pop()

    @abstractmethod
    def is_early(self, index: int) -> bool:
        """Return whether a function is a method of a class whose statement has not been met yet."""

    @abstractmethod
    def surroundings(self, index: int) -> dict[str, tuple[str, bool]]:
        """Return the variables that a method of a function's class reads (local_classes.py)."""

    def translation(self, each: Pending) -> Lambda:
        """Translate a function; the method of a function's class first reads the variables around it."""
        around = self.surroundings(each.index)
        translator = each.translator(self)
        translator.cells |= {name for name, (_, is_cell) in around.items() if is_cell}
        read = {name: self.names.fresh(name) for name in around}
        env = {name: Binding(core, cell=around[name][1]) for name, core in read.items()}
        made = translator.function(env, outs=each.outs)
        for name, core in read.items():
            held = read_own_cell(NOWHERE, around[name][0])
            made.body = Let(NOWHERE, core, held, made.body)
        return made

    def _key_of(self, each: Pending) -> Hashable:
        """Return what stands for a function in all translations."""
        return self.inputs.value(each.index).__code__, each.cls and each.cls.value

    def may_put_off(self, callee: Callee) -> None:
        """Let the function that was referred to last be a stub, in a large program that never reached it."""
        reached, each = self.facts.reached, self.pending[-1]
        if reached is None or each.index == 0 or callee.internal or self._key_of(each) in reached.keys:
            return
        self.put_off[callee] = self.pending.pop()

    def factory_of(self, known: Reference, name: str) -> Maker:
        """Return a maker of the value of a dataclass field's default factory."""
        assert known.input is not None
        found = self.find(known.input, "field factory", name)
        callee = None
        if isinstance(found, Reference):
            is_class = isinstance(found.value, type)
            callee = creation.constructor(self, found) if is_class else self.callee(found)
        if callee is None or callee.signature.required:
            what = f"the default factory of {known.value.__qualname__}.{name}"
            advised = "let it be list, dict, tuple, or a function of your own without parameters"
            raise SourceError(f"{what} cannot be differentiated: {advised}")
        called = callee
        return lambda span: arrange.without_arguments(called, span)

    def class_method(self, known: Reference) -> Callee | None:
        """Return a class method as a function without its first parameter, the class."""
        assert known.input is not None
        if makes_named_tuple(known.value):
            return dispatch.named_tuple_made(self, known)
        function = self.find(known.input, "function", None)
        cls = self.find(known.input, "self", None)
        if not isinstance(function, Reference) or not isinstance(cls, Reference):
            return None
        if not isinstance(function.value, types.FunctionType) or not boundary.is_allowed(function.value):
            return None
        return self._with_class(function, cls)

    def _with_class(self, function: Reference, cls: Reference) -> Callee:
        """Return a function whose first argument is a known class."""
        key = (function.value, cls.value)
        if key not in self.callees:
            assert function.input is not None
            self.callees[key] = self.translated(function.input, function.value, cls)
        return self.callees[key]

    def class_method_of(self, cls: Reference, owner: type, name: str) -> Callee | None:
        """Return the class method that a class stores, as a function of the arguments for another class."""
        stored_there = self.in_class(owner, name)
        if not isinstance(stored_there, Reference) or stored_there.input is None:
            return None
        function = self.find(stored_there.input, "function", None)
        if not isinstance(function, Reference) or not isinstance(function.value, types.FunctionType):
            return None
        return self._with_class(function, cls) if boundary.is_allowed(function.value) else None

    def constructor_of(self, cls: type) -> Callee | None:
        """Return a constructor made of a class's `__init__` (normal/initial.py), or None."""
        known = self.in_class(cls, "__init__")
        assert isinstance(known, Reference)
        key = (known.value, cls, "constructor")
        if key not in self.callees:
            text = text_of(known.value)
            assert isinstance(text.tree, ast.FunctionDef)
            tree = initial.constructor(text.tree, cls, lambda names: self.layout(cls, names))
            if tree is None:
                return None
            init = self.callee(known)
            assert init is not None
            assert known.input is not None
            receiver = init.signature.positional[0]
            self.callees[key] = self._constructor(init, known.input, replace(text, tree=tree), receiver)
        return self.callees[key]

    def _constructor(self, init: Callee, index: int, text: FunctionText, receiver: str) -> Callee:
        core = self.names.fresh(init.name.rpartition(".")[0] or init.name)
        self.pending.append(Pending(core, text, index, init.name, receiver=receiver))
        return Callee(init.name, variable(core), classes.bound(init.signature), implicit=1)


@remembered
def may_decline(node: ast.AST) -> bool:
    """Return whether a function may return NotImplemented: it names it, or calls an operator's method."""
    for each in nodes_in(node):
        if isinstance(each, ast.Name) and each.id == "NotImplemented":
            return True
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            name = each.func.attr
            if name.startswith("__") and name.endswith("__") and name != "__init__":
                return True
    return False
