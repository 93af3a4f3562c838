"""Times of derivatives over times of objectives: D-LSTM, cross sections as XSBench and RSBench do, and HAND.

    python -m experiments.adbench.more [--layers N --length N --points N --lookups N --visits N --matches N]

Question and methods are those of run.py, but Jacobians of HAND are compared with those that JAX has compiled.
Out: a table; with --keep a file of results.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import checkpoint
from checkpoint.functions.resumption import as_function
from experiments import common
from experiments.adbench import grids, hand, lstm, poles
from experiments.adbench.run import Methods, compiled, jax_of, rows_of, torch_of


def own(f: Callable[..., Any], args: tuple[Any, ...], engine: str) -> Callable[[], Any]:
    """Return a call of a function that is run as a program."""
    function = as_function(f)
    return lambda: function.call(args, {}, engine).value()


def of_jax(
    jax: Any, f: Callable[..., Any], args: tuple[Any, ...], argnums: int | tuple[int, ...]
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return a call of a function that JAX has compiled, and one of its value and gradient."""
    return compiled(jax, f, *args), compiled(jax, jax.value_and_grad(f, argnums), *args)


def of_lstm(layers: int, length: int, engine: str) -> tuple[Methods, Methods]:
    """Return what computes the loss of a sequence, and what its gradient by all weights."""
    args = lstm.data(layers, length)
    gradient = checkpoint.value_and_grad(lstm.loss, (0, 1), engine=engine)
    name = f"D-LSTM, {layers} layers, {length} characters"
    objective: Methods = {"NumPy": lambda: lstm.loss(*args), "own run": own(lstm.loss, args, engine)}
    derivatives: Methods = {name: lambda: gradient(*args)}
    jax = jax_of()
    if jax is not None:
        run = functools.partial(lstm.scanned, jax)
        objective["JAX"], derivatives[f"{name}, by JAX"] = of_jax(jax, run, args, (0, 1))
    torch = torch_of()
    if torch is not None:
        objective["PyTorch"], derivatives[f"{name}, by PyTorch"] = lstm_of_torch(torch, args)
    return objective, derivatives


def lstm_of_torch(torch: Any, args: tuple[Any, ...]) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return a call of the loss by PyTorch, and one of its gradient."""
    main, extra = (torch.tensor(part, requires_grad=True) for part in args[:2])
    state, sequence = (torch.tensor(part) for part in args[2:])

    def objective() -> Any:
        with torch.no_grad():
            return lstm.loss(main, extra, state, sequence, torch)

    def gradient() -> Any:
        return torch.autograd.grad(lstm.loss(main, extra, state, sequence, torch), (main, extra))

    return objective, gradient


def of_grids(points: int, count: int, engine: str) -> tuple[Methods, Methods]:
    """Return what sums cross sections on grids, and what differentiates that sum."""
    sections, grid, met = grids.data(points, count)
    pairs, lists = grids.of_pairs(sections, grid, met), grids.of_lists(sections, grid, met)
    by_arrays = checkpoint.value_and_grad(grids.total, (0, 1), engine=engine)
    in_loops = checkpoint.value_and_grad(grids.total_in_loops, (0, 1), engine=engine)
    objective: Methods = {
        "NumPy": lambda: grids.total(*pairs),
        "NumPy by nuclides": lambda: grids.total_by_nuclides(sections, grid, met),
        "own run": own(grids.total, pairs, engine),
        "own run of loops": own(grids.total_in_loops, lists, engine),
    }
    derivatives: Methods = {
        "XSBench, arrays": lambda: by_arrays(*pairs),
        "XSBench, loops over floats": lambda: in_loops(*lists),
    }
    jax = jax_of()
    if jax is not None:
        run = functools.partial(grids.total, np=jax.numpy)
        objective["JAX"], derivatives["XSBench, by JAX"] = of_jax(jax, run, pairs, (0, 1))
    return objective, derivatives


def of_poles(count: int, engine: str) -> tuple[Methods, Methods]:
    """Return what sums cross sections by poles, and what differentiates that sum."""
    args = poles.data(count)
    arrays = functools.partial(poles.total, apply=poles.visited)
    items = functools.partial(poles.total, apply=poles.by_map)
    by_arrays = checkpoint.value_and_grad(arrays, engine=engine)
    by_map = checkpoint.value_and_grad(items, engine=engine)
    by_lanes = checkpoint.value_and_grad(poles.total, engine=engine)
    objective: Methods = {
        "NumPy": lambda: arrays(*args),
        "own run": own(arrays, args, engine),
        "own run of map": own(items, args, engine),
        "own run of lanes": own(poles.total, args, engine),
    }
    derivatives: Methods = {
        "RSBench, arrays": lambda: by_arrays(*args),
        "RSBench, map of floats": lambda: by_map(*args),
        "RSBench, lanes of floats": lambda: by_lanes(*args),
    }
    jax = jax_of()
    if jax is not None:
        run = functools.partial(poles.total, np=jax.numpy, apply=poles.visited)
        objective["JAX"], derivatives["RSBench, by JAX"] = of_jax(jax, run, args, 0)
    return objective, derivatives


def of_hand(name: str, f: Callable[..., Any], args: tuple[Any, ...], engine: str) -> tuple[Methods, Methods]:
    """Return what computes the Jacobian of errors by JAX, else the errors by NumPy, and what the Jacobian."""
    jacobian = checkpoint.jacfwd(f, engine=engine)
    derivatives: Methods = {f"HAND, {name}": lambda: jacobian(*args)}
    jax = jax_of()
    if jax is None:
        return {"errors by NumPy": lambda: f(*args)}, derivatives
    theirs = jax.jacfwd(functools.partial(f, np=jax.numpy))
    return {"Jacobian by JAX": compiled(jax, theirs, *args)}, derivatives


def main() -> None:
    options = common.keepable(common.parser(__doc__.splitlines()[0]))
    options.add_argument("--layers", type=common.natural, default=2, help="of the LSTM")
    options.add_argument("--length", type=common.natural, default=1024, help="characters of its sequence")
    options.add_argument("--points", type=common.natural, default=200, help="of each grid of XSBench")
    options.add_argument("--lookups", type=common.natural, default=10_000, help="of XSBench")
    options.add_argument("--visits", type=common.natural, default=1000, help="lookups of RSBench")
    options.add_argument("--matches", type=common.natural, default=100, help="points of HAND")
    chosen = options.parse_args()
    rows = rows_of(*of_lstm(chosen.layers, chosen.length, chosen.engine), chosen.repeats)
    rows += rows_of(*of_grids(chosen.points, chosen.lookups, chosen.engine), chosen.repeats)
    rows += rows_of(*of_poles(chosen.visits, chosen.engine), chosen.repeats)
    simple, complicated = hand.data(chosen.matches)
    rows += rows_of(*of_hand("simple", hand.errors, simple, chosen.engine), chosen.repeats)
    rows += rows_of(*of_hand("complicated", hand.compressed, complicated, chosen.engine), chosen.repeats)
    print(common.table(("derivative", "ms", "objective", "by", "ratio"), rows))
    if chosen.keep:
        common.save("adbench-more", chosen.engine, rows=rows)


if __name__ == "__main__":
    main()
