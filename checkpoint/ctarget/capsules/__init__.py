"""Capsules of states in C, whose parts are made in Python only where somebody reads them."""
