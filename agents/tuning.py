"""Tunes the parameters of `expert` by the cross-entropy method: `python -m agents.tuning --help`.

Each generation draws sets of parameters around the present ones and plays each of them on the same
duplicate deals against `greedy` and against the present expert; the best ones say where the next
generation is drawn. Deals come from the tuning seeds of `agents.seeds`, new ones each generation.
"""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tyro
from rich.console import Console

from agents.arena import seatings
from agents.parameters import NUM_PARAMETERS, PARAMETERS, tuned, write_tuned
from agents.rollout import GREEDY, lead, new_desk, play_out
from burraco_env._jit import int64, row_kernel
from burraco_env.engine import deal
from burraco_env.generator import generator_states
from burraco_env.rules import MAX_SEATS, Rules
from burraco_env.state import new_games

Values = npt.NDArray[np.float64]

@dataclass(frozen=True)
class Args:
    """Tune the parameters of `expert` and write them to agents/expert.json."""

    games: tuple[str, ...] = ("italian:4",)
    """Games to tune on, preset:seats; all with two seats or all with more. Each generation plays the
    first one and one of the others in turn."""
    minutes: float = 10.0
    """Time to tune for."""
    population: int = 32
    """Sets of parameters of a generation."""
    elite: int = 8
    """The best of them, from which the next generation is drawn."""
    deals: int = 600
    """Duplicate deals of each set against each opponent."""
    greedy_share: float = 0.5
    """Weight of the points against `greedy`; the rest is against the expert so far."""
    spread: float = 0.3
    """Standard deviation at the beginning, as a part of each value's size."""
    smoothing: float = 0.7
    """How much of the mean and the spread a generation renews."""
    seed: int = 0
    """Seed of the draws."""
    first_deal: int = 0
    """First deal of the tuning seed that is used."""
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    """Threads."""
    log: Path | None = None
    """File to append a line of JSON to for each generation."""


TUNING_SEED = 2_000_003


@row_kernel
def _play(
    games: Any, twins: Any, policies: Any, parameters: Any, desk: Any, differences: Any
) -> None:
    """Play the dealt games to the end in every seating; fill in differences[deals]."""
    for index in range(games.shape[0]):
        total = 0.0
        for seating in range(policies.shape[0]):
            twins[0] = games[index]
            play_out(twins[0], policies[seating, 0], parameters, desk[0])
            mine, others, count = 0.0, 0.0, int64(0)
            for seat in range(policies.shape[2]):
                points = lead(twins[0], seat, desk[0])
                if policies[seating, 1, seat] == 1:
                    mine += points
                    count += 1
                else:
                    others += points
            rest = policies.shape[2] - count
            total += (mine / count - others / rest) / 2
        differences[index] = total / policies.shape[0]


@row_kernel
def _deal_all(games: Any) -> None:
    for index in range(games.shape[0]):
        deal(games[index], int64(-1))


def dealt(rules: Rules, first: int, count: int) -> npt.NDArray[np.void]:
    """The deals `first` to `first + count - 1` of the tuning seed."""
    games = new_games(rules, count)
    games["generator"] = generator_states(TUNING_SEED, count, first=first)
    _deal_all(games)
    return games


def difference(
    games: npt.NDArray[np.void], seats: int, mine: Values, other: Values | None
) -> float:
    """Mean points of an expert with the parameters `mine` against `other` (None: `greedy`)."""
    assigned = seatings(seats)
    policies = np.zeros((len(assigned), 2, seats), dtype=np.int64)
    policies[:, 0] = np.where(assigned == 0, 0, GREEDY if other is None else 1)
    policies[:, 1] = assigned == 0
    parameters = np.stack([mine, mine if other is None else other])
    differences = np.zeros(len(games))
    _play(games, games[:1].copy(), policies, parameters, new_desk(), differences)
    return float(differences.mean())


def tune(args: Args, console: Console) -> Values:
    """Tune; returns the parameters, float64[2, NUM_PARAMETERS]."""
    tables = []
    for text in args.games:
        preset, _, seats = text.partition(":")
        tables.append(Rules.preset(preset, int(seats)))
    row = 0 if tables[0].seats == 2 else 1
    values = tuned()
    mean = values[row].copy()
    size = np.maximum(np.abs(np.array([value for _, value, _ in PARAMETERS])), np.abs(mean))
    spread = args.spread * np.maximum(size, 0.2 * np.where(size > 1.5, size, 1.0)) + 0.02
    rng = np.random.default_rng(args.seed)
    end = time.monotonic() + args.minutes * 60
    at, generation = args.first_deal, 0
    with ThreadPoolExecutor(args.workers) as pool:
        while time.monotonic() < end:
            drawn = mean + spread * rng.standard_normal((args.population, NUM_PARAMETERS))
            drawn[0] = mean
            fitness = np.zeros(args.population)
            parts = []
            chosen = [tables[0]]
            if len(tables) > 1:
                chosen.append(tables[1 + generation % (len(tables) - 1)])
            now = values.copy()
            now[row] = mean
            for rules in chosen:
                games = dealt(rules, at, args.deals // len(chosen))
                for other, share in ((None, args.greedy_share), (now, 1 - args.greedy_share)):
                    if share == 0:
                        continue
                    tasks = []
                    for candidate in drawn:
                        trial = values.copy()
                        trial[row] = candidate
                        tasks.append(pool.submit(difference, games, rules.seats, trial, other))
                    found = np.array([task.result() for task in tasks])
                    parts.append(found[0])
                    fitness += share * found / len(chosen)
            at += args.deals
            best = drawn[np.argsort(-fitness)[: args.elite]]
            mean = (1 - args.smoothing) * mean + args.smoothing * best.mean(axis=0)
            spread = (1 - args.smoothing) * spread + args.smoothing * best.std(axis=0)
            generation += 1
            line = {
                "generation": generation, "deals": at, "mean": [round(float(x), 1) for x in parts],
                "fitness": round(float(np.sort(fitness)[-args.elite:].mean()), 1),
                "spread": round(float((spread / size.clip(0.1)).mean()), 4),
            }  # fmt: skip
            console.print(json.dumps(line), highlight=False, soft_wrap=True)
            if args.log is not None:
                with args.log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
            values[row] = mean
            write_tuned(values)
    return values


if __name__ == "__main__":
    console = Console()
    tune(tyro.cli(Args), console)
