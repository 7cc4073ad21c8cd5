"""How `search` decides: from what its seat knows, the same every time, better than at random."""

from __future__ import annotations

import re

import numpy as np
import pytest

from agents import views
from agents.parameters import tuned
from agents.registry import AgentError, make_agent
from agents.rollout import new_desk
from agents.search import SearchAgent, _prepare
from burraco_env import NUM_ACTIONS, Batch, Game, Rules
from burraco_env.generator import generator_states
from burraco_env.state import GAME_DTYPE
from tests.play import GAME_IDS, GAMES, INTERPRETED, some_positions
from tests.positions import SIX, game
from tests.test_agents import ask

pytestmark = [pytest.mark.boundscheck]


def positions(count: int) -> list[Game]:
    """Positions of a random deal in which somebody has a choice."""
    found = [
        now
        for now in some_positions("italian", 4, seed=11, every=5)
        if not now.is_over and len(now.legal_ids()) > 1
    ]
    return found[:count]


def test_it_decides_the_same_whatever_the_number_of_threads() -> None:
    here = positions(2 if INTERPRETED else 8)
    answers = [ask(SearchAgent(simulations=30, threads=threads), here) for threads in (1, 2, 3)]
    assert answers[0] == answers[1] == answers[2]


def test_it_decides_the_same_again_and_by_its_generator() -> None:
    here = positions(2 if INTERPRETED else 12)
    agent = SearchAgent(simulations=20, trust=0)
    first = ask(agent, here, generator_states(1, len(here)))
    assert ask(agent, here, generator_states(1, len(here))) == first
    if not INTERPRETED:
        others = [ask(agent, here, generator_states(seed, len(here))) for seed in range(2, 6)]
        assert any(other != first for other in others)


@pytest.mark.parametrize(("preset", "seats"), GAMES, ids=GAME_IDS)
def test_it_considers_exactly_the_legal_decisions_best_first(preset: str, seats: int) -> None:
    batch = Batch(Rules.preset(preset, seats), 3, seed=7)
    desk = new_desk()
    for _ in range(15 if INTERPRETED else 120):
        for row in np.flatnonzero(batch.counts > 0):
            order = np.zeros(NUM_ACTIONS, dtype=np.int64)
            restored = np.zeros(1, dtype=GAME_DTYPE)
            observation, mask = batch.observations[row], batch.masks[row]
            count = _prepare(observation, mask, tuned()[None], desk, restored, order)
            assert sorted(order[:count]) == list(np.flatnonzero(mask))
            scores = desk[0]["notes"]["scores"][order[:count]]
            assert (np.diff(scores) <= 0).all()
            if count > 1:
                assert (Batch.of(batch.rules, restored).masks[0] == mask).all()
        batch.step_random()


def test_it_sees_that_a_lay_off_makes_a_burraco_whoever_plays_it_out() -> None:
    """In the last turn of the deal, and with a judgement of its own that would rather wait."""
    start = game(hand="9h 4c 8d Kc Qs", melds=[SIX], stock="3c 5d")
    for rollout in ("expert", "greedy"):
        agent = SearchAgent(simulations=60, rollout=rollout, trust=0)
        assert start.text(ask(agent, [start])[0]) == f"layoff 9h to {SIX}"


def test_with_no_time_left_it_still_answers() -> None:
    here = positions(3)
    for now, action in zip(here, ask(SearchAgent(milliseconds=1), here), strict=True):
        assert now.mask()[action] == 1


def test_a_forced_decision_needs_no_search() -> None:
    forced = next(
        now
        for now in some_positions("italian", 4, seed=3, every=1)
        if not now.is_over and len(now.legal_ids()) == 1
    )
    assert ask(SearchAgent(simulations=10**9), [forced]) == forced.legal_ids()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("simulations=1", "agent search: simulations must be at least 2, not 1"),
        ("milliseconds=-1", "agent search: milliseconds must be at least 0, not -1"),
        ("width=1", "agent search: width must be at least 2, not 1"),
        ("trust=-0.5", "agent search: trust must be at least 0, not -0.5"),
        ("threads=-1", "agent search: threads must be at least 0, not -1"),
        ("rollout=best", "agent search: rollout must be expert or greedy, not 'best'"),
        ("depth=3", "agent search has no option 'depth=3'"),
    ],
)
def test_bad_options_are_refused_with_what_is_right(options: str, sentence: str) -> None:
    with pytest.raises(AgentError, match=re.escape(sentence)):
        make_agent(f"search:{options}")


@pytest.mark.parametrize("at", [views.STOCK, views.HAND, views.HAND_SIZES + 1])
def test_an_observation_that_cannot_be_is_refused(at: int) -> None:
    start = positions(1)[0]
    observation = start.observation()
    observation[at] += 1
    sentence = "row 0 of the observations is of no game: its cards do not add up to the deck"
    with pytest.raises(ValueError, match=sentence):
        SearchAgent(simulations=4).act(observation[None], start.mask()[None], generator_states(0))
