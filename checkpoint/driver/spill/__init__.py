"""States of a sweep on a disk, where memory is too small for them."""
