"""Enzyme on C++, through the package enzyme-ad, which brings a compiler: -O3, AVX2, Enzyme's own tape."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from enzyme_ad.jax import cpp_call

from experiments.peers.subjects import ARGUMENTS, Run

jax.config.update("jax_enable_x64", True)

# Its compiler finds no headers of the system: the square root is the builtin.
SOURCES = {
    "lorenz": """
template<std::size_t N, std::size_t M>
void of(enzyme::tensor<double, M>& out, const enzyme::tensor<double, N>& u) {
    double x = u[0], y = u[1], z = u[2], h = 5.0 / TURNS;
    for (long i = 0; i < TURNS; i++) {
        double dx = u[3] * (y - x), dy = x * (u[4] - z) - y, dz = x * y - u[5] * z;
        x += h * dx;
        y += h * dy;
        z += h * dz;
    }
    out[0] = x;
}
""",
    "nested": """
template<std::size_t N, std::size_t M>
void of(enzyme::tensor<double, M>& out, const enzyme::tensor<double, N>& u) {
    double y = u[0];
    long power = 1;
    for (long i = 0; i < TURNS; i++) {
        power = 3 * power % TURNS;
        long count = TURNS >> (63 - __builtin_clzl(1 + 1007 * power % TURNS));
        for (long k = 0; k < count; k++) y = __builtin_sqrt(y * y);
    }
    out[0] = y;
}
""",
}
FLAGS = ("-O3", "-target-cpu", "x86-64-v3")


def enzyme(program: str, n: int) -> Run:
    """Return value and gradient by Enzyme."""
    source = SOURCES[program].replace("TURNS", f"{n}L")
    shape = [jax.core.ShapedArray([1], jnp.float64)]

    def loss(u: Any) -> Any:
        return cpp_call(u, out_shapes=shape, source=source, fn="of", argv=FLAGS)[0][0]

    argument = jnp.array(ARGUMENTS[program])
    compiled = jax.jit(jax.value_and_grad(loss)).lower(argument).compile()

    def run() -> tuple[float, list[float]]:
        value, gradient = jax.block_until_ready(compiled(argument))
        return float(value), [float(number) for number in gradient]

    return run


PEERS = {"Enzyme, C++": enzyme}
