"""Convolutions of one, two and three axes, and their transposes: with stride, padding, dilation and groups.

All are one record, with the parameters of PyTorch's torch.convolution. Where a library has a kernel, value
and cotangents are its own; elsewhere they are products of columns (tensorlib.networks.windows).
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.array_library import kernel, namespace
from checkpoint.prims.arrays import tensor, translated_as
from tensorlib.layout.moving import call, shape_now
from tensorlib.networks.padding import pad
from tensorlib.networks.windows import Geometry
from tensorlib.rules import number, real_only, unless_refused

Sizes = tuple[int, ...]


def convolution(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Sizes | int,
    padding: Sizes | int,
    dilation: Sizes | int,
    transposed: bool,
    output_padding: Sizes | int,
    groups: int,
) -> Any:
    """Return input (n, channels, ...) convolved with weight (outputs, channels / groups, ...), plus bias.

    transposed: the transpose of that, for a weight (channels, outputs / groups, ...). A size is a tuple, or
    one number for all axes.
    """
    xp = namespace((input, weight))
    return CONVOLUTION.value(
        xp, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
    )


def _sizes(size: Any, count: int) -> Sizes:
    """Return a size as a tuple; one number, or a tuple of one, is for all axes."""
    if isinstance(size, int):
        return (size,) * count
    return tuple(size) * (count if len(size) == 1 else 1)


def _options(
    weight: Any, stride: Any, padding: Any, dilation: Any, transposed: Any, extra: Any, groups: Any
) -> tuple[Any, ...]:
    """Return a convolution's options with all sizes as tuples."""
    count = len(weight.shape) - 2
    sizes = [_sizes(size, count) for size in (stride, padding, dilation, extra)]
    return *sizes[:3], transposed, sizes[3], groups


def _check(
    x: Any,
    weight: Any,
    bias: Any,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    extra: Sizes,
    groups: int,
) -> None:
    real_only("convolution", x, weight)
    shape, form = tuple(x.shape), tuple(weight.shape)
    count = len(form) - 2
    if count < 1 or len(shape) != count + 2:
        raise ValueError(
            f"convolution: an input of shape {shape} and a weight of shape {form} have not the same axes"
        )
    if min(stride) < 1 or min(dilation) < 1 or min(padding) < 0 or min(extra) < 0 or groups < 1:
        raise ValueError("convolution: stride, dilation and groups are at least 1, paddings at least 0")
    if form[0] % groups or shape[1] != (form[0] if transposed else form[1] * groups):
        raise ValueError(
            f"convolution: a weight of shape {form} in {groups} groups does not take the {shape[1]} channels "
            f"of an input of shape {shape}"
        )
    outputs = form[1] * groups if transposed else form[0]
    if bias is not None and tuple(bias.shape) != (outputs,):
        raise ValueError(f"convolution: bias has shape {tuple(bias.shape)}, not {(outputs,)}")
    if not transposed and min(Geometry(shape, form, stride, padding, dilation, groups).found) < 1:
        raise ValueError(
            f"convolution: the kernel of a weight of shape {form} is larger than an input of shape {shape}"
        )
    if transposed and any(e >= max(s, d) for e, s, d in zip(extra, stride, dilation, strict=True)):
        raise ValueError("convolution: output_padding is smaller than stride or dilation")


def _transposed(
    shape: Sizes, form: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, extra: Sizes, groups: int
) -> Geometry:
    """Return the windows of the convolution whose transpose is wanted: over the result."""
    parts = zip(shape[2:], form[2:], stride, padding, dilation, extra, strict=True)
    places = [(n - 1) * s - 2 * p + d * (k - 1) + e + 1 for n, k, s, p, d, e in parts]
    if min(places) < 1:
        raise ValueError(f"convolution: the result for an input of shape {shape} would be empty")
    return Geometry((shape[0], form[1] * groups, *places), form, stride, padding, dilation, groups)


def _convolution(
    xp: Any,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: Any,
    output_padding: Any,
    groups: Any,
) -> Any:
    rest = _options(weight, stride, padding, dilation, transposed, output_padding, groups)
    own = kernel(xp, "convolution")
    if own is not None:
        return unless_refused(own, _check, input, weight, bias, *rest)
    _check(input, weight, bias, *rest)
    stride, padding, dilation, transposed, output_padding, groups = rest
    shape, form = tuple(input.shape), tuple(weight.shape)
    if transposed:
        how = _transposed(shape, form, stride, padding, dilation, output_padding, groups)
        found = how.to_input(xp, input, weight)
    else:
        found = Geometry(shape, form, stride, padding, dilation, groups).forward(xp, input, weight)
    return found if bias is None else found + bias.reshape((1, -1, *[1] * (len(shape) - 2)))


def _pull(
    xp: Any,
    wanted: tuple[int, ...],
    g: Any,
    y: Any,
    saved: tuple[Any, ...],
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: Any,
    output_padding: Any,
    groups: Any,
) -> list[Any]:
    rest = _options(weight, stride, padding, dilation, transposed, output_padding, groups)
    own = kernel(xp, "convolution_pull")
    if own is not None:
        flags = [0 in wanted, 1 in wanted, 2 in wanted]
        given = own(g, input, weight, *rest, flags)
        return [given[i] for i in wanted]
    stride, padding, dilation, transposed, output_padding, groups = rest
    shape, form = tuple(input.shape), tuple(weight.shape)
    if transposed:
        how = _transposed(shape, form, stride, padding, dilation, output_padding, groups)
    else:
        how = Geometry(shape, form, stride, padding, dilation, groups)
    found = []
    for position in wanted:
        if position == 0:
            found.append(how.forward(xp, g, weight) if transposed else how.to_input(xp, g, weight))
        elif position == 1:
            found.append(how.to_weight(xp, input, g) if transposed else how.to_weight(xp, g, input))
        else:
            found.append(xp.sum(g, axis=(0, *range(2, len(g.shape)))))
    return found


def _input_jvp(t: Any, y: Any, input: Any, weight: Any, bias: Any, *rest: Any) -> Any:
    return call("tensorlib.convolution", t, weight, None, *rest)


def _weight_jvp(t: Any, y: Any, input: Any, weight: Any, bias: Any, *rest: Any) -> Any:
    return call("tensorlib.convolution", input, t, None, *rest)


def _bias_jvp(t: Any, y: Any, *operands: Any) -> Any:
    shape = shape_now(y)
    along = call("np.reshape", t, (1, shape[1], *[1] * (len(shape) - 2)))
    return number(call("np.broadcast_to", along, shape))


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    def draw(*shape: int) -> Any:
        return rng.normal(size=shape)

    flat = (draw(2, 3, 7), draw(4, 3, 3), draw(4), (1,), (0,), (1,), False, (0,), 1)
    return [
        flat,
        (draw(2, 4, 6), draw(2, 2, 3), None, (2,), (2,), (2,), False, (0,), 2),
        (draw(1, 2, 5, 4), draw(3, 2, 3, 2), draw(3), (2, 1), (1, 1), (1, 2), False, (0, 0), 1),
        (draw(1, 2, 3, 3, 2), draw(2, 1, 2, 2, 2), None, (1,) * 3, (1, 0, 0), (1,) * 3, False, (0,) * 3, 2),
        (draw(2, 4, 3), draw(4, 2, 3), draw(4), (2,), (1,), (1,), True, (1,), 2),
        (draw(1, 2, 3, 2), draw(2, 3, 2, 3), None, (2, 1), (0, 1), (1, 2), True, (0, 0), 1),
        (*[each.astype("f4") for each in flat[:3]], *flat[3:]),
        (draw(1, 2, 4, 4), draw(3, 2, 3, 3), None, 1, 1, (1,), False, 0, 1),
    ]


CONVOLUTION = tensor(
    "tensorlib.convolution",
    _convolution,
    pull=_pull,
    jvps=(_input_jvp, _weight_jvp, _bias_jvp, *[None] * 6),
    needs=((1,), (0,), (), *[()] * 6),
    implements=(convolution,),
    shape="(n, c, ...), (m, c / groups, ...), (m,) -> (n, m, ...)",
    samples=_samples,
)

# The functions as users call them


def _refuse(name: str, shape: Any, count: Any) -> None:
    """Refuse an input whose axes are not those of the function: a record takes any with a weight alike."""
    raise ValueError(f"{name}{count}d: an input has {count + 1} or {count + 2} axes, not {len(shape)}")


def _convolve(
    input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: Any, count: Any
) -> Any:
    """Return the convolution where there may be no axis of samples, and padding may be a word."""
    if input.ndim == count + 1:
        return _convolve(input[None], weight, bias, stride, padding, dilation, groups, count)[0]
    if input.ndim != count + 2 and input.ndim == weight.ndim:
        _refuse("conv", input.shape, count)
    if padding == "valid":
        padding = 0
    if padding == "same":
        if max(_as_tuple(stride)) > 1:
            raise ValueError('convolution: padding="same" is for a stride of 1')
        factors = _as_tuple(dilation) * (count if len(_as_tuple(dilation)) == 1 else 1)
        totals = [d * (k - 1) for d, k in zip(factors, weight.shape[2:], strict=True)]
        extra = [total % 2 for total in totals]
        if max(extra) > 0:
            input = pad(input, tuple([n for each in extra[::-1] for n in (0, each)]))
        padding = tuple([total // 2 for total in totals])
    return convolution(input, weight, bias, stride, padding, dilation, False, 0, groups)


def _as_tuple(size: Any) -> Any:
    return (size,) if isinstance(size, int) else tuple(size)


def _transpose(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: Any,
    dilation: Any,
    count: Any,
) -> Any:
    if input.ndim == count + 1:
        found = _transpose(
            input[None], weight, bias, stride, padding, output_padding, groups, dilation, count
        )
        return found[0]
    if input.ndim != count + 2 and input.ndim == weight.ndim:
        _refuse("conv_transpose", input.shape, count)
    return convolution(input, weight, bias, stride, padding, dilation, True, output_padding, groups)


def conv1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: Any = 1,
) -> Any:
    """Return the convolution along one axis; padding may be "same" or "valid"."""
    if input.ndim != 3 or isinstance(padding, str):
        return _convolve(input, weight, bias, stride, padding, dilation, groups, 1)
    return convolution(input, weight, bias, stride, padding, dilation, False, 0, groups)


def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: Any = 1,
) -> Any:
    """Return the convolution along two axes; padding may be "same" or "valid"."""
    if input.ndim != 4 or isinstance(padding, str):
        return _convolve(input, weight, bias, stride, padding, dilation, groups, 2)
    return convolution(input, weight, bias, stride, padding, dilation, False, 0, groups)


def conv3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: Any = 1,
) -> Any:
    """Return the convolution along three axes; padding may be "same" or "valid"."""
    if input.ndim != 5 or isinstance(padding, str):
        return _convolve(input, weight, bias, stride, padding, dilation, groups, 3)
    return convolution(input, weight, bias, stride, padding, dilation, False, 0, groups)


def conv_transpose1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: Any = 1,
    dilation: Any = 1,
) -> Any:
    """Return the transpose of conv1d, for a weight (channels, outputs / groups, size)."""
    return _transpose(input, weight, bias, stride, padding, output_padding, groups, dilation, 1)


def conv_transpose2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: Any = 1,
    dilation: Any = 1,
) -> Any:
    """Return the transpose of conv2d, for a weight (channels, outputs / groups, *sizes)."""
    return _transpose(input, weight, bias, stride, padding, output_padding, groups, dilation, 2)


def conv_transpose3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: Any = 1,
    dilation: Any = 1,
) -> Any:
    """Return the transpose of conv3d, for a weight (channels, outputs / groups, *sizes)."""
    return _transpose(input, weight, bias, stride, padding, output_padding, groups, dilation, 3)


for _function in (conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d):
    translated_as(_function, _function)
