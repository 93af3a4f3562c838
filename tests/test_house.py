"""The rules of the house that a linter does not know: one-way imports, short files, documented functions."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import checkpoint

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 400
MOST_FILES = 25  # of a folder

# Each may import those before it. A package stands for all its modules; "" is checkpoint/__init__.py.
ORDER = (
    "dataclass", "hashing", "errors", "locks", "recursion", "collector", "control_groups", "cores", "config",
    "scalars", "ad", "lang", "driver", "prims", "cps", "interp", "ctarget", "engines", "watch", "functions",
    "durable", "workers", "api", "control", "torch", "jax", "", "cli", "__main__",
)  # fmt: skip


# The one table that names modules by strings: array libraries depend on the runtime, which loads them.
LOADER = "checkpoint.ad.library"
# Modules that import what only their caller knows.
DYNAMIC = {
    LOADER: "its table",
    "checkpoint.ctarget.build": "what setup.py needs before there is a package",
    "checkpoint.cli.programs": "the module that a command names",
    "checkpoint.ctarget.library": "the compiled module",
    "checkpoint.lang.python.linking.linker": "what a program imports",
    "checkpoint.lang.python.linking.written": "what a function imports that a program calls",
}


def modules(folder: str) -> dict[str, Path]:
    """Return the modules of a package, by their dotted names."""
    found = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules("checkpoint")
ALL = MODULES | modules("tensorlib")
DOTTED = {name for name in ALL if "." in name}  # "checkpoint" alone is a word


@cache
def tree(module: str) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(ALL[module].read_text())


@cache
def imports(module: str) -> tuple[str, ...]:
    """Return the project's modules that a module names in any form: lazily, for types alone, as a string."""
    found = []
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name in ALL]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                target = inner if inner in ALL else node.module or ""
                if target in ALL:
                    found.append(target)
        elif isinstance(node, ast.Constant) and module != LOADER and node.value in DOTTED:
            found.append(str(node.value))
    return tuple(found)


def called(node: ast.Call) -> str:
    """Return the last name of what is called; "" where that is no name."""
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def test_modules_are_imported_by_statements() -> None:
    """A call imports no module of ours by name: a constant name there is that of another package."""
    wrong = []
    for module in ALL:
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.Call) and called(node).endswith(("import_module", "__import__")):
                name = node.args[0]
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    is_right = name.value.partition(".")[0] not in {"checkpoint", "tensorlib"}
                else:
                    is_right = module in DYNAMIC
                wrong += [] if is_right else [f"{module} imports {ast.unparse(name)}"]
    assert not wrong


def place(module: str) -> int:
    """Return the place of a module in the order of imports."""
    part = module.partition(".")[2].partition(".")[0]
    assert part in ORDER, f"{module} has no place in the order of imports (tests/test_house.py)"
    return ORDER.index(part)


def test_imports_go_one_way() -> None:
    pairs = [(module, target) for module in MODULES for target in imports(module)]
    assert not [f"{module} imports {target}" for module, target in pairs if place(target) > place(module)]


def test_what_tensorlib_knows_of_the_runtime() -> None:
    allowed = ("checkpoint.ad.", "checkpoint.prims.arrays", "checkpoint.scalars", "checkpoint.errors")
    for module in ALL.keys() - MODULES.keys():
        for target in imports(module):
            assert target.startswith((*allowed, "tensorlib")), f"{module} imports {target}"
    for module in MODULES:
        assert "tensorlib" not in {target.partition(".")[0] for target in imports(module)}, module


def test_no_cycle_of_imports() -> None:
    waiting = {module: set(imports(module)) - {module} for module in ALL}
    while waiting:
        free = [module for module, targets in waiting.items() if not targets & waiting.keys()]
        assert free, f"a cycle of imports among {sorted(waiting)}"
        for module in free:
            del waiting[module]


def test_files_are_short() -> None:
    for folder in ("checkpoint", "ctemplates", "tensorlib", "tests"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".c", ".h", ".py", ".vlad"}:
                lines = len(path.read_text().splitlines())
                assert lines <= LONGEST_FILE, f"{path.relative_to(ROOT)} has {lines} lines"


def test_files_of_c_say_what_they_are() -> None:
    for path in filter(Path.is_file, (ROOT / "ctemplates").rglob("*")):
        assert path.read_text().startswith("/* "), f"{path.name} does not say what comes in and goes out"


def test_c_loses_no_exception() -> None:
    """Expect one place that clears exceptions, and raises again what ends a program (memory/exceptions.h)."""
    files = [path for path in (ROOT / "ctemplates").rglob("*.[ch]") if "PyErr_Clear" in path.read_text()]
    assert [path.name for path in files] == ["exceptions.c"]


def undocumented(module: str) -> list[str]:
    """Return what has no docstring, of a module and its public functions."""
    top = tree(module)
    found = [module] if top.body and not ast.get_docstring(top) else []
    for node in top.body:
        # A single statement may speak for itself.
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and len(node.body) > 1:
            found += [] if ast.get_docstring(node) else [f"{module}.{node.name}"]
    return found


def test_public_functions_are_documented() -> None:
    assert not [name for module in MODULES for name in undocumented(module)]


WITH_EXAMPLES = [module for module, path in MODULES.items() if ">>>" in path.read_text()]


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples_in_docstrings_run(module: str) -> None:
    if module.startswith(("checkpoint.torch", "checkpoint.jax")):
        pytest.importorskip(module.split(".")[1])
    if module == "checkpoint.prims.arrays_drawing":
        pytest.importorskip("torch")
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(importlib.import_module(module)):
        if test.examples:
            runner.run(test)
    assert runner.summarize().failed == 0


def test_what_users_import_is_documented() -> None:
    for name in checkpoint.__all__:
        thing = getattr(checkpoint, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, f"checkpoint.{name} has no docstring"


# Folders of ctemplates/: a file includes only files of its own folder and of those before it.
LAYERS = (
    "program", "memory", "threads", "scalars", "accumulators", "state", "containers", "derivatives",
    "natives", "bridge", "numpy", "by_name", "arrays", "lanes", "control", "tasks", "unit_arrays",
    "array_steps", "foreign", "machine", "reversal", "driver", "operators", "api", "at_once", "alone",
)  # fmt: skip


def c_files() -> dict[str, set[str]]:
    """Return the files of ctemplates/ by their paths there, and the files there that each includes."""
    root = ROOT / "ctemplates"
    return {
        str(path.relative_to(root)): set(re.findall(r'^#\s*include "(.+)"', path.read_text(), re.MULTILINE))
        for path in root.rglob("*.*")
    }


def test_includes_of_c_go_down() -> None:
    for file, included in c_files().items():
        folder = LAYERS.index(file.partition("/")[0])
        for other in included:
            assert LAYERS.index(other.partition("/")[0]) <= folder, f"ctemplates/{file} includes {other}"


def test_no_cycle_of_includes_of_c() -> None:
    """A header and the source beside it are one: what includes the header depends on the source."""
    waiting: dict[str, set[str]] = {}
    for file, included in c_files().items():
        name = file.partition(".")[0]
        waiting.setdefault(name, set()).update({other.partition(".")[0] for other in included} - {name})
    while waiting:
        free = [name for name, targets in waiting.items() if not targets & waiting.keys()]
        assert free, f"a cycle of includes among {sorted(waiting)}"
        for name in free:
            del waiting[name]


def test_functions_of_c_are_declared_in_the_header_beside_them() -> None:
    """The test above sees every dependency of a source on another one."""
    defined = re.compile(
        r"^(?!static\b|typedef\b|NATIVE\b)[A-Za-z_][\w *]*?\b(\w+)\([^;{}()]*\)\s*\{", re.MULTILINE
    )
    included = c_files()
    for path in (ROOT / "ctemplates").rglob("*.c"):
        header = path.with_suffix(".h").read_text()
        if (
            path.parent.name == "alone"
        ):  # it has in place of Python what the headers that its own includes declare
            others = included[f"alone/{path.stem}.h"]
            header += "".join([(ROOT / "ctemplates" / other).read_text() for other in others])
        text = re.sub(r"/\*.*?\*/|^#.*?[^\\]$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        for name in defined.findall(text):
            assert re.search(rf"\b{name}\(", header), f"{path.name}: {name} is not in {path.stem}.h"


def test_folders_are_small() -> None:
    for top in ("checkpoint", "tensorlib", "ctemplates"):
        files = [path for path in (ROOT / top).rglob("*.*") if path.suffix in {".py", ".c", ".h", ".def"}]
        for folder, count in Counter(path.parent for path in files).items():
            assert count <= MOST_FILES, f"{folder} has {count} files"


def test_no_marks_of_a_merge_are_left() -> None:
    marks = re.compile(r"^(<{7}|>{7})( |$)", re.MULTILINE)
    folders = ("checkpoint", "ctemplates", "tensorlib", "tests", "experiments", "docs")
    for found in [ROOT.glob("*.md"), *((ROOT / folder).rglob("*") for folder in folders)]:
        for path in found:
            if path.suffix in {".c", ".h", ".py", ".vlad", ".md"}:
                assert not marks.search(path.read_text()), f"{path.relative_to(ROOT)} has marks of a merge"
