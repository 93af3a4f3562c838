"""Translate a Python function to a program, and keep the program for later calls.

In: a function and the shape of its call. Out: a Linked program, and at each call the values of its inputs.
Programs are kept by the code of the function and the shape of the call; every call checks what the
translation relies on (inputs.py).
"""

from __future__ import annotations

import types
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from typing import Any

from checkpoint import config
from checkpoint.ad import library as arrays
from checkpoint.ad.numbers import fresh
from checkpoint.ad.values import EMPTY, Closure, Environment
from checkpoint.dataclass import dataclass
from checkpoint.errors import SourceError
from checkpoint.lang.closures import Scopes, analyse
from checkpoint.lang.control import MayShift
from checkpoint.lang.core import Expr, Lambda, Letrec
from checkpoint.lang.python.context.builder import NOWHERE
from checkpoint.lang.python.context.meanings import Reference
from checkpoint.lang.python.linking.caches import within
from checkpoint.lang.python.linking.captures import without_control
from checkpoint.lang.python.linking.facts import Facts, FactsChanged
from checkpoint.lang.python.linking.growth import Growth
from checkpoint.lang.python.linking.inputs import FUNCTIONS, Inputs
from checkpoint.lang.python.linking.late import WITH_PROGRAMS, Late, code_of
from checkpoint.lang.python.linking.linker import Linker
from checkpoint.lang.python.linking.nested import Nested, functions_of
from checkpoint.lang.python.linking.roundings import rounds
from checkpoint.lang.python.linking.shapes import Shape, entry_of, shared, with_state
from checkpoint.lang.python.linking.stubs import Reached, TooLarge
from checkpoint.lang.python.linking.surveys import LEAVES, classes_in, survey
from checkpoint.recursion import recursion_room


@dataclass(frozen=True, eq=False)
class Linked:
    """A translated program: a lambda of its inputs around a letrec, whose body is the entry.

    scopes: the captures of its lambdas. inputs: how its inputs are found.
    hidden: the indices of the inputs that are data, in the order of the lambda's parameters.
    met_classes: the classes of the objects in its arguments and inputs for which it is translated.
    classes: all that it knows.
    functions: which Python function a procedure is that stands for one used as a value: the number of the
        input, or the function itself where it is no input; for one that is made within the program a Nested.
    functions_input: the number of the input that is an OwnPrograms of them, if the program asks for it
        (checkpoint.prims.python.own).
    generation: which functions of array libraries were registered when it was translated.
    packages: those that were open for translation then.
    is_provisional: whether it refuses something because a text or an attribute was not found.
    facts: those of a large program, which is translated anew with what its runs reach.
    late: which of the functions in its inputs are translated.
    given: whether it was translated as one that is given functions that may shift.
    control: whether it is converted for such functions (captures.py).
    growth: the program as it grows in a trial, if that was asked for; it is taken by who tries the program.
    """

    thunk: Lambda
    scopes: Scopes
    inputs: Inputs
    hidden: tuple[int, ...]
    met_classes: frozenset[type]
    generation: int
    packages: frozenset[str]
    classes: tuple[type, ...]
    functions: dict[Lambda, Reference | int | Nested]
    functions_input: int | None
    is_provisional: bool
    facts: Facts | None
    given: bool
    control: bool
    late: Late = field(default_factory=Late)
    growth: list[Growth] = field(default_factory=list)

    @property
    def is_outdated(self) -> bool:
        """Whether a run has reached a function that the program does not have."""
        return self.facts is not None and self.facts.reached is not None and self.facts.reached.is_outdated

    @property
    def lacks_functions(self) -> bool:
        """Whether functions are left for later: those of a large program, or some in its data."""
        return self.facts is not None or self.late.is_active

    @property
    def entry(self) -> Lambda:
        """The procedure of the arguments."""
        return self._closing[0]

    @property
    def captures(self) -> bool:
        """Whether its entry captures inputs."""
        return bool(self._closing[2])

    def closure(self, values: dict[int, Any]) -> Closure:
        """Return the entry closed over copies of the inputs' values: each slot is a location of its own."""
        entry, groups, captures = self._closing
        if not captures:
            return Closure(entry, EMPTY)
        found = {name: values[i] for name, i in zip(self.thunk.params, self.hidden, strict=True)}
        for env, names in groups:
            found[env] = Environment(tuple([fresh(found[name]) for name in names]))
        return Closure(entry, Environment(tuple([fresh(found[name]) for name in captures])))

    @cached_property
    def _closing(self) -> tuple[Lambda, list[tuple[str, tuple[str, ...]]], tuple[str, ...]]:
        """The entry, the environments around it with what each captures, and what the entry captures."""
        entry, body = _entry_in(self.thunk), self.thunk.body
        groups = self.scopes.groups(body) if isinstance(body, Letrec) else ()
        opened = [(group.env, group.captures) for group in groups if not group.closed]
        return entry, opened, self.scopes.captures(entry)


def _entry_in(thunk: Lambda) -> Lambda:
    """Return the entry of a program: the body of its letrec, if it has one."""
    body = thunk.body.body if isinstance(thunk.body, Letrec) else thunk.body
    assert isinstance(body, Lambda)
    return body


def _facts_of(shape: Shape, classes: tuple[type, ...], earlier: Facts | None = None) -> Facts:
    """Return what is known of a program at first; earlier: of a large one, what was known of it before."""
    facts = Facts.of(classes)
    if earlier is not None and earlier.reached is not None:
        return earlier.with_reached(facts)
    if shape.positional is None:  # its callers are not known
        facts.general, facts.most = True, 8
    facts.has_state = shape.has_state
    return facts


def link(
    function: Any,
    shape: Shape,
    classes: tuple[type, ...] = (),
    earlier: Facts | None = None,
    grows: bool = False,
) -> Linked:
    """Translate a function and all that it calls, of a large program what its runs have reached.

    grows: whether the program is to be tried.
    """
    facts = _facts_of(shape, classes, earlier)
    with recursion_room():
        while True:
            generation = arrays.generation()
            linker = Linker(function, facts)
            try:
                linked = _linked(linker, shape, classes, generation, grows)
            except FactsChanged:
                continue
            except TooLarge:
                facts = _facts_of(shape, classes)
                facts.reached = Reached()
                continue
            except SourceError:
                if generation == arrays.generation() and not linker.is_stale:
                    raise
                continue  # more is known of a library that was loaded during the translation
            if generation == arrays.generation():
                return linked


def _linked(linker: Linker, shape: Shape, classes: tuple[type, ...], generation: int, grows: bool) -> Linked:
    root = linker.reference_to(0, linker.inputs.value(0))
    entry = entry_of(linker, root, shape)
    linker.finish()
    if linker.is_stale:
        raise FactsChanged
    inputs = linker.inputs
    functions_input = next((i for i in linker.variables if inputs.nodes[i].access[0] == FUNCTIONS), None)
    functions = {} if functions_input is None else functions_of(linker)
    entry, params, made = _framed(linker, entry, shape)
    thunk, made = _program_of(linker, entry, params, made)
    hidden, is_large = tuple(linker.variables), linker.facts.reached is not None
    met_classes = frozenset((*classes, *classes_in([inputs.value(i) for i in hidden])))
    passed = (cls for cls in classes if cls is not types.FunctionType)
    may_grow = grows and is_large and not (shape.has_state or functions or linker.facts.control)
    scopes, growth = analyse(thunk), [Growth(linker, entry, made)] if may_grow else []
    inputs.keep_members((*met_classes, *linker.facts.classes))
    inputs.forget()
    return Linked(
        thunk=thunk,
        scopes=scopes,
        inputs=inputs,
        hidden=hidden,
        met_classes=met_classes,
        generation=generation,
        packages=linker.packages,
        classes=tuple(dict.fromkeys((*passed, *linker.facts.met()))),
        functions=functions,
        functions_input=functions_input,
        is_provisional=linker.is_provisional,
        facts=linker.facts if is_large else None,
        given=MayShift in classes,
        control=linker.facts.control,
        growth=growth,
    )


def _framed(linker: Linker, entry: Lambda, shape: Shape) -> tuple[Lambda, list[str], list[tuple[str, Expr]]]:
    """Return the entry with checks or copies, the program's parameters, and what is made before it runs."""
    params, made = list(linker.variables.values()), linker.caches.made()
    if shape.has_state:
        params, owned = linker.owned(partial(shared, entry.params[0]))
        return with_state(linker, entry, shape, params), params, [*owned, *made]
    return entry if shape.positional is None else linker.checked(entry), params, made


def _program_of(
    linker: Linker, entry: Lambda, params: list[str], made: list[tuple[str, Expr]]
) -> tuple[Lambda, list[tuple[str, Expr]]]:
    """Return the program of an entry, and all that is made before it runs, cells included."""
    named = without_control(linker.names, linker.bindings, entry, linker.facts.control)
    linker.facts.control = named is not linker.bindings
    bindings, made = tuple(named.items()), [*made, *linker.cells()]
    body = Letrec(NOWHERE, bindings, entry) if bindings else entry
    if made:
        body = within(made, entry, bindings)
    thunk = Lambda(NOWHERE, tuple(params), body, name="program")
    _entry_in(thunk).rounds = rounds(thunk)
    return thunk, made


class Programs:
    """The translated programs, by code and shape; they go with the code.

    written_out: returns the function that is translated for one that was made of another outside of programs.
    changes: how often any was added or forgotten.
    """

    def __init__(
        self,
        functions: int = 1024,
        versions: int = 8,
        written_out: Callable[[Any], Any] = lambda function: function,
    ) -> None:
        self.written_out = written_out
        self.functions = functions
        self.versions = versions
        self.changes = 0
        self._known: OrderedDict[tuple[int, Shape], list[Linked]] = OrderedDict()
        self._codes: dict[int, weakref.ref[Any]] = {}  # by their ids
        self._large: dict[tuple[int, Shape], Facts] = {}  # of large programs
        self._late: dict[tuple[int, Shape], Late] = {}

    def find(
        self, function: Any, shape: Shape, classes: tuple[type, ...], grows: bool = False
    ) -> tuple[Linked, list[Any]]:
        """Return the program for a call, and the values of all its inputs; grows: as of link.

        Objects pass between it and the functions that its inputs hold, each of which is a program of its own:
        they know the same classes.
        """
        while True:
            linked, inputs = self.member(function, shape, classes, grows)
            if types.FunctionType not in linked.met_classes:
                return linked, inputs
            known = {*linked.met_classes, *linked.classes}
            found = self.known_to_functions(self._called(linked, inputs), linked.classes)
            if known.issuperset(found):
                return linked, inputs
            classes = tuple(dict.fromkeys((*classes, *found)))
            linked.growth.clear()

    @staticmethod
    def _called(linked: Linked, inputs: list[Any]) -> list[Any]:
        """Return the functions in a program's inputs that are translated, and what was made of others."""
        found = survey([inputs[i] for i in linked.hidden])[1]
        return [*linked.late.called(found), *(each for each in found if not isinstance(each, WITH_PROGRAMS))]

    def known_to_functions(self, functions: Sequence[Any], classes: tuple[type, ...]) -> tuple[type, ...]:
        """Return some classes with all that functions in arguments or data know, and those in theirs."""
        found = dict.fromkeys(classes)
        while True:
            before, seen = len(found), set()
            pending = list(functions)
            while pending:
                function = pending.pop()
                if id(function) in seen:
                    continue
                seen.add(id(function))
                try:
                    function = self.written_out(function)
                    if not isinstance(function, WITH_PROGRAMS):
                        continue
                    linked, inputs = self.member(function, Shape(None), tuple(found))
                except SourceError:
                    continue  # it is refused where it is called
                found.update(dict.fromkeys(linked.classes))
                if types.FunctionType in linked.met_classes:
                    pending.extend(self._called(linked, inputs))
            if len(found) == before:
                return tuple(found)

    def member(
        self, function: Any, shape: Shape, classes: tuple[type, ...], grows: bool = False
    ) -> tuple[Linked, list[Any]]:
        """Return the program for a call that knows these classes, whatever the functions it holds know."""
        key = (self._number_of(code_of(function)), shape)
        for linked in self._translated_for(key, classes):
            found = linked.inputs.read(function)
            if found is not None and self.fits(linked, found):
                return linked, found
        linked = link(function, shape, classes, self._large.get(key), grows)
        linked = replace(linked, late=self._late.setdefault(key, linked.late))
        if linked.facts is not None:
            self._large[key] = linked.facts
        kept = self._known.setdefault(key, [])
        fitting = [old for old in kept if old.generation == linked.generation and not old.is_outdated]
        kept[:] = [linked, *fitting][: self.versions]
        self.changes += 1
        if len(self._known) > self.functions:
            self._known.popitem(last=False)
        found = linked.inputs.read(function)
        if found is None:
            raise SourceError("what the function reads changed while it was translated")
        return linked, found

    def alone(self, function: Any, shape: Shape) -> Linked | None:
        """Return the program that a call finds first, if it is complete and knows no classes.

        It is the one that further calls find as long as there are no `changes`, and its `fits` says so.
        """
        kept = self._known.get((self._number_of(code_of(function)), shape))
        linked = kept[0] if kept else None
        if linked is None or linked.lacks_functions or linked.functions_input is not None:
            return None
        return None if linked.met_classes or linked.is_provisional else linked

    def complete(self, function: Any, shape: Shape, entry: Lambda) -> Linked | None:
        """Return the program of an entry if it is complete, and reads nothing but data."""
        for linked in self._known.get((self._number_of(code_of(function)), shape), ()):
            if linked.entry is entry:
                is_open = linked.lacks_functions or linked.functions_input is not None
                return None if is_open or linked.is_provisional else linked
        return None

    def _translated_for(self, key: tuple[int, Shape], classes: tuple[type, ...]) -> list[Linked]:
        """Return the programs that are translated for arguments of some classes.

        If there is none, the last large one may know the classes: since it keeps its facts, it would be the
        same if they came with its arguments.
        """
        is_given = MayShift in classes
        classes = tuple([cls for cls in classes if cls is not MayShift])
        kept = [linked for linked in self._known.get(key, ()) if not linked.is_outdated]
        kept = [
            linked for linked in kept if linked.control == is_given or (linked.control and not linked.given)
        ]
        fitting = [linked for linked in kept if linked.met_classes.issuperset(classes)]
        if fitting or not kept or kept[0].facts is None or kept[0].facts is not self._large.get(key):
            return fitting
        return [kept[0]] if kept[0].met_classes.union(kept[0].classes).issuperset(classes) else []

    def forget_provisional(self) -> None:
        """Forget the programs that refuse what was not found: it may be there when they are called again."""
        self.changes += 1
        for kept in self._known.values():
            kept[:] = [linked for linked in kept if not linked.is_provisional]

    def _number_of(self, code: Any) -> int:
        """Return the id of a code, which stands for it until it goes."""
        number = id(code)
        if number not in self._codes:
            self._codes[number] = weakref.ref(code, lambda _: self._forget(number))
        return number

    def _forget(self, number: int) -> None:
        del self._codes[number]
        self.changes += 1
        for known in (self._known, self._large, self._late):
            for key in [key for key in list(known) if key[0] == number]:
                del known[key]

    @staticmethod
    def fits(linked: Linked, inputs: list[Any]) -> bool:
        """Return whether a translation has met the classes of the objects among the inputs.

        It must also know all functions of array libraries that are registered by now: finding classes loads
        some.
        """
        read = [inputs[i] for i in linked.hidden]
        met = LEAVES.issuperset(map(type, read)) or linked.met_classes.issuperset(classes_in(read))
        return met and linked.generation == arrays.generation() and linked.packages == config.packages()
