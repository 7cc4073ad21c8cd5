"""The learner's environments: Gymnasium, vector, and what they have in common."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from burraco_env import NUM_ACTIONS, Batch, IllegalActionError, Rules
from burraco_env.agent import RandomAgent
from burraco_env.gym_env import BurracoEnv, BurracoVectorEnv
from burraco_env.learner_table import LEARNER, LearnerTable
from tests.play import GAME_IDS, GAMES
from tests.positions import position

pytestmark = pytest.mark.nojit

each_game = pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)


class Recorder:
    """Plays the first legal action and notes whom it was asked for."""

    name = "recorder"

    def __init__(self) -> None:
        self.rows = 0

    def act(self, observations: Any, masks: Any, rng: Any) -> Any:
        self.rows += len(masks)
        assert (masks.sum(axis=1) > 0).all()
        return masks.argmax(axis=1)


def random_actions(masks: Any, rng: np.random.Generator) -> Any:
    return np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])


@each_game
def test_check_env(name: str, seats: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it advises against int8 boxes and unbounded totals
        env = gymnasium.make(f"burraco/{id_of(name, seats)}").unwrapped
        check_env(Masked(env), skip_render_check=True)


class Masked(gymnasium.Wrapper[Any, Any, Any, Any], gymnasium.utils.RecordConstructorArgs):
    """Plays a legal action for an illegal one: `check_env` keeps actions from another state."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        gymnasium.utils.RecordConstructorArgs.__init__(self)
        gymnasium.Wrapper.__init__(self, env)

    def step(self, action: Any) -> Any:
        masks = self.env.unwrapped.action_masks()  # type: ignore[attr-defined]
        return self.env.step(action if masks[action] else int(masks.argmax()))


def test_the_action_space_samples_legal_actions() -> None:
    env = BurracoEnv("italian")
    env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(200):
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()


def id_of(name: str, seats: int) -> str:
    default = Rules.preset(name).seats
    return f"{name}-v0" if seats == default else f"{name}-{seats}p-v0"


@each_game
def test_a_learner_plays_deals_to_the_end(name: str, seats: int) -> None:
    env = BurracoEnv(name, seats)
    rng = np.random.default_rng(1)
    for seed in range(2):
        observation, info = env.reset(seed=seed)
        total, done = 0.0, False
        while not done:
            assert env.observation_space.contains(observation)
            assert (env.action_masks() == info["action_mask"].astype(bool)).all()
            action = int(rng.choice(np.flatnonzero(env.action_masks())))
            observation, reward, terminated, truncated, info = env.step(action)
            done = terminated or truncated
            assert reward == 0 or done
            total += reward
        assert not env.action_masks().any()
        points = env.table.batch.points()[0]
        me = int(env.table._last_seats[0])
        others = [
            points[s] for s in range(seats) if s != me and not (seats == 4 and s % 2 == me % 2)
        ]
        assert total == pytest.approx((points[me] - np.mean(others)) / 100)
        with pytest.raises(ValueError, match="the deal is over, or never began; call reset"):
            env.step(0)


@each_game
def test_the_vector_env_equals_single_envs_decision_by_decision(name: str, seats: int) -> None:
    options: dict[str, Any] = {"reward": "win"} if seats != 4 else {"learn_side": True}
    count = 5
    vector = BurracoVectorEnv(count, name, seats, **options)
    singles = [BurracoEnv(name, seats, **options) for _ in range(count)]
    observations, infos = vector.reset(seed=40)
    for b, env in enumerate(singles):
        observation, info = env.reset(seed=40 + b)
        assert (observation == observations[b]).all()
    rng = np.random.default_rng(2)
    finished = 0
    for _ in range(120):
        actions = random_actions(vector.action_masks, rng)
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        for b, env in enumerate(singles):
            observation, reward, ended, cut, info = env.step(int(actions[b]))
            assert (reward, ended, cut) == (rewards[b], terminated[b], truncated[b])
            if ended or cut:
                finished += 1
                assert infos["_final_obs"][b]
                assert (infos["final_obs"][b] == observation).all()
                observation, info = env.reset()
            assert (observations[b] == observation).all()
            assert (infos["action_mask"][b] == info["action_mask"]).all()
            assert infos["seat"][b] == info["seat"]
    assert finished > 0 or name not in ("mini",)


def test_make_vec_gives_the_batch_environment() -> None:
    env = gymnasium.make_vec(
        "burraco/italian-v0", num_envs=3, vectorization_mode="vector_entry_point"
    )
    assert isinstance(env.unwrapped, BurracoVectorEnv)
    assert isinstance(gymnasium.make_vec("burraco/mini-v0", num_envs=2).unwrapped, BurracoVectorEnv)
    assert "autoreset_mode" in env.metadata
    observations, infos = env.reset(seed=1)
    assert env.observation_space.contains(observations)
    assert infos["action_mask"].shape == (3, NUM_ACTIONS)


def test_a_reset_consumes_no_action_and_options_survive() -> None:
    env = BurracoVectorEnv(4, "mini", opponents=RandomAgent(), seat=1)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(200):
        _, _, terminated, truncated, infos = env.step(random_actions(env.action_masks, rng))
        for b in np.flatnonzero(terminated | truncated):
            assert env.table.batch.games["outcome"][b] == 0
            assert infos["action_mask"][b].any()
        assert (env.table.batch.seats == 1).all()
    env.reset()
    assert (env.table.batch.seats == 1).all()


def test_agents_hold_the_seats_that_they_should() -> None:
    partner, one, other = Recorder(), Recorder(), Recorder()
    table = LearnerTable(
        Rules.preset("italian"), 64, opponents=[one, other], partner=partner, seat=2
    )
    table.reset(range(64))
    assert (table.holders[:, 2] == LEARNER).all()
    assert (table.holders[:, 0] == 0).all()
    assert (table.holders[:, 1] == table.holders[:, 3]).all()
    assert set(table.holders[:, 1].tolist()) == {1, 2}
    rng = np.random.default_rng(4)
    for _ in range(20):
        table.step(random_actions(table.batch.masks, rng))
        assert (table.batch.seats[~table.batch.over] == 2).all()
    assert min(partner.rows, one.rows, other.rows) > 100


def test_the_reward_belongs_to_the_side_that_earned_it() -> None:
    """A hand-made deal: seat 0 closes with the king; whoever learns, its side is paid."""
    place = position(
        hand="Kc", melds=["4d-5d-6d-7d-8d-9d-Td"], taken=(0,), hands={1: "Ac", 2: "3c", 3: "4c"}
    )
    for learner in range(4):
        table = LearnerTable(Rules.preset("italian"), 1, seat=learner, opponents=Recorder())
        table.reset([0])
        from burraco_env import Game

        table.batch = Batch.of(table.rules, Game.from_position(place).state)
        table._last_seats[:] = learner
        assert table.batch.seats[0] == 0
        king = int(np.flatnonzero(table.batch.masks[0])[0])
        table.batch.step(np.array([king]))
        assert table.batch.over[0]
        mine = 50 + 200 + 100 - 5
        theirs = -15 - 5 - 100
        sign = 1 if learner % 2 == 0 else -1
        assert table.rewards(np.array([0]))[0] == pytest.approx(sign * (mine - theirs) / 100)


def test_illegal_actions_change_nothing() -> None:
    env = BurracoEnv("italian")
    env.reset(seed=1)
    before = env.table.batch.games.tobytes()
    with pytest.raises(IllegalActionError, match=r"game 0: action 984 .* legal: draw, pickup"):
        env.step(984)
    assert env.table.batch.games.tobytes() == before


def test_an_agent_that_answers_an_illegal_action_is_named() -> None:
    class Wrong:
        def act(self, observations: Any, masks: Any, rng: Any) -> Any:
            return np.full(len(masks), 984)

    table = LearnerTable(Rules.preset("italian"), 2, opponents=Wrong())
    with pytest.raises(IllegalActionError, match="action 984"):
        table.reset([1, 2])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"reward": "cash"}, "reward must be one of points, win, not 'cash'"),
        ({"seat": 4}, "seat must be a seat from 0 to 3, not 4"),
        ({"opponents": []}, "opponents must not be an empty list"),
        ({"opponents": "greedy"}, "an agent has a method act, 'g' has none"),
        ({"learn_side": True, "partner": RandomAgent()}, "leave partner out"),
        ({"seats": 2, "learn_side": True}, "with 2 seats nobody has a partner"),
        ({"render_mode": "rgb_array"}, "render_mode must be None or 'ansi', not 'rgb_array'"),
        ({"preset": "poker"}, "unknown preset 'poker'"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        BurracoEnv(**options)
