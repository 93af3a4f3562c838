"""Formulas of rotations by quaternions (x, y, z, w), one in each row: derivatives are taken of these.

Where SciPy's last step adds a constant, such as a full turn, it is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_DEGREE = np.pi / 180.0


def normalised(q: Any, scalar_first: Any) -> Any:
    """Return unit quaternions."""
    if scalar_first:
        q = np.roll(q, -1, axis=-1)
    return q / np.sqrt(np.sum(q * q, axis=-1))[:, None]


def product(p: Any, q: Any) -> Any:
    """Return the products of quaternions: the second rotation comes first."""
    x, y, z, w = p[:, 0], p[:, 1], p[:, 2], p[:, 3]
    a, b, c, d = q[:, 0], q[:, 1], q[:, 2], q[:, 3]
    parts = [
        w * a + d * x + y * c - z * b,
        w * b + d * y + z * a - x * c,
        w * c + d * z + x * b - y * a,
        w * d - x * a - y * b - z * c,
    ]
    return np.stack(parts, axis=-1)


def _orthogonal(matrix: Any) -> Any:
    """Return the rotations nearest to matrices, by Newton's steps."""
    for _ in range(8):
        matrix = 0.5 * (matrix + np.swapaxes(np.linalg.inv(matrix), -1, -2))
    return matrix


def of_matrix(matrix: Any, assume_valid: Any) -> Any:
    """Return the quaternions of matrices, of which the nearest rotations are taken."""
    m = matrix if assume_valid else _orthogonal(matrix)
    rows = []
    for k in range(len(m)):
        rows.append(_of_one(m[k]))
    return normalised(np.stack(rows), False)


def _of_one(m: Any) -> Any:
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    sizes = [float(m[0, 0]), float(m[1, 1]), float(m[2, 2]), float(trace)]
    best = sizes.index(max(sizes))
    if best == 3:
        return np.stack([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1.0 + trace])
    i, j, k = best, (best + 1) % 3, (best + 2) % 3
    parts = {
        i: 1.0 - trace + 2.0 * m[i, i],
        j: m[j, i] + m[i, j],
        k: m[k, i] + m[i, k],
    }
    return np.stack([parts[0], parts[1], parts[2], m[k, j] - m[j, k]])


def of_rotvec(rotvec: Any, degrees: Any) -> Any:
    """Return the quaternions of rotation vectors."""
    rotvec = rotvec * _DEGREE if degrees else rotvec
    square = np.sum(rotvec * rotvec, axis=-1)
    small = square <= 1e-6
    angle = np.sqrt(np.where(small, 1.0, square))
    scale = np.where(small, 0.5 - square / 48.0 + square * square / 3840.0, np.sin(angle / 2.0) / angle)
    w = np.where(small, 1.0 - square / 8.0 + square * square / 384.0, np.cos(angle / 2.0))
    return np.concatenate([scale[:, None] * rotvec, w[:, None]], axis=-1)


def of_euler(seq: Any, angles: Any, degrees: Any) -> Any:
    """Return the quaternions of angles about axes: about those of the body where they are capital letters."""
    angles = angles * _DEGREE if degrees else angles
    is_intrinsic, axes = seq == seq.upper(), seq.lower()
    total = _about(axes[0], angles[:, 0])
    for i in range(1, len(axes)):
        turn = _about(axes[i], angles[:, i])
        total = product(total, turn) if is_intrinsic else product(turn, total)
    return total


def _about(axis: Any, angle: Any) -> Any:
    sine = np.sin(angle / 2.0)
    zero = 0.0 * sine
    parts = [sine if axis == each else zero for each in "xyz"]
    return np.stack([*parts, np.cos(angle / 2.0)], axis=-1)


def of_mrp(mrp: Any) -> Any:
    """Return the quaternions of modified Rodrigues parameters."""
    square = np.sum(mrp * mrp, axis=-1)[:, None]
    return np.concatenate([2.0 * mrp, 1.0 - square], axis=-1) / (1.0 + square)


def _upper(q: Any) -> Any:
    """Return the quaternions of the same rotations whose last part is not negative."""
    return np.where(q[:, 3:] < 0.0, -q, q)


def quaternions(q: Any, canonical: Any, scalar_first: Any) -> Any:
    """Return quaternions in an order; canonical: of two with the same rotation, the one SciPy chooses."""
    if canonical:
        x, y, z, w = q[:, 0], q[:, 1], q[:, 2], q[:, 3]
        first = np.where(x == 0.0, np.where(y == 0.0, z, y), x)
        deciding = np.where(w == 0.0, first, w)
        q = np.where(deciding[:, None] < 0.0, -q, q)
    return np.roll(q, 1, axis=-1) if scalar_first else q


def matrices(q: Any) -> Any:
    """Return the matrices of rotations."""
    x, y, z, w = q[:, 0], q[:, 1], q[:, 2], q[:, 3]
    rows = [
        [x * x - y * y - z * z + w * w, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), y * y - x * x - z * z + w * w, 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), z * z - x * x - y * y + w * w],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rotvecs(q: Any, degrees: Any) -> Any:
    """Return rotation vectors."""
    q = _upper(q)
    v, w = q[:, :3], q[:, 3]
    square = np.sum(v * v, axis=-1)
    small = square <= 2.5e-7
    sine = np.sqrt(np.where(small, 1.0, square))
    ratio = square / (w * w)
    near = 2.0 / w * (1.0 - ratio / 3.0 + ratio * ratio / 5.0)
    scale = np.where(small, near, 2.0 * np.arctan2(sine, w) / sine)
    found = scale[:, None] * v
    return found / _DEGREE if degrees else found


def mrps(q: Any) -> Any:
    """Return modified Rodrigues parameters."""
    q = _upper(q)
    return q[:, :3] / (1.0 + q[:, 3:])


def magnitudes(q: Any) -> Any:
    """Return the angles of rotations."""
    return 2.0 * np.arctan2(np.sqrt(np.sum(q[:, :3] ** 2, axis=-1)), np.abs(q[:, 3]))


def eulers(q: Any, seq: Any, degrees: Any) -> Any:
    """Return angles about axes (Bernardes and Viollet 2022), of which SciPy's differ by constants."""
    is_intrinsic, axes = seq == seq.upper(), seq.lower()
    order = ["xyz".index(axis) for axis in (axes[::-1] if is_intrinsic else axes)]
    i, j, k = order
    is_symmetric = i == k
    if is_symmetric:
        k = 3 - i - j
    sign = (i - j) * (j - k) * (k - i) // 2
    if is_symmetric:
        a, b, c, d = q[:, 3], q[:, i], q[:, j], q[:, k] * sign
    else:
        a, b = q[:, 3] - q[:, j], q[:, i] + q[:, k] * sign
        c, d = q[:, j] + q[:, 3], q[:, k] * sign - q[:, i]
    middle = 2.0 * np.arctan2(np.sqrt(c * c + d * d), np.sqrt(a * a + b * b))
    half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
    first, last = half_sum - half_difference, half_sum + half_difference
    if not is_symmetric:
        last, middle = last * sign, middle - np.pi / 2.0
    parts = [last, middle, first] if is_intrinsic else [first, middle, last]
    found = np.stack(parts, axis=-1)
    return found / _DEGREE if degrees else found


def applied(q: Any, vectors: Any, inverse: Any) -> Any:
    """Return rotated vectors."""
    turns = matrices(q)
    turns = np.swapaxes(turns, -1, -2) if inverse else turns
    return np.sum(turns * vectors[:, None, :], axis=-1)


def power(q: Any, n: Any) -> Any:
    """Return powers of rotations."""
    return of_rotvec(rotvecs(q, False) * n, False)
