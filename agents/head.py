"""The last layer of a policy, worked out for the legal actions alone.

Of the 985 actions 8 are legal in a decision, so the layer costs a hundredth of what the matrix
would. The logit of an action has three parts: its own row of the layer, as usual; the expert's
score of it, the prior; and its features (`agents.action_features`). Score and features are
multiplied by factors that the network chooses in each decision anew, the same for all actions of a
kind.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.action_features import FEATURE_UNIT
from agents.expert import IDLE
from agents.valuation import NUM_ACTION_FEATURES
from burraco_env._jit import F, _compiled, kernel
from burraco_env.actions import NUM_ACTIONS, SEGMENTS
from burraco_env.generator import draw_unit

KINDS: npt.NDArray[np.int64] = np.repeat(np.arange(len(SEGMENTS)), [s.size for s in SEGMENTS])
"""Which segment of the layout each action is of, int64[NUM_ACTIONS]."""
PRIOR_SCALES: npt.NDArray[np.float32] = np.array(
    [{"wild": 2.0, "draw": 0.05}.get(segment.name, 0.2) for segment in SEGMENTS], dtype=np.float32
)
"""What a factor of 1 makes of a score, by segment: so many logits a point.

The scores of wilds are no points; they only put the kinds in order. Where to draw from is left more
open: it is decided once a turn, both ways make sense, and a policy that hardly ever tries the other
way cannot learn when it pays.
"""
SCORE_LIMIT = 200.0
"""Scores beyond are cut."""
PRIOR_OF_IDLE = -10.0
"""What takes the place of `expert.IDLE`, which forbids: a network may learn when it pays."""
NUM_FACTORS = 1 + NUM_ACTION_FEATURES
"""Of the score and of each feature."""
NUM_KINDS = len(SEGMENTS)
_UNIT = np.float32(1 / FEATURE_UNIT)


class Head(NamedTuple):
    """The last layer; all arrays are float32."""

    weight: Any
    """[NUM_ACTIONS, hidden]."""
    bias: Any
    """[NUM_ACTIONS]."""
    factor_weight: Any
    """[NUM_KINDS * NUM_FACTORS, hidden]: how the network chooses the factors of each kind."""
    factor_bias: Any
    """[NUM_KINDS * NUM_FACTORS]."""


def initial_factors(prior: bool) -> npt.NDArray[np.float32]:
    """`Head.factor_bias` at the beginning: 1 for the scores, or 0 without a prior; 0 elsewhere."""
    factors = np.zeros((NUM_KINDS, NUM_FACTORS), np.float32)
    factors[:, 0] = prior
    return factors.ravel()


class Legal(NamedTuple):
    """The legal actions of some decisions, one row each."""

    ids: Any
    """int16[n, most]."""
    scores: Any
    """The expert's scores of them as `prior_score` cuts them, float32[n, most]."""
    features: Any
    """int8[n, most, NUM_ACTION_FEATURES]."""
    counts: Any
    """How many there are, int16[n]."""

    def rows(self, rows: Any) -> Legal:
        """Those of some rows."""
        return Legal(*(array[rows] for array in self))


def quick_kernel(function: F) -> F:
    """Compile a loop over rows that may add up in any order, which lets it use vectors."""
    return _compiled(nogil=True, fastmath={"reassoc", "contract"})(function)


@kernel
def prior_score(score: float) -> float:
    """The expert's score of an action as a network gets it."""
    if score <= IDLE:
        return PRIOR_OF_IDLE
    return min(max(score, -SCORE_LIMIT), SCORE_LIMIT)


@quick_kernel
def dot(left: Any, right: Any) -> Any:
    """Sum of the products, float32."""
    total = np.float32(0)
    for index in range(left.shape[0]):
        total += left[index] * right[index]
    return total


@quick_kernel
def write_factors(hidden: Any, head: Head, kind: int, out: Any) -> None:
    """The factors of a kind of action; `hidden`: float32[hidden], `out`: float32[NUM_FACTORS]."""
    first = kind * NUM_FACTORS
    for index in range(NUM_FACTORS):
        out[index] = dot(hidden, head.factor_weight[first + index])
        out[index] += head.factor_bias[first + index]


@quick_kernel
def logit(hidden: Any, head: Head, factors: Any, action: int, score: float, features: Any) -> Any:
    """Logit of an action, float32; `factors`: those of its kind."""
    total = dot(hidden, head.weight[action]) + head.bias[action]
    total += factors[0] * PRIOR_SCALES[KINDS[action]] * np.float32(score)
    for index in range(NUM_ACTION_FEATURES):
        total += factors[1 + index] * np.float32(features[index]) * _UNIT
    return total


@quick_kernel
def _write_logits(hidden: Any, head: Head, legal: Legal, row: int, out: Any) -> None:
    """Logits of the row's legal actions; `out`: float32[most]."""
    factors = np.zeros(NUM_FACTORS, np.float32)
    known = -1
    for index in range(legal.counts[row]):
        action = legal.ids[row, index]
        if KINDS[action] != known:
            known = KINDS[action]
            write_factors(hidden[row], head, known, factors)
        score, features = legal.scores[row, index], legal.features[row, index]
        out[index] = logit(hidden[row], head, factors, action, score, features)


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
    factor_grad = np.zeros((NUM_KINDS, NUM_FACTORS), np.float32)
    for row in range(hidden.shape[0]):
        factor_grad[:] = 0
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
            kind = KINDS[action]
            factor_grad[kind, 0] += slope * legal.scores[row, index] * PRIOR_SCALES[kind]
            for feature in range(NUM_ACTION_FEATURES):
                value = np.float32(legal.features[row, index, feature]) * _UNIT
                factor_grad[kind, 1 + feature] += slope * value
            weight, weight_grad = head.weight[action], head_grad.weight[action]
            for unit in range(hidden.shape[1]):
                hidden_grad[row, unit] += slope * weight[unit]
            for unit in range(hidden.shape[1]):
                weight_grad[unit] += slope * hidden[row, unit]
        _factors_backward(hidden[row], head, factor_grad, hidden_grad[row], head_grad)


@quick_kernel
def _factors_backward(
    hidden: Any, head: Head, factor_grad: Any, hidden_grad: Any, head_grad: Head
) -> None:
    """Gradients of `write_factors` for all kinds of a row; the last two are added to."""
    for kind in range(NUM_KINDS):
        for index in range(NUM_FACTORS):
            slope = factor_grad[kind, index]
            if slope == 0:
                continue
            line = kind * NUM_FACTORS + index
            head_grad.factor_bias[line] += slope
            weight, weight_grad = head.factor_weight[line], head_grad.factor_weight[line]
            for unit in range(hidden.shape[0]):
                hidden_grad[unit] += slope * weight[unit]
            for unit in range(hidden.shape[0]):
                weight_grad[unit] += slope * hidden[unit]


def zero_head(hidden: int) -> Head:
    """A head of zeros, for gradients."""
    return Head(
        np.zeros((NUM_ACTIONS, hidden), np.float32),
        np.zeros(NUM_ACTIONS, np.float32),
        np.zeros((NUM_KINDS * NUM_FACTORS, hidden), np.float32),
        np.zeros(NUM_KINDS * NUM_FACTORS, np.float32),
    )


def chunks(rows: int, parts: int) -> list[slice]:
    """The rows 0 to `rows - 1` in so many parts of about the same size."""
    bounds = [rows * part // parts for part in range(parts + 1)]
    return [slice(first, last) for first, last in pairwise(bounds)]
