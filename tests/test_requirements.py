"""The failures of such environments that this one must not have, each by its number.

The numbers are those of the list that the project was given. Where another file checks one in
depth, the test here is its short form for the PettingZoo environment.

| number | where |
|---|---|
| 1-4, 7-9, 11-18, 21, 26-28 | here |
| 19 | here for PettingZoo; `test_learner_table.py` and `test_sb3.py` for the others |
| 5, 6, 10, 20 | `test_requirements_learning.py`, `test_sb3.py` |
| 22-25 | with training and evaluation |
"""

from __future__ import annotations

import ast
import copy
import hashlib
import multiprocessing
import os
import pickle
import random
import re
import subprocess
import sys
import time
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.test import performance_benchmark as benchmark_function
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import burraco_env
from burraco_env import OBSERVATION_SIZE, Batch, Game, IllegalActionError, Rules
from burraco_env.observations import describe, segment
from burraco_env.registration import environment_ids
from burraco_env.state import PHASES
from tests.oracle import Oracle
from tests.play import GAME_IDS, GAMES, choose
from tests.test_hidden_information import permuted

ROOT = Path(__file__).parents[1]
PACKAGE = sorted((ROOT / "burraco_env").glob("*.py"))

each_game = pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)
each_id = pytest.mark.parametrize("arguments", environment_ids().values(), ids=environment_ids())


def started(name: str = "italian", seats: int | None = None, seed: int = 1, **options: Any) -> Any:
    env = burraco_env.env(name, seats, **options)
    env.reset(seed=seed)
    return env


def ended(env: Any) -> bool:
    return any(env.terminations.values()) or any(env.truncations.values())


def step(env: Any, rng: random.Random, bias: float = 3.0) -> None:
    """One random decision, more often a play than a discard."""
    env.step(env.id(choose(rng, env.unwrapped.game.legal(), bias)))


def all_that_is_seen(env: Any) -> dict[str, Any]:
    """What every agent can get from the environment now."""
    return {
        agent: (
            env.observe(agent)["observation"].tobytes(),
            env.observe(agent)["action_mask"].tobytes(),
            env.rewards[agent],
            env.terminations[agent],
            env.truncations[agent],
            env.infos[agent],
            env.agent_selection,
        )
        for agent in env.possible_agents
    }


def digest(env: Any, seed: int) -> str:
    """Fingerprint of an episode of random play: everything seen, at every step."""
    rng, seen = random.Random(seed), hashlib.sha256()
    while not ended(env):
        observation, *rest = env.last()
        seen.update(observation["observation"].tobytes() + observation["action_mask"].tobytes())
        seen.update(repr((env.agent_selection, rest)).encode())
        env.step(int(rng.choice(observation["action_mask"].nonzero()[0])))
    seen.update(repr((env.rewards, env.points)).encode())
    return seen.hexdigest()


@each_game
def test_requirement_01_mask_of_an_agent_that_is_not_to_act_is_all_zero(
    name: str, seats: int
) -> None:
    env, rng = started(name, seats), random.Random(1)
    while not ended(env):
        for agent in env.possible_agents:
            mask = env.observe(agent)["action_mask"]
            assert mask.any() == (agent == env.agent_selection)
        step(env, rng)
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)


@each_game
def test_requirement_02_mask_is_the_legal_set_of_the_oracle(name: str, seats: int) -> None:
    for seed in range(3):
        env, rng = started(name, seats, seed), random.Random(seed)
        dealt = Game.deal(env.rules, seed=seed)
        assert dealt.deck is not None
        oracle = Oracle.deal(env.rules.to_json(), dealt.deck, dealt.dealer)
        while not ended(env):
            mask = env.last()[0]["action_mask"]
            legal = [env.text(action) for action in mask.nonzero()[0]]
            assert legal
            assert sorted(legal) == oracle.legal()
            decision = choose(rng, legal, 6.0)
            env.step(env.id(decision))
            oracle.play(decision)


@each_game
def test_requirement_03_ids_and_texts_are_inverse(name: str, seats: int) -> None:
    env, rng = started(name, seats, seed=3), random.Random(3)
    while not ended(env):
        legal = env.last()[0]["action_mask"].nonzero()[0]
        texts = [env.text(action) for action in legal]
        assert len(set(texts)) == len(texts)
        assert [env.id(text) for text in texts] == list(legal)
        step(env, rng)


@pytest.mark.parametrize("action", [-1, 985, 2, 984, 10**30, None, 1.0, "draw"])
def test_requirement_04_illegal_action_raises_and_changes_nothing(action: Any) -> None:
    env, twin = started(), started()
    before = all_that_is_seen(env), env.state().tobytes(), env.unwrapped.game.state.tobytes()
    with pytest.raises(IllegalActionError, match=re.escape(f"cannot play {action!r}")):
        env.step(action)
    after = all_that_is_seen(env), env.state().tobytes(), env.unwrapped.game.state.tobytes()
    assert after == before
    assert digest(env, 1) == digest(twin, 1)


def test_requirement_04_game_under_terminate_illegal_wrapper_resets_cleanly() -> None:
    env = TerminateIllegalWrapper(burraco_env.env(), illegal_reward=-1)
    for episode in range(3):
        env.reset(seed=episode)
        plain = started(seed=episode)
        assert all_that_is_seen(env) == all_that_is_seen(plain)
        rng = random.Random(episode)
        for _ in range(10 * episode):
            action = rng.choice(np.flatnonzero(env.last()[0]["action_mask"]).tolist())
            env.step(action)
        loser = env.agent_selection
        env.step(2)  # pickup-top is never legal in italian
        paid = {}
        for agent in env.agent_iter():
            observation, reward, termination, truncation, _ = env.last()
            assert termination
            assert truncation
            assert not observation["action_mask"].any()
            paid[agent] = reward
            env.step(None)
        assert paid == {agent: -1.0 if agent == loser else 0.0 for agent in env.possible_agents}
    env.reset(seed=9)
    assert digest(env, 9) == digest(started(seed=9), 9)


@each_game
def test_requirement_07_phase_is_in_the_observation(name: str, seats: int) -> None:
    env, rng = started(name, seats, seed=7), random.Random(7)
    while not ended(env):
        phase = env.unwrapped.game.phase
        assert env.infos[env.agent_selection]["phase"] == phase
        for agent in env.possible_agents:
            assert PHASES[segment(env.observe(agent)["observation"], "phase").argmax()] == phase
        step(env, rng, bias=8.0)


def with_game(env: Any, game: Game) -> Any:
    """A copy of the environment in which another position is played."""
    twin = copy.deepcopy(env)
    twin.unwrapped._begin_deal(game.state)
    return twin


@each_game
def test_requirement_08_hidden_cards_change_nothing_that_an_agent_gets(
    name: str, seats: int
) -> None:
    numbers, phases = np.random.default_rng(8), set()
    for seed in range(3):
        env, rng = started(name, seats, seed), random.Random(seed)
        while not ended(env):
            game = env.unwrapped.game
            if rng.random() < 0.1 or game.phase == "wild":
                phases.add(game.phase)
                for seat, agent in enumerate(env.possible_agents):
                    twin = with_game(env, permuted(game, seat, numbers))
                    assert all_that_is_seen(twin)[agent] == all_that_is_seen(env)[agent]
            step(env, rng, bias=5.0)
    assert {"draw", "play"} <= phases


@each_game
def test_requirement_08_hidden_cards_change_nothing_at_the_end(name: str, seats: int) -> None:
    numbers = np.random.default_rng(8)
    for seed in range(3):
        env, rng = started(name, seats, seed), random.Random(seed)
        while not ended(env):
            before = env.unwrapped.game
            decision = choose(rng, before.legal(), 5.0)
            env.step(env.id(decision))
        for seat, agent in enumerate(env.possible_agents):
            twin = with_game(started(name, seats, seed), permuted(before, seat, numbers))
            if decision in twin.unwrapped.game.legal():  # the last discard may be a hidden card
                twin.step(twin.id(decision))
                assert twin.infos[agent] == env.infos[agent]
                for part in ("observation", "action_mask"):
                    ours, theirs = env.observe(agent)[part], twin.observe(agent)[part]
                    assert ours.tobytes() == theirs.tobytes()
            else:
                assert seat != before.seat


@each_game
def test_requirement_09_resampling_agrees_with_what_the_seat_knows(name: str, seats: int) -> None:
    env, rng, numbers = started(name, seats, 9), random.Random(9), np.random.default_rng(9)
    differ = total = 0
    while not ended(env):
        seat = rng.randrange(seats)
        step(env, rng)
        if rng.random() < 0.7 or ended(env):
            continue
        game = env.unwrapped.game
        twin = game.resample(seat, numbers)
        seen = env.observe(f"player_{seat}")
        assert twin.observation(seat).tobytes() == seen["observation"].tobytes()
        assert twin.mask(seat).tobytes() == seen["action_mask"].tobytes()
        hidden = int(game.state[0]["stock_size"]) > 5
        total += hidden
        differ += hidden and twin.position()["stock"] != game.position()["stock"]
    assert differ > 0.95 * total


@each_game
def test_requirement_11_public_state_can_be_read_from_the_observation(
    name: str, seats: int
) -> None:
    env, rng = started(name, seats, seed=11), random.Random(11)
    while not ended(env):
        position = env.unwrapped.game.position()
        told = describe(env.last()[0]["observation"])
        side = next(s for s, seats_ in enumerate(position["sides"]) if position["seat"] in seats_)
        assert told["melds"]["mine"] == position["melds"][side]
        assert told["hand"] == position["hands"][position["seat"]]
        assert sorted(told["pile"].split()) == sorted(position["discard_pile"].split())
        assert told["stock"] == len(position["stock"].split())
        assert told["pozzetti"] == len(position["pozzetti"])
        assert told["turn"] == position["turn"]
        assert told["no_return"] == position["no_return"]
        step(env, rng)


def test_requirement_12_seeds_and_deals_have_different_decks() -> None:
    env = burraco_env.env()
    decks = set()
    for seed in range(30):
        env.reset(seed=seed)
        decks.add(env.state().tobytes())
    for _ in range(30):
        env.reset()
        decks.add(env.state().tobytes())
    match, deals = started(seed=0, episode="match", max_turns=3), []
    rng = random.Random(0)
    while not ended(match):
        if match.infos[match.agent_selection]["deal"] == len(deals):
            deals.append(match.state()[OBSERVATION_SIZE:].tobytes())
        step(match, rng)
    assert len(decks) == 60
    assert len(deals) == len(set(deals)) == 4


_OTHER_PROCESS = """
import random, sys
import burraco_env
shown = [name for name in ("pygame", "tkinter", "matplotlib", "torch") if name in sys.modules]
assert not shown, shown
from tests.test_requirements import digest, started
print(digest(started(seed=5, episode="match", max_turns=40), 5))
env = started(seed=5, render_mode="ansi")
assert env.render().count("player_") > 4
"""


def test_requirement_12_and_26_another_process_repeats_the_match_and_needs_no_display() -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    variables = {name: value for name, value in os.environ.items() if name not in hidden}
    here = digest(started(seed=5, episode="match", max_turns=40), 5)
    done = subprocess.run(
        [sys.executable, "-c", _OTHER_PROCESS],
        cwd=ROOT,
        env={**variables, "PYTHONHASHSEED": "12345"},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert done.stdout.strip() == here


def test_requirement_12_resets_without_a_seed_repeat_after_the_same_seed() -> None:
    runs = []
    for _ in range(2):
        env = started(seed=4)
        digests = [digest(env, 0)]
        for _ in range(2):
            env.reset()
            digests.append(digest(env, 0))
        runs.append(digests)
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 3
    fresh = [burraco_env.env() for _ in range(2)]
    for env in fresh:
        env.reset()
    assert fresh[0].state().tobytes() != fresh[1].state().tobytes()


def test_requirement_13_options_survive_every_reset() -> None:
    env = burraco_env.env(
        "fitab", 2, render_mode="ansi", episode="match", reward_scale=7.0, jokers=1, max_turns=9
    )
    rules = Rules.preset("fitab", 2, jokers=1, max_turns=9)
    for arguments in ({}, {"seed": 3}, {"options": {"unknown": 1}}, {"options": {"dealer": 1}}, {}):
        env.reset(**arguments)
        raw = env.unwrapped
        assert raw.rules == raw.game.rules == rules
        assert (raw.episode, raw.reward, raw.reward_scale) == ("match", "points", 7.0)
        assert isinstance(env.render(), str)
    assert env.possible_agents == ["player_0", "player_1"]


def test_requirement_14_other_environments_and_global_generators_change_nothing() -> None:
    alone = [digest(started(seed=seed, episode="match", max_turns=20), seed) for seed in (1, 2)]
    envs = [started(seed=seed, episode="match", max_turns=20) for seed in (1, 2)]
    rngs, seen = [random.Random(1), random.Random(2)], [hashlib.sha256(), hashlib.sha256()]
    while not all(ended(env) for env in envs):
        for env, rng, found in zip(envs, rngs, seen, strict=True):
            random.random()
            np.random.random()  # noqa: NPY002 (the global generator is the point)
            if ended(env):
                continue
            observation, *rest = env.last()
            found.update(
                observation["observation"].tobytes() + observation["action_mask"].tobytes()
            )
            found.update(repr((env.agent_selection, rest)).encode())
            env.step(int(rng.choice(observation["action_mask"].nonzero()[0])))
    for env, found in zip(envs, seen, strict=True):
        found.update(repr((env.rewards, env.points)).encode())
    assert [found.hexdigest() for found in seen] == alone


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("make", [burraco_env.env, burraco_env.raw_env])
def test_requirement_15_copies_in_mid_game_continue_the_same_game(make: Any, copied: Any) -> None:
    fresh = copied(make())
    fresh.reset(seed=1)
    env = make("italian", 3, episode="match", match_target=None, match_deals=3)
    env.reset(seed=15)
    rng = random.Random(15)
    while not env.points:
        step(env, rng, bias=6.0)
    for _ in range(30):
        step(env, rng)
    twin = copied(env)
    assert all_that_is_seen(twin) == all_that_is_seen(env)
    before = env.state().tobytes()
    later = [digest(twin, 3)]
    assert env.state().tobytes() == before  # they share nothing
    later.append(digest(env, 3))
    assert later[0] == later[1]
    for one in (env, twin):
        one.reset()
    assert env.state().tobytes() == twin.state().tobytes()


@pytest.mark.parametrize("num_games", [7, 1024])
def test_requirement_16_a_game_does_not_depend_on_its_batch(num_games: int) -> None:
    rules = Rules.preset("italian")
    one, many = Batch(rules, 1, seed=16), Batch(rules, num_games, seed=16)
    for _ in range(100):
        one.step_random()
        many.step_random()
        assert one.games[0].tobytes() == many.games[0].tobytes()
        assert one.masks[0].tobytes() == many.masks[0].tobytes()
        assert one.observations[0].tobytes() == many.observations[0].tobytes()


@each_game
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_requirement_17_rewards_sum_to_the_return_and_each_agent_has_one_last(
    name: str, seats: int, episode: Any
) -> None:
    env = burraco_env.env(
        name, seats, episode=episode, max_turns=12,
        match_target=None, match_deals=3, victory_points=False,
    )  # fmt: skip
    env.reset(seed=17)
    rng, numbers = random.Random(17), dict.fromkeys(env.possible_agents, 0)
    received = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        received[agent] += reward
        if termination or truncation:
            numbers[agent] += 1
            env.step(None)
        else:
            step(env, rng, bias=5.0)
    assert numbers == dict.fromkeys(env.possible_agents, 1)
    totals = [sum(points) for points in zip(*env.points, strict=True)]
    assert len(env.points) == (1 if episode == "deal" else env.unwrapped.deals)
    if seats == 3:
        wanted = [own - (sum(totals) - own) / 2 for own in totals]
    else:
        wanted = [own - totals[(seat + 1) % seats] for seat, own in enumerate(totals)]
    assert list(received.values()) == pytest.approx([points / 100 for points in wanted])


def test_requirement_18_the_same_agent_acts_until_its_turn_ends() -> None:
    env, rng, repeats, before = started(seed=18), random.Random(18), 0, ""
    for agent in env.agent_iter():
        _, _, termination, truncation, info = env.last()
        if termination or truncation:
            break
        repeats += agent == before
        assert (agent == before) == (info["phase"] != "draw")
        before = agent
        step(env, rng)
    assert repeats > 100


# Said of every environment with masks as the requirements want them.
EXPECTED_WARNINGS = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "Action mask numpy array is all zeros",
)


@each_id
def test_requirement_19_api_test(arguments: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        for message in EXPECTED_WARNINGS:
            warnings.filterwarnings("ignore", message=message)
        api_test(burraco_env.env(**arguments), num_cycles=80)
        api_test(burraco_env.env(**arguments, episode="match", max_turns=4), num_cycles=40)
        api_test(burraco_env.raw_env(**arguments), num_cycles=20)


@each_id
def test_requirement_19_seed_test(arguments: dict[str, Any]) -> None:
    seed_test(lambda: burraco_env.env(**arguments, episode="match"), num_cycles=60)


@each_id
def test_requirement_19_render_test(arguments: dict[str, Any]) -> None:
    render_test(lambda render_mode: burraco_env.env(**arguments, render_mode=render_mode))


@each_id
def test_requirement_19_performance_benchmark(
    arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start = time.time()
    clock = types.SimpleNamespace(time=lambda: start + 100 * (time.time() - start))
    module = sys.modules[benchmark_function.__module__]
    monkeypatch.setattr(module, "time", clock)  # it runs for five seconds of its clock
    performance_benchmark(burraco_env.env(**arguments))
    assert "turns per second" in capsys.readouterr().out


def picks_up(game: Game) -> str:
    """Always picks up the pile."""
    legal = game.legal()
    return "pickup" if "pickup" in legal else legal[0]


def never_melds(game: Game) -> str:
    """Draws while that does not end the deal, and lays nothing down."""
    if game.phase == "draw":
        return "draw" if game.state[0]["stock_size"] > 3 else "pickup"
    return next(decision for decision in game.legal() if decision.startswith("discard"))


@pytest.mark.parametrize("policy", [picks_up, never_melds])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_requirement_21_endless_play_is_truncated(seats: int, policy: Any) -> None:
    env = started("italian", seats, seed=21)
    while not ended(env):
        env.step(env.id(policy(env.unwrapped.game)))
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    info = {"phase": "over", "turn": 400, "deal": 1, "outcome": "stalemate"}
    assert env.infos == dict.fromkeys(env.agents, info)


def test_requirement_27_no_call_that_only_one_system_has() -> None:
    posix = r"\b(fork|forkserver|setrlimit|SIGALRM|SIGKILL|getuid|mkfifo|sched_setaffinity)\b"
    modules = r"^\s*(?:import|from) (fcntl|resource|pwd|grp|termios|pty|posix|msvcrt|winreg)\b"
    for path in PACKAGE:
        source = path.read_text(encoding="utf-8")
        assert not re.search(posix, source), path.name
        assert not re.search(modules, source, re.MULTILINE), path.name


def test_requirement_27_environments_work_in_spawned_processes() -> None:
    env = started(seed=27)
    rng = random.Random(27)
    for _ in range(25):
        step(env, rng)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        theirs = pool.apply(digest, (env, 27))
    assert theirs == digest(env, 27)


def test_requirement_28_versions() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for line in ('requires-python = ">=3.10"', '"gymnasium>=1.0,<2"', '"pettingzoo>=1.25,<2"'):
        assert line in project
    for path in PACKAGE:
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))
