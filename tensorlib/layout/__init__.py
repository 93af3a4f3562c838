"""Where elements are: shapes, indices, joining, new arrays, writing in place."""
