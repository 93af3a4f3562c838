"""The engine "c": blocks run by a register machine in C (ctemplates/). Start with build.py, peers.py, engine.py."""
