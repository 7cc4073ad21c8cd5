"""How `search` plays games on and judges them: by scripted agents or by a trained network.

A network's policy chooses as `agents.learned` does, and its critic judges as in training
(`agents.collection`): it sees the hidden cards, which are known in a redraw, and says what the
decision of the seat to act is worth beyond the lead of its side.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.collection import HIDDEN_SIZE, NETWORK, OBJECTIVES, POINTS, POINTS_SCALE, write_hidden
from agents.expert import table_row
from agents.learned import (
    INPUT_SIZES,
    OBSERVATION,
    Net,
    Policy,
    WeightsError,
    layers_of,
    load_tensors,
    write_inputs,
    write_logits,
    write_seen,
)
from agents.perceptron import Perceptron, Scratch, connect, forward, perceptron
from agents.rollout import choose, look, write_leads
from agents.valuation import take_notes
from burraco_env import NUM_ACTIONS
from burraco_env._jit import int64, kernel
from burraco_env.engine import apply, legal
from burraco_env.state import OVER_PHASE, Game

ME = 0
"""The seat that searches, in the restored game."""


class Lookahead(NamedTuple):
    """How games are played on, and what judges them."""

    policy: int
    """Of all seats: GREEDY, NETWORK or an index of `parameters`."""
    horizon: int
    """Turns after which the critic judges; 0: play to the end."""
    parameters: Any
    """Of experts, float64[n, 2, NUM_PARAMETERS]."""
    net: Net
    """The network; a blank one where none is needed."""
    critic: Perceptron
    """Over what the network sees, and over the hidden cards if it is so wide."""


def blank_net() -> Net:
    """A network for kernels that will not ask it."""
    size = INPUT_SIZES[OBSERVATION]
    weight = np.zeros((NUM_ACTIONS, size), np.float32)
    return Policy([(weight, np.zeros(NUM_ACTIONS, np.float32))]).net


def blank_critic() -> Perceptron:
    """A critic for kernels that will not ask it."""
    return perceptron([], 0)


def load_critic(path: Path) -> Perceptron:
    """The critic of points in a run folder, or in a weights file in one.

    Raises:
        WeightsError: as `learned.load_agent`; or there is no critic, or one of other layers or of
            another objective.
    """
    card, tensors = load_tensors(path)
    count = sum(name.startswith("critic.") and name.endswith(".weight") for name in tensors)
    if count == 0:
        raise WeightsError(f"{path} holds no critic to judge after a horizon; 0 plays to the end")
    try:
        layers = layers_of(tensors, "critic", count)
    except KeyError as error:
        raise WeightsError(f"{path} holds no whole critic: {error} is missing") from error
    seen = INPUT_SIZES[card["inputs"]]
    sizes = (seen, seen + HIDDEN_SIZE)
    inputs = next((size for size in sizes if connect(layers, size, 1)), None)
    if inputs is None:
        raise WeightsError(
            f"the critic must lead from {sizes[0]} or {sizes[1]} values to 1, "
            f"not {[weight.shape for weight, _ in layers]}"
        )
    objective = card.get("config", {}).get("objective")
    if objective != OBJECTIVES[POINTS]:
        raise WeightsError(
            f"a horizon needs a critic of the objective {OBJECTIVES[POINTS]!r}, and that of {path} "
            f"is of {objective!r}; 0 plays to the end"
        )
    return perceptron(layers, inputs, card["activation"] == "tanh", open_end=True)


@kernel
def choose_by_network(count: int, net: Net, desk: Any, scratch: Scratch) -> int:
    """The most probable of the actions `desk["ids"][:count]`, once `look` has looked."""
    ids, notes, logits = desk["ids"], desk["notes"], desk["logits"]
    write_seen(desk["observation"], desk["mask"], net, notes, scratch.inputs)
    write_logits(desk["observation"], ids, count, net, notes, scratch, logits)
    best, most = int64(-1), np.float32(0)
    for index in range(count):
        action = int64(ids[index])
        value = logits[index]
        if best < 0 or value > most or (value == most and action < best):
            best, most = action, value
    return best


@kernel
def lead_by_critic(game: Game, ahead: Lookahead, desk: Any, scratch: Scratch) -> float:
    """Lead at the end that the critic expects for the seat to act, once `look` has looked."""
    net, critic = ahead.net, ahead.critic
    write_leads(game, desk)
    lead = desk["leads"][game["seat"]]
    observation, notes = desk["observation"], desk["notes"]
    if net.featured:
        take_notes(observation, table_row(observation, net.parameters), notes)
    write_inputs(observation, net, notes, scratch.inputs)
    seen = net.body.sizes[0]
    if critic.sizes[0] > seen:
        write_hidden(game, lead, scratch.inputs[seen : critic.sizes[0]])
    forward(critic, scratch)
    return float(lead + POINTS_SCALE * scratch.values[0])


@kernel
def lead_after(game: Game, ahead: Lookahead, until: int, desk: Any, scratch: Scratch) -> float:
    """Play on, and say what the lead of `ME` is at the end, or by the critic.

    With three seats there may be three sides, so only a seat of my own is asked then.

    Args:
        game: to be played on.
        ahead: how.
        until: turn from which on the critic judges at the first choice.
        desk: scratch, a record of `rollout.DESK_DTYPE`.
        scratch: for the network and the critic.
    """
    two_sides = game["rules"]["seats"] != 3
    while game["phase"] != OVER_PHASE:
        count = legal(game, desk["ids"])
        if count == 1:
            apply(game, int64(desk["ids"][0]))
            continue
        look(game, count, desk)
        if game["turn"] >= until:
            mine = game["side_of"][game["seat"]] == game["side_of"][ME]
            if mine or two_sides:
                lead = lead_by_critic(game, ahead, desk, scratch)
                return lead if mine else -lead
        if ahead.policy == NETWORK:
            apply(game, choose_by_network(count, ahead.net, desk, scratch))
        else:
            apply(game, choose(ahead.policy, ahead.parameters, desk))
    write_leads(game, desk)
    return float(desk["leads"][ME])
