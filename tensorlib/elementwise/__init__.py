"""Functions element by element: arithmetic, elementary functions, comparisons, choices."""
