"""Many games at once: one record a game, and loops over them that use all threads.

`numba.set_num_threads` changes the number of threads.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from numba import prange

from burraco_env._jit import batch_kernel, int64, kernel
from burraco_env.actions import NUM_ACTIONS, action_text
from burraco_env.engine import apply, deal, legal
from burraco_env.errors import IllegalActionError
from burraco_env.generator import generator_states, next_below
from burraco_env.observations import OBSERVATION_SIZE, observe
from burraco_env.rules import Rules
from burraco_env.state import OVER_PHASE, Game, new_games

PARALLEL_FROM = 64
"""Number of games from which a second thread is worth waking."""
RANDOM_ACTION = -1
NEW_DEAL = -2


@kernel
def look(game: Game, ids: Any, mask: Any, observation: Any) -> int:
    """Write the legal ids, the mask and the acting seat's observation; returns how many ids."""
    count = legal(game, ids)
    mask[:] = 0
    for index in range(count):
        mask[ids[index]] = 1
    observe(game, game["seat"], observation)
    return count


@batch_kernel
def _step_all(
    games: Any, actions: Any, dealer: int, ids: Any, counts: Any, masks: Any, observations: Any
) -> None:
    """Play one action in each game; where the game is over it is left as it is.

    RANDOM_ACTION: a random legal action, or a new deal where the game is over.
    NEW_DEAL: a new deal.
    """
    for b in prange(games.shape[0]):
        action = actions[b]
        over = games[b]["phase"] == OVER_PHASE
        if action == NEW_DEAL or (action == RANDOM_ACTION and over):
            deal(games[b], dealer)
        elif over:
            continue
        else:
            if action == RANDOM_ACTION:
                action = int64(ids[b, next_below(games[b], counts[b])])
            apply(games[b], action)
        counts[b] = look(games[b], ids[b], masks[b], observations[b])


class Batch:
    """A batch of games with the mask and the observation of the seat to act in each.

    Attributes:
        rules: the rules of all games.
        games: the state, `GAME_DTYPE`[num_games].
        masks: int8[num_games, NUM_ACTIONS], 1 for the legal actions; all zero where the game is
            over.
        observations: int8[num_games, OBSERVATION_SIZE], what the seat to act knows.
        counts: int64[num_games], number of legal actions; 0 where the game is over.
    """

    def __init__(self, rules: Rules, num_games: int, seed: int = 0) -> None:
        """Deal `num_games` games. Game b plays the same whatever `num_games` is.

        Args:
            rules: rules of all games.
            num_games: at least 1.
            seed: seed of the batch, a whole number >= 0.

        Raises:
            ValueError: `num_games` or `seed` out of range.
        """
        if num_games < 1:
            raise ValueError(f"num_games must be at least 1, not {num_games}")
        self.rules = rules
        self.games = new_games(rules, num_games)
        self.masks = np.zeros((num_games, NUM_ACTIONS), dtype=np.int8)
        self.observations = np.zeros((num_games, OBSERVATION_SIZE), dtype=np.int8)
        self.counts = np.zeros(num_games, dtype=np.int64)
        self._ids = np.zeros((num_games, NUM_ACTIONS), dtype=np.int16)
        self.deal(seed)

    def deal(self, seed: int | None = None, dealer: int | None = None) -> None:
        """Deal all games anew.

        Args:
            seed: seed of the batch; None: each game goes on with its own generator.
            dealer: seat of the dealer in all games; None: drawn in each.
        """
        if seed is not None:
            self.games["generator"] = generator_states(seed, len(self.games))
        self._step(
            np.full(len(self.games), NEW_DEAL),
            -1 if dealer is None else self.rules.check_seat(dealer, "dealer"),
        )

    @property
    def seats(self) -> npt.NDArray[np.int64]:
        """Seat to act in each game, int64[num_games]."""
        return self.games["seat"]

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Which games are over, bool[num_games]."""
        return np.asarray(self.games["phase"] == OVER_PHASE)

    def step(self, actions: npt.NDArray[np.integer]) -> None:
        """Play one legal action in each game that is not over; the other actions are ignored.

        Args:
            actions: int[num_games].

        Raises:
            ValueError: wrong shape.
            IllegalActionError: an action is not legal; it names the game. No game has changed.
        """
        chosen: npt.NDArray[np.int64] = np.asarray(actions, dtype=np.int64)
        if chosen.shape != self.counts.shape:
            raise ValueError(f"actions must have the shape {self.counts.shape}, not {chosen.shape}")
        known = (chosen >= 0) & (chosen < NUM_ACTIONS)
        legal_now = self.masks[np.arange(len(chosen)), np.where(known, chosen, 0)] == 1
        wrong = np.flatnonzero(~(known & legal_now) & ~self.over)
        if len(wrong):
            raise self._illegal(int(wrong[0]), int(chosen[wrong[0]]))
        self._step(chosen)

    def step_random(self) -> None:
        """Play a uniformly random legal action in each game; deal anew where one is over.

        Each game draws from its own generator.
        """
        self._step(np.full(len(self.games), RANDOM_ACTION))

    def _step(self, actions: npt.NDArray[np.int64], dealer: int = -1) -> None:
        threads = numba.get_num_threads()
        if len(self.games) < PARALLEL_FROM:
            numba.set_num_threads(1)
        try:
            _step_all(
                self.games, actions, dealer, self._ids, self.counts, self.masks, self.observations
            )
        finally:
            numba.set_num_threads(threads)

    def _illegal(self, index: int, action: int) -> IllegalActionError:
        game = self.games[index]
        try:
            text = action_text(game, action)
        except ValueError as error:
            text = str(error)
        legal_texts = ", ".join(
            action_text(game, i) for i in self._ids[index, : self.counts[index]]
        )
        return IllegalActionError(
            f"game {index}: action {action} ({text}) is not legal for seat {int(game['seat'])}; "
            f"legal: {legal_texts}"
        )
