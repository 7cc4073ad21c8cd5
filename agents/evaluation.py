"""A table of agents on duplicate deals: what is played, what came of it, as JSON.

`Evaluation.play` plays and yields after every part, so that whoever drives it can show and save
what there is; `to_json` says all that is known at any time.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.arena import BEHAVIOUR, Arena, Entrant, Lineup, Results, Team, joined, meet
from agents.game_records import RecordFile
from agents.provenance import commit
from agents.registry import AGENTS
from agents.statistics import (
    Interval,
    deals_needed,
    mean_over_deals,
    mean_victory_points,
    ratings,
    variance_reduction,
    win_rate,
    wins,
)

BASELINES = ("random", "greedy", "expert")
"""The standard baselines, weakest first; those that are registered are played."""
POINTS = (5, 10, 20)
"""Differences in points a deal for which the deals needed are told."""


def baselines() -> tuple[str, ...]:
    """The standard baselines that there are."""
    return tuple(name for name in BASELINES if name in AGENTS)


@dataclass(frozen=True)
class Crossing:
    """An agent with a partner against two of an opponent, by their numbers among the entrants."""

    agent: int
    partner: int
    opponent: int


@dataclass(frozen=True)
class Plan:
    """What is to be played.

    Attributes:
        arena: where.
        entrants: the agents of the table, then partners that are not among them.
        pairs: who of the table meets whom, by their numbers.
        deals: deals of each match, in all seatings.
        until: play on until the half-width of the interval is at most so many points; None: no.
        slow_deals: deals of a match with an agent that declares `deals_at_once`, if fewer; None: as
            many.
        crossings: with which partners they play against whom.
    """

    arena: Arena
    entrants: tuple[Entrant, ...]
    pairs: tuple[tuple[int, int], ...]
    deals: int
    until: float | None = None
    slow_deals: int | None = None
    crossings: tuple[Crossing, ...] = ()

    @property
    def agents(self) -> int:
        """Number of agents of the table."""
        return 1 + max(index for pair in self.pairs for index in pair)

    def team(self, indices: tuple[int, ...]) -> Team:
        """The entrants with these numbers, one or two."""
        team = tuple(self.entrants[index] for index in indices)
        return team[0] if len(team) == 1 else (team[0], team[1])

    def deals_of(self, match: Match) -> int:
        """Deals that a match is to have."""
        playing = (self.entrants[index].agent for index in match.first + match.second)
        slow = any(hasattr(agent, "deals_at_once") for agent in playing)
        return min(self.deals, self.slow_deals) if slow and self.slow_deals else self.deals

    def matches(self) -> list[Match]:
        """All matches, those of the table first; none is there twice."""
        found = [Match((a,), (b,)) for a, b in self.pairs]
        for crossing in self.crossings:
            a, p, o = crossing.agent, crossing.partner, crossing.opponent
            alone = [Match((p,), (o,))] if (o, p) not in self.pairs else []
            for match in [*alone, Match((a, p), (o,))]:
                if not any(match.meets(old.first, old.second) for old in found):
                    found.append(match)
        return found


def all_pairs(agents: int) -> tuple[tuple[int, int], ...]:
    """Everybody against everybody."""
    return tuple(itertools.combinations(range(agents), 2))


def all_crossings(
    texts: Sequence[str], agents: Sequence[int], partners: Sequence[int], opponents: Sequence[int]
) -> tuple[Crossing, ...]:
    """Every agent with every partner against every opponent.

    Who stands on both sides says nothing: an agent is neither its own opponent nor, being no
    stranger to itself, its own partner.
    """
    return tuple(
        Crossing(agent, partner, opponent)
        for agent, partner, opponent in itertools.product(agents, partners, opponents)
        if texts[agent] not in (texts[partner], texts[opponent])
    )


@dataclass
class Match:
    """Two teams, by the numbers of their entrants, and the deals they have played so far."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    parts: list[Results] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def results(self) -> Results | None:
        """All parts as one; None before the first."""
        return joined(self.parts) if self.parts else None

    @property
    def deals(self) -> int:
        """Deals played so far."""
        return sum(map(len, self.parts))

    @property
    def means(self) -> npt.NDArray[np.float64]:
        """Mean difference of each deal over its seatings, float64[deals]."""
        return np.concatenate([np.zeros(0), *(p.differences.mean(axis=1) for p in self.parts)])

    @property
    def of_table(self) -> bool:
        """Whether no partners take part."""
        return len(self.first) == len(self.second) == 1

    def meets(self, first: tuple[int, ...], second: tuple[int, ...]) -> bool:
        """Whether it is the match of these teams."""
        return (self.first, self.second) == (first, second)


class Evaluation:
    """A table of matches, as far as it has been played.

    Attributes:
        plan: what is to be played.
        matches: all matches, in order; those not yet begun have no parts.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.matches = plan.matches()
        self._commit = commit()

    def play(self, records: RecordFile | None = None) -> Iterator[Match]:
        """Play all matches; yields each match when it begins and after each of its parts.

        Args:
            records: where to write the games; the arena of the plan must keep their actions.
        """
        plan, arena = self.plan, self.plan.arena
        arena.warm_up(plan.entrants)
        for match in self.matches:
            first, second = plan.team(match.first), plan.team(match.second)
            lineup = Lineup.of(first, second, arena.rules.seats)
            yield match
            began = time.perf_counter()
            enough = None if plan.until is None else self._narrow
            for part in meet(arena, first, second, plan.deals_of(match), enough):
                if records is not None:
                    records.append(arena, lineup, match.deals, part)
                match.parts.append(_without_actions(part))
                match.seconds = time.perf_counter() - began
                yield match

    def _narrow(self, results: Results) -> bool:
        assert self.plan.until is not None
        mean = mean_over_deals(results.differences.mean(axis=1))
        return mean.interval.half_width <= self.plan.until

    def name(self, team: tuple[int, ...]) -> str:
        """The name of a team."""
        return " + ".join(self.plan.entrants[index].name for index in team)

    @property
    def faults(self) -> list[str]:
        """What agents did wrong, one sentence each."""
        return [str(part.fault) for match in self.matches for part in match.parts if part.fault]

    @property
    def table(self) -> list[Match]:
        """The matches of the table that have begun."""
        return [match for match in self.matches if match.parts and self._is_pair(match)]

    def _is_pair(self, match: Match) -> bool:
        return match.of_table and (match.first[0], match.second[0]) in self.plan.pairs

    def to_json(self) -> dict[str, Any]:
        """All results. What cannot be told, such as the interval of a single deal, is None.

        A match has a `fault` only where an agent failed; its deals end before the one at fault.
        """
        rules = self.plan.arena.rules
        agents = self.plan.entrants[: self.plan.agents]
        return {
            "preset": rules.preset_name,
            "seats": rules.seats,
            "seed": self.plan.arena.seed,
            "commit": self._commit,
            "agents": [entrant.name for entrant in agents],
            "matches": [self._match_json(match) for match in self.table],
            "ratings": self._ratings_json(),
            **({"partners": self._partners_json()} if self.plan.crossings else {}),
        }

    def _match_json(self, match: Match) -> dict[str, Any]:
        results = match.results
        assert results is not None
        mean = mean_over_deals(match.means)
        rate, rate_interval = win_rate(wins(match.means))
        victory_points = mean_victory_points(results.differences, self.plan.arena.rules)
        return {
            "a": self.name(match.first),
            "b": self.name(match.second),
            "deals": len(results),
            "mean_points": number(mean.mean),
            "ci95": numbers(mean.interval),
            "sd": number(mean.sd),
            "win_rate": number(rate),
            "win_rate_ci95": numbers(rate_interval),
            "victory_points": victory_points,
            "behaviour": {key: behaviour(results, player) for player, key in enumerate("ab")},
            "decisions": int(results.decisions.sum()),
            "seconds": round(match.seconds, 3),
            "ms_per_decision": {
                key: milliseconds(results, player) for player, key in enumerate("ab")
            },
            "variance_reduction": number(variance_reduction(results.differences)),
            "deals_needed": {str(points): deals_needed(mean.sd, points) for points in POINTS},
            **({"fault": str(results.fault)} if results.fault else {}),
        }

    def _ratings_json(self) -> list[dict[str, Any]]:
        played = [(match.first[0], match.second[0], wins(match.means)) for match in self.table]
        rated = ratings(self.plan.agents, played, self.plan.arena.seed)
        return [
            {
                "agent": entrant.name,
                "rating": number(rating.rating),
                "ci95": numbers(rating.interval),
            }
            for entrant, rating in zip(self.plan.entrants, rated, strict=False)
        ]

    def _partners_json(self) -> list[dict[str, Any]]:
        """What each agent and partner made, and by how much more than the partner with itself."""
        rows = []
        for crossing in self.plan.crossings:
            opponents, partner = (crossing.opponent,), (crossing.partner,)
            pair = self._means((crossing.agent, crossing.partner), opponents)
            alone = self._means(partner, opponents)
            both = min(len(pair), len(alone))
            mean, base = mean_over_deals(pair), mean_over_deals(alone[:both])
            added = mean_over_deals(pair[:both] - alone[:both])
            rows.append(
                {
                    "agent": self.name((crossing.agent,)),
                    "partner": self.name(partner),
                    "opponent": self.name(opponents),
                    "deals": len(pair),
                    "mean_points": number(mean.mean),
                    "ci95": numbers(mean.interval),
                    "partner_alone": number(base.mean),
                    "partner_alone_ci95": numbers(base.interval),
                    "added": number(added.mean),
                    "added_ci95": numbers(added.interval),
                }
            )
        return rows

    def _means(self, first: tuple[int, ...], second: tuple[int, ...]) -> npt.NDArray[np.float64]:
        """Mean difference of each deal that these teams have played, in either order."""
        for match in self.matches:
            if match.meets(first, second):
                return match.means
            if match.meets(second, first):
                return -match.means
        return np.zeros(0)


def _without_actions(part: Results) -> Results:
    return part if part.actions is None else dataclasses.replace(part, actions=None)


def milliseconds(results: Results, player: int) -> float | None:
    """Mean time that an entrant thought about a decision; threads add up."""
    decisions = float(results.behaviour[:, player, BEHAVIOUR.index("decisions")].sum())
    decisions *= results.differences.shape[1]
    return float(results.seconds[player]) / decisions * 1000 if decisions else None


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
