"""The network of the trainer: policy and critic, two perceptrons, in PyTorch.

The last layer of the policy is worked out for the legal actions alone, by the kernels of
`agents.head`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from agents.checkpoints import Arrays
from agents.collection import HIDDEN_SCALES
from agents.features import SCALES
from agents.head import (
    NUM_FACTORS,
    NUM_KINDS,
    Head,
    Legal,
    initial_factors,
    judge,
    judge_backward,
    zero_head,
)
from agents.learned import FEATURES, Policy
from agents.options import Args
from burraco_env import NUM_ACTIONS
from burraco_env.observations import SEGMENTS as OBSERVED


def _input_scales(inputs: str) -> npt.NDArray[np.float32]:
    if inputs == FEATURES:
        return SCALES
    return np.concatenate([np.full(s.size, 1 / max(1, s.high / 4), np.float32) for s in OBSERVED])


class _Body(nn.Module):
    """Hidden layers over small integers; the first one multiplies them by their scales."""

    def __init__(self, scales: npt.NDArray[np.float32], hidden: tuple[int, ...]) -> None:
        super().__init__()
        sizes = (len(scales), *hidden)
        self.layers = [nn.Linear(before, after) for before, after in pairwise(sizes)]
        self.registered = nn.ModuleList(self.layers)
        self.scales = torch.from_numpy(scales)
        for layer in self.layers:
            nn.init.orthogonal_(layer.weight, math.sqrt(2))
            nn.init.zeros_(layer.bias)

    def folded(self) -> list[tuple[Tensor, Tensor]]:
        """Weight and bias of each layer, the scales within the first one."""
        first, *rest = self.layers
        scaled = (first.weight * self.scales, first.bias)
        return [scaled, *((layer.weight, layer.bias) for layer in rest)]

    def forward(self, inputs: Tensor) -> Tensor:
        """Output of the last hidden layer, float32[n, hidden]."""
        values = inputs.to(torch.bfloat16 if torch.is_autocast_enabled("cpu") else torch.float32)
        for weight, bias in self.folded():
            values = functional.relu(functional.linear(values, weight, bias))
        return values.float()


class Network(nn.Module):
    """Policy and critic, two perceptrons."""

    def __init__(self, args: Args) -> None:
        super().__init__()
        scales = _input_scales(args.inputs)
        seen = np.concatenate([scales, HIDDEN_SCALES]) if args.critic_sees_all else scales
        self.body = _Body(scales, args.hidden)
        self.head = nn.Linear(args.hidden[-1], NUM_ACTIONS)
        factors = torch.from_numpy(initial_factors(args.uses_prior))
        self.factors = nn.Linear(args.hidden[-1], len(factors))
        self.critic_body = _Body(seen, args.hidden)
        self.critic_head = nn.Linear(args.hidden[-1], 1)
        for layer in (self.head, self.factors, self.critic_head):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        with torch.no_grad():
            self.factors.bias.copy_(factors)

    def policy_parameters(self) -> list[list[nn.Parameter]]:
        """What the policy is made of: the rows of single actions, and all else."""
        rest = [*self.body.parameters(), *self.factors.parameters()]
        return [list(self.head.parameters()), rest]

    def critic_parameters(self) -> list[nn.Parameter]:
        """What the critic is made of."""
        return [*self.critic_body.parameters(), *self.critic_head.parameters()]

    def last(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The arrays of `agents.head.Head`."""
        return self.head.weight, self.head.bias, self.factors.weight, self.factors.bias

    def value(self, inputs: Tensor, hidden: Tensor) -> Tensor:
        """What the critic adds to the baseline, float32[n]."""
        wide = self.critic_body.layers[0].in_features > inputs.shape[1]
        seen = torch.cat([inputs, hidden], dim=1) if wide else inputs
        added: Tensor = self.critic_head(self.critic_body(seen))[:, 0]
        return added

    def numpy_head(self) -> Head:
        """The last layer for kernels; it shares the weights' memory."""
        return Head(*(tensor.detach().numpy() for tensor in self.last()))

    def policy(self, args: Args, parameters: npt.NDArray[np.float64]) -> Policy:
        """A copy for agents that act without PyTorch."""
        layers = [*self.body.folded(), (self.head.weight, self.head.bias)]
        judged = args.uses_prior or args.inputs == FEATURES
        return Policy(
            [(array_of(weight), array_of(bias)) for weight, bias in layers],
            "relu",
            args.inputs,
            (array_of(self.factors.weight), array_of(self.factors.bias)) if judged else None,
            parameters.copy() if judged else None,
        )

    def critic(self) -> Arrays:
        """A copy of the critic's layers, named as those of the policy in a file of weights."""
        layers = [*self.critic_body.folded(), (self.critic_head.weight, self.critic_head.bias)]
        named = {}
        for index, (weight, bias) in enumerate(layers):
            named[f"critic.{index}.weight"] = array_of(weight)
            named[f"critic.{index}.bias"] = array_of(bias)
        return named

    def take_over(self, tensors: Arrays) -> None:
        """Take the weights of a file; without a critic in it, ours stays as it is.

        Raises:
            ValueError: layers of other sizes, or a prior on one side only.
        """
        for part, body, last in (
            ("policy", self.body, self.head), ("critic", self.critic_body, self.critic_head),
        ):  # fmt: skip
            if part == "critic" and "critic.0.weight" not in tensors:
                continue
            for index, layer in enumerate((*body.layers, last)):
                _take_layer(layer, tensors, f"{part}.{index}", body.scales if index == 0 else None)
        mine = self._weighs_scores()
        _take_layer(self.factors, tensors, "factors")
        if self._weighs_scores() != mine:
            raise ValueError("with and without a prior: start with the same --prior")

    def _weighs_scores(self) -> bool:
        """Whether there is a prior; without one the factors of the scores stay 0."""
        return bool(self.factors.bias.view(NUM_KINDS, NUM_FACTORS)[:, 0].any())


def _take_layer(
    layer: nn.Linear, tensors: Arrays, place: str, scales: Tensor | None = None
) -> None:
    """Take over a layer; `scales` are folded into the weights of the file."""
    for name, mine in (("weight", layer.weight), ("bias", layer.bias)):
        found = tensors.get(f"{place}.{name}", np.zeros(0, np.float32))
        if found.shape != tuple(mine.shape):
            raise ValueError(
                f"{place}.{name} has the shape {found.shape}, and this network needs "
                f"{tuple(mine.shape)}"
            )
        new = torch.from_numpy(found)
        with torch.no_grad():
            mine.copy_(new / scales if name == "weight" and scales is not None else new)


def array_of(tensor: Tensor) -> npt.NDArray[Any]:
    """A copy of a tensor's values."""
    return np.array(tensor.detach().numpy())


Spread = Callable[[Callable[[slice, int], Any], int], list[Any]]
"""Calls a function for parts of so many rows, each in a thread; gives its results in order."""


class Judge(torch.autograd.Function):
    """`head.judge` for autograd: log-probability, entropy and divergence, float32[n, 3]."""

    @staticmethod
    def forward(  # noqa: PLR0913, PLR0917 - autograd wants them one by one
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, factor_weight: Tensor,
        factor_bias: Tensor, legal: Legal, chosen: Any, reference: Any, spread: Spread,
    ) -> Tensor:  # fmt: skip
        """Judge decisions that were taken; see `head.judge`."""
        tensors = (weight, bias, factor_weight, factor_bias)
        head = Head(*(tensor.detach().numpy() for tensor in tensors))
        seen = hidden.detach().numpy()
        logs = np.zeros(legal.ids.shape, np.float32)
        out = np.zeros((len(seen), 3), np.float32)

        def part(rows: slice, _: int) -> None:
            near = reference[rows] if len(reference) else reference
            judge(seen[rows], head, legal.rows(rows), chosen[rows], near, logs[rows], out[rows])

        spread(part, len(seen))
        ctx.kept = (seen, head, legal, chosen, reference, logs, out, spread)
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Gradients of hidden and of the arrays of the head."""
        seen, head, legal, chosen, reference, logs, out, spread = ctx.kept
        grad = np.ascontiguousarray(grads[0].numpy())
        hidden_grad = np.zeros_like(seen)

        def part(rows: slice, _: int) -> Head:
            near = reference[rows] if len(reference) else reference
            head_grad = zero_head(seen.shape[1])
            judge_backward(
                seen[rows], head, legal.rows(rows), chosen[rows], near, logs[rows], out[rows],
                grad[rows], hidden_grad[rows], head_grad,
            )  # fmt: skip
            return head_grad

        parts = spread(part, len(seen))
        total = [torch.from_numpy(sum(arrays)) for arrays in zip(*parts, strict=True)]
        return torch.from_numpy(hidden_grad), *total, None, None, None, None
