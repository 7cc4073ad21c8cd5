"""The largest numbers of melds, cards and decisions that random deals reach.

    python -m benchmarks.slots --deals 2000000

The action space has room for every meld that a deck can make (`burraco_env/state.py` proves it);
this says how far from those bounds play stays. Deals are spread evenly over all presets and seat
counts.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np

from burraco_env.actions import NUM_ACTIONS
from burraco_env.engine import apply, deal, legal
from burraco_env.generator import generator_states, next_below
from burraco_env.rules import Rules, seat_counts
from burraco_env.state import MAX_RUNS, MAX_SETS, new_games

NAMES = (
    "runs of a suit",
    "sets of a rank",
    "legal decisions",
    "cards in a hand",
    "decisions of a deal",
)
BOUNDS = (str(MAX_RUNS), str(MAX_SETS), str(NUM_ACTIONS), "", "")


@numba.njit(parallel=True)
def largest(games: Any, deals: int, ids: Any, out: Any) -> None:
    """Play random deals in each game; keep the largest numbers in `out`, int64[games, 5]."""
    for b in numba.prange(games.shape[0]):
        game = games[b]
        for _ in range(deals):
            deal(game, -1)
            decisions = 0
            count = legal(game, ids[b])
            while count > 0:
                apply(game, np.int64(ids[b, next_below(game, count)]))
                decisions += 1
                seat = game["seat"]
                out[b, 3] = max(out[b, 3], game["hand_sizes"][seat])
                count = legal(game, ids[b])
                out[b, 2] = max(out[b, 2], count)
            out[b, 4] = max(out[b, 4], decisions)
            for side in range(game["num_sides"]):
                for suit in range(4):
                    out[b, 0] = max(out[b, 0], game["num_runs"][side, suit])
                for rank in range(13):
                    out[b, 1] = max(out[b, 1], game["num_sets"][side, rank])


def measure(deals: int, seed: int) -> dict[str, list[int]]:
    """The largest numbers by game, in the order of NAMES, over `deals` deals in all."""
    combos = [(name, seats) for name in Rules.PRESET_NAMES for seats in seat_counts(name)]
    workers = 2
    each = -(-deals // (len(combos) * workers))
    results = {}
    for name, seats in combos:
        games = new_games(Rules.preset(name, seats), workers)
        games["generator"] = generator_states(seed, workers)
        out = np.zeros((workers, len(NAMES)), dtype=np.int64)
        largest(games, each, np.zeros((workers, NUM_ACTIONS), dtype=np.int16), out)
        results[f"{name}, {seats} seats"] = [int(value) for value in out.max(axis=0)]
    return results


@dataclass(frozen=True)
class Args:
    """Play random deals of every preset and seat count and print the largest numbers seen."""

    deals: int = 2_000_000
    """Deals in all."""
    seed: int = 0
    """Seed of the deals and the play."""
    json: Path | None = None
    """File to write the numbers to."""


def table(results: dict[str, list[int]]) -> str:
    """The results as a Markdown table."""
    largest_of_all = [max(column) for column in zip(*results.values(), strict=True)]
    rows = [("game", *NAMES), ("---",) * (len(NAMES) + 1)]
    rows += [(game, *map(str, values)) for game, values in results.items()]
    rows += [("**largest**", *map(str, largest_of_all)), ("bound", *BOUNDS)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def main(args: Args) -> None:
    """Measure, print a Markdown table and write the JSON file."""
    start = time.perf_counter()
    results = measure(args.deals, args.seed)
    print(table(results))
    print(f"\n{args.deals} random deals in {time.perf_counter() - start:.0f} s")
    if args.json:
        args.json.write_text(
            json.dumps({"deals": args.deals, "seed": args.seed, "names": NAMES, "largest": results})
        )


if __name__ == "__main__":
    import tyro

    main(tyro.cli(Args))
