"""The rules of play as compiled kernels: dealing, and a legal/apply pair for each phase (spec 3 to 9).

Kernels take one game record. `legal` writes the ids of the legal actions; `apply` carries one of them out and trusts that
it is legal: the Python edge checks. There is no second implementation of a rule in the package.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from burraco_env._jit import kernel
from burraco_env.actions import (
    DISCARD,
    DRAW_STOCK,
    LAYOFF_RUN,
    LAYOFF_SET,
    LAYOFF_SET_SLOTS,
    MELD_RUN,
    MELD_SET,
    MELD_SET_WILD,
    NUM_OPERATIONS,
    NUM_PAIRS,
    NUM_PATTERNS,
    NUM_TRIPLES,
    NUM_WINDOWS,
    PICKUP,
    PICKUP_TOP,
    SET_CARDS,
    WILD_CHOICE,
    layoff_run_indices,
    layoff_set_indices,
    meld_run_indices,
    meld_set_rank,
    meld_set_suit,
    rank_index,
    wild_needed,
)
from burraco_env.cards import JOKER, KIND_CARDS, NUM_CARDS, NUM_KINDS, NUM_RANKS, NUM_SUITS, TWO
from burraco_env.generator import next_below
from burraco_env.melds import (
    ALL_KINDS,
    JOKER_KIND,
    MAX_SET_NATURALS,
    PAIRS,
    TRIPLES,
    WILD_HIGH,
    WILD_LOW,
    add_run,
    add_set,
    card_at,
    extend_run,
    has_burraco_to_close,
    kinds_at,
    natural_place,
    set_size,
    sort_runs,
    sort_sets,
    wild_place,
)
from burraco_env.state import (
    CLOSED,
    DRAW_PHASE,
    EXHAUSTED,
    HI,
    KIND,
    LO,
    MAX_CARDS,
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
    """For each packed count of a rank's copies (two bits a suit): bit i where subset i can be taken."""
    bits = np.zeros(256, dtype=np.int64)
    for packed in range(256):
        for index, suits in enumerate(subsets):
            if all(packed >> 2 * suit & 3 >= suits.count(suit) for suit in suits):
                bits[packed] |= 1 << index
    return bits


_TRIPLE_BITS = _subset_bits(TRIPLES)
_PAIR_BITS = _subset_bits(PAIRS)


# ---------------------------------------------------------------------------------------------- deal


@kernel
def fill_deck(game: Game, deck: Any) -> int:
    """Write the sorted deck of the game's rules into `deck`; returns its size."""
    rules = game["rules"]
    size = 0
    for card in range(JOKER):
        suit, rank = card // NUM_RANKS, card % NUM_RANKS
        if (int(rules["suits"]) >> suit) & 1 and (int(rules["ranks"]) >> rank) & 1:
            for _ in range(int(rules["copies"])):
                deck[size] = card
                size += 1
    for _ in range(int(rules["jokers"])):
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
        dealer = next_below(game, int(game["rules"]["seats"]))
    deal_deck(game, deck[:size], dealer)


@kernel
def deal_deck(game: Game, deck: Any, dealer: int) -> None:
    """Deal a deck in the order of notation.md; `deck` holds exactly the cards of the game's rules."""
    _clear(game)
    rules = game["rules"]
    seats = int(rules["seats"])
    game["dealer"] = dealer
    game["seat"] = (dealer + 1) % seats
    game["num_sides"] = 3 if seats == 3 else 2
    for seat in range(seats):
        game["side_of"][seat] = seat if seats == 3 else seat % 2
    at = 0
    for _ in range(int(rules["hand_size"])):
        for turn in range(1, seats + 1):
            _into_hand(game, (dealer + turn) % seats, int(deck[at]))
            at += 1
    game["end_pozzetto"] = rules["num_pozzetti"]
    for pozzetto in range(int(rules["num_pozzetti"])):
        for index in range(int(rules["pozzetto_sizes"][pozzetto])):
            game["pozzetti"][pozzetto, index] = deck[at]
            at += 1
    _onto_pile(game, int(deck[at]))
    at += 1
    size = len(deck) - at
    for index in range(size):
        game["stock"][size - 1 - index] = deck[at + index]
    game["stock_size"] = size


@kernel
def _clear(game: Game) -> None:
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
def _into_hand(game: Game, seat: int, card: int) -> None:
    game["hands"][seat, card] += 1
    game["hand_sizes"][seat] += 1


@kernel
def _out_of_hand(game: Game, seat: int, card: int) -> None:
    """The seat shows a card of its hand."""
    game["hands"][seat, card] -= 1
    game["hand_sizes"][seat] -= 1
    if game["known"][seat, card] > 0:
        game["known"][seat, card] -= 1
    if game["no_return"] == card and game["hands"][seat, card] == 0:
        game["no_return"] = NO_CARD


@kernel
def _onto_pile(game: Game, card: int) -> None:
    game["pile"][int(game["pile_size"])] = card
    game["pile_size"] += 1


# --------------------------------------------------------------------------------------------- legal


@kernel
def legal(game: Game, ids: Any) -> int:
    """Write the ids of all legal actions of the seat to act into `ids`, int16[NUM_ACTIONS]; returns their number."""
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
    may_pick_up = game["pile_size"] > 0 and (not rules["pickup_needs_meld"] or _pickup_gives_meld(game, ids))
    count = 0
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
    """Whether the hand and the pile together have a legal meld or lay-off. A trial; `ids` is scratch."""
    seat, size = int(game["seat"]), int(game["pile_size"])
    hand = game["hands"][seat]
    if size == 1 and hand[int(game["pile"][0])] == 0:
        game["no_return"] = game["pile"][0]
    for index in range(size):
        hand[int(game["pile"][index])] += 1
    game["hand_sizes"][seat] += size
    found = _legal_plays(game, ids, 0) > 0
    for index in range(size):
        hand[int(game["pile"][index])] -= 1
    game["hand_sizes"][seat] -= size
    game["no_return"] = NO_CARD
    return found


@kernel
def can_refill(game: Game) -> bool:
    """Whether an untaken pozzetto can refill the stock (spec 6)."""
    return game["rules"]["pozzetti_refill_stock"] != 0 and game["first_pozzetto"] < game["end_pozzetto"]


@kernel
def pozzetto_to_take(game: Game, side: int) -> bool:
    """Whether a seat of the side that empties its hand takes a pozzetto (spec 6)."""
    return game["taken_by"][side] == NOBODY and game["first_pozzetto"] < game["end_pozzetto"]


@kernel
def can_discard(game: Game, side: int, card: int, size: int) -> bool:
    """Whether a card of a hand of `size` cards may be discarded, no meld being owed (spec 4 and 7)."""
    if card == game["no_return"]:
        return False
    if size > 1 or pozzetto_to_take(game, side):
        return True
    rules = game["rules"]
    if not rules["wild_final_discard"] and (card == JOKER or card % NUM_RANKS == TWO):
        return False
    if game["taken_by"][side] == NOBODY and not rules["close_if_none_left"]:
        return False
    return has_burraco_to_close(game, side)


@kernel
def _legal_discards(game: Game, ids: Any) -> int:
    if game["must_meld"]:
        return 0
    seat = int(game["seat"])
    side, size = int(game["side_of"][seat]), int(game["hand_sizes"][seat])
    hand = game["hands"][seat]
    count = 0
    for card in range(NUM_CARDS):
        if hand[card] > 0 and can_discard(game, side, card, size):
            ids[count] = DISCARD + card
            count += 1
    return count


@kernel
def _kinds_in_hand(hand: Any) -> int:
    """Bit k: the hand holds a wild of kind k."""
    kinds = 0
    for kind in range(1, NUM_KINDS + 1):
        if hand[KIND_CARDS[kind]] > 0:
            kinds |= 1 << kind
    return kinds


@kernel
def _legal_plays(game: Game, ids: Any, count: int) -> int:
    """Append the legal melds and lay-offs behind the first `count` ids; returns the new count."""
    seat = int(game["seat"])
    hand = game["hands"][seat]
    kinds = _kinds_in_hand(hand)
    for suit in range(NUM_SUITS):
        count = _legal_runs(game, hand, suit, kinds, ids, count)
    return _legal_sets(game, hand, kinds, ids, count)


@kernel
def _add_if_not_stuck(game: Game, action: int, kinds: int, ids: Any, count: int) -> int:
    """Append a play that the table rules allow, if it leaves a decision with no wild or one of `kinds`."""
    if usable_kinds(game, action, kinds) != 0:
        ids[count] = action
        count += 1
    return count


NO_WILD = 1
"""The bit of kind 0 alone: the play takes no wild from the hand."""


@kernel
def usable_kinds(game: Game, action: int, kinds: int) -> int:
    """The kinds among `kinds` (bits) with which the play leaves a decision (spec 7, never stuck)."""
    seat = int(game["seat"])
    left = int(game["hand_sizes"][seat]) - (3 if action < LAYOFF_RUN else 1)
    if left >= 2:
        return kinds
    side = int(game["side_of"][seat])
    if left <= 0:
        return kinds if left == 0 and pozzetto_to_take(game, side) else 0
    usable = 0
    for kind in range(NUM_KINDS + 1):
        if (kinds >> kind) & 1 and _leaves_a_decision(game, seat, side, action, kind):
            usable |= 1 << kind
    return usable


@kernel
def _leaves_a_decision(game: Game, seat: int, side: int, action: int, kind: int) -> bool:
    """Whether the single card that the play leaves can be discarded or laid off. Tries the play and takes it back."""
    _move_cards(game, seat, action, kind, -1)
    rows = _change_table(game, side, action, kind)
    left = NO_CARD
    for card in range(NUM_CARDS):
        if game["hands"][seat, card] > 0:
            left = card
    fine = can_discard(game, side, left, 1)
    if not fine and pozzetto_to_take(game, side):
        fine = _can_lay_off(game, side, left)
    _restore_table(game, side, action, rows)
    _move_cards(game, seat, action, kind, 1)
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
        for slot in range(int(game["num_runs"][side, suit])):
            run = game["runs"][side, suit, slot]
            for operation in range(NUM_OPERATIONS):
                place = natural_place(rules, run, operation)
                if place > 0 and card_at(suit, place) == card:
                    return True
                if place == 0 and kind > 0 and (kinds_at(suit, wild_place(run, operation)) >> kind) & 1:
                    return True
    for rank in range(NUM_RANKS):
        for slot in range(int(game["num_sets"][side, rank])):
            row = game["sets"][side, rank, slot]
            if kind > 0 and row[SET_KIND] == 0:
                return True
            if card < JOKER and card % NUM_RANKS == rank and set_size(row) < MAX_SET_NATURALS:
                return True
    return False


@kernel
def _legal_runs(game: Game, hand: Any, suit: int, kinds: int, ids: Any, count: int) -> int:
    """Append the new runs of a suit and the lay-offs on the side's runs of it (spec 5)."""
    cards = 0  # bit p: the hand holds the natural card of place p
    for rank in range(NUM_RANKS):
        if hand[suit * NUM_RANKS + rank] > 0:
            cards |= 1 << (rank + 1)
    cards |= (cards & 2) << 13
    if cards == 0 and kinds == 0:
        return count
    count = _new_runs(game, hand, suit, cards, kinds, ids, count)
    rules = game["rules"]
    side = int(game["side_of"][game["seat"]])
    for slot in range(int(game["num_runs"][side, suit])):
        run = game["runs"][side, suit, slot]
        if slot > 0 and _same_run(run, game["runs"][side, suit, slot - 1]):
            continue  # two melds with the same text are the same target
        for operation in range(NUM_OPERATIONS):
            place = natural_place(rules, run, operation)
            usable = 0
            if place > 0:
                usable = (cards >> place) & NO_WILD
            elif place == 0:
                usable = kinds & kinds_at(suit, wild_place(run, operation))
            if usable != 0:
                action = LAYOFF_RUN + (suit * MAX_RUNS + slot) * NUM_OPERATIONS + operation
                count = _add_if_not_stuck(game, action, usable, ids, count)
    return count


@kernel
def _same_run(run: Any, other: Any) -> bool:
    for column in range(4):
        if run[column] != other[column]:
            return False
    return True


@kernel
def _new_runs(game: Game, hand: Any, suit: int, cards: int, kinds: int, ids: Any, count: int) -> int:
    """Append the new runs of a suit; bit p of `cards`: the hand holds the natural card of place p."""
    places = int(game["rules"]["places"])
    for pattern in range(NUM_PATTERNS):
        if pattern > 0 and kinds == 0:
            break
        low = places if pattern == 1 else cards
        middle = places if pattern == 2 else cards
        high = places if pattern == 3 else cards
        windows = low & (middle >> 1) & (high >> 2)
        lo = 0
        while windows >> lo != 0:
            if (windows >> lo) & 1:
                usable = NO_WILD
                if pattern > 0:
                    usable = _run_kinds(game, hand, suit, lo, lo + pattern - 1, kinds)
                if usable != 0:
                    action = MELD_RUN + (suit * NUM_WINDOWS + lo - 1) * NUM_PATTERNS + pattern
                    count = _add_if_not_stuck(game, action, usable, ids, count)
            lo += 1
    return count


@kernel
def _run_kinds(game: Game, hand: Any, suit: int, lo: int, wild: int, kinds: int) -> int:
    """Kinds of wild of the hand that a new run from `lo` may have at place `wild`."""
    if lo <= 2 and wild != 2:  # the two of the suit is laid as a natural
        if wild == 3 and game["rules"]["natural_two_needs_three"]:
            return 0
        if hand[suit * NUM_RANKS + TWO] < 2:
            kinds &= ~(1 << (suit + 1))
    return kinds & kinds_at(suit, wild)


@kernel
def _legal_sets(game: Game, hand: Any, kinds: int, ids: Any, count: int) -> int:
    """Append the new sets and the lay-offs on the side's sets (spec 5)."""
    rules = game["rules"]
    side = int(game["side_of"][game["seat"]])
    for rank in range(NUM_RANKS):
        packed = 0
        if rank != TWO:
            for suit in range(NUM_SUITS):
                packed |= int(hand[suit * NUM_RANKS + rank]) << (2 * suit)
        sets = int(game["num_sets"][side, rank])
        if sets > 0:
            count = _set_layoffs(game, side, rank, packed, kinds, ids, count)
        if packed == 0 or not (int(rules["set_ranks"]) >> rank) & 1 or (sets > 0 and rules["one_set_per_rank"]):
            continue
        index = rank_index(rank)
        triples = _TRIPLE_BITS[packed]
        for triple in range(NUM_TRIPLES if triples != 0 else 0):
            if (triples >> triple) & 1:
                action = MELD_SET + index * NUM_TRIPLES + triple
                count = _add_if_not_stuck(game, action, NO_WILD, ids, count)
        pairs = _PAIR_BITS[packed]
        for pair in range(NUM_PAIRS if pairs != 0 and kinds != 0 else 0):
            if (pairs >> pair) & 1:
                action = MELD_SET_WILD + index * NUM_PAIRS + pair
                count = _add_if_not_stuck(game, action, kinds, ids, count)
    return count


@kernel
def _set_layoffs(game: Game, side: int, rank: int, packed: int, kinds: int, ids: Any, count: int) -> int:
    """Append the lay-offs on the side's sets of a rank; `packed`: the hand's copies, two bits a suit."""
    for slot in range(min(int(game["num_sets"][side, rank]), LAYOFF_SET_SLOTS)):
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
def wild_kinds(game: Game, action: int) -> int:
    """Kinds of wild (bits) with which a play can be made now; NO_WILD for one without a wild of the hand."""
    place = wild_needed(game, action)
    if place < 0:
        return NO_WILD
    hand = game["hands"][int(game["seat"])]
    kinds = _kinds_in_hand(hand)
    if action < MELD_SET:
        suit, lo, _ = meld_run_indices(action)
        kinds = _run_kinds(game, hand, suit, lo, place, kinds)
    elif LAYOFF_RUN <= action < LAYOFF_SET:
        kinds &= kinds_at(layoff_run_indices(action)[0], place)
    return usable_kinds(game, action, kinds)


@kernel
def _legal_wilds(game: Game, ids: Any) -> int:
    """The kinds of wild that the pending decision may use."""
    kinds = wild_kinds(game, int(game["pending"]))
    count = 0
    for kind in range(1, NUM_KINDS + 1):
        if (kinds >> kind) & 1:
            ids[count] = WILD_CHOICE + kind - 1
            count += 1
    return count


# --------------------------------------------------------------------------------------------- apply


@kernel
def apply(game: Game, action: int) -> None:
    """Carry out a legal action."""
    phase = game["phase"]
    if phase == DRAW_PHASE:
        _apply_draw(game, action)
    elif phase == WILD_PHASE:
        _apply_play(game, int(game["pending"]), action - WILD_CHOICE + 1)
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
    seat = int(game["seat"])
    size = int(game["pile_size"])
    if action == DRAW_STOCK:
        if game["stock_size"] == 0:
            _refill_stock(game)
        game["stock_size"] -= 1
        _into_hand(game, seat, int(game["stock"][int(game["stock_size"])]))
    else:
        first = 0 if action == PICKUP else size - 1
        for index in range(first, size):
            card = int(game["pile"][index])
            if first == size - 1 and game["hands"][seat, card] == 0:
                game["no_return"] = card
            _into_hand(game, seat, card)
            game["known"][seat, card] += 1
        game["pile_size"] = first
        if action == PICKUP:
            game["must_meld"] = game["rules"]["pickup_needs_meld"]
    game["phase"] = PLAY_PHASE


@kernel
def _refill_stock(game: Game) -> None:
    """Turn the last untaken pozzetto into the stock, its first card on top (spec 6)."""
    last = int(game["end_pozzetto"]) - 1
    game["end_pozzetto"] = last
    size = int(game["rules"]["pozzetto_sizes"][last])
    for index in range(size):
        game["stock"][size - 1 - index] = game["pozzetti"][last, index]
    game["stock_size"] = size


@kernel
def _apply_discard(game: Game, card: int) -> None:
    """Discard, take a pozzetto or close, and end the turn (spec 4, 6 and 7)."""
    seat = int(game["seat"])
    side = int(game["side_of"][seat])
    _out_of_hand(game, seat, card)
    _onto_pile(game, card)
    game["discards"][seat, card] += 1
    if game["taken_by"][side] == seat:
        game["unplayed"][side] = 0
    game["no_return"] = NO_CARD
    game["turn"] += 1
    if game["hand_sizes"][seat] == 0:
        if pozzetto_to_take(game, side):
            _take_pozzetto(game, seat)
        else:
            game["outcome"] = CLOSED
            game["closed_by"] = seat
    if game["outcome"] == NOT_OVER:
        if game["stock_size"] <= game["rules"]["dead_stock"] and not can_refill(game):
            game["outcome"] = EXHAUSTED
        elif game["turn"] >= game["rules"]["max_turns"]:
            game["outcome"] = STALEMATE
    if game["outcome"] == NOT_OVER:
        game["seat"] = (seat + 1) % int(game["rules"]["seats"])
        game["phase"] = DRAW_PHASE
    else:
        game["phase"] = OVER_PHASE


@kernel
def _apply_play(game: Game, action: int, kind: int) -> None:
    """Lay a meld or lay off, with a wild of `kind` where the action takes one."""
    seat = int(game["seat"])
    side = int(game["side_of"][seat])
    _move_cards(game, seat, action, kind, 0)
    slot = _change_table(game, side, action, kind)[0]
    if action < MELD_SET:
        sort_runs(game, side, meld_run_indices(action)[0], slot)
    elif action < LAYOFF_RUN:
        sort_sets(game, side, meld_set_rank(action), slot)
    elif action < LAYOFF_SET:
        sort_runs(game, side, layoff_run_indices(action)[0], slot)
    else:
        sort_sets(game, side, layoff_set_indices(action)[0], slot)
    game["pending"] = NO_ACTION
    game["phase"] = PLAY_PHASE
    game["must_meld"] = 0
    if game["taken_by"][side] == seat:
        game["unplayed"][side] = 0
    if game["hand_sizes"][seat] == 0:
        _take_pozzetto(game, seat)


@kernel
def _move_card(game: Game, seat: int, card: int, change: int) -> None:
    """`change` 0: the card is shown. -1 or 1: it is only counted out of or into the hand, as a trial."""
    if change == 0:
        _out_of_hand(game, seat, card)
    else:
        game["hands"][seat, card] += change


@kernel
def _move_cards(game: Game, seat: int, action: int, kind: int, change: int) -> None:
    """Move the cards of a play, see `_move_card`. The table is as it was before the play."""
    if kind > 0:
        _move_card(game, seat, int(KIND_CARDS[kind]), change)
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
        run = game["runs"][int(game["side_of"][seat]), suit, slot]
        place = natural_place(game["rules"], run, operation)
        if place > 0:
            _move_card(game, seat, card_at(suit, place), change)
    else:
        rank, _, suit = layoff_set_indices(action)
        if suit < NUM_SUITS:
            _move_card(game, seat, suit * NUM_RANKS + rank, change)


@kernel
def _change_table(game: Game, side: int, action: int, kind: int) -> tuple[int, int, int, int, int]:
    """Add to the melds what a play adds, without sorting. Returns the slot and the four old values of its row."""
    if action < MELD_SET:
        suit, lo, pattern = meld_run_indices(action)
        slot = int(game["num_runs"][side, suit])
        game["num_runs"][side, suit] = slot + 1
        run = game["runs"][side, suit, slot]
        run[LO], run[HI] = lo, lo + 2
        run[WILD], run[KIND] = (lo + pattern - 1 if pattern > 0 else 0), kind
        return slot, 0, 0, 0, 0
    if action < LAYOFF_RUN:
        rank = meld_set_rank(action)
        slot = int(game["num_sets"][side, rank])
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
        lo, hi, wild, old_kind = int(run[LO]), int(run[HI]), int(run[WILD]), int(run[KIND])
        extend_run(run, suit, operation, kind)
        return slot, lo, hi, wild, old_kind
    rank, slot, suit = layoff_set_indices(action)
    row = game["sets"][side, rank, slot]
    naturals, set_kind = int(row[NATURALS]), int(row[SET_KIND])
    if suit < NUM_SUITS:
        row[NATURALS] = naturals + (1 << (2 * suit))
    else:
        row[SET_KIND] = kind
    return slot, naturals, set_kind, 0, 0


@kernel
def _restore_table(game: Game, side: int, action: int, rows: tuple[int, int, int, int, int]) -> None:
    """Undo `_change_table`."""
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


@kernel
def _take_pozzetto(game: Game, seat: int) -> None:
    """The seat takes the next pozzetto (spec 6); with three seats it may become the soloist (spec 9)."""
    taken = int(game["first_pozzetto"])
    game["first_pozzetto"] = taken + 1
    for index in range(int(game["rules"]["pozzetto_sizes"][taken])):
        _into_hand(game, seat, int(game["pozzetti"][taken, index]))
    if game["num_sides"] == 3 and game["rules"]["num_pozzetti"] < 3:
        _make_soloist(game, seat)
    side = int(game["side_of"][seat])
    game["taken_by"][side] = seat
    game["unplayed"][side] = 1


@kernel
def _make_soloist(game: Game, seat: int) -> None:
    """Side 0 becomes the soloist, side 1 the pair with the melds of both (spec 9). So far side i is seat i."""
    if seat != 0:
        _swap_melds(game, 0, seat)
    for suit in range(NUM_SUITS):
        for slot in range(int(game["num_runs"][2, suit])):
            add_run(game, 1, suit, game["runs"][2, suit, slot])
    for rank in range(NUM_RANKS):
        for slot in range(int(game["num_sets"][2, rank])):
            add_set(game, 1, rank, game["sets"][2, rank, slot])
    game["num_runs"][2, :] = 0
    game["num_sets"][2, :] = 0
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
