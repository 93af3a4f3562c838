"""Making units: blocks of the program, run on abstract values. Start with region.py."""
