"""Intervals that hold what they promise, on real deals; what else is told about deals."""

from __future__ import annotations

from functools import cache

import numba
import numpy as np
import numpy.typing as npt
import pytest

from agents import statistics
from agents.arena import Arena, Entrant, joined
from agents.greedy import GreedyAgent
from burraco_env import Rules
from burraco_env.agent import Agent, RandomAgent

plays_deals = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="too many deals without the compiler"
)
Rows = npt.NDArray[np.int8]
Generators = npt.NDArray[np.uint64]


class Twin:
    """Plays as the agent does, but draws other numbers than a twin of another salt."""

    def __init__(self, agent: Agent, salt: int) -> None:
        self.agent, self.salt = agent, np.uint64(salt)

    def act(self, observations: Rows, masks: Rows, rng: Generators) -> npt.NDArray[np.int64]:
        states = rng ^ self.salt
        actions = self.agent.act(observations, masks, states)
        rng[:] = states ^ self.salt
        return actions


class Noisy:
    """Plays as `greedy` does, but now and then at random: once in so many decisions."""

    def __init__(self, once_in: int) -> None:
        self.once_in = np.uint64(once_in)

    def act(self, observations: Rows, masks: Rows, rng: Generators) -> npt.NDArray[np.int64]:
        slips = (rng >> np.uint64(20)) % self.once_in == 0
        best = GreedyAgent().act(observations, masks, rng)
        return np.where(slips, RandomAgent().act(observations, masks, rng), best)


def twins(agent: Agent) -> tuple[Entrant, Entrant]:
    """Two agents of the same strength whose games differ."""
    return Entrant("one", Twin(agent, 0x1234)), Entrant("other", Twin(agent, 0xABCDEF << 32))


@cache
def differences(preset: str, agent: str, deals: int) -> npt.NDArray[np.float64]:
    """Differences of twins, float64[deals, seatings]."""
    first, second = twins({"random": RandomAgent(), "noisy": Noisy(6)}[agent])
    where = Arena(Rules.preset(preset), seed=11)
    return joined(list(where.play(first, second, deals))).differences


def coverage(values: npt.NDArray[np.float64], deals: int) -> float:
    """How often the interval of an evaluation of so many deals contains 0."""
    evaluations = values[: len(values) // deals * deals].reshape(-1, deals)
    intervals = [statistics.mean_over_deals(evaluation).interval for evaluation in evaluations]
    return float(np.mean([low <= 0 <= high for low, high in intervals]))


@plays_deals
@pytest.mark.parametrize(
    ("preset", "agent", "deals"),
    [
        ("mini", "random", 60_000),
        ("italian", "noisy", 20_000),
        pytest.param("italian", "random", 60_000, marks=pytest.mark.full),
        pytest.param("italian", "noisy", 100_000, marks=pytest.mark.full),
    ],
)
def test_the_interval_of_equal_agents_contains_zero_19_times_in_20(
    preset: str, agent: str, deals: int
) -> None:
    means = differences(preset, agent, deals).mean(axis=1)
    assert (means != 0).mean() > 0.9  # the twins do play differently
    assert 0.93 <= coverage(means, 50) <= 0.97


@plays_deals
def test_the_interval_of_a_better_agent_leaves_zero_out() -> None:
    """So that an interval is not only wide: the same deals, with a lead of a quarter of the s.d."""
    means = differences("italian", "noisy", 20_000).mean(axis=1)
    ahead = means + means.std() / 4
    assert coverage(ahead, 50) < 0.7  # power 41 %
    assert coverage(ahead, 1000) == 0


@plays_deals
def test_deals_needed_are_enough_four_times_in_five() -> None:
    means = differences("italian", "noisy", 20_000).mean(axis=1)
    sd = float(means.std(ddof=1))
    points = sd / 4
    deals = statistics.deals_needed(sd, points)
    assert deals == pytest.approx(16 * 2.8016**2, abs=1)
    seen = 1 - coverage(means + points, deals)
    assert 0.72 <= seen <= 0.88


@plays_deals
def test_the_interval_agrees_with_a_bootstrap_of_real_deals() -> None:
    values = differences("italian", "noisy", 20_000).mean(axis=1)[:500]
    mean = statistics.mean_over_deals(values)
    rng = np.random.default_rng(1)
    means = values[rng.integers(500, size=(4000, 500))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    width = mean.interval.half_width
    assert mean.interval.low == pytest.approx(low, abs=width / 10)
    assert mean.interval.high == pytest.approx(high, abs=width / 10)


@plays_deals
def test_the_variance_reduction_is_that_against_shuffled_games() -> None:
    """Independent games: each seating from another deal."""
    found = differences("italian", "noisy", 20_000)
    rng = np.random.default_rng(2)
    independent = np.stack([rng.permutation(column) for column in found.T], axis=1)
    expected = independent.mean(axis=1).var() / found.mean(axis=1).var()
    assert statistics.variance_reduction(found) == pytest.approx(expected, rel=0.05)
    assert statistics.variance_reduction(independent) == pytest.approx(1, rel=0.05)
    assert statistics.variance_reduction(found) > 1.1  # of equal agents luck is the most


def test_the_variance_reduction_of_made_up_deals() -> None:
    luck = np.array([100.0, -100.0, 300.0, -300.0])
    skill = np.array([1.0, 1.0, -1.0, -1.0])
    deals = np.stack([luck + skill, -luck + skill], axis=1)
    assert statistics.variance_reduction(deals) > 1000
    assert np.isnan(statistics.variance_reduction(np.stack([luck, -luck], axis=1)))
    assert np.isnan(statistics.variance_reduction(deals[:1]))
    assert statistics.variance_reduction(np.stack([luck, luck], axis=1)) == pytest.approx(0.5)


def test_deals_needed_are_those_of_the_textbook() -> None:
    # (1.95996 + 0.84162)^2 = 7.8489; times (100 / 10)^2
    assert statistics.deals_needed(100.0, 10) == 785
    assert statistics.deals_needed(100.0, 5) == 3140
    assert statistics.deals_needed(0.1, 20) == 2
    for unknown in (0.0, float("nan")):
        assert statistics.deals_needed(unknown, 10) is None


@pytest.mark.parametrize("deals", [0, 1, 2, 3, 40, 5000])
def test_the_running_mean_is_the_mean_of_the_first_deals(deals: int) -> None:
    values = np.random.default_rng(3).normal(1e6, 250, deals)
    counts, means, halves = statistics.running_mean(values, points=30)
    assert len(counts) == len(means) == len(halves) <= 30
    assert (len(counts) == 0) == (deals < 2)
    if deals >= 2:
        assert (counts[0], counts[-1]) == (2, deals)
    for count, mean, half in zip(counts, means, halves, strict=True):
        wanted = statistics.mean_over_deals(values[: int(count)])
        assert mean == pytest.approx(wanted.mean)
        assert half == pytest.approx(wanted.interval.half_width, rel=1e-6)


def test_means_and_rates_have_the_intervals_of_the_textbook() -> None:
    mean = statistics.mean_over_deals(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert (mean.mean, mean.sd) == (3.0, pytest.approx(1.5811388))
    assert mean.interval == (pytest.approx(1.0367568), pytest.approx(4.9632432))
    won = statistics.wins(np.array([5.0, 0.0, -1.0, 2.5]))
    assert won.tolist() == [1, 0.5, 0, 1]
    rate, interval = statistics.win_rate(np.array([1.0] * 8 + [0.0] * 2))
    assert rate == 0.8
    assert interval == (pytest.approx(0.4901625), pytest.approx(0.9433178))
    for count in (0, 1):
        assert np.isnan(statistics.mean_over_deals(np.ones(count)).interval).all()


def test_the_interval_agrees_with_a_bootstrap_of_skewed_values() -> None:
    rng = np.random.default_rng(1)
    values = rng.gamma(2.0, 100.0, 500) - 150
    mean = statistics.mean_over_deals(values)
    means = values[rng.integers(500, size=(4000, 500))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    assert mean.interval.low == pytest.approx(low, abs=3)
    assert mean.interval.high == pytest.approx(high, abs=3)


def test_victory_points_are_those_of_whole_matches() -> None:
    rules = Rules.preset("italian")
    differences = np.array([[100.0, -100.0]] * 4 + [[200.0, 200.0]] * 4 + [[9_000.0, 9_000.0]])
    # Totals of +400, -400, +800, +800: 12-8, 8-12, 14-6 twice.
    assert statistics.mean_victory_points(differences, rules) == (12 + 8 + 14 + 14) / 4
    assert statistics.mean_victory_points(differences[:3], rules) is None
    assert statistics.mean_victory_points(differences, Rules.preset("italian", 2)) is None


def test_ratings_order_the_agents_and_have_intervals() -> None:
    won = np.array([1.0] * 75 + [0.0] * 25)
    even = np.full(100, 0.5)
    a, b, c = statistics.ratings(3, [(0, 1, won), (1, 2, won), (0, 2, even)], seed=1)
    assert a.rating == pytest.approx(c.rating + 0, abs=400)
    assert a.interval.low < a.rating < a.interval.high
    x, y = statistics.ratings(2, [(0, 1, won)], seed=1)
    assert x.rating - y.rating == pytest.approx(400 * np.log10(75.5 / 25.5))
    assert x.rating == pytest.approx(-y.rating)
    assert np.isnan(b.rating) is np.False_
    assert np.isnan(statistics.ratings(3, [(0, 1, won)], seed=1)[2].rating)
