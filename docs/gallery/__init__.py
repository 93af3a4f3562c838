"""The gallery: complete programs, each of which solves a problem by gradients and draws what it found.

`python -m docs.gallery` runs all of them and writes their pictures into docs/gallery/. Each program has
`solve`, which returns a dataclass of what it found, and `draw`, which draws that into a file.
"""
