"""Calls: which function is called, the arrangement of arguments, and nested functions as values."""
