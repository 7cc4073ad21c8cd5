"""Agents with a trained network: weights as safetensors, the rest as JSON, nothing unpickled.

The network is a multilayer perceptron over the observation or over `agents.features`; to its
logits may come the prior of `agents.head`, the expert's scores. Acting needs NumPy alone.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents import features
from agents.expert import score_and_note
from agents.features import NUM_FEATURES, write_features
from agents.files import write_whole
from agents.head import SCORE_LIMIT, Head, prior_factors, quick_kernel
from agents.parameters import NUM_PARAMETERS, PARAMETERS
from agents.provenance import commit
from agents.valuation import NOTES_DTYPE
from burraco_env import ENV_VERSION, NUM_ACTIONS, OBSERVATION_SIZE, actions, observations
from burraco_env._jit import row_kernel
from burraco_env.agent import check_rows, no_legal_action
from burraco_env.generator import draw_unit

WEIGHTS_FILE = "weights.safetensors"
CARD_FILE = "weights.json"
FORMAT = "burraco-weights/2"
OBSERVATION, FEATURES = "observation", "features"
INPUT_SIZES = {OBSERVATION: OBSERVATION_SIZE, FEATURES: NUM_FEATURES}

Layers = list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]
"""Weight, float32[out, in], and bias, float32[out], of each layer."""


class WeightsError(ValueError):
    """A file that holds no weights of this project, or weights of another layout."""


def layout_hash(inputs: str = OBSERVATION) -> str:
    """Hash of what a network with these inputs depends on; other weights cannot be used.

    The layouts of actions and observations; for `features` their layout and the names of the
    expert's parameters too.
    """
    parts = [*actions.SEGMENTS, *observations.SEGMENTS]
    if inputs == FEATURES:
        parts += features.SEGMENTS
    text = repr([(part.name, part.start, part.shape) for part in parts])
    if inputs == FEATURES:
        text += repr([name for name, _, _ in PARAMETERS]) + repr(features.SCALARS)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Policy:
    """What a trained agent is made of.

    Attributes:
        layers: of the network; the last one gives a logit for each action.
        activation: between them, `tanh` or `relu`.
        inputs: what the network sees, `observation` or `features`.
        betas: factors of the prior for the segments of the action layout,
            float32[len(actions.SEGMENTS)]; None: no prior.
        parameters: of the expert whose judgements features and prior are,
            float64[2, NUM_PARAMETERS]; needed with either of them.

    Raises:
        WeightsError: layers that do not lead from the inputs to the actions, or a missing part.
    """

    layers: Layers
    activation: str = "tanh"
    inputs: str = OBSERVATION
    betas: npt.NDArray[np.float32] | None = None
    parameters: npt.NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if self.inputs not in INPUT_SIZES or self.activation not in ("tanh", "relu"):
            raise WeightsError(
                f"inputs must be one of {', '.join(INPUT_SIZES)} and the activation tanh or relu, "
                f"not {self.inputs!r} and {self.activation!r}"
            )
        size = INPUT_SIZES[self.inputs]
        sizes = [size, *(len(bias) for _, bias in self.layers)]
        shapes = [(after, before) for before, after in pairwise(sizes)]
        if sizes[-1] != NUM_ACTIONS or [weight.shape for weight, _ in self.layers] != shapes:
            raise WeightsError(
                f"the layers must lead from {size} to {NUM_ACTIONS} values, "
                f"not {[weight.shape for weight, _ in self.layers]}"
            )
        if self.betas is not None and self.betas.shape != (len(actions.SEGMENTS),):
            raise WeightsError(
                f"the prior needs {len(actions.SEGMENTS)} factors, not {self.betas.shape}"
            )
        judged = self.inputs == FEATURES or self.betas is not None
        if judged and (self.parameters is None or self.parameters.shape != (2, NUM_PARAMETERS)):
            raise WeightsError(f"parameters of the shape (2, {NUM_PARAMETERS}) are missing")

    @cached_property
    def hidden(self) -> tuple[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]], ...]:
        """The layers before the last: weight, float32[in, out], and bias, float32[out]."""
        return tuple((np.ascontiguousarray(w.T), b) for w, b in self.layers[:-1])

    @cached_property
    def head(self) -> Head:
        """The last layer and the prior."""
        weight, bias = self.layers[-1]
        none = np.zeros(len(actions.SEGMENTS), np.float32)
        factors = prior_factors(none if self.betas is None else self.betas)
        return Head(np.ascontiguousarray(weight), bias, factors)


@row_kernel
def _prepare(seen: Any, masks: Any, parameters: Any, notes: Any, inputs: Any, scores: Any) -> None:
    """Write features (unless `inputs` is empty) and scores of the legal actions of each row."""
    for row in range(masks.shape[0]):
        observation = seen[row]
        score_and_note(observation, masks[row], parameters, notes[0])
        for action in range(masks.shape[1]):
            if masks[row, action] != 0:
                score = notes[0]["scores"][action]
                scores[row, action] = min(max(score, -SCORE_LIMIT), SCORE_LIMIT)
        if inputs.shape[0] > 0:
            write_features(observation, notes[0], inputs[row])


@quick_kernel
def _forward(inputs: Any, layers: Any, tanh: bool, out: Any) -> None:
    """Output of the hidden layers; most inputs and half of all units are zero, and are skipped."""
    widest = 0
    for index in range(len(layers)):
        widest = max(widest, len(layers[index][1]))
    values, sums = np.zeros(widest, np.float32), np.zeros(widest, np.float32)
    for row in range(inputs.shape[0]):
        for index in range(len(layers)):
            weight, bias = layers[index]
            width = len(bias)
            sums[:width] = bias
            for unit in range(weight.shape[0]):
                value = np.float32(inputs[row, unit]) if index == 0 else values[unit]
                if value == 0:
                    continue
                line = weight[unit]
                for other in range(width):
                    sums[other] += value * line[other]
            for other in range(width):
                values[other] = np.tanh(sums[other]) if tanh else max(sums[other], np.float32(0))
        for unit in range(out.shape[1]):
            out[row, unit] = values[unit]


@quick_kernel
def _write_logits(hidden: Any, head: Head, scores: Any, masks: Any, out: Any) -> None:
    """Logits of the legal actions; the others are -inf. `scores` may be empty."""
    for row in range(masks.shape[0]):
        for action in range(masks.shape[1]):
            if masks[row, action] == 0:
                out[row, action] = -np.inf
                continue
            total = np.float32(0)
            for unit in range(hidden.shape[1]):
                total += hidden[row, unit] * head.weight[action, unit]
            total += head.bias[action]
            if scores.shape[0] > 0:
                total += head.factor[action] * scores[row, action]
            out[row, action] = total


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
            left = total * draw_unit(rng, row)
            for action in range(masks.shape[1]):
                if masks[row, action] != 0:
                    left -= np.exp(logits[row, action] - logits[row, best])
                    if left <= 0:
                        chosen[row] = action
                        break
    return -1


class LearnedAgent:
    """Plays the policy of a network: the most probable legal action, or one drawn from it."""

    def __init__(self, policy: Policy, sample: bool = False, name: str = "learned") -> None:
        """Wrap a policy; `policy` may be replaced while the agent is in use.

        Args:
            policy: the network and what belongs to it.
            sample: draw from the policy instead of taking the most probable action.
            name: name in results.
        """
        self.policy = policy
        self.sample = sample
        self.name = name

    def logits(
        self, observed: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.float32]:
        """Logits of all actions, float32[n, NUM_ACTIONS]; -inf for those that are not legal.

        Args:
            observed: int8[n, OBSERVATION_SIZE].
            masks: int8[n, NUM_ACTIONS].
        """
        policy = self.policy
        rows = len(masks)
        inputs, scores = observed, np.zeros((0, NUM_ACTIONS), np.float32)
        if policy.parameters is not None:
            scores = np.zeros((rows, NUM_ACTIONS), np.float32)
            wanted = rows if policy.inputs == FEATURES else 0
            written = np.zeros((wanted, NUM_FEATURES), np.int8)
            notes = np.zeros(1, dtype=NOTES_DTYPE)
            _prepare(observed, masks, policy.parameters, notes, written, scores)
            inputs = written if wanted else observed
        values = inputs.astype(np.float32)
        if policy.hidden:
            values = np.zeros((rows, policy.head.weight.shape[1]), np.float32)
            _forward(inputs, policy.hidden, policy.activation == "tanh", values)
        logits = np.zeros((rows, NUM_ACTIONS), np.float32)
        _write_logits(values, policy.head, scores, masks, logits)
        return logits

    def act(
        self,
        observed: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """Choose an action for each row, as `burraco_env.agent.Agent.act` says."""
        check_rows(observed, masks, rng)
        chosen = np.zeros(len(masks), dtype=np.int64)
        row = _choose(self.logits(observed, masks), masks, rng, self.sample, chosen)
        if row >= 0:
            raise no_legal_action(row)
        return chosen


def save_weights(
    folder: Path,
    policy: Policy,
    config: dict[str, Any],
    more: dict[str, npt.NDArray[np.float32]] | None = None,
) -> None:
    """Write a policy and its card; a reader never sees half of a file.

    Args:
        folder: the run folder; made if needed.
        policy: what to write.
        config: how it was trained, anything that JSON can hold.
        more: tensors to keep beside it, such as those of a critic.
    """
    from safetensors.numpy import save

    folder.mkdir(parents=True, exist_ok=True)
    tensors: dict[str, npt.NDArray[Any]] = dict(more or {})
    for index, (weight, bias) in enumerate(policy.layers):
        tensors[f"policy.{index}.weight"] = np.ascontiguousarray(weight, dtype=np.float32)
        tensors[f"policy.{index}.bias"] = np.ascontiguousarray(bias, dtype=np.float32)
    if policy.betas is not None:
        tensors["prior.betas"] = policy.betas
    if policy.parameters is not None:
        tensors["prior.parameters"] = policy.parameters
    card = {
        "format": FORMAT,
        "env_version": ENV_VERSION,
        "layout": layout_hash(policy.inputs),
        "inputs": policy.inputs,
        "activation": policy.activation,
        "layers": len(policy.layers),
        "commit": commit(),
        "config": config,
    }
    write_whole(folder / WEIGHTS_FILE, save(tensors))
    write_whole(folder / CARD_FILE, json.dumps(card, indent=2))


def load_agent(path: Path, sample: bool = False) -> LearnedAgent:
    """The agent of a run folder, or of a weights file in one.

    Raises:
        WeightsError: not such a folder, a damaged file, or weights of another layout.
    """
    return LearnedAgent(load_policy(path), sample, name=str(path))


def load_policy(path: Path) -> Policy:
    """The policy of a run folder, or of a weights file in one.

    Raises:
        WeightsError: as `load_agent`.
    """
    card, tensors = load_tensors(path)
    try:
        layers = [
            (tensors[f"policy.{index}.weight"], tensors[f"policy.{index}.bias"])
            for index in range(int(card["layers"]))
        ]
    except KeyError as error:
        raise WeightsError(f"{path} holds no whole weights: {error} is missing") from error
    return Policy(
        layers,
        str(card["activation"]),
        str(card["inputs"]),
        tensors.get("prior.betas"),
        tensors.get("prior.parameters"),
    )


def load_tensors(path: Path) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """The card and all tensors of a run folder, or of a weights file in one.

    Raises:
        WeightsError: as `load_agent`.
    """
    folder = path if path.is_dir() else path.parent
    weights = folder / WEIGHTS_FILE if path.is_dir() else path
    if weights.suffix != ".safetensors" or not weights.is_file():
        raise WeightsError(f"{path} is no run folder with {WEIGHTS_FILE}, and no such file")
    card = _read_card(folder / CARD_FILE)
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return card, load_file(weights)
    except (SafetensorError, OSError) as error:
        raise WeightsError(f"{weights} holds no whole weights: {error}") from error


def _read_card(path: Path) -> dict[str, Any]:
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise WeightsError(f"{path} cannot be read: {error}") from error
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise WeightsError(f"{path} is no card of weights of the format {FORMAT!r}")
    missing = [name for name in ("layers", "inputs", "activation", "layout") if name not in card]
    if missing:
        raise WeightsError(f"{path} is no whole card of weights: it lacks {', '.join(missing)}")
    wanted = layout_hash(card["inputs"])
    if card["layout"] != wanted:
        raise WeightsError(
            f"the weights of {path.parent} are for the layout {card['layout']}, and this is "
            f"{wanted}: actions, observations or features have changed since; train anew"
        )
    return card
