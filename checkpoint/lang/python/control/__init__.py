"""Control flow: joins, loops, comprehensions, `try` and `match`."""
