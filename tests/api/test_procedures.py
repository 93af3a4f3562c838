"""Derivatives of `.vlad` procedures by the functions that Python functions have."""

from __future__ import annotations

import pytest

import checkpoint
from checkpoint import RunError, grad, hessian, hvp, jacfwd, jacrev, read, value_and_grad


def test_the_gradient_of_a_procedure() -> None:
    cube = read("(lambda (x) (* x (* x x)))")
    assert grad(cube)(2.0) == 12.0
    assert value_and_grad(cube)(2.0) == (8.0, 12.0)
    assert hvp(cube, 2.0, 3.0) == 36.0
    assert hessian(cube)(2.0) == 12.0
    assert grad(grad(cube))(2.0) == 12.0


def test_gradients_have_the_structure_of_the_list() -> None:
    product = read("(lambda ((list a b)) (* a b))")
    assert grad(product)([3.0, 4.0]) == [4.0, 3.0]
    assert hessian(product)([3.0, 4.0]) == [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize("jacobian", [jacfwd, jacrev])
def test_jacobians_have_the_structures_of_value_and_argument(jacobian: object) -> None:
    f = read("(lambda ((list a b)) (cons (* a b) (+ a b)))")
    assert jacobian(f)([3.0, 4.0]) == ([4.0, 3.0], [1.0, 1.0])  # type: ignore[operator]  # either of two functions


def test_errors_are_those_of_procedures() -> None:
    product = read("(lambda ((list a b)) (* a b))")
    with pytest.raises(RunError, match="a procedure takes 1 argument, not 2: write it with a pattern"):
        grad(product)(3.0, 4.0)
    with pytest.raises(RunError, match="a procedure takes 1 argument, not 2: write it with a pattern"):
        product(3.0, 4.0)
    with pytest.raises(RunError, match="the argument holds no real"):
        grad(product)([True, False])
    with pytest.raises(RunError, match="resume takes a capsule, not a float"):
        checkpoint.resume(3.0)  # type: ignore[arg-type]  # what the error is about
