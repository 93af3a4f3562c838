"""What the runtime asks of a library of arrays, and the libraries whose arrays programs can hold.

A library is one ArrayLibrary, `install`ed for the types of its arrays. Records are written against its
`namespace`, which has the names that they use, with NumPy's meaning: `xp.sin(x)`. All else that depends on
whose arrays they are is asked here: the kind of their elements, who holds these, what a dtype is.

tensorlib installs libraries; nothing here imports one. What always holds: an array's library is found by its
exact type, so that a type with a meaning of its own (np.matrix) is no array of a program unless its library
says so. C reads `namespaces`, and asks the functions here for what NumPy's attributes do not tell.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from checkpoint.errors import RunError

_NO_ARRAYS = frozenset((float, int, bool, complex, str, slice, type(None)))
_DTYPE = attrgetter("dtype")
HOST = "cpu"  # the device of `device_of` that is the host
ARRAY_KINDS = "fcbiu"  # NumPy's letters for floats, complex numbers, booleans, signed and unsigned integers


class ArrayLibrary(ABC):
    """A library of arrays. `data` is one of its arrays, `dtype` one of its dtypes.

    name: as users write it, for messages. namespace: its functions, by NumPy's names. types: its arrays'.
    methods: by the name of a method of its arrays that NumPy's do not have, or have with another meaning, the
        record (checkpoint.ad.tensors) or the function to translate, written in Python, in its place.
    lacking: the names of the records that do not work on its arrays.
    instead: by the name of a method or attribute of its arrays that no program may use, what to write.
    facts: the names of its arrays' own attributes that say something of them, which is a constant.
    aliases: by another name of a keyword that those take, the parameter.
    operator: the name of the record that applies a LibraryOperator (checkpoint.ad.opaque) to the names of
        keywords and to arguments, the keywords' last.
    written_in: the module of those functions: a program that calls one meets the library's arrays.
    holder_type: the type of what `holder` returns; None if that is an array.
    storage_functions: if NumPy's allocator does not make its arrays, the functions that do what `holder`,
        `bytes_of` and `is_view` do, built in: engine c counts its arrays by the first's, weakly referenced.
    builtins: functions, built in, that do for its arrays alone what those of the namespace do. By the name of
        a record, with its operands; "sum" and "mean" of an array, an axis or axes and keepdims, and
        "broadcast_to" of an array and a shape.
    kernels: the object whose functions, by name, are for what NumPy has no name for (tensorlib.networks).
    elements: how its arrays' elements are stored elsewhere (checkpoint.driver.spill.elements), or None.
    is_apart: whether its arrays have the default library's dtypes and may not stand beside its arrays.
    plain: how users make one of its arrays of one of a subclass, for messages.
    kinds: for dtypes that have no attribute `kind`, NumPy's letter for it: f, c, b, i, u, or O for others.
    """

    holder_type: type | None = None
    storage_functions: tuple[Any, Any, Any] | None = None
    builtins: Mapping[str, Any] = MappingProxyType({})
    kernels: Any = None
    facts: frozenset[str] = frozenset()
    operator: str = ""
    written_in: str | None = None
    is_apart = False
    elements: Any = None
    plain = "numpy.asarray(x)"

    def __init__(
        self,
        name: str,
        namespace: Any,
        types: tuple[type, ...],
        kinds: Mapping[Any, str] | None = None,
    ) -> None:
        self.name = name
        self.namespace = namespace
        self.types = types
        self.kinds = kinds or {}
        self.methods: dict[str, Any] = {}
        self.aliases: dict[str, str] = {}
        self.lacking: frozenset[str] = frozenset()
        self.instead: dict[str, str] = {}

    def operator_of(self, function: Any) -> Any:
        """Return a function of its own as a LibraryOperator; None for one that it does not apply so."""
        return None

    def method(self, name: str) -> Any:
        """Return what a method that is not NumPy's is: as in `methods`, or a LibraryOperator."""
        return self.methods.get(name)

    @abstractmethod
    def holder(self, data: Any) -> Any:
        """Return the object that holds the elements of an array; views of the same elements have the same."""

    def holders(self, datas: Sequence[Any]) -> list[Any]:
        """Return `holder` of each of many arrays."""
        return [self.holder(data) for data in datas]

    @abstractmethod
    def is_view(self, data: Any) -> bool:
        """Return whether an array may show the elements of another one."""

    @abstractmethod
    def bytes_of(self, holder: Any) -> int:
        """Return the bytes of the elements in an object that `holder` has returned."""

    def entered(self, data: Any) -> Any:
        """Return the array that stands for one from outside in a program; TypeError for one that cannot.

        A library whose arrays do not stand for themselves tells `noticed` of both.
        """
        return data

    def device_of(self, data: Any) -> Any:
        """Return what names the device that has an array's elements; None if the library knows only one."""
        return None

    def zeros_beside(self, data: Any, shape: Any, dtype: Any) -> Any:
        """Return new zeros of a shape and dtype, on the device that has an array's elements."""
        return self.namespace.zeros(shape, dtype)

    def one_beside(self, data: Any) -> Any:
        """Return a new 1 of an array's dtype, of shape (), on the device that has the array's elements."""
        made = self.zeros_beside(data, (), data.dtype)
        made[...] = 1
        return made

    def all_entered(self, datas: Collection[Any]) -> Collection[Any]:
        """Return `entered` of each of many arrays."""
        return datas if type(self).entered is ArrayLibrary.entered else list(map(self.entered, datas))

    def on_host(self, data: Any) -> Any:
        """Return an array's elements as an array of the default library, which shares none of them."""
        raise TypeError(f"arrays of {self.name} cannot be made those of another library")

    def received(self, data: Any, dtype: Any, device: Any) -> Any:
        """Return an array of this library or another one as one of this, of a dtype, on a device.

        None leaves the dtype or the device as it is.
        """
        raise TypeError(f"arrays of {self.name} have no other dtype or device here")

    def devices(self) -> tuple[str, ...]:
        """Return the names of the devices here, besides the host, that can have the library's arrays."""
        return ()

    def parked(self, data: Any) -> Any:
        """Return a copy in the host's memory of an array on a device, from where it comes back soon."""
        return self.received(data, None, HOST)

    def read_only_copy(self, data: Any) -> Any:
        """Return a read-only copy of an array that is read-only; None for any other."""
        return None

    def dtype_of(self, value: Any) -> Any:
        """Return the dtype that an object of the library, or a class of numbers, denotes; None for others."""
        return None

    def content(self, data: Any) -> bytes:
        """Return the bytes of an array's elements, in their order."""
        return bytes(data.tobytes())

    def version(self, data: Any) -> Any:
        """Return what is another one once the elements were changed in place; None where nothing knows."""
        return None

    def modes(self) -> tuple[str, ...]:
        """Return, in words, the settings on which results depend, where they are not the usual ones."""
        return ()

    def remembered(self) -> Callable[[], None]:
        """Return a function that puts the settings of the library back to what they are now."""
        return _nothing

    def silently(self) -> AbstractContextManager[Any]:
        """Return a context in which the library neither warns nor records derivatives of its own."""
        return nullcontext()


def _nothing() -> None:
    """Do nothing."""


libraries: dict[type, ArrayLibrary] = {}  # by the type of an array
holders: dict[type, ArrayLibrary] = {}  # by the type of what `holder` returns
namespaces: dict[type, Any] = {}  # by the type of an array: its library's functions
defaults: list[Any] = []  # its only item: the functions to use where no operand is an array
installed: list[ArrayLibrary] = []
with_settings: list[ArrayLibrary] = []  # those that have settings to remember
lacking: set[str] = set()  # the names of the records that some library lacks
storages: dict[type, tuple[Any, Any, Any]] = {}  # by the type of an array: its library's storage_functions
# By the names of a library's `builtins`, and by its namespace: the function.
builtins: dict[str, dict[Any, Any]] = {name: {} for name in ("sum", "mean", "broadcast_to")}
# By a dtype of another library than the default one, or by a library that is apart: its functions.
of_dtypes: dict[Any, Any] = {}
kernels: dict[Any, Any] = {}  # by a library's namespace: the object that has its kernels
# Where somebody asks for it: by the identity of an array that stands in a program for one from outside, both.
noticed: ContextVar[dict[int, tuple[Any, Any]] | None] = ContextVar("checkpoint.noticed", default=None)
kinds: dict[Any, str] = {}  # by a dtype without an attribute `kind`: NumPy's letter for it


def install(library: ArrayLibrary) -> None:
    """Let programs hold a library's arrays."""
    installed.append(library)
    if type(library).remembered is not ArrayLibrary.remembered:
        with_settings.append(library)
    kinds.update(library.kinds)
    kernels[library.namespace] = library.kernels
    for name, function in library.builtins.items():
        builtins_of(name)[library.namespace] = function
    of_dtypes.update(dict.fromkeys(library.kinds, library.namespace))
    if library.is_apart:
        of_dtypes[library] = library.namespace
    for kind in library.types:
        libraries[kind] = library
        namespaces[kind] = library.namespace
        if library.storage_functions is not None:
            storages[kind] = library.storage_functions
        holders[kind if library.holder_type is None else library.holder_type] = library


def lacks(library: ArrayLibrary, records: Iterable[str]) -> None:
    """Note that these records do not work on a library's arrays."""
    library.lacking = frozenset(records)
    lacking.update(library.lacking)


def kernel(functions: Any, name: str) -> Any:
    """Return the kernel of the library that has these functions; None if it has none of that name."""
    return getattr(kernels.get(functions), name, None)


def builtins_of(name: str) -> dict[Any, Any]:
    """Return the built-in functions of a name by namespace; those of libraries installed later join."""
    return builtins.setdefault(name, {})


def modes() -> tuple[str, ...]:
    """Return the unusual settings of all libraries on which results depend, in words."""
    return tuple([mode for library in installed for mode in library.modes()])


def remembered() -> Callable[[], None]:
    """Return a function that puts the settings of all libraries back to what they are now."""
    restorers = [library.remembered() for library in with_settings]

    def restore() -> None:
        for each in restorers:
            each()

    return restore


def library_of(data: Any) -> ArrayLibrary:
    """Return the library of an array; KeyError for anything else."""
    return libraries[type(data)]


def namespace_of(data: Any) -> Any:
    """Return the functions of an array's library."""
    return namespaces[type(data)]


def namespace(datas: Sequence[Any]) -> Any:
    """Return the functions of the first array's library in a sequence, or of what has an array's dtype.

    Without either return the default ones. Raise RunError if arrays of two libraries are among them.
    """
    found = None
    for data in datas:
        kind = type(data)
        if kind in _NO_ARRAYS:
            continue
        own = namespaces.get(kind)
        if own is None or (found is not None and own is not found):
            return _namespace_of_several(datas) if of_dtypes else _first_namespace(datas)
        found = own
    return defaults[0] if found is None else found


def _first_namespace(datas: Sequence[Any]) -> Any:
    found = (namespaces.get(type(data)) for data in datas)
    return next((each for each in found if each is not None), defaults[0])


def _namespace_of_several(datas: Sequence[Any]) -> Any:
    """Do what `namespace` does where arrays may be of several libraries, and look into lists and tuples.

    One number of the default library stands beside the arrays of any library, as Python's numbers do.
    """
    pending = list(datas)
    for data in pending:
        if isinstance(data, (list, tuple)):
            pending += data
    found = [each for each in pending if type(each) in libraries]
    if len(set(map(type, found))) == 1:
        return namespaces[type(found[0])]
    arrays = [each for each in found if not _is_plain_number(each)] or found
    met = {id(libraries[type(each)].namespace): libraries[type(each)] for each in arrays}
    if len(met) > 1:
        first, second = (library.name for library in list(met.values())[:2])
        raise RunError(
            f"arrays of {first} and of {second} in one operation: convert one of them, before the call or "
            f"outside of the function"
        )
    if met:
        return namespaces[type(arrays[0])]
    known = (of_dtypes.get(getattr(data, "dtype", None)) for data in datas)
    return next((each for each in known if each is not None), defaults[0])


def is_default(data: Any) -> bool:
    """Return whether an array is one of the default library."""
    return namespaces[type(data)] is defaults[0]


def _is_plain_number(data: Any) -> bool:
    return tuple(data.shape) == () and namespaces[type(data)] is defaults[0]


def namespace_of_dtype(dtype: Any) -> Any:
    """Return the functions of the library that has a dtype."""
    return of_dtypes.get(dtype, defaults[0])


def functions_for(record: str, datas: Sequence[Any]) -> Any:
    """Return `namespace` for the operands of a record; RunError if it does not work on these arrays."""
    found = namespace(datas)
    if record in lacking and found is not defaults[0]:
        library = next(each for each in installed if each.namespace is found)
        if record in library.lacking:
            name = record.replace("ndarray.", "the method ")
            raise RunError(
                f"{name} has no rule for arrays of {library.name} here: write it with functions that have "
                f"one, or make it a step of its own, checkpoint.primitive"
            )
    return found


def as_dtype(data: Any, dtype: Any) -> Any:
    """Return an array of another dtype, or a NumPy scalar."""
    return data.astype(dtype) if hasattr(data, "astype") else namespace_of(data).astype(data, dtype)


def zeros_beside(data: Any, shape: Any, dtype: Any) -> Any:
    """Return new zeros of a shape and dtype, on the device that has an array's elements."""
    library = libraries.get(type(data))
    if library is None:  # a number, or only the form of an array
        return namespace_of_dtype(dtype).zeros(shape, dtype)
    return library.zeros_beside(data, shape, dtype)


def dtype_kind(dtype: Any) -> str:
    """Return NumPy's letter for the kind of a library's dtype."""
    kind = kinds.get(dtype)
    return str(dtype.kind) if kind is None else kind


def holds_numbers(data: Any) -> bool:
    """Return whether an array is of numbers or booleans; no others are values of a program."""
    return dtype_kind(data.dtype) in ARRAY_KINDS


def library_of_all(datas: Iterable[Any], letters: str) -> ArrayLibrary | None:
    """Return the library of arrays, all of one type and of dtypes of these kinds; None for anything else."""
    types = set(map(type, datas))
    library = libraries.get(types.pop()) if len(types) == 1 else None
    if library is not None and any(dtype_kind(each) not in letters for each in set(map(_DTYPE, datas))):
        return None
    return library


def holder_of(data: Any) -> Any:
    """Return the object that holds the elements of an array."""
    return libraries[type(data)].holder(data)


def is_view(data: Any) -> bool:
    """Return whether another array, or another object, has the elements of an array."""
    return libraries[type(data)].is_view(data)


def held_bytes(data: Any) -> int:
    """Return the bytes of all elements that the object has which holds an array's."""
    library = libraries[type(data)]
    return library.bytes_of(library.holder(data))


def read_only_copy(data: Any) -> Any:
    """Return a read-only copy of an array that is read-only; None for any other object."""
    library = libraries.get(type(data))
    return None if library is None else library.read_only_copy(data)


def shares(view: Any, data: Any) -> bool:
    """Return whether an array is another one, a view of it, or a view of the same elements."""
    if type(view) is not type(data):
        return False
    holder = libraries[type(view)].holder
    return bool(holder(view) is holder(data))
