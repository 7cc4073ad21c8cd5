"""Rebuilding a game from what one seat knows: the inverse of `observations.observe`.

An agent that searches gets observations and nothing else. `restore` turns one into a game, and
`resampling.resample` draws the hidden cards of it as often as the agent likes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from burraco_env._jit import int64, kernel
from burraco_env.actions import NUM_SET_RANKS, index_rank, rank_index
from burraco_env.cards import KIND_CARDS, NUM_CARDS, NUM_RANKS, NUM_SUITS, RANKS, SUITS, TWO
from burraco_env.engine import clear, fill_deck, first_sides, outcome_unclosed
from burraco_env.melds import add_run, add_set, card_in_run
from burraco_env.moves import onto_pile
from burraco_env.observations import (
    SEGMENTS,
    TOTAL_UNIT,
    card_read,
    naturals_read,
    pending_action,
    relative_seat,
    side_seen,
    slot_seen,
)
from burraco_env.pozzetti import set_soloist
from burraco_env.resampling import deal_unseen
from burraco_env.rules import MAX_POZZETTI
from burraco_env.state import (
    CLOSED,
    HI,
    LO,
    MAX_CARDS,
    MAX_RUNS,
    MAX_SETS,
    NATURALS,
    NOT_OVER,
    NUM_RULE_NUMBERS,
    OVER_PHASE,
    PHASES,
    ROYAL_FITAB,
    ROYAL_NO,
    ROYAL_REALE,
    RULE_NUMBERS,
    SET_KIND,
    Game,
    places_of,
)

(
    _HAND, _PILE, _KNOWN, _DISCARDS, _RUN_COUNTS, _RUNS, _SET_COUNTS, _SETS, _PHASE, _TO_ACT,
    _DEALER, _HAND_SIZES, _STOCK, _TOP_CARD, _NO_RETURN, _MUST_MELD, _PENDING, _POZZETTI,
    _POZZETTO_SIZES, _TAKEN, _UNPLAYED, _MY_SIDE, _NUM_SIDES, _TURN, _TOTALS, _RULES,
) = (int64(segment.start) for segment in SEGMENTS)  # fmt: skip

_NUMBER = {name: int64(index) for index, (name, _) in enumerate(RULE_NUMBERS)}
(
    _SEATS, _COPIES, _JOKERS, _HAND_SIZE, _DEAD_STOCK, _BURRACO_SIZE, _SEMI_CLEAN_SET_MAX,
    _PICKUP_TOP, _PICKUP_NEEDS_MELD, _ACE_BOTH_ENDS, _NATURAL_TWO_NEEDS_THREE, _WILD_SLIDES,
    _TWO_MAY_TURN_WILD, _ONE_SET_PER_RANK, _POZZETTI_REFILL_STOCK, _WILD_FINAL_DISCARD,
    _SEMI_CLEAN, _SUPER_SET, _WAIVE_POZZETTO_PENALTY,
) = (
    _NUMBER[name] for name in (
        "seats", "copies", "jokers", "hand_size", "dead_stock", "burraco_size",
        "semi_clean_set_max", "pickup_top", "pickup_needs_meld", "ace_both_ends",
        "natural_two_needs_three", "wild_slides", "two_may_turn_wild", "one_set_per_rank",
        "pozzetti_refill_stock", "wild_final_discard", "semi_clean", "super_set",
        "waive_pozzetto_penalty",
    )
)  # fmt: skip
_CLEAN_TO_CLOSE = _NUMBER["burraco_to_close is clean"]
_CLOSE_IF_NONE_LEFT = _NUMBER["pozzetto_to_close is unless_none_left"]
_IS_FITAB, _IS_REALE = _NUMBER["royal_run is fitab"], _NUMBER["royal_run is reale"]
_PENALTY = _NUMBER["unplayed_pozzetto_penalty / 10"]
_TURN_HUNDREDS, _TURN_UNITS = _NUMBER["max_turns / 100"], _NUMBER["max_turns % 100"]
_SET_RANKS = _NUMBER[f"sets of {RANKS[0]}"]
_DECK_RANKS = _NUMBER[f"rank {RANKS[0]} in the deck"]
_DECK_SUITS = _NUMBER[f"suit {SUITS[0]} in the deck"]

_ME = int64(0)  # typed, see moves.py


@kernel
def restore(observation: Any, game: Game) -> bool:
    """Rebuild the game that a seat sees; the seat becomes seat 0, the others follow in turn order.

    All that the observation says is in the game: seat 0 observes the same again and, if it is to
    act, has the same legal actions. The cards that it cannot see lie where they can lie, in sorted
    order: call `resampling.resample(game, 0, ..)` before playing on. Only then does another seat
    that is to act have a decision for certain.

    What no observation says:

    * which cards the others know to be in the hand of seat 0, and what it has discarded: `known`
      and `discards` of seat 0 are zero, so an observation of another seat lacks these;
    * the order of the discard pile below its top card: sorted;
    * match totals beyond 32,000 points or between multiples of 2.5, and an
      `unplayed_pozzetto_penalty` between multiples of 10: the next lower that it can say.

    Args:
        observation: int8[OBSERVATION_SIZE] as `observe` writes it, for a seat that is to act or
            for another.
        game: a record of `GAME_DTYPE`; all of it is written. Its generator is 0.

    Returns:
        False: no game looks like that, because the cards it says do not add up to the deck.
    """
    restore_rules(observation, game["rules"])
    game["generator"] = 0
    clear(game)
    first_sides(game)
    _restore_seats(observation, game)
    _restore_pozzetti(observation, game)
    _restore_hands(observation, game)
    _restore_table(observation, game)
    for index in range(game["num_sides"]):
        _restore_runs(observation, game, index)
        _restore_sets(observation, game, index)
    _restore_outcome(game)
    cards = np.zeros(MAX_CARDS, np.int8)
    count = _unseen(game, cards)
    if count < 0 or count != _hidden_places(game):
        return False
    deal_unseen(game, _ME, cards)
    return True


@kernel
def restore_rules(observation: Any, rules: Any) -> None:
    """Fill in `rules`, a record of `RULES_DTYPE`, as far as an observation says them."""
    _restore_pozzetto_sizes(observation, rules)
    numbers = observation[_RULES:]
    for index in range(NUM_RULE_NUMBERS):
        rules["numbers"][index] = numbers[index]
    rules["seats"] = numbers[_SEATS]
    rules["ranks"] = _bits(numbers, _DECK_RANKS, NUM_RANKS)
    rules["suits"] = _bits(numbers, _DECK_SUITS, NUM_SUITS)
    rules["places"] = places_of(rules["ranks"])
    set_ranks = 0
    for rank in range(NUM_RANKS):
        if rank != TWO and numbers[_SET_RANKS + rank_index(rank)] != 0:
            set_ranks |= 1 << rank
    rules["set_ranks"] = set_ranks & rules["ranks"]
    rules["copies"] = numbers[_COPIES]
    rules["jokers"] = numbers[_JOKERS]
    rules["hand_size"] = numbers[_HAND_SIZE]
    rules["pickup_top"] = numbers[_PICKUP_TOP]
    rules["pickup_needs_meld"] = numbers[_PICKUP_NEEDS_MELD]
    rules["ace_both_ends"] = numbers[_ACE_BOTH_ENDS]
    rules["natural_two_needs_three"] = numbers[_NATURAL_TWO_NEEDS_THREE]
    rules["wild_slides"] = numbers[_WILD_SLIDES]
    rules["two_may_turn_wild"] = numbers[_TWO_MAY_TURN_WILD]
    rules["one_set_per_rank"] = numbers[_ONE_SET_PER_RANK]
    rules["pozzetti_refill_stock"] = numbers[_POZZETTI_REFILL_STOCK]
    rules["dead_stock"] = numbers[_DEAD_STOCK]
    rules["clean_to_close"] = numbers[_CLEAN_TO_CLOSE]
    rules["close_if_none_left"] = numbers[_CLOSE_IF_NONE_LEFT]
    rules["wild_final_discard"] = numbers[_WILD_FINAL_DISCARD]
    rules["max_turns"] = int64(numbers[_TURN_HUNDREDS]) * 100 + int64(numbers[_TURN_UNITS])
    rules["burraco_size"] = numbers[_BURRACO_SIZE]
    rules["semi_clean"] = numbers[_SEMI_CLEAN]
    rules["semi_clean_set_max"] = numbers[_SEMI_CLEAN_SET_MAX]
    royal = ROYAL_REALE if numbers[_IS_REALE] != 0 else ROYAL_NO
    rules["royal_run"] = ROYAL_FITAB if numbers[_IS_FITAB] != 0 else royal
    rules["super_set"] = numbers[_SUPER_SET]
    rules["waive_pozzetto_penalty"] = numbers[_WAIVE_POZZETTO_PENALTY]
    rules["unplayed_pozzetto_penalty"] = int64(numbers[_PENALTY]) * 10


@kernel
def _bits(numbers: Any, first: int, count: int) -> int:
    """Bit i: the flag i, counted from the flag `first`, is set."""
    bits = 0
    for index in range(count):
        if numbers[first + index] != 0:
            bits |= 1 << index
    return bits


@kernel
def _restore_pozzetto_sizes(observation: Any, rules: Any) -> None:
    count = 0
    for index in range(MAX_POZZETTI):
        size = int64(observation[_POZZETTO_SIZES + index])
        rules["pozzetto_sizes"][index] = size
        count += int64(size > 0)
    rules["num_pozzetti"] = count


@kernel
def _restore_seats(observation: Any, game: Game) -> None:
    """Seat to act, dealer, totals, hand sizes and sides; the sides are those of the deal so far."""
    seats = game["rules"]["seats"]
    game["totals"][:] = 0
    alone, opponent = True, 0
    for seat in range(seats):
        relative = relative_seat(seats, _ME, seat)
        if observation[_TO_ACT + relative] != 0:
            game["seat"] = seat
        if observation[_DEALER + relative] != 0:
            game["dealer"] = seat
        game["hand_sizes"][seat] = observation[_HAND_SIZES + relative]
        units = int64(observation[_TOTALS + 2 * relative]) * 100
        units += int64(observation[_TOTALS + 2 * relative + 1])
        game["totals"][seat] = units * TOTAL_UNIT
        if observation[_MY_SIDE + relative] == 0:
            opponent = seat
        elif seat > 0:
            alone = False
    if observation[_NUM_SIDES] < game["num_sides"]:
        set_soloist(game, 0 if alone else opponent)


@kernel
def _restore_pozzetti(observation: Any, game: Game) -> None:
    """Who took one and how many are left; the sides are known."""
    seats = game["rules"]["seats"]
    taken = 0
    for seat in range(seats):
        relative = relative_seat(seats, _ME, seat)
        if observation[_TAKEN + relative] != 0:
            side = game["side_of"][seat]
            game["taken_by"][side] = seat
            game["unplayed"][side] = observation[_UNPLAYED + relative]
            taken += 1
    game["first_pozzetto"] = taken
    game["end_pozzetto"] = taken + int64(observation[_POZZETTI])


@kernel
def _restore_hands(observation: Any, game: Game) -> None:
    """My hand, and what is known of the others."""
    seats = game["rules"]["seats"]
    for card in range(NUM_CARDS):
        game["hands"][_ME, card] = observation[_HAND + card]
    for seat in range(1, seats):
        at = (relative_seat(seats, _ME, seat) - 1) * NUM_CARDS
        for card in range(NUM_CARDS):
            game["known"][seat, card] = observation[_KNOWN + at + card]
            game["discards"][seat, card] = observation[_DISCARDS + at + card]


@kernel
def _restore_table(observation: Any, game: Game) -> None:
    """Phase, turn, pile, size of the stock, and what is pending."""
    for phase in range(len(PHASES)):
        if observation[_PHASE + phase] != 0:
            game["phase"] = phase
    for digit in range(3):
        game["turn"] = game["turn"] * 10 + int64(observation[_TURN + digit])
    top = card_read(observation[_TOP_CARD : _TOP_CARD + 6])
    for card in range(NUM_CARDS):
        for _ in range(int64(observation[_PILE + card]) - int64(card == top)):
            onto_pile(game, card)
    if top >= 0:
        onto_pile(game, top)
    game["stock_size"] = int64(observation[_STOCK]) * 10 + int64(observation[_STOCK + 1])
    game["no_return"] = card_read(observation[_NO_RETURN : _NO_RETURN + 6])
    game["must_meld"] = observation[_MUST_MELD]
    for kind in range(4):
        if observation[_PENDING + kind] != 0:
            game["pending"] = pending_action(
                kind,
                int64(observation[_PENDING + 4]),
                int64(observation[_PENDING + 5]),
                int64(observation[_PENDING + 6]),
            )


@kernel
def _restore_runs(observation: Any, game: Game, index: int) -> None:
    """Lay the runs of a side; `index` as in `side_seen`."""
    side = side_seen(game, _ME, index)
    for suit in range(NUM_SUITS):
        count, behind = _span(observation, _RUN_COUNTS + 2 * suit, MAX_RUNS, index)
        for slot in range(count):
            at = _RUNS + (suit * MAX_RUNS + slot_seen(MAX_RUNS, index, behind, slot)) * 4
            if observation[at + LO] == 0:
                break
            add_run(game, side, suit, observation[at : at + 4])


@kernel
def _restore_sets(observation: Any, game: Game, index: int) -> None:
    """Lay the sets of a side; `index` as in `side_seen`."""
    side = side_seen(game, _ME, index)
    row = np.zeros(2, np.int64)
    for rank_number in range(NUM_SET_RANKS):
        count, behind = _span(observation, _SET_COUNTS + 2 * rank_number, MAX_SETS, index)
        for slot in range(count):
            at = _SETS + (rank_number * MAX_SETS + slot_seen(MAX_SETS, index, behind, slot)) * 3
            row[NATURALS] = naturals_read(int64(observation[at]), int64(observation[at + 1]))
            row[SET_KIND] = observation[at + 2]
            if row[NATURALS] == 0:
                break
            add_set(game, side, index_rank(rank_number), row)


@kernel
def _span(observation: Any, counts: int, slots: int, index: int) -> tuple[int, int]:
    """How many melds of a suit or rank a side has at most, and how many lie behind them.

    `counts`: where the numbers of my side's and the next side's melds stand. That of the third
    side stands nowhere: it has the melds in all the other slots that are not empty.
    """
    mine, theirs = int64(observation[counts]), int64(observation[counts + 1])
    if index == 0:
        return mine, int64(0)
    return (theirs, int64(0)) if index == 1 else (slots - mine - theirs, theirs)


@kernel
def _restore_outcome(game: Game) -> None:
    """How the deal ended, if it did: only a closing leaves an empty hand (spec 7)."""
    if game["phase"] != OVER_PHASE:
        game["outcome"] = NOT_OVER
    elif game["hand_sizes"][game["seat"]] == 0:
        game["outcome"] = CLOSED
        game["closed_by"] = game["seat"]
    else:
        game["outcome"] = outcome_unclosed(game)


@kernel
def _unseen(game: Game, cards: Any) -> int:
    """Write, sorted, what seat 0 does not know the place of: the deck without all that it sees.

    Returns how many cards that are; -1: it sees more copies of a card than there are.
    """
    left = np.zeros(NUM_CARDS, np.int64)
    for index in range(fill_deck(game, cards)):
        left[int64(cards[index])] += 1
    for card in range(NUM_CARDS):
        left[card] -= game["hands"][_ME, card]
        for seat in range(1, game["rules"]["seats"]):
            left[card] -= game["known"][seat, card]
    for index in range(game["pile_size"]):
        left[int64(game["pile"][index])] -= 1
    for side in range(game["num_sides"]):
        _take_melds(game, side, left)
    count = 0
    for card in range(NUM_CARDS):
        if left[card] < 0:
            return -1
        for _ in range(left[card]):
            cards[count] = card
            count += 1
    return count


@kernel
def _hidden_places(game: Game) -> int:
    """Cards that lie where seat 0 does not know them; -1: a hand is smaller than what is known."""
    count = int64(game["stock_size"])
    for seat in range(1, game["rules"]["seats"]):
        hidden = int64(game["hand_sizes"][seat])
        for card in range(NUM_CARDS):
            hidden -= int64(game["known"][seat, card])
        if hidden < 0:
            return -1
        count += hidden
    for pozzetto in range(game["first_pozzetto"], game["end_pozzetto"]):
        count += game["rules"]["pozzetto_sizes"][pozzetto]
    return count


@kernel
def _take_melds(game: Game, side: int, left: Any) -> None:
    """Subtract the cards of a side's melds from the counts `left`."""
    for suit in range(NUM_SUITS):
        for slot in range(int64(game["num_runs"][side, suit])):
            run = game["runs"][side, suit, slot]
            for place in range(int64(run[LO]), int64(run[HI]) + 1):
                left[card_in_run(suit, run, place)] -= 1
    for rank in range(NUM_RANKS):
        for slot in range(int64(game["num_sets"][side, rank])):
            row = game["sets"][side, rank, slot]
            for suit in range(NUM_SUITS):
                left[suit * NUM_RANKS + rank] -= int64(row[NATURALS]) >> 2 * suit & 3
            if row[SET_KIND] > 0:
                left[int64(KIND_CARDS[int64(row[SET_KIND])])] -= 1
