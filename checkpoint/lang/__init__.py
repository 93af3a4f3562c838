"""The language: its core, and the way from texts to it."""
