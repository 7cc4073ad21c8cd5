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
from burraco_env.rules import MAX_SEATS, Rules
from burraco_env.scoring import NUM_POINT_PARTS, seat_points
from burraco_env.state import MAX_SIDES, OVER_PHASE, Game, new_games

PARALLEL_FROM = 64
"""Number of games from which a second thread is worth waking."""
RANDOM_ACTION = -1
NEW_DEAL = -2
LOOK = -3


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
def _step_rows(  # noqa: PLR0913, PLR0917 - a kernel takes the arrays of a batch one by one
    games: Any,
    rows: Any,
    actions: Any,
    dealer: int,
    ids: Any,
    counts: Any,
    masks: Any,
    observations: Any,
) -> None:
    """Play one action in each game of `rows`; where the game is over it is left as it is.

    RANDOM_ACTION: a random legal action, or a new deal where the game is over. NEW_DEAL: a new
    deal. LOOK: no action, only what there is to see.
    """
    for index in prange(rows.shape[0]):
        b, action = rows[index], actions[index]
        over = games[b]["phase"] == OVER_PHASE
        if action == NEW_DEAL or (action == RANDOM_ACTION and over):
            deal(games[b], dealer)
        elif action != LOOK:
            if over:
                continue
            if action == RANDOM_ACTION:
                action = int64(ids[b, next_below(games[b], counts[b])])
            apply(games[b], action)
        counts[b] = look(games[b], ids[b], masks[b], observations[b])


@batch_kernel
def _observe_rows(games: Any, rows: Any, seats: Any, out: Any) -> None:
    for index in prange(rows.shape[0]):
        observe(games[rows[index]], seats[index], out[index])


@kernel
def _points_of_rows(games: Any, rows: Any, out: Any) -> None:
    parts = np.zeros((MAX_SIDES, NUM_POINT_PARTS), np.int64)
    for index in range(rows.shape[0]):
        seat_points(games[rows[index]], parts, out[index])


class Batch:
    """A batch of games with the mask and the observation of the seat to act in each.

    Attributes:
        rules: the rules of all games.
        games: the state, `GAME_DTYPE`[num_games].
        masks: int8[num_games, NUM_ACTIONS], 1 for the legal actions; all zero where the game is
            over.
        observations: int8[num_games, OBSERVATION_SIZE], what the seat to act knows.
        counts: int64[num_games], number of legal actions; 0 where the game is over.
        rows: int64[num_games], the index of each game: 0, 1, ..
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
        self._allocate(rules, new_games(rules, num_games))
        self.deal(seed)

    @classmethod
    def of(cls, rules: Rules, games: npt.NDArray[np.void]) -> Batch:
        """A batch of games that exist already, in any state; it owns the array.

        Args:
            rules: the rules that all these records hold.
            games: `GAME_DTYPE`[num_games].
        """
        batch = cls.__new__(cls)
        batch._allocate(rules, games)
        batch._step(batch.rows, np.full(len(games), LOOK))
        return batch

    def _allocate(self, rules: Rules, games: npt.NDArray[np.void]) -> None:
        num_games = len(games)
        self.rules = rules
        self.games = games
        self.masks = np.zeros((num_games, NUM_ACTIONS), dtype=np.int8)
        self.observations = np.zeros((num_games, OBSERVATION_SIZE), dtype=np.int8)
        self.counts = np.zeros(num_games, dtype=np.int64)
        self.rows = np.arange(num_games)
        self._ids = np.zeros((num_games, NUM_ACTIONS), dtype=np.int16)

    def deal(
        self,
        seed: int | None = None,
        dealer: int | None = None,
        rows: npt.NDArray[np.int64] | None = None,
    ) -> None:
        """Deal anew.

        Args:
            seed: seed of the batch; None: each game goes on with its own generator.
            dealer: seat of the dealer in all games; None: drawn in each.
            rows: which games, distinct indices, int64[n]; None: all.
        """
        rows = self.rows if rows is None else rows
        if seed is not None:
            states = generator_states(seed, len(self.games))
            self.games["generator"][rows] = states[rows]
        seat = -1 if dealer is None else self.rules.check_seat(dealer, "dealer")
        self._step(rows, np.full(len(rows), NEW_DEAL), seat)

    @property
    def seats(self) -> npt.NDArray[np.int64]:
        """Seat to act in each game, int64[num_games]."""
        return self.games["seat"]

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Which games are over, bool[num_games]."""
        return np.asarray(self.games["phase"] == OVER_PHASE)

    def step(
        self, actions: npt.NDArray[np.integer], rows: npt.NDArray[np.int64] | None = None
    ) -> None:
        """Play one legal action in each game that is not over; the other games stay as they are.

        Args:
            actions: int[n], one for each row.
            rows: which games, distinct indices, int64[n]; None: all.

        Raises:
            ValueError: wrong shape.
            IllegalActionError: an action is not legal; it names the game. No game has changed.
        """
        rows = self.rows if rows is None else rows
        chosen: npt.NDArray[np.int64] = np.asarray(actions, dtype=np.int64)
        if chosen.shape != rows.shape:
            raise ValueError(f"actions must have the shape {rows.shape}, not {chosen.shape}")
        known = (chosen >= 0) & (chosen < NUM_ACTIONS)
        legal_now = known & (self.masks[rows, np.where(known, chosen, 0)] == 1)
        wrong = np.flatnonzero(~legal_now & (self.counts[rows] > 0))
        if len(wrong):
            raise self._illegal(int(rows[wrong[0]]), int(chosen[wrong[0]]))
        self._step(rows, np.where(legal_now, chosen, 0))

    def step_random(self) -> None:
        """Play a uniformly random legal action in each game, drawn from its own generator.

        Where a game is over, deal anew.
        """
        self._step(self.rows, np.full(len(self.games), RANDOM_ACTION))

    def observe(
        self, seats: npt.NDArray[np.int64], rows: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.int8]:
        """What one seat of each game knows, whether it is to act or not, int8[n, OBSERVATION_SIZE].

        Args:
            seats: int64[n], a seat for each row.
            rows: which games, int64[n]; None: all.
        """
        rows = self.rows if rows is None else rows
        out = np.zeros((len(rows), OBSERVATION_SIZE), dtype=np.int8)
        _observe_rows(self.games, rows, seats, out)
        return out

    def points(self, rows: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.float64]:
        """Points of each seat as they stand, float64[n, seats]; a pair of three halves its own.

        Args:
            rows: which games, int64[n]; None: all.
        """
        rows = self.rows if rows is None else rows
        out = np.zeros((len(rows), MAX_SEATS))
        _points_of_rows(self.games, rows, out)
        return out[:, : self.rules.seats]

    def _step(
        self, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64], dealer: int = -1
    ) -> None:
        threads = numba.get_num_threads()
        if threads > 1 and len(rows) < PARALLEL_FROM:
            numba.set_num_threads(1)
        try:
            _step_rows(
                self.games,
                rows,
                actions,
                dealer,
                self._ids,
                self.counts,
                self.masks,
                self.observations,
            )
        finally:
            if threads > 1:
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
