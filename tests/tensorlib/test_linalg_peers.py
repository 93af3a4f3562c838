"""Cotangents of products, linear algebra and transforms against the rules of autograd, JAX and PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlib.linear.scipy_linalg
import tensorlib.scipy_special  # noqa: F401
from tests.tensorlib.pulled import called, pulled

RNG = np.random.default_rng(3)


def normal(*shape: int) -> Any:
    return RNG.normal(size=shape)


def complexes(*shape: int) -> Any:
    return normal(*shape) + 1j * normal(*shape)


def regular(*shape: int) -> Any:
    return normal(*shape) + 3 * np.eye(shape[-1])


def positive(*shape: int) -> Any:
    x = normal(*shape)
    return x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1])


# The name, the operands, the positions to differentiate by.
CASES: list[tuple[str, tuple[Any, ...], tuple[int, ...]]] = [
    ("dot", (normal(2, 3), normal(4, 3, 2)), (0, 1)),
    ("dot", (normal(3), normal(3)), (0, 1)),
    ("dot", (complexes(2, 3), normal(3, 2)), (0, 1)),
    ("inner", (normal(2, 3), normal(4, 3)), (0, 1)),
    ("outer", (normal(3), normal(4)), (0, 1)),
    ("matmul", (normal(2, 1, 3, 4), normal(5, 4, 2)), (0, 1)),
    ("matmul", (normal(3), normal(5, 3, 2)), (0, 1)),
    ("matmul", (normal(5, 2, 3), normal(3)), (0, 1)),
    ("tensordot", (normal(2, 3, 4), normal(4, 3, 5), ((2, 1), (0, 1))), (0, 1)),
    ("tensordot", (normal(2, 3, 4), normal(3, 4, 2)), (0, 1)),
    ("kron", (normal(2, 3), normal(3, 2)), (0, 1)),
    ("trace", (normal(3, 4), 1), (0,)),
    ("cross", (normal(4, 3), normal(4, 3)), (0, 1)),
    ("einsum", ("ij,jk->ik", normal(2, 3), normal(3, 4)), (1, 2)),
    ("einsum", ("...ij,...jk->...ki", normal(2, 3, 4), normal(4, 2)), (1, 2)),
    ("einsum", ("ijk,ljk,i", normal(2, 3, 4), normal(5, 3, 4), normal(2)), (1, 2, 3)),
    ("einsum", ("ij->", normal(2, 3)), (1,)),
    ("einsum", ("i,i->i", normal(3), normal(3)), (1, 2)),
    ("linalg.solve", (regular(3, 3), normal(3)), (0, 1)),
    ("linalg.solve", (regular(2, 3, 3), normal(2, 3, 2)), (0, 1)),
    ("linalg.inv", (regular(2, 3, 3),), (0,)),
    ("linalg.pinv", (normal(4, 3),), (0,)),
    ("linalg.det", (regular(2, 3, 3),), (0,)),
    ("linalg.slogdet", (regular(3, 3),), (0,)),
    ("linalg.cholesky", (positive(2, 3, 3),), (0,)),
    ("linalg.qr", (normal(4, 3),), (0,)),
    ("linalg.eigh", (positive(3, 3),), (0,)),
    ("linalg.eigvalsh", (positive(3, 3),), (0,)),
    ("linalg.svd", (normal(4, 3), False), (0,)),
    ("linalg.svd", (normal(3, 4), False), (0,)),
    ("linalg.matrix_power", (regular(3, 3), 3), (0,)),
    ("linalg.lstsq", (normal(4, 3), normal(4)), (0, 1)),
    ("fft.fft", (complexes(5), 7), (0,)),
    ("fft.fft", (normal(3, 5), 4, 0, "ortho"), (0,)),
    ("fft.ifft", (complexes(5), 3, -1, "forward"), (0,)),
    ("fft.rfft", (normal(3, 6),), (0,)),
    ("fft.rfft", (normal(4, 5), None, 0, "ortho"), (0,)),
    ("fft.irfft", (complexes(4),), (0,)),
    ("fft.fft2", (complexes(3, 4),), (0,)),
    ("fft.ifftn", (complexes(2, 3, 4), None, (0, 2)), (0,)),
    ("fft.rfftn", (normal(2, 4, 4),), (0,)),
    ("fft.irfftn", (complexes(2, 3),), (0,)),
    ("fft.fftshift", (normal(3, 4), 1), (0,)),
    ("real", (complexes(3),), (0,)),
    ("imag", (complexes(3),), (0,)),
    ("conj", (complexes(3),), (0,)),
    ("abs", (complexes(3),), (0,)),
    ("angle", (complexes(3),), (0,)),
    ("exp", (complexes(3),), (0,)),
    ("sin", (complexes(3),), (0,)),
    ("multiply", (complexes(3), normal(2, 3)), (0, 1)),
    ("divide", (complexes(3), complexes(2, 3)), (0, 1)),
    ("subtract", (normal(3), complexes(2, 3)), (0, 1)),
]
RECORDS = {"conj": "np.conjugate", "abs": "np.absolute"}
TRIANGLES = {"linalg.cholesky", "linalg.eigh", "linalg.eigvalsh"}


def ids(case: Any) -> Any:
    return case[0] if isinstance(case, tuple) else None


def cotangents(name: str, operands: tuple[Any, ...]) -> list[Any]:
    """Return random cotangents of the numbers of the result; the sign of a determinant has none."""
    rng = np.random.default_rng(0)
    gs = []
    for number in called(RECORDS.get(name, f"np.{name}"), *operands):
        g = rng.normal(size=number.shape)
        gs.append(g + 1j * rng.normal(size=number.shape) if number.dtype.kind == "c" else g)
    if name == "linalg.slogdet":
        gs[0] = np.zeros_like(gs[0])
    if name == "linalg.lstsq":
        gs[1], gs[2] = np.zeros_like(gs[1]), np.zeros_like(gs[2])
    return gs


def found(name: str, operands: tuple[Any, ...], gs: list[Any], position: int) -> Any:
    return pulled(RECORDS.get(name, f"np.{name}"), operands, gs, position)


def agree(name: str, ours: Any, theirs: Any) -> None:
    """Assert that two values are equal; of a symmetric matrix in the symmetric form."""
    if name in TRIANGLES:
        ours, theirs = (x + np.swapaxes(x, -1, -2) for x in (ours, theirs))
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8)


def without_autograd(name: str, operands: tuple[Any, ...]) -> str:
    """Return why autograd is no judge of a case, or an empty text where it is one."""
    if name in ("linalg.qr", "linalg.matrix_power", "linalg.lstsq", "cross", "linalg.eigvalsh", "fft.rfftn"):
        return "it has no rule"
    if name == "fft.rfft" and operands[0].shape[operands[2] if len(operands) > 2 else -1] % 2:
        return "its rule is for even lengths"
    return ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=ids)
def test_autograd(case: Any) -> None:
    autograd = pytest.importorskip("autograd")
    name, operands, positions = case
    reason = without_autograd(name, operands)
    if reason:
        pytest.skip(reason)
    gs = cotangents(name, operands)
    library: Any = autograd.numpy
    for part in name.split("."):
        library = getattr(library, part)

    def function(x: Any, position: int) -> Any:
        y = library(*operands[:position], x, *operands[position + 1 :])
        return autograd.builtins.tuple(tuple(y)) if len(gs) > 1 else y

    for position in positions:
        pull, _ = autograd.make_vjp(function)(operands[position], position)
        agree(name, found(name, operands, gs, position), pull(tuple(gs) if len(gs) > 1 else gs[0]))


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_jax(case: Any) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    name, operands, positions = case
    gs = cotangents(name, operands)
    library: Any = jax.numpy
    for part in name.split("."):
        library = getattr(library, part)

    def function(x: Any, position: int) -> Any:
        y = library(*operands[:position], x, *operands[position + 1 :])
        if name == "linalg.lstsq":
            return y[0]
        return tuple(y) if len(gs) > 1 else y

    for position in positions:
        y, pull = jax.vjp(lambda x, at=position: function(x, at), operands[position])
        given = gs[0] if not isinstance(y, tuple) else tuple(gs)
        agree(name, found(name, operands, gs, position), np.asarray(pull(given)[0]))


TORCH = {
    "linalg.solve": lambda torch: torch.linalg.solve,
    "linalg.inv": lambda torch: torch.linalg.inv,
    "linalg.pinv": lambda torch: torch.linalg.pinv,
    "linalg.det": lambda torch: torch.linalg.det,
    "linalg.slogdet": lambda torch: torch.linalg.slogdet,
    "linalg.cholesky": lambda torch: torch.linalg.cholesky,
    "linalg.qr": lambda torch: torch.linalg.qr,
    "linalg.eigvalsh": lambda torch: torch.linalg.eigvalsh,
    "linalg.matrix_power": lambda torch: torch.linalg.matrix_power,
    "matmul": lambda torch: torch.matmul,
    "kron": lambda torch: torch.kron,
    "einsum": lambda torch: torch.einsum,
    "fft.fft": lambda torch: torch.fft.fft,
    "fft.rfft": lambda torch: torch.fft.rfft,
    "fft.irfft": lambda torch: torch.fft.irfft,
    "abs": lambda torch: torch.abs,
}


@pytest.mark.parametrize("case", [case for case in CASES if case[0] in TORCH], ids=ids)
def test_torch(case: Any) -> None:
    """PyTorch's cotangents of complex numbers are the conjugates of ours."""
    torch = pytest.importorskip("torch")
    name, operands, positions = case
    gs = cotangents(name, operands)
    for position in positions:
        tensors = [torch.from_numpy(x.copy()) if isinstance(x, np.ndarray) else x for x in operands]
        tensors[position].requires_grad_(True)
        y = TORCH[name](torch)(*tensors)
        outputs = list(y) if isinstance(y, tuple) else [y]
        pairs = [
            (o, torch.as_tensor(np.asarray(np.conj(g))))
            for o, g in zip(outputs, gs, strict=True)
            if o.requires_grad
        ]
        torch.autograd.backward([o for o, _ in pairs], [g for _, g in pairs])
        ours = np.conj(found(name, operands, gs, position))
        agree(name, ours, tensors[position].grad.resolve_conj().numpy())
