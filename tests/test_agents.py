"""Agents: legal everywhere, blind to what is hidden, each row for itself; how `greedy` plays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
import pytest

from agents.greedy import GreedyAgent
from agents.registry import AGENTS, AgentError, make_agent
from burraco_env import NUM_ACTIONS, OBSERVATION_SIZE, Batch, Game, Rules
from burraco_env.agent import Agent, RandomAgent, agent_name
from burraco_env.generator import generator_states
from tests.play import GAME_IDS, GAMES, some_positions
from tests.positions import CLEAN, SIX, game
from tests.test_hidden_information import permuted

pytestmark = [pytest.mark.boundscheck]

INTERPRETED = bool(numba.config.DISABLE_JIT)
QUICK = {"search": "search:simulations=6,width=3,threads=1"}
"""Options with which an agent does not take long."""
SLOW = {"search", "champion"} if INTERPRETED else set()
"""Games for each decision, and large matrices, take minutes with the compiler off."""
NAMES = [QUICK.get(name, name) for name in AGENTS if name not in SLOW]
each_agent = pytest.mark.parametrize("name", NAMES)
each_game = pytest.mark.parametrize(("preset", "seats"), GAMES, ids=GAME_IDS)


def ask(agent: Agent, games: Sequence[Game], rng: Any = None) -> list[int]:
    """The ids that the agent answers for these games, asked at once."""
    observations = np.stack([now.observation() for now in games])
    masks = np.stack([now.mask() for now in games])
    rng = generator_states(0, len(games)) if rng is None else rng
    actions = agent.act(observations, masks, rng)
    assert actions.shape == (len(games),)
    assert actions.dtype == np.int64
    return [int(action) for action in actions]


def greedy(start: Game) -> str:
    """What `greedy` decides."""
    return start.text(ask(GreedyAgent(), [start])[0])


@each_game
def test_requirement_5_agents_answer_legal_ids(preset: str, seats: int) -> None:
    """In games of two agents, so that each meets what the other leads to."""
    size, steps = (4, 30) if INTERPRETED else (64, 400)
    batch = Batch(Rules.preset(preset, seats), size, seed=3)
    agents = [make_agent(name) for name in NAMES]
    rng = generator_states(3, size)
    for _ in range(steps):
        batch.deal(rows=np.flatnonzero(batch.over))
        seats_to_act = batch.seats.copy()
        for index, agent in enumerate(agents):
            rows = np.flatnonzero((seats_to_act + batch.rows) % len(agents) == index)
            states = rng[rows]
            actions = agent.act(batch.observations[rows], batch.masks[rows], states)
            rng[rows] = states
            batch.step(actions, rows)  # refuses what is illegal


@pytest.mark.nojit
@each_agent
@each_game
def test_requirement_8_hidden_cards_change_no_answer(name: str, preset: str, seats: int) -> None:
    shuffle = np.random.default_rng(1)
    here = [now for now in some_positions(preset, seats, seed=2, every=9) if not now.is_over]
    there = [permuted(now, now.seat, shuffle) for now in here]
    states = [generator_states(5, len(here)) for _ in range(2)]
    assert ask(make_agent(name), here, states[0]) == ask(make_agent(name), there, states[1])
    assert (states[0] == states[1]).all()


@pytest.mark.nojit
@each_agent
def test_requirement_16_a_row_is_answered_the_same_alone_and_among_others(name: str) -> None:
    games = [now for now in some_positions("italian", 4, seed=4, every=5) if not now.is_over]
    agent = make_agent(name)
    together = generator_states(6, len(games))
    answers = ask(agent, games, together)
    backwards = generator_states(6, len(games))[::-1].copy()
    assert ask(agent, games[::-1], backwards) == answers[::-1]
    assert (backwards[::-1] == together).all()
    for index, now in enumerate(games):
        alone = generator_states(6, 1, first=index)
        assert ask(agent, [now], alone) == [answers[index]]
        assert alone[0] == together[index]


@pytest.mark.nojit
@each_agent
def test_requirement_6_a_mask_without_a_legal_action_is_refused(name: str) -> None:
    start = Game.deal(Rules.preset("italian"), seed=1)
    masks = np.stack([start.mask(), np.zeros(NUM_ACTIONS, dtype=np.int8)])
    observations = np.stack([start.observation()] * 2)
    with pytest.raises(ValueError, match="row 1 of the masks has no legal action; leave out games"):
        make_agent(name).act(observations, masks, generator_states(1, 2))


@each_agent
def test_arrays_of_another_shape_or_dtype_are_refused(name: str) -> None:
    agent, start = make_agent(name), Game.deal(Rules.preset("italian"), seed=1)
    observation, mask, rng = start.observation()[None], start.mask()[None], generator_states(1)
    with pytest.raises(ValueError, match=rf"observations must be int8\[1, {OBSERVATION_SIZE}\]"):
        agent.act(observation[:, 1:], mask, rng)
    with pytest.raises(ValueError, match=r"masks must be int8\[1, 985\], not bool\[1, 985\]"):
        agent.act(observation, mask.astype(np.bool_), rng)
    with pytest.raises(ValueError, match=r"rng must be uint64\[1\], not uint64\[2\]"):
        agent.act(observation, mask, generator_states(1, 2))


@pytest.mark.nojit
def test_no_rows_are_no_actions() -> None:
    for name in NAMES:
        empty = np.zeros((0, OBSERVATION_SIZE), np.int8), np.zeros((0, NUM_ACTIONS), np.int8)
        assert make_agent(name).act(*empty, np.zeros(0, np.uint64)).shape == (0,)


@pytest.mark.nojit
def test_random_draws_each_legal_action_equally_often() -> None:
    start = game(hand="4c 6c 8c Tc Qc 5d 7d 9d")
    legal = start.legal_ids()
    size = 200 * len(legal)
    counts = np.bincount(ask(RandomAgent(), [start] * size), minlength=NUM_ACTIONS)
    assert counts.sum() == counts[legal].sum() == size
    chi_square = float(((counts[legal] - 200) ** 2).sum() / 200)
    assert chi_square < 3 * len(legal)


@pytest.mark.nojit
def test_greedy_lays_off_before_it_melds_and_melds_before_it_discards() -> None:
    start = game(hand="9h 5c 6c 7c Kd 4s", melds=[SIX])
    assert greedy(start) == f"layoff 9h to {SIX}"
    start.play(greedy(start))
    assert greedy(start) == "meld 5c-6c-7c"
    start.play(greedy(start))
    assert greedy(start) == "discard Kd"


@pytest.mark.nojit
def test_greedy_discards_what_has_no_twin_and_no_neighbour_and_fits_nothing() -> None:
    assert greedy(game(hand="5c 6c 9d 9s Kh")) == "discard Kh"
    assert greedy(game(hand="Jo 2d")) == "discard 2d"
    assert greedy(game(hand="5c 6c 9d 9s Kh Jd", opponents=["Kc-Ks-Kd"])) == "discard Jd"


@pytest.mark.nojit
def test_greedy_picks_up_what_it_can_play_at_once() -> None:
    hand = "5c 7c 9d 9s Kh"
    for pile in ("6c", "Ks Qs 9h", "Jo", "Td 2c"):
        assert greedy(game(hand=hand, phase="draw", pile=pile)) == "pickup"
    assert greedy(game(hand=hand, phase="draw", pile="8c Qd")) == "draw"
    assert greedy(game(hand=hand, phase="draw", pile="8c 9h", melds=[SIX])) == "pickup"


@pytest.mark.nojit
def test_greedy_puts_no_wild_on_a_burraco_and_completes_one_with_it() -> None:
    assert greedy(game(hand="Jo 4c 8d Kc", melds=[CLEAN])).startswith("discard")
    assert greedy(game(hand="Jo 4c 8d Kc", melds=[SIX])) == f"layoff *(2h) to {SIX}"


@pytest.mark.nojit
def test_greedy_takes_a_two_before_a_joker() -> None:
    start = game(hand="Jo 2c 2s 4c 8d Kc", melds=[SIX])
    start.play(greedy(start))
    assert start.phase == "wild"
    assert greedy(start) == "wild 2c"


@pytest.mark.nojit
def test_greedy_does_not_close_while_its_partner_holds_much_more_than_the_others() -> None:
    table = {"hand": "4c 4d 4h 9s", "melds": [CLEAN], "taken": [0, 1]}
    assert greedy(game(**table)) == "meld 4c-4d-4h"
    loaded = "5c 6d 7s 8c Ts Jc Qd Kc 3c 6s Jd Qs As Ac 7d 9c 8s Kd Tc"
    assert greedy(game(**table, hands={2: loaded})) == "discard 9s"


def test_an_agent_has_a_name() -> None:
    class Nameless:
        act = RandomAgent.act

    assert agent_name(GreedyAgent()) == "greedy"
    assert agent_name(Nameless()) == "Nameless"
    assert isinstance(Nameless(), Agent)


class Tuned:
    """An agent with options."""

    def __init__(self, simulations: int = 10, bold: bool = False, tilt: float = 0.5) -> None:
        if simulations < 1:
            raise ValueError(f"simulations must be at least 1, not {simulations}")
        self.options = (simulations, bold, tilt)
        self.act = RandomAgent().act


def test_agents_are_made_by_name_with_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "tuned", Tuned)
    assert isinstance(make_agent("greedy"), GreedyAgent)
    assert isinstance(make_agent("random"), RandomAgent)
    made: Any = make_agent("tuned:simulations=3,bold=true")
    assert made.options == (3, True, 0.5)
    made = make_agent("tuned:tilt=-1e-2")
    assert made.options == (10, False, -0.01)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "gredy",
            "unknown agent 'gredy'; the agents are random, greedy, expert, search, champion,",
        ),
        ("", "unknown agent ''"),
        ("greedy:depth=2", "agent greedy has no option 'depth=2'; it has none"),
        ("greedy:", "agent greedy has no option ''"),
        ("tuned:depth=2", "its options are simulations, bold, tilt (name:option=value,..)"),
        ("tuned:bold", "agent tuned has no option 'bold'"),
        ("tuned:bold=maybe", "option bold must be true or false, not 'maybe'"),
        ("tuned:simulations=few", "option simulations must be of type int, not 'few'"),
        ("tuned:tilt=1,tilt=2", "option tilt is given twice"),
        ("tuned:simulations=0", "agent tuned: simulations must be at least 1, not 0"),
        ("tests", "tests is no run folder with weights.safetensors, and no such file"),
    ],
)
def test_unknown_agents_and_options_are_refused_with_what_is_right(
    text: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(AGENTS, "tuned", Tuned)
    with pytest.raises(AgentError, match=re.escape(sentence)):
        make_agent(text)
