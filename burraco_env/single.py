"""Kernels for a single game, called from Python.

They take an array of one record: passing a record from Python costs ten times as much as passing
the array that it is in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from burraco_env import engine, observations, resampling
from burraco_env._jit import kernel
from burraco_env.actions import NUM_ACTIONS
from burraco_env.errors import ResampleError
from burraco_env.resampling import MAX_TRIES
from burraco_env.state import GAME_DTYPE


@kernel
def legal(games: Any, ids: Any) -> int:
    """`engine.legal` of the game in `games`, shape (1,)."""
    return engine.legal(games[0], ids)


@kernel
def apply(games: Any, action: int) -> None:
    """`engine.apply` to the game in `games`, shape (1,)."""
    engine.apply(games[0], action)


@kernel
def observe(games: Any, me: int, out: Any) -> None:
    """`observations.observe` of the game in `games`, shape (1,)."""
    observations.observe(games[0], me, out)


@kernel
def resample(games: Any, me: int, state: Any, ids: Any) -> bool:
    """`resampling.resample` of the game in `games`, shape (1,)."""
    return resampling.resample(games[0], me, state, ids)


def copy(games: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """A copy of records; as bytes, since NumPy copies records field by field."""
    return games.view(np.uint8).copy().view(GAME_DTYPE)


def resampled(
    games: npt.NDArray[np.void], me: int, rng: np.random.Generator
) -> npt.NDArray[np.void]:
    """A copy of one game in which all that seat `me` cannot see is drawn anew, uniformly.

    Args:
        games: one record, shape (1,).
        me: the seat.
        rng: source of randomness.

    Raises:
        ResampleError: no consistent redraw was found.
    """
    twin = copy(games)
    state = rng.integers(0, 2**64, dtype=np.uint64)
    if not resample(twin, me, state, np.zeros(NUM_ACTIONS, dtype=np.int16)):
        raise ResampleError(f"no redraw in {MAX_TRIES} tries agrees with what seat {me} knows")
    return twin
