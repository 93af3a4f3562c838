"""A graph of ONNX as a Python function whose text the front end finds.

In: a Graph. Out: the function, and what it was written as.
"""

from __future__ import annotations

import hashlib
import linecache
from collections.abc import Callable
from typing import Any

from checkpoint.lang.onnx.model import Graph
from checkpoint.lang.onnx.writer import Written, write


def function_of(graph: Graph, file: str) -> tuple[Callable[..., Any], Written]:
    """Return the function of a graph; file: the name that its places have in messages."""
    written = write(graph)
    mark = hashlib.sha256(written.text.encode()).hexdigest()[:8]
    name = f"<{file} {mark}>"
    linecache.cache[name] = (len(written.text), None, written.text.splitlines(True), name)
    module = {"__name__": "onnx_graph", **written.meanings}
    exec(compile(written.text, name, "exec"), module)  # the text is ours, made of literals and identifiers
    return module[written.name], written
