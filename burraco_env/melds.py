"""Melds: what may be laid and laid off, what a meld counts as, its order and its text.

The rules are in spec 5 and 8, order and text in notation.md.

A run is a row `LO HI WILD KIND`, a set a row `NATURALS KIND` (see `state.py`).

The ways to lay off on a run are five *operations*. Which card goes where follows from the run
alone:

* `LOW`, `HIGH`: a natural at lo-1, at hi+1.
* `WILD_LOW`, `WILD_HIGH`: without a wild in the run, a wild of the hand at lo-1, at hi+1. With one,
  the natural of the wild's place; the wild goes to lo-1, to hi+1.
* `JUMP`: without a wild in the run, a natural at hi+2; the natural two goes to hi+1. With one at an
  end, a natural two places beyond the other end; the wild fills the gap.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from burraco_env._jit import int64, kernel
from burraco_env.cards import (
    CARD_TEXTS,
    JOKER,
    KIND_CARDS,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    RANKS,
    SUITS,
    TWO,
)
from burraco_env.state import HI, KIND, LO, NATURALS, SET_KIND, WILD, Game

Row: TypeAlias = Any
"""A run (int8[4]) or a set (uint8[2]) of a game record, written in place."""

NUM_OPERATIONS = 5
LOW, HIGH, WILD_LOW, WILD_HIGH, JUMP = range(NUM_OPERATIONS)
LOWEST_PLACE = 1
HIGHEST_PLACE = 14
NO_MELD, DIRTY, SEMI_CLEAN, CLEAN = range(4)
ALL_KINDS = 0b111110
"""Bit k: kind k of wild, k from 1 to 5."""

TRIPLES = tuple(
    triple
    for triple in combinations_with_replacement(range(NUM_SUITS), 3)
    if triple[0] != triple[2]
)
"""The 16 ways to take three naturals of a rank: suits, at most two copies of each."""
PAIRS = tuple(combinations_with_replacement(range(NUM_SUITS), 2))
"""The 10 ways to take two naturals of a rank."""


@kernel
def card_at(suit: int, place: int) -> int:
    """Card whose natural place this is; place is 1 to 14."""
    return suit * NUM_RANKS + (place - 1) % NUM_RANKS


@kernel
def may_be_wild(card: int) -> bool:
    """Whether a card may stand for another one: a joker or a two (spec 1)."""
    return card == JOKER or card % NUM_RANKS == TWO


@kernel
def card_in_run(suit: int, run: Row, place: int) -> int:
    """The printed card that lies in a place of a run, whatever it stands for."""
    if place == run[WILD]:
        return int64(KIND_CARDS[int64(run[KIND])])
    return card_at(suit, place)


@kernel
def _exists(places: int, place: int) -> bool:
    return LOWEST_PLACE <= place <= HIGHEST_PLACE and (places >> place) & 1 == 1


@kernel
def _own_two(kind: int, suit: int) -> bool:
    return kind == suit + 1


@kernel
def _natural_fits(rules: Any, run: Row, place: int) -> bool:
    """Whether a natural may extend the run at lo-1 or hi+1 (spec 5, rule 1)."""
    if not _exists(rules["places"], place):
        return False
    lo, hi, wild = int64(run[LO]), int64(run[HI]), int64(run[WILD])
    if not rules["ace_both_ends"]:
        if place == LOWEST_PLACE and hi == HIGHEST_PLACE and wild != HIGHEST_PLACE:
            return False
        if place == HIGHEST_PLACE and lo == LOWEST_PLACE and wild != LOWEST_PLACE:
            return False
    return not (place == 2 and wild == 3 and rules["natural_two_needs_three"] != 0)


@kernel
def jump_place(rules: Any, run: Row) -> int:
    """Place of the natural that lets the wild or natural two jump (spec 5, rules 4, 5); 0: none."""
    places = rules["places"]
    lo, hi, wild = int64(run[LO]), int64(run[HI]), int64(run[WILD])
    if wild == 0:
        ready = rules["two_may_turn_wild"] != 0 and lo == 2
        place, gap = hi + 2, hi + 1
    else:
        ready = rules["wild_slides"] != 0 and (wild == hi or wild == lo)
        place, gap = (lo - 2, lo - 1) if wild == hi else (hi + 2, hi + 1)
        if place == 2 and rules["natural_two_needs_three"] != 0:  # the wild would be the three
            ready = False
    return place if ready and _exists(places, place) and _exists(places, gap) else 0


@kernel
def natural_place(rules: Any, run: Row, operation: int) -> int:
    """Place of the natural card that the operation takes from the hand.

    0: the operation takes a wild from the hand. -1: the table rules do not allow it (spec 5).
    """
    lo, hi, wild = int64(run[LO]), int64(run[HI]), int64(run[WILD])
    if operation == LOW or operation == HIGH:
        place = lo - 1 if operation == LOW else hi + 1
        return place if _natural_fits(rules, run, place) else -1
    if operation == JUMP:
        place = jump_place(rules, run)
        return place if place > 0 else -1
    if not _exists(rules["places"], lo - 1 if operation == WILD_LOW else hi + 1):
        return -1
    return wild  # rule 3, or rule 2 where it is 0


@kernel
def wild_place(run: Row, operation: int) -> int:
    """Place to which the operation brings a wild (or a two that turns wild or natural)."""
    lo, hi, wild = int64(run[LO]), int64(run[HI]), int64(run[WILD])
    if operation == WILD_LOW or (operation == JUMP and wild == hi):
        return lo - 1
    return hi + 1


@kernel
def kinds_at(suit: int, place: int) -> int:
    """Kinds of wild that may stand at a place; in place 2 the suit's two is natural (spec 5)."""
    return ALL_KINDS & ~(1 << (suit + 1)) if place == 2 else ALL_KINDS


@kernel
def extend_run(run: Row, suit: int, operation: int, kind: int) -> None:
    """Apply an operation that `natural_place` allows; `kind`: the wild of the hand, if any."""
    lo, hi, wild = int64(run[LO]), int64(run[HI]), int64(run[WILD])
    if operation == LOW:
        run[LO] = lo - 1
        return
    if operation == HIGH:
        run[HI] = hi + 1
        return
    place = wild_place(run, operation)
    if operation == JUMP:
        if wild == 0:  # rule 5: the natural two leaves the low end and is the wild
            run[LO], run[HI] = lo + 1, hi + 2
            run[KIND] = suit + 1
        elif wild == hi:  # rule 4
            run[LO], run[HI] = lo - 2, hi - 1
        else:
            run[LO], run[HI] = lo + 1, hi + 2
    else:
        run[LO], run[HI] = min(lo, place), max(hi, place)
        if wild == 0:
            run[KIND] = kind
    run[WILD] = place
    if place == 2 and _own_two(int64(run[KIND]), suit):  # natural from then on
        run[WILD] = 0
        run[KIND] = 0


@kernel
def set_size(row: Row) -> int:
    """Naturals of a set."""
    naturals = int64(row[NATURALS])
    return (naturals & 3) + (naturals >> 2 & 3) + (naturals >> 4 & 3) + (naturals >> 6 & 3)


MAX_SET_NATURALS = 8


@kernel
def run_burraco(rules: Any, run: Row) -> int:
    """What a run counts as: NO_MELD (no burraco), DIRTY, SEMI_CLEAN or CLEAN (spec 8)."""
    lo, hi, wild = int64(run[LO]), int64(run[HI]), int64(run[WILD])
    cards = hi - lo + 1
    if cards < rules["burraco_size"]:
        return NO_MELD
    if wild == 0:
        return CLEAN
    if rules["semi_clean"] and (wild == lo or wild == hi) and cards - 1 >= 7:
        return SEMI_CLEAN
    return DIRTY


@kernel
def set_burraco(rules: Any, row: Row) -> int:
    """What a set counts as: NO_MELD (no burraco), DIRTY, SEMI_CLEAN or CLEAN (spec 8)."""
    has_wild = row[SET_KIND] != 0
    cards = set_size(row) + (1 if has_wild else 0)
    if cards < rules["burraco_size"]:
        return NO_MELD
    if not has_wild:
        return CLEAN
    if rules["semi_clean"] and 8 <= cards <= rules["semi_clean_set_max"]:
        return SEMI_CLEAN
    return DIRTY


@kernel
def has_burraco_to_close(game: Game, side: int) -> bool:
    """Whether the side has the burraco that a closing needs (spec 7)."""
    rules = game["rules"]
    least = CLEAN if rules["clean_to_close"] else DIRTY
    for suit in range(NUM_SUITS):
        for slot in range(int64(game["num_runs"][side, suit])):
            if run_burraco(rules, game["runs"][side, suit, slot]) >= least:
                return True
    for rank in range(NUM_RANKS):
        for slot in range(int64(game["num_sets"][side, rank])):
            if set_burraco(rules, game["sets"][side, rank, slot]) >= least:
                return True
    return False


def wild_text(kind: int) -> str:
    """Text of the card that a kind of wild is."""
    return CARD_TEXTS[int(KIND_CARDS[kind])]


def place_text(suit: int, place: int) -> str:
    """Text of the natural card of a place."""
    return RANKS[(place - 1) % NUM_RANKS] + SUITS[suit]


def run_text(suit: int, run: Row) -> str:
    """Text of a run, such as `2h-3h-Jo(4h)-5h`."""
    lo, hi, wild, kind = (int(value) for value in run)
    cards = [place_text(suit, place) for place in range(lo, hi + 1)]
    if wild:
        cards[wild - lo] = f"{wild_text(kind)}({cards[wild - lo]})"
    return "-".join(cards)


def set_text(rank: int, row: Row) -> str:
    """Text of a set, such as `6c-6d-6d` or `9c-9s-2d`."""
    naturals, kind = (int(value) for value in row)
    cards = [
        RANKS[rank] + SUITS[suit]
        for suit in range(NUM_SUITS)
        for _ in range(naturals >> 2 * suit & 3)
    ]
    return "-".join(cards + ([wild_text(kind)] if kind else []))


def _run_order() -> npt.NDArray[np.int64]:
    """Rank of a run's text among runs of the same suit, lowest place and length.

    int64[suit, lo, wild, kind].
    """
    order = np.zeros((NUM_SUITS, HIGHEST_PLACE + 1, HIGHEST_PLACE + 1, NUM_KINDS + 1), np.int64)
    for suit in range(NUM_SUITS):
        for lo in range(1, HIGHEST_PLACE + 1):
            # The first difference decides before the end: the longest runs stand for all lengths.
            shapes = [(0, 0)] + [
                (w, k) for w in range(lo, HIGHEST_PLACE + 1) for k in range(1, NUM_KINDS + 1)
            ]
            shapes.sort(key=lambda shape: run_text(suit, (lo, HIGHEST_PLACE, *shape)))
            for index, (wild, kind) in enumerate(shapes):
                order[suit, lo, wild, kind] = index
    return order


def _set_order() -> npt.NDArray[np.int64]:
    """Rank of a set's text among the sets of its rank, int64[rank, naturals, kind]."""
    order = np.zeros((NUM_RANKS, 256, NUM_KINDS + 1), np.int64)
    shapes = [
        (c + 4 * d + 16 * h + 64 * s, kind)
        for c in range(3) for d in range(3) for h in range(3) for s in range(3)
        for kind in range(NUM_KINDS + 1)
    ]  # fmt: skip
    for rank in (rank for rank in range(NUM_RANKS) if rank != TWO):
        for index, shape in enumerate(sorted(shapes, key=lambda shape: set_text(rank, shape))):
            order[(rank, *shape)] = index
    return order


_RUN_ORDER = _run_order()
_SET_ORDER = _set_order()


@kernel
def run_key(suit: int, run: Row) -> int:
    """Sort key of a run within its suit: lowest place, length, text. Equal keys: equal texts."""
    lo, hi, wild, kind = int64(run[LO]), int64(run[HI]), int64(run[WILD]), int64(run[KIND])
    return (lo * 16 + hi) * 128 + int64(_RUN_ORDER[suit, lo, wild, kind])


@kernel
def set_key(rank: int, row: Row) -> int:
    """Sort key of a set within its rank: the text. Equal keys: equal texts."""
    return int64(_SET_ORDER[rank, int64(row[NATURALS]), int64(row[SET_KIND])])


@kernel
def _swap(rows: Any, slot: int) -> None:
    """Swap the rows `slot` and `slot + 1`."""
    for column in range(rows.shape[1]):
        kept = rows[slot, column]
        rows[slot, column] = rows[slot + 1, column]
        rows[slot + 1, column] = kept


@kernel
def sort_runs(game: Game, side: int, suit: int, slot: int) -> None:
    """Move the run in `slot` to its place; the others are in order."""
    runs = game["runs"][side, suit]
    while slot > 0 and run_key(suit, runs[slot]) < run_key(suit, runs[slot - 1]):
        slot -= 1
        _swap(runs, slot)
    while slot + 1 < game["num_runs"][side, suit] and run_key(suit, runs[slot + 1]) < run_key(
        suit, runs[slot]
    ):
        _swap(runs, slot)
        slot += 1


@kernel
def sort_sets(game: Game, side: int, rank: int, slot: int) -> None:
    """Move the set in `slot` to its place; the others are in order."""
    sets = game["sets"][side, rank]
    while slot > 0 and set_key(rank, sets[slot]) < set_key(rank, sets[slot - 1]):
        slot -= 1
        _swap(sets, slot)
    while slot + 1 < game["num_sets"][side, rank] and set_key(rank, sets[slot + 1]) < set_key(
        rank, sets[slot]
    ):
        _swap(sets, slot)
        slot += 1


@kernel
def add_run(game: Game, side: int, suit: int, run: Row) -> None:
    """Put a copy of a run among the side's, in order."""
    slot = int64(game["num_runs"][side, suit])
    for column in range(4):
        game["runs"][side, suit, slot, column] = run[column]
    game["num_runs"][side, suit] = slot + 1
    sort_runs(game, side, suit, slot)


@kernel
def add_set(game: Game, side: int, rank: int, row: Row) -> None:
    """Put a copy of a set among the side's, in order."""
    slot = int64(game["num_sets"][side, rank])
    for column in range(2):
        game["sets"][side, rank, slot, column] = row[column]
    game["num_sets"][side, rank] = slot + 1
    sort_sets(game, side, rank, slot)
