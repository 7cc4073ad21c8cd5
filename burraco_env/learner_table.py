"""Games in which a learner holds one seat, or both seats of a side, and agents hold the others.

This is what the Gymnasium and the Stable-Baselines3 environments have in common: all games at once,
the agents' turns played inside a step, in batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from burraco_env._jit import kernel
from burraco_env.agent import Agent, RandomAgent
from burraco_env.batch import Batch
from burraco_env.generator import draw_below, generator_states
from burraco_env.rules import Rules
from burraco_env.scoring import REWARD_SCALE, differences, wins
from burraco_env.state import STALEMATE, new_games

Reward: TypeAlias = Literal["points", "win"]
REWARDS: tuple[str, ...] = ("points", "win")
LEARNER = -1
"""In `holders`: the learner holds the seat. Another number is the index of an agent."""


@kernel
def _draw_each(states: Any, rows: Any, bound: int, out: Any) -> None:
    """Draw a number below `bound` from the generator of each row."""
    for index in range(rows.shape[0]):
        out[index] = draw_below(states, rows[index], bound)


class LearnerTable:
    """A batch of deals with a learner in some seats and agents in the others.

    In each game it is always the learner's turn, or the deal is over. A finished deal stays until
    `deal` is called for it. Game b of seed s plays the same as the only game of seed s + b.

    Attributes:
        batch: the games; `batch.observations` and `batch.masks` are the learner's, but for
            finished games (see `final_observations`).
        holders: int64[num_games, seats], who holds each seat: LEARNER or the index of an agent.
        agents: the partner and the opponents.
        decisions: decisions of all seats so far.
    """

    def __init__(
        self,
        rules: Rules,
        num_games: int,
        *,
        seat: int | None = None,
        learn_side: bool = False,
        opponents: Agent | Sequence[Agent] | None = None,
        partner: Agent | None = None,
        reward: Reward = "points",
    ) -> None:
        """Make the table; `reset` deals.

        Args:
            rules: the rules.
            num_games: number of games.
            seat: the learner's seat; None: drawn for each deal.
            learn_side: the learner holds the partner's seat too (four seats).
            opponents: the agent in all opposing seats; of several, one is drawn for each deal.
                Default: random play.
            partner: the agent in the partner's seat (four seats); default: random play.
            reward: `points` or `win`, see `rewards`.

        Raises:
            ValueError: an option out of range, or options that do not go together.
        """
        if num_games < 1:
            raise ValueError(f"num_games must be at least 1, not {num_games}")
        if reward not in REWARDS:
            raise ValueError(f"reward must be one of {', '.join(REWARDS)}, not {reward!r}")
        if rules.seats != 4 and (learn_side or partner is not None):
            raise ValueError(f"with {rules.seats} seats nobody has a partner when a deal begins")
        if learn_side and partner is not None:
            raise ValueError("with learn_side the learner is its own partner; leave partner out")
        self.rules = rules
        self.seat = None if seat is None else rules.check_seat(seat)
        self.learn_side = learn_side
        self.reward = reward
        if opponents is None:
            opponents = RandomAgent()
        several = list(opponents) if isinstance(opponents, Sequence) else [opponents]
        if not several:
            raise ValueError("opponents must not be an empty list")
        self.agents: list[Agent] = [partner or RandomAgent(), *several]
        for agent in self.agents:
            if not callable(getattr(agent, "act", None)):
                raise ValueError(f"an agent has a method act, {agent!r} has none")
        self.batch = Batch.of(rules, new_games(rules, num_games))
        self.holders = np.zeros((num_games, rules.seats), dtype=np.int64)
        self._draws = np.zeros(num_games, dtype=np.uint64)  # generators for seats and opponents
        self._streams = np.zeros((num_games, rules.seats), dtype=np.uint64)  # for the agents
        self._last_seats = np.zeros(num_games, dtype=np.int64)
        self.decisions = 0

    @property
    def num_games(self) -> int:
        """Number of games."""
        return len(self.batch.games)

    def reset(self, seeds: Sequence[int] | npt.NDArray[np.integer]) -> None:
        """Seed every game and deal.

        Args:
            seeds: a whole number >= 0 for each game.
        """
        for game, seed in enumerate(seeds):
            states = generator_states(int(seed), 2 + self.rules.seats)
            self.batch.games["generator"][game] = states[0]
            self._draws[game] = states[1]
            self._streams[game] = states[2:]
        self.deal(self.batch.rows)

    def deal(self, rows: npt.NDArray[np.int64]) -> None:
        """Deal anew in the games of `rows`, int64[n], and play until the learner is to act."""
        while len(rows):
            self._draw_holders(rows)
            self.batch.deal(rows=rows)
            self._play_agents(rows)
            # A deal may end before the learner's first turn: nobody learns from it.
            rows = rows[self.batch.counts[rows] == 0]
        self._last_seats = np.where(self.batch.over, self._last_seats, self.batch.seats)

    def step(self, actions: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Play the learner's action in each game that is not over, then the agents' turns.

        Args:
            actions: int[num_games]; those of finished games are ignored.

        Returns:
            Which games have ended in this step, bool[num_games].

        Raises:
            IllegalActionError: an action is not legal; no game has changed. Or an agent's is not.
        """
        running = np.flatnonzero(self.batch.counts > 0)
        self._last_seats[running] = self.batch.seats[running]
        self.batch.step(np.asarray(actions)[running], running)
        self.decisions += len(running)
        self._play_agents(running)
        ended = np.zeros(self.num_games, dtype=np.bool_)
        ended[running] = self.batch.counts[running] == 0
        return ended

    def rewards(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The learner's reward for the finished deals of `rows`, float64[n].

        `points`: the points of its side minus those of the other (three seats: minus the mean of
        the two other seats), divided by 100. `win`: 1 for the most points, 0 for a tie, else -1.
        """
        points = self.batch.points(rows)
        paid = wins(points) if self.reward == "win" else differences(points) / REWARD_SCALE
        return np.asarray(paid[np.arange(len(rows)), self._last_seats[rows]])

    def final_observations(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """What the learner knows in games that are over: seen from its last seat to act."""
        return self.batch.observe(self._last_seats[rows], rows)

    def stalemates(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Which of these finished games were cut short by the turn cap, bool[n]."""
        return np.asarray(self.batch.games["outcome"][rows] == STALEMATE)

    def _draw_holders(self, rows: npt.NDArray[np.int64]) -> None:
        """Draw the learner's seat and the opponents of the next deal."""
        seats = self.rules.seats
        learner, opponent = np.zeros((2, len(rows)), dtype=np.int64)
        _draw_each(self._draws, rows, seats, learner)
        _draw_each(self._draws, rows, len(self.agents) - 1, opponent)
        opponent += 1  # agent 0 is the partner
        if self.seat is not None:
            learner[:] = self.seat
        for seat in range(seats):
            distance = (seat - learner) % seats
            partner = (distance == 2) & (seats == 4)
            holder = np.where(partner, LEARNER if self.learn_side else 0, opponent)
            self.holders[rows, seat] = np.where(distance == 0, LEARNER, holder)

    def _play_agents(self, rows: npt.NDArray[np.int64]) -> None:
        """Play until the learner is to act, or the deal is over, in all games of `rows`."""
        batch = self.batch
        while True:
            seats = batch.seats[rows]
            holders = np.where(batch.counts[rows] > 0, self.holders[rows, seats], LEARNER)
            waiting = holders != LEARNER
            if not waiting.any():
                return
            rows, seats, holders = rows[waiting], seats[waiting], holders[waiting]
            for index in np.unique(holders):
                chosen = holders == index
                self._act(self.agents[int(index)], rows[chosen], seats[chosen])

    def _act(self, agent: Agent, rows: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> None:
        batch = self.batch
        streams = self._streams[rows, seats]
        actions = agent.act(batch.observations[rows], batch.masks[rows], streams)
        self._streams[rows, seats] = streams
        batch.step(actions, rows)
        self.decisions += len(rows)
