"""The table of functions of arrays by topic, as tensorlib/README.md has it: python -m tensorlib.table"""

from __future__ import annotations

import inspect
import sys

from checkpoint.ad.record import records
from checkpoint.ad.tensors import Tensor
from tensorlib import scipy_special
from tensorlib.linear import scipy_linalg

LATER = (scipy_linalg, scipy_special)  # importing the package imports all modules but these


def table() -> str:
    """Return a row for each module: what it is about, and the functions that its records are."""
    modules = [module for name, module in sorted(sys.modules.items()) if name.startswith("tensorlib.")]
    rows = ["| module | functions |", "| --- | --- |"]
    found = names()
    for module in modules:
        listed = ", ".join([f"`{name}`" for name in found.get(module.__name__, ())])
        if listed:
            topic = module.__name__.partition(".")[2]
            title = (module.__doc__ or "").partition("\n")[0].rstrip(".")
            path = topic.replace(".", "/")
            rows.append(f"| [{path}]({path}.py): {title[:1].lower()}{title[1:]} | {listed} |")
    return "\n".join(rows) + "\n"


def names() -> dict[str, list[str]]:
    """Return the names of the records that users see, by the module of the record's value."""
    found: dict[str, list[str]] = {}
    for name, record in sorted(records().items()):
        if isinstance(record, Tensor) and not is_hidden(record):
            module = inspect.unwrap(record.value).__module__
            found.setdefault(module, []).append(name)
    return found


def is_hidden(record: Tensor) -> bool:
    """Return whether it is a part of another one, or does the work of an operator or method."""
    return "/" in record.name[1:] or record.name.startswith(("py.", "ndarray.", "tensorlib.quotient"))


if __name__ == "__main__":
    print(table(), end="")
