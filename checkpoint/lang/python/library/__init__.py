"""Python's builtins and methods, written in the language that is translated."""
