"""What duplicate deals say: means with intervals, win rates, Victory Points, ratings.

The deal is the unit: its value is the mean over its seatings, and intervals are over deals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from burraco_env.rules import Rules
from burraco_env.scoring import victory_points

CONFIDENCE = 0.95
Values = npt.NDArray[np.float64]


class Interval(NamedTuple):
    """A 95 % interval."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half its width."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Mean:
    """A mean over deals.

    Attributes:
        mean: the mean; NaN without a deal.
        interval: its interval by Student's t; NaN with fewer than two deals.
        sd: standard deviation of one deal; NaN with fewer than two deals.
    """

    mean: float
    interval: Interval
    sd: float


def mean_over_deals(values: Values) -> Mean:
    """Mean of one value a deal, float64[deals], with its interval."""
    from scipy import stats

    count = len(values)
    mean = float(values.mean()) if count else math.nan
    if count < 2:
        return Mean(mean, Interval(math.nan, math.nan), math.nan)
    sd = float(values.std(ddof=1))
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, count - 1)) * sd / math.sqrt(count)
    return Mean(mean, Interval(mean - half, mean + half), sd)


POWER = 0.8
"""Chance to tell a difference that is there, by which deals are counted out."""


def deals_needed(sd: float, points: float) -> int | None:
    """Deals after which a difference of so many points a deal is told from 0.

    That is: with a chance of 80 %, at the two-sided level of 5 %, by the normal approximation.

    Args:
        sd: standard deviation of one deal.
        points: the difference, above 0.

    Returns:
        None: the deviation is unknown or 0.
    """
    from scipy import stats

    if not sd > 0:
        return None
    quantiles = stats.norm.ppf((1 + CONFIDENCE) / 2) + stats.norm.ppf(POWER)
    return max(2, math.ceil((float(quantiles) * sd / points) ** 2))


def variance_reduction(differences: Values) -> float:
    """How many times the games duplicate deals save.

    It is the variance that the mean of as many independent games would have, each seating as often
    as here, divided by that of the mean over the seatings of one deck.

    Args:
        differences: float64[deals, seatings].

    Returns:
        NaN: fewer than two deals, or a deal whose mean never varies (an agent against itself).
    """
    if len(differences) < 2:
        return math.nan
    independent = float(differences.var(axis=0, ddof=1).mean()) / differences.shape[1]
    duplicate = float(differences.mean(axis=1).var(ddof=1))
    return independent / duplicate if duplicate else math.nan


def running_mean(values: Values, points: int = 200) -> tuple[Values, Values, Values]:
    """The mean of the first deals and the half-width of its interval, for ever more deals.

    Args:
        values: one value a deal, float64[deals].
        points: at how many numbers of deals, at most; they are evenly spread.

    Returns:
        Numbers of deals from 2 on, means and half-widths, each float64[n]; empty with fewer than
        two deals.
    """
    from scipy import stats

    counts = np.unique(np.linspace(2, len(values), points).astype(np.int64))
    counts = counts[(counts >= 2) & (counts <= len(values))]
    centred = values - values[:1]  # the squares of large sums would cost digits
    sums, squares = centred.cumsum()[counts - 1], (centred**2).cumsum()[counts - 1]
    spread = np.sqrt(np.maximum(0.0, squares - sums**2 / counts) / (counts - 1))
    halves = stats.t.ppf((1 + CONFIDENCE) / 2, counts - 1) * spread / np.sqrt(counts)
    return counts.astype(np.float64), sums / counts + values[:1], halves


def wins(differences: Values) -> Values:
    """1 for a positive, 1/2 for no and 0 for a negative difference, of the same shape."""
    return (np.sign(differences) + 1) / 2


def win_rate(won: Values) -> tuple[float, Interval]:
    """Rate of `wins`, float64[deals], with its interval by Wilson.

    A tie counts as half a win and half a loss, as if it were a toss of a coin; so with ties the
    interval is on the safe side. NaN without a deal.
    """
    from scipy import stats

    count = len(won)
    if not count:
        return math.nan, Interval(math.nan, math.nan)
    rate = float(won.mean())
    z = float(stats.norm.ppf((1 + CONFIDENCE) / 2))
    scale = 1 + z * z / count
    half = z / scale * math.sqrt(rate * (1 - rate) / count + z * z / (4 * count * count))
    offset = (rate - 0.5) / scale  # from one half, so that swapping the sides mirrors it exactly
    return rate, Interval(max(0.0, 0.5 + offset - half), min(1.0, 0.5 + offset + half))


def mean_victory_points(differences: Values, rules: Rules) -> float | None:
    """Victory Points a match of the first agent, of 20.

    Deals that follow one another make a match, one for each seating; deals behind the last whole
    match are left out.

    Args:
        differences: float64[deals, seatings].
        rules: the rules.

    Returns:
        None: the rules score no Victory Points, or there is no whole match.
    """
    deals = rules.match_deals
    if not rules.victory_points or deals is None or len(differences) < deals:
        return None
    whole = differences[: len(differences) // deals * deals]
    totals = whole.reshape(-1, deals, whole.shape[1]).sum(axis=1)
    return float(np.mean([victory_points(total, deals)[0] for total in totals.flat]))


@dataclass(frozen=True)
class Rating:
    """Strength of an agent in Elo points, relative to the mean of the table; NaN: not played."""

    rating: float
    interval: Interval


ELO = 400 / math.log(10)
RESAMPLES = 200


def ratings(agents: int, matches: Sequence[tuple[int, int, Values]], seed: int) -> list[Rating]:
    """Bradley-Terry ratings of a table, with intervals by bootstrap over deals.

    Half a win each way is added to each pair, so that an agent that wins every deal has a rating.

    Args:
        agents: number of agents.
        matches: for each pair its two indices and the `wins` of the first, float64[deals].
        seed: of the bootstrap.
    """
    rng = np.random.default_rng(seed)
    played = [match for match in matches if len(match[2])]
    if len({index for match in played for index in match[:2]}) < agents:
        return [Rating(math.nan, Interval(math.nan, math.nan))] * agents
    best = _fit(agents, played)
    samples = [
        _fit(agents, [(i, j, won[rng.integers(len(won), size=len(won))]) for i, j, won in played])
        for _ in range(RESAMPLES)
    ]
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(samples, [tail, 100 - tail], axis=0)
    return [
        Rating(float(rating), Interval(float(bottom), float(top)))
        for rating, bottom, top in zip(best, low, high, strict=True)
    ]


def _fit(agents: int, matches: Sequence[tuple[int, int, Values]]) -> Values:
    import choix

    beaten = np.zeros((agents, agents))
    for i, j, won in matches:
        beaten[i, j] += won.sum() + 0.5
        beaten[j, i] += len(won) - won.sum() + 0.5
    strengths: Values = np.asarray(choix.ilsr_pairwise_dense(beaten), dtype=np.float64)
    centred: Values = ELO * (strengths - strengths.mean())
    return centred
