"""Interfaces of the translation, meanings of names, exits of statements, makers of core expressions."""
