"""Rotations of SciPy inside of programs: its values to the bit, derivatives by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import checkpoint
from checkpoint.errors import SourceError
from tests.scipy_programs.support import agrees

OUTSIDE = Rotation.from_euler("xyz", [[0.1, 0.2, 0.3]])
P = np.array([0.3, -0.5, 0.7, 0.2, 0.9])


def of_quaternions(p: Any) -> Any:
    stack = Rotation.from_quat(np.stack([p[:4], p[1:5]]))
    first = Rotation.from_quat(p[1:], scalar_first=True)
    return (Rotation.from_rotvec(p[:3]) * stack).as_matrix().sum(axis=(1, 2)) @ p[:2] + first.as_quat() @ p[
        :4
    ]


def of_angles(p: Any) -> Any:
    r = Rotation.from_euler("xyz", p[:3]) * Rotation.from_euler("ZYX", p[1:4] * 10, degrees=True)
    single = Rotation.from_euler("y", p[0]).as_rotvec(degrees=True)[1] * 0.01
    angles = r.as_euler("zyx") @ p[:3] + r.as_euler("ZXZ", degrees=True).sum() * 0.01
    return angles + single + r.magnitude() + r.as_mrp().sum() + Rotation.from_mrp(p[1:4]).as_quat().sum()


def applied(p: Any) -> Any:
    r = Rotation.from_rotvec(p[:3] * 20.0, degrees=True)
    turned = r.inv().apply([1.0, 2.0, 3.0]).sum() * p[4] + (r**0.3).apply(p[:3])[1]
    both = OUTSIDE.apply(np.stack([p[:3], p[1:4]]), inverse=True)
    return turned + both[1, 0] + (OUTSIDE * r)[0].as_rotvec() @ p[:3]


def small(p: Any) -> Any:
    """Near the identity, where formulas have series."""
    r = Rotation.from_rotvec(p[:3] * 1e-5)
    return (r.as_rotvec() @ p[1:4] + r.apply(p[:3])[0] + r.as_quat() @ p[:4]) * 10.0


def of_matrices(p: Any) -> Any:
    """A matrix that is no rotation: the nearest one is taken."""
    r = Rotation.from_matrix(np.eye(3) + 0.1 * np.outer(p[:3], p[1:4]))
    large = Rotation.from_matrix(Rotation.from_rotvec([3.0, p[0], 0.1]).as_matrix(), assume_valid=True)
    both = Rotation.concatenate([r, OUTSIDE, large])
    signs = both.as_quat(canonical=True, scalar_first=True) @ p[1:5]
    return signs @ p[:3] + r.as_quat() @ p[:4] + len(both)


def stacks(p: Any) -> Any:
    """Rows, parts, replaced rows; what rotations are instances of."""
    r = Rotation.from_rotvec(np.stack([p[:3], p[1:4], p[2:5]]))
    total = sum([each.apply(np.ones((2, 3))).sum() for each in r])
    r[1] = Rotation.from_rotvec(p[:3] * 0.5)
    kinds = isinstance(r, Rotation) + r.single + r[0].single + len(r.shape) + len(Rotation.identity(3))
    return total + (r[:-1] * r[1:]).as_rotvec().sum() * kinds


def between(p: Any) -> Any:
    s = Slerp([0.0, 1.0, 2.0], Rotation.from_rotvec(np.stack([p[:3], p[1:4], p[2:5]])))
    return s([0.3, 1.7]).as_rotvec().sum() + s(p[0]).magnitude()


@pytest.mark.parametrize("f", [of_quaternions, of_angles, applied, small, of_matrices, stacks, between])
def test_rotations(f: Any) -> None:
    agrees(f, P, rtol=1e-5, second=f is applied)


def turned(x: Any) -> Any:
    r, v = x
    return r.apply(v).sum(), r * r


def test_rotations_enter_and_leave() -> None:
    r, v = Rotation.from_rotvec([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 3.0])
    (total, twice), (rotation, slope) = checkpoint.vjp(turned, (r, v), (1.0, Rotation.identity()))
    assert total == r.apply(v).sum()
    np.testing.assert_array_equal(twice.as_quat(), (r * r).as_quat())
    np.testing.assert_allclose(slope, r.as_matrix().sum(axis=0))
    assert isinstance(rotation, Rotation)


def means(p: Any) -> Any:
    return Rotation.from_rotvec(np.stack([p[:3], p[1:4]])).mean().magnitude()


def test_what_is_left_out() -> None:
    with pytest.raises(SourceError, match="the mean of rotations has no rule here"):
        checkpoint.grad(means)(P)
