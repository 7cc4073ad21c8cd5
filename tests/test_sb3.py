"""Stable-Baselines3: the `VecEnv` and masks (needs the extra `train`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import VecMonitor

from burraco_env import OBSERVATION_SIZE, IllegalActionError
from burraco_env.gym_env import BurracoEnv, BurracoVectorEnv
from burraco_env.sb3 import BurracoVecEnv
from tests.test_learner_table import random_actions


def test_check_env_of_stable_baselines() -> None:
    check_env(BurracoEnv("italian"), warn=False)


@pytest.mark.nojit
def test_the_vec_env_equals_the_vector_env() -> None:
    ours = BurracoVecEnv(6, "mini", seed=5)
    theirs = BurracoVectorEnv(6, "mini")
    assert (ours.reset() == theirs.reset(seed=5)[0]).all()
    rng = np.random.default_rng(5)
    ended = 0
    for _ in range(200):
        masks = ours.action_masks()
        assert (masks == theirs.action_masks.astype(bool)).all()
        actions = random_actions(masks, rng)
        observations, rewards, dones, infos = ours.step(actions)
        expected, points, terminated, truncated, more = theirs.step(actions)
        assert (observations == expected).all()
        assert rewards == pytest.approx(points)
        assert (dones == (terminated | truncated)).all()
        for b in np.flatnonzero(dones):
            ended += 1
            assert (infos[b]["terminal_observation"] == more["final_obs"][b]).all()
            assert infos[b]["TimeLimit.truncated"] == truncated[b]
    assert ended > 20


@pytest.mark.nojit
def test_masks_as_sb3_contrib_asks_for_them() -> None:
    env = BurracoVecEnv(3, "italian", seed=1)
    env.reset()
    assert is_masking_supported(env)
    assert (get_action_masks(env) == env.action_masks()).all()
    assert is_masking_supported(VecMonitor(env))
    with pytest.raises(AttributeError, match="action_masks only, not fly"):
        env.env_method("fly")
    with pytest.raises(IllegalActionError):
        env.step(np.full(3, 984))
    assert env.env_is_wrapped(object) == [False] * 3
    assert env.get_attr("num_envs", [0, 2]) == [3, 3]


@pytest.mark.parametrize("options", [{}, {"learn_side": True}, {"reward": "win"}])
def test_maskable_ppo_learns_without_illegal_actions_or_nan(options: dict[str, Any]) -> None:
    preset = "italian" if options.get("learn_side") else "mini"
    env = VecMonitor(BurracoVecEnv(16, preset, seed=2, **options))
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=128, n_epochs=2, seed=0)
    model.learn(2_000)
    observation = env.reset()
    assert observation.shape == (16, OBSERVATION_SIZE)
    for parameter in model.policy.parameters():
        assert np.isfinite(parameter.detach().numpy()).all()


@pytest.mark.full
def test_maskable_ppo_runs_300_000_steps_on_the_real_game() -> None:
    env = BurracoVecEnv(256, "italian", seed=3, learn_side=True)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=4096, n_epochs=1, seed=0)
    model.learn(300_000)
    assert model.num_timesteps >= 300_000
    for parameter in model.policy.parameters():
        assert np.isfinite(parameter.detach().numpy()).all()
