"""The front end for Python: from functions as people write them to the core language."""
