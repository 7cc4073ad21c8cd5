"""The ids of the environments, and their entry in the registries of PettingZoo and Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium

from burraco_env.rules import Rules, seat_counts
from burraco_env.version import ENV_VERSION


def environment_ids() -> dict[str, dict[str, Any]]:
    """Every id with the arguments of `burraco_env.env` that it stands for.

    `burraco/<preset>-vN` has the preset's default number of seats, `burraco/<preset>-<n>p-vN`
    another.
    """
    ids: dict[str, dict[str, Any]] = {}
    for preset in Rules.PRESET_NAMES:
        default, *others = seat_counts(preset)
        ids[f"burraco/{preset}-v{ENV_VERSION}"] = {"preset": preset, "seats": default}
        for seats in others:
            name = f"burraco/{preset}-{seats}p-v{ENV_VERSION}"
            ids[name] = {"preset": preset, "seats": seats}
    return ids


def register_pettingzoo() -> bool:
    """Enter every id that is not there yet; False: this PettingZoo has no registry (1.25, 1.26)."""
    try:
        from pettingzoo import aec_registry, register
    except ImportError:
        return False
    for name, arguments in environment_ids().items():
        if name not in aec_registry:
            register("aec", name, "burraco_env.env:env", kwargs=arguments)
    return True


def register_gymnasium() -> None:
    """Enter every id that is not there yet in Gymnasium's registry, for one game and for many."""
    for name, arguments in environment_ids().items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="burraco_env.gym_env:BurracoEnv",
                vector_entry_point="burraco_env.gym_env:BurracoVectorEnv",
                kwargs=arguments,
            )
