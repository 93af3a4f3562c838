"""Times of derivatives over times of objectives: a sparse Jacobian of a bundle adjustment, k-means, mixtures.

    python -m experiments.adbench.run [--cameras N --points N --observations N] [--mixtures "N,D,K ..."]

Question: how many times as long as the objective, by the fastest that computes it, do derivatives take?
Methods take turns; times of the processor, medians. Out: a table; with --keep a file of results.
"""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp

import checkpoint
from checkpoint.functions.resumption import as_function
from experiments import common
from experiments.adbench import mixture
from experiments.adbench.programs import (
    CAMERA,
    errors,
    observations,
    parts_of,
    ratings,
    residuals,
    sparse_spread,
    spread,
)

MIXTURES = ((1000, 2, 5), (1000, 10, 25), (1000, 20, 50), (1000, 32, 25), (10000, 10, 25))  # of ADBench's
ROWS = 2048  # that are put side by side at once
RATINGS = 6040, 3706, 1_000_209  # of the users, films and ratings of MovieLens 1M
Methods = dict[str, Callable[[], Any]]


def jax_of() -> Any:
    """Return JAX with numbers of 64 bits; None where it is missing."""
    try:
        import jax  # noqa: PLC0415
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    return jax


def compiled(jax: Any, f: Callable[..., Any], *given: Any) -> Callable[[], Any]:
    """Return a call of a function by JAX, compiled before."""
    made = jax.jit(f).lower(*given).compile()
    return lambda: jax.block_until_ready(made(*given))


def of_bundle(args: tuple[Any, ...], engine: str) -> tuple[Methods, Methods]:
    """Return what computes the objective of a bundle adjustment, and what its Jacobian."""
    flat, *rest = args
    detected = checkpoint.jacobian(residuals, engine=engine)
    given = checkpoint.jacobian(residuals, sparsity=detected(*args), check=False, engine=engine)
    own = as_function(residuals)
    objective: Methods = {
        "NumPy": lambda: residuals(*args),
        "own run": lambda: own.call(args, {}, engine).value(),
    }
    jacobian: Methods = {
        "bundle adjustment, pattern found": lambda: detected(*args),
        "bundle adjustment, pattern given": lambda: given(*args),
        "bundle adjustment, by observations": by_observations(args, engine),
    }
    jax = jax_of()
    if jax is not None:
        *which, n, m = rest

        def theirs(x: Any, cameras: Any, points: Any, features: Any) -> Any:
            return residuals(x, cameras, points, features, n, m, jax.numpy)

        objective["JAX"] = compiled(jax, theirs, flat, *which)
        jacobian["bundle adjustment, blocks by JAX"] = compiled(jax, blocks(jax, n, m), flat, *which)
    return objective, jacobian


def by_observations(args: tuple[Any, ...], engine: str | None = None) -> Callable[[], Any]:
    """Return the function that gives the Jacobian by reversals of one run of all observations.

    Each error depends on numbers of its observation alone, so one cotangent gives the first errors'
    derivatives by all of these, another one the second errors'. Where they stand in the matrix is known.
    """
    flat, cameras, points, features, n, m = args
    count, start, end = len(cameras), CAMERA * n, CAMERA * n + 3 * m
    of_camera = CAMERA * cameras[:, None] + np.arange(CAMERA)
    of_point = start + 3 * points[:, None] + np.arange(3)
    of_weight = end + np.arange(count)[:, None]
    columns = np.concatenate([of_camera, of_point, of_weight], axis=1)
    indices = np.concatenate([np.repeat(columns[:, None], 2, axis=1).ravel(), of_weight.ravel()])
    width = columns.shape[1]
    lengths = np.concatenate([[0], np.full(2 * count, width), np.ones(count, int)])
    shape, starts = (3 * count, len(flat)), np.cumsum(lengths)
    indices, starts = indices.astype(np.int32), starts.astype(np.int32)  # else SciPy converts them
    seeds = [np.tile(unit, (count, 1)) for unit in np.eye(2)]

    def jacobian() -> Any:
        weights, entries = flat[end:], np.empty(len(indices))
        values = entries[:-count].reshape(count, 2, width)
        entries[-count:] = -2.0 * weights
        parts = [part.take(cameras, 0) for part in parts_of(flat[:start].reshape(n, CAMERA))]
        parts += [flat[start:end].reshape(m, 3).take(points, 0), weights[:, None]]
        argnums = tuple(range(len(parts)))
        _, pull = checkpoint.pullback(errors, *parts, features, argnums=argnums, engine=engine)
        with pull:
            for k, seed in enumerate(seeds):
                put_side_by_side(pull(seed), values[:, k])
        return sp.csr_array((entries, indices, starts), shape=shape)

    return jacobian


def put_side_by_side(parts: tuple[Any, ...], to: Any) -> None:
    """Write arrays with the same rows side by side: columns, since rows are short, as long as fit a cache."""
    columns = [column for part in parts for column in part.T]
    for start in range(0, len(to), ROWS):
        rows = slice(start, start + ROWS)
        for at, column in enumerate(columns):
            to[rows, at] = column[rows]


def blocks(jax: Any, n: int, m: int) -> Callable[..., Any]:
    """Return the function that gives the derivatives of each observation by the 15 numbers that it reads."""
    xp = jax.numpy
    start, end = CAMERA * n, CAMERA * n + 3 * m

    def one(local: Any, feature: Any) -> Any:
        first = xp.zeros(1, int)
        return residuals(local, first, first, feature[None], n=1, m=1, np=xp)

    def all_of_them(x: Any, cameras: Any, points: Any, features: Any) -> Any:
        camera, point = x[:start].reshape(n, CAMERA)[cameras], x[start:end].reshape(m, 3)[points]
        local = xp.concatenate([camera, point, x[end:, None]], axis=1)
        return jax.vmap(jax.jacfwd(one))(local, features)

    return all_of_them


def of_clusters(
    name: str,
    spread: Callable[..., Any],
    theirs: Callable[[Any], Callable[..., Any]],
    args: tuple[Any, ...],
    engine: str,
) -> tuple[Methods, Methods]:
    """Return what computes the objective of k-means, and what its gradient and the Hessian's diagonal.

    theirs: returns the objective as JAX computes it. args: of the objective, the centers first.
    """
    centers, *rest = args
    gradient = checkpoint.grad(spread, engine=engine)
    ones = np.ones_like(centers)

    def slope(z: Any) -> Any:
        return checkpoint.grad(spread)(z, *rest)

    def both() -> Any:
        return checkpoint.jvp(slope, centers, ones, engine=engine)

    objective: Methods = {
        "NumPy": lambda: spread(*args),
        "own run": lambda: as_function(spread).call(args, {}, engine).value(),
    }
    derivatives: Methods = {
        f"{name}, gradient": lambda: gradient(*args),
        f"{name}, gradient and Hessian's diagonal": both,
    }
    jax = jax_of()
    if jax is not None:
        run = theirs(jax)
        objective["JAX"] = compiled(jax, run, *args)

        def again(v: Any, c: Any, *given: Any) -> Any:
            return jax.jvp(lambda z: jax.grad(run)(z, *given), (c,), (v,))

        derivatives[f"{name}, the same by JAX"] = compiled(jax, again, ones, *args)
    return objective, derivatives


def of_dense_clusters(points: Any, clusters: int, engine: str) -> tuple[Methods, Methods]:
    """Return the same of points that are rows of a matrix; the first ones are the centers."""
    args = points[:clusters].copy(), points
    return of_clusters("k-means", spread, lambda jax: functools.partial(spread, np=jax.numpy), args, engine)


def of_sparse_clusters(size: tuple[int, int, int], clusters: int, engine: str) -> tuple[Methods, Methods]:
    """Return the same of points that are rows of a sparse matrix. size: rows, columns, numbers."""
    values, indices, indptr, squares = ratings(*size)
    centers = np.random.default_rng(1).uniform(0.0, 1.0, (clusters, size[1]))
    rows = np.repeat(np.arange(size[0]), np.diff(indptr))

    def theirs(jax: Any) -> Callable[..., Any]:
        def product(values: Any, indices: Any, indptr: Any, shape: tuple[int, int], dense: Any) -> Any:
            terms = values[:, None] * dense[indices]
            return jax.ops.segment_sum(terms, rows, shape[0], indices_are_sorted=True)

        return functools.partial(sparse_spread, np=jax.numpy, product=product)

    args = centers, values, indices, indptr, squares
    return of_clusters("sparse k-means", sparse_spread, theirs, args, engine)


def of_mixture(size: tuple[int, int, int], engine: str) -> tuple[Methods, Methods]:
    """Return what computes the density of a mixture, and its gradient; size: points, axes, Gaussians."""
    args = mixture.data(*size)
    parameters, *rest = args
    gradient = checkpoint.value_and_grad(mixture.log_posterior, engine=engine)
    own = as_function(mixture.log_posterior)
    objective: Methods = {
        "NumPy": lambda: mixture.log_posterior(*args),
        "own run": lambda: own.call(args, {}, engine).value(),
    }
    name = "mixture of {2} in {1} dimensions, {0} points".format(*size)
    derivatives: Methods = {name: lambda: gradient(*args)}
    jax = jax_of()
    if jax is not None:
        x, below, degrees, scale = rest

        def theirs(p: Any, x: Any, below: Any) -> Any:
            return mixture.log_posterior(p, x, below, degrees, scale, jax.numpy)

        objective["JAX"] = compiled(jax, theirs, parameters, x, below)
        derivatives[f"{name}, by JAX"] = compiled(jax, jax.value_and_grad(theirs), parameters, x, below)
    torch = torch_of()
    if torch is not None:
        objective["PyTorch"], derivatives[f"{name}, by PyTorch"] = of_torch(torch, args)
    hips = hips_of()
    if hips is not None:
        objective["HIPS"], derivatives[f"{name}, by HIPS"] = of_hips(hips, args)
    return objective, derivatives


def torch_of() -> Any:
    """Return PyTorch, on one thread; None where it is missing."""
    try:
        import torch  # noqa: PLC0415
    except ImportError:
        return None
    torch.set_num_threads(1)
    return torch


def of_torch(torch: Any, args: tuple[Any, ...]) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return a call of a mixture's density by PyTorch, and one of its gradient."""
    parameters, x, below, degrees, scale = args
    leaves = tuple([torch.tensor(part, requires_grad=True) for part in parameters])
    x, below = torch.tensor(x), torch.tensor(below)
    names = {
        name: getattr(torch, name)
        for name in ("amax", "concatenate", "exp", "log", "matmul", "sum", "swapaxes")
    }
    xp = SimpleNamespace(**names, eye=functools.partial(torch.eye, dtype=torch.float64))

    def density() -> Any:
        with torch.no_grad():
            return mixture.log_posterior(leaves, x, below, degrees, scale, xp)

    def gradient() -> Any:
        return torch.autograd.grad(mixture.log_posterior(leaves, x, below, degrees, scale, xp), leaves)

    return density, gradient


def hips_of() -> Any:
    """Return HIPS autograd; None where it is missing."""
    try:
        import autograd  # noqa: PLC0415
    except ImportError:
        return None
    return autograd


def of_hips(hips: Any, args: tuple[Any, ...]) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return a call of a mixture's density by HIPS autograd, and one of its gradient."""
    parameters, *rest = args
    density = functools.partial(mixture.log_posterior, np=hips.numpy)
    gradient = hips.value_and_grad(density)
    return lambda: density(*args), lambda: gradient(parameters, *rest)


def measured(methods: Methods, repeats: int) -> dict[str, float]:
    """Return the median seconds of methods that take turns, after two calls of each."""
    found: dict[str, list[float]] = {name: [] for name in methods}
    for turn in range(repeats + 2):
        for name, method in methods.items():
            begun = time.process_time()
            method()
            if turn > 1:
                found[name].append(time.process_time() - begun)
    return {name: statistics.median(times) for name, times in found.items()}


def rows_of(objective: Methods, derivatives: Methods, repeats: int) -> list[list[str]]:
    """Return a row for each derivative: its time, that of the fastest objective, by what, their ratio."""
    times = measured({**objective, **derivatives}, repeats)
    fastest = min(objective, key=lambda name: times[name])
    base = times[fastest]
    return [
        [name, f"{1e3 * times[name]:.2f}", f"{1e3 * base:.2f}", fastest, f"{times[name] / base:.1f}"]
        for name in derivatives
    ]


def sizes(text: str) -> tuple[tuple[int, int, int], ...]:
    """Return sizes, of a text like "1000,10,25 1000,20,50"."""
    found = [tuple(map(common.natural, part.split(","))) for part in text.split()]
    return tuple([(n, d, k) for n, d, k in found])


def main() -> None:
    options = common.keepable(common.parser(__doc__.splitlines()[0]))
    options.add_argument("--cameras", type=common.natural, default=49)
    options.add_argument("--points", type=common.natural, default=7776)
    options.add_argument("--observations", type=common.natural, default=31843)
    options.add_argument("--clusters", type=common.natural, default=5)
    options.add_argument("--items", type=common.natural, default=100_000, help="points of k-means")
    options.add_argument(
        "--ratings", type=lambda text: sizes(text)[0], default=RATINGS, help="ROWS,COLUMNS,NUMBERS"
    )
    options.add_argument("--mixtures", type=sizes, default=MIXTURES, help="POINTS,DIMENSIONS,GAUSSIANS ...")
    chosen = options.parse_args()
    bundle = observations(chosen.cameras, chosen.points, chosen.observations)
    points = np.random.default_rng(0).normal(size=(chosen.items, 16))
    rows = rows_of(*of_bundle(bundle, chosen.engine), chosen.repeats)
    rows += rows_of(*of_dense_clusters(points, chosen.clusters, chosen.engine), chosen.repeats)
    rows += rows_of(*of_sparse_clusters(chosen.ratings, 2 * chosen.clusters, chosen.engine), chosen.repeats)
    for size in chosen.mixtures:
        rows += rows_of(*of_mixture(size, chosen.engine), chosen.repeats)
    print(common.table(("derivative", "ms", "objective", "by", "ratio"), rows))
    if chosen.keep:
        common.save("adbench", chosen.engine, rows=rows)


if __name__ == "__main__":
    main()
