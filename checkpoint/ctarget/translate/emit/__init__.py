"""Units as C: a function that runs, one that also records, one that reverses. Start with text.py."""
