"""Runs on arrays, kept as the calls of a library that they make."""
