"""The same measurement on two public environments: gin rummy in RLCard and in OpenSpiel.

Both play whole deals with random legal actions, driven from Python, and every decision pays for
what a learner needs: the mask of legal actions and the acting player's observation, each as a new
array. Where a library offers several ways, the fastest one found is taken.

Both libraries come with the extra `bench`. Where one is missing its function raises `ImportError`,
and the caller decides whether to go on without it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import numpy as np


def rlcard_gin_rummy(seconds: float) -> float:
    """Decisions a second in RLCard's `gin-rummy`.

    Args:
        seconds: how long to measure; the deal at hand is played to its end.

    Raises:
        ImportError: RLCard is not installed.
    """
    import rlcard

    env = rlcard.make("gin-rummy", config={"seed": 0})
    actions = env.num_actions
    rng = random.Random(0)

    def play_deal() -> int:
        decisions = 0
        state, _ = env.reset()
        # RLCard builds the observation, state["obs"], in every step.
        while not env.is_over():
            legal = list(state["legal_actions"])
            mask = np.zeros(actions, np.int8)
            mask[legal] = 1
            state, _ = env.step(rng.choice(legal))
            decisions += 1
        return decisions

    return per_second(play_deal, seconds)


def openspiel_gin_rummy(seconds: float) -> float:
    """Decisions a second in OpenSpiel's `gin_rummy`, moves of chance not counted.

    Args:
        seconds: how long to measure; the deal at hand is played to its end.

    Raises:
        ImportError: OpenSpiel is not installed.
    """
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game("gin_rummy")
    actions = game.num_distinct_actions()
    # Writes into one buffer: twice as fast as the list from state.observation_tensor().
    # The game has no information-state tensor.
    observation = make_observation(game)
    rng = random.Random(0)

    def play_deal() -> int:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                cards, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(cards, chances)[0])
                continue
            # The mask from the list of legal actions: faster than state.legal_actions_mask().
            legal = state.legal_actions()
            mask = np.zeros(actions, np.int8)
            mask[legal] = 1
            observation.set_from(state, state.current_player())
            observation.tensor.copy()
            state.apply_action(rng.choice(legal))
            decisions += 1
        return decisions

    return per_second(play_deal, seconds)


def per_second(work: Callable[[], int], seconds: float) -> float:
    """How much is done a second.

    Args:
        work: a piece of work, such as a deal; returns how much it was, such as its decisions. It is
            done once before the clock starts.
        seconds: how long to measure; the piece at hand is finished.
    """
    work()
    done = 0
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        done += work()
    return done / elapsed
