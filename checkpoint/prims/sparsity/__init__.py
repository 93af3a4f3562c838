"""Which reals of an argument each number of a run depends on: runs of programs on index sets.

sets.py has the sets, tape.py finds them while engine interp runs, rules.py says what functions of arrays do
to them, products.py what products of arrays do. Needs NumPy and SciPy, so it is imported where it is used.
"""
