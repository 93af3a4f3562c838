"""`checkpoint doctor`: what there is here, what is not, and why not.

In: the names of the engines to tell of. Out: lines of text. Nothing here fails because something is missing.
"""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterable, Iterator

from checkpoint import engines
from checkpoint.config import SettingError, kernels, threads, translation
from checkpoint.ctarget.library import built_with, kept_pages
from checkpoint.driver import memory

# What each package is for.
_PACKAGES = {
    "numpy": "arrays",
    "scipy": "functions of SciPy",
    "optree": "nests of arguments",
    "psutil": "what memory is free",
    "tqdm": "progress bars",
    "matplotlib": "pictures",
    "cffi": "calls of C",
    "platformdirs": "the user's folders",
}


def report(names: Iterable[str]) -> Iterator[str]:
    """Return the lines of the report on these engines."""
    yield f"checkpoint {version()}"
    yield f"Python {platform.python_version()} ({platform.python_implementation()})"
    yield platform.platform()
    reasons = engines.available()
    for name in names:
        reason = reasons[name]
        yield f"engine {name}: {'available' if reason is None else f'not available: {reason}'}"
        if name == "c" and reason is None:
            yield f"engine c was built by: {built_with()}"
    yield f"C compiler: {_compiler()}"
    if reasons.get("c") is None:
        yield from _translation()
        yield f"threads: {_threads()}"
        yield f"pages of tapes: {_pages()}"
    yield f"memory: {_memory()}"
    yield f"functions of networks on NumPy's arrays: {_kernels()}"
    for name, use in _PACKAGES.items():
        found = _version_of(name)
        yield f"{use}: {f'{name} {found}' if found else f'not available: {name} is not installed'}"


def version() -> str:
    """Return the version of the installed package; a source tree without installation has none."""
    return _version_of("checkpoint-ad") or "(not installed)"


def _version_of(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _memory() -> str:
    """Return how much memory is free to this process, and how much of it a gradient takes by default."""
    try:
        free, default = memory.free(), memory.resolve(None)
    except ImportError:
        return "not looked at: psutil is not installed"
    except SettingError as error:
        return error.message
    return f"{memory.written(free)} free to this process, {memory.written(default)} for a gradient by default"


def _kernels() -> str:
    """Return whose functions of networks work on NumPy's arrays."""
    try:
        chosen = kernels()
    except SettingError as error:
        return error.message
    if chosen == "numpy":
        return "the package's own"
    found = _version_of("torch")
    return (
        f"PyTorch's, torch {found} (CHECKPOINT_KERNELS=pytorch)"
        if found
        else "PyTorch's, which is not installed"
    )


def _translation() -> Iterator[str]:
    """Return when the engine in C has runs translated, its compiler, and the folder of its cache."""
    modes = {
        "background": "in the background, while a run goes on",
        "wait": "at once, while the run waits (CHECKPOINT_JIT=wait)",
        "off": "off (CHECKPOINT_JIT=off)",
    }
    try:
        yield f"translation to C: {modes[translation()]}"
    except SettingError as error:
        yield f"translation to C: {error.message}"
    # Local, since both need packages that may be missing.
    from checkpoint.ctarget.translate.compile import cache, compilation  # noqa: PLC0415

    yield f"its compiler: {compilation.described()}"
    yield f"its folder: {cache.described()}"


def _threads() -> str:
    """Return how many cores a run may use."""
    try:
        count = threads()
    except SettingError as error:
        return error.message
    return f"lanes of vmap run on {'one core' if count == 1 else f'up to {count} cores'} (CHECKPOINT_THREADS)"


def _pages() -> str:
    """Return how much memory of freed tapes stays with the process."""
    now, most = kept_pages()
    if not most:
        return "none stay with a process"
    kept = f"up to {memory.written(most)} stay with a process, most until the system needs them"
    return f"{kept}, {memory.written(now)} in this one"


def _compiler() -> str:
    """Return the version line of the C compiler, or why there is none."""
    try:
        from checkpoint.ctarget.build import compiler  # noqa: PLC0415  (it needs cffi)
        from checkpoint.ctarget.translate.compile import processes  # noqa: PLC0415

        command = compiler()
    except ImportError:
        return "not looked for: cffi is not installed"
    if command is None:
        return "none; set CC to name one"
    try:
        return processes.first_line([*command, "--version"])
    except processes.CompilationError as error:
        return str(error)
