"""Write a graph of ONNX as the text of a Python function: one call of an operator's function for each node.

In: a Graph (model.py). Out: a Written: the text, and what its names mean. If, Loop and Scan are Python's own
`if` and loops. Operands that decide shapes are numbers and lists, literals where they are constant. Arrays of
the file are parameters if they hold floating-point numbers and some node computes with them; all others are
constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType
from typing import Any

from checkpoint.ad import graph_operators
from checkpoint.ad.graph_operators import Operator
from checkpoint.errors import SourceError
from checkpoint.lang.onnx.control import CONTROL_FLOW
from checkpoint.lang.onnx.model import Graph, Node
from checkpoint.lang.onnx.text import Text, literal

PARAMETERS = "parameters"


@dataclass(frozen=True, slots=True)
class Written:
    """A graph as a text.

    name: of its function. meanings: what the text's global names are. parameters: the default ones, by the
    names of the graph.
    """

    name: str
    text: str
    meanings: dict[str, Any]
    parameters: dict[str, Any]


def write(graph: Graph) -> Written:
    """Return a graph as the text of a function; raise SourceError for an operator that the table lacks."""
    import numpy  # noqa: ICN001, PLC0415  (who reads a graph has it)

    parameters = _parameters(graph)
    text = Text({"np": numpy, PARAMETERS: parameters})
    function = text.names.fresh(graph.name or "graph")
    inputs = [text.bind(name) for name in graph.inputs]
    with text.inside(f"def {function}({', '.join([*inputs, '*', f'{PARAMETERS}={PARAMETERS}'])}):"):
        if inputs:
            text.write_place(inputs[0])
        for name in parameters:
            read = text.placed(f"{PARAMETERS}[{name!r}]")
            text.line(f"{text.bind(name)} = {read}")
        _write_body(text, graph)
        results = [text.operand(name) for name in graph.outputs]
        text.line(f"return {results[0] if len(results) == 1 else '(' + ', '.join(results) + ')'}")
    return Written(function, "\n".join(text.lines) + "\n", text.meanings, parameters)


def _parameters(graph: Graph) -> dict[str, Any]:
    """Return the arrays of the outermost graph that some node computes with, and that can have derivatives."""
    used = set(graph.outputs)
    for each in graph.walk():
        for node in each.nodes:
            used.update(_computed_with(node))
        used.update(each.outputs)
    return {name: array for name, array in graph.arrays.items() if array.dtype.kind == "f" and name in used}


def _computed_with(node: Node) -> list[str]:
    """Return the inputs of a node that are not only numbers which decide shapes."""
    operator = graph_operators.find(node.operator, node.version)
    if operator is None:
        return list(node.inputs)
    return [
        name for i, name in enumerate(node.inputs) if operator.input_name(i) not in operator.structural
    ]


def _write_body(text: Text, graph: Graph) -> None:
    """Write the nodes of a graph."""
    for name, array in graph.arrays.items():
        if name not in text.values:
            text.bind_array(name, array)
    for node in graph.nodes:
        _write_node(text, node)


def _write_node(text: Text, node: Node) -> None:
    if node.operator == "Constant":
        text.bind_array(node.outputs[0], _constant(node))
    elif node.operator in CONTROL_FLOW:
        CONTROL_FLOW[node.operator](text, node, lambda graph: _write_body(text, graph))
    else:
        _write_call(text, node, _operator(node))


def _constant(node: Node) -> Any:
    """Return the array that a node of operator Constant makes."""
    import numpy  # noqa: ICN001, PLC0415

    (kind, value), *_ = node.attributes.items()
    if kind == "value":
        return value
    if kind in ("value_float", "value_floats"):
        return numpy.array(value, dtype=numpy.float32)
    if kind in ("value_int", "value_ints"):
        return numpy.array(value, dtype=numpy.int64)
    raise SourceError(f"{node.shown()}: a constant of texts or a sparse one has no counterpart here")


def _operator(node: Node) -> Operator:
    """Return the operator of a node; raise SourceError for one that cannot be written."""
    found = graph_operators.find(node.operator, node.version)
    if found is None:
        others = graph_operators.operators.get(node.operator)
        known = f", only in sets {others[0].since} to {others[0].until}" if others else ""
        raise SourceError(
            f"{node.shown()} has an operator that is not supported{known}: to add it, write its function in "
            "tensorlib/onnx"
        )
    for name in node.attributes:
        if name not in found.keywords or name == "outputs":
            raise SourceError(f"{node.shown()} has an attribute {name!r}, which is not supported")
    for i, name in enumerate(node.inputs):
        if name and not found.input_name(i):
            raise SourceError(f"{node.shown()} has more than {len(found.inputs)} inputs, which is not supported")
    return found


def _write_call(text: Text, node: Node, operator: Operator) -> None:
    """Write the call of an operator's function, and name its results."""
    names = [operator.input_name(i) for i in range(len(node.inputs))]
    computed = [
        given
        for given, name in zip(node.inputs, names, strict=True)
        if given and name not in operator.structural
    ]
    are_on_host = text.are_on_host(computed)
    is_plain = not isinstance(operator.function, FunctionType)  # and so takes numbers for arrays

    def operand(given: str, name: str) -> str:
        if name in operator.structural:
            return text.number(given)
        if given and is_plain and not are_on_host and text.is_scalar(given):
            return literal(text.values[given].array.item())
        return text.operand(given, not are_on_host)

    passed = [operand(given, name) for given, name in zip(node.inputs, names, strict=True)]
    while passed and passed[-1] == "None":
        passed.pop()
    outputs = list(node.outputs)
    while outputs and not outputs[-1]:
        outputs.pop()
    for name, value in node.attributes.items():
        passed.append(f"{name}={_attribute(text, value)}")
    if operator.returns_tuple:
        passed.append(f"outputs={len(outputs)}")
    is_host = operator.shows_shape or are_on_host
    targets = ", ".join([text.bind(name, is_host) for name in outputs])
    comma = "," if operator.returns_tuple and len(outputs) == 1 else ""
    line = f"{targets}{comma} = {_named(text, operator)}({', '.join(passed)})"
    text.line(f"{line}  # {node.name}" if node.name else line)


def _attribute(text: Text, value: Any) -> str:
    """Return the text of an attribute; an array gets a global name."""
    if not hasattr(value, "dtype"):
        return literal(value)
    name = text.names.fresh("array")
    text.meanings[name] = value
    return name


def _named(text: Text, operator: Operator) -> str:
    """Return a global name for an operator's function."""
    for name in (operator.name, f"{operator.name}_{operator.since}"):
        plain = name.replace(".", "_")
        if text.meanings.setdefault(plain, operator.function) is operator.function:
            return plain
    return text.names.fresh(operator.name)


