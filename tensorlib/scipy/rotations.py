"""Rotations in space: scipy.spatial.transform.Rotation and Slerp.

In a program these classes are translated in place of SciPy's. A rotation is its quaternions, one in each row.
Values are SciPy's, to the bit: its own code computes them. Derivatives are those of a formula for each method
(rotation_formulas.py). Left out: means, groups, reductions, alignments, and stacks of more than one axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import transform

from checkpoint.errors import refusal
from checkpoint.prims.arrays import StandIn, prim, solver, stands_for, translated_as
from tensorlib.scipy import rotation_formulas as formulas


def _restored(quat: Any, single: bool) -> Any:
    """Return SciPy's rotation with these quaternions, which are not normalised again."""
    made = transform.Rotation.__new__(transform.Rotation)
    made.__setstate__((np.array(quat, float), single))
    return made


@solver("scipy.spatial.transform, made")
def _made_by_scipy(method: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return the quaternions of a rotation that SciPy makes, and whether it is a single one."""
    made = getattr(transform.Rotation, method)(*args, **options)
    quat, single = made.__getstate__()
    if np.ndim(quat) != 2:
        raise refusal("rotations in stacks of more than one axis have no rule here")
    return np.array(quat, float), bool(single)


@solver("scipy.spatial.transform, used")
def _used_by_scipy(
    quat: Any, single: bool, method: str, args: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """Return what a method of SciPy's rotation gives; of a rotation its quaternions."""
    found = getattr(_restored(quat, single), method)(*args, **options)
    return found.__getstate__()[0] if isinstance(found, transform.Rotation) else found


@solver("scipy.spatial.transform, product")
def _multiplied_by_scipy(quats: tuple[Any, Any], singles: tuple[bool, bool]) -> Any:
    first, second = (_restored(*pair) for pair in zip(quats, singles, strict=True))
    quat, single = (first * second).__getstate__()
    return quat, bool(single)


def _made(method: Any, x: Any, args: Any, options: Any, formula: Any) -> Any:
    """Return the rotation that a static method of SciPy's makes of x, after some constant arguments."""
    x = np.asarray(x) * 1.0
    quat, single = prim("py.solver", "scipy.spatial.transform, made", (), (method, (*args, x), options))
    return _of_quaternions(prim("py.attached", quat, formula, x), single)


def _of_quaternions(quat: Any, single: Any) -> Any:
    """Return a rotation of quaternions in rows, as they are."""
    return Rotation(quat[0] if single else quat, normalize=False)


class Rotation:
    """See scipy.spatial.transform.Rotation."""

    def __init__(self, quat: Any, normalize: Any = True, copy: Any = True, scalar_first: Any = False) -> None:
        if normalize:
            made = Rotation.from_quat(quat, scalar_first=scalar_first)
            self._quat = made._quat
            self._single = made._single
        else:
            quat = np.asarray(quat) * 1.0
            if scalar_first:
                quat = np.roll(quat, -1, axis=-1)
            if quat.ndim not in (1, 2) or quat.shape[-1] != 4:
                raise ValueError(f"Expected `quat` to have shape (..., 4), got {quat.shape}.")
            self._single = quat.ndim == 1
            self._quat = quat.reshape(-1, 4)

    @staticmethod
    def from_quat(quat: Any, *, scalar_first: Any = False) -> Any:
        return _made(
            "from_quat",
            quat,
            (),
            {"scalar_first": scalar_first},
            lambda x: formulas.normalised(x.reshape(-1, 4), scalar_first),
        )

    @staticmethod
    def from_matrix(matrix: Any, *, assume_valid: Any = False) -> Any:
        options = {"assume_valid": True} if assume_valid else {}
        return _made(
            "from_matrix",
            matrix,
            (),
            options,
            lambda x: formulas.of_matrix(x.reshape(-1, 3, 3), assume_valid),
        )

    @staticmethod
    def from_rotvec(rotvec: Any, degrees: Any = False) -> Any:
        return _made(
            "from_rotvec",
            rotvec,
            (),
            {"degrees": degrees},
            lambda x: formulas.of_rotvec(x.reshape(-1, 3), degrees),
        )

    @staticmethod
    def from_euler(seq: Any, angles: Any, degrees: Any = False) -> Any:
        return _made(
            "from_euler",
            angles,
            (seq,),
            {"degrees": degrees},
            lambda x: formulas.of_euler(seq, x.reshape(-1, len(seq)), degrees),
        )

    @staticmethod
    def from_mrp(mrp: Any) -> Any:
        return _made("from_mrp", mrp, (), {}, lambda x: formulas.of_mrp(x.reshape(-1, 3)))

    @staticmethod
    def identity(num: Any = None) -> Any:
        return _of_quaternions(np.tile([0.0, 0.0, 0.0, 1.0], (1 if num is None else num, 1)), num is None)

    @staticmethod
    def concatenate(rotations: Any) -> Any:
        if isinstance(rotations, Rotation):
            return _of_quaternions(np.array(rotations._quat), rotations._single)
        for each in rotations:
            if not isinstance(each, Rotation):
                raise TypeError("input must contain Rotation objects only")
        return _of_quaternions(np.concatenate([each._quat for each in rotations]), False)

    @staticmethod
    def random(num: Any = None, rng: Any = None) -> Any:
        raise refusal("Rotation.random has no rule here: make it of quaternions that you draw")

    @staticmethod
    def align_vectors(a: Any, b: Any, weights: Any = None, return_sensitivity: Any = False) -> Any:
        raise refusal("Rotation.align_vectors has no rule here: use np.linalg.svd, from_matrix")

    def mean(self, weights: Any = None) -> Any:
        raise refusal("the mean of rotations has no rule here: use np.linalg.eigh, from_quat")

    def _found(self, method: Any, args: Any, options: Any, formula: Any) -> Any:
        """Return the array that a method of SciPy's gives, of the quaternions alone."""
        operands = (self._quat, self._single, method, args, options)
        value = prim("py.solver", "scipy.spatial.transform, used", (), operands)
        single = self._single

        def shaped(quat: Any) -> Any:
            found = formula(quat)
            return found[0] if single else found

        return prim("py.attached", value, shaped, self._quat)

    def as_quat(self, canonical: Any = False, *, scalar_first: Any = False) -> Any:
        options = {"canonical": canonical, "scalar_first": scalar_first}
        return self._found("as_quat", (), options, lambda q: formulas.quaternions(q, canonical, scalar_first))

    def as_matrix(self) -> Any:
        return self._found("as_matrix", (), {}, formulas.matrices)

    def as_rotvec(self, degrees: Any = False) -> Any:
        return self._found("as_rotvec", (), {"degrees": degrees}, lambda q: formulas.rotvecs(q, degrees))

    def as_euler(self, seq: Any, degrees: Any = False, *, suppress_warnings: Any = False) -> Any:
        options = {"degrees": degrees, "suppress_warnings": suppress_warnings}
        return self._found("as_euler", (seq,), options, lambda q: formulas.eulers(q, seq, degrees))

    def as_mrp(self) -> Any:
        return self._found("as_mrp", (), {}, formulas.mrps)

    def magnitude(self) -> Any:
        return self._found("magnitude", (), {}, formulas.magnitudes)

    def inv(self) -> Any:
        return _of_quaternions(self._quat * np.array([-1.0, -1.0, -1.0, 1.0]), self._single)

    def apply(self, vectors: Any, inverse: Any = False) -> Any:
        vectors = np.asarray(vectors) * 1.0
        is_one = self._single and vectors.ndim == 1
        operands: Any = (self._quat, self._single, "apply", (vectors, inverse), {})
        value = prim("py.solver", "scipy.spatial.transform, used", (), operands)

        def moved(parts: Any) -> Any:
            found = formulas.applied(parts[0], parts[1].reshape(-1, 3), inverse)
            return found[0] if is_one else found

        return prim("py.attached", value, moved, (self._quat, vectors))

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Rotation):
            return NotImplemented
        operands = ((self._quat, other._quat), (self._single, other._single))
        quat, single = prim("py.solver", "scipy.spatial.transform, product", (), operands)
        made = prim(
            "py.attached",
            quat,
            lambda parts: formulas.normalised(formulas.product(parts[0], parts[1]), False),
            (self._quat, other._quat),
        )
        return _of_quaternions(made, single)

    def __pow__(self, n: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            raise NotImplementedError("modulus not supported")
        operands: Any = (self._quat, self._single, "__pow__", (n,), {})
        quat = prim("py.solver", "scipy.spatial.transform, used", (), operands)
        made = prim("py.attached", quat, lambda parts: formulas.power(parts[0], parts[1]), (self._quat, n))
        return _of_quaternions(made, self._single)

    def __getitem__(self, indexer: Any) -> Any:
        if self._single:
            raise TypeError("Single rotation is not subscriptable.")
        return Rotation(self._quat[indexer], normalize=False)

    def __setitem__(self, indexer: Any, value: Any) -> None:
        if self._single:
            raise TypeError("Single rotation is not subscriptable.")
        if not isinstance(value, Rotation):
            raise TypeError("value must be a Rotation object")
        quat = np.array(self._quat)
        quat[indexer] = value.as_quat()
        self._quat = quat

    def __len__(self) -> int:
        if self._single:
            raise TypeError("Single rotation has no len().")
        return len(self._quat)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Any:
        if self._single:
            raise TypeError("Single rotation is not iterable.")
        return iter([self[i] for i in range(len(self._quat))])

    def approx_equal(self, other: Any, atol: Any = None, degrees: Any = False) -> Any:
        angles = (other * self.inv()).magnitude()
        if atol is None:
            return angles < 1e-8
        return angles < (np.deg2rad(atol) if degrees else atol)

    @property
    def single(self) -> Any:
        return self._single

    @property
    def shape(self) -> Any:
        return () if self._single else (len(self._quat),)


class Slerp:
    """See scipy.spatial.transform.Slerp."""

    def __init__(self, times: Any, rotations: Any) -> None:
        if not isinstance(rotations, Rotation):
            raise TypeError("`rotations` must be a `Rotation` instance.")
        if rotations.single or len(rotations) <= 1:
            raise ValueError("`rotations` must be a sequence of at least 2 rotations.")
        times = np.asarray(times) * 1.0
        if times.ndim != 1 or len(times) != len(rotations):
            raise ValueError("Slerp takes a time for each rotation.")
        self.times = times
        self.timedelta = np.diff(times)
        if np.any(self.timedelta <= 0):
            raise ValueError("Times must be in strictly increasing order.")
        self.rotations = rotations[:-1]
        self.rotvecs = (self.rotations.inv() * rotations[1:]).as_rotvec()

    def __call__(self, times: Any) -> Any:
        asked = np.asarray(times) * 1.0
        if asked.ndim > 1:
            raise ValueError("`times` must be at most 1-dimensional.")
        at = np.atleast_1d(asked)
        ind = np.searchsorted(self.times, at) - 1
        ind = np.where(at == self.times[0], 0, ind)
        if np.any((ind < 0) | (ind > len(self.rotations) - 1)):
            raise ValueError(
                f"Interpolation times must be within the range [{self.times[0]}, {self.times[-1]}], "
                f"both inclusive."
            )
        alpha = (at - self.times[ind]) / self.timedelta[ind]
        found = self.rotations[ind] * Rotation.from_rotvec(self.rotvecs[ind] * alpha[:, None])
        return found[0] if asked.ndim == 0 else found


def _parts(thing: Any) -> dict[str, Any]:
    quat, single = thing.__getstate__()
    return {"_quat": np.array(quat), "_single": bool(single)}


translated_as(_made, _made)
translated_as(formulas.product, formulas.product)
stands_for(
    StandIn(
        transform.Rotation,
        Rotation,
        _parts,
        lambda attributes: transform.Rotation.__new__(transform.Rotation),
        lambda made, attributes: made.__setstate__((np.array(attributes["_quat"]), attributes["_single"])),
    )
)
stands_for(
    StandIn(
        transform.Slerp,
        Slerp,
        lambda thing: {name: getattr(thing, name) for name in ("times", "timedelta", "rotations", "rotvecs")},
        lambda attributes: transform.Slerp.__new__(transform.Slerp),
        lambda made, attributes: vars(made).update(attributes),
    )
)
