"""Pozzetti, and with three seats the soloist whom the first of them makes (spec 6 and 9)."""

from __future__ import annotations

from burraco_env._jit import int64, kernel
from burraco_env.cards import NUM_RANKS, NUM_SUITS
from burraco_env.melds import add_run, add_set
from burraco_env.moves import into_hand
from burraco_env.state import MAX_RUNS, NOBODY, Game

_PAIR_SIDE = int64(1)  # typed, see moves.py


@kernel
def can_refill(game: Game) -> bool:
    """Whether an untaken pozzetto can refill the stock (spec 6)."""
    left = game["first_pozzetto"] < game["end_pozzetto"]
    return bool(game["rules"]["pozzetti_refill_stock"] != 0 and left)


@kernel
def refill_stock(game: Game) -> None:
    """Turn the last untaken pozzetto into the stock, its first card on top (spec 6)."""
    last = game["end_pozzetto"] - 1
    game["end_pozzetto"] = last
    size = game["rules"]["pozzetto_sizes"][last]
    for index in range(size):
        game["stock"][size - 1 - index] = game["pozzetti"][last, index]
    game["stock_size"] = size


@kernel
def pozzetto_to_take(game: Game, side: int) -> bool:
    """Whether a seat of the side that empties its hand takes a pozzetto (spec 6)."""
    left = game["first_pozzetto"] < game["end_pozzetto"]
    return bool(game["taken_by"][side] == NOBODY and left)


@kernel
def take_pozzetto(game: Game, seat: int) -> None:
    """The seat takes the next pozzetto; with three seats it may become the soloist (spec 6, 9)."""
    taken = game["first_pozzetto"]
    game["first_pozzetto"] = taken + 1
    for index in range(game["rules"]["pozzetto_sizes"][taken]):
        into_hand(game, seat, int64(game["pozzetti"][taken, index]))
    if game["num_sides"] == 3 and game["rules"]["num_pozzetti"] < 3:
        _make_soloist(game, seat)
    side = game["side_of"][seat]
    game["taken_by"][side] = seat
    game["unplayed"][side] = 1


@kernel
def _make_soloist(game: Game, seat: int) -> None:
    """Side 0 becomes the soloist, side 1 the pair with the melds of both (spec 9).

    So far side i is seat i.
    """
    if seat != 0:
        _swap_melds(game, 0, seat)
    for suit in range(NUM_SUITS):
        for slot in range(int64(game["num_runs"][2, suit])):
            add_run(game, _PAIR_SIDE, suit, game["runs"][2, suit, slot])
    for rank in range(NUM_RANKS):
        for slot in range(int64(game["num_sets"][2, rank])):
            add_set(game, _PAIR_SIDE, rank, game["sets"][2, rank, slot])
    game["num_runs"][2, :] = 0
    game["num_sets"][2, :] = 0
    set_soloist(game, seat)


@kernel
def set_soloist(game: Game, seat: int) -> None:
    """Number the sides of three seats: side 0 is the soloist, side 1 the pair."""
    game["num_sides"] = 2
    for other in range(3):
        game["side_of"][other] = 0 if other == seat else 1


@kernel
def _swap_melds(game: Game, side: int, other: int) -> None:
    for suit in range(NUM_SUITS):
        for slot in range(MAX_RUNS):
            for column in range(4):
                kept = game["runs"][side, suit, slot, column]
                game["runs"][side, suit, slot, column] = game["runs"][other, suit, slot, column]
                game["runs"][other, suit, slot, column] = kept
        count = game["num_runs"][side, suit]
        game["num_runs"][side, suit] = game["num_runs"][other, suit]
        game["num_runs"][other, suit] = count
    for rank in range(NUM_RANKS):
        for slot in range(game["sets"].shape[2]):
            for column in range(2):
                value = game["sets"][side, rank, slot, column]
                game["sets"][side, rank, slot, column] = game["sets"][other, rank, slot, column]
                game["sets"][other, rank, slot, column] = value
        number = game["num_sets"][side, rank]
        game["num_sets"][side, rank] = game["num_sets"][other, rank]
        game["num_sets"][other, rank] = number
