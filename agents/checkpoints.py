"""Files from which a training run goes on: one safetensors file, never half written.

Arrays are tensors, everything else is JSON in the file's header. Nothing is ever unpickled.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.files import write_whole

CHECKPOINT_FILE = "checkpoint.safetensors"
FORMAT = "burraco-checkpoint/1"
_HEADER = "burraco"

Arrays = dict[str, npt.NDArray[Any]]


class CheckpointError(ValueError):
    """A file from which no run can go on. Says why."""


def save_checkpoint(folder: Path, layout: str, arrays: Arrays, state: dict[str, Any]) -> None:
    """Write a checkpoint; the one before stays until this one is whole.

    Args:
        folder: the run folder.
        layout: hash of the layouts that the arrays depend on.
        arrays: arrays of numbers.
        state: anything that JSON can hold.
    """
    from safetensors.numpy import save

    header = {_HEADER: json.dumps({"format": FORMAT, "layout": layout, "state": state})}
    packed = {name: np.array(array, order="C") for name, array in arrays.items()}
    write_whole(folder / CHECKPOINT_FILE, save(packed, metadata=header))


def load_checkpoint(folder: Path, layout: str) -> tuple[Arrays, dict[str, Any]]:
    """The arrays and the state of a run folder.

    Raises:
        CheckpointError: there is none, it is damaged or something else, or of another layout.
    """
    from safetensors import SafetensorError, safe_open

    path = folder / CHECKPOINT_FILE
    if not path.is_file():
        raise CheckpointError(f"{folder} is no run folder with {CHECKPOINT_FILE}")
    try:
        with safe_open(path, "numpy") as file:
            header = (file.metadata() or {}).get(_HEADER)
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{path} is no whole checkpoint: {error}") from error
    found = json.loads(header) if header else {}
    if found.get("format") != FORMAT:
        raise CheckpointError(f"{path} is no checkpoint of the format {FORMAT!r}")
    if found["layout"] != layout:
        raise CheckpointError(
            f"{path} is for the layout {found['layout']}, and this is {layout}: actions, "
            "observations, features or games have changed since; train anew"
        )
    return arrays, found["state"]


def as_bytes(records: npt.NDArray[np.void]) -> npt.NDArray[np.uint8]:
    """Records as an array of bytes, uint8[n, size]."""
    return np.ascontiguousarray(records).view(np.uint8).reshape(len(records), -1)


def as_records(array: npt.NDArray[np.uint8], dtype: np.dtype[Any]) -> npt.NDArray[np.void]:
    """Inverse of `as_bytes`.

    Raises:
        CheckpointError: bytes of records of another size.
    """
    if array.shape[1:] != (dtype.itemsize,):
        raise CheckpointError(
            f"records of {array.shape[1:]} bytes cannot be read as {dtype.itemsize} bytes each"
        )
    return np.ascontiguousarray(array).view(dtype).reshape(len(array))
