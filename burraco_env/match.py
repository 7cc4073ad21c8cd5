"""Matches: deals added up to a target, a number of deals or Victory Points (spec 9 to 11)."""

from __future__ import annotations

import dataclasses

import numpy as np

from burraco_env.engine import deal
from burraco_env.game import Game, deck_text
from burraco_env.generator import check_seed, generator_states
from burraco_env.rules import Rules
from burraco_env.scoring import victory_points
from burraco_env.state import new_games

THREE_POZZETTI = (11, 11, 11)
"""Pozzetti of the later deals of a three-seat match (spec 11)."""


class Match:
    """Deals of one match.

    Play `match.game` until it is over, then call `match.next_deal()`; stop when `match.is_over`:

        match = Match(Rules.preset("italian"), seed=7)
        while not match.is_over:
            while not match.game.is_over:
                match.game.play(choose(match.game))
            match.next_deal()

    The deck of each deal depends on the seed and the number of the deal alone, not on how it was
    played.

    Attributes:
        rules: the rules of the match; those of a deal are `match.game.rules`.
        game: the deal being played, or the last one when the match is over.
        deals: completed deals.
        totals: points of each seat after the completed deals; halves are possible with three seats.
    """

    def __init__(self, rules: Rules, seed: int = 0, dealer: int | None = None) -> None:
        """Deal the first deal.

        Args:
            rules: the rules.
            seed: whole number >= 0.
            dealer: seat of the first dealer; None: drawn from the seed.

        Raises:
            ValueError: a seed or a dealer out of range.
        """
        self.rules = rules
        self.seed = check_seed(seed)
        self.deals = 0
        self.totals = [0.0] * rules.seats
        self._points: list[list[float]] = []
        self._highest = 0.0  # total that any seat has ever had
        self.is_over = False
        self.game = self._deal(-1 if dealer is None else rules.check_seat(dealer, "dealer"))

    def next_deal(self) -> None:
        """Credit the finished deal to the seats; then end the match or deal, one dealer further.

        Raises:
            ValueError: the deal is not over, or the match is.
        """
        if self.is_over:
            raise ValueError(f"the match is over after {self.deals} deals")
        points = self.game.seat_points()
        self._points.append(points)
        self.totals = [total + gained for total, gained in zip(self.totals, points, strict=True)]
        self._highest = max(self._highest, *self.totals)
        self.deals += 1
        self.is_over = self._ended()
        if not self.is_over:
            self.game = self._deal((self.game.dealer + 1) % self.rules.seats)

    @property
    def points(self) -> list[list[float]]:
        """Points of each seat in each completed deal."""
        return [list(deal_points) for deal_points in self._points]

    @property
    def winners(self) -> list[int]:
        """Seats with the highest total: the winning side, or both in a draw.

        Raises:
            ValueError: the match is not over.
        """
        if not self.is_over:
            raise ValueError(f"the match goes on after {self.deals} deals")
        return [seat for seat, total in enumerate(self.totals) if total == max(self.totals)]

    @property
    def victory_points(self) -> tuple[int, int]:
        """Victory Points of the two sides.

        Raises:
            ValueError: the match is not over, or not scored in Victory Points.
        """
        if not self.is_over or not self.rules.victory_points:
            raise ValueError("Victory Points need a finished match of rules with victory_points")
        assert self.rules.match_deals is not None
        return victory_points(self.totals[0] - self.totals[1], self.rules.match_deals)

    def _ended(self) -> bool:
        rules, best = self.rules, max(self.totals)
        target = rules.match_target
        reached = target is not None and (
            best >= target if rules.match_target_inclusive else best > target
        )
        dealt = rules.match_deals is not None and self.deals >= rules.match_deals
        if not reached and not dealt:
            return False
        if rules.victory_points or rules.match_tie == "draw":
            return True
        return not self._tied()

    def _tied(self) -> bool:
        """Whether two sides (with three seats: two seats) share the highest total."""
        leaders = sum(total == max(self.totals) for total in self.totals)
        return leaders > (self.rules.seats // 2 if self.rules.seats != 3 else 1)

    def _deal_rules(self) -> Rules:
        limit = self.rules.match_three_pozzetti_at
        if limit is not None and self._highest >= limit:  # for good, even if the total falls again
            return dataclasses.replace(self.rules, pozzetto_sizes=THREE_POZZETTI)
        return self.rules

    def _deal(self, dealer: int) -> Game:
        rules = self._deal_rules()
        games = new_games(rules, 1)
        games["generator"] = generator_states(self.seed, 1, first=self.deals)
        games["totals"][0, : rules.seats] = (2 * np.array(self.totals)).astype(np.int64)
        deal(games[0], dealer)
        return Game(rules, games, deck_text(games))
