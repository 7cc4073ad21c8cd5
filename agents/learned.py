"""Agents with a trained network: weights as safetensors, the rest as JSON, nothing unpickled.

The network is a multilayer perceptron over the observation; acting with it needs NumPy alone.
"""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.provenance import commit
from burraco_env import ENV_VERSION, NUM_ACTIONS, OBSERVATION_SIZE, actions, observations
from burraco_env._jit import row_kernel
from burraco_env.agent import check_rows, no_legal_action
from burraco_env.generator import draw_below

WEIGHTS_FILE = "weights.safetensors"
CARD_FILE = "weights.json"
FORMAT = "burraco-weights/1"
_DRAW_BOUND = 1 << 19

Layers = list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]
"""Weight, float32[out, in], and bias, float32[out], of each layer."""


class WeightsError(ValueError):
    """A file that holds no weights of this project, or weights of another layout."""


def layout_hash() -> str:
    """Hash of the layouts of actions and observations; weights of another layout cannot be used."""
    parts = (*actions.SEGMENTS, *observations.SEGMENTS)
    text = repr([(part.name, part.start, part.shape) for part in parts])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@row_kernel
def _choose(logits: Any, masks: Any, rng: Any, sample: bool, chosen: Any) -> int:
    """Most probable legal action of each row, or one drawn; returns a row without any, or -1."""
    for row in range(masks.shape[0]):
        best = -1
        for action in range(masks.shape[1]):
            if masks[row, action] != 0 and (best < 0 or logits[row, action] > logits[row, best]):
                best = action
        if best < 0:
            return row
        chosen[row] = best
        if sample:
            total = 0.0
            for action in range(masks.shape[1]):
                if masks[row, action] != 0:
                    total += np.exp(logits[row, action] - logits[row, best])
            left = total * (draw_below(rng, row, _DRAW_BOUND) + 0.5) / _DRAW_BOUND
            for action in range(masks.shape[1]):
                if masks[row, action] != 0:
                    left -= np.exp(logits[row, action] - logits[row, best])
                    if left <= 0:
                        chosen[row] = action
                        break
    return -1


class LearnedAgent:
    """Plays the policy of a network: the most probable legal action, or one drawn from it."""

    def __init__(self, layers: Layers, sample: bool = False, name: str = "learned") -> None:
        """Wrap the layers of a policy; `layers` may be replaced while the agent is in use.

        Args:
            layers: the layers, tanh between them; the last one gives a logit for each action.
            sample: draw from the policy instead of taking the most probable action.
            name: name in results.

        Raises:
            WeightsError: layers that do not lead from an observation to the actions.
        """
        sizes = [OBSERVATION_SIZE, *(len(bias) for _, bias in layers)]
        shapes = [(after, before) for before, after in pairwise(sizes)]
        if sizes[-1] != NUM_ACTIONS or [weight.shape for weight, _ in layers] != shapes:
            raise WeightsError(
                f"the layers must lead from {OBSERVATION_SIZE} to {NUM_ACTIONS} values, "
                f"not {[weight.shape for weight, _ in layers]}"
            )
        self.layers = layers
        self.sample = sample
        self.name = name

    def logits(self, observed: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
        """Logits of all actions, float32[n, NUM_ACTIONS], for int8[n, OBSERVATION_SIZE]."""
        values = observed.astype(np.float32)
        for index, (weight, bias) in enumerate(self.layers):
            values = values @ weight.T + bias
            if index + 1 < len(self.layers):
                np.tanh(values, out=values)
        return values

    def act(
        self,
        observed: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """Choose an action for each row, as `burraco_env.agent.Agent.act` says."""
        check_rows(observed, masks, rng)
        chosen = np.zeros(len(masks), dtype=np.int64)
        row = _choose(self.logits(observed), masks, rng, self.sample, chosen)
        if row >= 0:
            raise no_legal_action(row)
        return chosen


def save_weights(folder: Path, layers: Layers, config: dict[str, Any]) -> None:
    """Write the layers and their card; a reader never sees half of a file.

    Args:
        folder: the run folder; made if needed.
        layers: the layers of the policy.
        config: how they were trained, anything that JSON can hold.
    """
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    tensors = {}
    for index, (weight, bias) in enumerate(layers):
        tensors[f"policy.{index}.weight"] = np.ascontiguousarray(weight, dtype=np.float32)
        tensors[f"policy.{index}.bias"] = np.ascontiguousarray(bias, dtype=np.float32)
    card = {
        "format": FORMAT,
        "env_version": ENV_VERSION,
        "layout": layout_hash(),
        "layers": len(layers),
        "commit": commit(),
        "config": config,
    }
    save_file(tensors, folder / f"{WEIGHTS_FILE}.new")
    (folder / f"{CARD_FILE}.new").write_text(json.dumps(card, indent=2), encoding="utf-8")
    (folder / f"{WEIGHTS_FILE}.new").replace(folder / WEIGHTS_FILE)
    (folder / f"{CARD_FILE}.new").replace(folder / CARD_FILE)


def load_agent(path: Path, sample: bool = False) -> LearnedAgent:
    """The agent of a run folder, or of a weights file in one.

    Raises:
        WeightsError: not such a folder, a damaged file, or weights of another layout.
    """
    folder = path if path.is_dir() else path.parent
    weights = folder / WEIGHTS_FILE if path.is_dir() else path
    if weights.suffix != ".safetensors" or not weights.is_file():
        raise WeightsError(f"{path} is no run folder with {WEIGHTS_FILE}, and no such file")
    card = _read_card(folder / CARD_FILE)
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors = load_file(weights)
        layers = [
            (tensors[f"policy.{index}.weight"], tensors[f"policy.{index}.bias"])
            for index in range(int(card["layers"]))
        ]
    except (SafetensorError, KeyError, OSError) as error:
        raise WeightsError(f"{weights} holds no whole weights: {error}") from error
    return LearnedAgent(layers, sample, name=str(path))


def _read_card(path: Path) -> dict[str, Any]:
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise WeightsError(f"{path} cannot be read: {error}") from error
    if not isinstance(card, dict) or card.get("format") != FORMAT or "layers" not in card:
        raise WeightsError(f"{path} is no card of weights of the format {FORMAT!r}")
    if card.get("layout") != layout_hash():
        raise WeightsError(
            f"the weights of {path.parent} are for the layout {card.get('layout')}, and this is "
            f"{layout_hash()}: actions or observations have changed since; train anew"
        )
    return card
