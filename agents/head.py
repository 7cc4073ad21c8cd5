"""The last layer of a policy, worked out for the legal actions alone.

Of the 985 actions 8 are legal in a decision, so the layer costs a hundredth of what the matrix
would. To its output comes the prior: the expert's score of each legal action, times a factor for
each kind of action.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from burraco_env._jit import F, _compiled
from burraco_env.actions import NUM_ACTIONS, SEGMENTS
from burraco_env.generator import draw_unit

KINDS: npt.NDArray[np.int64] = np.repeat(np.arange(len(SEGMENTS)), [s.size for s in SEGMENTS])
"""Which segment of the layout each action is of, int64[NUM_ACTIONS]."""
PRIOR_SCALES: npt.NDArray[np.float32] = np.array(
    [2.0 if segment.name == "wild" else 0.2 for segment in SEGMENTS], dtype=np.float32
)
"""What a factor of 1 makes of a score, by segment: so many logits a point.

The scores of wilds are no points; they only put the kinds in order.
"""
SCORE_LIMIT = 200.0
"""Scores beyond are cut."""


class Head(NamedTuple):
    """The last layer and the prior."""

    weight: Any
    """float32[NUM_ACTIONS, hidden]."""
    bias: Any
    """float32[NUM_ACTIONS]."""
    factor: Any
    """What the prior's score of an action is multiplied by, float32[NUM_ACTIONS]."""


def prior_factors(betas: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """`Head.factor` for the factors of the segments, float32[len(SEGMENTS)]."""
    return np.ascontiguousarray((betas * PRIOR_SCALES)[KINDS], dtype=np.float32)


class Legal(NamedTuple):
    """The legal actions of some decisions, one row each."""

    ids: Any
    """int16[n, most]."""
    scores: Any
    """The expert's scores of them, cut at SCORE_LIMIT, float32[n, most]."""
    counts: Any
    """How many there are, int16[n]."""

    def rows(self, rows: Any) -> Legal:
        """Those of some rows."""
        return Legal(self.ids[rows], self.scores[rows], self.counts[rows])


def quick_kernel(function: F) -> F:
    """Compile a loop over rows that may add up in any order, which lets it use vectors."""
    return _compiled(nogil=True, fastmath={"reassoc", "contract"})(function)


@quick_kernel
def _write_logits(hidden: Any, head: Head, legal: Legal, row: int, out: Any) -> None:
    """Logits of the row's legal actions; `out`: float32[most]."""
    for index in range(legal.counts[row]):
        action = legal.ids[row, index]
        weight = head.weight[action]
        total = np.float32(0)
        for unit in range(hidden.shape[1]):
            total += hidden[row, unit] * weight[unit]
        out[index] = total + head.bias[action] + head.factor[action] * legal.scores[row, index]


@quick_kernel
def _normalise(logits: Any, count: int) -> None:
    """Turn logits into log-probabilities."""
    most = logits[0]
    for index in range(1, count):
        most = max(most, logits[index])
    total = np.float32(0)
    for index in range(count):
        total += np.exp(logits[index] - most)
    shift = most + np.log(total)
    for index in range(count):
        logits[index] -= shift


@quick_kernel
def log_probabilities(hidden: Any, head: Head, legal: Legal, out: Any) -> None:
    """Log-probabilities of the legal actions of each row; `out`: float32[n, most]."""
    for row in range(hidden.shape[0]):
        _write_logits(hidden, head, legal, row, out[row])
        _normalise(out[row], legal.counts[row])


@quick_kernel
def choose(hidden: Any, head: Head, legal: Legal, rng: Any, chosen: Any, logs: Any) -> None:
    """Draw a legal action for each row.

    Args:
        hidden: float32[n, hidden], output of the layers before.
        head: the last layer.
        legal: the legal actions, n rows.
        rng: generators, uint64[n].
        chosen: for the index of the action among the legal ones, int16[n].
        logs: for the logarithm of its probability, float32[n].
    """
    scratch = np.zeros(legal.ids.shape[1], np.float32)
    for row in range(hidden.shape[0]):
        count = legal.counts[row]
        _write_logits(hidden, head, legal, row, scratch)
        _normalise(scratch, count)
        left = draw_unit(rng, row)
        picked = count - 1
        for index in range(count):
            left -= np.exp(scratch[index])
            if left <= 0:
                picked = index
                break
        chosen[row] = picked
        logs[row] = scratch[picked]


@quick_kernel
def judge(
    hidden: Any, head: Head, legal: Legal, chosen: Any, reference: Any, logs: Any, out: Any
) -> None:
    """What the policy makes of decisions that were taken.

    Args:
        hidden: float32[n, hidden].
        head: the last layer.
        legal: the legal actions, n rows.
        chosen: index of the action that was taken, int16[n].
        reference: log-probabilities of another policy, float32[n, most]; float32[0, 0]: none.
        logs: for the log-probabilities, float32[n, most].
        out: for those of the actions taken, the entropy and the divergence from `reference`,
            float32[n, 3].
    """
    for row in range(hidden.shape[0]):
        count = legal.counts[row]
        _write_logits(hidden, head, legal, row, logs[row])
        _normalise(logs[row], count)
        entropy = divergence = np.float32(0)
        for index in range(count):
            log = logs[row, index]
            entropy -= np.exp(log) * log
            if reference.shape[0] > 0:
                divergence += np.exp(log) * (log - reference[row, index])
        out[row, 0] = logs[row, chosen[row]]
        out[row, 1] = entropy
        out[row, 2] = divergence


@quick_kernel
def judge_backward(  # noqa: PLR0913, PLR0917 - a kernel takes its arrays one by one
    hidden: Any,
    head: Head,
    legal: Legal,
    chosen: Any,
    reference: Any,
    logs: Any,
    out: Any,
    grad: Any,
    hidden_grad: Any,
    head_grad: Head,
) -> None:
    """Gradients of `judge`: `grad` is that of `out`; the last two are added to."""
    for row in range(hidden.shape[0]):
        entropy, divergence = out[row, 1], out[row, 2]
        for index in range(legal.counts[row]):
            action, log = legal.ids[row, index], logs[row, index]
            probability = np.exp(log)
            slope = -grad[row, 0] * probability - grad[row, 1] * probability * (log + entropy)
            if index == chosen[row]:
                slope += grad[row, 0]
            if reference.shape[0] > 0:
                distance = log - reference[row, index] - divergence
                slope += grad[row, 2] * probability * distance
            head_grad.bias[action] += slope
            head_grad.factor[action] += slope * legal.scores[row, index]
            weight, weight_grad = head.weight[action], head_grad.weight[action]
            for unit in range(hidden.shape[1]):
                hidden_grad[row, unit] += slope * weight[unit]
            for unit in range(hidden.shape[1]):
                weight_grad[unit] += slope * hidden[row, unit]


def zero_head(hidden: int) -> Head:
    """A head of zeros, for gradients."""
    return Head(
        np.zeros((NUM_ACTIONS, hidden), np.float32),
        np.zeros(NUM_ACTIONS, np.float32),
        np.zeros(NUM_ACTIONS, np.float32),
    )


def chunks(rows: int, parts: int) -> list[slice]:
    """The rows 0 to `rows - 1` in so many parts of about the same size."""
    bounds = [rows * part // parts for part in range(parts + 1)]
    return [slice(first, last) for first, last in pairwise(bounds)]
