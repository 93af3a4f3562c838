"""The gallery: complete programs, each of which answers a question by derivatives and draws what it found.

In: nothing. Out: `python -m docs.gallery` runs them and writes their pictures into docs/gallery/pictures.
Each program has `solve`, which returns a dataclass of what it found, `report`, which puts that into text, and
`draw`, which draws it into a file. Each stands alone: it imports nothing of the gallery.
"""
