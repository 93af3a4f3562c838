"""The translation of one function in normal form to one lambda of the core."""
