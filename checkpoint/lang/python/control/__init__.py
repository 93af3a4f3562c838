"""Control flow: branches that join, loops, `try`, `match`."""
