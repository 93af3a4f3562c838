"""PyTorch's tensors as values of programs: the library, its functions by NumPy's names, and its own names."""
