"""Transforms, convolution, and functions given by their values at points."""
