"""Strips: many lanes of a loop at once, in the vectors of the processor. Start with plan.py."""
