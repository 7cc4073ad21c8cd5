"""Layouts: a flat space or vector as named segments, one behind the other.

Offsets, sizes and the documented tables are all taken from these.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Segment:
    """A range of the action space, of an observation or of the full state.

    Attributes:
        name: name of the segment.
        start: first index.
        shape: sizes of its indices, row-major: index = start + ravel(indices).
        indices: what each index stands for.
        meaning: what the values say; of actions, the decisions as notation.md writes them.
        high: largest value; of actions 1, as in a mask.
    """

    name: str
    start: int
    shape: tuple[int, ...]
    indices: str
    meaning: str
    high: int = 1

    @property
    def size(self) -> int:
        """Number of indices."""
        return int(np.prod(self.shape))

    @property
    def stop(self) -> int:
        """Index behind the last one."""
        return self.start + self.size


def lay_out(
    rows: Iterable[tuple[str, tuple[int, ...], str, str, int]],
) -> tuple[Segment, ...]:
    """Segments one behind the other from their name, shape, indices, meaning and largest value."""
    segments: list[Segment] = []
    for name, shape, indices, meaning, high in rows:
        start = segments[-1].stop if segments else 0
        segments.append(Segment(name, start, shape, indices, meaning, high))
    return tuple(segments)
