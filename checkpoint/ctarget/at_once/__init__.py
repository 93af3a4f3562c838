"""What takes one call of C from the caller's objects to its results: small gradients, loops over lanes."""
