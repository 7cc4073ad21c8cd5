"""What may be the last card, and the plays that would leave a seat stuck (spec 7)."""

from __future__ import annotations

from typing import Any

from burraco_env._jit import int64, kernel
from burraco_env.actions import (
    LAYOFF_RUN,
    LAYOFF_SET,
    MELD_SET,
    layoff_run_indices,
    meld_run_indices,
    wild_needed,
)
from burraco_env.cards import JOKER, KIND_CARDS, NUM_CARDS, NUM_KINDS, NUM_RANKS, NUM_SUITS, TWO
from burraco_env.melds import (
    MAX_SET_NATURALS,
    NUM_OPERATIONS,
    card_at,
    has_burraco_to_close,
    kinds_at,
    may_be_wild,
    natural_place,
    set_size,
    wild_place,
)
from burraco_env.moves import (
    TRY,
    UNDO,
    change_table,
    move_cards,
    play_target,
    read_row,
    restore_table,
)
from burraco_env.pozzetti import pozzetto_to_take
from burraco_env.state import NO_CARD, NOBODY, SET_KIND, Game

NO_WILD = int64(1)
"""The bit of kind 0 alone: the play takes no wild from the hand."""


@kernel
def may_close(game: Game, side: int) -> bool:
    """Whether a side that cannot take a pozzetto has what a closing needs (spec 7)."""
    if game["taken_by"][side] == NOBODY and not game["rules"]["close_if_none_left"]:
        return False
    return has_burraco_to_close(game, side)


@kernel
def can_discard(game: Game, side: int, card: int, size: int) -> bool:
    """Whether a card of a hand of `size` cards may be discarded; no meld is owed (spec 4 and 7)."""
    if card == game["no_return"]:
        return False
    if size > 1 or pozzetto_to_take(game, side):
        return True
    rules = game["rules"]
    if not rules["wild_final_discard"] and may_be_wild(card):
        return False
    return may_close(game, side)


@kernel
def kinds_in_hand(hand: Any) -> int:
    """Bit k: the hand holds a wild of kind k."""
    kinds = 0
    for kind in range(1, NUM_KINDS + 1):
        if hand[KIND_CARDS[kind]] > 0:
            kinds |= 1 << kind
    return kinds


@kernel
def run_kinds(game: Game, hand: Any, suit: int, lo: int, wild: int, kinds: int) -> int:
    """Kinds of wild of the hand that a new run from `lo` may have at place `wild`."""
    if lo <= 2 and wild != 2:  # the two of the suit is laid as a natural
        if wild == 3 and game["rules"]["natural_two_needs_three"]:
            return 0
        if hand[suit * NUM_RANKS + TWO] < 2:
            kinds &= ~(1 << (suit + 1))
    return kinds & kinds_at(suit, wild)


@kernel
def wild_kinds(game: Game, action: int) -> int:
    """Kinds of wild (bits) with which a play can be made now; NO_WILD if it takes none."""
    place = wild_needed(game, action)
    if place < 0:
        return NO_WILD
    hand = game["hands"][game["seat"]]
    kinds = kinds_in_hand(hand)
    if action < MELD_SET:
        suit, lo, _ = meld_run_indices(action)
        kinds = run_kinds(game, hand, suit, lo, place, kinds)
    elif LAYOFF_RUN <= action < LAYOFF_SET:
        kinds &= kinds_at(layoff_run_indices(action)[0], place)
    return usable_kinds(game, action, kinds)


@kernel
def usable_kinds(game: Game, action: int, kinds: int) -> int:
    """The kinds among `kinds` (bits) with which a play leaves a decision (spec 7, never stuck)."""
    seat = game["seat"]
    left = game["hand_sizes"][seat] - (3 if action < LAYOFF_RUN else 1)
    if left >= 2:
        return kinds
    side = game["side_of"][seat]
    if left <= 0:
        return kinds if left == 0 and pozzetto_to_take(game, side) else 0
    usable = 0
    for kind in range(NUM_KINDS + 1):
        if (kinds >> kind) & 1 and _leaves_a_decision(game, seat, side, action, kind):
            usable |= 1 << kind
    return usable


@kernel
def _leaves_a_decision(game: Game, seat: int, side: int, action: int, kind: int) -> bool:
    """Whether the single card that the play leaves can be discarded or laid off.

    Tries the play and takes it back.
    """
    move_cards(game, seat, action, kind, TRY)
    target = play_target(game, side, action)
    old = read_row(game, side, target)
    change_table(game, side, action, kind, target)
    left = int64(NO_CARD)
    for card in range(NUM_CARDS):
        if game["hands"][seat, card] > 0:
            left = card
    fine = can_discard(game, side, left, int64(1))
    if not fine and pozzetto_to_take(game, side):
        fine = _can_lay_off(game, side, left)
    restore_table(game, side, target, old)
    move_cards(game, seat, action, kind, UNDO)
    return fine


@kernel
def _can_lay_off(game: Game, side: int, card: int) -> bool:
    """Whether section 5 lets the card be laid off, as itself or as a wild."""
    rules = game["rules"]
    kind = 0
    for candidate in range(1, NUM_KINDS + 1):
        if KIND_CARDS[candidate] == card:
            kind = candidate
    for suit in range(NUM_SUITS):
        for slot in range(int64(game["num_runs"][side, suit])):
            run = game["runs"][side, suit, slot]
            for operation in range(NUM_OPERATIONS):
                place = natural_place(rules, run, operation)
                if place > 0 and card_at(suit, place) == card:
                    return True
                if (
                    place == 0
                    and kind > 0
                    and (kinds_at(suit, wild_place(run, operation)) >> kind) & 1
                ):
                    return True
    for rank in range(NUM_RANKS):
        for slot in range(int64(game["num_sets"][side, rank])):
            row = game["sets"][side, rank, slot]
            if kind > 0 and row[SET_KIND] == 0:
                return True
            if card < JOKER and card % NUM_RANKS == rank and set_size(row) < MAX_SET_NATURALS:
                return True
    return False
