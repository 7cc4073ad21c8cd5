"""Files that are never half written, and files that grow line by line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def write_whole(path: Path, data: str | bytes) -> None:
    """Write a file; until it is whole, the one before stays.

    Args:
        path: the file.
        data: its content, or text to write as UTF-8.
    """
    new = path.with_name(f"{path.name}.new")
    with new.open("wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def append_line(path: Path, value: dict[str, Any]) -> None:
    """Append a line of JSON."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(value) + "\n")
