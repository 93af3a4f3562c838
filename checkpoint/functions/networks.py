"""Graphs of ONNX as functions of Python values.

In: the path of a file. Out: a Network, which is called like a Python function, inside of programs, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint.ad import library
from checkpoint.functions.python_functions import PythonFunction
from checkpoint.lang.python.source.wrappers import Wrapper

if TYPE_CHECKING:
    from pathlib import Path

    from checkpoint.lang.onnx.model import Graph


class Network(Wrapper):
    """A graph of ONNX as a program: a function of its inputs, and of parameters.

    Calling it runs it on the default engine. It may be differentiated, and called in functions that are.

    parameters: the graph's arrays of floating-point numbers, by name, as NumPy's. inputs, outputs: the names
    that the graph gives them. text: the Python function that it is.

    >>> net = checkpoint.read("net.onnx")  # doctest: +SKIP
    >>> y = net(x)  # doctest: +SKIP
    >>> loss = lambda p: ((net(x, parameters=p) - labels) ** 2).sum()  # doctest: +SKIP
    >>> checkpoint.grad(loss)(net.parameters)  # doctest: +SKIP
    """

    def __init__(self, graph: Graph, file: str) -> None:
        from checkpoint.lang.onnx.function import function_of  # noqa: PLC0415  (few programs are graphs)

        function, written = function_of(graph, file)
        super().__init__(function)
        self.name = written.name
        self.inputs, self.outputs = graph.inputs, graph.outputs
        self.parameters, self.text = written.parameters, written.text

    def __call__(self, *inputs: Any, **keywords: Any) -> Any:
        names = self.inputs if len(inputs) == len(self.inputs) else ()
        return PythonFunction(self.function).call(inputs, keywords, None, names).value()

    def __repr__(self) -> str:
        return f"<network {self.name} of {', '.join(self.inputs)}>"


def read_network(path: Path) -> Network:
    """Return the program of a file of ONNX; raise SourceError for what cannot be taken."""
    from checkpoint.lang.onnx.model import load_model  # noqa: PLC0415  (as above)

    return network_of(load_model(path), path.name)


def network_of(model: Any, file: str) -> Network:
    """Return the program of a ModelProto; file: the name that messages give it."""
    from checkpoint.lang.onnx.model import graph_of  # noqa: PLC0415  (as above)

    library.load("onnx")
    return Network(graph_of(model), file)
