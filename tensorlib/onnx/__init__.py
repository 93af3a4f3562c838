"""The operators of ONNX, as functions of arrays: one for each, in the module of its topic.

Most are written in Python with NumPy's names and those of tensorlib.networks, and translated where a graph
uses them, so that their derivatives are those of what they call. To add one, write the function: its
parameters are the inputs of the node, its keywords the attributes, with ONNX's default values.

    @onnx_operator("Softsign")
    def softsign(x):
        return x / (1.0 + np.abs(x))

Importing this package registers all (checkpoint.lang.onnx.operators).
"""

from __future__ import annotations

from tensorlib.onnx import (
    elementwise,
    indexing,
    linear,
    normalising,
    pooling,
    recurrent,
    reducing,
    resizing,
    sequences,
    shapes,
)

__all__ = [
    "elementwise",
    "indexing",
    "linear",
    "normalising",
    "pooling",
    "recurrent",
    "reducing",
    "resizing",
    "sequences",
    "shapes",
]
