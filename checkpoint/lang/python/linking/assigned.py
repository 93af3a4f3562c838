"""Variables outside of a program's functions to which it assigns: globals, attributes of modules and classes.

In: an assignment to a name that is declared `global` (or `nonlocal`, in the outermost function), or to an
attribute of a known module or class; or, where the caller receives the state (`has_state`), a change of what
such a variable holds. Out: a cell of the run, which begins with what the variable holds at the call; all
functions of the program read and write the cell, and nothing is written outside of the run.

What a run leaves in the cells is lost without `has_state`. So that no later call could tell, the run then
ends with a SourceError at the first assignment, unless each variable has been assigned before it was read, or
holds at the end what it held at the start (a setting that is put back).
"""

from __future__ import annotations

import types
from abc import abstractmethod
from collections.abc import Callable
from enum import EnumType
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import Const, Expr, If, Lambda, Let, Var
from checkpoint.lang.python.calls.arrays import is_array
from checkpoint.lang.python.context.builder import (
    NOWHERE,
    UNBOUND,
    bind,
    const,
    copy_of,
    own_cell,
    prim,
    raise_error,
    read_own_cell,
    write_own_cell,
)
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.entry import NO_NODE, Entry
from checkpoint.lang.python.context.meanings import Binding, Env, Reference
from checkpoint.lang.python.library.state import READ_FIRST, UNTOUCHED, read_state, write_state
from checkpoint.lang.python.linking.facts import FactsChanged
from checkpoint.lang.python.linking.inputs import label_of
from checkpoint.lang.python.linking.surveys import LEAVES
from checkpoint.lang.python.linking.written import Written
from checkpoint.lang.python.source.members import is_descriptor


@dataclass(frozen=True, eq=False, repr=False)
class Outside:
    """A variable outside of the program's functions that it assigns.

    label: its name with that of its module or function. span: the place of the first assignment.
    initial: the core variable of what it holds at the start; value: that, as an expression.
    cell: the core variable of its cell. unbound: whether it may hold nothing.
    """

    label: str
    span: Span
    initial: str
    value: Expr
    cell: str
    unbound: bool

    def refusal(self) -> str:
        """Return the message for a run that leaves something else in it than it has read."""
        return (
            f"assigning to {self.label}, which the run has read before and leaves changed, cannot be "
            f"differentiated: in Python the next call would begin with what this one leaves. Writing to a "
            f"global is an error unless has_state=True, which returns what the run leaves: "
            f"value_and_grad(f, has_state=True)"
        )


class Assigned(Written):
    """The variables outside of a program's functions that it assigns."""

    def with_outside(self) -> None:
        """Begin a translation."""
        self.outsides: dict[tuple[int, str], Outside] = {}
        self.changed: set[tuple[FunctionContext, str]] = set()
        self.own_cells: set[str] = set()  # those of attributes of classes that the run makes

    @abstractmethod
    def of_run(self) -> set[int]:
        """Return the ids of the classes that a run makes, so that no later run finds them."""

    def _key(self, index: int, name: str) -> tuple[int, str]:
        """Return what identifies a variable: its module's dictionary or its cell, and the name."""
        function = self.inputs.value(index)
        free = function.__code__.co_freevars
        if name in free:
            return id(function.__closure__[free.index(name)]), name
        return id(function.__globals__), name

    def outside(self, index: int, name: str) -> Binding | None:
        """Return the meaning of a name of a function, an input, if the program assigns to it."""
        key = self._key(index, name) if self.facts.assigned else None
        if key is None or key not in self.facts.assigned:
            return None
        if key not in self.outsides:
            self.outsides[key] = self._outside(index, name, self.facts.assigned[key])
        found = self.outsides[key]
        return Binding(found.cell, cell=True, unbound=found.unbound, outside=True)

    def note_deleted(self, t: FunctionContext, name: str, span: Span) -> None:
        self._note(t, name, span)
        assert t.function_input is not None
        key = self._key(t.function_input, name)
        if key not in self.facts.deleted:
            self.facts.deleted.add(key)
            raise FactsChanged

    def _outside(self, index: int, name: str, span: Span) -> Outside:
        function = self.inputs.value(index)
        free = function.__code__.co_freevars
        kind, key = ("cell", free.index(name)) if name in free else ("global", name)
        is_there = kind == "cell" or name in function.__globals__
        found = self.find(index, kind, key) if is_there else None
        if found is None:
            self.inputs.absent(index, kind, key)
        may_lack = found is None or self._key(index, name) in self.facts.deleted
        return self._made(label_of(function, kind, name), name, span, found, may_lack)

    def _made(
        self, label: str, name: str, span: Span, found: Reference | str | None, may_lack: bool = False
    ) -> Outside:
        """Return a variable; found: the meaning of what it holds at the start, None if that is nothing.

        may_lack: whether it may hold nothing, then or later.
        """
        if found is None:
            value: Expr = Const(NOWHERE, UNBOUND)
        elif isinstance(found, Reference):
            value = self.value_of(Entry(self), found, NO_NODE)
        else:
            value = Var(NOWHERE, found)
        self.library_function(read_state)
        self.library_function(write_state)
        fresh = self.names.fresh
        return Outside(label, span, fresh(name), value, fresh(name), may_lack)

    # Attributes of modules and classes

    def outside_attribute(self, holder: Any, name: str) -> Binding | None:
        """Return the meaning of an attribute of a module or class, if the program assigns to it."""
        for each in _holders(holder) if self.facts.assigned else ():
            key = _key_of(each), name
            if key in self.facts.assigned:
                if key not in self.outsides:
                    self.outsides[key] = self._of_holder(each, name, self.facts.assigned[key])
                return Binding(self.outsides[key].cell, cell=True, outside=True)
            if name in vars(each):
                return None
        return None

    def is_assigned(self, cls: type, name: str) -> bool:
        return (id(cls), name) in self.facts.assigned

    def read_attribute(self, holder: Any, name: str, span: Span) -> Expr | None:
        if self.outside_attribute(holder, name) is None:
            return None
        return self._read_from(list(_holders(holder)), name, span)

    def _read_from(self, holders: list[Any], name: str, span: Span) -> Expr:
        """Return what the first of some classes holds under a name; it may be assigned there later."""
        for i, each in enumerate(holders):
            if (_key_of(each), name) in self.facts.assigned:
                assert self.outside_attribute(each, name) is not None
                found = self.outsides[_key_of(each), name]
                value = self.read_outside(found.cell, span)
                return self._or_inherited(value, holders[i + 1 :], name, span) if found.unbound else value
            if name in vars(each):
                known = self.find(self._input_of(each), "in class", name)
                return Var(span, known) if isinstance(known, str) else self._value_at(known)
        return raise_error(span, AttributeError, f"type object has no attribute {name!r}")

    def _or_inherited(self, value: Expr, bases: list[Any], name: str, span: Span) -> Expr:
        """Return what a class holds, or one of its bases where it holds nothing yet."""

        def choose(v: list[Expr]) -> Expr:
            test = prim(span, "py.is", copy_of(v[0]), Const(span, UNBOUND))
            return If(span, test, self._read_from(bases, name, span), copy_of(v[0]))

        return bind(self.names, [value], choose, name)

    def _value_at(self, known: Reference | None) -> Expr:
        assert known is not None
        return self.value_of(Entry(self), known, NO_NODE)

    def _input_of(self, holder: Any) -> int:
        base = self.reference_of(holder)
        assert base.input is not None
        return base.input

    def _of_holder(self, holder: Any, name: str, span: Span) -> Outside:
        base = self.reference_of(holder)
        assert base.input is not None
        is_class = isinstance(holder, type)
        kind, may_lack = "in class" if is_class else "attribute", is_class and name not in vars(holder)
        if may_lack:
            self.inputs.find(base.input, "not in class", name)  # else translated anew
        found = None if may_lack else self.find(base.input, kind, name)
        made = self._made(label_of(holder, kind, name), name, span, found, may_lack)
        if id(holder) in self.of_run():
            self.own_cells.add(made.cell)
        return made

    def assign_attribute(self, holder: Any, name: str, value: Expr) -> Expr | None:
        """Assign to an attribute of a module or class; None where that has no data of this name itself."""
        is_module = isinstance(holder, types.ModuleType)
        if not is_module and (not isinstance(holder, type) or isinstance(holder, EnumType)):
            return None
        held = vars(holder).get(name, types)
        if held is types and not is_module:
            held = next((vars(base)[name] for base in holder.__mro__ if name in vars(base)), types)
        if held is types or (not is_module and isinstance(held, (types.ModuleType, *_NO_DATA))):
            return None
        if not is_module and is_descriptor(held):
            return None
        key = _key_of(holder), name
        if key not in self.facts.assigned:
            self.facts.assigned[key] = value.span
            if not is_module:
                self.facts.classes.setdefault(holder)  # also one that has no members of its own
            raise FactsChanged
        found = self.outside_attribute(holder, name)
        assert found is not None
        return self._written(found.core, value)

    def check_read(self, value: Any, name: str) -> None:
        """Refuse a use of an attribute that the program assigns, other than reading its value."""
        if isinstance(value, types.ModuleType | type) and self.outside_attribute(value, name) is not None:
            raise SourceError(
                f"this use of {value.__name__}.{name}, to which the program assigns, cannot be "
                f"differentiated: assign its value to a variable first"
            )

    def is_outside(self, t: FunctionContext, name: str, env: Env) -> bool:
        if name in t.scope.globals or (t, name) in self.changed:
            return True
        return name in t.scope.nonlocals and name not in env and not t.scope.is_local(name)

    def to_change(self, t: FunctionContext, name: str, env: Env) -> Binding | Reference | str | None:
        found = t.meaning(name, env)
        if isinstance(found, str) and self.facts.has_state and t.function_input is not None:
            self._note(t, name, t.span(t.scope.node))
        if isinstance(found, Binding) and found.outside:
            self.changed.add((t, name))
        return found

    def _note(self, t: FunctionContext, name: str, span: Span) -> None:
        """Record that the program assigns to a variable."""
        assert t.function_input is not None
        key = self._key(t.function_input, name)
        if key not in self.facts.assigned:
            self.facts.assigned[key] = span
            raise FactsChanged

    def read_outside(self, cell: str, span: Span) -> Expr:
        if cell in self.own_cells:
            return read_own_cell(span, cell)
        return self.library_function(read_state).applied([Var(span, cell)], span)

    def write_outside(self, t: FunctionContext, name: str, value: Expr) -> Expr:
        self._note(t, name, value.span)
        assert t.function_input is not None
        found = self.outside(t.function_input, name)
        assert found is not None
        return self._written(found.core, value)

    def _written(self, cell: str, value: Expr) -> Expr:
        if cell in self.own_cells:
            return write_own_cell(value.span, cell, value)
        written: Expr = self.library_function(write_state).applied([Var(value.span, cell), value], value.span)
        return written

    # The whole program

    def cells(self) -> list[tuple[str, Expr]]:
        """Return the variables of the cells with what makes these."""
        made: list[tuple[str, Expr]] = []
        for each in self.outsides.values():
            initial = Var(NOWHERE, each.initial)
            if each.cell in self.own_cells:
                cell = own_cell(NOWHERE, initial)
            else:
                cell = prim(NOWHERE, "py.list", initial, const(NOWHERE, UNTOUCHED))
            made += [(each.initial, each.value), (each.cell, cell)]
        return made

    def owned(self, shared: Callable[[], Expr]) -> tuple[list[str], list[tuple[str, Expr]]]:
        """Return the parameters of a program with a state, and the run's own copies of them; see py.owned."""
        params: list[str] = []
        made: list[tuple[str, Expr]] = []
        for name in self.variables.values():
            params.append(self.names.fresh(name.rpartition(".")[0]))
            key = const(NOWHERE, params[-1])
            made.append((name, prim(NOWHERE, "py.owned", Var(NOWHERE, params[-1]), shared(), key)))
        return params, made

    def checked(self, entry: Lambda) -> Lambda:
        """Return the entry of a program, which ends with the test of what the run leaves in the cells."""
        if not self.outsides:
            return entry
        result = self.names.fresh("result")
        last: Expr = Var(NOWHERE, result)
        for (holder, _), each in self.outsides.items():
            last = last if holder in self.of_run() else self._checked(each, last)
        return Lambda(entry.span, entry.params, Let(NOWHERE, result, entry.body, last), name=entry.name)

    def left(self, params: list[str], rest: Callable[[Expr], Expr]) -> Expr:
        """Make the dictionary of what the cells hold at the end and of the inputs that have changed.

        params: the inputs as they came in. rest: what follows, of the dictionary.
        """
        found = prim(NOWHERE, "py.dict")
        for (holder, _), each in self.outsides.items():
            if holder in self.of_run():
                continue
            found = self._with_held(found, each)
        pairs = [
            (self.inputs.label_of(index), name, param)
            for (index, name), param in zip(self.variables.items(), params, strict=True)
            if _is_container(self.inputs.value(index))
        ]
        return self._with_changed(found, pairs, rest)

    def _with_held(self, found: Expr, each: Outside) -> Expr:
        """Add what a cell holds to a dictionary, if it holds anything."""
        held = prim(NOWHERE, "py.item", Var(NOWHERE, each.cell), const(NOWHERE, 0))
        label = const(NOWHERE, each.label)
        if not each.unbound:
            return prim(NOWHERE, "py.set", found, label, held)

        def choose(v: list[Expr]) -> Expr:
            is_nothing = prim(NOWHERE, "py.is", copy_of(v[1]), Const(NOWHERE, UNBOUND))
            more = prim(NOWHERE, "py.set", copy_of(v[0]), label, copy_of(v[1]))
            return If(NOWHERE, is_nothing, copy_of(v[0]), more)

        return bind(self.names, [found, held], choose, "held")

    def _with_changed(
        self, found: Expr, left: list[tuple[str, str, str]], rest: Callable[[Expr], Expr]
    ) -> Expr:
        """Add the inputs that have changed to a dictionary; left: labels, with variables now and before."""
        name = self.names.fresh("globals")
        if not left:
            return Let(NOWHERE, name, found, rest(Var(NOWHERE, name)))
        label, after, before = left[0]
        same = prim(NOWHERE, "py.unchanged", Var(NOWHERE, after), Var(NOWHERE, before))
        more = prim(NOWHERE, "py.set", Var(NOWHERE, name), const(NOWHERE, label), Var(NOWHERE, after))
        chosen = If(NOWHERE, same, Var(NOWHERE, name), more)
        return Let(NOWHERE, name, found, self._with_changed(chosen, left[1:], rest))

    def _checked(self, each: Outside, then: Expr) -> Expr:
        """Return what follows the end of a run, unless it leaves something that a later call would read."""
        span = each.span
        held, first = [prim(span, "py.item", Var(span, each.cell), const(span, i)) for i in (0, 1)]
        same = prim(span, "py.unchanged", held, Var(span, each.initial))
        refused = prim(span, "py.refuse", const(span, each.refusal()))
        yes = const(span, True)
        was_read = prim(span, "py.unchanged", first, const(span, READ_FIRST))
        test = If(span, was_read, same, yes)
        return If(span, test, then, refused)


def _is_container(value: Any) -> bool:
    """Return whether an input is something that can be changed for all who refer to it."""
    return type(value) not in LEAVES and not is_array(value)


def _holders(holder: Any) -> tuple[Any, ...]:
    """Return the module, or the classes in whose order Python looks for an attribute."""
    return (holder,) if isinstance(holder, types.ModuleType) else holder.__mro__


def _key_of(holder: Any) -> int:
    return id(vars(holder)) if isinstance(holder, types.ModuleType) else id(holder)


# What a class stores that is more than a value.
_NO_DATA = (types.FunctionType, staticmethod, classmethod, property, types.MemberDescriptorType)
