"""The weights that come with the package: whole, small, described, and played by name."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("safetensors", reason="needs the extra train")

from agents.learned import (
    CARD_FILE,
    CHAMPION,
    WEIGHTS_FILE,
    find_weights,
    load_agent,
    load_policy,
    load_tensors,
)
from agents.registry import make_agent
from burraco_env import Batch, Rules
from burraco_env.generator import generator_states

SEATS = (2, 4)
each = pytest.mark.parametrize("seats", SEATS)


def positions(seats: int) -> Batch:
    batch = Batch(Rules.preset("italian", seats), 64, seed=9)
    for _ in range(90):
        batch.step_random()
    return batch


@each
def test_the_weights_are_small_and_say_how_they_came_about(seats: int) -> None:
    folder = find_weights(CHAMPION, seats)
    assert (folder / WEIGHTS_FILE).stat().st_size < 4_000_000
    card = json.loads((folder / CARD_FILE).read_text(encoding="utf-8"))
    config = card["config"]
    assert config["preset"] == "italian"
    assert (config["seats"] or 4) == seats
    assert config["objective"] == "points"
    assert config["decisions_learned"] > 1_000_000
    assert card["strength"]["deals"] >= 10_000
    assert set(card["strength"]["points"]) == {"expert", "greedy"}


def test_three_seats_are_played_with_the_weights_for_four() -> None:
    assert find_weights(CHAMPION, 3) == find_weights(CHAMPION, 4)


@each
def test_acting_without_torch_agrees_with_torch(seats: int) -> None:
    pytest.importorskip("torch", reason="needs the extra train")
    from agents.network import Network
    from agents.options import Args
    from tests.test_ppo import check_logits

    folder = find_weights(CHAMPION, seats)
    card, tensors = load_tensors(folder)
    network = Network(Args.from_json({k: card["config"][k] for k in Args().to_json()}))
    network.take_over(tensors)
    batch = positions(seats)
    rows = np.flatnonzero(batch.counts > 1)
    parameters = load_policy(folder).parameters
    assert parameters is not None
    check_logits(load_agent(folder), network, batch, rows, parameters)


def test_rows_of_two_and_of_four_seats_are_answered_each_by_its_own_network() -> None:
    batches = [positions(seats) for seats in SEATS]
    observations = np.concatenate([batch.observations for batch in batches])
    masks = np.concatenate([batch.masks for batch in batches])
    live = masks.any(axis=1)
    observations, masks = observations[live], masks[live]
    two = np.arange(len(live))[live] < len(batches[0].masks)
    rng = generator_states(1, len(masks))
    found = make_agent(CHAMPION).act(observations, masks, rng.copy())
    for seats, rows in zip(SEATS, (two, ~two), strict=True):
        alone = load_agent(find_weights(CHAMPION, seats))
        wanted = alone.act(observations[rows], masks[rows], rng[rows])
        assert (found[rows] == wanted).all()


def test_a_champion_that_draws_uses_the_generator_of_each_row() -> None:
    batch = positions(4)
    rows = np.flatnonzero(batch.counts > 1)
    agent = make_agent("champion:sample=true")
    rng = generator_states(1, len(rows))
    first = agent.act(batch.observations[rows], batch.masks[rows], rng.copy())
    after = rng.copy()
    second = agent.act(batch.observations[rows], batch.masks[rows], after)
    assert (first == second).all()
    assert (after != rng).all()


@each
def test_search_takes_its_policy_and_its_critic(seats: int) -> None:
    batch = positions(seats)
    rows = np.flatnonzero(batch.counts > 1)[:3]
    agent = make_agent("search:network=champion,horizon=4,simulations=12,width=3,threads=1")
    actions = agent.act(batch.observations[rows], batch.masks[rows], generator_states(0, 3))
    assert batch.masks[rows, actions].all()
