"""Matches between agents on duplicate deals: `python evaluate.py --help`."""

from __future__ import annotations

import itertools
import json
import math
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from agents.arena import BEHAVIOUR, Arena, Entrant, Results, joined, meet
from agents.provenance import commit
from agents.registry import make_agent
from agents.statistics import (
    Interval,
    mean_over_deals,
    mean_victory_points,
    ratings,
    win_rate,
    wins,
)
from burraco_env.rules import Rules

ROOT = Path(__file__).parent
FAILED, REFUSED, INTERRUPTED = 1, 2, 130
"""Exit codes."""
PIPED_WIDTH = 110
"""Columns of the tables where they do not go to a terminal."""


@dataclass(frozen=True)
class Args:
    """Play all pairs of agents against each other on duplicate deals.

    The deck of each deal is played once for every assignment of the two agents to the sides, and
    agents draw from generators that belong to the deal and the seat. So an agent against itself
    gets exactly 0, and swapping two names negates their result. The deal is the unit of all
    intervals. Game records and reports are not written yet.
    """

    agents: tyro.conf.Positional[tuple[str, ...]]
    """Two agents or more: names (random, greedy), with options as name:option=value,option=value,
    or paths of run folders or weights."""
    preset: str = "italian"
    """Rules: the name of a preset."""
    seats: int | None = None
    """Seats; the default is the first seat count that the preset allows."""
    deals: int = 2000
    """Deals of each pair, each played in all seatings."""
    seed: int = 0
    """Seed of the deals and of the agents' random choices."""
    until: float | None = None
    """Play on, beyond --deals, until the 95 % interval of the points a deal is this narrow: plus or
    minus so many points."""
    json: Path | None = None
    """File to write all results to."""
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    """Threads. The results do not depend on it."""

    def __post_init__(self) -> None:
        """Refuse what could not be played.

        Raises:
            ValueError: a value out of range, an unknown preset or a seat count it does not have.
        """
        if len(self.agents) < 2:
            raise ValueError(
                f"an evaluation needs two agents or more, not {len(self.agents)}; "
                "name one twice to play it against itself"
            )
        if self.deals < 1:
            raise ValueError(f"deals must be at least 1, not {self.deals}")
        if self.until is not None and not self.until > 0:
            raise ValueError(f"until must be above 0 points, not {self.until}")
        if self.json is not None and not self.json.parent.is_dir():
            raise ValueError(f"{self.json.parent} is no folder to write {self.json.name} to")
        self.arena()

    def arena(self) -> Arena:
        """Where they meet."""
        return Arena(Rules.preset(self.preset, self.seats), self.seed, self.workers)


@dataclass
class Played:
    """The deals that a pair of agents has played so far."""

    pair: tuple[int, int]
    parts: list[Results] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def results(self) -> Results | None:
        """All parts as one; None before the first."""
        return joined(self.parts) if self.parts else None


class Evaluation:
    """A table of matches, as far as it has been played.

    Attributes:
        args: the arguments.
        entrants: the agents.
        rules: the rules.
        played: the matches that have begun, in order.
        interrupted: whether the user broke it off.
    """

    def __init__(self, args: Args) -> None:
        """Make the agents.

        Raises:
            AgentError: an unknown agent or option.
        """
        self.args = args
        self.entrants = [Entrant(text, make_agent(text)) for text in args.agents]
        self._arena = args.arena()
        self.rules = self._arena.rules
        self.played: list[Played] = []
        self.interrupted = False

    def run(self, progress: Progress) -> None:
        """Play all pairs. An interrupt by the user keeps what has been played."""
        try:
            self._arena.warm_up(self.entrants)
            for pair in itertools.combinations(range(len(self.entrants)), 2):
                self._match(Played(pair), progress)
                self._save()
        except KeyboardInterrupt:
            self.interrupted = True
        self._save()

    def _match(self, played: Played, progress: Progress) -> None:
        self.played.append(played)
        first, second = (self.entrants[index] for index in played.pair)
        task = progress.add_task(f"{first.name} v {second.name}", total=self.args.deals, so_far="")
        began = time.perf_counter()
        enough = None if self.args.until is None else self._narrow
        try:
            for part in meet(self._arena, first, second, self.args.deals, enough):
                played.parts.append(part)
                played.seconds = time.perf_counter() - began
                results = joined(played.parts)
                done = len(results)
                mean = mean_over_deals(results.differences.mean(axis=1))
                text = _with_half_width(number(mean.mean), numbers(mean.interval))
                total = max(done, self.args.deals)
                progress.update(task, completed=done, total=total, so_far=text)
        finally:
            progress.update(task, visible=False)

    def _narrow(self, results: Results) -> bool:
        assert self.args.until is not None
        mean = mean_over_deals(results.differences.mean(axis=1))
        return mean.interval.half_width <= self.args.until

    def _save(self) -> None:
        if self.args.json is not None:
            self.args.json.write_text(json.dumps(self.to_json(), indent=2) + "\n")

    @property
    def faults(self) -> list[str]:
        """What agents did wrong, one sentence each."""
        results = [played.results for played in self.played]
        return [str(r.fault) for r in results if r is not None and r.fault is not None]

    def to_json(self) -> dict[str, Any]:
        """All results. What cannot be told, such as the interval of a single deal, is None.

        A match has a `fault` only where an agent failed; its deals end before the one at fault.
        """
        args = self.args
        matches = [(played, played.results) for played in self.played]
        return {
            "preset": args.preset,
            "seats": self.rules.seats,
            "seed": args.seed,
            "commit": commit(),
            "agents": list(args.agents),
            "matches": [self._match_json(p, r) for p, r in matches if r is not None],
            "ratings": self._ratings_json(),
        }

    def _match_json(self, played: Played, results: Results) -> dict[str, Any]:
        mean = mean_over_deals(results.differences.mean(axis=1))
        rate, rate_interval = win_rate(wins(results.differences.mean(axis=1)))
        a, b = (self.entrants[index].name for index in played.pair)
        return {
            "a": a,
            "b": b,
            "deals": len(results),
            "mean_points": number(mean.mean),
            "ci95": numbers(mean.interval),
            "sd": number(mean.sd),
            "win_rate": number(rate),
            "win_rate_ci95": numbers(rate_interval),
            "victory_points": mean_victory_points(results.differences, self.rules),
            "behaviour": {key: behaviour(results, player) for player, key in enumerate("ab")},
            "decisions": int(results.decisions.sum()),
            "seconds": round(played.seconds, 3),
            **({"fault": str(results.fault)} if results.fault else {}),
        }

    def _ratings_json(self) -> list[dict[str, Any]]:
        matches = [
            (*played.pair, wins(results.differences.mean(axis=1)))
            for played in self.played
            if (results := played.results) is not None
        ]
        rated = ratings(len(self.entrants), matches, self.args.seed)
        return [
            {
                "agent": entrant.name,
                "rating": number(rating.rating),
                "ci95": numbers(rating.interval),
            }
            for entrant, rating in zip(self.entrants, rated, strict=True)
        ]


def behaviour(results: Results, player: int) -> dict[str, float | None]:
    """Mean counts a deal and seating of one of the two agents, all its seats together."""
    counts = results.behaviour[:, player]
    means = counts.mean(axis=0) if len(counts) else np.full(len(BEHAVIOUR), math.nan)
    named = dict(zip(BEHAVIOUR, means, strict=True))
    pozzetti = named["pozzetti_in_flight"] + named["pozzetti_by_discard"]
    ordered = {"closings": named.pop("closings"), "pozzetti": pozzetti, **named}
    return {name: number(float(value)) for name, value in ordered.items()}


def number(value: float) -> float | None:
    """The value for JSON, which has no NaN."""
    return None if math.isnan(value) else value


def numbers(interval: Interval) -> list[float | None]:
    """The interval for JSON."""
    return [number(value) for value in interval]


def print_tables(console: Console, evaluation: Evaluation) -> None:
    """Print what the JSON holds."""
    found = evaluation.to_json()
    title = f"{found['preset']}, {found['seats']} seats, seed {found['seed']}: duplicate deals"
    table = Table("a", "b", title=title)
    for name in ("deals", "points a deal", "s.d.", "a wins", "VP", "deals/s"):
        table.add_column(name, justify="right", no_wrap=True)
    for match in found["matches"]:
        rates = [_text(rate, ".1%") for rate in (match["win_rate"], *match["win_rate_ci95"])]
        table.add_row(
            match["a"],
            match["b"],
            f"{match['deals']:,}",
            _with_half_width(match["mean_points"], match["ci95"]),
            _text(match["sd"], ".0f"),
            f"{rates[0]} ({rates[1]} to {rates[2]})",
            _text(match["victory_points"], ".1f"),
            f"{match['deals'] / max(match['seconds'], 1e-9):,.0f}",
        )
    console.print(table)
    for match in found["matches"]:
        _print_behaviour(console, match)
    if len(evaluation.entrants) > 2:
        table = Table("agent", "rating (Elo)", "95 %", title="Bradley-Terry")
        for row in found["ratings"]:
            interval = " to ".join(_text(value, "+.0f") for value in row["ci95"])
            table.add_row(row["agent"], _text(row["rating"], "+.0f"), interval)
        console.print(table)


def _print_behaviour(console: Console, match: dict[str, Any]) -> None:
    table = Table("each deal", title=f"{match['a']} v {match['b']}")
    for key in "ab":
        table.add_column(match[key], justify="right")
    for name in match["behaviour"]["a"]:
        values = [_text(match["behaviour"][key][name], ".2f") for key in "ab"]
        table.add_row(name.replace("_", " "), *values)
    console.print(table)


def _with_half_width(mean: float | None, interval: list[float | None]) -> str:
    """Such as `+12.3 ± 4.5`."""
    low, high = interval
    if low is None or high is None:
        return _text(mean, "+.1f")
    return f"{_text(mean, '+.1f')} ± {(high - low) / 2:.1f}"


def _text(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def main() -> int:
    """Read the command line, play, print; returns the exit code."""
    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    errors = Console(stderr=True, soft_wrap=True)
    try:
        args = tyro.cli(Args)
        evaluation = Evaluation(args)
    except ValueError as error:
        errors.print(f"evaluate.py: {error}", style="red", markup=False, highlight=False)
        return REFUSED
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[so_far]}"),
    )
    with Progress(*columns, console=errors, transient=True) as progress:
        evaluation.run(progress)
    print_tables(console, evaluation)
    for fault in evaluation.faults:
        errors.print(f"evaluate.py: {fault}", style="red", markup=False, highlight=False)
    if evaluation.interrupted:
        errors.print("evaluate.py: interrupted; these are the results so far", style="red")
        return INTERRUPTED
    return FAILED if evaluation.faults else 0


if __name__ == "__main__":
    sys.exit(main())
