"""Games a second between rule agents, ours and RLCard's: `python -m benchmarks.matches --help`.

Ours: duplicate deals of two scripted agents through the arena, as `evaluate.py` plays them. RLCard:
games of its gin rummy between two of its rule agents.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from agents.arena import Arena, Entrant, joined
from agents.registry import make_agent
from benchmarks.peers import per_second
from burraco_env import Rules


@dataclass(frozen=True)
class Args:
    """Measure a match of scripted agents, and RLCard's gin rummy between rule agents."""

    first: str = "expert"
    """One agent."""
    second: str = "greedy"
    """The other."""
    deals: int = 10_000
    """Duplicate deals, italian with four seats; each is two games."""
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    """Threads of the arena."""
    peer_seconds: float = 10.0
    """How long RLCard is measured; it plays on one thread."""
    json: Path | None = None
    """File to write the figures to."""


def rlcard_rule_games(seconds: float) -> float:
    """Games a second of RLCard's `gin-rummy` between two of its rule agents.

    Raises:
        ImportError: RLCard is not installed.
    """
    import rlcard
    from rlcard import models

    env = rlcard.make("gin-rummy", config={"seed": 0})
    env.set_agents(models.load("gin-rummy-novice-rule").agents)

    def play_game() -> int:
        env.run(is_training=False)
        return 1

    return per_second(play_game, seconds)


def main(args: Args) -> None:
    """Measure, print, write the JSON file."""
    arena = Arena(Rules.preset("italian", 4), seed=0, workers=args.workers)
    entrants = [Entrant(name, make_agent(name)) for name in (args.first, args.second)]
    arena.warm_up(entrants)
    start = time.perf_counter()
    results = joined(list(arena.play(*entrants, deals=args.deals)))
    seconds = time.perf_counter() - start
    ours = 2 * args.deals / seconds
    print(
        f"{args.first} v {args.second}: {args.deals:,} duplicate deals, {2 * args.deals:,} games, "
        f"{results.decisions.sum():,} decisions in {seconds:.1f} s on {args.workers} threads: "
        f"{ours:,.0f} games a second"
    )
    theirs = rlcard_rule_games(args.peer_seconds)
    print(
        f"RLCard gin-rummy, novice rule agents: {theirs:,.1f} games a second on one thread; "
        f"as many games would take {2 * args.deals / theirs:,.0f} s: "
        f"{ours / theirs:,.0f} times as long"
    )
    if args.json:
        figures = {"seconds": seconds, "games_per_s": ours, "rlcard_games_per_s": theirs}
        args.json.write_text(json.dumps(figures, indent=2), encoding="utf-8")


if __name__ == "__main__":
    try:
        import tyro

        main(tyro.cli(Args))
    except ImportError as error:
        sys.exit(f"{error}; install it with: make bench")
