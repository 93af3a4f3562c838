"""Goes from the caller's objects to its results by one call of C: small gradients, loops over lanes."""
