"""The random generator of games and agents (splitmix64), for kernels.

A generator is one uint64, its state: a field of each game record, or an element of the array that
an agent gets. `np.random` in kernels would ignore seeds and depend on the thread that runs the
game.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from burraco_env._jit import int64, kernel
from burraco_env.state import Game

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_UNIT_STEPS = 1 << 19
_S27, _S30, _S31, _S33 = (np.uint64(shift) for shift in (27, 30, 31, 33))


@kernel
def _advanced(state: Any) -> Any:
    """The state after one draw."""
    return state + _GAMMA


@kernel
def _word(state: Any) -> Any:
    """The 64 random bits that belong to a state, uint64."""
    mixed = (state ^ (state >> _S30)) * _MIX_1
    mixed = (mixed ^ (mixed >> _S27)) * _MIX_2
    return mixed ^ (mixed >> _S31)


@kernel
def next_below(game: Game, bound: int) -> int:
    """Uniform integer from 0 to bound - 1 from the game's generator; 0 < bound < 2**20."""
    state = _advanced(game["generator"])
    game["generator"] = state
    return int64(_word(state) >> _S33) % bound


@kernel
def draw_below(states: Any, row: int, bound: int) -> int:
    """As `next_below`, from the generator `states[row]` of a uint64 array."""
    state = _advanced(states[row])
    states[row] = state
    return int64(_word(state) >> _S33) % bound


@kernel
def draw_unit(states: Any, row: int) -> float:
    """A number between 0 and 1, both excluded, from the generator `states[row]`."""
    return (draw_below(states, row, _UNIT_STEPS) + 0.5) / _UNIT_STEPS


@kernel
def split(game: Game) -> Any:
    """State of a new generator, uint64, drawn from the game's."""
    state = _advanced(game["generator"])
    game["generator"] = state
    return _word(state)


def check_seed(seed: Any) -> int:
    """The seed as a plain number; ValueError if it is no whole number >= 0."""
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise ValueError(f"seed must be a whole number >= 0, not {seed!r}")
    return int(seed)


def generator_states(seed: int, count: int = 1, first: int = 0) -> npt.NDArray[np.uint64]:
    """Generator states of the games `first` to `first + count - 1` of a seed, uint64[count].

    Game b of a seed has the same state whatever the other arguments are. The seed is any whole
    number >= 0.
    """
    seed = check_seed(seed)
    games = range(first, first + count)
    words = [np.random.SeedSequence([seed, game]).generate_state(1, np.uint64)[0] for game in games]
    return np.array(words, dtype=np.uint64)
