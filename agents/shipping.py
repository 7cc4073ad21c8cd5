"""Makes the network of a run the champion: `python -m agents.shipping RUN`.

Measures it on the test deals and puts its weights, with a card that says so, where the package
keeps them. The test deals are for this alone: choose between runs on the validation deals.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.files import write_whole
from agents.learned import (
    CARD_FILE,
    CHAMPION,
    WEIGHTS_FILE,
    find_weights,
    load_policy,
    load_tensors,
)
from agents.provenance import machine
from agents.runs import meet, summary
from agents.seeds import TEST
from agents.statistics import mean_victory_points
from burraco_env import Rules

OPPONENTS = ("expert", "greedy")


@dataclass(frozen=True)
class Args:
    """Measure a trained network on the test deals and make it the champion."""

    run: Path
    """Run folder, or `last` in one."""
    deals: int = 10_000
    """Duplicate deals against each opponent."""
    workers: int = 2
    """Threads."""


def measure(run: Path, rules: Rules, deals: int, workers: int) -> dict[str, Any]:
    """Points, wins and victory points against the scripted agents, for a card."""
    policy = load_policy(run)
    found: dict[str, dict[str, Any]] = {"points": {}, "ci95": {}, "win_rate": {}}
    found["victory_points"] = {}
    for name in OPPONENTS:
        results = meet(policy, name, rules, TEST.seed, deals, workers)
        seen = summary(results)
        found["points"][name] = round(seen["mean_points"], 2)
        found["ci95"][name] = [round(end, 2) for end in seen["ci95"]]
        found["win_rate"][name] = round(seen["win_rate"], 4)
        found["victory_points"][name] = mean_victory_points(results.differences, rules)
    return {"deals": deals, "seed": TEST.seed, "machine": machine(), **found}


def ship(args: Args) -> Path:
    """Measure and copy; returns the folder of the champion.

    Raises:
        WeightsError: no weights of this project.
        ValueError: a network that was trained on other rules, or for other seats.
    """
    card, tensors = load_tensors(args.run)
    preset, seats = card["config"]["preset"], card["config"]["seats"] or 4
    if preset != "italian" or seats not in (2, 4):
        raise ValueError(
            f"the champion plays italian with 2 or 4 seats; {args.run} was trained on {preset} "
            f"with {seats}"
        )
    card["config"]["out"] = Path(card["config"]["out"]).name  # the folders around are no news
    card["strength"] = measure(args.run, Rules.preset(preset, seats), args.deals, args.workers)
    from safetensors.numpy import save

    folder = find_weights(CHAMPION, seats)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / WEIGHTS_FILE, save(tensors))
    write_whole(folder / CARD_FILE, json.dumps(card, indent=2))
    return folder


def main(args: Args) -> None:
    """Ship, and print what was measured."""
    folder = ship(args)
    card = json.loads((folder / CARD_FILE).read_text(encoding="utf-8"))
    print(json.dumps(card["strength"], indent=2))
    print(f"the champion is in {folder}")


if __name__ == "__main__":
    import tyro

    main(tyro.cli(Args, config=(tyro.conf.PositionalRequiredArgs,)))
