"""Translation of hot regions to C. Start with units/graph.py and translation.py."""
