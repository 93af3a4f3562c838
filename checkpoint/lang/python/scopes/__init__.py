"""Names: who binds, reads and changes which variable, and where a name is visible."""
