"""Derivatives taken inside of a program, as arithmetic of the unit around them. Start with inner_ops.py."""
