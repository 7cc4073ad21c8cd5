"""The state of a game: one field table, from which the record type is built.

A batch of games is a NumPy structured array of `GAME_DTYPE`, one record a game. Kernels take one
record and read and write its fields (`game["hands"][seat, card]`). A record holds its own rules and
its own random generator, so copying the record copies the game, and games of different rules fit in
one batch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from burraco_env._jit import kernel
from burraco_env.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS, RANKS, SUITS
from burraco_env.rules import MAX_POZZETTI, MAX_POZZETTO_SIZE, MAX_SEATS, Rules

Game: TypeAlias = Any
"""One record of a batch: `numpy.void` of `GAME_DTYPE` outside kernels, a numba record inside."""

MAX_SIDES = 3
MAX_COUNT = 127
"""Largest count of an int8; only the discards of one card can reach it."""
MAX_CARDS = 112
"""Room for the largest deck: 2 x 52 cards and 4 jokers, rounded up."""

# Bounds that no deck can pass (two copies, four jokers), so that nothing ever has to be masked
# away:
# * n runs of a suit, w of them with a wild, need at least 3n - w naturals. There are 24 beside the
#   twos, t twos that stay natural, and 12 - t wilds at most (4 jokers, 6 twos of other suits, 2 - t
#   of the suit): 3n <= 24 + t + 12 - t, n <= 12.
# * sets of a rank: 8 naturals, at least two in each.
MAX_RUNS = 12
MAX_SETS = 4

LO, HI, WILD, KIND = range(4)
"""Columns of a run: lowest place, highest place, place and kind of its wild (0: none)."""
NATURALS, SET_KIND = range(2)
"""Columns of a set: copies of each suit, two bits each from clubs up; kind of its wild or 0."""

DRAW_PHASE, PLAY_PHASE, WILD_PHASE, OVER_PHASE = range(4)
PHASES = ("draw", "play", "wild", "over")

NOT_OVER, CLOSED, EXHAUSTED, STALEMATE = range(4)
OUTCOMES = (None, "closed", "exhausted", "stalemate")

NO_CARD = -1
NOBODY = -1
NO_ACTION = -1

ROYAL_NO, ROYAL_FITAB, ROYAL_REALE = range(3)


def _number(name: str, rules: Rules) -> int:
    return int(getattr(rules, name))


def _has(name: str, letter: str, rules: Rules) -> int:
    return int(letter in getattr(rules, name))


_ROYAL = {"no": ROYAL_NO, "fitab": ROYAL_FITAB, "reale": ROYAL_REALE}

RULE_NUMBERS: tuple[tuple[str, Callable[[Rules], int]], ...] = (
    *((name, partial(_number, name)) for name in (
        "seats", "copies", "jokers", "hand_size", "dead_stock", "burraco_size",
        "semi_clean_set_max", "pickup_top", "pickup_needs_meld", "ace_both_ends",
        "natural_two_needs_three", "wild_slides", "two_may_turn_wild", "one_set_per_rank",
        "pozzetti_refill_stock", "wild_final_discard", "semi_clean", "super_set",
        "waive_pozzetto_penalty",
    )),
    ("burraco_to_close is clean", lambda rules: int(rules.burraco_to_close == "clean")),
    ("pozzetto_to_close is unless_none_left",
     lambda rules: int(rules.pozzetto_to_close == "unless_none_left")),
    ("royal_run is fitab", lambda rules: int(rules.royal_run == "fitab")),
    ("royal_run is reale", lambda rules: int(rules.royal_run == "reale")),
    *((f"sets of {rank}", partial(_has, "set_ranks", rank)) for rank in RANKS if rank != "2"),
    ("unplayed_pozzetto_penalty / 10", lambda rules: rules.unplayed_pozzetto_penalty // 10),
    ("max_turns / 100", lambda rules: min(rules.max_turns // 100, 100)),
    ("max_turns % 100", lambda rules: rules.max_turns % 100),
    ("match_target / 500", lambda rules: min((rules.match_target or 0) // 500, 127)),
    ("match_target % 500 / 5", lambda rules: (rules.match_target or 0) % 500 // 5),
    ("match_deals", lambda rules: min(rules.match_deals or 0, 127)),
    *((f"rank {rank} in the deck", partial(_has, "ranks", rank)) for rank in RANKS),
    *((f"suit {suit} in the deck", partial(_has, "suits", suit)) for suit in SUITS),
)  # fmt: skip
"""The part of an observation that says the rules: name and value of each number, from 0 to 127."""
NUM_RULE_NUMBERS = len(RULE_NUMBERS)

RULE_FIELDS: tuple[tuple[str, Any, str], ...] = (
    ("seats", np.int64, "number of seats"),
    ("ranks", np.int64, "bit r: rank r is in the deck"),
    ("suits", np.int64, "bit s: suit s is in the deck"),
    ("places", np.int64, "bit p: place p of a run exists (1 to 14)"),
    ("set_ranks", np.int64, "bit r: rank r may form sets"),
    ("copies", np.int64, "copies of each card"),
    ("jokers", np.int64, "jokers in the deck"),
    ("hand_size", np.int64, "cards dealt to each seat"),
    ("num_pozzetti", np.int64, "pozzetti dealt"),
    ("pozzetto_sizes", (np.int64, (MAX_POZZETTI,)), "their sizes"),
    ("pickup_top", np.int64, "flag"),
    ("pickup_needs_meld", np.int64, "flag"),
    ("ace_both_ends", np.int64, "flag"),
    ("natural_two_needs_three", np.int64, "flag"),
    ("wild_slides", np.int64, "flag"),
    ("two_may_turn_wild", np.int64, "flag"),
    ("one_set_per_rank", np.int64, "flag"),
    ("pozzetti_refill_stock", np.int64, "flag"),
    ("dead_stock", np.int64, "cards of the stock that are not played"),
    ("clean_to_close", np.int64, "flag: burraco_to_close is clean"),
    ("close_if_none_left", np.int64, "flag: pozzetto_to_close is unless_none_left"),
    ("wild_final_discard", np.int64, "flag"),
    ("max_turns", np.int64, "turns after which a deal is a stalemate"),
    ("burraco_size", np.int64, "cards that make a meld a burraco"),
    ("semi_clean", np.int64, "flag"),
    ("semi_clean_set_max", np.int64, "largest semi-clean set"),
    ("royal_run", np.int64, "0 no, 1 fitab, 2 reale"),
    ("super_set", np.int64, "flag"),
    ("waive_pozzetto_penalty", np.int64, "flag"),
    ("unplayed_pozzetto_penalty", np.int64, "points"),
    (
        "numbers",
        (np.int8, (NUM_RULE_NUMBERS,)),
        "what observations say of the rules, see RULE_NUMBERS",
    ),
)
RULES_DTYPE = np.dtype([(name, kind) for name, kind, _ in RULE_FIELDS], align=True)

GAME_FIELDS: tuple[tuple[str, Any, str], ...] = (
    ("rules", RULES_DTYPE, "the rules, see RULE_FIELDS"),
    ("generator", np.uint64, "state of the game's own random generator"),
    ("seat", np.int64, "seat to act; when over, the seat that moved last"),
    ("phase", np.int64, "0 draw, 1 play, 2 wild, 3 over"),
    ("dealer", np.int64, "seat of the dealer"),
    ("turn", np.int64, "completed turns of this deal"),
    ("num_sides", np.int64, "sides: 2, or 3 with three seats before a soloist"),
    ("side_of", (np.int64, (MAX_SEATS,)), "side of each seat"),
    ("hand_sizes", (np.int64, (MAX_SEATS,)), "cards in each hand"),
    ("hands", (np.int8, (MAX_SEATS, NUM_CARDS)), "copies of each card in each hand"),
    ("stock_size", np.int64, "cards in the stock"),
    ("stock", (np.int8, (MAX_CARDS,)), "the stock; the next card drawn is the last of it"),
    ("pile_size", np.int64, "cards in the discard pile"),
    ("pile", (np.int8, (MAX_CARDS,)), "the discard pile, bottom first"),
    ("pozzetti", (np.int8, (MAX_POZZETTI, MAX_POZZETTO_SIZE)), "the pozzetti, in their order"),
    ("first_pozzetto", np.int64, "index of the next pozzetto to be taken"),
    ("end_pozzetto", np.int64, "index behind the last untaken pozzetto"),
    ("taken_by", (np.int64, (MAX_SIDES,)), "seat that took the side's pozzetto, or -1"),
    ("unplayed", (np.int64, (MAX_SIDES,)), "1: that seat has not played since it took it"),
    ("num_runs", (np.int8, (MAX_SIDES, NUM_SUITS)), "runs of each side and suit"),
    ("runs", (np.int8, (MAX_SIDES, NUM_SUITS, MAX_RUNS, 4)), "LO HI WILD KIND, in order"),
    ("num_sets", (np.int8, (MAX_SIDES, NUM_RANKS)), "sets of each side and rank"),
    ("sets", (np.uint8, (MAX_SIDES, NUM_RANKS, MAX_SETS, 2)), "NATURALS KIND, in order"),
    ("no_return", np.int64, "card that may not be discarded in this turn, or -1"),
    ("must_meld", np.int64, "1: a meld or lay-off is owed before the discard"),
    ("pending", np.int64, "in phase wild: the action whose wild is chosen, else -1"),
    ("outcome", np.int64, "0 not over, 1 closed, 2 exhausted, 3 stalemate"),
    ("closed_by", np.int64, "seat that closed, or -1"),
    ("known", (np.int8, (MAX_SEATS, NUM_CARDS)), "cards all know to be in each hand"),
    (
        "discards",
        (np.int8, (MAX_SEATS, NUM_CARDS)),
        "how often each seat discarded each card, up to 127",
    ),
    ("totals", (np.int64, (MAX_SEATS,)), "match points of each seat before this deal, times two"),
)
GAME_DTYPE = np.dtype([(name, kind) for name, kind, _ in GAME_FIELDS], align=True)


def new_games(rules: Rules, count: int) -> npt.NDArray[np.void]:
    """A batch of records with these rules and everything else zero, `GAME_DTYPE`[count]."""
    games = np.zeros(count, dtype=GAME_DTYPE)
    games["rules"] = rules_record(rules)
    return games


def rules_record(rules: Rules) -> npt.NDArray[np.void]:
    """The rules as the kernels read them: a 0-d array of `RULES_DTYPE`."""
    record = np.zeros((), dtype=RULES_DTYPE)
    for name in RULES_DTYPE.names or ():
        if name in _DERIVED:
            record[name] = _DERIVED[name](rules)
        else:
            record[name] = getattr(rules, name)
    return record


def _bits(letters: str, alphabet: str) -> int:
    return sum(1 << alphabet.index(letter) for letter in letters)


@kernel
def places_of(ranks: int) -> int:
    """Places of a run that exist with these ranks in the deck, both as bits (`RULE_FIELDS`)."""
    return ranks << 1 | (ranks & 1) << 14  # the ace fills places 1 and 14


def _pozzetto_sizes(rules: Rules) -> list[int]:
    return [*rules.pozzetto_sizes, *[0] * (MAX_POZZETTI - len(rules.pozzetto_sizes))]


_DERIVED: dict[str, Any] = {
    "ranks": lambda rules: _bits(rules.ranks, RANKS),
    "suits": lambda rules: _bits(rules.suits, SUITS),
    "places": lambda rules: places_of(_bits(rules.ranks, RANKS)),
    "set_ranks": lambda rules: _bits(rules.set_ranks, RANKS) & _bits(rules.ranks, RANKS),
    "num_pozzetti": lambda rules: len(rules.pozzetto_sizes),
    "pozzetto_sizes": _pozzetto_sizes,
    "clean_to_close": lambda rules: rules.burraco_to_close == "clean",
    "close_if_none_left": lambda rules: rules.pozzetto_to_close == "unless_none_left",
    "royal_run": lambda rules: _ROYAL[rules.royal_run],
    "numbers": lambda rules: [value(rules) for _, value in RULE_NUMBERS],
}
