"""The values of the language, their tangents and cotangents, and the arrays among them."""
