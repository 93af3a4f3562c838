"""Functions of tensors as programs of the language name them."""
