"""The engine "interp": core as it is, evaluated step by step; the others are measured against it."""
