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

from agents import head as heads
from agents.checkpoints import Arrays
from agents.collection import HIDDEN_SCALES
from agents.features import SCALES
from agents.head import Head, Legal, judge, judge_backward, prior_factors, zero_head
from agents.learned import FEATURES, Policy
from agents.options import Args
from burraco_env import NUM_ACTIONS
from burraco_env.actions import SEGMENTS
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
        self.betas = nn.Parameter(torch.ones(len(SEGMENTS)), requires_grad=args.uses_prior)
        self.critic_body = _Body(seen, args.hidden)
        self.critic_head = nn.Linear(args.hidden[-1], 1)
        for layer in (self.head, self.critic_head):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        if not args.uses_prior:
            nn.init.zeros_(self.betas)

    def policy_parameters(self) -> list[nn.Parameter]:
        """What the policy is made of."""
        return [*self.body.parameters(), *self.head.parameters(), self.betas]

    def critic_parameters(self) -> list[nn.Parameter]:
        """What the critic is made of."""
        return [*self.critic_body.parameters(), *self.critic_head.parameters()]

    def factors(self) -> Tensor:
        """What the prior's score of each action is multiplied by."""
        return (self.betas * torch.from_numpy(heads.PRIOR_SCALES))[torch.from_numpy(heads.KINDS)]

    def value(self, inputs: Tensor, hidden: Tensor) -> Tensor:
        """What the critic adds to the baseline, float32[n]."""
        wide = self.critic_body.layers[0].in_features > inputs.shape[1]
        seen = torch.cat([inputs, hidden], dim=1) if wide else inputs
        added: Tensor = self.critic_head(self.critic_body(seen))[:, 0]
        return added

    def numpy_head(self) -> Head:
        """The last layer and the prior, for kernels; it shares the weights' memory."""
        return Head(
            self.head.weight.detach().numpy(),
            self.head.bias.detach().numpy(),
            prior_factors(self.betas.detach().numpy()),
        )

    def policy(self, args: Args, parameters: npt.NDArray[np.float64]) -> Policy:
        """A copy for agents that act without PyTorch."""
        layers = [*self.body.folded(), (self.head.weight, self.head.bias)]
        judged = args.uses_prior or args.inputs == FEATURES
        return Policy(
            [(array_of(weight), array_of(bias)) for weight, bias in layers],
            "relu",
            args.inputs,
            array_of(self.betas) if args.uses_prior else None,
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
                for name, mine in (("weight", layer.weight), ("bias", layer.bias)):
                    found = tensors.get(f"{part}.{index}.{name}", np.zeros(0, np.float32))
                    if found.shape != tuple(mine.shape):
                        raise ValueError(
                            f"{part}.{index}.{name} has the shape {found.shape}, and this network "
                            f"needs {tuple(mine.shape)}"
                        )
                    new = torch.from_numpy(found)
                    if index == 0 and name == "weight":
                        new = new / body.scales
                    with torch.no_grad():
                        mine.copy_(new)
        if ("prior.betas" in tensors) != self.betas.requires_grad:
            raise ValueError("with and without a prior: start with the same --prior")
        if self.betas.requires_grad:
            with torch.no_grad():
                self.betas.copy_(torch.from_numpy(tensors["prior.betas"]))


def array_of(tensor: Tensor) -> npt.NDArray[Any]:
    """A copy of a tensor's values."""
    return np.array(tensor.detach().numpy())


Spread = Callable[[Callable[[slice, int], Any], int], list[Any]]
"""Calls a function for parts of so many rows, each in a thread; gives its results in order."""


class Judge(torch.autograd.Function):
    """`head.judge` for autograd: log-probability, entropy and divergence, float32[n, 3]."""

    @staticmethod
    def forward(  # noqa: PLR0913, PLR0917 - autograd wants them one by one
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, factors: Tensor,
        legal: Legal, chosen: Any, reference: Any, spread: Spread,
    ) -> Tensor:  # fmt: skip
        """Judge decisions that were taken; see `head.judge`."""
        head = Head(*(tensor.detach().numpy() for tensor in (weight, bias, factors)))
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
        """Gradients of hidden, weight, bias and factors."""
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
