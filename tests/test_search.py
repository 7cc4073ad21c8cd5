"""How `search` decides: from what its seat knows, the same every time, better than at random."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from agents import views
from agents.collection import HIDDEN_SIZE, NETWORK, POINTS_SCALE, write_hidden
from agents.features import SCALES
from agents.head import NUM_FACTORS, NUM_KINDS
from agents.learned import (
    FEATURES,
    INPUT_SIZES,
    OBSERVATION,
    WEIGHTS_FILE,
    LearnedAgent,
    Policy,
    load_policy,
    save_weights,
    write_seen,
)
from agents.lookahead import Lookahead, choose_by_network, lead_after, load_critic
from agents.parameters import tuned
from agents.perceptron import Layers, new_scratch
from agents.registry import AgentError, make_agent
from agents.rollout import decide, look, new_desk, write_leads
from agents.search import SearchAgent, _prepare
from burraco_env import NUM_ACTIONS, Batch, Game, Rules
from burraco_env.engine import legal
from burraco_env.generator import generator_states
from burraco_env.state import GAME_DTYPE
from tests.play import GAME_IDS, GAMES, INTERPRETED, some_positions
from tests.positions import SIX, game
from tests.test_agents import ask
from tests.test_hidden_information import permuted

pytestmark = [pytest.mark.boundscheck]


def random_layers(sizes: tuple[int, ...], scales: Any, rng: np.random.Generator) -> Layers:
    layers = [
        ((rng.normal(size=(b, a)) / np.sqrt(a)).astype(np.float32), np.ones(b, np.float32))
        for a, b in pairwise(sizes)
    ]
    layers[0][0][:, : len(scales)] *= scales
    return layers


def random_factors(
    hidden: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Factors of scores and features that depend a little on the decision."""
    count = NUM_KINDS * NUM_FACTORS
    weight = rng.normal(0, 0.05, (count, hidden)).astype(np.float32)
    return weight, rng.normal(0.2, 0.1, count).astype(np.float32)


def write_network(
    folder: Path, inputs: str = FEATURES, sees_all: bool = True, objective: str = "points"
) -> Path:
    """A run folder with a random network and its critic."""
    pytest.importorskip("safetensors", reason="needs the extra train")
    rng, size = np.random.default_rng(7), INPUT_SIZES[inputs]
    scales = SCALES if inputs == FEATURES else 0.1
    scales = np.broadcast_to(np.asarray(scales, np.float32), size)
    policy = Policy(
        random_layers((size, 12, 9, NUM_ACTIONS), scales, rng), "relu", inputs,
        random_factors(9, rng), tuned(),
    )  # fmt: skip
    critic = random_layers((size + sees_all * HIDDEN_SIZE, 11, 8, 1), scales, rng)
    named = {}
    for index, (weight, bias) in enumerate(critic):
        named |= {f"critic.{index}.weight": weight, f"critic.{index}.bias": bias}
    save_weights(folder, policy, {"objective": objective}, named)
    return folder


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_network(tmp_path_factory.mktemp("network"))


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
    desk, ahead = new_desk(), SearchAgent()._more
    scratch, worth = new_scratch(ahead.net.body), np.zeros(NUM_ACTIONS)
    for _ in range(15 if INTERPRETED else 120):
        for row in np.flatnonzero(batch.counts > 0):
            order = np.zeros(NUM_ACTIONS, dtype=np.int64)
            restored = np.zeros(1, dtype=GAME_DTYPE)
            observation, mask = batch.observations[row], batch.masks[row]
            count = _prepare(observation, mask, ahead, False, desk, scratch, restored, worth, order)
            assert sorted(order[:count]) == list(np.flatnonzero(mask))
            assert (np.diff(worth[order[:count]]) <= 0).all()
            assert (worth[order] == desk[0]["notes"]["scores"][order])[:count].all()
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
        ("horizon=-1", "agent search: horizon must be at least 0, not -1"),
        ("rollout=best", "agent search: rollout must be expert, greedy or network, not 'best'"),
        (
            "rollout=network",
            "agent search: rollout=network needs a network: network=champion or the",
        ),
        ("horizon=4", "agent search: horizon=4 needs a network: network=champion or the"),
        ("network=tests", "tests is no run folder with weights.safetensors, and no such file"),
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


def lookahead(folder: Path, policy: int = 0) -> Lookahead:
    return Lookahead(policy, 0, tuned()[None], load_policy(folder).net, load_critic(folder))


def value_of(critic: Layers, row: npt.NDArray[np.int8]) -> float:
    """What the critic says, by matrices."""
    values = row.astype(np.float64)
    for weight, bias in critic[:-1]:
        values = np.maximum(weight @ values + bias, 0)
    return float((critic[-1][0] @ values + critic[-1][1])[0])


def leads_now(now: Game) -> npt.NDArray[np.float64]:
    desk = new_desk()[0]
    write_leads(now.state[0], desk)
    return np.array(desk["leads"])


def by_hand(now: Game, ahead: Lookahead, critic: Layers, until: int) -> float:
    """`lead_after`, decision by decision."""
    desk, scratch = new_desk()[0], new_scratch(ahead.net.body, ahead.critic)
    side_of = now.state[0]["side_of"]
    while not now.is_over:
        mine = side_of[now.seat] == side_of[0]
        judged = now.state[0]["turn"] >= until and (mine or now.rules.seats != 3)
        if judged and len(now.legal_ids()) > 1:
            lead = leads_now(now)[now.seat]
            seen, row = ahead.net.body.sizes[0], np.zeros(ahead.critic.sizes[0], np.int8)
            write_seen(now.observation(), now.mask(), ahead.net, desk["notes"], scratch.inputs)
            row[:seen] = scratch.inputs[:seen]
            if len(row) > seen:
                write_hidden(now.state[0], lead, row[seen:])
            value = lead + POINTS_SCALE * value_of(critic, row)
            return float(value if mine else -value)
        now.play_id(decide(now.state[0], ahead.policy, ahead.parameters, desk))
    return float(leads_now(now)[0])


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize(("inputs", "sees_all"), [(FEATURES, True), (OBSERVATION, False)])
def test_the_critic_judges_at_the_first_choice_after_so_many_turns(
    inputs: str, sees_all: bool, seats: int, tmp_path: Path
) -> None:
    from safetensors.numpy import load_file

    folder = write_network(tmp_path, inputs, sees_all)
    tensors, ahead = load_file(folder / WEIGHTS_FILE), lookahead(folder)
    critic = [(tensors[f"critic.{n}.weight"], tensors[f"critic.{n}.bias"]) for n in range(3)]
    scratch = new_scratch(ahead.net.body, ahead.critic)
    seen = set()
    for now in some_positions("italian", seats, seed=6, every=40 if INTERPRETED else 11):
        for turns in (0, 1, 5):
            until, twin = int(now.state[0]["turn"]) + turns, now.copy()
            found = lead_after(twin.state[0], ahead, until, new_desk()[0], scratch)
            assert found == pytest.approx(by_hand(now.copy(), ahead, critic, until), abs=0.05)
            seen.add(round(found))
    assert len(seen) > 5


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_critic_that_always_says_nothing_leaves_the_lead_as_it_is(
    seats: int, network: Path
) -> None:
    ahead = lookahead(network)
    ahead.critic.weights[:] = ahead.critic.biases[:] = 0
    desk, scratch = new_desk()[0], new_scratch(ahead.net.body, ahead.critic)
    for now in some_positions("italian", seats, seed=5):
        mine = now.state[0]["side_of"][now.seat] == now.state[0]["side_of"][0]
        if not now.is_over and len(now.legal_ids()) > 1 and (mine or seats != 3):
            lead = leads_now(now)[0]
            assert lead_after(now.state[0], ahead, 0, desk, scratch) == pytest.approx(lead)


@pytest.mark.parametrize("inputs", [FEATURES, OBSERVATION])
def test_a_network_plays_games_out_as_its_agent_does(inputs: str, tmp_path: Path) -> None:
    folder = write_network(tmp_path, inputs)
    agent, ahead = LearnedAgent(load_policy(folder)), lookahead(folder, NETWORK)
    desk, scratch = new_desk()[0], new_scratch(ahead.net.body, ahead.critic)
    for seats in (2, 3, 4):
        now = Game.deal(Rules.preset("italian", seats), seed=3)
        end = lead_after(now.copy().state[0], ahead, 1 << 40, desk, scratch)
        while not now.is_over:
            (action,) = ask(agent, [now])
            count = legal(now.state[0], desk["ids"])
            look(now.state[0], count, desk)
            assert choose_by_network(count, ahead.net, desk, scratch) == action
            now.play_id(action)
        assert end == leads_now(now)[0]


def test_with_all_the_benefit_of_the_doubt_it_plays_as_its_network_does(network: Path) -> None:
    here = positions(2 if INTERPRETED else 12)
    agent = SearchAgent(simulations=60, width=2, trust=1e9, network=str(network))
    assert ask(agent, here) == ask(LearnedAgent(load_policy(network)), here)


WITH_NETWORK = ("horizon=2", "horizon=3,rollout=network", "rollout=network")


@pytest.mark.parametrize("options", WITH_NETWORK)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_with_a_network_too_it_knows_no_hidden_card_and_needs_no_certain_number_of_threads(
    options: str, seats: int, network: Path
) -> None:
    shuffle = np.random.default_rng(1)
    every = 90 if INTERPRETED else 13
    here = [now for now in some_positions("italian", seats, 2, every) if not now.is_over]
    there = [permuted(now, now.seat, shuffle) for now in here]
    text = f"search:network={network},{options},simulations=12,width=3"
    answers = ask(make_agent(f"{text},threads=1"), here)
    assert ask(make_agent(f"{text},threads=1"), there) == answers
    assert ask(make_agent(f"{text},threads=3"), here) == answers
    assert all(now.mask()[action] for now, action in zip(here, answers, strict=True))


def test_a_network_without_a_critic_of_points_is_refused_where_it_is_to_judge(
    tmp_path: Path,
) -> None:
    won = write_network(tmp_path / "won", objective="wins")
    with pytest.raises(AgentError, match="needs a critic of the objective 'points', and that of"):
        make_agent(f"search:network={won},horizon=2")
    bare = tmp_path / "bare"
    save_weights(bare, load_policy(won), {"objective": "points"})
    with pytest.raises(AgentError, match="bare holds no critic to judge after a horizon; 0 plays"):
        make_agent(f"search:network={bare},horizon=2")
    for folder in (won, bare):
        assert isinstance(make_agent(f"search:network={folder},rollout=network"), SearchAgent)
    wrong = {"critic.0.weight": np.zeros((1, 9), np.float32), "critic.0.bias": np.zeros(1, "f4")}
    save_weights(bare, load_policy(won), {"objective": "points"}, wrong)
    with pytest.raises(AgentError, match="the critic must lead from 854 or 1174 values to 1"):
        make_agent(f"search:network={bare},horizon=2")
