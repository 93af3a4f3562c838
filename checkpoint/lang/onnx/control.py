"""If, Loop and Scan of a graph, as Python's own `if` and loops.

Each function writes one node: text is what it writes to, body writes the nodes of a graph inside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.errors import SourceError
from checkpoint.lang.onnx.model import Graph, Node
from checkpoint.lang.onnx.text import Text

Body = Callable[[Graph], None]


def write_if(text: Text, node: Node, body: Body) -> None:
    """Write a choice between two graphs, both without inputs."""
    branches = [node.attributes["then_branch"], node.attributes["else_branch"]]
    targets = [text.names.fresh(name or "unused") for name in node.outputs]
    are_host = [True] * len(targets)
    for head, graph in zip((f"if {text.operand(node.inputs[0])}:", "else:"), branches, strict=True):
        with text.inside(head):
            body(graph)
            for i, name in enumerate(graph.outputs[: len(targets)]):
                are_host[i] = are_host[i] and text.value(name).is_host
                text.line(f"{targets[i]} = {text.operand(name)}")
    _note(text, node.outputs, targets, are_host)


def write_loop(text: Text, node: Node, body: Body) -> None:
    """Write a loop of at most so many iterations while a condition holds, with states and rows of results."""
    graph: Graph = node.attributes["body"]
    limit, condition, *initial = (*node.inputs, *[""] * (2 - len(node.inputs)))
    count = len(initial)
    states = _states(text, graph.inputs[2:], initial)
    rows = _rows(text, graph.outputs[1 + count :])
    i, keeps = text.names.fresh("i"), text.names.fresh("keeps")
    tests = [f"{i} < {text.number(limit)}"] if limit else []
    tests += [keeps] if condition else []  # without a first one no condition counts
    text.line(f"{i} = 0")
    text.line(f"{keeps} = {text.operand(condition) if condition else True}")
    with text.inside(f"while {' and '.join(tests) or True}:"):
        _enter(text, graph.inputs[2:], states, initial)
        iteration = text.bind(graph.inputs[0], is_host=True)
        text.line(f"{iteration} = np.array({i})")
        text.line(f"{text.bind(graph.inputs[1], is_host=True)} = {keeps}")
        body(graph)
        for name, row in zip(graph.outputs[1 + count :], rows, strict=True):
            text.line(f"{row}.append({text.operand(name)})")
        nexts = [text.operand(name) for name in (graph.outputs[0], *graph.outputs[1 : 1 + count])]
        text.line(f"{', '.join([keeps, *states])} = {', '.join(nexts)}")
        text.line(f"{i} = {i} + 1")
    _note(text, node.outputs, states, [text.value(name).is_host for name in initial])
    for name, row in zip(node.outputs[count:], rows, strict=False):
        text.line(f"{text.bind(name)} = np.stack({row})")


def write_scan(text: Text, node: Node, body: Body) -> None:
    """Write a loop over the slices of arrays, with states and rows of results."""
    if node.version < 9:
        raise SourceError(f"{node.shown()}: batches of loops are not supported: export with a newer set")
    graph: Graph = node.attributes["body"]
    taken = node.attributes["num_scan_inputs"]
    count = len(node.inputs) - taken
    initial, arrays = node.inputs[:count], [text.operand(name) for name in node.inputs[count:]]
    states = _states(text, graph.inputs[:count], initial)
    rows = _rows(text, graph.outputs[count:])
    axes = node.attributes.get("scan_input_axes", [0] * taken)
    backward = node.attributes.get("scan_input_directions", [0] * taken)
    length = f"{arrays[0]}.shape[{axes[0]}]"
    i = text.names.fresh("i")
    with text.inside(f"for {i} in range({length}):"):
        _enter(text, graph.inputs[:count], states, initial)
        for j, name in enumerate(graph.inputs[count:]):
            at = f"{length} - 1 - {i}" if backward[j] else i
            is_host = text.value(node.inputs[count + j]).is_host
            text.line(f"{text.bind(name, is_host)} = np.take({arrays[j]}, {at}, axis={axes[j]})")
        body(graph)
        for name, row in zip(graph.outputs[count:], rows, strict=True):
            text.line(f"{row}.append({text.operand(name)})")
        if states:
            nexts = [text.operand(name) for name in graph.outputs[:count]]
            text.line(f"{', '.join(states)} = {', '.join(nexts)}")
    _note(text, node.outputs, states, [text.value(name).is_host for name in initial])
    _write_rows(text, node, rows, count)


def _write_rows(text: Text, node: Node, rows: list[str], count: int) -> None:
    axes: Any = node.attributes.get("scan_output_axes", [0] * len(rows))
    backward: Any = node.attributes.get("scan_output_directions", [0] * len(rows))
    for name, row, axis, is_backward in zip(node.outputs[count:], rows, axes, backward, strict=False):
        items = f"{row}[::-1]" if is_backward else row
        text.line(f"{text.bind(name)} = np.stack({items}, axis={axis})")


def _states(text: Text, names: tuple[str, ...], initial: Any) -> list[str]:
    """Write the first states of a loop, and return their identifiers."""
    found = []
    for name, given in zip(names, initial, strict=True):
        state = text.names.fresh(name)
        text.line(f"{state} = {text.operand(given)}")
        found.append(state)
    return found


def _rows(text: Text, names: tuple[str, ...]) -> list[str]:
    """Write an empty list for each row of results, and return their identifiers."""
    found = [text.names.fresh(f"{name}_row") for name in names]
    for row in found:
        text.line(f"{row} = []")
    return found


def _enter(text: Text, names: tuple[str, ...], states: list[str], initial: Any) -> None:
    """Name the states as the graph inside of a loop does."""
    are_host = [text.value(given).is_host for given in initial]
    _note(text, names, states, are_host)


def _note(text: Text, names: tuple[str, ...], texts: list[str], are_host: list[bool]) -> None:
    for name, found, is_host in zip(names, texts, are_host, strict=False):
        if name:
            text.name(name, found, is_host)


CONTROL_FLOW: dict[str, Callable[[Text, Node, Body], None]] = {
    "If": write_if,
    "Loop": write_loop,
    "Scan": write_scan,
}
