"""Graphs of ONNX, made for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from checkpoint import Network
from checkpoint.functions.networks import network_of

SET = 21


def graph(
    nodes: Sequence[Any], inputs: Sequence[str], outputs: Sequence[str], arrays: Mapping[str, Any] = {}
) -> Any:
    """Return a graph of nodes; its values have no declared shapes."""
    return helper.make_graph(
        list(nodes),
        "net",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in arrays.items()],
    )


def model(
    nodes: Sequence[Any],
    inputs: Sequence[str],
    outputs: Sequence[str],
    arrays: Mapping[str, Any] = {},
    version: int = SET,
) -> Any:
    """Return a model of nodes."""
    made = helper.make_model(
        graph(nodes, inputs, outputs, arrays), opset_imports=[helper.make_opsetid("", version)]
    )
    made.ir_version = 10
    return made


def network(*parts: Any, **options: Any) -> Network:
    """Return the program of a model of nodes."""
    return network_of(model(*parts, **options), "net.onnx")


def node(operator: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    """Return a node; inputs, outputs: names with spaces between them, `-` for one that is left out."""
    names = [[name.strip("-") for name in each.split()] for each in (inputs, outputs)]
    return helper.make_node(operator, *names, **attributes)
