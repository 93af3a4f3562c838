"""Gradients of functions of NumPy beside those of PyTorch's counterparts, alone and in compositions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from scipy import special
from scipy.linalg import expm

from checkpoint import vjp

V = np.array([0.31, -1.27, 0.83, 1.9, -0.45])
W = np.array([1.13, 0.41, -0.62, 0.27, 2.2])
P = np.abs(V) + 0.3
M = np.array([[0.91, -0.43, 0.37, 0.1], [0.22, 1.14, -0.73, 0.6], [-0.56, 0.67, 0.79, -1.3]])
S = np.array([[1.9, -0.43, 0.37], [0.22, 2.14, -0.73], [-0.56, 0.67, 1.79]])
D = S @ S.T + np.eye(3)
U = np.array([-0.8, 0.1, 0.35, 0.6, -0.2])
A = np.arange(24.0).reshape(2, 3, 4) * 0.13 - np.cos(np.arange(24.0).reshape(2, 3, 4))
TIED = np.array([1.0, 3.0, 3.0, -2.0, 1.0])
T = torch


def added(x: Any, y: Any) -> Any:
    out = x.copy()
    np.add.at(out, [0, 3, 0], y)
    return out


ALONE: dict[str, Any] = {
    **dict.fromkeys(
        ("sin", "cos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "exp", "exp2", "expm1", "square"), V
    ),
    **dict.fromkeys(("reciprocal", "abs", "sign", "floor", "deg2rad", "rad2deg", "sinc", "negative"), V),
    **dict.fromkeys(("prod", "mean", "max", "min", "median", "diag", "nansum", "nanmean"), V),
    **dict.fromkeys(("tan", "arcsin", "arccos", "arctanh"), U),
    **dict.fromkeys(("log", "log2", "log10", "log1p", "sqrt"), P),
    **dict.fromkeys(("tril", "triu", "ravel", "fliplr", "flipud", "diagonal"), M),
    "arccosh": P + 1.0,
    "trace": S,
}

# By name a function of NumPy, the same of PyTorch, and the arguments.
PAIRS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "add": (np.add, T.add, (V, W)),
    "sub": (np.subtract, T.subtract, (M, M[0])),
    "mul": (np.multiply, T.multiply, (M, M[:, :1])),
    "div": (np.divide, T.divide, (V, W)),
    "power": (np.power, T.pow, (P, W)),
    "power at 0": (np.power, T.pow, (np.array([0.0, 0.0, 2.0]), np.array([2.0, 3.0, 0.0]))),
    "float_power": (np.float_power, T.float_power, (P, W)),
    "arctan2": (np.arctan2, T.arctan2, (V, W)),
    "hypot": (np.hypot, T.hypot, (V, W)),
    "logaddexp": (np.logaddexp, T.logaddexp, (V, W)),
    "logaddexp2": (np.logaddexp2, T.logaddexp2, (V, W)),
    "maximum": (np.maximum, T.maximum, (V, W)),
    "minimum": (np.minimum, T.minimum, (V, W)),
    "fmax": (np.fmax, T.fmax, (V, W)),
    "fmin": (np.fmin, T.fmin, (V, W)),
    "fmod": (np.fmod, T.fmod, (V, W)),
    "remainder": (np.remainder, T.remainder, (V, W)),
    "copysign": (np.copysign, T.copysign, (V, W)),
    "where": (lambda x, y: np.where(x > y, x * y, y), lambda x, y: T.where(x > y, x * y, y), (V, W)),
    "clip": (lambda x: np.clip(x, -0.5, 0.9), lambda x: T.clip(x, -0.5, 0.9), (V,)),
    "clip by arrays": (np.clip, T.clip, (V, W - 1.0, W + 0.1)),
    "nan_to_num": (np.nan_to_num, T.nan_to_num, (np.array([1.0, np.nan, np.inf, 2.0]),)),
    "round": (lambda x: np.round(x) * x, lambda x: T.round(x) * x, (V,)),
    "erf": (special.erf, T.erf, (V,)),
    "erfc": (special.erfc, T.erfc, (V,)),
    "erfinv": (special.erfinv, T.erfinv, (U,)),
    "gammaln": (special.gammaln, T.lgamma, (P,)),
    "expit": (special.expit, T.sigmoid, (V,)),
    "logit": (special.logit, T.logit, (np.abs(U),)),
    "xlogy": (special.xlogy, T.xlogy, (V, P)),
    "xlog1py": (special.xlog1py, T.special.xlog1py, (V, P)),
    "entr": (special.entr, T.special.entr, (P,)),
    "ndtr": (special.ndtr, T.special.ndtr, (V,)),
    "ndtri": (special.ndtri, T.special.ndtri, (np.abs(U),)),
    "log_ndtr": (special.log_ndtr, T.special.log_ndtr, (V,)),
    "erfcx": (special.erfcx, T.special.erfcx, (V,)),
    "i0e": (special.i0e, T.special.i0e, (V,)),
    "i1": (special.i1, T.special.i1, (V,)),
    "i1e": (special.i1e, T.special.i1e, (V,)),
    "logsumexp": (special.logsumexp, lambda x: T.logsumexp(x, (0, 1)), (M,)),
    "logsumexp axis": (lambda x: special.logsumexp(x, axis=1), lambda x: T.logsumexp(x, 1), (M,)),
    "softmax": (lambda x: special.softmax(x, axis=1), lambda x: T.softmax(x, 1), (M,)),
    "log_softmax": (lambda x: special.log_softmax(x, axis=0), lambda x: T.log_softmax(x, 0), (M,)),
    "sum axis": (lambda x: np.sum(x, axis=1), lambda x: T.sum(x, 1), (A,)),
    "sum axes": (lambda x: np.sum(x, axis=(0, 2), keepdims=True), lambda x: T.sum(x, (0, 2), True), (A,)),
    "mean axis": (lambda x: np.mean(x, axis=-1), lambda x: T.mean(x, -1), (A,)),
    "var axis": (lambda x: np.var(x, axis=1, ddof=1), lambda x: T.var(x, 1), (A,)),
    "std axis": (lambda x: np.std(x, axis=(0, 1)), lambda x: T.std(x, (0, 1), correction=0), (A,)),
    "prod axis": (lambda x: np.prod(x, axis=1), lambda x: T.prod(x, 1), (M,)),
    "prod with zeros": (np.prod, T.prod, (np.array([1.0, 0.0, 3.0]),)),
    "prod with two zeros": (np.prod, T.prod, (np.array([0.0, 0.0, 3.0]),)),
    "cumprod with zero": (np.cumprod, lambda x: T.cumprod(x, 0), (np.array([2.0, 0.0, 3.0, -1.0]),)),
    "cumprod axis": (lambda x: np.cumprod(x, axis=1), lambda x: T.cumprod(x, 1), (M,)),
    "cumsum axis": (lambda x: np.cumsum(x, axis=1), lambda x: T.cumsum(x, 1), (A,)),
    "cumsum": (np.cumsum, lambda x: T.cumsum(x, 0), (V,)),
    "cumprod": (np.cumprod, lambda x: T.cumprod(x, 0), (V,)),
    "var": (np.var, lambda x: T.var(x, correction=0), (V,)),
    "std": (np.std, lambda x: T.std(x, correction=0), (V,)),
    "sort": (np.sort, lambda x: T.sort(x).values, (V,)),
    "transpose": (np.transpose, lambda x: x.permute(2, 1, 0), (A,)),
    "max axis": (lambda x: np.max(x, axis=1), lambda x: T.amax(x, 1), (A,)),
    "max ties": (np.max, T.amax, (TIED,)),
    "min ties": (np.min, T.amin, (np.array([1.0, -2.0, -2.0]),)),
    "maximum ties": (np.maximum, T.maximum, (TIED, np.array([1.0, 2.0, 3.0, -2.0, 0.0]))),
    "minimum ties": (np.minimum, T.minimum, (TIED, np.array([1.0, 2.0, 3.0, -2.0, 0.0]))),
    "abs at 0": (np.abs, T.abs, (np.array([0.0, -1.0, 2.0]),)),
    "norm at 0": (np.linalg.norm, T.linalg.norm, (np.zeros(3),)),
    "sorted axis": (lambda x: np.sort(x, axis=0), lambda x: T.sort(x, 0).values, (M,)),
    "argsort": (lambda x, y: y[np.argsort(x)], lambda x, y: y[T.argsort(x)], (V, W)),
    "take": (lambda x: np.take(x, [0, 2, 2]), lambda x: T.take(x, T.tensor([0, 2, 2])), (M,)),
    "take_along_axis": (
        lambda x: np.take_along_axis(x, np.argsort(x, axis=1), axis=1),
        lambda x: T.take_along_dim(x, T.argsort(x, 1), 1),
        (M,),
    ),
    "quantile": (lambda x: np.quantile(x, 0.37), lambda x: T.quantile(x, 0.37), (V,)),
    "quantiles": (
        lambda x: np.quantile(x, [0.1, 0.6], axis=1),
        lambda x: T.quantile(x, T.tensor([0.1, 0.6], dtype=T.float64), 1),
        (M,),
    ),
    "diff": (np.diff, T.diff, (V,)),
    "diff twice": (lambda x: np.diff(x, n=2, axis=1), lambda x: T.diff(x, n=2, dim=1), (M,)),
    "gradient": (lambda x: np.gradient(x, 0.5), lambda x: T.gradient(x, spacing=0.5)[0], (V,)),
    "trapezoid": (np.trapezoid, T.trapezoid, (V, W)),
    "roll": (lambda x: np.roll(x, (1, 2), (0, 1)), lambda x: T.roll(x, (1, 2), (0, 1)), (M,)),
    "rot90": (np.rot90, T.rot90, (M,)),
    "flip": (lambda x: np.flip(x, 1), lambda x: T.flip(x, [1]), (M,)),
    "tile": (lambda x: np.tile(x, (2, 3)), lambda x: T.tile(x, (2, 3)), (M,)),
    "repeat": (
        lambda x: np.repeat(x, [1, 0, 2], axis=0),
        lambda x: T.repeat_interleave(x, T.tensor([1, 0, 2]), 0),
        (M,),
    ),
    "concatenate": (lambda x, y: np.concatenate([x, y, x]), lambda x, y: T.cat([x, y, x]), (V, W)),
    "stack": (lambda x, y: np.stack([x, y], axis=1), lambda x, y: T.stack([x, y], 1), (V, W)),
    "vstack": (lambda x, y: np.vstack([x, y]), lambda x, y: T.vstack([x, y]), (V, W)),
    "column_stack": (lambda x, y: np.column_stack([x, y]), lambda x, y: T.column_stack([x, y]), (V, W)),
    "split": (lambda x: np.split(x, 2, axis=1)[1], lambda x: T.split(x, 2, 1)[1], (M,)),
    "meshgrid": (
        lambda x, y: np.meshgrid(x, y)[0] * np.meshgrid(x, y)[1],
        lambda x, y: T.meshgrid(x, y, indexing="xy")[0] * T.meshgrid(x, y, indexing="xy")[1],
        (V, W[:3]),
    ),
    "moveaxis": (lambda x: np.moveaxis(x, 0, -1) ** 2, lambda x: T.moveaxis(x, 0, -1) ** 2, (A,)),
    "swapaxes": (lambda x: np.swapaxes(x, 0, 2) ** 2, lambda x: T.swapaxes(x, 0, 2) ** 2, (A,)),
    "broadcast_to": (lambda x: np.broadcast_to(x, (3, 5)), lambda x: T.broadcast_to(x, (3, 5)), (V,)),
    "pad": (lambda x: np.pad(x, 2), lambda x: T.nn.functional.pad(x, (2, 2)), (V,)),
    "pad reflect": (
        lambda x: np.pad(x, (2, 1), mode="reflect"),
        lambda x: T.nn.functional.pad(x[None], (2, 1), mode="reflect")[0],
        (V,),
    ),
    "pad edge": (
        lambda x: np.pad(x, (2, 1), mode="edge"),
        lambda x: T.nn.functional.pad(x[None], (2, 1), mode="replicate")[0],
        (V,),
    ),
    "pad wrap": (
        lambda x: np.pad(x, (2, 1), mode="wrap"),
        lambda x: T.nn.functional.pad(x[None], (2, 1), mode="circular")[0],
        (V,),
    ),
    "kron": (np.kron, T.kron, (M, S)),
    "outer": (np.outer, T.outer, (V, W)),
    "inner": (np.inner, T.inner, (M, M[:2])),
    "cross": (np.cross, T.linalg.cross, (V[:3], W[:3])),
    "dot": (np.dot, T.dot, (V, W)),
    "vdot": (np.vdot, T.vdot, (V, W)),
    "matmul": (np.matmul, T.matmul, (A, M.T)),
    "matmul vector": (np.matmul, T.matmul, (A, M[0])),
    "tensordot": (
        lambda x, y: np.tensordot(x, y, axes=([0, 2], [1, 0])),
        lambda x, y: T.tensordot(x, y, ([0, 2], [1, 0])),
        (A, np.ascontiguousarray(M.T[:, :2])),
    ),
    "einsum": (
        lambda x, y: np.einsum("bij,kj->bik", x, y),
        lambda x, y: T.einsum("bij,kj->bik", x, y),
        (A, M),
    ),
    "einsum diagonal": (lambda x: np.einsum("ii->i", x), lambda x: T.einsum("ii->i", x), (S,)),
    "einsum three": (
        lambda x, y, z: np.einsum("i,ij,j->", x, y, z),
        lambda x, y, z: T.einsum("i,ij,j->", x, y, z),
        (V[:3], M, W[:4]),
    ),
    "einsum sum": (lambda x: np.einsum("bij->j", x), lambda x: T.einsum("bij->j", x), (A,)),
    "inv": (np.linalg.inv, T.linalg.inv, (S,)),
    "det": (np.linalg.det, T.linalg.det, (S,)),
    "det stacked": (np.linalg.det, T.linalg.det, (np.stack([S, D]),)),
    "slogdet": (lambda x: np.linalg.slogdet(x)[1], lambda x: T.linalg.slogdet(x)[1], (S,)),
    "solve": (np.linalg.solve, T.linalg.solve, (S, M)),
    "solve vector": (np.linalg.solve, T.linalg.solve, (S, V[:3])),
    "cholesky": (lambda x: np.linalg.cholesky(x @ x.T), lambda x: T.linalg.cholesky(x @ x.T), (S,)),
    "eigh": (lambda x: np.linalg.eigh(x + x.T)[0], lambda x: T.linalg.eigh(x + x.T)[0], (D,)),
    "eigh vectors": (
        lambda x: np.linalg.eigh(x + x.T)[1] ** 2,
        lambda x: T.linalg.eigh(x + x.T)[1] ** 2,
        (D,),
    ),
    "eigvalsh": (lambda x: np.linalg.eigvalsh(x + x.T), lambda x: T.linalg.eigvalsh(x + x.T), (D,)),
    "eigvals": (
        lambda x: np.sort(np.linalg.eigvals(x).real),
        lambda x: T.sort(T.linalg.eigvals(x).real).values,
        (D,),
    ),
    "svd values": (lambda x: np.linalg.svd(x, compute_uv=False), T.linalg.svdvals, (M,)),
    "svd": (
        lambda x: np.linalg.svd(x, full_matrices=False)[0] ** 2,
        lambda x: T.linalg.svd(x, full_matrices=False)[0] ** 2,
        (M,),
    ),
    "qr": (lambda x: np.abs(np.linalg.qr(x)[1]), lambda x: T.abs(T.linalg.qr(x)[1]), (M.T,)),
    "qr q": (lambda x: np.linalg.qr(x)[0] ** 2, lambda x: T.linalg.qr(x)[0] ** 2, (M.T,)),
    "pinv": (np.linalg.pinv, T.linalg.pinv, (M,)),
    "matrix_power": (lambda x: np.linalg.matrix_power(x, 3), lambda x: T.linalg.matrix_power(x, 3), (S,)),
    "matrix_power -2": (
        lambda x: np.linalg.matrix_power(x, -2),
        lambda x: T.linalg.matrix_power(x, -2),
        (S,),
    ),
    "multi_dot": (
        lambda x, y, z: np.linalg.multi_dot([x, y, z]),
        lambda x, y, z: T.linalg.multi_dot([x, y, z]),
        (S, M, M.T),
    ),
    "norm": (np.linalg.norm, T.linalg.norm, (V,)),
    "norm 1": (lambda x: np.linalg.norm(x, 1), lambda x: T.linalg.norm(x, 1), (V,)),
    "norm inf": (lambda x: np.linalg.norm(x, np.inf), lambda x: T.linalg.norm(x, np.inf), (V,)),
    "norm 3": (lambda x: np.linalg.norm(x, 3), lambda x: T.linalg.norm(x, 3), (V,)),
    "norm axis": (lambda x: np.linalg.norm(x, axis=1), lambda x: T.linalg.norm(x, dim=1), (M,)),
    "norm fro": (np.linalg.norm, T.linalg.norm, (M,)),
    "norm nuc": (lambda x: np.linalg.norm(x, "nuc"), lambda x: T.linalg.norm(x, "nuc"), (M,)),
    "norm 2": (lambda x: np.linalg.norm(x, 2), lambda x: T.linalg.norm(x, 2), (M,)),
    "norm matrix 1": (lambda x: np.linalg.norm(x, 1), lambda x: T.linalg.norm(x, 1), (M,)),
    "cond": (np.linalg.cond, T.linalg.cond, (S,)),
    "lstsq": (
        lambda x, y: np.linalg.lstsq(x, y, rcond=None)[0],
        lambda x, y: T.linalg.lstsq(x, y)[0],
        (M.T, M.T[:, :2]),
    ),
    "convolve": (
        np.convolve,
        lambda x, y: T.nn.functional.conv1d(x[None, None], y.flip(0)[None, None], padding=2)[0, 0],
        (V, W[:3]),
    ),
    "convolve same": (
        lambda x, y: np.convolve(x, y, "same"),
        lambda x, y: T.nn.functional.conv1d(x[None, None], y.flip(0)[None, None], padding=1)[0, 0],
        (V, W[:3]),
    ),
    "correlate": (
        lambda x, y: np.correlate(x, y, "valid"),
        lambda x, y: T.nn.functional.conv1d(x[None, None], y[None, None])[0, 0],
        (V, W[:3]),
    ),
    "fft": (lambda x: np.abs(np.fft.fft(x)), lambda x: T.abs(T.fft.fft(x)), (V,)),
    "rfft": (lambda x: np.fft.rfft(x).imag, lambda x: T.fft.rfft(x).imag, (V,)),
    "fft2": (lambda x: np.abs(np.fft.fft2(x)) ** 2, lambda x: T.abs(T.fft.fft2(x)) ** 2, (M,)),
    "irfft": (lambda x: np.fft.irfft(np.fft.rfft(x) ** 2), lambda x: T.fft.irfft(T.fft.rfft(x) ** 2), (M,)),
    "ifft": (
        lambda x: np.fft.ifft(np.fft.fft(x) * np.fft.fft(x)).real,
        lambda x: T.fft.ifft(T.fft.fft(x) * T.fft.fft(x)).real,
        (V,),
    ),
    "fft padded": (lambda x: np.fft.fft(x, 8).real, lambda x: T.fft.fft(x, 8).real, (V,)),
    "fft ortho": (
        lambda x: np.fft.fft(x, norm="ortho").imag,
        lambda x: T.fft.fft(x, norm="ortho").imag,
        (V,),
    ),
    "fftshift": (lambda x: np.fft.fftshift(x) * x, lambda x: T.fft.fftshift(x) * x, (V,)),
    "angle": (lambda x: np.angle(x + 1j * x[::-1]), lambda x: T.angle(x + 1j * x.flip(0)), (V,)),
    "complex": (lambda x: np.abs(np.exp(1j * x) * x + 0.5), lambda x: T.abs(T.exp(1j * x) * x + 0.5), (V,)),
    "complex power": (lambda x: ((x + 1j) ** 2.5).real, lambda x: ((x + 1j) ** 2.5).real, (V,)),
    "cov": (np.cov, T.cov, (M,)),
    "corrcoef": (np.corrcoef, T.corrcoef, (M,)),
    "bincount": (
        lambda w: np.bincount([0, 2, 2, 1, 0], w),
        lambda w: T.zeros(3, dtype=T.float64).index_add(0, T.tensor([0, 2, 2, 1, 0]), w),
        (V,),
    ),
    "index": (lambda x: x[[0, 2, 0], [1, 1, 3]], lambda x: x[[0, 2, 0], [1, 1, 3]], (M,)),
    "mask": (lambda x: x[x > 0.0], lambda x: x[x > 0.0], (M,)),
    "steps": (lambda x: x[::2, 1:][:, ::2] ** 2, lambda x: x[::2, 1:][:, ::2] ** 2, (M,)),
    "maximum.accumulate": (np.maximum.accumulate, lambda x: T.cummax(x, 0).values, (V,)),
    "logaddexp.reduce": (np.logaddexp.reduce, lambda x: T.logsumexp(x, 0), (V,)),
    "add.at": (added, lambda x, y: x.index_add(0, T.tensor([0, 3, 0]), y), (V, W[:3])),
    "ptp": (np.ptp, lambda x: T.max(x) - T.min(x), (V,)),
    "average": (lambda x, w: np.average(x, weights=w), lambda x, w: T.sum(x * w) / T.sum(w), (V, P)),
    "digitize": (
        lambda x: x * np.digitize(x, [0.0, 0.5]),
        lambda x: x * T.bucketize(x, T.tensor([0.0, 0.5], dtype=T.float64), right=True),
        (V,),
    ),
    "unique": (np.unique, lambda x: T.sort(x).values, (V,)),
    "mvn": (
        lambda x, s: x @ np.linalg.solve(s, x) + np.linalg.slogdet(s)[1],
        lambda x, s: x @ T.linalg.solve(s, x) + T.linalg.slogdet(s)[1],
        (V[:3], D),
    ),
    "attention": (
        lambda q, k: special.softmax(q @ k.T / 2.0, axis=-1) @ k,
        lambda q, k: T.softmax(q @ k.T / 2.0, -1) @ k,
        (M, M[::-1].copy()),
    ),
    "layer norm": (
        lambda x: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5),
        lambda x: T.nn.functional.layer_norm(x, (4,)),
        (M,),
    ),
    "gelu": (lambda x: 0.5 * x * (1.0 + special.erf(x / np.sqrt(2.0))), T.nn.functional.gelu, (V,)),
    "softplus": (lambda x: np.logaddexp(0.0, x), T.nn.functional.softplus, (V,)),
    "huber": (
        lambda x: np.where(np.abs(x) < 1.0, 0.5 * x * x, np.abs(x) - 0.5).sum(),
        lambda x: T.nn.functional.huber_loss(x, T.zeros_like(x), reduction="sum"),
        (V,),
    ),
    "cdist": (
        lambda x, y: np.sqrt(((x[:, None] - y[None]) ** 2).sum(-1)),
        T.cdist,
        (M, M[:2] + 0.3),
    ),
    "prod of norms": (
        lambda x: np.prod(np.linalg.norm(x, axis=0)) / np.linalg.det(x @ x.T),
        lambda x: T.prod(T.linalg.norm(x, dim=0)) / T.linalg.det(x @ x.T),
        (M,),
    ),
    "expm": (expm, T.linalg.matrix_exp, (S,)),
}


CASES = {**{name: (getattr(np, name), getattr(T, name), (x,)) for name, x in ALONE.items()}, **PAIRS}


@pytest.mark.parametrize("name", CASES)
def test_cotangents_are_those_of_pytorch(name: str) -> None:
    ours, theirs, arguments = CASES[name]
    leaves = [torch.tensor(each, requires_grad=True) for each in arguments]
    expected = theirs(*leaves)
    g = np.cos(np.arange(expected.numel())).reshape(expected.shape) + 0.2
    expected.backward(torch.tensor(g))
    value, found = vjp(lambda args: ours(*args), arguments, g if g.ndim else float(g))
    np.testing.assert_allclose(np.asarray(value), expected.detach().numpy(), rtol=1e-10, atol=1e-12)
    for each, leaf in zip(found, leaves, strict=True):
        there = np.zeros(leaf.shape) if leaf.grad is None else leaf.grad.numpy()
        np.testing.assert_allclose(each, there, rtol=1e-10, atol=1e-12)
