"""What an agent is, and the one that plays at random.

An agent chooses for many games at once, from what the seat to act in each of them may see. It gets
a random generator for each row, so what it answers for a game depends neither on how many others
are asked with it nor on their order.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from burraco_env._jit import row_kernel
from burraco_env.actions import NUM_ACTIONS
from burraco_env.generator import draw_below
from burraco_env.observations import OBSERVATION_SIZE


@runtime_checkable
class Agent(Protocol):
    """Anything with this `act`. An agent may have a `name: str` too, see `agent_name`.

    It keeps nothing between calls: the observation holds all that a player with a perfect memory
    knows. `act` may be called from several threads at once.
    """

    def act(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """Choose an action for each row.

        Args:
            observations: int8[n, OBSERVATION_SIZE], what the seat to act knows.
            masks: int8[n, NUM_ACTIONS], 1 for the legal actions; at least one in each row.
            rng: uint64[n], one splitmix64 state a row (`burraco_env.generator.draw_below`). The
                agent advances those from which it draws, in place. Row i of the answer depends on
                row i of the arguments alone.

        Returns:
            int64[n], ids of legal actions.

        Raises:
            ValueError: arrays of another shape or dtype, or a row without a legal action.
        """
        ...


def agent_name(agent: Agent) -> str:
    """The agent's `name`, or that of its class."""
    return str(getattr(agent, "name", type(agent).__name__))


def check_rows(
    observations: npt.NDArray[np.int8],
    masks: npt.NDArray[np.int8],
    rng: npt.NDArray[np.uint64],
) -> None:
    """Check the arguments of `act`, but for rows without a legal action (`no_legal_action`).

    Raises:
        ValueError: an array of another shape or dtype.
    """
    rows = len(masks)
    wanted = (
        ("observations", observations, (rows, OBSERVATION_SIZE), np.int8),
        ("masks", masks, (rows, NUM_ACTIONS), np.int8),
        ("rng", rng, (rows,), np.uint64),
    )
    for name, array, shape, dtype in wanted:
        if array.shape != shape or array.dtype != dtype:
            raise ValueError(
                f"{name} must be {np.dtype(dtype).name}{list(shape)}, "
                f"not {array.dtype.name}{list(array.shape)}"
            )


def no_legal_action(row: int) -> ValueError:
    """The error of an agent that is asked to act where nothing is legal."""
    return ValueError(
        f"row {row} of the masks has no legal action; "
        "leave out games that are over and seats that are not to act"
    )


@row_kernel
def _random_actions(masks: Any, rng: Any, actions: Any) -> int:
    """Draw a legal action for each row; returns the first row that has none, or -1."""
    for row in range(masks.shape[0]):
        count = 0
        for action in range(masks.shape[1]):
            count += 1 if masks[row, action] != 0 else 0
        if count == 0:
            return row
        left = draw_below(rng, row, count)
        for action in range(masks.shape[1]):
            if masks[row, action] != 0:
                if left == 0:
                    actions[row] = action
                    break
                left -= 1
    return -1


class RandomAgent:
    """Plays each legal action with the same probability."""

    name = "random"

    def act(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """Draw a legal action for each row, as `Agent.act` says."""
        check_rows(observations, masks, rng)
        actions = np.zeros(len(masks), dtype=np.int64)
        row = _random_actions(masks, rng, actions)
        if row >= 0:
            raise no_legal_action(row)
        return actions
