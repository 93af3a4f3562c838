"""Functions of the standard library, written in the language that is translated, a file for each subject.

Each file has a table FUNCTIONS: Python's objects, and the functions that stand for them. tables.py puts all
tables together; a file is added there, in one line.
"""
