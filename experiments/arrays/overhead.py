"""The time of an operation on a small array beyond NumPy's own.

For each operation, ten of it in the body of a loop, on arrays of shape (16,): CPU time of one operation in
Python's own run of the function; what the engine takes beyond that to run it, and to run it on a tape; and
what its reversal takes. Medians over repeats, after one run that warms up.
What is required on the fastest engine: 3 microseconds to run it, beyond NumPy's own.

Reproduce:

    python -m experiments.arrays.overhead --repeats 7
"""

from __future__ import annotations

import importlib.util
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from checkpoint.ad.numbers import one
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.functions.python_functions import run_of
from experiments import common

LIMIT = 3.0
COPIES = 10
SHAPE = (16,)

OPERATIONS = (
    "x = x + y",
    "x = 0.5 * x",
    "x = -x",
    "x = np.sin(x)",
    "x = np.maximum(x, y)",
    "x = np.where(mask, x, y)",
    "x = np.roll(x, 1)",
    "s = np.sum(x)",
    "s = x.mean()",
    "s = x @ y",
    "s = x[3]",
    "s = x[1:-1]",
    "s = x.reshape(4, 4)",
    "s = x > y",
    "x += y",
    "x[3] = 0.5",
    "x[1:-1] = z",
    "x[1:-1] += z",
)

TEXT = """import numpy as np


def use(x, y, z, mask, turns):
    x = x.copy()
    s = 0.0
    for _ in range(turns):
{body}
    return np.sum(x) + np.sum(s)
"""


def function(operation: str, folder: Path, copies: int = COPIES) -> Any:
    """Return a function with copies of an operation in its loop; from a file, since its source is read."""
    name = f"operation{abs(hash((operation, copies)))}"
    path = folder / f"{name}.py"
    body = "\n".join([f"        {operation}"] * copies)
    path.write_text(TEXT.format(body=body), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.use


def arguments(turns: int) -> tuple[Any, ...]:
    """Return arrays whose values stay finite."""
    rng = np.random.default_rng(1)
    x, y, z = (1e-3 * rng.normal(size=shape) for shape in (SHAPE, SHAPE, 14))
    return x, y, z, x > 0.0, turns


def times(chosen: Engine, call: Any) -> Iterator[float]:
    """Return the CPU seconds of a run, of a taped run, and of its reversal."""
    start = time.process_time()
    chosen.advance(chosen.start(0, call.u, call.tags), None, Effects())
    yield time.process_time() - start
    start = time.process_time()
    recording = chosen.tape(chosen.start(0, call.u, call.tags), None, Effects())
    yield time.process_time() - start
    cotangent = chosen.seed(recording.end, one(recording.end.value))
    start = time.process_time()
    chosen.reverse(recording, cotangent)
    yield time.process_time() - start


def measured(operation: str, turns: int, engine: str, repeats: int, folder: Path) -> dict[str, Any]:
    """Return one row, in microseconds per operation."""
    use, args = function(operation, folder), arguments(turns)
    call = run_of(use, args, {}, engine)
    rows = []
    for _ in range(repeats + 1):  # the first warms up
        rows.append([common.seconds(lambda: use(*args)), *times(call.engine, call)])
    each = [1e6 * statistics.median(column) / (turns * COPIES) for column in zip(*rows[1:], strict=True)]
    numpy, forward, taped, reverse = each
    return {
        "operation": operation,
        "numpy": numpy,
        "forward": forward - numpy,
        "taped": taped - numpy,
        "reversal": reverse,
    }


def main() -> None:
    parser = common.parser("operations on small arrays beside NumPy")
    parser.add_argument("--turns", type=int, default=300, help="turns of each loop (300)")
    parser.add_argument("--only", default="", help="only operations that contain this")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            measured(operation, options.turns, options.engine, options.repeats, Path(folder))
            for operation in OPERATIONS
            if options.only in operation
        ]
    columns = ("numpy", "forward", "taped", "reversal")
    print(
        common.table(
            ("us", "NumPy", "+ forward", "+ taped", "reversal"),
            [(row["operation"], *(f"{row[name]:.2f}" for name in columns)) for row in rows],
        )
    )
    worst = max(rows, key=lambda row: float(row["forward"]))
    print(f"\nmost: {worst['forward']:.2f} us forward, for {worst['operation']}; the limit is {LIMIT:.0f} us")
    if not options.only:
        common.save("arrays-overhead", options.engine, turns=options.turns, limit=LIMIT, rows=rows)


if __name__ == "__main__":
    main()
