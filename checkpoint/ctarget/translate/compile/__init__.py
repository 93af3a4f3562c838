"""C to machine code: finding the compiler, running it, keeping what it made, giving that to the machine."""
