"""Tunes the parameters of `expert` by the cross-entropy method: `python -m agents.tuning --help`.

Each generation draws sets of parameters around the present ones and plays all of them on the same
duplicate deals against `greedy` and against the expert so far, the better half of them on more
deals. The best ones say where the next generation is drawn. A generation plays new deals of the set
`tune`; at the end the result is confirmed on the set `validate` (`agents.seeds`).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tyro
from rich.console import Console

from agents.arena import dealt, seatings
from agents.files import append_line
from agents.parameters import NUM_PARAMETERS, UNTUNED, tuned, write_tuned
from agents.rollout import GREEDY, new_desk, play_out, write_leads
from agents.seeds import TUNE, VALIDATE
from agents.statistics import Mean, mean_over_deals
from burraco_env._jit import row_kernel
from burraco_env.rules import Rules

Values = npt.NDArray[np.float64]
_SCREENED = 3
"""Each set plays one of so many parts of the deals; the better half the others too."""


@dataclass(frozen=True)
class Args:
    """Tune the parameters of `expert` and write them to agents/expert.json."""

    games: tuple[str, ...] = ("italian:4",)
    """What to tune on, preset:seats, all with two seats or all with more. A generation plays the
    first one and, where there are others, one of them in turn."""
    minutes: float = 10.0
    """Time to tune for; 0 only confirms."""
    population: int = 32
    """Sets of parameters of a generation."""
    elite: int = 8
    """The best of them, from which the next generation is drawn."""
    deals: int = 600
    """Duplicate deals of a set, against each opponent and in each game."""
    greedy_share: float = 0.5
    """Weight of the points against `greedy`; the rest is against the expert so far."""
    spread: float = 0.25
    """Standard deviation of the first generation, as a part of each value's size."""
    floor: float = 0.05
    """The same, below which it does not fall."""
    smoothing: float = 0.7
    """How much of mean and spread a generation renews."""
    seed: int = 0
    """Seed of the draws."""
    first_deal: int = 0
    """First deal that is used."""
    confirm: int = 4000
    """Duplicate deals on which the result is confirmed."""
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    """Threads."""
    log: Path | None = None
    """File to append a line of JSON to for each generation."""

    def __post_init__(self) -> None:
        """Refuse what could not be tuned.

        Raises:
            ValueError: a value out of range, no such game, or games with two and with more seats.
        """
        for name, least in (("population", 2), ("elite", 2), ("deals", _SCREENED), ("confirm", 2),
                            ("workers", 1), ("minutes", 0), ("first_deal", 0)):  # fmt: skip
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}, not {getattr(self, name)}")
        if self.elite > self.population:
            raise ValueError(f"elite must be at most the population, not {self.elite}")
        if not 0 <= self.greedy_share <= 1:
            raise ValueError(f"greedy_share must be from 0 to 1, not {self.greedy_share}")
        if len({rules.seats > 2 for rules in self.rules}) != 1:
            raise ValueError("games must all have two seats, or all have more")

    @property
    def rules(self) -> list[Rules]:
        """The rules of the games."""
        found = []
        for text in self.games:
            preset, _, seats = text.partition(":")
            if seats and not seats.isdecimal():
                raise ValueError(f"games are written preset:seats, such as italian:4, not {text!r}")
            found.append(Rules.preset(preset, int(seats) if seats else None))
        return found


@row_kernel
def _play(games: Any, mine: Any, policies: Any, parameters: Any, room: Any, desk: Any) -> Any:
    """Play each game to its end in every seating, as the arena does.

    `mine`: bool[seatings, seats]. Returns the mean points of the seats that are mine less those of
    the others, mean over the seatings, float64[games].
    """
    differences = np.zeros(games.shape[0])
    for index in range(games.shape[0]):
        for seating in range(mine.shape[0]):
            room[0] = games[index]
            play_out(room[0], policies[seating], parameters, desk[0])
            write_leads(room[0], desk[0])
            own = mine[seating].sum()
            for seat in range(mine.shape[1]):
                points = desk[0]["points"][seat]
                if mine[seating, seat]:
                    differences[index] += points / own
                else:
                    differences[index] -= points / (mine.shape[1] - own)
    return differences / mine.shape[0]


def differences(games: npt.NDArray[np.void], mine: Values, other: Values | None) -> Values:
    """Points a deal of an expert with the parameters `mine` against `other`, float64[deals].

    Args:
        games: dealt games, `GAME_DTYPE`[deals].
        mine: float64[2, NUM_PARAMETERS].
        other: the same; None: `greedy`.
    """
    first = seatings(int(games["rules"]["seats"][0])) == 0
    policies = np.where(first, 0, GREEDY if other is None else 1)
    parameters = np.stack([mine, mine if other is None else other])
    found: Values = _play(games, first, policies, parameters, games[:1].copy(), new_desk())
    return found


class Tuner:
    """The state of a tuning run.

    Attributes:
        values: the parameters so far, float64[2, NUM_PARAMETERS].
    """

    def __init__(self, args: Args, pool: ThreadPoolExecutor) -> None:
        """Begin at the parameters that `expert` plays with."""
        self.rules = args.rules
        self.values = tuned()
        self._row = int(self.rules[0].seats > 2)
        self._args, self._pool = args, pool
        self._mean = self.values[self._row].copy()
        self._scale = np.maximum(np.abs(UNTUNED), np.abs(self._mean))
        self._scale = np.maximum(self._scale, np.where(np.abs(UNTUNED) >= 1, 2.0, 0.1))
        self._spread = args.spread * self._scale
        self._rng = np.random.default_rng(args.seed)
        self._next_deal = args.first_deal

    def generations(self) -> Iterator[dict[str, Any]]:
        """Go on for ever; yields what each generation came to."""
        args = self._args
        number = 0
        while True:
            noise = self._rng.standard_normal((args.population, NUM_PARAMETERS))
            drawn = self._mean + self._spread * noise
            drawn[0] = self._mean
            present, best = self._select(drawn, number)
            new, old = args.smoothing, 1 - args.smoothing
            self._mean = old * self._mean + new * best.mean(axis=0)
            self._spread = old * self._spread + new * best.std(axis=0, ddof=1)
            self._spread = np.maximum(self._spread, args.floor * self._scale)
            self.values[self._row] = self._mean
            number += 1
            yield {
                "generation": number,
                "next_deal": self._next_deal,
                "v_greedy": [round(points, 1) for points in present],
                "spread": round(float((self._spread / self._scale).mean()), 3),
            }

    def _select(self, drawn: Values, number: int) -> tuple[list[float], Values]:
        """Points of the first set against `greedy` in each game, and the elite."""
        args = self._args
        rules = [self.rules[0]]
        if len(self.rules) > 1:
            rules.append(self.rules[1 + number % (len(self.rules) - 1)])
        games = [dealt(each, TUNE.seed, self._next_deal, args.deals) for each in rules]
        self._next_deal += args.deals
        cut = args.deals // _SCREENED
        fitness, present = self._fitness([each[:cut] for each in games], drawn)
        half = np.argsort(-fitness, kind="stable")[: max(args.elite, len(drawn) // 2)]
        more, _ = self._fitness([each[cut:] for each in games], drawn[half])
        total = (fitness[half] + (_SCREENED - 1) * more) / _SCREENED
        return present, drawn[half[np.argsort(-total, kind="stable")[: args.elite]]]

    def _fitness(
        self, games: list[npt.NDArray[np.void]], drawn: Values
    ) -> tuple[Values, list[float]]:
        """Fitness of each set, and the points of the first one against `greedy`, game by game."""
        share = self._args.greedy_share
        fitness = np.zeros(len(drawn))
        present = []
        for each in games:
            for other, weight in ((None, share), (self.values, 1 - share)):
                tasks = [
                    self._pool.submit(differences, each, self._table(candidate), other)
                    for candidate in drawn
                ]
                points = np.array([task.result().mean() for task in tasks])
                fitness += weight * points / len(games)
                if other is None:
                    present.append(float(points[0]))
        return fitness, present

    def _table(self, row: Values) -> Values:
        table = self.values.copy()
        table[self._row] = row
        return table

    def confirm(self, rules: Rules, other: Values | None) -> Mean:
        """Points a deal of the values so far on deals that were not tuned on."""
        games = dealt(rules, VALIDATE.seed, 0, self._args.confirm)
        parts = np.array_split(games, min(4 * self._args.workers, len(games)))
        tasks = [self._pool.submit(differences, part, self.values, other) for part in parts]
        return mean_over_deals(np.concatenate([task.result() for task in tasks]))


def tune(args: Args, console: Console) -> None:
    """Tune, write the values after each generation, and confirm them at the end."""
    before = tuned()
    with ThreadPoolExecutor(args.workers) as pool:
        tuner = Tuner(args, pool)
        end = time.monotonic() + args.minutes * 60
        generations = tuner.generations()
        while time.monotonic() < end:
            line = next(generations)
            console.print(json.dumps(line), highlight=False, soft_wrap=True)
            if args.log is not None:
                append_line(args.log, line)
            write_tuned(tuner.values)
        for rules, name in zip(tuner.rules, args.games, strict=True):
            for other, whom in ((None, "greedy"), (before, "the expert before")):
                mean = tuner.confirm(rules, other)
                console.print(
                    f"{name}: {mean.mean:+.1f} ± {mean.interval.half_width:.1f} v {whom}",
                    highlight=False,
                )


if __name__ == "__main__":
    tune(tyro.cli(Args), Console())
