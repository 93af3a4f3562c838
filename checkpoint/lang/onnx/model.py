"""Read a file of ONNX: its graph as nodes with inputs, outputs and attributes of Python's and NumPy's.

In: the path of a file, or a ModelProto. Out: a Graph. What always holds: functions that the file defines are
written out at their calls, and so are operators that ONNX defines by others, unless the table has them
(checkpoint.lang.onnx.operators). The package onnx is imported when the first file is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.errors import RunError, SourceError
from checkpoint.lang.onnx import operators

WRITTEN = ("Constant", "If", "Loop", "Scan")  # what the writer writes itself
_OWN_DOMAINS = ("", "ai.onnx")
_ROUNDS = 8  # of writing out operators that others define, which may use further ones


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """One node of a graph.

    operator: its name, `domain.name` outside of ONNX's own domain. version: of the operator set. inputs,
    outputs: names of values; "" for one that is left out. attributes: numbers, texts, lists, arrays, Graphs.
    """

    name: str
    operator: str
    version: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]

    def shown(self) -> str:
        """Return the node as messages name it."""
        which = f"the node {self.name!r}" if self.name else f"the node that makes {self.outputs[0]!r}"
        return f"{which} ({self.operator}, operator set {self.version})"


@dataclass(frozen=True, eq=False, slots=True)
class Graph:
    """Nodes in an order in which they can run.

    inputs: names, without those of arrays of the graph. outputs: names. arrays: the values that the file has,
    by name.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    arrays: dict[str, Any]

    def walk(self) -> Iterator[Graph]:
        """Return the graph and all graphs inside of its nodes."""
        yield self
        for node in self.nodes:
            for value in node.attributes.values():
                if isinstance(value, Graph):
                    yield from value.walk()


def load_model(path: Path) -> Any:
    """Return the ModelProto of a file; raise SourceError for what cannot be taken."""
    try:
        import onnx  # noqa: PLC0415  (only who reads such a file needs it)
    except ImportError:
        raise RunError(
            f"reading {path.name} needs the package onnx: pip install 'checkpoint-ad[onnx]'"
        ) from None
    try:
        return onnx.load(path)
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from None
    except Exception as error:  # protobuf has several, in C, without a common class
        raise SourceError(f"{path}: not a model of ONNX ({error})") from None


def graph_of(model: Any) -> Graph:
    """Return the graph of a ModelProto."""
    model = _written_out(_copy(model))
    versions = {
        "" if each.domain in _OWN_DOMAINS else each.domain: each.version for each in model.opset_import
    }
    return _graph(model.graph, versions)


def _copy(model: Any) -> Any:
    import onnx  # noqa: PLC0415

    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return copy


# Functions


def _written_out(model: Any) -> Any:
    """Return a model without calls of functions, its own or those that define operators."""
    import onnx.inliner  # noqa: PLC0415

    for _ in range(_ROUNDS):
        known = {(each.domain, each.name) for each in model.functions}
        bodies = {}
        for node, version in _nodes(model):
            which = node.domain, node.op_type
            schema = None if which in known else _defined_by_others(node, version)
            if schema is not None:
                bodies[which] = _body(node, schema, version)
        if not known and not bodies:
            return model
        model.functions.extend(bodies.values())
        model = onnx.inliner.inline_local_functions(model)
    return model


def _nodes(model: Any) -> Iterator[tuple[Any, int]]:
    """Return all nodes of a model, and of the graphs in them, with the version of their operator set."""
    versions = {each.domain: each.version for each in model.opset_import}
    graphs = [model.graph]
    while graphs:
        for node in graphs.pop().node:
            yield node, versions.get(node.domain, versions.get("", 1))
            graphs += [each.g for each in node.attribute if each.HasField("g")]


def _defined_by_others(node: Any, version: int) -> Any:
    """Return the schema of an operator that the table lacks and ONNX defines by others; None for others."""
    import onnx.defs  # noqa: PLC0415

    name = _qualified(node)
    if name in WRITTEN or operators.find(name, version) is not None:
        return None
    try:
        schema = onnx.defs.get_schema(node.op_type, version, node.domain)
    except onnx.defs.SchemaError:
        return None
    return schema if schema.has_function else None


def _body(node: Any, schema: Any, version: int) -> Any:
    """Return the function by which ONNX defines an operator; its node gets the attributes that it lacks."""
    import onnx  # noqa: PLC0415

    given = {each.name for each in node.attribute}
    node.attribute.extend(
        [
            each.default_value
            for name, each in schema.attributes.items()
            if name not in given and each.default_value.name
        ]
    )
    body = onnx.FunctionProto()
    body.ParseFromString(schema.get_function_with_opset_version(version))
    body.name, body.domain = node.op_type, node.domain
    for each in body.opset_import:  # says that of the text, which holds in this version, too
        each.version = version if each.domain == node.domain else each.version
    return body


# Graphs


def _graph(proto: Any, versions: dict[str, int]) -> Graph:
    from onnx import numpy_helper  # noqa: PLC0415

    if proto.sparse_initializer:
        raise SourceError(f"the graph {proto.name} has sparse arrays: make them dense")
    arrays = {each.name: numpy_helper.to_array(each).copy() for each in proto.initializer}
    return Graph(
        proto.name,
        tuple([each.name for each in proto.input if each.name not in arrays]),
        tuple([each.name for each in proto.output]),
        tuple([_node(each, versions) for each in proto.node]),
        arrays,
    )


def _node(proto: Any, versions: dict[str, int]) -> Node:
    domain = "" if proto.domain in _OWN_DOMAINS else proto.domain
    return Node(
        proto.name,
        _qualified(proto),
        versions.get(domain, 1),
        tuple(proto.input),
        tuple(proto.output),
        {each.name: _attribute(each, proto, versions) for each in proto.attribute},
    )


def _qualified(proto: Any) -> str:
    return str(proto.op_type) if proto.domain in _OWN_DOMAINS else f"{proto.domain}.{proto.op_type}"


def _attribute(proto: Any, node: Any, versions: dict[str, int]) -> Any:
    """Return the value of an attribute as Python's or NumPy's."""
    from onnx import AttributeProto, helper, numpy_helper  # noqa: PLC0415

    value = helper.get_attribute_value(proto)
    if proto.type == AttributeProto.GRAPH:
        return _graph(value, versions)
    if proto.type == AttributeProto.TENSOR:
        return numpy_helper.to_array(value)
    if proto.type == AttributeProto.STRING:
        return value.decode()
    if proto.type == AttributeProto.STRINGS:
        return [each.decode() for each in value]
    if proto.type in (AttributeProto.INTS, AttributeProto.FLOATS):
        return list(value)
    if proto.type in (AttributeProto.INT, AttributeProto.FLOAT):
        return value
    raise SourceError(
        f"the node {proto.name or node.name!r} ({node.op_type}) has an attribute {proto.name!r} of a kind "
        "that has no counterpart here"
    )
