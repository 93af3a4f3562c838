"""Reverse mode by checkpoints: a schedule decides what is kept, the executor does it on any engine."""
