"""Linear algebra: products, systems, decompositions."""
