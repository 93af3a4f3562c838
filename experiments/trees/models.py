"""A TreeLSTM over parse trees of files of Python's standard library, and the same recursion in PyTorch.

A tree is a tuple (kind, child, ...): the number of the class of a node of `ast`, and the trees of its
children. The network has a vector for each kind of node, a child-sum TreeLSTM, and a layer that tells from
the state of the root whether the file defines a class.
"""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np

from experiments.extras import needed
from tensorlib.networks import cross_entropy, linear, tree_lstm_cell

KINDS = sorted(name for name, cls in vars(ast).items() if isinstance(cls, type) and issubclass(cls, ast.AST))
NAMES = ("words", "w_iou", "u_iou", "b_iou", "w_f", "u_f", "b_f", "w_out", "b_out")
Tree = tuple[Any, ...]


def tree_of(node: ast.AST) -> Tree:
    """Return the tree of a node."""
    return (KINDS.index(type(node).__name__), *[tree_of(child) for child in ast.iter_child_nodes(node)])


def size(tree: Tree) -> int:
    """Return the number of nodes of a tree."""
    return 1 + sum(map(size, tree[1:]))


def trees(count: int, low: int, high: int) -> list[tuple[Tree, int]]:
    """Return trees of files of low to high nodes, evenly, and for each 1 if it defines a class, else 0."""
    found = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        tree = tree_of(module)
        if low <= size(tree) <= high:
            found.append((tree, int(any(isinstance(node, ast.ClassDef) for node in ast.walk(module)))))
    return [found[i * len(found) // count] for i in range(min(count, len(found)))]


def parameters(width: int, dtype: str) -> list[Any]:
    """Return the network's parameters, in the order of NAMES."""
    rng = np.random.default_rng(0)
    gates = 3 * width
    shapes = [(len(KINDS), width), (gates, width), (gates, width), (gates,), (width, width), (width, width)]
    shapes += [(width,), (2, width), (2,)]
    return [(rng.normal(size=shape) / np.sqrt(width)).astype(dtype) for shape in shapes]


def encoded(p: Any, tree: Tree) -> Any:
    """Return the states (h, c) of the root."""
    words, w_iou, u_iou, b_iou, w_f, u_f, b_f, _, _ = p
    children = [encoded(p, child) for child in tree[1:]]
    return tree_lstm_cell(words[tree[0]], children, w_iou, u_iou, b_iou, w_f, u_f, b_f)


def loss(p: Any, tree: Tree, label: Any) -> Any:
    """Return the cross entropy of whether the file defines a class."""
    h, _ = encoded(p, tree)
    return cross_entropy(linear(h, p[7], p[8]), label)


class Peer:
    """Computes the same network by the same recursion in PyTorch."""

    def __init__(self, values: list[Any]) -> None:
        with needed():
            import torch  # noqa: PLC0415  # only this experiment's peer needs it

        torch.set_num_threads(1)
        self.torch = torch
        self.parameters = [torch.tensor(value, requires_grad=True) for value in values]

    def encoded(self, tree: Tree) -> Any:
        functional, torch = self.torch.nn.functional, self.torch
        words, w_iou, u_iou, b_iou, w_f, u_f, b_f, _, _ = self.parameters
        children = [self.encoded(child) for child in tree[1:]]
        x = words[tree[0]]
        gates = functional.linear(x, w_iou, b_iou)
        if children:
            gates = gates + functional.linear(sum([h for h, _ in children[1:]], children[0][0]), u_iou)
        i, o, u = gates.chunk(3)
        c = torch.sigmoid(i) * torch.tanh(u)
        if children:
            forget = functional.linear(x, w_f, b_f)
            for h, kept in children:
                c = c + torch.sigmoid(forget + functional.linear(h, u_f)) * kept
        return torch.sigmoid(o) * torch.tanh(c), c

    def gradient(self, tree: Tree, label: int) -> tuple[float, list[Any]]:
        """Return the loss and its gradient by all parameters."""
        h, _ = self.encoded(tree)
        scores = self.torch.nn.functional.linear(h, *self.parameters[7:])
        value = self.torch.nn.functional.cross_entropy(scores, self.torch.tensor(label))
        return float(value.detach()), list(self.torch.autograd.grad(value, self.parameters))
