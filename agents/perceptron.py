"""Perceptrons for compiled code: the hidden layers of a network, one row at a time."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from burraco_env._jit import F, _compiled, int64

Layer = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]
"""Weight, float32[out, in], and bias, float32[out]."""
Layers = list[Layer]

_AT_ONCE = 4
"""Values that `_add_up` takes together, so that it loads and stores the sums less often."""


class Perceptron(NamedTuple):
    """Layers as kernels take them, however many there are."""

    weights: Any
    """Of all layers, one behind the other, each [in, out]; float32[n]."""
    biases: Any
    """Of all layers, one behind the other; float32[n]."""
    sizes: Any
    """Of the inputs, then of each layer's output; int64[layers + 1]."""
    tanh: bool
    """The activation is tanh, not ReLU."""
    open_end: bool
    """The last layer has no activation."""


class Scratch(NamedTuple):
    """What one thread needs to work out a row."""

    inputs: Any
    """int8[n], room for the inputs of all perceptrons that use it."""
    values: Any
    """Output of the last layer worked out, float32[widest]."""
    kept: Any
    """Values that are not zero, float32[widest]."""
    begins: Any
    """Where the weights of each of them begin, uint64[widest]."""


def perceptron(
    layers: Layers, inputs: int, tanh: bool = False, open_end: bool = False
) -> Perceptron:
    """Put layers in order for kernels.

    Args:
        layers: each takes what the one before gives; none at all gives back the inputs.
        inputs: how many there are.
        tanh: the activation is tanh, not ReLU.
        open_end: the last layer has no activation.
    """
    none = [np.zeros(0, np.float32)]
    weights = [np.ascontiguousarray(weight.T).ravel() for weight, _ in layers]
    return Perceptron(
        np.concatenate(none + weights).astype(np.float32),
        np.concatenate(none + [bias for _, bias in layers]).astype(np.float32),
        np.array([inputs, *(len(bias) for _, bias in layers)], dtype=np.int64),
        tanh,
        open_end,
    )


def connect(layers: Layers, inputs: int, outputs: int) -> bool:
    """Whether the layers lead from so many inputs to so many outputs."""
    sizes = [inputs, *(len(bias) for _, bias in layers)]
    shapes = [(after, before) for before, after in pairwise(sizes)]
    return sizes[-1] == outputs and [weight.shape for weight, _ in layers] == shapes


def new_scratch(*perceptrons: Perceptron) -> Scratch:
    """Room to work out rows of any of these."""
    widest = max(int(net.sizes.max()) for net in perceptrons)
    return Scratch(
        np.zeros(max(int(net.sizes[0]) for net in perceptrons), np.int8),
        np.zeros(widest, np.float32),
        np.zeros(widest, np.float32),
        np.zeros(widest, np.uint64),
    )


def _ordered_kernel(function: F) -> F:
    """Compile a loop whose sums are added up in the order that is written, by fused operations."""
    return _compiled(nogil=True, fastmath={"contract"})(function)


@_ordered_kernel
def forward(net: Perceptron, scratch: Scratch) -> None:
    """Work out `scratch.inputs`, and write the output of the last layer to `scratch.values`.

    Most inputs and half of all units are zero; their weights are not looked at.
    """
    values, kept, begins = scratch.values, scratch.kept, scratch.begins
    for unit in range(net.sizes[0]):
        values[unit] = scratch.inputs[unit]
    layers = net.sizes.shape[0] - 1
    first = bias = 0
    for layer in range(layers):
        before, width = net.sizes[layer], net.sizes[layer + 1]
        count = 0
        for unit in range(before):
            kept[count] = values[unit]
            begins[count] = first + unit * width
            count += int64(values[unit] != 0)
        sums = values[:width]
        for unit in range(width):
            sums[unit] = net.biases[bias + unit]
        _add_up(net.weights, kept, begins, count, sums)
        if layer + 1 < layers or not net.open_end:
            for unit in range(width):
                sums[unit] = np.tanh(sums[unit]) if net.tanh else max(sums[unit], np.float32(0))
        first += before * width
        bias += width


@_ordered_kernel
def _add_up(weights: Any, kept: Any, begins: Any, count: int, sums: Any) -> None:
    """Add the weights that begin there, times the values kept, to the sums.

    Unsigned indices cannot be meant from the end, so the inner loops become vectors.
    """
    width = sums.shape[0]
    whole = count - count % _AT_ONCE
    for at in range(0, whole, _AT_ONCE):
        a, b, c, d = begins[at], begins[at + 1], begins[at + 2], begins[at + 3]
        v, w, x, y = kept[at], kept[at + 1], kept[at + 2], kept[at + 3]
        for other in range(width):
            unit = np.uint64(other)
            total = sums[unit] + v * weights[a + unit]
            total += w * weights[b + unit]
            total += x * weights[c + unit]
            total += y * weights[d + unit]
            sums[unit] = total
    for at in range(whole, count):
        a, v = begins[at], kept[at]
        for other in range(width):
            unit = np.uint64(other)
            sums[unit] += v * weights[a + unit]
