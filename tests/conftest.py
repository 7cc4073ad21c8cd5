"""Settings that must be made before numba is imported."""

from __future__ import annotations

import os

os.environ.setdefault("NUMBA_NUM_THREADS", "2")  # tests compare one thread with two
