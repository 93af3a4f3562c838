"""One function in normal form to one lambda of the core."""
