"""Linear algebra on nested lists: products, factorizations, eigenvalues, iterations."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import reduce

from tests.python.corpus import Example

Matrix = list[list[float]]

PIVOT_FLOOR = 1e-12


class SingularMatrixError(Exception):
    """The matrix has no inverse."""


def matmul(a: Matrix, b: Matrix) -> Matrix:
    """The product, by three loops."""
    rows, inner, columns = len(a), len(b), len(b[0])
    product = [[0.0] * columns for _ in range(rows)]
    for i in range(rows):
        for j in range(columns):
            for k in range(inner):
                product[i][j] += a[i][k] * b[k][j]
    return product


def matmul_short(a: Matrix, b: Matrix) -> Matrix:
    """The product, by comprehensions."""
    columns = list(zip(*b, strict=True))
    return [[sum(map(operator.mul, row, column)) for column in columns] for row in a]


def transpose(a: Matrix) -> Matrix:
    return [list(column) for column in zip(*a, strict=True)]


def identity(n: int) -> Matrix:
    return [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]


def matvec(a: Matrix, x: Sequence[float]) -> list[float]:
    return [sum(p * q for p, q in zip(row, x, strict=True)) for row in a]


def dot(x: Sequence[float], y: Sequence[float]) -> float:
    return sum(p * q for p, q in zip(x, y, strict=True))


def matrix_power(a: Matrix, n: int) -> Matrix:
    """The n-th power by repeated squaring."""
    result = identity(len(a))
    while n:
        if n & 1:
            result = matmul(result, a)
        a = matmul(a, a)
        n >>= 1
    return result


def solve(a: Matrix, b: list[float]) -> list[float]:
    """Gaussian elimination with partial pivoting."""
    n = len(a)
    m = [[*row, value] for row, value in zip(a, b, strict=True)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(m[i][k]))
        if abs(m[pivot][k]) < PIVOT_FLOOR:
            raise SingularMatrixError(f"no pivot in column {k}")
        m[k], m[pivot] = m[pivot], m[k]
        for i in range(k + 1, n):
            factor = m[i][k] / m[k][k]
            for j in range(k, n + 1):
                m[i][j] -= factor * m[k][j]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (m[i][n] - sum(m[i][j] * x[j] for j in range(i + 1, n))) / m[i][i]
    return x


def lu(a: Matrix) -> tuple[Matrix, Matrix]:
    """Doolittle's factorization without pivoting."""
    n = len(a)
    lower, upper = identity(n), [row[:] for row in a]
    for k in range(n - 1):
        for i in range(k + 1, n):
            lower[i][k] = upper[i][k] / upper[k][k]
            for j in range(k, n):
                upper[i][j] -= lower[i][k] * upper[k][j]
    return lower, upper


def log_determinant(a: Matrix) -> float:
    """The logarithm of a determinant, from the LU factorization."""
    _, upper = lu(a)
    return sum(math.log(abs(row[i])) for i, row in enumerate(upper))


def cholesky(a: Matrix) -> Matrix:
    """The lower triangle whose square is a."""
    n = len(a)
    low = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = a[i][j] - sum(low[i][k] * low[j][k] for k in range(j))
            low[i][j] = math.sqrt(rest) if i == j else rest / low[j][j]
    return low


def determinant(a: Matrix) -> float:
    """Laplace's expansion along the first row."""
    if len(a) == 1:
        return a[0][0]
    total = 0.0
    for j, head in enumerate(a[0]):
        minor = [row[:j] + row[j + 1 :] for row in a[1:]]
        total += (-1) ** j * head * determinant(minor)
    return total


def power_iteration(a: Matrix, rounds: int = 12) -> tuple[float, list[float]]:
    """The largest eigenvalue and its vector."""
    v = [1.0] + [0.5] * (len(a) - 1)
    for _ in range(rounds):
        w = matvec(a, v)
        norm = math.sqrt(dot(w, w))
        v = [x / norm for x in w]
    return dot(v, matvec(a, v)), v


def jacobi_iteration(a: Matrix, b: list[float], rounds: int = 15) -> list[float]:
    """Jacobi's iteration for a dominant diagonal."""
    x = [0.0 for _ in b]
    for _ in range(rounds):
        x = [
            (b[i] - sum(value * x[j] for j, value in enumerate(row) if j != i)) / row[i]
            for i, row in enumerate(a)
        ]
    return x


def gauss_seidel(a: Matrix, b: list[float]) -> list[float]:
    """The iteration of Gauss and Seidel until the change is small."""
    x = [0.0] * len(b)
    change = math.inf
    while change > 1e-9:
        change = 0.0
        for i, row in enumerate(a):
            old = x[i]
            x[i] = (b[i] - dot(row[:i], x[:i]) - dot(row[i + 1 :], x[i + 1 :])) / row[i]
            change = max(change, abs(x[i] - old))
    return x


def conjugate_gradient(a: Matrix, b: list[float]) -> list[float]:
    """Conjugate gradients, one step for each unknown."""
    x = [0.0] * len(b)
    r = p = b
    rr = dot(r, r)
    for _ in b:
        ap = matvec(a, p)
        alpha = rr / dot(p, ap)
        x = [xi + alpha * pi for xi, pi in zip(x, p, strict=True)]
        r = [ri - alpha * qi for ri, qi in zip(r, ap, strict=True)]
        rr, previous = dot(r, r), rr
        p = [ri + rr / previous * pi for ri, pi in zip(r, p, strict=True)]
    return x


def gram_schmidt(vectors: Matrix) -> tuple[Matrix, Matrix]:
    """An orthonormal basis, and the coefficients that give the vectors back."""
    basis: Matrix = []
    coefficients: Matrix = []
    for vector in vectors:
        rest = vector
        row = []
        for q in basis:
            c = dot(q, vector)
            rest = [x - c * y for x, y in zip(rest, q, strict=True)]
            row.append(c)
        length = math.hypot(*rest)
        row.append(length)
        coefficients.append(row)
        basis.append([x / length for x in rest])
    return basis, coefficients


def inverse(a: Matrix) -> Matrix:
    """The inverse, column by column."""
    return transpose([solve(a, unit) for unit in identity(len(a))])


def rotation_eigenvalues(a: float, b: float, c: float) -> tuple[float, float]:
    """The eigenvalues of a symmetric two by two matrix, by one Jacobi rotation."""
    theta = 0.5 * math.atan2(2 * b, a - c)
    co, si = math.cos(theta), math.sin(theta)
    return (
        co * co * a + 2 * si * co * b + si * si * c,
        si * si * a - 2 * si * co * b + co * co * c,
    )


def tridiagonal(lower: list[float], diagonal: list[float], upper: list[float], b: list[float]) -> list[float]:
    """The algorithm of Thomas."""
    n = len(diagonal)
    c = [upper[0] / diagonal[0]]
    d = [b[0] / diagonal[0]]
    for i in range(1, n):
        scale = diagonal[i] - lower[i - 1] * c[i - 1]
        if i < n - 1:
            c.append(upper[i] / scale)
        d.append((b[i] - lower[i - 1] * d[-1]) / scale)
    x = [d.pop()]
    while d:
        x.insert(0, d.pop() - c[len(d)] * x[0])
    return x


def chain_product(*matrices: Matrix) -> Matrix:
    """The product of any number of matrices."""
    return reduce(matmul, matrices)


def matrix_exponential(a: Matrix, terms: int = 10) -> Matrix:
    """exp(a) by its Taylor series."""
    total = term = identity(len(a))
    for k in range(1, terms):
        term = [[x / k for x in row] for row in matmul(term, a)]
        total = [[x + y for x, y in zip(p, q, strict=True)] for p, q in zip(total, term, strict=True)]
    return total


def trace_of_product(a: Matrix, b: Matrix) -> float:
    """The trace of a product without the product."""
    return sum(a[i][j] * b[j][i] for i in range(len(a)) for j in range(len(b)))


def norms(a: Matrix) -> dict[str, float]:
    """Several norms of a matrix, by name."""
    return {
        "frobenius": math.sqrt(math.fsum([x * x for row in a for x in row])),
        "one": max(sum(map(abs, column)) for column in zip(*a, strict=True)),
        "infinity": max(sum(abs(x) for x in row) for row in a),
    }


A2 = [[2.0, 1.0], [0.5, 3.0]]
A3 = [[4.0, 1.0, 0.5], [1.0, 5.0, -1.0], [0.5, -1.0, 6.0]]
A4 = [[0.2, 1.0, 2.0, 0.0], [1.0, 3.0, 0.3, 1.0], [2.0, 0.5, 0.1, 4.0], [0.7, 1.0, 1.5, 2.0]]
B3 = [1.0, -2.0, 0.5]

EXAMPLES = [
    Example(matmul, ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[1.0], [0.5], [-1.0]])),
    Example(matmul, (A2, 3.0), raises=TypeError),
    Example(matmul_short, (A2, [[0.1, 0.2], [0.3, 0.4]])),
    Example(transpose, ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],)),
    Example(matrix_power, (A2, 5)),
    Example(solve, (A4, [1.0, 2.0, 3.0, 4.0])),
    Example(solve, ([[1.0, 2.0], [2.0, 4.0]], [1.0, 1.0]), raises=SingularMatrixError),
    Example(lu, (A3,)),
    Example(log_determinant, (A3,)),
    Example(cholesky, (A3,)),
    Example(cholesky, ([[1.0, 2.0], [2.0, 1.0]],), raises=ValueError),
    Example(determinant, (A4,)),
    Example(power_iteration, (A3,)),
    Example(jacobi_iteration, (A3, B3)),
    Example(gauss_seidel, (A3, B3)),
    Example(conjugate_gradient, (A3, B3)),
    Example(gram_schmidt, (A3,)),
    Example(inverse, (A3,)),
    Example(rotation_eigenvalues, (2.0, 0.7, -1.0)),
    Example(tridiagonal, ([1.0, 0.5], [4.0, 5.0, 6.0], [1.0, -1.0], [1.0, 2.0, 3.0])),
    Example(chain_product, (A2, A2, [[1.0, -1.0], [0.3, 0.2]])),
    Example(matrix_exponential, (A2,)),
    Example(trace_of_product, (A3, A3)),
    Example(norms, (A3,)),
]
