"""Making units: blocks of the program, run on what is known of their values. Start with region.py."""
