"""The normal form: the small Python that is translated, and what is live in it."""
