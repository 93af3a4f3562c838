"""A function and all that it calls as one program, and the inputs that the program reads."""
