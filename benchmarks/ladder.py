"""The scripted agents against each other in every game: `python -m benchmarks.ladder --help`.

Prints a Markdown table of points a deal with 95 % intervals, on duplicate deals of the test set.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from itertools import pairwise

import tyro

from agents.arena import Arena, Entrant, joined
from agents.formatting import with_half_width
from agents.registry import make_agent
from agents.seeds import TEST
from agents.statistics import mean_over_deals
from burraco_env import Rules
from burraco_env.rules import seat_counts


@dataclass(frozen=True)
class Args:
    """Play each agent against the next one of the ladder, in every preset and seat count."""

    ladder: tuple[str, ...] = ("expert", "greedy", "random")
    """The agents, the strongest first."""
    deals: int = 1000
    """Duplicate deals of each match, of the test set."""
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    """Threads."""


def main(args: Args) -> None:
    """Play and print."""
    entrants = [Entrant(name, make_agent(name)) for name in args.ladder]
    pairs = list(pairwise(entrants))
    print("| preset | seats |" + "".join(f" {a.name} v {b.name} |" for a, b in pairs))
    print("| --- | ---: |" + " ---: |" * len(pairs))
    unclear = 0
    for preset in Rules.PRESET_NAMES:
        for seats in seat_counts(preset):
            arena = Arena(Rules.preset(preset, seats), TEST.seed, args.workers)
            cells = []
            for first, second in pairs:
                results = joined(list(arena.play(first, second, args.deals)))
                mean = mean_over_deals(results.differences.mean(axis=1))
                unclear += int(not mean.interval.low > 0)
                cells.append(with_half_width(mean.mean, list(mean.interval)))
            print(f"| `{preset}` | {seats} | {' | '.join(cells)} |", flush=True)
    print(f"\n{unclear} of the intervals do not lie above 0.")


if __name__ == "__main__":
    main(tyro.cli(Args))
