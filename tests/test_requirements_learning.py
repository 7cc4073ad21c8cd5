"""The numbered requirements that concern the learner's interfaces: 5, 6, 19, 20."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from burraco_env import NUM_ACTIONS, OBSERVATION_SIZE, Rules
from burraco_env.agent import RandomAgent
from burraco_env.gym_env import SAME_STEP, BurracoVectorEnv
from burraco_env.learner_table import LearnerTable
from burraco_env.observations import describe


def sampled_decisions(games: int, steps: int) -> int:
    """Play sampled actions in a table whose engine refuses illegal ones; returns their number."""
    table = LearnerTable(Rules.preset("italian"), games, learn_side=True)
    table.reset(range(games))
    learner, rng = RandomAgent(), np.arange(games, dtype=np.uint64)
    for _ in range(steps):
        batch = table.batch
        actions = learner.act(batch.observations, batch.masks, rng)
        assert (batch.masks[batch.rows, actions] == 1).all()
        table.deal(np.flatnonzero(table.step(actions)))
    return games * steps


def test_requirement_05_no_illegal_action_in_sampled_decisions() -> None:
    assert sampled_decisions(256, 200) == 51_200


@pytest.mark.full
def test_requirement_05_no_illegal_action_in_a_million_sampled_decisions() -> None:
    assert sampled_decisions(1_024, 1_000) > 1_000_000


def test_requirement_06_a_mask_without_a_legal_action_is_refused() -> None:
    observation = np.zeros((1, OBSERVATION_SIZE), dtype=np.int8)
    mask = np.zeros((1, NUM_ACTIONS), dtype=np.int8)
    with pytest.raises(ValueError, match="row 0 of the masks has no legal action"):
        RandomAgent().act(observation, mask, np.zeros(1, dtype=np.uint64))


def test_requirement_06_loss_and_entropy_are_finite_with_one_legal_action() -> None:
    torch = pytest.importorskip("torch", reason="needs the extra train")
    distributions = pytest.importorskip("sb3_contrib.common.maskable.distributions")
    mask = np.zeros((2, NUM_ACTIONS), dtype=bool)
    mask[0, 3] = mask[1, 984] = True
    logits = torch.full((2, NUM_ACTIONS), 50.0, requires_grad=True)
    policy = distributions.MaskableCategorical(logits=logits, masks=mask)
    loss = policy.log_prob(torch.tensor([3, 984])).sum() + policy.entropy().sum()
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(logits.grad).all()
    assert policy.sample().tolist() == [3, 984]


class Guest:
    """Plays the first legal action, and tries to reach the game through what it is given."""

    def __init__(self) -> None:
        self.calls = 0

    def act(self, observations: Any, masks: Any, rng: Any) -> Any:
        self.calls += 1
        for array, dtype in ((observations, np.int8), (masks, np.int8), (rng, np.uint64)):
            assert type(array) is np.ndarray
            assert array.dtype == dtype
            assert array.base is None  # a copy: no way back to the records of the games
        actions = masks.argmax(axis=1)
        observations[:] = 0
        masks[:] = 1
        return actions


def test_requirement_10_agents_get_copies_of_what_their_seat_sees_and_never_the_state() -> None:
    guest, table = Guest(), LearnerTable(Rules.preset("italian"), 8, opponents=Guest())
    table.agents = [guest, guest]
    table.reset(range(8))
    for _ in range(60):
        table.deal(np.flatnonzero(table.step(table.batch.masks.argmax(axis=1))))
    assert guest.calls > 100


def test_requirement_20_the_autoreset_mode_is_declared_and_the_last_observation_is_true() -> None:
    env = BurracoVectorEnv(8, "mini")
    assert env.metadata["autoreset_mode"] == SAME_STEP
    env.reset(seed=0)
    agent, rng = RandomAgent(), np.arange(8, dtype=np.uint64)
    ended = 0
    for _ in range(150):
        actions = agent.act(env.table.batch.observations, env.action_masks, rng)
        _, rewards, terminated, truncated, infos = env.step(actions)
        for b in np.flatnonzero(terminated | truncated):
            ended += 1
            last = infos["final_obs"][b]
            assert describe(last)["phase"] == "over"
            assert env.table.batch.games["turn"][b] <= 1  # the next deal has just begun
        assert (rewards[~(terminated | truncated)] == 0).all()
    assert ended > 20
