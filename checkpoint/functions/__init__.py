"""Python functions and `.vlad` procedures as closures that an engine runs."""
