"""Calls: what is called, how its arguments are arranged, and functions as values."""
