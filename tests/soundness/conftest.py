"""Makes the helpers beside this file importable by name."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
