"""The programs of the gallery, which stand alone: `python PROGRAM.py [PICTURE]`."""
