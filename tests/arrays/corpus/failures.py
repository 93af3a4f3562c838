"""Exceptions that NumPy raises: those that leave the function, and those that it handles."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.arrays.corpus import Example, filled


def outside(x: Any) -> Any:
    """An index out of bounds."""
    return x[len(x)]


def outside_handled(x: Any) -> Any:
    """The same, handled; its text is used."""
    total, i = 0.0, 0
    try:
        while True:
            total += x[i] * i
            i += 1
    except IndexError as error:
        return total, str(error)


def shapes_that_differ(x: Any) -> Any:
    """Shapes that do not broadcast."""
    return x + x[1:]


def shapes_handled(x: Any) -> Any:
    """The same, with another way out."""
    try:
        y = x @ x[1:]
    except ValueError:
        y = x[:-1] @ x[1:]
    return y


def singular(a: Any) -> Any:
    """A matrix that has no inverse."""
    return np.linalg.inv(a - a)


def singular_handled(a: Any) -> Any:
    """Regularized until it can be solved."""
    b, shift = a - a, 0.0
    while True:
        try:
            return np.linalg.solve(b + shift * np.eye(2), a[0])
        except np.linalg.LinAlgError:
            shift += 0.5


def indefinite(a: Any) -> Any:
    """Cholesky's factor of what has none, with a shift that grows."""
    shift = 0.0
    for _ in range(20):
        try:
            low = np.linalg.cholesky(a + a.T + shift * np.eye(len(a)))
            break
        except np.linalg.LinAlgError as error:
            message = str(error)
            shift = 2.0 * shift + 0.1
    return low, message


def ambiguous(x: Any) -> Any:
    """The truth of an array of several elements."""
    if x > 0:
        return x
    return -x


def ambiguous_and(x: Any) -> Any:
    """The same, by `and`."""
    return (x > 0) and (x < 1)


def bad_axis(x: Any) -> Any:
    """An axis that is not there."""
    return np.sum(x, axis=2)


def bad_axis_handled(x: Any) -> Any:
    """Handle the same, and use its attributes and its text."""
    try:
        return np.sum(x, axis=2)
    except np.exceptions.AxisError as error:
        return x[0] * error.axis + x[1] * error.ndim, str(error), error.args


def bad_reshape(x: Any) -> Any:
    """A shape of another size."""
    return x.reshape(2, 2)


def reshape_handled(x: Any) -> Any:
    """Shapes are tried one after the other."""
    for rows in (2, 4, 3):
        try:
            a = x.reshape(rows, -1)
        except ValueError:
            continue
        return a.sum(axis=0)
    return x


def too_many(x: Any) -> Any:
    """Another number of values than names."""
    a, b = x
    return a + b


def too_many_handled(x: Any) -> Any:
    """The same, handled."""
    try:
        a, b = x
    except ValueError as error:
        a, b, text = x[0], x[1], str(error)
    return a + b, text


def not_one(x: Any) -> float:
    """float() of more than one element."""
    return float(x) * 2.0


def bad_write(x: Any) -> Any:
    """What is written has another shape."""
    y = np.zeros(3)
    y[:2] = x
    return y


def write_handled(x: Any) -> Any:
    """A write that fails changes nothing."""
    y = np.zeros(3)
    y[0] = x[0]
    try:
        y[1:] = x
    except ValueError:
        y[1] = x[1] * y[0]
    return y


def integers_take_no_reals(x: Any) -> Any:
    """An operation in place that would lose digits."""
    n = np.arange(3)
    n += x
    return n


def no_attribute(x: Any) -> Any:
    """An attribute that arrays do not have."""
    return x.shape[5]


def own_exception(x: Any) -> Any:
    """Raised by the program, with a value in it; finally runs."""
    steps = []
    try:
        for v in x:
            steps.append(v * v)
            if v > 0:
                raise ValueError(f"positive {v:.3f}")
    except ValueError as error:
        steps.append(x[0])
        return sum(steps), str(error)
    finally:
        steps.append(x[1])
    return steps


def raised_with_shape(x: Any) -> Any:
    """Checks its argument."""
    if x.ndim != 2:
        raise TypeError(f"a matrix is needed, not an array of shape {x.shape}")
    return x


def ambiguous_at_last(x: Any) -> Any:
    """The truth of what was a float in all turns before."""
    count = 0
    for v in [1.0, 0.0, 2.0, 1.0, 0.0, 3.0, 1.0, x]:
        if v:
            count += 1
    return x * count


def read_only(a: Any) -> Any:
    """A diagonal shows the elements of its matrix, and cannot be written to."""
    v = np.diag(a)
    v[0] = 2.0
    return v


def read_only_in_place(a: Any) -> Any:
    """The same by an operator, of what the function made itself."""
    b = a * 1.0
    v = b.diagonal()
    total = v.sum()
    v /= 2.0
    return v * total


def read_only_view(x: Any) -> Any:
    """A part of what was broadcast."""
    wide = np.broadcast_to(x * 2.0, (2, 3))
    row = wide[1]
    total = row @ row
    row[0] = total
    return row


def read_only_handled(a: Any) -> Any:
    """Ways to write to one, each handled; what was written before is shown, and a copy can be written to."""
    b, said = a * 1.0, []
    b[0, 1] *= 3.0
    v = np.diag(b)
    total = v.sum()
    try:
        v[:1] = total
    except ValueError as error:
        said.append(str(error))
    try:
        v *= a[0]
    except ValueError as error:
        said.append(str(error))
    try:
        v[[0, 1]] += 1.0
    except ValueError as error:
        said.append(str(error))
    try:
        v.fill(total)
    except ValueError as error:
        said.append(str(error))
    try:
        np.put_along_axis(v, np.array([1]), total, 0)
    except ValueError as error:
        said.append(str(error))
    try:
        np.copyto(v, a[0])
    except ValueError as error:
        said.append(str(error))
    w = v.copy()
    w[0] = total * w[1]
    return w, v, said


EXAMPLES = [
    Example(ambiguous_at_last, (filled(3),), raises=ValueError),
    Example(ambiguous_at_last, (filled(1),)),
    Example(read_only, (filled(2, 2),), raises=ValueError),
    Example(read_only_in_place, (filled(2, 2),), raises=ValueError),
    Example(read_only_view, (filled(3),), raises=ValueError),
    Example(read_only_handled, (filled(2, 2),)),
    Example(outside, (filled(3),), raises=IndexError),
    Example(outside_handled, (filled(3),)),
    Example(shapes_that_differ, (filled(3),), raises=ValueError),
    Example(shapes_handled, (filled(3),)),
    Example(singular, (filled(2, 2),), raises=np.linalg.LinAlgError),
    Example(singular_handled, (filled(2, 2),)),
    Example(indefinite, (filled(2, 2),)),
    Example(ambiguous, (filled(3),), raises=ValueError),
    Example(ambiguous, (filled(1),)),
    Example(ambiguous_and, (filled(3),), raises=ValueError),
    Example(bad_axis, (filled(3),), raises=np.exceptions.AxisError),
    Example(bad_axis_handled, (filled(3),)),
    Example(bad_reshape, (filled(3),), raises=ValueError),
    Example(reshape_handled, (filled(9),)),
    Example(too_many, (filled(3),), raises=ValueError),
    Example(too_many_handled, (filled(3),)),
    Example(not_one, (filled(3),), raises=TypeError),
    Example(bad_write, (filled(3),), raises=ValueError),
    Example(write_handled, (filled(3),)),
    Example(integers_take_no_reals, (filled(3),), raises=TypeError),
    Example(no_attribute, (filled(3),), raises=IndexError),
    Example(own_exception, (filled(3),)),
    Example(raised_with_shape, (filled(3),), raises=TypeError),
    Example(raised_with_shape, (filled(3, 1),)),
]
