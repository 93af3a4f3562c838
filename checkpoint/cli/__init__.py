"""What users of a shell call: the command `checkpoint`."""
