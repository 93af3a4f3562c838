"""Functions along axes: sums, extremes, norms, running sums, order, groups."""
