"""What more time buys `search`: `python -m benchmarks.search_time --help`.

A match takes hours where a decision takes a second. So decisions are compared one by one: in
positions from games between two experts, what `search` decides and what `expert` decides are both
played out in the same redraws of the hidden cards, other ones than `search` has seen. Their mean
difference is what a decision gains, in points of the deal, if experts play on. It says how the time
is spent, not how strong the agent is: gains of many decisions do not simply add up.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import tyro

from agents.expert import ExpertAgent
from agents.search import SearchAgent
from agents.seeds import VALIDATE
from agents.statistics import mean_over_deals
from burraco_env import Batch, Rules
from burraco_env.generator import generator_states


@dataclass(frozen=True)
class Args:
    """Measure what a decision of `search` gains over that of `expert`, by simulations."""

    simulations: tuple[int, ...] = (50, 140, 200, 700, 7000)
    """Games played out for a decision."""
    positions: int = 400
    """Positions in which there is a choice."""
    redraws: int = 100
    """Redraws in which the two decisions are compared."""
    seats: int = 4
    """Seats, `italian`."""


Position = tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]


def positions(args: Args) -> Iterator[Position]:
    """Observations and masks, about one in fifty decisions of each deal."""
    batch = Batch(Rules.preset("italian", args.seats), 200, seed=VALIDATE.seed)
    expert, rng = ExpertAgent(), np.random.default_rng(0)
    while not batch.over.all():
        live = np.flatnonzero(~batch.over)
        for row in live[(batch.counts[live] > 1) & (rng.random(len(live)) < 0.02)]:
            yield batch.observations[row].copy(), batch.masks[row].copy()
        states = np.zeros(len(live), dtype=np.uint64)
        batch.step(expert.act(batch.observations[live], batch.masks[live], states), live)


def main(args: Args) -> None:
    """Measure and print, one line for each number of simulations."""
    found = list(positions(args))
    picked = np.random.default_rng(1).permutation(len(found))[: args.positions]
    observations, masks = map(np.stack, zip(*(found[index] for index in picked), strict=True))
    states = generator_states(VALIDATE.seed, len(picked))
    plain = ExpertAgent().act(observations, masks, states.copy())
    referee = SearchAgent()
    print("| simulations | time a decision | other decisions | points gained a decision |")
    print("| ---: | ---: | ---: | ---: |")
    for simulations in args.simulations:
        agent = SearchAgent(simulations=simulations)
        agent.act(observations[:2], masks[:2], states[:2].copy())  # compiles
        start = time.perf_counter()
        actions = agent.act(observations, masks, states.copy())
        each = (time.perf_counter() - start) / len(picked)
        gains = np.zeros(len(picked))
        for index in np.flatnonzero(actions != plain):
            pair = np.array([plain[index], actions[index]])
            leads = referee.leads(
                observations[index], masks[index], pair, np.uint64(index), args.redraws
            )
            gains[index] = (leads[:, 1] - leads[:, 0]).mean()
        mean = mean_over_deals(gains)
        print(
            f"| {simulations:,} | {each * 1000:.0f} ms | {(actions != plain).mean():.0%} "
            f"| {mean.mean:+.1f} ± {mean.interval.half_width:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(tyro.cli(Args))
