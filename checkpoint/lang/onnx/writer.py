"""Write a graph of ONNX as the text of a Python function: one call of an operator's function for each node.

In: a Graph (model.py). Out: a Written: the text, and what its names mean. If, Loop and Scan are Python's own
`if` and loops. Operands that decide shapes are numbers and lists, literals where they are constant. Arrays of
the file are parameters if they hold floating-point numbers and some node computes with them; all others are
constants. The nodes of a long graph are divided among several functions, of the values that they need.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.errors import SourceError
from checkpoint.lang.onnx import operators
from checkpoint.lang.onnx.control import CONTROL_FLOW
from checkpoint.lang.onnx.model import Graph, Node
from checkpoint.lang.onnx.operators import Operator
from checkpoint.lang.onnx.text import Text, literal

PARAMETERS = "parameters"
_LONGEST = 300  # nodes of one function: the front end recurses over the statements of one


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
    import numpy  # noqa: PLC0415  (who reads a graph has it)

    parameters = _parameters(graph)
    text = Text({"np": numpy, PARAMETERS: parameters})
    function = text.names.fresh(graph.name or "graph")
    inputs = [text.bind(name) for name in graph.inputs]
    if inputs:
        text.name_place()
    _bind_arrays(text, graph, parameters)
    calls = _write_parts(text, graph, parameters) if len(graph.nodes) > _LONGEST else None
    with text.inside(f"def {function}({', '.join([*inputs, '*', f'{PARAMETERS}={PARAMETERS}'])}):"):
        if inputs:
            text.write_place(inputs[0])
        if calls is None:
            _write_nodes(text, graph.nodes, parameters, graph.outputs)
        for call in calls or ():
            text.line(call)
        text.line(f"return {_together([text.operand(name) for name in graph.outputs])}")
    return Written(function, "\n".join(text.lines) + "\n", text.meanings, parameters)


def _together(expressions: list[str]) -> str:
    """Return one expression, or the tuple of several."""
    return expressions[0] if len(expressions) == 1 else f"({', '.join(expressions)})"


def _bind_arrays(text: Text, graph: Graph, parameters: dict[str, Any]) -> None:
    """Name the arrays of a graph: parameters are read by the function that needs them, others are global."""
    for name, array in graph.arrays.items():
        if name in parameters:
            text.bind(name)
        elif name not in text.values:
            text.bind_array(name, array)


def _write_parts(text: Text, graph: Graph, parameters: dict[str, Any]) -> list[str]:
    """Write the nodes of a long graph as several functions, and return the statements that call them."""
    nodes, calls = graph.nodes, []
    parts = [nodes[i : i + _LONGEST] for i in range(0, len(nodes), _LONGEST)]
    needed: list[set[str]] = [set(graph.outputs)]  # by parts, from the last: the names that later ones use
    for part in reversed(parts):
        needed.append(needed[-1].union(*map(_names_in, part)))
    made = set(graph.inputs)
    for part, later in zip(parts, reversed(needed[:-1]), strict=True):
        function = text.names.fresh(f"{graph.name or 'graph'}_part")
        used = set().union(*map(_names_in, part))
        fresh = {name for node in part for name in node.outputs if name}
        passed = [*text.place_names(), *[text.value(name).text for name in sorted(used & made)], PARAMETERS]
        outs = sorted(name for name in fresh & later)
        with text.lasting(f"def {function}({', '.join(passed)}):"):
            _write_nodes(text, part, parameters, ())
            outs = [name for name in outs if text.values[name].array is None]
            text.line(f"return {_together([text.value(name).text for name in outs])}")
        made |= set(outs)
        calls.append(
            f"{', '.join([text.value(name).text for name in outs])} = {function}({', '.join(passed)})"
        )
    return calls


def _names_in(node: Node) -> set[str]:
    """Return the names that a node and the graphs inside of it use."""
    found = set(node.inputs)
    for value in node.attributes.values():
        if isinstance(value, Graph):
            for inner in value.walk():
                found.update(inner.outputs, *[each.inputs for each in inner.nodes])
    return found


def _write_nodes(
    text: Text, nodes: tuple[Node, ...], parameters: dict[str, Any], further: tuple[str, ...]
) -> None:
    """Write nodes, after the parameters that they use, and those among further names."""
    used = set(further).union(*map(_names_in, nodes))
    for name in parameters:
        if name in used:
            read = text.placed(f"{PARAMETERS}[{name!r}]")
            text.line(f"{text.value(name).text} = {read}")
    for node in nodes:
        _write_node(text, node)


def _parameters(graph: Graph) -> dict[str, Any]:
    """Return the arrays of the outermost graph that some node computes with and that have derivatives."""
    used = set(graph.outputs)
    for each in graph.walk():
        for node in each.nodes:
            used.update(_computed_with(node))
        used.update(each.outputs)
    return {name: array for name, array in graph.arrays.items() if array.dtype.kind == "f" and name in used}


def _computed_with(node: Node) -> list[str]:
    """Return the inputs of a node that are not only numbers which decide shapes."""
    operator = operators.find(node.operator, node.version)
    if operator is None:
        return list(node.inputs)
    return [name for i, name in enumerate(node.inputs) if operator.input_name(i) not in operator.structural]


def _write_body(text: Text, graph: Graph) -> None:
    """Write the nodes of a graph inside of a node."""
    _bind_arrays(text, graph, {})
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
    import numpy  # noqa: PLC0415

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
    found = operators.find(node.operator, node.version)
    if found is None:
        others = operators.OPERATORS.get(node.operator)
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
            raise SourceError(
                f"{node.shown()} has more than {len(found.inputs)} inputs, which is not supported"
            )
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
