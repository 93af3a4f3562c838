"""`dataclass`, as in the standard library, but each method is written when it is first looked up.

The standard decorator writes and compiles up to six methods of a class at once. That took 75 of the 240 ms of
importing this package, and most classes of a process have no instances, let alone ones that are compared or
printed. Here a class gets placeholders, which write their method, put it in their place, and step aside.

In: the annotations of a class, as texts (`from __future__ import annotations`), and options. Out: a class
that is a dataclass to everybody: `dataclasses.fields`, `replace`, `is_dataclass` and `asdict` take it, and
`inspect` finds its signature. Always holds:

- A method that two threads write at once is written twice, and either serves.
- `__slots__` are the fields of the class itself; those of its bases are the bases' own.
- What the standard library refuses (a field without a default after one that has one, a frozen class that
  derives from one that is not) the type checker refuses, which takes this for the standard decorator.

Left out: `order`, `unsafe_hash`, `match_args`, `weakref_slot`, `InitVar`, KW_ONLY.
"""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Callable, Mapping
from types import FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: Any = None, /, **options: bool) -> Any:
        """Return the class as a dataclass, or a decorator with the options of `_Shape`."""
        if cls is None:
            return lambda cls: _Shape(cls, **options).cls
        return _Shape(cls, **options).cls


__all__ = ["dataclass"]

_FIELDS = "__dataclass_fields__"


class _Unset:
    """Stands for the argument of a field with a default factory that is not passed."""

    def __repr__(self) -> str:
        return "<factory>"


class _Shape:
    """A class and what its methods are written from.

    cls: the class, with placeholders
    own: the fields that its body declares, by their names
    options: those of the decorator, by their names, as in the standard library
    """

    def __init__(
        self,
        cls: type,
        *,
        frozen: bool = False,
        slots: bool = False,
        kw_only: bool = False,
        eq: bool = True,
        repr: bool = True,
    ) -> None:
        self.options = {"frozen": frozen, "slots": slots, "kw_only": kw_only, "eq": eq, "repr": repr}
        names = [name for name, kind in cls.__annotations__.items() if not kind.startswith("ClassVar")]
        self.own = {name: _field(vars(cls).get(name, dataclasses.MISSING), kw_only) for name in names}
        members = self._members(vars(cls))
        self.cls = self._with_slots(cls, members) if slots else self._with_defaults(cls, members)

    def _members(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the class gets; what its body defines stays as it is."""
        is_frozen, is_compared = self.options["frozen"], self.options["eq"]
        names = ["__init__"] + ["__repr__"] * self.options["repr"] + ["__eq__"] * is_compared
        names += ["__setattr__", "__delattr__"] * is_frozen
        names += ["__getstate__", "__setstate__"] * (is_frozen and self.options["slots"])
        members: dict[str, Any] = {name: _Placeholder(self, name) for name in names if name not in body}
        if is_compared and body.get("__hash__") is None:
            members["__hash__"] = _Placeholder(self, "__hash__") if is_frozen else None
        for name in ("__match_args__", _FIELDS, "__dataclass_params__"):
            members[name] = _Placeholder(self, name)
        return members

    def _with_slots(self, cls: type, members: dict[str, Any]) -> type:
        hidden = {*self.own, "__dict__", "__weakref__"}
        body = {name: value for name, value in vars(cls).items() if name not in hidden}
        body.update(members, __slots__=tuple(self.own), __qualname__=cls.__qualname__)
        return type(cls)(cls.__name__, cls.__bases__, body)

    def _with_defaults(self, cls: type, members: dict[str, Any]) -> type:
        for name, field in self.own.items():
            if field.default is not dataclasses.MISSING:
                setattr(cls, name, field.default)
            elif name in vars(cls):
                delattr(cls, name)
        for name, member in members.items():
            setattr(cls, name, member)
        return cls

    def fields(self) -> dict[str, dataclasses.Field[Any]]:
        """Return all fields by their names, those of bases first."""
        found: dict[str, dataclasses.Field[Any]] = {}
        for base in reversed(self.cls.__mro__):
            fields = vars(base).get(_FIELDS, {})
            found |= fields.shape.own if isinstance(fields, _Placeholder) else fields
        return found

    def standard(self, **options: Any) -> Any:
        """Return a class of the standard decorator with the same fields."""
        fields = [(name, self._annotation(name), field) for name, field in self.fields().items()]
        described = {"__doc__": self.cls.__doc__ or " "}  # else it is made of the signature
        return dataclasses.make_dataclass(self.cls.__name__, fields, namespace=described, **options)

    def annotations(self) -> dict[str, Any]:
        """Return the annotations of `__init__`."""
        taken = {name: self._annotation(name) for name, field in self.fields().items() if field.init}
        return taken | {"return": None}

    def _annotation(self, name: str) -> Any:
        return next(base.__annotations__[name] for base in self.cls.__mro__ if name in base.__annotations__)


class _Placeholder:
    """A member of a class that is made when it is first looked up."""

    __slots__ = ("_name", "shape")

    def __init__(self, shape: _Shape, name: str) -> None:
        self.shape, self._name = shape, name

    def __get__(self, instance: Any, owner: type) -> Any:
        made = _WRITERS[self._name](self.shape)
        setattr(self.shape.cls, self._name, made)
        if not isinstance(made, FunctionType):
            return made
        made.__qualname__ = f"{self.shape.cls.__qualname__}.{self._name}"
        return made.__get__(instance, owner)


def _field(stored: Any, kw_only: bool) -> dataclasses.Field[Any]:
    """Return the field that a class declares, by what its body assigns to the name."""
    if isinstance(stored, MemberDescriptorType):  # of a base
        stored = dataclasses.MISSING
    field: Any = stored if isinstance(stored, dataclasses.Field) else dataclasses.field(default=stored)
    if field.kw_only is dataclasses.MISSING:
        field.kw_only = kw_only
    return field  # type: ignore[no-any-return]  # `field` is typed as what it stands for


def _init(shape: _Shape) -> Any:
    fields = shape.fields()
    known: dict[str, Any] = {"unset_": _Unset()}
    this = "self_" if "self" in fields else "self"
    positional: list[str] = [this]
    named: list[str] = []
    body: list[str] = []
    for name, field in fields.items():
        parameter, value = _passed(name, field, known)
        if field.init:
            (named if field.kw_only else positional).append(parameter)
        if value:
            body.append(_assignment(shape, f"{this}.{name}", value, known))
    if hasattr(shape.cls, "__post_init__"):
        body.append(f"{this}.__post_init__()")
    parameters = ", ".join([*positional, *(["*", *named] if named else [])])
    made = _function(f"__init__({parameters})", body or ["pass"], known)
    made.__annotations__ = shape.annotations()
    return made


def _passed(name: str, field: dataclasses.Field[Any], known: dict[str, Any]) -> tuple[str, str]:
    """Return the texts of a field's parameter and of what is assigned to it, "" for nothing."""
    if field.default_factory is not dataclasses.MISSING:
        make = f"make_{name}_"
        known[make] = field.default_factory
        return f"{name}=unset_", f"{make}() if {name} is unset_ else {name}" if field.init else f"{make}()"
    if field.default is not dataclasses.MISSING:
        default = f"default_{name}_"
        known[default] = field.default
        return f"{name}={default}", name if field.init else default
    return name, name if field.init else ""


def _assignment(shape: _Shape, target: str, value: str, known: dict[str, Any]) -> str:
    """Return the statement that sets a field of an object, around the `__setattr__` of a frozen class."""
    if not shape.options["frozen"]:
        return f"{target} = {value}"
    this, _, name = target.partition(".")
    slot = getattr(shape.cls, name, None)
    if isinstance(slot, MemberDescriptorType):
        known[f"set_{name}_"] = slot.__set__
        return f"set_{name}_({this}, {value})"
    known["set_"] = object.__setattr__
    return f"set_({this}, {name!r}, {value})"


def _eq(shape: _Shape) -> Any:
    names = [name for name, field in shape.fields().items() if field.compare]
    ours, others = _tuple_of("self", names), _tuple_of("other", names)
    body = ["if other.__class__ is self.__class__:", f" return {ours} == {others}", "return NotImplemented"]
    return _function("__eq__(self, other)", body, {})


def _hash(shape: _Shape) -> Any:
    hashed = shape.fields().items()
    names = [name for name, field in hashed if (field.compare if field.hash is None else field.hash)]
    return _function("__hash__(self)", [f"return hash({_tuple_of('self', names)})"], {})


def _repr(shape: _Shape) -> Any:
    names = [name for name, field in shape.fields().items() if field.repr]

    @reprlib.recursive_repr()
    def __repr__(self: Any) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({shown})"

    return __repr__


def _setattr(shape: _Shape) -> Any:
    cls: Any = shape.cls
    names = {*shape.fields()}

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    return __setattr__


def _delattr(shape: _Shape) -> Any:
    cls: Any = shape.cls
    names = {*shape.fields()}

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return __delattr__


def _getstate(shape: _Shape) -> Any:
    names = [*shape.fields()]

    def __getstate__(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    return __getstate__


def _setstate(shape: _Shape) -> Any:
    names = [*shape.fields()]

    def __setstate__(self: Any, state: list[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return __setstate__


# How what is looked up first is made.
_WRITERS: dict[str, Callable[[_Shape], Any]] = {
    "__init__": _init,
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
    "__match_args__": lambda shape: tuple(
        [name for name, field in shape.fields().items() if field.init and not field.kw_only]
    ),
    _FIELDS: lambda shape: shape.standard(init=False, repr=False, eq=False).__dataclass_fields__,
    "__dataclass_params__": lambda shape: shape.standard(**shape.options).__dataclass_params__,
}


def _tuple_of(owner: str, names: list[str]) -> str:
    """Return the text of the tuple of an object's attributes."""
    return "(" + "".join(f"{owner}.{name}, " for name in names) + ")"


def _function(head: str, body: list[str], known: dict[str, Any]) -> Any:
    """Return the function of a text."""
    exec(f"def {head}:\n " + "\n ".join(body), known)
    return known[head.partition("(")[0]]
