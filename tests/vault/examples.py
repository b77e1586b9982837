"""How many examples a property of the vault is tried on: more in `make harden`."""

import os

from hypothesis import settings

EXAMPLES = settings(deadline=None, max_examples=2000 if os.environ.get("ZIB_HARDEN") else 50)
