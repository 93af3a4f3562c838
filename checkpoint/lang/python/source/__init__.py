"""The text of a function, whether it is translated, and what is refused with which advice."""
