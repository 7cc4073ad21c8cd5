"""Which code produced a result."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The repository."""


def commit() -> str | None:
    """The commit of this repository, with `+` if files differ from it; None outside git."""
    try:
        words = ("git", "-C", str(ROOT))
        head = subprocess.run([*words, "rev-parse", "HEAD"], capture_output=True, check=True)
        changes = subprocess.run(
            [*words, "status", "--porcelain", "--untracked-files=no"],
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return head.stdout.decode().strip() + ("+" if changes.stdout.strip() else "")
