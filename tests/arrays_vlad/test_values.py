"""Values of the tensor functions, compared with NumPy's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import checkpoint
from tensorlib import random
from tests.support.corpus import engine_name, usable_engines

pytestmark = pytest.mark.engines_in_turn

A = np.arange(6.0).reshape(2, 3) - 2.5
B = np.array([[1.0, -2.0], [0.5, 4.0], [-1.0, 3.0]])
V = np.array([1.0, -2.0, 0.5])
BATCH = np.arange(12.0).reshape(2, 2, 3)

# Programs of a, b, v and batch.
VALUES: dict[str, Any] = {
    "(list->tensor '((1 2) (3 4)))": np.array([[1.0, 2.0], [3.0, 4.0]]),
    "(list->tensor (list v v))": np.array([V, V]),
    "(list->tensor '())": np.zeros(0),
    "(list->tensor '(() ()))": np.zeros((2, 0)),
    "(list->tensor '(#t #f))": np.array([True, False]),
    "(list->tensor 2)": np.array(2.0),
    "(tensor->list a)": A.tolist(),
    "(tensor->list (< v 0))": [False, True, False],
    "(tensor->list (zeros '(2 0)))": [[], []],
    "(zeros 2)": np.zeros(2),
    "(zeros '())": np.zeros(()),
    "(ones '(2 3))": np.ones((2, 3)),
    "(fill '(1 2) 3)": np.full((1, 2), 3.0),
    "(identity 2)": np.eye(2),
    "(uniform (random-key 3) '(2 2))": random.standard_uniform(random.key(3), (2, 2)),
    "(randn (car (split-key (random-key 3) 2)) 4)": random.standard_normal(
        random.split(random.key(3), 2)[0], 4
    ),
    "(normal (random-key 3) '(2 3) v 2)": random.normal(random.key(3), (2, 3), V, 2.0),
    "(size batch)": [2.0, 2.0, 3.0],
    "(size 1)": [],
    "(tensor-ref a 1)": A[1],
    "(tensor-ref v 2)": 0.5,
    "(tensor-ref (< v 0) 1)": True,
    "(view a '(3 -1))": A.reshape(3, 2),
    "(reshape a 6)": A.reshape(6),
    "(resize a '(2 2))": A.ravel()[:4].reshape(2, 2),
    "(resize a 8)": np.append(A, [0.0, 0.0]),
    "(expand v '(2 3))": np.broadcast_to(V, (2, 3)),
    "(transpose a)": A.T,
    "(permute batch '(2 0 1))": BATCH.transpose(2, 0, 1),
    "(narrow batch 2 1 2)": BATCH[:, :, 1:3],
    "(crop batch 2 1 1)": BATCH[:, :, 1:2],
    "(pad a 1 1 2)": np.pad(A, ((0, 0), (1, 2))),
    "(concat (list a (transpose b)) 0)": np.concatenate([A, B.T]),
    "(where (> a 0) a v)": np.where(A > 0, A, V),
    "(if-tensor (> a 0) a v)": np.where(A > 0, A, V),
    "(map-tensor (lambda (row) (* 2 row)) a)": 2.0 * A,
    "(map-tensor (lambda (x) (if (> x 0) x 0)) v)": np.where(V > 0, V, 0.0),
    "(map-tensor (lambda (row) (> (sumall row) 0)) a)": A.sum(axis=1) > 0,
    "(sum a 1)": A.sum(axis=1),
    "(sum v 0)": -0.5,
    "(sumall a)": float(A.sum()),
    "(sumall 3)": 3.0,
    "(sumall (> a 0))": 3.0,
    "(maxall a)": 2.5,
    "(minall a)": -2.5,
    "(dot v v)": 5.25,
    "(dot a a)": float(np.sum(A * A)),
    "(matmul a b)": A @ B,
    "(matmul v v)": 5.25,
    "(matmul batch v)": BATCH @ V,
    "(addmv '7 a v)": 7.0 + A @ V,
    "(addmm (ones '(2 2)) a b)": 1.0 + A @ B,
    "(baddbmm (ones 2) batch (permute batch '(0 2 1)))": 1.0 + BATCH @ BATCH.transpose(0, 2, 1),
    "(addr (zeros '(3 3)) v v)": np.outer(V, V),
    "(real (list->tensor '((3))))": 3.0,
    "(max a v 0)": np.maximum(np.maximum(A, V), 0.0),
    "(min 1 a)": np.minimum(A, 1.0),
    "(abs a)": np.abs(A),
    "(floor a)": np.floor(A),
    "(modulo a 2)": np.mod(A, 2.0),
    "(atan v 2)": np.arctan2(V, 2.0),
    "(expt 2 a)": 2.0**A,
    "(- a)": -A,
    "(/ v)": 1.0 / V,
    "(- a v 1)": A - V - 1.0,
    "(= a 0.5)": A == 0.5,
    "(<= a v)": A <= V,
    "(>= a v)": A >= V,
    "(zero? (- a 0.5))": A == 0.5,
    "(positive? a)": A > 0,
    "(negative? a)": A < 0,
    "(if (positive? (list->tensor 1)) 1 2)": 1.0,
    "(not (positive? (list->tensor '(1))))": False,
    "(map sumall (list a v))": [float(A.sum()), -0.5],
}


@pytest.mark.parametrize("text", VALUES)
@pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)
def test_values(text: str, engine: Any) -> None:
    f = checkpoint.read(f"(lambda ((list a b v batch)) {text})")
    found = checkpoint.jvp(f, [A, B, V, BATCH], [A, B, V, BATCH], engine=engine.name)[0]
    same(found, VALUES[text])
    same(f([A, B, V, BATCH]), VALUES[text])


def same(found: Any, wanted: Any) -> None:
    """Assert that two values are equal and of one kind."""
    assert type(found) is type(wanted)
    if isinstance(wanted, list):
        assert found == wanted
    elif isinstance(wanted, float):
        assert math.isclose(found, wanted, rel_tol=1e-15)
    else:
        assert found.dtype == wanted.dtype if isinstance(wanted, np.ndarray) else True
        np.testing.assert_allclose(found, wanted, rtol=1e-15)


@pytest.mark.parametrize(
    ("text", "slopes"),
    [
        ("(max t 1)", [0.0, 1.0, 1.0]),
        ("(max 1 t)", [0.0, 0.0, 1.0]),
        ("(min t 1)", [1.0, 1.0, 0.0]),
        ("(abs (- t 1))", [-1.0, 1.0, 1.0]),
        ("(floor t)", [0.0, 0.0, 0.0]),
        ("(* 4 (maxall (min t 1)))", [0.0, 2.0, 0.0]),
    ],
)
def test_conventions_are_those_of_the_scalar_primitives(text: str, slopes: list[float]) -> None:
    """Slopes at kinks are those of the scalars; equal greatest elements share that of `maxall`."""
    x = np.array([0.5, 1.0, 2.0])
    f = checkpoint.read(f"(lambda (t) (sumall {text}))")
    np.testing.assert_array_equal(checkpoint.vjp(f, x)[1], slopes)
    if "maxall" not in text:
        scalars = [checkpoint.vjp(f, each)[1] for each in x.tolist()]
        assert scalars == slopes
