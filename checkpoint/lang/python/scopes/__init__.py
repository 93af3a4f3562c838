"""Scopes: which function binds, reads and changes each variable."""
