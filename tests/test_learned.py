"""Weights: written and read without running anything, refused when they do not fit."""

from __future__ import annotations

import json
import pickle
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("safetensors", reason="needs the extra train")

from agents.learned import (
    CARD_FILE,
    WEIGHTS_FILE,
    LearnedAgent,
    Policy,
    WeightsError,
    load_agent,
    save_weights,
)
from agents.perceptron import Layers, forward, new_scratch, perceptron
from agents.registry import make_agent
from burraco_env import NUM_ACTIONS, OBSERVATION_SIZE, Batch, Rules


def some_layers(*sizes: int, seed: int = 0) -> Layers:
    """Layers of a random network that leads through these sizes."""
    rng = np.random.default_rng(seed)
    return [
        (
            rng.normal(size=(after, before)).astype(np.float32),
            rng.normal(size=after).astype(np.float32),
        )
        for before, after in pairwise(sizes)
    ]


def random_layers() -> Layers:
    return some_layers(OBSERVATION_SIZE, 16, NUM_ACTIONS)


@pytest.mark.boundscheck
@pytest.mark.parametrize("tanh", [False, True])
@pytest.mark.parametrize("sizes", [(7,), (50, 1), (9, 30, 4), (900, 33, 17, 6)])
def test_a_row_through_the_layers_is_what_matrices_make_of_it(
    sizes: tuple[int, ...], tanh: bool
) -> None:
    """Whatever the number of layers, of units and of inputs that are zero, time after time."""
    rng = np.random.default_rng(1)
    layers = some_layers(*sizes)
    for open_end in (False, True):
        net = perceptron(layers, sizes[0], tanh, open_end)
        scratch = new_scratch(net)
        for share in (0, 0.1, 0.5, 1):
            inputs = rng.integers(-9, 10, sizes[0]) * (rng.random(sizes[0]) < share)
            scratch.inputs[:] = inputs
            forward(net, scratch)
            wanted = inputs.astype(np.float64)
            for index, (weight, bias) in enumerate(layers):
                wanted = weight @ wanted + bias
                if index + 1 < len(layers) or not open_end:
                    wanted = np.tanh(wanted) if tanh else np.maximum(wanted, 0)
            assert scratch.values[: sizes[-1]] == pytest.approx(wanted, rel=1e-3, abs=1e-3)


def test_weights_come_back_as_they_were_saved(tmp_path: Path) -> None:
    layers = random_layers()
    save_weights(tmp_path, Policy(layers), {"seed": 3})
    for path in (tmp_path, tmp_path / WEIGHTS_FILE):
        agent = load_agent(path)
        for (weight, bias), (saved_weight, saved_bias) in zip(
            layers, agent.policy.layers, strict=True
        ):
            assert (weight == saved_weight).all()
            assert (bias == saved_bias).all()
    assert isinstance(make_agent(str(tmp_path)), LearnedAgent)
    assert json.loads((tmp_path / CARD_FILE).read_text())["config"] == {"seed": 3}
    assert not list(tmp_path.glob("*.new"))


def test_it_plays_legal_actions_whatever_the_batch() -> None:
    batch = Batch(Rules.preset("italian"), 64, seed=1)
    for sample in (False, True):
        agent = LearnedAgent(Policy(random_layers()), sample)
        for _ in range(60):
            rng = np.arange(64, dtype=np.uint64)
            rows = np.flatnonzero(batch.counts)
            actions = agent.act(batch.observations[rows], batch.masks[rows], rng[rows])
            assert (batch.masks[rows, actions] == 1).all()
            batch.step(actions, rows)
        batch.deal(seed=2)
    with pytest.raises(ValueError, match="row 0 of the masks has no legal action"):
        agent.act(batch.observations[:1], np.zeros((1, NUM_ACTIONS), np.int8), rng[:1])


def test_sampling_follows_the_policy() -> None:
    layers: Layers = [
        (np.zeros((NUM_ACTIONS, OBSERVATION_SIZE), np.float32), np.zeros(NUM_ACTIONS, np.float32))
    ]
    layers[0][1][1] = np.log(3)  # action 1 is three times as probable as action 0
    masks = np.zeros((4_000, NUM_ACTIONS), np.int8)
    masks[:, :2] = 1
    observed = np.zeros((4_000, OBSERVATION_SIZE), np.int8)
    rng = np.random.default_rng(0).integers(2**63, size=4_000).astype(np.uint64)
    assert (LearnedAgent(Policy(layers)).act(observed, masks, rng) == 1).all()
    share = LearnedAgent(Policy(layers), sample=True).act(observed, masks, rng).mean()
    assert abs(share - 0.75) < 5 * np.sqrt(0.75 * 0.25 / 4_000)


def test_what_is_no_weights_of_this_layout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"is no run folder with weights\.safetensors"):
        load_agent(tmp_path)
    save_weights(tmp_path, Policy(random_layers()), {})
    card = json.loads((tmp_path / CARD_FILE).read_text())
    (tmp_path / CARD_FILE).write_text(json.dumps({**card, "layout": "0" * 16}))
    with pytest.raises(WeightsError, match="are for the layout 0000000000000000, and this is"):
        load_agent(tmp_path)
    (tmp_path / CARD_FILE).write_text("{")
    with pytest.raises(WeightsError, match="cannot be read"):
        load_agent(tmp_path)
    (tmp_path / CARD_FILE).write_text(json.dumps({**card, "format": "other"}))
    with pytest.raises(WeightsError, match="is no card of weights"):
        load_agent(tmp_path)
    (tmp_path / CARD_FILE).write_text(json.dumps(card))
    whole = (tmp_path / WEIGHTS_FILE).read_bytes()
    for broken in (whole[: len(whole) // 2], b"", pickle.dumps({"policy": print})):
        (tmp_path / WEIGHTS_FILE).write_bytes(broken)
        with pytest.raises(WeightsError, match="holds no whole weights"):
            load_agent(tmp_path)
    with pytest.raises(WeightsError, match="the layers must lead from 916 to 985 values"):
        Policy(random_layers()[:1])
