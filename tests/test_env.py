"""The PettingZoo environment: options, rewards, matches, state, rendering, registration."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from pettingzoo.utils import wrappers

import burraco_env
from burraco_env import (
    NUM_ACTIONS,
    OBSERVATION_SIZE,
    Game,
    IllegalActionError,
    Match,
    Rules,
    RulesError,
)
from burraco_env.env import MAX_DEALS, STATE_SEGMENTS, STATE_SIZE
from burraco_env.registration import environment_ids, register_pettingzoo
from burraco_env.rendering import table_text
from burraco_env.scoring import victory_points
from tests.play import GAME_IDS, GAMES, choose, some_positions

pytestmark = pytest.mark.nojit

each_game = pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)


def play(env: Any, rng: random.Random, decisions: int | None = None, bias: float = 3.0) -> int:
    """Play random legal actions until the episode ends, or so many; returns how many."""
    played = 0
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        if played == decisions:
            break
        env.step(env.id(choose(rng, env.unwrapped.game.legal(), bias)))
        played += 1
    return played


def returns(env: Any) -> dict[str, float]:
    """The last rewards, taken from each agent's only `last()` after the end."""
    paid: dict[str, float] = {}
    for agent in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        assert termination or truncation
        assert agent not in paid
        paid[agent] = reward
        env.step(None)
    assert set(paid) == set(env.possible_agents)
    return paid


@each_game
def test_it_is_the_game_dealt_from_the_same_seed(name: str, seats: int) -> None:
    env, game = burraco_env.env(name, seats), Game.deal(Rules.preset(name, seats), seed=5)
    env.reset(seed=5)
    rng = random.Random(5)
    assert env.possible_agents == [f"player_{seat}" for seat in range(seats)]
    while not game.is_over:
        assert env.agent_selection == f"player_{game.seat}"
        assert env.infos[env.agent_selection] == {"phase": game.phase, "turn": game.turn, "deal": 0}
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert (seen["observation"] == game.observation(seat)).all()
            assert (seen["action_mask"] == game.mask(seat)).all()
            assert (env.infos[agent] == {}) == (seat != game.seat)
        action = int(rng.choice(game.legal_ids()))
        assert env.text(action) == game.text(action)
        env.step(action)
        game.play_id(action)
    end = {"phase": "over", "turn": game.turn, "deal": 1, "outcome": game.outcome}
    assert env.infos == dict.fromkeys(env.agents, end)
    assert env.points == [game.seat_points()]
    for seat, agent in enumerate(env.possible_agents):
        assert (env.observe(agent)["observation"] == game.observation(seat)).all()
        assert not env.observe(agent)["action_mask"].any()


def test_spaces() -> None:
    env = burraco_env.env()
    assert env.action_space("player_1") == spaces.Discrete(NUM_ACTIONS)
    space = env.observation_space("player_1")
    assert space["observation"].shape == (OBSERVATION_SIZE,)
    assert space["action_mask"] == spaces.Box(0, 1, (NUM_ACTIONS,), np.int8)
    assert env.action_space("player_0") is not env.action_space("player_1")
    assert env.metadata["name"] == f"burraco_v{burraco_env.ENV_VERSION}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "italia"}, "unknown preset 'italia'; the presets are italian"),
        ({"seats": 5}, "preset italian is for 4 or 2 or 3 seats, not 5"),
        ({"joker": 2}, "unknown rule 'joker'; the fields of Rules are ranks"),
        ({"jokers": 9}, "jokers must be from 0 to 4, not 9"),
        ({"render_mode": "rgb"}, "render_mode must be one of human, ansi, None, not 'rgb'"),
        ({"episode": "game"}, "episode must be one of deal, match, not 'game'"),
        ({"reward": "score"}, "reward must be one of points, win, victory_points, not 'score'"),
        ({"reward_scale": 0}, "reward_scale must be a number above 0, not 0"),
        ({"reward_scale": "1"}, "reward_scale must be a number above 0, not '1'"),
        ({"reward": "win", "reward_scale": 5.0}, "with reward='win' it has no effect"),
        ({"reward": "victory_points"}, "needs episode='match'"),
        (
            {"seats": 2, "episode": "match", "reward": "victory_points"},
            "italian with 2 seats is not",
        ),
        ({"rules": "italian"}, "rules must be a Rules object, not 'italian'"),
        ({"rules": Rules(), "seats": 4}, "give either rules, or preset, seats"),
        ({"rules": Rules(), "jokers": 4}, "give either rules, or preset, seats"),
    ],
)
def test_bad_options_are_refused_with_a_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        burraco_env.env(**options)


def test_bad_rules_are_a_rules_error_and_bad_resets_change_nothing() -> None:
    with pytest.raises(RulesError):
        burraco_env.env("mini", seats=4)
    env = burraco_env.env()
    env.reset(seed=1)
    before = env.state().tobytes()
    for arguments in ({"seed": -1}, {"seed": 1.5}, {"options": {"dealer": 4}}):
        with pytest.raises(ValueError, match="must be a"):
            env.reset(**arguments)
        assert env.state().tobytes() == before
    with pytest.raises(ValueError, match="no agent 'player_4'; the agents are player_0, player_1"):
        env.observe("player_4")


def test_rules_can_be_given_as_an_object() -> None:
    rules = Rules.preset("fitab", 2, jokers=2)
    env = burraco_env.env(rules=rules)
    env.reset(seed=1, options={"dealer": 1})
    assert env.rules is rules
    assert env.unwrapped.game.dealer == 1
    assert env.agent_selection == "player_0"


def test_calls_before_reset_are_refused_as_pettingzoo_does() -> None:
    env = burraco_env.env()
    assert isinstance(env, wrappers.OrderEnforcingWrapper)
    for name in ("agents", "agent_selection", "rewards", "infos", "num_agents"):
        with pytest.raises(AttributeError, match="cannot be accessed before reset"):
            getattr(env, name)
    with pytest.raises(AttributeError, match="cannot be accessed before reset"):
        env.last()
    for call in (env.render, env.state, env.agent_iter, lambda: env.step(0)):
        with pytest.raises(AssertionError, match="needs to be called before"):
            call()


def test_a_loop_without_step_is_refused_as_pettingzoo_does() -> None:
    env = burraco_env.env()
    env.reset(seed=1)
    agents = iter(env.agent_iter())
    next(agents)
    with pytest.raises(AssertionError, match="need to call step"):
        next(agents)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_points_reward_is_the_difference_of_the_sides(seats: int) -> None:
    env = burraco_env.env("italian", seats, reward_scale=10.0)
    for seed in range(4):
        env.reset(seed=seed)
        play(env, random.Random(seed), bias=6.0)
        points = env.points[0]
        paid = list(returns(env).values())
        if seats == 3:
            others = [sum(points) - own for own in points]
            expected = [(own - rest / 2) / 10 for own, rest in zip(points, others, strict=True)]
        else:
            expected = [(points[s] - points[(s + 1) % seats]) / 10 for s in range(seats)]
        assert paid == pytest.approx(expected)
        assert sum(paid) == pytest.approx(0.0)
        if seats == 4:
            assert paid[0] == paid[2] == -paid[1] == -paid[3]


def test_points_reward_of_a_hand_made_deal() -> None:
    """Closing with a clean burraco, by the seat that acts last; both of its side are paid."""
    position = {
        "rules": {"preset": "italian", "seats": 4, "overrides": {}},
        "dealer": 3,
        "turn": 8,
        "seat": 0,
        "phase": "play",
        "sides": [[0, 2], [1, 3]],
        "hands": ["9c", "2c Jo", "Kh", "5d 6d"],
        "stock": "",
        "discard_pile": "4c",
        "pozzetti": ["As Ac Ad Ah Ks Kd Kc Qs Qd Qh Qc"],
        "pozzetto_taken_by": [2, None],
        "pozzetto_unplayed": [False, False],
        "melds": [["3h-4h-5h-6h-7h-8h-9h"], []],
        "no_return": None,
        "must_meld": False,
        "pending": None,
        "outcome": None,
        "closed_by": None,
    }
    fill_stock(position)
    game = Game.from_position(position)
    env = burraco_env.env()
    env.reset(seed=1)
    env.unwrapped._begin_deal(game.state)
    env.step(env.id("discard 9c"))
    ours, theirs = 45 + 200 + 100 - 10, -(20 + 30 + 5 + 5) - 100
    assert env.points == [[ours, theirs, ours, theirs]]
    difference = (ours - theirs) / 100
    assert env.rewards == {
        f"player_{seat}": difference if seat % 2 == 0 else -difference for seat in range(4)
    }
    assert all(env.terminations.values())
    assert returns(env)["player_3"] == -difference


def fill_stock(position: dict[str, Any]) -> None:
    """Put the cards that the position does not mention into the stock."""
    deck = [rank + suit for rank in "A23456789TJQK" for suit in "cdhs"] * 2 + ["Jo"] * 4
    used = " ".join([*position["hands"], position["discard_pile"], *position["pozzetti"]]).split()
    for card in used + [
        card for melds in position["melds"] for m in melds for card in m.split("-")
    ]:
        deck.remove(card)
    position["stock"] = " ".join(deck)


def test_win_reward() -> None:
    seen = set()
    for seats in (2, 3, 4):
        env = burraco_env.env("italian", seats, reward="win")
        for seed in range(5):
            env.reset(seed=seed)
            play(env, random.Random(seed), bias=6.0)
            best = max(env.points[0])
            tied = min(env.points[0]) == best
            expected = [0.0 if tied else 1.0 if p == best else -1.0 for p in env.points[0]]
            assert list(returns(env).values()) == expected
            seen.update(expected)
    assert {1.0, -1.0} <= seen


def test_a_draw_pays_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    env = burraco_env.env("italian", 4, reward="win")
    env.reset(seed=1)
    monkeypatch.setattr(Game, "seat_points", lambda game: [5.0, 5.0, 5.0, 5.0])
    play(env, random.Random(1))
    assert returns(env) == dict.fromkeys(env.possible_agents, 0.0)


@pytest.mark.parametrize(
    ("options", "reward"),
    [
        ({"preset": "italian"}, "points"),
        ({"preset": "italian"}, "victory_points"),
        ({"preset": "italian"}, "win"),
        ({"preset": "pairs-app"}, "points"),
        ({"preset": "mini", "match_target": 100}, "points"),
        ({"preset": "coppie-2000", "seats": 3, "match_target": 300}, "win"),
    ],
)
def test_a_match_is_that_of_match(options: dict[str, Any], reward: Any) -> None:
    env = burraco_env.env(episode="match", reward=reward, max_turns=60, **options)
    env.reset(seed=11)
    match, rng = Match(env.rules, seed=11), random.Random(11)
    total = dict.fromkeys(env.possible_agents, 0.0)
    deals = 0
    while not match.is_over:
        while not match.game.is_over:
            assert env.infos[env.agent_selection]["deal"] == match.deals
            assert (env.last()[0]["observation"] == match.game.observation()).all()
            decision = choose(rng, match.game.legal(), 6.0)
            env.step(env.id(decision))
            match.game.play(decision)
            for agent, paid in env.rewards.items():
                total[agent] += paid
        match.next_deal()
        deals += 1
        assert env.points == match.points
        assert env.unwrapped.deals == deals
    assert all(env.terminations.values()) or all(env.truncations.values())
    totals = match.totals
    if reward == "points":
        wanted = [(own - totals[(seat + 1) % len(totals)]) / 100 for seat, own in enumerate(totals)]
    elif reward == "win":
        wanted = [1.0 if own == max(totals) else -1.0 for own in totals]
    else:
        sides = victory_points(totals[0] - totals[1], 4)
        wanted = [(sides[seat % 2] - 10) / 10 for seat in range(4)]
    assert list(total.values()) == pytest.approx(wanted)


def test_a_match_that_nobody_can_win_is_cut_short() -> None:
    env = burraco_env.env("mini", episode="match", max_turns=1)
    env.reset(seed=1)
    rng = random.Random(1)
    while not any(env.truncations.values()):
        assert not any(env.terminations.values())
        legal = env.unwrapped.game.legal()
        env.step(env.id(rng.choice([d for d in legal if d.startswith(("draw", "discard"))])))
    assert env.unwrapped.deals == MAX_DEALS
    returns(env)


def test_observations_are_the_callers_to_keep() -> None:
    env = burraco_env.env()
    env.reset(seed=3)
    kept = [env.last()[0] for _ in range(2)]
    before = [{key: value.copy() for key, value in seen.items()} for seen in kept]
    kept[1]["action_mask"][:] = 1
    play(env, random.Random(3), 20)
    assert (kept[0]["observation"] == before[0]["observation"]).all()
    assert (kept[0]["action_mask"] == before[0]["action_mask"]).all()


@each_game
def test_state_holds_every_card(name: str, seats: int) -> None:
    env = burraco_env.env(name, seats)
    env.reset(seed=2)
    rng = random.Random(2)
    space = env.unwrapped.state_space
    assert space.shape == (STATE_SIZE,) == (STATE_SEGMENTS[-1].stop,)
    while True:
        state, game = env.state(), env.unwrapped.game
        assert space.contains(state)
        parts = {p.name: state[p.start : p.stop].reshape(p.shape) for p in STATE_SEGMENTS}
        position = game.position()
        assert (parts["observation"] == game.observation(0)).all()
        assert (parts["hands"] == game.state[0]["hands"]).all()
        assert cards(parts["stock"]) == position["stock"]
        untaken = [cards(row) for row in parts["pozzetti"] if row.any()]
        assert [sorted(text.split()) for text in untaken] == [
            sorted(text.split()) for text in position["pozzetti"]
        ]
        if play(env, rng, 7) == 0:
            break


def cards(numbers: np.ndarray[Any, Any]) -> str:
    from burraco_env.cards import format_cards

    return format_cards(int(number) - 1 for number in numbers if number)


def test_an_illegal_action_says_what_is_wrong_and_what_is_legal() -> None:
    env = burraco_env.env()
    env.reset(seed=7)
    agent = env.agent_selection
    with pytest.raises(IllegalActionError) as caught:
        env.step(2)
    message = str(caught.value)
    assert message.startswith(f"{agent} cannot play 2 (pickup-top): the rule pickup_top forbids it")
    assert message.endswith("legal: 0 (draw), 1 (pickup)")
    with pytest.raises(IllegalActionError, match=r"cannot play 985: actions are the whole numbers"):
        env.step(NUM_ACTIONS)
    with pytest.raises(IllegalActionError, match=r"cannot play None: .* from 0 to 984; legal: 0"):
        env.step(None)
    with pytest.raises(IllegalActionError, match=r"cannot play 1.0: "):
        env.step(1.0)
    with pytest.raises(IllegalActionError, match=r"\(no such decision\): .* is not there; legal"):
        env.step(NUM_ACTIONS - 1)
    env.step(np.int32(0))


def test_rendering_shows_a_spectator_all_cards(capsys: pytest.CaptureFixture[str]) -> None:
    env = burraco_env.env("italian", 3, render_mode="ansi")
    env.reset(seed=4)
    play(env, random.Random(4), 100, bias=8.0)
    text, position = env.render(), env.unwrapped.game.position()
    assert text.isascii()
    for part in (*position["hands"], *position["pozzetti"], position["discard_pile"]):
        assert part in text
    for melds in position["melds"]:
        assert all(f"    {meld}\n" in text for meld in melds)
    assert f"{env.agent_selection} to act: {position['phase']}" in text
    assert capsys.readouterr().out == ""


def test_rendering_for_people_prints_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = burraco_env.env("mini", render_mode="human")
    env.reset(seed=4)
    play(env, random.Random(4))
    printed = capsys.readouterr().out
    assert printed.count("mini, 2 seats - turn") > 10
    assert re.search(r"over: \w+", printed)
    assert re.search(r"total -?\d+", printed)
    assert env.render() is None


def test_rendering_without_a_mode_warns() -> None:
    env = burraco_env.env()
    env.reset(seed=4)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


@each_game
def test_rendering_for_a_seat_shows_what_it_knows(name: str, seats: int) -> None:
    from tests.test_hidden_information import permuted

    rng = np.random.default_rng(6)
    for game in some_positions(name, seats, seed=6, every=11):
        for seat in range(seats):
            text = table_text(game, seat)
            assert game.position()["hands"][seat] in text
            if not game.is_over:  # then the points of all hands are counted
                assert table_text(permuted(game, seat, rng), seat) == text


def test_rendering_for_no_such_seat_is_refused() -> None:
    with pytest.raises(ValueError, match="seat must be a seat from 0 to 3, not 4"):
        table_text(Game.deal(Rules(), seed=1), 4)


@pytest.mark.parametrize(("name", "arguments"), environment_ids().items())
def test_every_id_is_registered(name: str, arguments: dict[str, Any]) -> None:
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this PettingZoo has no registry")
    env = pettingzoo.make("aec", name, episode="match")
    assert (env.rules.preset_name, env.rules.seats) == tuple(arguments.values())
    assert env.unwrapped.episode == "match"


def test_ids() -> None:
    ids = environment_ids()
    assert len(ids) == len(GAMES)
    assert ids["burraco/italian-v0"] == {"preset": "italian", "seats": 4}
    assert ids["burraco/italian-2p-v0"] == {"preset": "italian", "seats": 2}
    assert all(name.endswith(f"-v{burraco_env.ENV_VERSION}") for name in ids)


def test_registration_needs_no_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    assert register_pettingzoo() == hasattr(pettingzoo, "register")  # again: no warning
    monkeypatch.delattr(pettingzoo, "register", raising=False)
    assert not register_pettingzoo()


def test_the_package_has_the_function_and_the_module_can_be_imported() -> None:
    module = sys.modules["burraco_env.env"]
    assert burraco_env.env is module.env
    assert burraco_env.raw_env is module.raw_env


def test_every_python_block_of_the_card_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).parents[1] / "docs" / "environment.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 2
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    assert "hidden" in capsys.readouterr().out
