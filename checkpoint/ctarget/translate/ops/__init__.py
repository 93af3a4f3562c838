"""Operations of translated units, one class each, and the C text that they are made of."""
