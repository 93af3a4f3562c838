"""Reverse mode by checkpoints: a schedule decides which states are kept, the executor follows it on any engine."""
