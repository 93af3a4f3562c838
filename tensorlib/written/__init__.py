"""Functions of NumPy that are written with others; programs translate them as the user's functions."""
