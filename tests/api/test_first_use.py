"""A lazily loaded part works whatever was loaded before: each is used first in a process of its own.

A part is a module of its own, which is imported when its turn comes, in a copy of a process that has loaded
the package and nothing else; what it prints, values, gradients and numbers of steps, must not depend on its
turn, nor on the engine.
"""

from __future__ import annotations

import functools
import random
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint import engines
from tests.support.processes import python

# By what is loaded, a module that uses it. E is the engine.
PARTS = {
    "tensorlib, by a function that another one calls": """
        import numpy as np
        def simulate(k): return np.ones(5) * k
        def loss(x): return simulate(x).sum()
        print(checkpoint.value_and_grad(loss, engine=E)(2.0), checkpoint.primops(loss, 2.0, engine=E))
    """,
    "tensorlib, by an argument": """
        import numpy as np
        def total(x): return x.copy().sum() + x[0]
        print(checkpoint.grad(total, engine=E)(np.array([1.0, 2.0])))
    """,
    "tensorlib, by an import in a function": """
        def inside(x):
            import numpy as np
            return (np.arange(3.0) * x).sum()
        print(checkpoint.grad(inside, engine=E)(2.0))
    """,
    "tensorlib, by a function among the arguments": """
        import numpy as np
        def make(x): return np.ones(3) * x
        def apply(g, x): return g(x).sum() * len([x].copy())
        print(checkpoint.grad(apply, argnums=1, engine=E)(make, 2.0))
    """,
    "classes of numbers as values, which are types of elements to NumPy": """
        class Disc:
            def __init__(self, r): self.r = r
        KINDS = [Disc, float]
        def mapped(x): return sum(d.r for d in map(KINDS[0], [x])) + sum(map(KINDS[1], [x, 1]))
        def counted(x): return checkpoint.primops(mapped, x)
        print(checkpoint.primops(mapped, 0.7, engine=E), checkpoint.jvp(counted, 0.7, 1.0, engine=E))
    """,
    "tensorlib, by a function in a container of the module": """
        import numpy as np
        TABLE = {"make": lambda x: np.full(3, x)}
        def stored(x): return TABLE["make"](x).sum()
        print(checkpoint.grad(stored, engine=E)(2.0))
    """,
    "tensorlib, by a primitive of the user's": """
        import numpy as np
        spread = checkpoint.primitive(lambda x: np.full(3, x), vjp=lambda ybar, y, x: (float(ybar.sum()),))
        def through(x): return spread(x).sum() * 2.0
        print(checkpoint.grad(through, engine=E)(2.0))
    """,
    "tensorlib, by a NumPy function that is passed on": """
        import functools
        import numpy as np
        def folded(x): return functools.reduce(np.maximum, [x, 2.0 * x, 0.5])
        print(checkpoint.grad(folded, engine=E)(2.0))
    """,
    "tensorlib.random": """
        import numpy as np
        import tensorlib.random as draw
        def drawn(x): return (draw.uniform(draw.key(3), (4,)) * x).sum()
        print(checkpoint.grad(drawn, engine=E)(2.0))
    """,
    "tensorlib.functional": """
        import tensorlib
        import numpy as np
        def scanned(x): return tensorlib.scan(np.add, [x, x, x])[-1]
        print(checkpoint.grad(scanned, engine=E)(2.0))
    """,
    "tensorlib.sparse": """
        import numpy as np
        import tensorlib.sparse as sparse
        def product(v):
            one = np.array([0, 1])
            return sparse.csr_matvec(np.array([2.0, 3.0]), one, np.array([0, 1, 2]), (2, 2), v).sum()
        print(checkpoint.grad(product, engine=E)(np.ones(2)))
    """,
    "tensorlib.scipy_special, by a ufunc": """
        from scipy.special import erf, expit, gammaln
        def special(x): return erf(x) + expit(x) * gammaln(x)
        print(checkpoint.value_and_grad(special, engine=E)(1.5))
    """,
    "tensorlib.scipy_special, by a module": """
        from scipy import special as sp
        def logs(x): return sp.logsumexp([x, 1.0]) + sp.gammaln(x)
        print(checkpoint.grad(logs, engine=E)(1.5))
    """,
    "tensorlib.linear.scipy_linalg": """
        import numpy as np
        import scipy.linalg
        def solved(x): return scipy.linalg.expm(np.eye(2) * x).sum()
        print(checkpoint.grad(solved, engine=E)(2.0))
    """,
    "tensors of the small language": """
        f = checkpoint.read("(lambda (x) (sumall (* x (ones (list 3)))))", engine=E)
        print(checkpoint.vjp(f, 2.0, engine=E))
    """,
    "optree": """
        import optree
        class Pair:
            def __init__(self, a, b): self.a, self.b = a, b
            def __repr__(self): return f"Pair({self.a}, {self.b})"
        optree.register_pytree_node(
            Pair, lambda p: ((p.a, p.b), None), lambda _, ab: Pair(*ab), namespace="checkpoint")
        def area(p): return p.a * p.b
        print(checkpoint.grad(area, engine=E)(Pair(2.0, 3.0)))
    """,
    "fractions": """
        from fractions import Fraction
        HALF = Fraction(1, 2)
        def halved(x): return HALF * x + float(HALF + 1) * x
        print(checkpoint.value_and_grad(halved, engine=E)(2.0), checkpoint.primops(halved, 2.0, engine=E))
    """,
    "decimals, of texts and of reals": """
        from decimal import Decimal
        PRICE = Decimal("1.50")
        def paid(x): return x * float(PRICE.quantize(Decimal("1"))) + int(Decimal(x).quantize(Decimal("1")))
        print(checkpoint.value_and_grad(paid, engine=E)(2.0))
        try:
            checkpoint.grad(lambda x: float(Decimal(x)), engine=E)(2.0)
        except checkpoint.RunError as error:
            print(error)
    """,
    "statistics": """
        import statistics
        def spread(x): return statistics.stdev([x, 1.0, 2.5]) + statistics.NormalDist(x, 1.0).inv_cdf(0.3)
        print(checkpoint.value_and_grad(spread, engine=E)(2.0))
    """,
    "json, from a text and from a file": """
        import io, json
        def scaled(x): return x * json.loads("[1, 2]")[1] + x * json.load(io.StringIO("3"))
        print(checkpoint.value_and_grad(scaled, engine=E)(2.0))
    """,
    "loggers, known and not": """
        import logging, textwrap
        LOGGER = logging.getLogger("of a part")
        logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", stream=sys.stdout)
        def logged(x, loggers):
            LOGGER.info("known")
            for each in loggers:
                each.warning(textwrap.shorten("a text that is long", 10))
            return x * x
        print(checkpoint.value_and_grad(logged, engine=E)(2.0, [logging.getLogger()]))
    """,
    "lanes": """
        import numpy as np
        def areas(x): return checkpoint.vmap(lambda r: r * r * x)(np.array([1.0, 2.0])).sum()
        print(checkpoint.value_and_grad(areas, engine=E)(3.0), checkpoint.primops(areas, 3.0, engine=E))
    """,
    "sums of items": """
        def total(x): return checkpoint.summed(lambda r: r * r * x, over=[1.0, 2.0])
        print(checkpoint.value_and_grad(total, engine=E)(3.0), checkpoint.primops(total, 3.0, engine=E))
    """,
    "combinators": """
        import numpy as np
        def product(xs): return checkpoint.arrays.reduce(lambda a, b: a * b, xs)
        print(checkpoint.grad(product, engine=E)(np.array([1.0, 2.0, 3.0])))
    """,
    "a Jacobian along many directions": """
        import numpy as np
        def squares(xs): return xs * xs
        print(checkpoint.jacobian(squares, engine=E)(np.arange(9.0)).sum(axis=0))
    """,
    "derivatives of derivatives": """
        def bent(x): return checkpoint.grad(lambda t: t * t * t)(x)
        print(checkpoint.grad(bent, engine=E)(2.0), checkpoint.hessian(lambda t: t**3, engine=E)(2.0))
    """,
    "methods that lists and arrays have": """
        def copied(x):
            xs = [x, x]
            return xs.copy()[0] * xs.count(x) * {"a": x}.copy()["a"]
        print(checkpoint.grad(copied, engine=E)(2.0), checkpoint.primops(copied, 2.0, engine=E))
    """,
    "a share of memory, progress, a profile": """
        import io
        def power(x):
            for _ in range(100): x = x * 1.01
            return x
        with checkpoint.profile() as p:
            print(checkpoint.grad(power, engine=E, memory="1%", progress=lambda _: None)(2.0))
        print(p.total.run)
    """,
    "all engines": """
        def square(x): return x * x
        z = checkpoint.interrupt(square, 3.0, 1, engine=E)
        print(checkpoint.resume(z), {checkpoint.grad(square, engine=e)(2.0) for e in ENGINES})
    """,
}
NAMES = {name: f"part{i}" for i, name in enumerate(PARTS)}
START = """
import sys, importlib
for name in sys.argv[2:]:
    print(name, flush=True)
    importlib.import_module(name)
"""
FRONT_END = "checkpoint.lang.python.{}"  # which `.vlad` programs never need
HEAD = "import checkpoint\nimport sys\nE = sys.argv[1]\nENGINES = {engines}\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a module for each part."""
    folder = tmp_path_factory.mktemp("parts")
    usable = engines.usable()
    for part, text in PARTS.items():
        lines = "\n".join(line[8:] for line in text.splitlines())
        (folder / f"{NAMES[part]}.py").write_text(HEAD.format(engines=usable) + lines)
    (folder / "start.py").write_text(START)
    return folder


def outputs(folder: Path, engine: str, order: list[str]) -> dict[str, str]:
    """Return what each part prints in a process of its own that uses the parts in the given order."""
    done = python("start.py", engine, *(NAMES[part] for part in order), cwd=folder)
    assert done.returncode == 0, f"{order[0]}: {done.stdout}{done.stderr}"
    found: dict[str, str] = {}
    for line in done.stdout.splitlines():
        if line.startswith("part"):
            name = line
        else:
            found[name] = found.get(name, "") + line + "\n"
    return found


@functools.cache
def expected(folder: Path) -> dict[str, str]:
    """Return what the parts print in the order of the table."""
    return outputs(folder, "interp", list(PARTS))


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_used_first(folder: Path, part: str) -> None:
    number = list(PARTS).index(part)
    others = random.Random(number).sample([other for other in PARTS if other != part], 4)
    usable = engines.usable()
    engine = usable[number % len(usable)]
    found = outputs(folder, engine, [part, *others])
    assert found == {name: text for name, text in expected(folder).items() if name in found}
    assert NAMES[part] in found


@pytest.mark.parametrize("engine", engines.usable())
def test_an_array_inside_first(folder: Path, engine: str) -> None:
    first = next(iter(PARTS))
    assert outputs(folder, engine, [first]) == {NAMES[first]: expected(folder)[NAMES[first]]}


def test_an_import_loads_nothing_that_few_programs_need() -> None:
    code = (
        "import sys; before = {*sys.modules}; import checkpoint; print(*{*sys.modules} - before, sep='\\n')"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], check=True, timeout=120, capture_output=True, text=True
    )
    of_open_packages_and_disks = {"importlib.metadata", "email", "tempfile", "shutil"}
    of_watched_gradients = {"checkpoint.watch.estimate", "checkpoint.watch.pictures"}
    of_graphs = {"checkpoint.lang.onnx.model", "checkpoint.lang.onnx.function"}
    of_workers = {"concurrent.futures"}
    of_rare_values = {"decimal", "fractions", "json", "logging", "pathlib", "statistics", "textwrap"}
    of_lanes = {"checkpoint.prims.lanes", "checkpoint.prims.batched.program", "checkpoint.api.directions"}
    rare = (
        of_lanes | of_rare_values | of_open_packages_and_disks | of_watched_gradients | of_graphs | of_workers
    )
    loaded = set(found.stdout.split())
    assert not rare & loaded
    of_python_functions = ("calls", "control", "linking.linker", "normal", "translation")
    assert not [name for name in loaded if name.startswith(tuple(map(FRONT_END.format, of_python_functions)))]


def test_records_that_are_registered_later_implement_no_function_of_python(tmp_path: Path) -> None:
    """Programs find the primitive of a function among those that are registered at once."""
    now_and_later = """
from checkpoint.ad.record import records, records_at_once
now = {record.name for record in records_at_once()}
later = [record for record in records().values() if record.name not in now]
print(*[record.name for record in later])
print(*[record.name for record in later if record.implements], "-")
"""
    script = tmp_path / "script.py"
    script.write_text("import checkpoint\n" + now_and_later)
    found = subprocess.run(
        [sys.executable, str(script)], check=True, timeout=120, capture_output=True, text=True
    )
    later, implementing = found.stdout.splitlines()
    assert {"py.lanes", "py.batched", "py.summands", "tensor-lanes"} <= set(later.split())
    assert implementing == "-"


def loaded_by(tmp_path: Path, program: str) -> list[str]:
    """Return what a script that ends with this program prints, and then the modules it has loaded."""
    script = tmp_path / "script.py"
    script.write_text(f"import sys\nimport checkpoint\n{program}\nprint(*sys.modules, sep='\\n')\n")
    found = subprocess.run(
        [sys.executable, str(script)], check=True, timeout=120, capture_output=True, text=True
    )
    return found.stdout.split()


def test_a_first_gradient_loads_nothing_that_reads_texts(tmp_path: Path) -> None:
    derivative, *loaded = loaded_by(tmp_path, "def f(x):\n    return x * x\nprint(checkpoint.grad(f)(3.0))")
    assert derivative == "6.0"
    assert "hashlib" not in loaded  # with OpenSSL, for files, spilled states and identities of capsules
    of_texts = {"checkpoint.lang.forms", "checkpoint.lang.prelude", "importlib.resources"}
    of_trials = {"checkpoint.interp.growing", "checkpoint.interp.code"}
    assert not (of_texts | of_trials).intersection(loaded)


def test_a_first_gradient_of_arrays_loads_nothing_that_numpy_loads_when_asked_for(tmp_path: Path) -> None:
    derivative, *loaded = loaded_by(
        tmp_path, "import numpy as np\nprint(checkpoint.grad(np.sum)(np.ones(1)))"
    )
    assert derivative == "[1.]"
    assert "tensorlib.ufuncs.reducing" in loaded
    assert not {"numpy.f2py", "numpy.ma", "numpy.testing"}.intersection(loaded)
