"""Units, the language between what specialises blocks and what emits C: start with graph.py."""
