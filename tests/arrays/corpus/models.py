"""Small models from practice."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.arrays.corpus import Example, filled


def k_means(points: Any, centers: Any, steps: int) -> Any:
    """Centers move to the means of their points."""
    for _ in range(steps):
        d = ((points[:, None] - centers[None]) ** 2).sum(axis=2)
        nearest = np.argmin(d, axis=1)
        new = []
        for k in range(len(centers)):
            mine = points[nearest == k]
            new.append(mine.mean(axis=0) if len(mine) > 0 else centers[k])
        centers = np.array(new)
    return centers


def mixture(alphas: Any, means: Any, x: Any) -> Any:
    """The log likelihood of a mixture of Gaussians."""
    main = alphas[:, None] - 0.5 * (x[None, :] - means[:, None]) ** 2
    top = main.max(axis=0)
    terms = top + np.log(np.exp(main - top).sum(axis=0))
    return np.sum(terms) - len(x) * np.log(np.sum(np.exp(alphas)))


def rnn(w: Any, u: Any, xs: Any) -> Any:
    """A recurrent network with its outputs in an array."""
    h = np.zeros(w.shape[0])
    out = np.zeros((len(xs), w.shape[0]))
    for t in range(len(xs)):
        h = np.tanh(w @ h + u @ xs[t])
        out[t] = h
    return np.mean(out**2), out[-1]


def convolution(x: Any, k: Any) -> Any:
    """By loops over windows of a matrix."""
    n, m = x.shape[0] - k.shape[0] + 1, x.shape[1] - k.shape[1] + 1
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            out[i, j] = np.sum(x[i : i + k.shape[0], j : j + k.shape[1]] * k)
    return np.maximum(out, 0.0)


def projections(points: Any, camera: Any) -> Any:
    """Rodrigues' rotation and a radial distortion."""
    r, t, f = camera[:3], camera[3:6], camera[6]
    theta = np.sqrt(np.sum(r**2))
    axis = r / theta
    out = []
    for p in points:
        q = (
            p * np.cos(theta)
            + np.cross(axis, p) * np.sin(theta)
            + axis * (axis @ p) * (1.0 - np.cos(theta))
            + t
        )
        uv = q[:2] / q[2]
        out.append(f * uv * (1.0 + 0.1 * (uv @ uv)))
    return np.stack(out)


def viterbi_like(scores: Any, transitions: Any) -> Any:
    """The best path through a lattice, by dynamic programming."""
    best = scores[0]
    back = []
    for row in scores[1:]:
        table = best[:, None] + transitions
        back.append(np.argmax(table, axis=0))
        best = np.max(table, axis=0) + row
    state = int(np.argmax(best))
    path = [state]
    for pointers in reversed(back):
        state = int(pointers[state])
        path.append(state)
    return best.max(), path[::-1]


def conjugate_gradients(a: Any, b: Any) -> Any:
    """Stopped by the residual."""
    x, r = np.zeros_like(b), b.copy()
    p, rs = r, r @ r
    for _ in range(len(b)):
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        if np.sqrt(new) < 1e-9:
            break
        p, rs = r + (new / rs) * p, new
    return x


def verlet(q: Any, p: Any, steps: int) -> Any:
    """Three bodies on springs, the trajectory written into an array."""
    trajectory = np.empty((steps, len(q)))
    for t in range(steps):
        force = -q - 0.1 * q**3
        force[1:] += 0.5 * (q[:-1] - q[1:])
        force[:-1] += 0.5 * (q[1:] - q[:-1])
        p = p + 0.1 * force
        q = q + 0.1 * p
        trajectory[t, :] = q
    return trajectory, 0.5 * p @ p


def wave(u: Any, v: Any, steps: int) -> Any:
    """Two levels in time that change their roles."""
    old, now = u.copy(), v.copy()
    for _ in range(steps):
        new = np.zeros_like(now)
        new[1:-1] = 2.0 * now[1:-1] - old[1:-1] + 0.3 * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        old, now = now, new
    return now


A = filled(3, 3)

EXAMPLES = [
    Example(k_means, (filled(6, 2), filled(2, 2) + 0.1, 2)),
    Example(mixture, (filled(2), filled(2) * 2.0, filled(4))),
    Example(rnn, (filled(2, 2), filled(2, 3), filled(3, 3))),
    Example(convolution, (filled(4, 3), filled(2, 2))),
    Example(projections, (filled(2, 3) + np.array([0.0, 0.0, 5.0]), filled(7))),
    Example(viterbi_like, (filled(4, 3), filled(3, 3))),
    Example(conjugate_gradients, (A @ A.T + np.eye(3), filled(3))),
    Example(verlet, (filled(3), filled(3) + 0.5, 4)),
    Example(wave, (filled(5), filled(5) + 0.1, 3)),
]
