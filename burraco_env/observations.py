"""What a seat knows, as a flat vector of small integers, and that vector in words (design section 4).

The layout is the same for all presets and seat counts. Everything is seen from one seat: *relative seats* are me, next,
opposite, previous (two seats: me, next; three: me, next, previous), sides are my own, the next seat's, the third.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from burraco_env._jit import kernel
from burraco_env.actions import (
    LAYOFF_RUN,
    LAYOFF_SET,
    MELD_SET,
    MELD_SET_WILD,
    NUM_PAIRS,
    NUM_SET_RANKS,
    index_rank,
    layoff_run_indices,
    layoff_set_indices,
    meld_run_indices,
    meld_set_rank,
    rank_index,
)
from burraco_env.cards import CARD_TEXTS, JOKER, NUM_CARDS, NUM_RANKS, NUM_SUITS, RANKS, SUITS, format_counts
from burraco_env.melds import run_text, set_text
from burraco_env.state import (
    HI,
    KIND,
    LO,
    MAX_RUNS,
    MAX_SEATS,
    MAX_SETS,
    NATURALS,
    NUM_RULE_NUMBERS,
    PHASES,
    RULE_NUMBERS,
    SET_KIND,
    WILD,
    Game,
)

ME, NEXT, OPPOSITE, PREVIOUS = range(MAX_SEATS)
RELATIVE_SEATS = ("me", "next", "opposite", "previous")
OTHERS = 3
"""Relative seats other than me."""


@dataclass(frozen=True)
class Segment:
    """A range of the observation.

    Attributes:
        name: name of the segment.
        start: first index.
        shape: sizes of its indices, row-major.
        indices: what each index stands for.
        meaning: what the numbers say.
        high: largest value; the smallest is 0, or -128 for `totals`.
    """

    name: str
    start: int
    shape: tuple[int, ...]
    indices: str
    meaning: str
    high: int

    @property
    def size(self) -> int:
        """Number of values."""
        return int(np.prod(self.shape))

    @property
    def stop(self) -> int:
        """Index behind the last value."""
        return self.start + self.size


def _layout() -> tuple[Segment, ...]:
    cards = "card, see Cards"
    table = (
        ("hand", (NUM_CARDS,), cards, "copies in my hand", 4),
        ("pile", (NUM_CARDS,), cards, "copies in the discard pile", 4),
        ("known", (OTHERS, NUM_CARDS), f"next, opposite, previous; {cards}",
         "copies that the seat picked up and has not shown since", 4),
        ("discards", (OTHERS, NUM_CARDS), f"next, opposite, previous; {cards}",
         "how often the seat has discarded the card in this deal", 127),
        ("run_counts", (NUM_SUITS, 2), "suit; my side, the next seat's side", "runs", MAX_RUNS),
        ("runs", (NUM_SUITS, MAX_RUNS, 4), "suit; slot; lowest place, highest place, place of the wild, kind of the wild",
         "my side's runs from the first slot up; from the last slot down those of the next seat's side, then the third's", 14),
        ("set_counts", (NUM_SET_RANKS, 2), "rank but two; my side, the next seat's side", "sets", MAX_SETS),
        ("sets", (NUM_SET_RANKS, MAX_SETS, 3), "rank but two; slot; clubs + 3 diamonds, hearts + 3 spades, kind of the wild",
         "sets, in slots as the runs", 8),
        ("phase", (len(PHASES),), "draw, play, wild, over", "one-hot", 1),
        ("to_act", (MAX_SEATS,), "relative seat", "one-hot: the seat to act (when over: that moved last)", 1),
        ("dealer", (MAX_SEATS,), "relative seat", "one-hot: the dealer", 1),
        ("hand_sizes", (MAX_SEATS,), "relative seat", "cards in the hand", 112),
        ("stock", (2,), "tens, units", "cards in the stock", 11),
        ("top_card", (6,), "clubs, diamonds, hearts, spades, joker; rank 1 to 13",
         "suit one-hot and rank of the top card of the pile; 0: empty pile", 13),
        ("no_return", (6,), "as top_card", "the card that may not be discarded in this turn", 13),
        ("must_meld", (1,), "", "1: a meld or lay-off is owed", 1),
        ("pending", (7,), "new run, new set, lay-off on a run, on a set; the indices of its action segment",
         "the decision whose wild is being chosen: one-hot, then its indices", 15),
        ("pozzetti", (1,), "", "untaken pozzetti", 3),
        ("pozzetto_sizes", (3,), "first, second, third pozzetto of the deal", "its cards", 32),
        ("taken", (MAX_SEATS,), "relative seat", "1: the seat took its side's pozzetto", 1),
        ("unplayed", (MAX_SEATS,), "relative seat", "1: it has not played since", 1),
        ("my_side", (MAX_SEATS,), "relative seat", "1: the seat is of my side", 1),
        ("sides", (1,), "", "number of sides", 3),
        ("turn", (3,), "hundreds, tens, units", "completed turns of the deal", 127),
        ("totals", (MAX_SEATS, 2), "relative seat; 250 points, 2.5 points", "match points before this deal", 99),
        ("rules", (NUM_RULE_NUMBERS,), ", ".join(name for name, _ in RULE_NUMBERS), "the rules", 127),
    )  # fmt: skip
    segments: list[Segment] = []
    for name, shape, indices, meaning, high in table:
        start = segments[-1].stop if segments else 0
        segments.append(Segment(name, start, shape, indices, meaning, high))
    return tuple(segments)


SEGMENTS: tuple[Segment, ...] = _layout()
"""The layout, in order; the documented table is generated from it."""
OBSERVATION_SIZE: int = SEGMENTS[-1].stop
"""Length of an observation; its dtype is int8."""

(
    _HAND, _PILE, _KNOWN, _DISCARDS, _RUN_COUNTS, _RUNS, _SET_COUNTS, _SETS, _PHASE, _TO_ACT, _DEALER, _HAND_SIZES,
    _STOCK, _TOP_CARD, _NO_RETURN, _MUST_MELD, _PENDING, _POZZETTI, _POZZETTO_SIZES, _TAKEN, _UNPLAYED, _MY_SIDE,
    _NUM_SIDES, _TURN, _TOTALS, _RULES,
) = (segment.start for segment in SEGMENTS)  # fmt: skip

_TOTAL_UNIT = 5
"""Match points are held times two, so a unit is 2.5 points."""


@kernel
def relative_seat(seats: int, me: int, seat: int) -> int:
    """Relative seat of `seat` seen from `me`: ME, NEXT, OPPOSITE or PREVIOUS."""
    distance = (seat - me) % seats
    return PREVIOUS if seats == 3 and distance == 2 else distance


@kernel
def observe(game: Game, me: int, out: Any) -> None:
    """Write what seat `me` knows into `out`, int8[OBSERVATION_SIZE]."""
    out[:] = 0
    seats = int(game["rules"]["seats"])
    for card in range(NUM_CARDS):
        out[_HAND + card] = game["hands"][me, card]
    for index in range(int(game["pile_size"])):
        out[_PILE + int(game["pile"][index])] += 1
    for seat in range(seats):
        if seat != me:
            other = relative_seat(seats, me, seat) - 1
            known, discards = _KNOWN + other * NUM_CARDS, _DISCARDS + other * NUM_CARDS
            for card in range(NUM_CARDS):
                out[known + card] = game["known"][seat, card]
                out[discards + card] = game["discards"][seat, card]
    _observe_melds(game, me, out)
    _observe_seats(game, me, out)
    _observe_table(game, out)
    _observe_rules(game, out)


@kernel
def _side_at(game: Game, me: int, index: int) -> int:
    """Side of an index: 0 my own, 1 the next seat's, 2 the third."""
    mine = int(game["side_of"][me])
    following = int(game["side_of"][(me + 1) % int(game["rules"]["seats"])])
    if index == 0:
        return mine
    if game["num_sides"] == 2:
        return 1 - mine
    return following if index == 1 else 3 - mine - following


@kernel
def _observe_melds(game: Game, me: int, out: Any) -> None:
    for suit in range(NUM_SUITS):
        back = MAX_RUNS
        for index in range(int(game["num_sides"])):
            side = _side_at(game, me, index)
            count = int(game["num_runs"][side, suit])
            if index < 2:
                out[_RUN_COUNTS + 2 * suit + index] = count
            for slot in range(count):
                back -= 1 if index > 0 else 0
                at = _RUNS + (suit * MAX_RUNS + (slot if index == 0 else back)) * 4
                for column in range(4):
                    out[at + column] = game["runs"][side, suit, slot, column]
    for rank in range(NUM_RANKS):
        back = MAX_SETS
        for index in range(int(game["num_sides"])):
            side = _side_at(game, me, index)
            count = int(game["num_sets"][side, rank])
            if count == 0:
                continue
            if index < 2:
                out[_SET_COUNTS + 2 * rank_index(rank) + index] = count
            for slot in range(count):
                back -= 1 if index > 0 else 0
                at = _SETS + (rank_index(rank) * MAX_SETS + (slot if index == 0 else back)) * 3
                naturals = int(game["sets"][side, rank, slot, NATURALS])
                out[at] = (naturals & 3) + 3 * (naturals >> 2 & 3)
                out[at + 1] = (naturals >> 4 & 3) + 3 * (naturals >> 6 & 3)
                out[at + 2] = game["sets"][side, rank, slot, SET_KIND]


@kernel
def _observe_seats(game: Game, me: int, out: Any) -> None:
    seats = int(game["rules"]["seats"])
    out[_TO_ACT + relative_seat(seats, me, int(game["seat"]))] = 1
    out[_DEALER + relative_seat(seats, me, int(game["dealer"]))] = 1
    for seat in range(seats):
        relative = relative_seat(seats, me, seat)
        side = int(game["side_of"][seat])
        out[_HAND_SIZES + relative] = game["hand_sizes"][seat]
        if game["taken_by"][side] == seat:
            out[_TAKEN + relative] = 1
            out[_UNPLAYED + relative] = game["unplayed"][side]
        if side == game["side_of"][me]:
            out[_MY_SIDE + relative] = 1
        units = min(max(int(game["totals"][seat]) // _TOTAL_UNIT, -12_800), 12_799)
        out[_TOTALS + 2 * relative] = units // 100
        out[_TOTALS + 2 * relative + 1] = units % 100
    out[_NUM_SIDES] = game["num_sides"]


@kernel
def _observe_card(card: int, out: Any, at: int) -> None:
    if card >= 0:
        out[at + card // NUM_RANKS] = 1
        out[at + 5] = card % NUM_RANKS + 1 if card < JOKER else 0


@kernel
def _observe_table(game: Game, out: Any) -> None:
    out[_PHASE + int(game["phase"])] = 1
    out[_STOCK] = int(game["stock_size"]) // 10
    out[_STOCK + 1] = int(game["stock_size"]) % 10
    if game["pile_size"] > 0:
        _observe_card(int(game["pile"][int(game["pile_size"]) - 1]), out, _TOP_CARD)
    _observe_card(int(game["no_return"]), out, _NO_RETURN)
    out[_MUST_MELD] = game["must_meld"]
    out[_POZZETTI] = int(game["end_pozzetto"]) - int(game["first_pozzetto"])
    turn = int(game["turn"])
    out[_TURN] = turn // 100
    out[_TURN + 1] = turn // 10 % 10
    out[_TURN + 2] = turn % 10
    pending = int(game["pending"])
    if pending >= 0:
        kind, first, second, third = _pending_numbers(pending)
        out[_PENDING + kind] = 1
        out[_PENDING + 4] = first
        out[_PENDING + 5] = second
        out[_PENDING + 6] = third


@kernel
def _pending_numbers(action: int) -> tuple[int, int, int, int]:
    """Kind of a play that takes a wild (0 new run, 1 new set, 2 on a run, 3 on a set) and the indices of its segment."""
    if action >= LAYOFF_SET:
        rank, slot, suit = layoff_set_indices(action)
        return 3, rank_index(rank), slot, suit
    if action >= LAYOFF_RUN:
        suit, slot, operation = layoff_run_indices(action)
        return 2, suit, slot, operation
    if action >= MELD_SET:
        return 1, rank_index(meld_set_rank(action)), (action - MELD_SET_WILD) % NUM_PAIRS, 0
    suit, lo, pattern = meld_run_indices(action)
    return 0, suit, lo - 1, pattern


@kernel
def _observe_rules(game: Game, out: Any) -> None:
    numbers = game["rules"]["numbers"]
    for index in range(NUM_RULE_NUMBERS):
        out[_RULES + index] = numbers[index]
    for index in range(int(game["rules"]["num_pozzetti"])):
        out[_POZZETTO_SIZES + index] = game["rules"]["pozzetto_sizes"][index]
