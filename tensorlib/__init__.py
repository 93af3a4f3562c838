"""Functions of arrays: one record for each, with its value, its derivatives and where tests try it.

Importing this package registers them all, but for those of SciPy's functions (scipy_linalg, scipy_special),
which are registered when a program first names one of SciPy's. It knows the records of checkpoint.ad.tensors
and the registration of checkpoint.prims.arrays, and nothing else of the runtime. The table of names is in
tensorlib/README.md.
"""

from __future__ import annotations

from tensorlib import (
    facts,
    functional,
    generators,
    jacobian_parts,
    networks,
    numpy_arrays,
    objects,
    random,
    seeded,
    sparse,
    special,
    training,
)
from tensorlib.elementwise import comparison, complex, elementary, exponents, pointwise, powers, selection
from tensorlib.functional import reduce, scan
from tensorlib.language import functions, kinds, scalars
from tensorlib.language import networks as tensor_networks
from tensorlib.language import products as tensor_products
from tensorlib.layout import (
    accumulating,
    combining,
    creation,
    indexing,
    inplace,
    item_formulas,
    joining,
    lanes,
    ordered,
    placing,
    ranges,
    rearranging,
    shapes,
    writing,
)
from tensorlib.layout.accumulating import add_at, subtract_at
from tensorlib.layout.transfer import to
from tensorlib.linear import (
    decompositions,
    diagonals,
    eigenvalues,
    einsum,
    linalg,
    matrices,
    matrix_norms,
    products,
    singular,
    vectors,
)
from tensorlib.reductions import axes, extremes, grouping, missing, norms, quantiles, scans, sorting, sums
from tensorlib.reductions.grouping import segment_max, segment_min, segment_prod, segment_sum
from tensorlib.signals import calculus, convolution, fourier
from tensorlib.ufuncs import extremes_at, outputs, partial_sums, reducing
from tensorlib.written import (
    calling,
    elements,
    grids,
    histograms,
    options,
    orthogonal,
    polynomials,
    statistics,
)

__all__ = [
    "accumulating",
    "add_at",
    "axes",
    "calculus",
    "calling",
    "combining",
    "comparison",
    "complex",
    "convolution",
    "creation",
    "decompositions",
    "diagonals",
    "eigenvalues",
    "einsum",
    "elementary",
    "elements",
    "exponents",
    "extremes",
    "extremes_at",
    "facts",
    "fourier",
    "functional",
    "functions",
    "generators",
    "grids",
    "grouping",
    "histograms",
    "indexing",
    "inplace",
    "item_formulas",
    "jacobian_parts",
    "joining",
    "kinds",
    "lanes",
    "linalg",
    "matrices",
    "matrix_norms",
    "missing",
    "networks",
    "norms",
    "numpy_arrays",
    "objects",
    "options",
    "ordered",
    "orthogonal",
    "outputs",
    "partial_sums",
    "placing",
    "pointwise",
    "polynomials",
    "powers",
    "products",
    "quantiles",
    "random",
    "ranges",
    "rearranging",
    "reduce",
    "reducing",
    "scalars",
    "scan",
    "scans",
    "seeded",
    "segment_max",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "selection",
    "shapes",
    "singular",
    "sorting",
    "sparse",
    "special",
    "statistics",
    "subtract_at",
    "sums",
    "tensor_networks",
    "tensor_products",
    "to",
    "training",
    "vectors",
    "writing",
]
