"""The command ``tooldeck``, also as ``python -m tooldeck``."""

from __future__ import annotations

import sys

from tooldeck.serve.command import main

if __name__ == "__main__":
    sys.exit(main())
