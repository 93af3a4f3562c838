"""`python -m checkpoint`: the command line."""

import sys

from checkpoint.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
