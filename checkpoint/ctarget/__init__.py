"""The engine "c": blocks run by a register machine in C (ctemplates/). Start with peers.py, engine.py."""
