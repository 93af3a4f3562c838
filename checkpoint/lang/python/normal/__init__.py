"""The normal form: the subset of Python that is translated, and the liveness of variables in it."""
