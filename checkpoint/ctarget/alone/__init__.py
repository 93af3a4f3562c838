"""Programs of the language as executables without Python: their blocks as C, and how that is compiled."""
