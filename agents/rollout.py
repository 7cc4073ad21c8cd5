"""Games that scripted agents play to the end without leaving compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.expert import score_actions
from agents.greedy import choose_greedily
from agents.valuation import NOTES_DTYPE
from burraco_env._jit import int64, kernel
from burraco_env.actions import NUM_ACTIONS
from burraco_env.cards import NUM_CARDS
from burraco_env.engine import apply, legal
from burraco_env.observations import OBSERVATION_SIZE, observe
from burraco_env.rules import MAX_SEATS
from burraco_env.scoring import NUM_POINT_PARTS, seat_points
from burraco_env.state import MAX_SIDES, OVER_PHASE, Game

GREEDY = -1
"""Policy of a seat that `greedy` plays; the others are rows of the parameters of `expert`."""

DESK_DTYPE = np.dtype(
    [
        ("notes", NOTES_DTYPE),
        ("scratch", np.int64, (3, NUM_CARDS)),
        ("parts", np.int64, (MAX_SIDES, NUM_POINT_PARTS)),
        ("points", np.float64, (MAX_SEATS,)),
        ("leads", np.float64, (MAX_SEATS,)),
        ("ids", np.int16, (NUM_ACTIONS,)),
        ("logits", np.float32, (NUM_ACTIONS,)),
        ("mask", np.int8, (NUM_ACTIONS,)),
        ("observation", np.int8, (OBSERVATION_SIZE,)),
    ],
    align=True,
)
"""What one thread needs to play a game."""


def new_desk() -> npt.NDArray[np.void]:
    """A desk, `DESK_DTYPE`[1]."""
    return np.zeros(1, dtype=DESK_DTYPE)


@kernel
def look(game: Game, count: int, desk: Any) -> None:
    """Write the mask of the legal actions, `count` of `desk["ids"]`, and what their seat sees."""
    ids, mask = desk["ids"], desk["mask"]
    mask[:] = 0
    for index in range(count):
        mask[ids[index]] = 1
    observe(game, game["seat"], desk["observation"])


@kernel
def choose(policy: int, parameters: Any, desk: Any) -> int:
    """What the policy decides, as `decide`, once `look` has looked."""
    observation, mask, notes = desk["observation"], desk["mask"], desk["notes"]
    if policy == GREEDY:
        return choose_greedily(observation, mask, notes["rules"], desk["scratch"])
    return score_actions(observation, mask, parameters[policy], notes)


@kernel
def decide(game: Game, policy: int, parameters: Any, desk: Any) -> int:
    """What the policy decides for the seat to act.

    Args:
        game: not over.
        policy: GREEDY or an index of `parameters`.
        parameters: of experts, float64[n, 2, NUM_PARAMETERS].
        desk: scratch, a record of `DESK_DTYPE`.
    """
    count = legal(game, desk["ids"])
    if count == 1:
        return int64(desk["ids"][0])
    look(game, count, desk)
    return choose(policy, parameters, desk)


@kernel
def play_out(game: Game, policies: Any, parameters: Any, desk: Any) -> None:
    """Play the game to its end; `policies`: int64[seats], as `decide` takes them."""
    while game["phase"] != OVER_PHASE:
        apply(game, decide(game, policies[game["seat"]], parameters, desk))


@kernel
def write_leads(game: Game, desk: Any) -> None:
    """Write `desk["points"]`, what each seat is credited with as things stand, and `desk["leads"]`.

    A lead is the seat's points less those of the other side, of three seats less the mean of the
    two others.
    """
    points, leads = desk["points"], desk["leads"]
    seat_points(game, desk["parts"], points)
    seats = game["rules"]["seats"]
    if seats != 3:
        for seat in range(seats):
            leads[seat] = points[seat] - points[(seat + 1) % seats]
        return
    total = points[0] + points[1] + points[2]
    for seat in range(seats):
        leads[seat] = points[seat] - (total - points[seat]) / 2
