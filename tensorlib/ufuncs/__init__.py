"""NumPy's functions element by element as objects: out=, where=, reduce, accumulate, reduceat, outer, at."""
