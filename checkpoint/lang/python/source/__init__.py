"""The text of a function, whether the function is translated, and what is refused with which advice."""
