"""Stable-Baselines3: a `VecEnv` over the batch engine. Needs the extra `train`.

`MaskablePPO` of sb3-contrib finds the masks by `env_method("action_masks")`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env import VecEnv

from burraco_env.env import observation_box
from burraco_env.gym_env import action_space, make_rules
from burraco_env.learner_table import LearnerTable
from burraco_env.rules import Rules


class BurracoVecEnv(VecEnv):
    """Many deals at once for Stable-Baselines3; no loop over games in Python.

    A finished deal is dealt anew within the step; its last observation is
    `infos[b]["terminal_observation"]`, and `infos[b]["TimeLimit.truncated"]` says whether the turn
    cap cut it short. The reward at the end belongs to the learner's side.
    """

    def __init__(
        self,
        num_envs: int,
        preset: str = "italian",
        seats: int | None = None,
        *,
        rules: Rules | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        """Make the environments.

        Args:
            num_envs: number of games.
            preset: name of the rules.
            seats: number of seats; None: the preset's default.
            rules: rules to use instead of a preset.
            seed: game b is seeded with seed + b at the first reset; None: drawn.
            **options: as of `BurracoEnv`: seat, learn_side, opponents, partner, reward.

        Raises:
            ValueError: an option out of range.
        """
        self.table = LearnerTable(make_rules(rules, preset, seats), num_envs, **options)
        self.render_mode = None
        self._actions = np.zeros(num_envs, dtype=np.int64)
        super().__init__(num_envs, observation_box(), action_space())
        self.seed(seed)

    def reset(self) -> npt.NDArray[np.int8]:
        """Deal in all games; returns int8[num_envs, OBSERVATION_SIZE]."""
        seeds = [0 if seed is None else seed for seed in self._seeds]
        if self._seeds[0] is not None:
            self.table.reset(seeds)
        else:
            self.table.deal(self.table.batch.rows)
        self._reset_seeds()
        self._reset_options()
        return self.table.batch.observations.copy()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed the next reset: game b gets seed + b."""
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        self._seeds = [seed + game for game in range(self.num_envs)]
        return self._seeds

    def step_async(self, actions: npt.NDArray[np.integer]) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[Any]]:
        """Play them.

        Raises:
            IllegalActionError: one of them is not legal; no game has changed.
        """
        table = self.table
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = table.step(self._actions)
        rows = np.flatnonzero(ended)
        if len(rows):
            rewards[rows] = table.rewards(rows)
            last, truncated = table.final_observations(rows), table.stalemates(rows)
            for index, row in enumerate(rows):  # only the deals that ended
                infos[row] = {
                    "terminal_observation": last[index],
                    "TimeLimit.truncated": bool(truncated[index]),
                }
            table.deal(rows)
        return table.batch.observations.copy(), rewards, ended, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal, bool[num_envs, NUM_ACTIONS]."""
        return self.table.batch.masks.astype(np.bool_)

    def close(self) -> None:
        """Nothing to close."""

    def has_attr(self, attr_name: str) -> bool:
        """Whether each game has the attribute: `action_masks` and those of this object."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute, once for each game."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of this object; all games share it."""
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Call `action_masks` for the games; the rows of the result are its answers.

        Raises:
            AttributeError: another method; the games are no objects of their own.
        """
        if method_name != "action_masks":
            raise AttributeError(f"the games have the method action_masks only, not {method_name}")
        masks = self.action_masks()
        return [masks[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """False for each game."""
        return [False for _ in self._get_indices(indices)]

    def _get_indices(self, indices: Any) -> Iterable[int]:
        return range(self.num_envs) if indices is None else np.atleast_1d(indices)
