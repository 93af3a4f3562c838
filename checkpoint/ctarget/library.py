"""The extension module of the C engine, loaded once, or the reason why it cannot be loaded.

In: checkpoint/ctarget/_runtime, or the module at the path in the environment variable CHECKPOINT_RUNTIME (the
hostile build). Out: `runtime()`, with its `ffi` and `lib`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from checkpoint import config
from checkpoint.scalars import formulas
from checkpoint.scalars.compiled import Formula, Kernels, Loop, Tree, by_c

NOT_BUILT = "it was not built: install checkpoint again where there are a C compiler and Python's headers"

ELSEWHERE = "C calls back into the main interpreter, and this is another one of its process"

_MODULE = "checkpoint.ctarget._runtime"


def reason() -> str | None:
    """Return why there is no C engine here; None if there is one."""
    loaded = _loaded()
    return loaded if isinstance(loaded, str) else None


def runtime() -> Any:
    """Return the module; call it only if `reason` is None."""
    return _loaded()


def built_with() -> str:
    """Return the compiler and the flags that the module was built with."""
    module = runtime()
    text: bytes = module.ffi.string(module.lib.ck_built_with())
    return text.decode()


def kept_pages() -> tuple[int, int]:
    """Return how many bytes of pages of tapes the process keeps for the next ones, and how many at most."""
    lib = runtime().lib
    return lib.ck_pages_kept(), lib.ck_pages_kept_at_most()


_threads: tuple[str, int | None] | None = None  # what their number depended on when it was last read


def use_threads() -> None:
    """Have strips of lanes, and formulas, run on as many cores as the settings say now."""
    global _threads  # noqa: PLW0603  (read at each run; set where it has changed)
    asked = config.threads_asked()
    if asked != _threads:
        runtime().lib.ck_set_threads(config.threads())
        _threads = asked


@cache
def _loaded() -> ModuleType | str:
    if not _is_main_interpreter():
        return ELSEWHERE
    path = os.environ.get("CHECKPOINT_RUNTIME")
    try:
        module = import_module(_MODULE) if path is None else _from_file(path)
    except ImportError as error:
        if sys.platform == "win32":
            return "there is none for Windows yet"
        if isinstance(error, ModuleNotFoundError):
            return NOT_BUILT
        return f"its module does not load: {error}"
    by_c.loop = _loop_of(module)
    by_c.formula, by_c.tree = _formulas_of(module)
    by_c.kernels = _kernels_of(module)
    return module


def _loop_of(module: ModuleType) -> Loop:
    """Return the values of scalar functions on many operands, by the module."""
    lib, ffi = module.lib, module.ffi
    none = lib.ck_scalar_number(b"")

    def loop(name: str, strict: bool, operands: Sequence[Any], result: Any) -> int | None:
        number = lib.ck_scalar_number(name.encode())
        if number == none:
            return None
        first, last = (ffi.from_buffer("double[]", operands[i]) for i in (0, -1))
        filled = ffi.from_buffer("double[]", result, require_writable=True)
        return int(lib.ck_scalar_loop(number, strict, len(filled), first, last, filled))

    return loop


def _formulas_of(module: ModuleType) -> tuple[Formula, Tree]:
    """Return the values of formulas on NumPy's arrays, and those of trees of pairs, by the module."""
    lib, ffi = module.lib, module.ffi

    def number(primitive: str) -> int:
        return int(lib.ck_scalar_number(primitive.encode()))

    @cache
    def code(text: str) -> tuple[Any, list[Any]]:
        parts = [ffi.new(kind, numbers) for kind, numbers in formulas.encoded(text, number)]
        return ffi.new("CodeOfFormula *", parts)[0], parts  # which it refers to

    def done(outcome: int) -> bool:
        if outcome == 1:
            raise formulas.NotFinite
        return outcome == 0

    def run(text: str, inputs: Sequence[Any], results: Sequence[Any]) -> bool:
        use_threads()  # a plan calls a formula without a run
        arrays = ffi.new("uintptr_t[]", [*map(id, inputs), *map(id, results)])
        return done(lib.ck_formula(code(text)[0], arrays))

    nothing = ffi.new("CodeOfFormula *")[0]

    def tree(text: str, pulled: str | None, columns: Sequence[Any]) -> bool:
        use_threads()
        arrays = ffi.new("uintptr_t[]", [*map(id, columns)])
        reversal = nothing if pulled is None else code(pulled)[0]
        return done(lib.ck_formula_tree(code(text)[0], reversal, arrays))

    return run, tree


def _kernels_of(module: ModuleType) -> Callable[[], Kernels]:
    """Return what returns NumPy's functions by kernels, by the module."""

    @cache
    def functions() -> Kernels:
        found: dict[str, Callable[..., Any]] = {}
        if not module.lib.ck_enter_functions(id(found)):
            return {}
        shared = found["total"]

        def total(row: Any) -> Any:
            use_threads()  # nothing else may have asked for the setting
            return shared(row)

        return {**found, "total": total}

    return functions


def _is_main_interpreter() -> bool:
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            interpreters = import_module(name)
        except ImportError:
            continue
        return bool(interpreters.get_current() == interpreters.get_main())
    return True


def _from_file(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"CHECKPOINT_RUNTIME={path} is no module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE] = module
    spec.loader.exec_module(module)
    return module
