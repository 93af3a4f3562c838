"""Functions of SciPy that are more than one record. A module is loaded when a program meets its package."""
