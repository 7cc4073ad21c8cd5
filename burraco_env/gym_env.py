"""Gymnasium: one learner against agents, in one game or in many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from burraco_env.actions import NUM_ACTIONS, action_text
from burraco_env.agent import Agent
from burraco_env.env import observation_box
from burraco_env.generator import check_seed
from burraco_env.learner_table import LearnerTable, Reward
from burraco_env.rules import Rules

try:  # Gymnasium 1.1 and later
    from gymnasium.vector import AutoresetMode

    SAME_STEP: Any = AutoresetMode.SAME_STEP
except ImportError:  # pragma: no cover - Gymnasium 1.0
    SAME_STEP = "SameStep"


def action_space() -> Any:
    """Space of an action: `Discrete(NUM_ACTIONS)`; `action_masks()` says which are legal."""
    return spaces.Discrete(NUM_ACTIONS)


class LegalActions(spaces.Discrete[np.int64]):
    """`Discrete(NUM_ACTIONS)` that samples legal actions, so that naive users get by."""

    def __init__(self, table: LearnerTable) -> None:
        """Sample for the only game of `table`."""
        super().__init__(NUM_ACTIONS)
        self._table = table

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """Draw an action: with `mask` or `probability` as they say, else a legal one."""
        if mask is None and probability is None and self._table.batch.counts[0] > 0:
            mask = self._table.batch.masks[0]
        if probability is not None:
            return super().sample(probability=probability)
        return super().sample(mask)


def make_rules(rules: Rules | None, preset: str, seats: int | None) -> Rules:
    """The rules that the constructors' arguments name."""
    return rules if rules is not None else Rules.preset(preset, seats)


class BurracoEnv(gymnasium.Env[npt.NDArray[np.int8], int]):
    """One deal of Burraco for one learner: its seat, or both seats of its side.

    A step is one decision of the learner; the agents in the other seats play within it. Illegal
    actions raise `IllegalActionError` and change nothing. The deal ends with `terminated`, or with
    `truncated` where the turn cap cut it short.

    Observation: int8[OBSERVATION_SIZE], see `docs/spaces.md`. `info` holds `action_mask`,
    int8[NUM_ACTIONS], and `seat`.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - Gymnasium's own form

    def __init__(  # noqa: PLR0913 - what gymnasium.make passes on, by keyword
        self,
        preset: str = "italian",
        seats: int | None = None,
        *,
        rules: Rules | None = None,
        seat: int | None = None,
        learn_side: bool = False,
        opponents: Agent | Sequence[Agent] | None = None,
        partner: Agent | None = None,
        reward: Reward = "points",
        render_mode: str | None = None,
    ) -> None:
        """Make the environment.

        Args:
            preset: name of the rules.
            seats: number of seats; None: the preset's default.
            rules: rules to use instead of a preset.
            seat: the learner's seat; None: drawn for each deal.
            learn_side: the learner holds its partner's seat too (four seats).
            opponents: the agent in the opposing seats; of several, one is drawn for each deal.
            partner: the agent in the partner's seat. Default of both: random play.
            reward: `points` (of the learner's side minus the others', divided by 100) or `win`.
            render_mode: None or `ansi`.

        Raises:
            ValueError: an option out of range.
        """
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode must be None or 'ansi', not {render_mode!r}")
        self.render_mode = render_mode
        self.observation_space: Any = observation_box()
        self.table = LearnerTable(
            make_rules(rules, preset, seats),
            1,
            seat=seat,
            learn_side=learn_side,
            opponents=opponents,
            partner=partner,
            reward=reward,
        )
        self.action_space: Any = LegalActions(self.table)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Deal.

        Args:
            seed: whole number >= 0; None: go on with the generators of the environment, or with new
                ones if it was never seeded.
            options: ignored.
        """
        first = self._np_random is None
        super().reset(seed=seed)
        if seed is not None or first:
            start = seed if seed is not None else int(self.np_random.integers(2**31))
            self.table.reset([check_seed(start)])
        else:
            self.table.deal(self.table.batch.rows)
        return self.table.batch.observations[0].copy(), self._info()

    def step(self, action: int) -> tuple[npt.NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Play one decision, then the agents' turns.

        Raises:
            IllegalActionError: not legal; nothing has changed.
            ValueError: the deal is over; call `reset`.
        """
        table = self.table
        if table.batch.counts[0] == 0:
            raise ValueError("the deal is over, or never began; call reset()")
        ended = bool(table.step(np.array([action]))[0])
        if not ended:
            return table.batch.observations[0].copy(), 0.0, False, False, self._info()
        rows = table.batch.rows
        truncated = bool(table.stalemates(rows)[0])
        reward = float(table.rewards(rows)[0])
        return table.final_observations(rows)[0], reward, not truncated, truncated, self._info()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal, bool[NUM_ACTIONS]; all False when the deal is over."""
        return np.asarray(self.table.batch.masks[0], dtype=np.bool_)

    def action_text(self, action: int) -> str:
        """Text of an action in this state (notation.md)."""
        return action_text(self.table.batch.games[0], action)

    def render(self) -> str | None:
        """The table as text, with all hands; None without a render mode."""
        from burraco_env.game import Game
        from burraco_env.rendering import table_text

        if self.render_mode is None:
            return None
        return table_text(Game(self.table.rules, self.table.batch.games.copy()))

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self.table.batch.masks[0].copy(),
            "seat": int(self.table.batch.seats[0]),
        }


class BurracoVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many deals at once; the same as that many `BurracoEnv`, game b seeded with seed + b.

    Autoreset is same-step: where a deal has ended, the returned observation is the first of the
    next deal, the last one is `infos["final_obs"]`, and no action is consumed. `infos` holds
    `action_mask`, int8[num_envs, NUM_ACTIONS], of the returned observations.
    """

    metadata = {"render_modes": [], "autoreset_mode": SAME_STEP}  # noqa: RUF012 - Gymnasium's form

    def __init__(
        self,
        num_envs: int = 1,
        preset: str = "italian",
        seats: int | None = None,
        *,
        rules: Rules | None = None,
        **options: Any,
    ) -> None:
        """Make the environments.

        Args:
            num_envs: number of games.
            preset: name of the rules.
            seats: number of seats; None: the preset's default.
            rules: rules to use instead of a preset.
            **options: as of `BurracoEnv`: seat, learn_side, opponents, partner, reward.

        Raises:
            ValueError: an option out of range.
        """
        options.pop("render_mode", None)
        self.table = LearnerTable(make_rules(rules, preset, seats), num_envs, **options)
        self.num_envs = num_envs
        self.single_observation_space = observation_box()
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seeded = False

    @property
    def action_masks(self) -> npt.NDArray[np.int8]:
        """Masks of the current observations, int8[num_envs, NUM_ACTIONS]."""
        return self.table.batch.masks

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Deal in all games.

        Args:
            seed: whole number >= 0 (game b gets seed + b), or one for each game; None: go on with
                the generators, or with new ones if the environment was never seeded.
            options: ignored.
        """
        if seed is None and self._seeded:
            self.table.deal(self.table.batch.rows)
        else:
            self.table.reset(self._seeds(seed))
            self._seeded = True
        return self.table.batch.observations.copy(), self._infos()

    def step(
        self, actions: npt.NDArray[np.integer]
    ) -> tuple[
        npt.NDArray[np.int8],
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Play one decision in each game.

        Raises:
            IllegalActionError: one of them is not legal; no game has changed.
        """
        rewards = np.zeros(self.num_envs)
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        ended = self.table.step(actions)
        rows = np.flatnonzero(ended)
        final: dict[str, Any] = {}
        if len(rows):
            rewards[rows] = self.table.rewards(rows)
            truncated[rows] = self.table.stalemates(rows)
            final_obs = np.empty(self.num_envs, dtype=object)
            for row, last in zip(rows, self.table.final_observations(rows), strict=True):
                final_obs[row] = last
            final = {"final_obs": final_obs, "_final_obs": ended.copy()}
            self.table.deal(rows)
        infos = {**self._infos(), **final}
        return self.table.batch.observations.copy(), rewards, ended & ~truncated, truncated, infos

    def _infos(self) -> dict[str, Any]:
        return {"action_mask": self.table.batch.masks.copy(), "seat": self.table.batch.seats.copy()}

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int]:
        if isinstance(seed, Sequence):
            if len(seed) != self.num_envs:
                raise ValueError(f"seed must hold {self.num_envs} numbers, not {len(seed)}")
            return [self._new_seed() if one is None else check_seed(one) for one in seed]
        first = self._new_seed() if seed is None else check_seed(seed)
        return [first + game for game in range(self.num_envs)]

    @staticmethod
    def _new_seed() -> int:
        return int(np.random.SeedSequence().generate_state(1)[0])
