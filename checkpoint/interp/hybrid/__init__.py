"""The hybrid engine: blocks and their adjoints, evaluated in Python. Start with code.py and run.py."""
