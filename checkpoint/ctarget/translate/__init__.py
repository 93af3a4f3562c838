"""Translation of hot regions to C: see graph.py."""
