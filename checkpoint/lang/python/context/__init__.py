"""What all files of the translation share: meanings of names, exits of statements, building of core terms."""
