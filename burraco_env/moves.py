"""Moving cards between hand, pile and table: what a play does, and undoing it."""

from __future__ import annotations

from burraco_env._jit import int64, kernel
from burraco_env.actions import (
    LAYOFF_RUN,
    LAYOFF_SET,
    MELD_SET,
    layoff_run_indices,
    layoff_set_indices,
    meld_run_indices,
    meld_set_rank,
    meld_set_suit,
)
from burraco_env.cards import KIND_CARDS, NUM_RANKS, NUM_SUITS
from burraco_env.melds import card_at, extend_run, natural_place
from burraco_env.state import HI, KIND, LO, NATURALS, NO_CARD, SET_KIND, WILD, Game

# Numba compiles a kernel anew for each literal argument; a typed constant is none.
TRY, SHOW, UNDO = int64(-1), int64(0), int64(1)


@kernel
def into_hand(game: Game, seat: int, card: int) -> None:
    game["hands"][seat, card] += 1
    game["hand_sizes"][seat] += 1


@kernel
def out_of_hand(game: Game, seat: int, card: int) -> None:
    """The seat shows a card of its hand."""
    game["hands"][seat, card] -= 1
    game["hand_sizes"][seat] -= 1
    if game["known"][seat, card] > 0:
        game["known"][seat, card] -= 1
    if game["no_return"] == card and game["hands"][seat, card] == 0:
        game["no_return"] = NO_CARD


@kernel
def onto_pile(game: Game, card: int) -> None:
    game["pile"][game["pile_size"]] = card
    game["pile_size"] += 1


@kernel
def _move_card(game: Game, seat: int, card: int, change: int) -> None:
    """SHOW: the card leaves the hand for good. TRY and UNDO: only the hand's count changes, for a trial."""
    if change == SHOW:
        out_of_hand(game, seat, card)
    else:
        game["hands"][seat, card] += change


@kernel
def move_cards(game: Game, seat: int, action: int, kind: int, change: int) -> None:
    """Move the cards of a play, see `_move_card`. The table is as it was before the play."""
    if kind > 0:
        _move_card(game, seat, int64(KIND_CARDS[kind]), change)
    if action < MELD_SET:
        suit, lo, pattern = meld_run_indices(action)
        for offset in range(3):
            if offset != pattern - 1:
                _move_card(game, seat, card_at(suit, lo + offset), change)
    elif action < LAYOFF_RUN:
        for index in range(3):
            suit = meld_set_suit(action, index)
            if suit >= 0:
                _move_card(game, seat, suit * NUM_RANKS + meld_set_rank(action), change)
    elif action < LAYOFF_SET:
        suit, slot, operation = layoff_run_indices(action)
        run = game["runs"][game["side_of"][seat], suit, slot]
        place = natural_place(game["rules"], run, operation)
        if place > 0:
            _move_card(game, seat, card_at(suit, place), change)
    else:
        rank, _, suit = layoff_set_indices(action)
        if suit < NUM_SUITS:
            _move_card(game, seat, suit * NUM_RANKS + rank, change)


@kernel
def change_table(game: Game, side: int, action: int, kind: int) -> tuple[int, int, int, int, int]:
    """Add to the melds what a play adds, without sorting. Returns the slot and the four old values of its row."""
    if action < MELD_SET:
        suit, lo, pattern = meld_run_indices(action)
        slot = int64(game["num_runs"][side, suit])
        game["num_runs"][side, suit] = slot + 1
        run = game["runs"][side, suit, slot]
        run[LO], run[HI] = lo, lo + 2
        run[WILD], run[KIND] = (lo + pattern - 1 if pattern > 0 else 0), kind
        return slot, 0, 0, 0, 0
    if action < LAYOFF_RUN:
        rank = meld_set_rank(action)
        slot = int64(game["num_sets"][side, rank])
        game["num_sets"][side, rank] = slot + 1
        naturals = 0
        for index in range(3):
            suit = meld_set_suit(action, index)
            if suit >= 0:
                naturals += 1 << (2 * suit)
        row = game["sets"][side, rank, slot]
        row[NATURALS], row[SET_KIND] = naturals, kind
        return slot, 0, 0, 0, 0
    if action < LAYOFF_SET:
        suit, slot, operation = layoff_run_indices(action)
        run = game["runs"][side, suit, slot]
        lo, hi, wild, old_kind = int64(run[LO]), int64(run[HI]), int64(run[WILD]), int64(run[KIND])
        extend_run(run, suit, operation, kind)
        return slot, lo, hi, wild, old_kind
    rank, slot, suit = layoff_set_indices(action)
    row = game["sets"][side, rank, slot]
    naturals, set_kind = int64(row[NATURALS]), int64(row[SET_KIND])
    if suit < NUM_SUITS:
        row[NATURALS] = naturals + (1 << (2 * suit))
    else:
        row[SET_KIND] = kind
    return slot, naturals, set_kind, 0, 0


@kernel
def restore_table(game: Game, side: int, action: int, rows: tuple[int, int, int, int, int]) -> None:
    """Undo `change_table`."""
    slot = rows[0]
    if action < MELD_SET:
        game["num_runs"][side, meld_run_indices(action)[0]] = slot
    elif action < LAYOFF_RUN:
        game["num_sets"][side, meld_set_rank(action)] = slot
    elif action < LAYOFF_SET:
        run = game["runs"][side, layoff_run_indices(action)[0], slot]
        run[LO], run[HI], run[WILD], run[KIND] = rows[1], rows[2], rows[3], rows[4]
    else:
        row = game["sets"][side, layoff_set_indices(action)[0], slot]
        row[NATURALS], row[SET_KIND] = rows[1], rows[2]
