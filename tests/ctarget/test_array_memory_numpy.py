"""The counter of NumPy arrays' bytes: NumPy's table of functions, handlers of others, processes that end."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from checkpoint.ctarget import library

np = pytest.importorskip("numpy", reason="NumPy is not installed")

from tests.ctarget.counters import COUNTER, UMATH, Counter, counting, handler_name  # noqa: E402

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

ROOT = Path(__file__).parents[2]


def test_places_in_numpys_table() -> None:
    """The table indices in the source are those of NumPy's own header."""
    header = Path(np.get_include(), "numpy", "__multiarray_api.h").read_text(encoding="utf-8")
    header = re.sub(r"\\\n\s*", " ", header)
    places = dict(re.findall(r"#define (\w+)\s+\(\*\(.*\)\s*PyArray_API\[(\d+)\]\)", header))
    source = (ROOT / "ctemplates" / "numpy" / "numpy_interface.h").read_text(encoding="utf-8")
    names = {
        "GET_ABI_VERSION": "PyArray_GetNDArrayCVersion",
        "ARRAY_TYPE": "PyArray_Type",
        "GET_DTYPE": "PyArray_DescrFromType",
        "NEW_ARRAY": "PyArray_NewFromDescr",
        "ZEROS": "PyArray_Zeros",
        "GET_FEATURE_VERSION": "PyArray_GetNDArrayCFeatureVersion",
        "SET_BASE": "PyArray_SetBaseObject",
        "SET_HANDLER": "PyDataMem_SetHandler",
        "GET_HANDLER": "PyDataMem_GetHandler",
    }
    for ours, numpys in names.items():
        assert re.search(rf"\b{ours} = (\d+)", source)[1] == places[numpys]  # type: ignore[index]


class Layout(ctypes.Structure):
    """NumpyArray of ctemplates/numpy/numpy_interface.h, without the head of all objects of Python."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("axes", ctypes.c_int),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("base", ctypes.c_void_p),
        ("dtype", ctypes.c_void_p),
        ("flags", ctypes.c_int),
    )


class DtypeLayout(ctypes.Structure):
    """NumpyDtype, without the head."""

    _fields_ = (
        ("scalar", ctypes.c_void_p),
        *[(name, ctypes.c_char) for name in ("kind", "letter", "order", "unused")],
        ("number", ctypes.c_int),
        ("flags", ctypes.c_uint64),
        ("size", ctypes.c_ssize_t),
    )


def test_layout_of_numpys_arrays() -> None:
    """An array and its dtype begin as the source says."""
    whole = np.zeros((2, 3, 4), np.float32)
    for array, base in ((whole, None), (whole[:, 1:], id(whole)), (np.zeros((), complex), None)):
        found = Layout.from_address(id(array) + object.__basicsize__)
        assert tuple(found.shape[: found.axes]) == array.shape
        assert tuple(found.strides[: found.axes]) == array.strides
        assert (found.base, found.dtype, found.data) == (base, id(array.dtype), array.ctypes.data)
        assert found.flags == array.flags.num
        dtype = DtypeLayout.from_address(id(array.dtype) + object.__basicsize__)
        assert (dtype.kind.decode(), dtype.letter.decode()) == (array.dtype.kind, array.dtype.char)
        assert (dtype.order, dtype.size) == (b"=", array.itemsize)


def capsule_of(memory: Any, name: bytes | None) -> Any:
    """Return a capsule of the address; memory and name must outlive it."""
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(ctypes.addressof(memory), name, None)


class Table:
    """A module like NumPy's, with a table of functions that gives these versions."""

    def __init__(self, abi: int, features: int) -> None:
        version = ctypes.CFUNCTYPE(ctypes.c_uint)
        self.functions = {0: version(lambda: abi), 211: version(lambda: features)}
        self.table = (ctypes.c_void_p * 400)()
        for at, function in self.functions.items():
            self.table[at] = ctypes.cast(function, ctypes.c_void_p).value
        self.module = ModuleType(UMATH)
        self.module.__dict__["_ARRAY_API"] = capsule_of(self.table, None)


@pytest.mark.parametrize(
    ("abi", "features"), [(0x01000009, 0x11), (0x02000000, 0x11), (0x03000000, 0x30)], ids=hex
)
def test_another_numpy_is_left_alone(monkeypatch: pytest.MonkeyPatch, abi: int, features: int) -> None:
    """A NumPy of another version is not called: the other pointers of its table are null here."""
    table = Table(abi, features)
    monkeypatch.setitem(sys.modules, UMATH, table.module)
    assert not Counter().exists


@pytest.mark.parametrize("api", [None, 1, "missing"])
def test_no_table_at_all(monkeypatch: pytest.MonkeyPatch, api: object) -> None:
    module = ModuleType(UMATH)
    if api != "missing":
        module.__dict__["_ARRAY_API"] = api
    monkeypatch.setitem(sys.modules, UMATH, module)
    assert not Counter().exists


# A handler that is not ours


POINTER, SIZE = ctypes.c_void_p, ctypes.c_size_t
TAKE = ctypes.PYFUNCTYPE(POINTER, POINTER, SIZE)
TAKE_ZEROED = ctypes.PYFUNCTYPE(POINTER, POINTER, SIZE, SIZE)
RESIZE = ctypes.PYFUNCTYPE(POINTER, POINTER, POINTER, SIZE)
GIVE = ctypes.PYFUNCTYPE(None, POINTER, POINTER, SIZE)


class Handler(ctypes.Structure):
    """PyDataMem_Handler of numpy/ndarraytypes.h."""

    _fields_ = (
        *(("name", ctypes.c_char * 127), ("version", ctypes.c_uint8), ("context", POINTER)),
        *(("take", TAKE), ("take_zeroed", TAKE_ZEROED), ("resize", RESIZE), ("give", GIVE)),
    )


class Users:
    """A handler that hands out blocks of libc, records each call, and refuses when it is `full`."""

    NAME = b"mem_handler"

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.full = False
        libc = ctypes.CDLL(None)
        self.libc = {name: getattr(libc, name) for name in ("malloc", "calloc", "realloc", "free")}
        for function in self.libc.values():
            function.restype = POINTER
        self.handler = Handler(
            *(b"users", 1, 77),
            TAKE(lambda context, size: self.asked("malloc", context, SIZE(size))),
            TAKE_ZEROED(
                lambda context, count, size: self.asked("calloc", context, SIZE(1), SIZE(count * size))
            ),
            RESIZE(lambda context, block, size: self.asked("realloc", context, POINTER(block), SIZE(size))),
            GIVE(self.given),
        )
        self.capsule = capsule_of(self.handler, self.NAME)
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = POINTER, [ctypes.py_object, ctypes.c_char_p]
        table = ctypes.cast(get(sys.modules[UMATH].__dict__["_ARRAY_API"], None), ctypes.POINTER(POINTER))
        self.set = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[304])

    def asked(self, name: str, context: int, *arguments: Any) -> Any:
        assert context == 77
        block = None if self.full else self.libc[name](*arguments)
        self.calls.append((name, *(a.value for a in arguments), block))
        return block

    def given(self, context: int, block: int, size: int) -> None:
        self.calls.append(("free", block, size))
        self.libc["free"](POINTER(block))


def test_a_handler_of_the_user_goes_on() -> None:
    """The user's handler gets the same calls as without a counter, and is current again afterwards."""
    users = Users()
    before = users.set(users.capsule)
    try:
        with counting() as counter:
            a = np.empty(10)
            at = a.ctypes.data
            b = np.zeros(20)
            a.resize(1000, refcheck=False)
            assert handler_name(a) == COUNTER
            assert counter.live == a.nbytes + b.nbytes
            moved, other = a.ctypes.data, b.ctypes.data
            del b
            users.full = True
            with pytest.raises(MemoryError):
                np.empty(5)
            with pytest.raises(MemoryError):
                np.zeros(5)
            with pytest.raises(MemoryError):
                a.resize(2000, refcheck=False)
            users.full = False
            assert counter.live == a.nbytes == 8000
        assert handler_name() == "users"
        del a
    finally:
        users.set(before)
    assert users.calls == [
        ("malloc", 80, at),
        ("calloc", 1, 160, other),
        ("realloc", at, 8000, moved),
        ("free", other, 160),
        ("malloc", 40, None),
        ("calloc", 1, 40, None),
        ("realloc", moved, 16000, None),
        ("free", moved, 8000),
    ]


# Processes of their own


def python(text: str) -> str:
    """Return what a new Python prints; assert that it ends well and warns of nothing."""
    head = "from checkpoint.ctarget import library\nlib = library.runtime().lib\n"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", head + text],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_exit_with_live_arrays() -> None:
    """A process exits cleanly with live arrays of ended and active counters."""
    printed = python(
        "import sys, threading, numpy as np\n"
        "counter = lib.ck_array_memory_begin()\n"
        "sys.kept = [np.zeros(n) for n in (1, 1000, 10**6)]\n"
        "cycle = [np.zeros(10)]; cycle.append(cycle)\n"
        "lib.ck_array_memory_end(counter)\n"
        "still = lib.ck_array_memory_begin()\n"
        "np.kept = np.ones(5)\n"
        "local = threading.local(); local.kept = np.ones(7)\n"
        "print(lib.ck_array_memory_live(still))\n"
    )
    assert printed == "96\n"


def test_without_numpy() -> None:
    """Without NumPy, neither imported nor importable, there is nothing to count."""
    printed = python(
        "import sys\n"
        "sys.modules['numpy'] = None\n"
        f"print(lib.ck_array_memory_begin() == library.runtime().ffi.NULL, {UMATH!r} in sys.modules)\n"
        f"sys.modules[{UMATH!r}] = None\n"
        "print(lib.ck_array_memory_begin() == library.runtime().ffi.NULL)\n"
    )
    assert printed == "True False\nTrue\n"


def test_numpy_is_not_imported_for_this() -> None:
    printed = python(
        "import sys\n"
        "print(lib.ck_array_memory_begin() == library.runtime().ffi.NULL, 'numpy' in sys.modules)\n"
        "import numpy\n"
        "print(lib.ck_array_memory_begin() == library.runtime().ffi.NULL)\n"
    )
    assert printed == "True False\nFalse\n"
