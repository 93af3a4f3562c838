"""Calls of foreign modules as autograd records them, and their reversals.

In: the operands of a call. Out: what the call leaves, and the Graph that autograd has recorded, with which
cotangents are computed as often as they are wanted; the module does not run again for that.

Every call is recorded, whether its graph is kept or not: PyTorch's kernels may depend on it, and values have
the same bits on a tape and off it. What autograd saves for the reversal is in `saved`, where a tape counts
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from operator import attrgetter
from typing import Any

import torch

from checkpoint.torch.derivatives import ARGUMENTS, PARAMETERS, Operands, cotangents_of, numbers_in
from checkpoint.torch.foreign import Outcome, with_tensors


class Graph:
    """The graph of one call.

    by: the operands, with the leaves of the graph. results: the numbers that the call leaves, in their order.
    saved: the tensors that autograd has saved, without a history, as far as `hooks` has shown them. PyTorch's
        nodes refer to this list, not to the Graph, which refers to them: there is no cycle.
    """

    __slots__ = ("_versions", "by", "results", "saved")

    def __init__(self, by: Operands) -> None:
        self.by = by
        self.results: list[Any] = []
        self.saved: list[Any] = []
        self._versions: list[int] = []

    def hooks(self) -> Any:
        """Return a context in which what autograd saves is put into `saved`."""
        saved, save, note = self.saved, self.saved.append, self._versions.append

        def pack(x: Any) -> int:  # PyTorch saves no inference tensors, which have no version
            kept = x.detach()
            save(kept)
            note(kept._version)
            return len(saved) - 1

        return torch.autograd.graph.saved_tensors_hooks(pack, saved.__getitem__)

    @property
    def is_sound(self) -> bool:
        """Return whether what autograd saved is unchanged, which PyTorch does not check of hooks."""
        return [x._version for x in self.saved] == self._versions

    def cotangents(self, wanted: Sequence[int], cotangent: Sequence[Any]) -> list[Any]:
        """Return the cotangents of the operands at the positions `wanted`, for those of the results."""
        return cotangents_of(self.by, wanted, self.results, cotangent, retain_graph=True)


def left_by(operands: Operands, is_first: bool = True) -> Outcome:
    """Return what a call leaves, without a history. is_first: as in ForeignModule.outcome."""
    with torch.enable_grad():
        return _plain(_outcome(_recorded(operands), is_first))


def recorded(operands: Operands, lists: bool = True) -> tuple[Outcome, Graph | None]:
    """Return what a call leaves, and its graph; None where that cannot be relied on.

    lists: whether the graph lists the tensors that autograd has saved. It takes some 2 us for each.
    """
    graph = Graph(_recorded(operands))
    with torch.enable_grad(), graph.hooks() if lists else nullcontext():
        outcome = _outcome(graph.by)
    graph.results = list(numbers_in((outcome.value, outcome.buffers)))
    has_history = any(x.requires_grad for x in outcome.buffers)  # which the reversal refuses
    return _plain(outcome), graph if graph.is_sound and not has_history else None


def _recorded(operands: Operands) -> Operands:
    return operands.recorded((PARAMETERS, ARGUMENTS))


def _outcome(by: Operands, is_first: bool = True) -> Outcome:
    """Return what a call leaves; where it changes a leaf, which autograd refuses, the error that says so."""
    module = by.along.module
    try:
        return module.outcome(by.call, is_first)
    except RuntimeError as error:
        if "leaf Variable" not in str(error):
            raise
        with torch.no_grad():
            return module.outcome(by.call, is_first)


def _plain(outcome: Outcome) -> Outcome:
    """Return an outcome without a history; PyTorch counts its changes apart, as the run undoes its own."""
    value = with_tensors(outcome.value, _DATA)
    return Outcome(value, outcome.changed, tuple(map(_DATA, outcome.buffers)))


_DATA = attrgetter("data")
