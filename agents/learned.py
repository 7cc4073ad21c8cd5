"""Agents with a trained network: weights as safetensors, the rest as JSON, nothing unpickled.

The network is a multilayer perceptron over the observation or over `agents.features`; to its
logits may come the prior of `agents.head`, the expert's scores. Acting needs NumPy alone.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents import features, views
from agents.action_features import (
    DISCARD_FEATURES,
    FEATURE_UNIT,
    PICK_UP_FEATURES,
    PLAY_FEATURES,
    write_action_features,
)
from agents.expert import score_and_note
from agents.features import NUM_FEATURES, write_features
from agents.files import write_whole
from agents.head import (
    KINDS,
    NUM_FACTORS,
    NUM_KINDS,
    PRIOR_OF_IDLE,
    PRIOR_SCALES,
    SCORE_LIMIT,
    Head,
    logit,
    prior_score,
    write_factors,
    zero_head,
)
from agents.parameters import NUM_PARAMETERS, PARAMETERS
from agents.perceptron import (
    Layer,
    Layers,
    Perceptron,
    Scratch,
    connect,
    forward,
    new_scratch,
    perceptron,
)
from agents.provenance import commit
from agents.valuation import NOTES_DTYPE, NUM_ACTION_FEATURES
from burraco_env import ENV_VERSION, NUM_ACTIONS, OBSERVATION_SIZE, actions, observations
from burraco_env._jit import int64, kernel, row_kernel
from burraco_env.agent import check_rows, no_legal_action
from burraco_env.generator import draw_unit

WEIGHTS_FILE = "weights.safetensors"
CARD_FILE = "weights.json"
FORMAT = "burraco-weights/3"
CHAMPION = "champion"
"""Name of the weights that come with the package."""
OBSERVATION, FEATURES = "observation", "features"
INPUT_SIZES = {OBSERVATION: OBSERVATION_SIZE, FEATURES: NUM_FEATURES}


class WeightsError(ValueError):
    """A file that holds no weights of this project, or weights of another layout."""


def layout_hash(inputs: str = OBSERVATION) -> str:
    """Hash of what a network with these inputs depends on; other weights cannot be used.

    The layouts of actions and observations; for `features` also their layout, the names of the
    expert's parameters, and how the features of actions and the scores are put to the network.
    """
    parts = [*actions.SEGMENTS, *observations.SEGMENTS]
    if inputs == FEATURES:
        parts += features.SEGMENTS
    text = repr([(part.name, part.start, part.shape) for part in parts])
    if inputs == FEATURES:
        text += repr([name for name, _, _ in PARAMETERS]) + repr(features.SCALARS)
        text += repr((DISCARD_FEATURES, PLAY_FEATURES, PICK_UP_FEATURES, FEATURE_UNIT))
        text += repr((PRIOR_SCALES.tolist(), SCORE_LIMIT, PRIOR_OF_IDLE))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Policy:
    """What a trained agent is made of.

    Attributes:
        layers: of the network; the last one gives a logit for each action.
        activation: between them, `tanh` or `relu`.
        inputs: what the network sees, `observation` or `features`.
        factors: of score and features of the actions, `Head.factor_weight` and `factor_bias`;
            None: neither is used.
        parameters: of the expert whose judgements features and prior are,
            float64[2, NUM_PARAMETERS]; needed with either of them.

    Raises:
        WeightsError: layers that do not lead from the inputs to the actions, or a missing part.
    """

    layers: Layers
    activation: str = "tanh"
    inputs: str = OBSERVATION
    factors: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]] | None = None
    parameters: npt.NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if self.inputs not in INPUT_SIZES or self.activation not in ("tanh", "relu"):
            raise WeightsError(
                f"inputs must be one of {', '.join(INPUT_SIZES)} and the activation tanh or relu, "
                f"not {self.inputs!r} and {self.activation!r}"
            )
        size = INPUT_SIZES[self.inputs]
        if not connect(self.layers, size, NUM_ACTIONS):
            raise WeightsError(
                f"the layers must lead from {size} to {NUM_ACTIONS} values, "
                f"not {[weight.shape for weight, _ in self.layers]}"
            )
        count, width = NUM_KINDS * NUM_FACTORS, self.layers[-1][0].shape[1]
        if self.factors is not None and not connect([self.factors], width, count):
            raise WeightsError(
                f"the factors must lead from {width} to {count} values, not {self.factors[0].shape}"
            )
        judged = self.inputs == FEATURES or self.factors is not None
        if judged and (self.parameters is None or self.parameters.shape != (2, NUM_PARAMETERS)):
            raise WeightsError(f"parameters of the shape (2, {NUM_PARAMETERS}) are missing")

    @cached_property
    def net(self) -> Net:
        """The same for kernels."""
        weight, bias = self.layers[-1]
        parameters = self.parameters
        head = zero_head(weight.shape[1])._replace(
            weight=np.array(weight, order="C"), bias=np.array(bias)
        )
        if self.factors is not None:
            factor_weight, factor_bias = self.factors
            head = head._replace(
                factor_weight=np.array(factor_weight, order="C"), factor_bias=np.array(factor_bias)
            )
        if parameters is None:
            parameters = np.zeros((2, NUM_PARAMETERS))
        return Net(
            perceptron(self.layers[:-1], INPUT_SIZES[self.inputs], self.activation == "tanh"),
            head,
            np.array(parameters),
            self.inputs == FEATURES,
            self.parameters is not None,
        )


class Net(NamedTuple):
    """A policy as kernels take it."""

    body: Perceptron
    """The hidden layers."""
    head: Head
    """The last layer."""
    parameters: Any
    """Of the expert, float64[2, NUM_PARAMETERS]."""
    featured: bool
    """The inputs are the features, not the observation."""
    scored: bool
    """The expert's scores are known."""


@kernel
def write_inputs(observation: Any, net: Net, notes: Any, inputs: Any) -> None:
    """Write the inputs of the network; for features notes must have been taken."""
    if net.featured:
        write_features(observation, notes, inputs)
    else:
        inputs[: observation.shape[0]] = observation


@kernel
def write_seen(observation: Any, mask: Any, net: Net, notes: Any, inputs: Any) -> None:
    """Write the inputs of the network, and to `notes` the expert's scores of the legal actions."""
    if net.scored:
        score_and_note(observation, mask, net.parameters, notes)
    write_inputs(observation, net, notes, inputs)


@kernel
def write_logits(
    observation: Any, ids: Any, count: int, net: Net, notes: Any, scratch: Scratch, out: Any
) -> None:
    """Logits of the legal actions `ids[:count]`, in the order of their numbers, to `out[:count]`.

    To be called after `write_seen`, which leaves the inputs on the scratch.
    """
    forward(net.body, scratch)
    factors = np.zeros(NUM_FACTORS, np.float32)
    features = np.zeros(NUM_ACTION_FEATURES, np.int8)
    values, score, known = scratch.values[: net.head.weight.shape[1]], 0.0, int64(-1)
    for index in range(count):
        action = int64(ids[index])
        if KINDS[action] != known:
            known = KINDS[action]
            write_factors(values, net.head, known, factors)
        if net.scored:
            score = prior_score(notes["scores"][action])
        if net.featured:
            write_action_features(observation, notes, action, features)
        out[index] = logit(values, net.head, factors, action, score, features)


@row_kernel
def _write_rows(seen: Any, masks: Any, net: Net, notes: Any, scratch: Scratch, out: Any) -> None:
    """Logits of the legal actions of each row; the others are -inf."""
    ids, found = np.zeros(NUM_ACTIONS, np.int16), np.zeros(NUM_ACTIONS, np.float32)
    for row in range(masks.shape[0]):
        count = int64(0)
        for action in range(NUM_ACTIONS):
            out[row, action] = -np.inf
            if masks[row, action] != 0:
                ids[count] = action
                count += 1
        write_seen(seen[row], masks[row], net, notes[0], scratch.inputs)
        write_logits(seen[row], ids, count, net, notes[0], scratch, found)
        for index in range(count):
            out[row, ids[index]] = found[index]


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
        net = self.policy.net
        logits = np.zeros((len(masks), NUM_ACTIONS), np.float32)
        notes = np.zeros(1, dtype=NOTES_DTYPE)
        _write_rows(observed, masks, net, notes, new_scratch(net.body), logits)
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


class ChampionAgent:
    """Plays the weights that come with the package: one network for two seats, one for more."""

    name = CHAMPION

    def __init__(self, sample: bool = False) -> None:
        """Load them.

        Args:
            sample: draw from the policy instead of taking the most probable action.
        """
        self._two, self._more = (
            LearnedAgent(load_policy(find_weights(CHAMPION, seats)), sample) for seats in (2, 4)
        )

    def act(
        self,
        observed: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """Choose an action for each row, as `burraco_env.agent.Agent.act` says."""
        check_rows(observed, masks, rng)
        chosen = np.zeros(len(masks), dtype=np.int64)
        two = observed[:, views.SEATS] == 2
        for agent, rows in ((self._two, np.flatnonzero(two)), (self._more, np.flatnonzero(~two))):
            states = rng[rows]
            chosen[rows] = agent.act(observed[rows], masks[rows], states)
            rng[rows] = states
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
    if policy.factors is not None:
        tensors["factors.weight"], tensors["factors.bias"] = policy.factors
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


def find_weights(text: str, seats: int) -> Path:
    """Where the weights are that a text names, for games with so many seats.

    Args:
        text: `champion`, a run folder, or a weights file in one.
        seats: how many.
    """
    if text == CHAMPION:
        return Path(__file__).parent / "weights" / f"{CHAMPION}-{2 if seats == 2 else 4}"
    return Path(text)


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
        layers = layers_of(tensors, "policy", int(card["layers"]))
        factors = layer_of(tensors, "factors") if "factors.bias" in tensors else None
    except KeyError as error:
        raise WeightsError(f"{path} holds no whole weights: {error} is missing") from error
    return Policy(
        layers,
        str(card["activation"]),
        str(card["inputs"]),
        factors,
        tensors.get("prior.parameters"),
    )


def layers_of(tensors: dict[str, npt.NDArray[Any]], name: str, count: int) -> Layers:
    """The layers of `policy` or `critic`.

    Raises:
        KeyError: one of them is missing.
    """
    return [layer_of(tensors, f"{name}.{index}") for index in range(count)]


def layer_of(tensors: dict[str, npt.NDArray[Any]], name: str) -> Layer:
    """One layer.

    Raises:
        KeyError: a part of it is missing.
    """
    return tensors[f"{name}.weight"], tensors[f"{name}.bias"]


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
