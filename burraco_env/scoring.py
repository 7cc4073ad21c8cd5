"""Points of a deal and Victory Points of a match (spec 8 to 10)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from burraco_env._jit import int64, kernel
from burraco_env.cards import CARD_POINTS, KIND_CARDS, NUM_CARDS, NUM_RANKS, NUM_SUITS
from burraco_env.melds import (
    CLEAN,
    DIRTY,
    NO_MELD,
    SEMI_CLEAN,
    card_in_run,
    run_burraco,
    set_burraco,
    set_size,
)
from burraco_env.state import (
    CLOSED,
    HI,
    LO,
    MAX_SIDES,
    NOBODY,
    ROYAL_FITAB,
    ROYAL_REALE,
    SET_KIND,
    WILD,
    Game,
)

POINT_PARTS = ("melds", "bonuses", "closing", "hand", "pozzetto")
"""Parts of a side's points, columns of `side_points`."""
NUM_POINT_PARTS = len(POINT_PARTS)
MELDS, BONUSES, CLOSING, HAND, POZZETTO = range(NUM_POINT_PARTS)

CLOSING_BONUS = 100
POZZETTO_PENALTY = 100
CLEAN_BONUS, SEMI_CLEAN_BONUS, DIRTY_BONUS = 200, 150, 100
FITAB_ROYAL, FITAB_ROYAL_WILD = 300, 250
SUPER_SET, SUPER_SET_WILD = 250, 200
NOBILE, REALE = 500, 1000


@kernel
def _bonus(burraco: int) -> int:
    if burraco == CLEAN:
        return CLEAN_BONUS
    if burraco == SEMI_CLEAN:
        return SEMI_CLEAN_BONUS
    return DIRTY_BONUS if burraco == DIRTY else 0


@kernel
def run_bonus(rules: Any, run: Any) -> int:
    """Bonus of a run; 0 if it is no burraco."""
    burraco = run_burraco(rules, run)
    naturals = int64(run[HI]) - int64(run[LO]) + 1 - (1 if run[WILD] > 0 else 0)
    if burraco == NO_MELD:
        return 0
    if rules["royal_run"] == ROYAL_FITAB and naturals >= 13:
        return FITAB_ROYAL if run[WILD] == 0 else FITAB_ROYAL_WILD
    if rules["royal_run"] == ROYAL_REALE and run[WILD] == 0 and run[LO] == 1 and run[HI] >= 13:
        return NOBILE if run[HI] == 13 else REALE
    return _bonus(burraco)


@kernel
def set_bonus(rules: Any, row: Any) -> int:
    """Bonus of a set; 0 if it is no burraco."""
    burraco = set_burraco(rules, row)
    if burraco != NO_MELD and rules["super_set"] and set_size(row) == 8:
        return SUPER_SET if row[SET_KIND] == 0 else SUPER_SET_WILD
    return _bonus(burraco)


@kernel
def run_points(suit: int, run: Any) -> int:
    """Points of the cards of a run: the printed cards, whatever they stand for (spec 1)."""
    points = 0
    for place in range(int64(run[LO]), int64(run[HI]) + 1):
        points += CARD_POINTS[card_in_run(suit, run, place)]
    return points


@kernel
def set_points(rank: int, row: Any) -> int:
    """Points of the cards of a set."""
    points = set_size(row) * int64(CARD_POINTS[rank])
    if row[SET_KIND] > 0:
        points += int64(CARD_POINTS[KIND_CARDS[row[SET_KIND]]])
    return points


@kernel
def hand_points(hand: Any) -> int:
    """Points of the cards of a hand."""
    points = 0
    for card in range(NUM_CARDS):
        points += int64(hand[card]) * CARD_POINTS[card]
    return points


@kernel
def side_points(game: Game, out: Any) -> None:
    """Write the points of each side as they stand into `out` (spec 8).

    `out` is int64[3, 5], its columns as in POINT_PARTS.
    """
    rules = game["rules"]
    out[:, :] = 0
    taken = 0
    for side in range(game["num_sides"]):
        if game["taken_by"][side] != NOBODY:
            taken += 1
        for suit in range(NUM_SUITS):
            for slot in range(int64(game["num_runs"][side, suit])):
                out[side, MELDS] += run_points(suit, game["runs"][side, suit, slot])
                out[side, BONUSES] += run_bonus(rules, game["runs"][side, suit, slot])
        for rank in range(NUM_RANKS):
            for slot in range(int64(game["num_sets"][side, rank])):
                out[side, MELDS] += set_points(rank, game["sets"][side, rank, slot])
                out[side, BONUSES] += set_bonus(rules, game["sets"][side, rank, slot])
    for seat in range(rules["seats"]):
        out[game["side_of"][seat], HAND] -= hand_points(game["hands"][seat])
    for side in range(game["num_sides"]):
        if game["taken_by"][side] == NOBODY:
            if taken > 0 or not rules["waive_pozzetto_penalty"]:
                out[side, POZZETTO] -= POZZETTO_PENALTY
            continue
        if game["outcome"] == CLOSED and game["side_of"][game["closed_by"]] == side:
            out[side, CLOSING] = CLOSING_BONUS
        if game["unplayed"][side]:
            out[side, POZZETTO] -= rules["unplayed_pozzetto_penalty"]


@kernel
def seat_points(game: Game, parts: Any, out: Any) -> None:
    """Write the points that each seat is credited with into `out`, float64[4]; `parts` is scratch.

    The pair of three seats halves its points (spec 9).
    """
    side_points(game, parts)
    seats = game["rules"]["seats"]
    for seat in range(seats):
        side = game["side_of"][seat]
        members = 0
        for other in range(seats):
            members += int64(game["side_of"][other] == side)
        out[seat] = parts[side].sum() / (2.0 if seats == 3 and members == 2 else 1.0)


REWARD_SCALE = 100.0
"""Points that make a reward of 1."""


def differences(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Points of each seat minus those of the other side, of three seats minus the others' mean.

    Args:
        points: points of each seat, float64[..., seats], as `seat_points` gives them.

    Returns:
        float64[..., seats].
    """
    if points.shape[-1] == 3:
        return np.asarray(points - (points.sum(axis=-1, keepdims=True) - points) / 2)
    return np.asarray(points - np.roll(points, 1, axis=-1))


def wins(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """1 for the seats with the most points, -1 for the others; 0 for all where all have as many.

    Args:
        points: points of each seat, float64[..., seats].

    Returns:
        float64[..., seats].
    """
    best = points == points.max(axis=-1, keepdims=True)
    return np.where(best.all(axis=-1, keepdims=True), 0.0, np.where(best, 1.0, -1.0))


_VP_BOUNDS = {
    4: (100, 300, 500, 700, 900, 1100, 1300, 1500, 1700, 2000),
    3: (50, 150, 250, 350, 500, 650, 800, 1000, 1250, 1500),
}
"""Largest difference of the totals for 10-10, 11-9, .. 19-1, by number of deals (spec 10)."""


def victory_points(difference: float, deals: int) -> tuple[int, int]:
    """Victory Points of a match for the difference of the totals (first side minus second).

    Args:
        difference: points of the first side minus points of the second.
        deals: deals of the match, 3 or 4.

    Raises:
        ValueError: there is no table for that number of deals.
    """
    if deals not in _VP_BOUNDS:
        raise ValueError(f"there are Victory Point tables for 3 and 4 deals, not for {deals}")
    steps = sum(abs(difference) > bound for bound in _VP_BOUNDS[deals])
    return (10 + steps, 10 - steps) if difference >= 0 else (10 - steps, 10 + steps)


def points_table(game: Game) -> list[dict[str, int]]:
    """The points of each side of a game as `Game.points` returns them."""
    parts = np.zeros((MAX_SIDES, NUM_POINT_PARTS), dtype=np.int64)
    side_points(game, parts)
    return [
        {
            **{name: int(value) for name, value in zip(POINT_PARTS, row, strict=True)},
            "total": int(row.sum()),
        }
        for row in parts[: int(game["num_sides"])]
    ]
