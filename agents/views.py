"""Reading an observation in kernels: where things stand in it, and what fits the melds.

The geometry of melds is the engine's (`burraco_env.melds`); nothing here is a rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from burraco_env._jit import int64, kernel
from burraco_env.actions import NUM_SET_RANKS, index_rank, rank_index
from burraco_env.cards import NUM_RANKS, NUM_SUITS, TWO
from burraco_env.melds import (
    JUMP,
    MAX_SET_NATURALS,
    NUM_OPERATIONS,
    card_at,
    natural_place,
)
from burraco_env.observations import SEGMENTS, card_read
from burraco_env.rules import MAX_SEATS
from burraco_env.state import HI, LO, MAX_RUNS, MAX_SETS, RULE_NUMBERS, RULES_DTYPE, WILD

_START = {part.name: int64(part.start) for part in SEGMENTS}
_RULE = {name: int64(_START["rules"] + i) for i, (name, _) in enumerate(RULE_NUMBERS)}

HAND, PILE, KNOWN, DISCARDS, PHASE, HAND_SIZES, TOP_CARD = (
    _START[n] for n in ("hand", "pile", "known", "discards", "phase", "hand_sizes", "top_card")
)
RUN_COUNTS, RUNS, SET_COUNTS, SETS = (
    _START[n] for n in ("run_counts", "runs", "set_counts", "sets")
)
STOCK, PENDING, POZZETTI, TAKEN, MY_SIDE, TURN = (
    _START[n] for n in ("stock", "pending", "pozzetti", "taken", "my_side", "turn")
)
SEATS, COPIES, JOKERS, BURRACO_SIZE, DEAD_STOCK, ONE_SET_PER_RANK = (
    _RULE[n]
    for n in ("seats", "copies", "jokers", "burraco_size", "dead_stock", "one_set_per_rank")
)
CLEAN_TO_CLOSE = _RULE["burraco_to_close is clean"]
TOP_ALONE, NEEDS_MELD = _RULE["pickup_top"], _RULE["pickup_needs_meld"]
CLOSE_IF_NONE_LEFT = _RULE["pozzetto_to_close is unless_none_left"]
SETS_ALLOWED = _RULE["sets of A"]
"""First of the flags that say which ranks may form sets, in order of `rank_index`."""

MINE, THEIRS = range(2)


def rules_scratch() -> npt.NDArray[np.void]:
    """Room for `restore_rules`, `RULES_DTYPE`[1]."""
    return np.zeros(1, dtype=RULES_DTYPE)


@kernel
def run_at(observation: Any, suit: int, slot: int) -> Any:
    """A run of the table, a row as `melds` reads it; its LO is 0 where there is none."""
    start = RUNS + (suit * MAX_RUNS + slot) * 4
    return observation[start : start + 4]


@kernel
def run_length(run: Any) -> int:
    """Cards of a run."""
    return int64(run[HI]) - int64(run[LO]) + 1


@kernel
def set_copies(observation: Any, index: int, slot: int, suit: int) -> int:
    """Copies of a suit's natural in a set; `index`: as `rank_index`."""
    packed = int64(observation[SETS + (index * MAX_SETS + slot) * 3 + suit // 2])
    return packed % 3 if suit % 2 == 0 else packed // 3


@kernel
def set_at(observation: Any, index: int, slot: int) -> tuple[int, int]:
    """Naturals of a set and the kind of its wild; `index`: as `rank_index`. No set: (0, 0)."""
    start = SETS + (index * MAX_SETS + slot) * 3
    naturals = 0
    for half in range(2):
        packed = int64(observation[start + half])
        naturals += packed % 3 + packed // 3
    return naturals, int64(observation[start + 2])


@kernel
def mark_fits(observation: Any, rules: Any, fits: Any) -> None:
    """Write how long the longest meld becomes on which a natural of each card can be laid off.

    `fits` is int64[2, NUM_CARDS]: the melds of my side, those of the others; 0: it fits none. The
    card that would turn a natural two into a wild does not count. `rules`: from `restore_rules`.
    """
    fits[:, :] = 0
    for suit in range(NUM_SUITS):
        mine = int64(observation[RUN_COUNTS + 2 * suit])
        for slot in range(MAX_RUNS):
            run = run_at(observation, suit, slot)
            if run[LO] == 0:
                continue
            whose = MINE if slot < mine else THEIRS
            length = run_length(run) + 1
            for operation in range(NUM_OPERATIONS):
                place = natural_place(rules, run, operation)
                if place > 0 and not (operation == JUMP and run[WILD] == 0):
                    card = card_at(suit, place)
                    fits[whose, card] = max(fits[whose, card], length)
    for index in range(NUM_SET_RANKS):
        mine = int64(observation[SET_COUNTS + 2 * index])
        for slot in range(MAX_SETS):
            naturals, kind = set_at(observation, index, slot)
            if naturals == 0 or naturals == MAX_SET_NATURALS:
                continue
            whose = MINE if slot < mine else THEIRS
            length = naturals + (2 if kind > 0 else 1)
            for suit in range(NUM_SUITS):
                card = suit * NUM_RANKS + index_rank(index)
                fits[whose, card] = max(fits[whose, card], length)


@kernel
def hand_size(observation: Any) -> int:
    """Cards in my hand."""
    return int64(observation[HAND_SIZES])


@kernel
def sets_allowed(observation: Any, rank: int) -> bool:
    """Whether the rank may form sets."""
    return rank != TWO and observation[SETS_ALLOWED + rank_index(rank)] != 0


@kernel
def set_is_closed(observation: Any, rank: int) -> bool:
    """Whether my side has a set of the rank, and may not start a second one."""
    if observation[ONE_SET_PER_RANK] == 0:
        return False
    return bool(observation[SET_COUNTS + 2 * rank_index(rank)] > 0)


@kernel
def top_card(observation: Any) -> int:
    """Top card of the pile; NO_CARD: the pile is empty."""
    return card_read(observation[TOP_CARD : TOP_CARD + 6])


@kernel
def of_rank(cards: Any, rank: int) -> int:
    """Cards of a rank among counts of cards, such as those of a hand."""
    count = int64(0)
    for suit in range(NUM_SUITS):
        count += int64(cards[suit * NUM_RANKS + rank])
    return count


@kernel
def stock_size(observation: Any) -> int:
    """Cards in the stock."""
    return int64(observation[STOCK]) * 10 + int64(observation[STOCK + 1])


@kernel
def turn(observation: Any) -> int:
    """Completed turns of the deal."""
    row = observation[TURN : TURN + 3]
    return int64(row[0]) * 100 + int64(row[1]) * 10 + int64(row[2])


@kernel
def side_took_pozzetto(observation: Any, mine: bool) -> bool:
    """Whether my side (or not `mine`: every other seat's side) has taken a pozzetto."""
    for relative in range(MAX_SEATS):
        if observation[TAKEN + relative] and (observation[MY_SIDE + relative] != 0) == mine:
            return True
    return False


@kernel
def smallest_hand(observation: Any) -> int:
    """Cards of the other side's seat with the fewest."""
    smallest = int64(127)
    for relative in range(1, MAX_SEATS):
        size = int64(observation[HAND_SIZES + relative])
        if size > 0 and observation[MY_SIDE + relative] == 0:
            smallest = min(smallest, size)
    return smallest


@kernel
def cards_held(observation: Any, mine: bool) -> int:
    """Cards in the hands of the others of my side, or of the seats that are not of my side."""
    cards = int64(0)
    for relative in range(1, MAX_SEATS):
        if (observation[MY_SIDE + relative] != 0) == mine:
            cards += int64(observation[HAND_SIZES + relative])
    return cards


@kernel
def _is_burraco(observation: Any, cards: int, wild: bool) -> bool:
    """Whether a meld of so many cards is a burraco with which a side may close."""
    return cards >= observation[BURRACO_SIZE] and not (wild and observation[CLEAN_TO_CLOSE] != 0)


@kernel
def has_burraco(observation: Any, mine: bool) -> bool:
    """Whether my side (or not `mine`: another one) has a burraco with which it may close."""
    for suit in range(NUM_SUITS):
        own = int64(observation[RUN_COUNTS + 2 * suit])
        for slot in range(0 if mine else own, own if mine else MAX_RUNS):
            run = run_at(observation, suit, slot)
            if run[LO] > 0 and _is_burraco(observation, run_length(run), run[WILD] > 0):
                return True
    for index in range(NUM_SET_RANKS):
        own = int64(observation[SET_COUNTS + 2 * index])
        for slot in range(0 if mine else own, own if mine else MAX_SETS):
            naturals, kind = set_at(observation, index, slot)
            if naturals > 0 and _is_burraco(observation, naturals + int64(kind > 0), kind > 0):
                return True
    return False
