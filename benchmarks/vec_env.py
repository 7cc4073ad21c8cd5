"""Decisions a second of the Stable-Baselines3 `VecEnv`: `python -m benchmarks.vec_env --help`.

Masks and observations are written for every decision. The learner holds one side, random agents the
other; all play at random. The time of choosing the learner's actions is not counted, that of the
agents' is, since they act inside the step.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np

from burraco_env.agent import RandomAgent
from burraco_env.sb3 import BurracoVecEnv


@dataclass(frozen=True)
class Args:
    """Measure `BurracoVecEnv.step` with random actions."""

    preset: str = "italian"
    """Rules."""
    games: int = 1024
    """Games at once."""
    steps: int = 200
    """Steps of one repeat."""
    repeats: int = 7
    """Repeats; the best one counts."""
    json: Path | None = None
    """File to write the figures to."""


def measure(args: Args, threads: int) -> tuple[float, float]:
    """The learner's decisions a second, and those of all seats."""
    numba.set_num_threads(threads)
    env = BurracoVecEnv(args.games, args.preset, seed=0, learn_side=True)
    env.reset()
    learner, rng = RandomAgent(), np.arange(args.games, dtype=np.uint64)
    best = (0.0, 0.0)
    for _ in range(args.repeats):
        elapsed, before = 0.0, env.table.decisions
        for _ in range(args.steps):
            actions = learner.act(env.table.batch.observations, env.table.batch.masks, rng)
            start = time.perf_counter()
            env.step(actions)
            elapsed += time.perf_counter() - start
        own = args.games * args.steps / elapsed
        best = max(best, (own, (env.table.decisions - before) / elapsed))
    return best


def main(args: Args) -> None:
    """Measure on one thread and on all, print, write the JSON file."""
    figures: dict[str, float] = {}
    for threads in (1, numba.config.NUMBA_NUM_THREADS):
        own, everyone = measure(args, threads)
        figures[f"learner_decisions_per_s_{threads}_threads"] = own
        figures[f"decisions_per_s_{threads}_threads"] = everyone
        print(f"{threads} threads: {everyone:,.0f} decisions a second, {own:,.0f} of the learner")
    if args.json:
        args.json.write_text(json.dumps({"games": args.games, **figures}, indent=2), "utf-8")


if __name__ == "__main__":
    try:
        import tyro
    except ImportError as error:
        sys.exit(f"{error}; install it with: make bench")
    main(tyro.cli(Args))
