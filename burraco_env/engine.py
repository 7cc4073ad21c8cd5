"""The rules of play as kernels: dealing, and a legal/apply pair for each phase (spec 3 to 9).

Kernels take one game record. `legal` writes the ids of the legal actions; `apply` carries one of
them out and trusts that it is legal: the Python edge checks. There is no second implementation of a
rule in the package.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from burraco_env._jit import int64, kernel
from burraco_env.actions import (
    DISCARD,
    DRAW_STOCK,
    LAYOFF_RUN,
    LAYOFF_SET,
    LAYOFF_SET_SLOTS,
    MELD_RUN,
    MELD_SET,
    MELD_SET_WILD,
    NUM_PAIRS,
    NUM_PATTERNS,
    NUM_TRIPLES,
    NUM_WINDOWS,
    PICKUP,
    PICKUP_TOP,
    SET_CARDS,
    WILD_CHOICE,
    rank_index,
)
from burraco_env.cards import JOKER, NUM_CARDS, NUM_KINDS, NUM_RANKS, NUM_SUITS, TWO
from burraco_env.closing import (
    NO_WILD,
    can_discard,
    kinds_in_hand,
    run_kinds,
    usable_kinds,
    wild_kinds,
)
from burraco_env.generator import next_below
from burraco_env.melds import (
    MAX_SET_NATURALS,
    NUM_OPERATIONS,
    PAIRS,
    TRIPLES,
    kinds_at,
    natural_place,
    set_size,
    sort_runs,
    sort_sets,
    wild_place,
)
from burraco_env.moves import (
    SHOW,
    change_table,
    into_hand,
    move_cards,
    onto_pile,
    out_of_hand,
    play_target,
)
from burraco_env.pozzetti import can_refill, pozzetto_to_take, refill_stock, take_pozzetto
from burraco_env.state import (
    CLOSED,
    DRAW_PHASE,
    EXHAUSTED,
    HI,
    LO,
    MAX_CARDS,
    MAX_COUNT,
    MAX_RUNS,
    NATURALS,
    NO_ACTION,
    NO_CARD,
    NOBODY,
    NOT_OVER,
    OVER_PHASE,
    PLAY_PHASE,
    SET_KIND,
    STALEMATE,
    WILD,
    WILD_PHASE,
    Game,
)


def _subset_bits(subsets: tuple[tuple[int, ...], ...]) -> Any:
    """For each packed count of a rank's copies (two bits a suit): bit i if subset i is held."""
    bits = np.zeros(256, dtype=np.int64)
    for packed in range(256):
        for index, suits in enumerate(subsets):
            if all(packed >> 2 * suit & 3 >= suits.count(suit) for suit in suits):
                bits[packed] |= 1 << index
    return bits


_TRIPLE_BITS = _subset_bits(TRIPLES)
_PAIR_BITS = _subset_bits(PAIRS)


@kernel
def fill_deck(game: Game, deck: Any) -> int:
    """Write the sorted deck of the game's rules into `deck`; returns its size."""
    rules = game["rules"]
    size = 0
    for card in range(JOKER):
        suit, rank = card // NUM_RANKS, card % NUM_RANKS
        if (rules["suits"] >> suit) & 1 and (rules["ranks"] >> rank) & 1:
            for _ in range(rules["copies"]):
                deck[size] = card
                size += 1
    for _ in range(rules["jokers"]):
        deck[size] = JOKER
        size += 1
    return size


@kernel
def deal(game: Game, dealer: int) -> None:
    """Shuffle and deal with the game's own generator; `dealer` -1: drawn too (spec 3)."""
    deck = np.empty(MAX_CARDS, np.int8)
    size = fill_deck(game, deck)
    for last in range(size - 1, 0, -1):
        other = next_below(game, last + 1)
        kept = deck[last]
        deck[last] = deck[other]
        deck[other] = kept
    if dealer < 0:
        dealer = next_below(game, game["rules"]["seats"])
    deal_deck(game, deck[:size], dealer)


@kernel
def deal_deck(game: Game, deck: Any, dealer: int) -> None:
    """Deal `deck`, exactly the cards of the game's rules, in the order of notation.md."""
    clear(game)
    rules = game["rules"]
    seats = rules["seats"]
    game["dealer"] = dealer
    game["seat"] = (dealer + 1) % seats
    first_sides(game)
    at = 0
    for _ in range(rules["hand_size"]):
        for turn in range(1, seats + 1):
            into_hand(game, (dealer + turn) % seats, int64(deck[at]))
            at += 1
    game["end_pozzetto"] = rules["num_pozzetti"]
    for pozzetto in range(rules["num_pozzetti"]):
        for index in range(rules["pozzetto_sizes"][pozzetto]):
            game["pozzetti"][pozzetto, index] = deck[at]
            at += 1
    onto_pile(game, int64(deck[at]))
    at += 1
    size = len(deck) - at
    for index in range(size):
        game["stock"][size - 1 - index] = deck[at + index]
    game["stock_size"] = size


@kernel
def first_sides(game: Game) -> None:
    """Number the sides as they are when the cards are dealt (spec 2, 9)."""
    seats = game["rules"]["seats"]
    game["num_sides"] = 3 if seats == 3 else 2
    for seat in range(seats):
        game["side_of"][seat] = seat if seats == 3 else seat % 2


@kernel
def clear(game: Game) -> None:
    """Empty the table and the hands; rules, generator and match totals stay."""
    game["phase"] = DRAW_PHASE
    game["turn"] = 0
    game["side_of"][:] = 0
    game["hand_sizes"][:] = 0
    game["hands"][:, :] = 0
    game["stock_size"] = 0
    game["stock"][:] = 0
    game["pile_size"] = 0
    game["pile"][:] = 0
    game["pozzetti"][:, :] = 0
    game["first_pozzetto"] = 0
    game["end_pozzetto"] = 0
    game["taken_by"][:] = NOBODY
    game["unplayed"][:] = 0
    game["num_runs"][:, :] = 0
    game["runs"][:, :, :, :] = 0
    game["num_sets"][:, :] = 0
    game["sets"][:, :, :, :] = 0
    game["no_return"] = NO_CARD
    game["must_meld"] = 0
    game["pending"] = NO_ACTION
    game["outcome"] = NOT_OVER
    game["closed_by"] = NOBODY
    game["known"][:, :] = 0
    game["discards"][:, :] = 0


@kernel
def legal(game: Game, ids: Any) -> int:
    """Write the ids of all legal actions of the seat to act into `ids`; returns their number.

    `ids` is int16[NUM_ACTIONS].
    """
    phase = game["phase"]
    if phase == DRAW_PHASE:
        return _legal_draws(game, ids)
    if phase == PLAY_PHASE:
        return _legal_plays(game, ids, _legal_discards(game, ids))
    if phase == WILD_PHASE:
        return _legal_wilds(game, ids)
    return 0


@kernel
def _legal_draws(game: Game, ids: Any) -> int:
    """Spec 4, draw phase."""
    rules = game["rules"]
    may_pick_up = game["pile_size"] > 0 and (
        not rules["pickup_needs_meld"] or _pickup_gives_meld(game, ids)
    )
    count = int64(0)
    if game["stock_size"] > 0 or can_refill(game):
        ids[count] = DRAW_STOCK
        count += 1
    if may_pick_up:
        ids[count] = PICKUP
        count += 1
    if rules["pickup_top"] and game["pile_size"] > 0:
        ids[count] = PICKUP_TOP
        count += 1
    return count


@kernel
def _pickup_gives_meld(game: Game, ids: Any) -> bool:
    """Whether hand and pile together have a legal meld or lay-off. A trial; `ids` is scratch."""
    seat, size = game["seat"], game["pile_size"]
    hand = game["hands"][seat]
    if size == 1 and hand[int64(game["pile"][0])] == 0:
        game["no_return"] = game["pile"][0]
    for index in range(size):
        hand[int64(game["pile"][index])] += 1
    game["hand_sizes"][seat] += size
    found = _legal_plays(game, ids, int64(0)) > 0
    for index in range(size):
        hand[int64(game["pile"][index])] -= 1
    game["hand_sizes"][seat] -= size
    game["no_return"] = NO_CARD
    return found


@kernel
def _legal_discards(game: Game, ids: Any) -> int:
    if game["must_meld"]:
        return 0
    seat = game["seat"]
    side, size = game["side_of"][seat], game["hand_sizes"][seat]
    hand = game["hands"][seat]
    no_return = game["no_return"]
    count = int64(0)
    if size > 1:  # without a branch that the processor would guess wrong for every other card
        for card in range(NUM_CARDS):
            ids[count] = DISCARD + card
            count += int64(hand[card] > 0) & int64(card != no_return)
        return count
    for card in range(NUM_CARDS):
        if hand[card] > 0 and can_discard(game, side, card, size):
            ids[count] = DISCARD + card
            count += 1
    return count


@kernel
def _legal_plays(game: Game, ids: Any, count: int) -> int:
    """Append the legal melds and lay-offs behind the first `count` ids; returns the new count."""
    seat = game["seat"]
    hand = game["hands"][seat]
    kinds = kinds_in_hand(hand)
    for suit in range(NUM_SUITS):
        count = _legal_runs(game, hand, suit, kinds, ids, count)
    return _legal_sets(game, hand, kinds, ids, count)


@kernel
def _add_if_not_stuck(game: Game, action: int, kinds: int, ids: Any, count: int) -> int:
    """Append a play that the table rules allow, if with one of `kinds` it leaves a decision."""
    if usable_kinds(game, action, kinds) != 0:
        ids[count] = action
        count += 1
    return count


@kernel
def _legal_runs(game: Game, hand: Any, suit: int, kinds: int, ids: Any, count: int) -> int:
    """Append the new runs of a suit and the lay-offs on the side's runs of it (spec 5)."""
    cards = int64(0)  # bit p: the hand holds the natural card of place p
    for rank in range(NUM_RANKS):
        if hand[suit * NUM_RANKS + rank] > 0:
            cards |= 1 << (rank + 1)
    cards |= (cards & 2) << 13
    if cards == 0 and kinds == 0:
        return count
    count = _new_runs(game, hand, suit, cards, kinds, ids, count)
    rules = game["rules"]
    side = game["side_of"][game["seat"]]
    for slot in range(int64(game["num_runs"][side, suit])):
        run = game["runs"][side, suit, slot]
        if slot > 0 and _same_run(run, game["runs"][side, suit, slot - 1]):
            continue  # two melds with the same text are the same target
        if cards & _places_near(run) == 0 and (kinds == 0 or run[WILD] > 0):
            continue
        for operation in range(NUM_OPERATIONS):
            place = natural_place(rules, run, operation)
            usable = int64(0)
            if place > 0:
                usable = (cards >> place) & NO_WILD
            elif place == 0:
                usable = kinds & kinds_at(suit, wild_place(run, operation))
            if usable != 0:
                action = LAYOFF_RUN + (suit * MAX_RUNS + slot) * NUM_OPERATIONS + operation
                count = _add_if_not_stuck(game, action, usable, ids, count)
    return count


@kernel
def _places_near(run: Any) -> int:
    """Bit p: a natural of place p might be laid off on the run; a test before the exact one."""
    lo, hi = int64(run[LO]), int64(run[HI])
    return (0b11 << lo >> 2) | (0b110 << hi) | (1 << int64(run[WILD]))


@kernel
def _same_run(run: Any, other: Any) -> bool:
    for column in range(4):
        if run[column] != other[column]:
            return False
    return True


@kernel
def _new_runs(
    game: Game, hand: Any, suit: int, cards: int, kinds: int, ids: Any, count: int
) -> int:
    """Append the new runs of a suit; bit p of `cards`: the hand holds the natural of place p."""
    places = game["rules"]["places"]
    for pattern in range(NUM_PATTERNS):
        if pattern > 0 and kinds == 0:
            break
        low = places if pattern == 1 else cards
        middle = places if pattern == 2 else cards
        high = places if pattern == 3 else cards
        windows = low & (middle >> 1) & (high >> 2)
        lo = int64(0)
        while windows >> lo != 0:
            if (windows >> lo) & 1:
                usable = NO_WILD
                if pattern > 0:
                    usable = run_kinds(game, hand, suit, lo, lo + pattern - 1, kinds)
                if usable != 0:
                    action = MELD_RUN + (suit * NUM_WINDOWS + lo - 1) * NUM_PATTERNS + pattern
                    count = _add_if_not_stuck(game, action, usable, ids, count)
            lo += 1
    return count


@kernel
def _legal_sets(game: Game, hand: Any, kinds: int, ids: Any, count: int) -> int:
    """Append the new sets and the lay-offs on the side's sets (spec 5)."""
    rules = game["rules"]
    side = game["side_of"][game["seat"]]
    for rank in range(NUM_RANKS):
        packed = int64(0)
        if rank != TWO:
            for suit in range(NUM_SUITS):
                packed |= int64(hand[suit * NUM_RANKS + rank]) << (2 * suit)
        sets = int64(game["num_sets"][side, rank])
        if sets > 0:
            count = _set_layoffs(game, side, rank, packed, kinds, ids, count)
        pairs, triples = _PAIR_BITS[packed], _TRIPLE_BITS[packed]
        if pairs == 0 or (sets > 0 and rules["one_set_per_rank"]):
            continue
        if not (rules["set_ranks"] >> rank) & 1:
            continue
        index = rank_index(rank)
        for triple in range(NUM_TRIPLES if triples != 0 else 0):
            if (triples >> triple) & 1:
                action = MELD_SET + index * NUM_TRIPLES + triple
                count = _add_if_not_stuck(game, action, NO_WILD, ids, count)
        for pair in range(NUM_PAIRS if kinds != 0 else 0):
            if (pairs >> pair) & 1:
                action = MELD_SET_WILD + index * NUM_PAIRS + pair
                count = _add_if_not_stuck(game, action, kinds, ids, count)
    return count


@kernel
def _set_layoffs(
    game: Game, side: int, rank: int, packed: int, kinds: int, ids: Any, count: int
) -> int:
    """Append the lay-offs on the side's sets of a rank; `packed`: copies held, two bits a suit."""
    for slot in range(min(int64(game["num_sets"][side, rank]), LAYOFF_SET_SLOTS)):
        row = game["sets"][side, rank, slot]
        if slot > 0:
            before = game["sets"][side, rank, slot - 1]
            if before[NATURALS] == row[NATURALS] and before[SET_KIND] == row[SET_KIND]:
                continue  # two melds with the same text are the same target
        base = LAYOFF_SET + (rank_index(rank) * LAYOFF_SET_SLOTS + slot) * SET_CARDS
        if set_size(row) < MAX_SET_NATURALS:
            for suit in range(NUM_SUITS):
                if (packed >> 2 * suit) & 3:
                    count = _add_if_not_stuck(game, base + suit, NO_WILD, ids, count)
        if row[SET_KIND] == 0 and kinds != 0:
            count = _add_if_not_stuck(game, base + NUM_SUITS, kinds, ids, count)
    return count


@kernel
def _legal_wilds(game: Game, ids: Any) -> int:
    """The kinds of wild that the pending decision may use."""
    kinds = wild_kinds(game, game["pending"])
    count = int64(0)
    for kind in range(1, NUM_KINDS + 1):
        if (kinds >> kind) & 1:
            ids[count] = WILD_CHOICE + kind - 1
            count += 1
    return count


@kernel
def apply(game: Game, action: int) -> None:
    """Carry out a legal action."""
    phase = game["phase"]
    if phase == DRAW_PHASE:
        _apply_draw(game, action)
    elif phase == WILD_PHASE:
        _apply_play(game, game["pending"], action - WILD_CHOICE + 1)
    elif action < MELD_RUN:
        _apply_discard(game, action - DISCARD)
    else:
        kinds = wild_kinds(game, action)
        if kinds & (kinds - 1):  # more than one kind: the choice is a decision of its own
            game["pending"] = action
            game["phase"] = WILD_PHASE
            return
        kind = 0
        while kinds >> (kind + 1):
            kind += 1
        _apply_play(game, action, kind)


@kernel
def _apply_draw(game: Game, action: int) -> None:
    """Spec 4, draw phase."""
    seat = game["seat"]
    size = game["pile_size"]
    if action == DRAW_STOCK:
        if game["stock_size"] == 0:
            refill_stock(game)
        game["stock_size"] -= 1
        into_hand(game, seat, int64(game["stock"][game["stock_size"]]))
    else:
        first = 0 if action == PICKUP else size - 1
        for index in range(first, size):
            card = int64(game["pile"][index])
            if first == size - 1 and game["hands"][seat, card] == 0:
                game["no_return"] = card
            into_hand(game, seat, card)
            game["known"][seat, card] += 1
        game["pile_size"] = first
        if action == PICKUP:
            game["must_meld"] = game["rules"]["pickup_needs_meld"]
    game["phase"] = PLAY_PHASE


@kernel
def _apply_discard(game: Game, card: int) -> None:
    """Discard, take a pozzetto or close, and end the turn (spec 4, 6 and 7)."""
    seat = game["seat"]
    side = game["side_of"][seat]
    out_of_hand(game, seat, card)
    onto_pile(game, card)
    if game["discards"][seat, card] < MAX_COUNT:
        game["discards"][seat, card] += 1
    if game["taken_by"][side] == seat:
        game["unplayed"][side] = 0
    game["no_return"] = NO_CARD
    game["turn"] += 1
    if game["hand_sizes"][seat] == 0:
        if pozzetto_to_take(game, side):
            take_pozzetto(game, seat)
        else:
            game["outcome"] = CLOSED
            game["closed_by"] = seat
    if game["outcome"] == NOT_OVER:
        game["outcome"] = outcome_unclosed(game)
    if game["outcome"] == NOT_OVER:
        game["seat"] = (seat + 1) % game["rules"]["seats"]
        game["phase"] = DRAW_PHASE
    else:
        game["phase"] = OVER_PHASE


@kernel
def outcome_unclosed(game: Game) -> int:
    """Outcome at the end of a turn in which nobody has closed (spec 7)."""
    if game["stock_size"] <= game["rules"]["dead_stock"] and not can_refill(game):
        return EXHAUSTED
    return STALEMATE if game["turn"] >= game["rules"]["max_turns"] else NOT_OVER


@kernel
def _apply_play(game: Game, action: int, kind: int) -> None:
    """Lay a meld or lay off, with a wild of `kind` where the action takes one."""
    seat = game["seat"]
    side = game["side_of"][seat]
    move_cards(game, seat, action, kind, SHOW)
    target = play_target(game, side, action)
    change_table(game, side, action, kind, target)
    if target[0]:
        sort_runs(game, side, target[1], target[2])
    else:
        sort_sets(game, side, target[1], target[2])
    game["pending"] = NO_ACTION
    game["phase"] = PLAY_PHASE
    game["must_meld"] = 0
    if game["taken_by"][side] == seat:
        game["unplayed"][side] = 0
    if game["hand_sizes"][seat] == 0:
        take_pozzetto(game, seat)
