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
    """The seat takes a card into its hand."""
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
    """Put a card on top of the discard pile."""
    game["pile"][game["pile_size"]] = card
    game["pile_size"] += 1


@kernel
def _move_card(game: Game, seat: int, card: int, change: int) -> None:
    """SHOW: the card leaves the hand for good. TRY, UNDO: only its count changes, for a trial."""
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
def play_target(game: Game, side: int, action: int) -> tuple[bool, int, int]:
    """Where a play writes: is it a run, its suit or rank, its slot (behind the last if new)."""
    if action < MELD_SET:
        suit = meld_run_indices(action)[0]
        return True, suit, int64(game["num_runs"][side, suit])
    if action < LAYOFF_RUN:
        rank = meld_set_rank(action)
        return False, rank, int64(game["num_sets"][side, rank])
    if action < LAYOFF_SET:
        suit, slot, _ = layoff_run_indices(action)
        return True, suit, slot
    rank, slot, _ = layoff_set_indices(action)
    return False, rank, slot


@kernel
def change_table(
    game: Game, side: int, action: int, kind: int, target: tuple[bool, int, int]
) -> None:
    """Add to the melds what a play adds, without sorting them."""
    is_run, index, slot = target
    if is_run:
        run = game["runs"][side, index, slot]
        if action >= LAYOFF_RUN:
            extend_run(run, index, layoff_run_indices(action)[2], kind)
            return
        _, lo, pattern = meld_run_indices(action)
        run[LO], run[HI], run[KIND] = lo, lo + 2, kind
        run[WILD] = lo + pattern - 1 if pattern > 0 else 0
        game["num_runs"][side, index] = slot + 1
        return
    row = game["sets"][side, index, slot]
    if kind > 0:
        row[SET_KIND] = kind
    if action >= LAYOFF_RUN:
        suit = layoff_set_indices(action)[2]
        if suit < NUM_SUITS:
            row[NATURALS] += 1 << (2 * suit)
        return
    for card in range(3):
        suit = meld_set_suit(action, card)
        if suit >= 0:
            row[NATURALS] += 1 << (2 * suit)
    game["num_sets"][side, index] = slot + 1


@kernel
def read_row(game: Game, side: int, target: tuple[bool, int, int]) -> tuple[int, int, int, int]:
    """The values of a meld, for `restore_table`; zeros where a new meld will be."""
    is_run, index, slot = target
    if is_run:
        run = game["runs"][side, index, slot]
        return int64(run[LO]), int64(run[HI]), int64(run[WILD]), int64(run[KIND])
    row = game["sets"][side, index, slot]
    return int64(row[NATURALS]), int64(row[SET_KIND]), 0, 0


@kernel
def restore_table(
    game: Game, side: int, target: tuple[bool, int, int], old: tuple[int, int, int, int]
) -> None:
    """Undo `change_table`."""
    is_run, index, slot = target
    if is_run:
        run = game["runs"][side, index, slot]
        run[LO], run[HI], run[WILD], run[KIND] = old
        if old[0] == 0:
            game["num_runs"][side, index] = slot
    else:
        row = game["sets"][side, index, slot]
        row[NATURALS], row[SET_KIND] = old[0], old[1]
        if old[0] == 0:
            game["num_sets"][side, index] = slot
