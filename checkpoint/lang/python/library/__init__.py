"""Functions and methods of Python, written in the language that is translated."""
