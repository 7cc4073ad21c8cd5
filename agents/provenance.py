"""Which code produced a result, and on what."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable
from importlib import metadata
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


def versions(packages: Iterable[str] = ("numpy", "numba", "scipy")) -> dict[str, str]:
    """Versions of Python, of this package and of these packages, by name."""
    names = ("burraco-env", *packages)
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in names}


def machine() -> str:
    """The processor and the number of its cores."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):  # another system
        pass
    return f"{model}, {os.cpu_count()} cores"
