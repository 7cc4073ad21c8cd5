"""`greedy`: plays what it can at once, and looks no further than its own hand and the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents import views
from agents.views import MINE, THEIRS
from burraco_env._jit import int64, kernel, row_kernel
from burraco_env.actions import (
    DISCARD,
    DRAW_STOCK,
    LAYOFF_RUN,
    LAYOFF_SET,
    MELD_RUN,
    MELD_SET,
    MELD_SET_WILD,
    NUM_ACTIONS,
    NUM_SET_RANKS,
    PICKUP,
    WILD_CHOICE,
    index_rank,
    layoff_run_indices,
    layoff_set_indices,
    meld_run_indices,
    meld_set_rank,
    rank_index,
)
from burraco_env.agent import check_rows, no_legal_action
from burraco_env.cards import CARD_POINTS, JOKER, NUM_CARDS, NUM_KINDS, NUM_RANKS, NUM_SUITS, TWO
from burraco_env.melds import HIGHEST_PLACE, WILD_LOW, card_at, may_be_wild
from burraco_env.restoring import restore_rules
from burraco_env.state import DRAW_PHASE, WILD, WILD_PHASE

# What a play is worth. Only the order counts: a higher number is played first, none at or below 0.
_LAY_OFF, _NATURAL_MELD, _FINISH, _WILD_BURRACO, _WILD_MELD, _WILD_LAY_OFF = (
    int64(value) for value in (1_000, 600, 500, 400, 200, 100)
)
_COMPLETES = int64(300)
"""More for a natural that makes a burraco."""

# What a card is worth in the hand, when one must be discarded: the lowest goes.
_TWIN, _NEIGHBOUR, _NEAR, _FITS_MINE, _FITS_THEIRS, _FITS_THEIR_BURRACO = (
    int64(value) for value in (8, 7, 4, 12, 10, 14)
)
_KEEP_WILD = int64(100)

_SHORT_HAND = int64(4)
"""Another side that has taken its pozzetto and holds so few cards may close soon."""
_PARTNER_LOADED = int64(12)
"""It does not close while its partner holds so many cards more than the other side."""

_SIZE, _NATURALS, _LATE, _CAN_GO_OUT, _HOLD = range(5)
"""A situation: cards in hand, those that are no wilds, and flags: the deal may end soon; the side
may go out or take a pozzetto; closing would catch the partner."""


@kernel
def _wilds(observation: Any) -> int:
    """Jokers and twos in the hand."""
    count = int64(observation[views.HAND + JOKER])
    for suit in range(NUM_SUITS):
        count += int64(observation[views.HAND + suit * NUM_RANKS + TWO])
    return count


@kernel
def _read_situation(observation: Any, situation: Any) -> None:
    """Fill in `situation`, int64[5]: see the constants of its indices."""
    seats = int64(observation[views.SEATS])
    my_pozzetto = views.side_took_pozzetto(observation, True)
    closing_soon = (
        views.side_took_pozzetto(observation, False)
        and views.smallest_hand(observation) <= _SHORT_HAND
    )
    stock_left = views.stock_size(observation) - int64(observation[views.DEAD_STOCK])
    situation[_SIZE] = views.hand_size(observation)
    situation[_NATURALS] = situation[_SIZE] - _wilds(observation)
    situation[_LATE] = int64(closing_soon or stock_left <= 2 * seats)
    pozzetto_waits = not my_pozzetto and observation[views.POZZETTI] > 0
    situation[_CAN_GO_OUT] = int64(pozzetto_waits or views.has_burraco(observation, True))
    situation[_HOLD] = int64(
        my_pozzetto
        and views.cards_held(observation, True)
        > views.cards_held(observation, False) + _PARTNER_LOADED
    )


@kernel
def _worth(observation: Any, action: int, situation: Any) -> int:
    """What a meld or lay-off is worth; at or below 0: not now."""
    used = 1 if action >= LAYOFF_RUN else 3
    left = situation[_SIZE] - used
    if left <= 1 and situation[_HOLD]:
        return -1
    if action >= LAYOFF_SET:
        rank, slot, suit = layoff_set_indices(action)
        naturals, kind = views.set_at(observation, rank_index(rank), slot)
        length, wild = naturals + (2 if kind > 0 else 1), suit == NUM_SUITS
    elif action >= LAYOFF_RUN:
        suit, slot, operation = layoff_run_indices(action)
        run = views.run_at(observation, suit, slot)
        length = views.run_length(run) + 1
        wild = run[WILD] == 0 and operation >= WILD_LOW  # a two that turns wild is one too
    else:
        length = 3
        wild = action >= MELD_SET_WILD or (action < MELD_SET and meld_run_indices(action)[2] > 0)
    missing = int64(observation[views.BURRACO_SIZE]) - length
    if wild:
        return _worth_of_wild(situation, used, missing)
    if used == 1:
        return _LAY_OFF - 10 * missing + (_COMPLETES if missing == 0 else 0)
    return _NATURAL_MELD + _points(action)


@kernel
def _worth_of_wild(situation: Any, used: int, missing: int) -> int:
    """As `_worth`, of a play with a wild; the meld then lacks `missing` cards to a burraco."""
    if missing < 0:
        return 0
    left = situation[_SIZE] - used
    out = left <= 1 or (used == 1 and situation[_NATURALS] <= 1)  # the others are wilds
    if out and situation[_CAN_GO_OUT]:
        return _FINISH - missing
    if missing == 0:
        return _WILD_BURRACO
    if used == 3:
        return _WILD_MELD
    return _WILD_LAY_OFF - missing if situation[_LATE] else int64(0)


@kernel
def _points(action: int) -> int:
    """Points of the naturals of a new meld without a wild."""
    if action >= MELD_SET:
        return 3 * int64(CARD_POINTS[meld_set_rank(action)])
    suit, lo, _ = meld_run_indices(action)
    points = int64(0)
    for place in range(lo, lo + 3):
        points += int64(CARD_POINTS[card_at(suit, place)])
    return points


@kernel
def _choose_play(observation: Any, mask: Any, fits: Any, situation: Any) -> int:
    """The best play; none is worth it: the least useful card."""
    _read_situation(observation, situation)
    best, most = int64(-1), int64(-2)
    for action in range(MELD_RUN, NUM_ACTIONS):
        if mask[action] != 0:
            worth = _worth(observation, action, situation)
            if worth > most:
                best, most = int64(action), worth
    if most > 0:
        return best
    discard, least = int64(-1), int64(1_000_000)
    for card in range(NUM_CARDS):
        if mask[DISCARD + card] != 0:
            use = _use(observation, card, fits, situation[_LATE])
            if use < least:
                discard, least = int64(DISCARD + card), use
    return discard if discard >= 0 else best  # without a discard a play is owed


@kernel
def _use(observation: Any, card: int, fits: Any, late: int) -> int:
    """What a card is worth in the hand."""
    if may_be_wild(card):
        return _KEEP_WILD + int64(CARD_POINTS[card])
    suit, rank = card // NUM_RANKS, card % NUM_RANKS
    use = int64(0)
    if observation[views.SETS_ALLOWED + rank_index(rank)] != 0:
        twins = int64(-1)
        for other in range(NUM_SUITS):
            twins += int64(observation[views.HAND + other * NUM_RANKS + rank])
        use += _TWIN * min(twins, 2)
    for place in (rank + 1, rank + 1 + NUM_RANKS):
        if place > HIGHEST_PLACE:
            continue
        for distance in range(-2, 3):
            near = place + distance
            if distance == 0 or near < 1 or near > HIGHEST_PLACE:
                continue
            other = card_at(suit, near)
            if other % NUM_RANKS != TWO and observation[views.HAND + other] > 0:
                use += _NEIGHBOUR if abs(distance) == 1 else _NEAR
    if fits[MINE, card] > 0:
        use += _FITS_MINE
    if fits[THEIRS, card] > 0:
        use += _FITS_THEIRS
        if fits[THEIRS, card] >= observation[views.BURRACO_SIZE]:
            use += _FITS_THEIR_BURRACO
    points = int64(CARD_POINTS[card])
    return 4 * use - (4 * points if late else points)


@kernel
def _choose_draw(observation: Any, mask: Any, fits: Any) -> int:
    """The pile if a card of it can be played at once, else the stock."""
    if mask[PICKUP] != 0 and _pile_plays(observation, fits):
        return int64(PICKUP)
    for action in range(DRAW_STOCK, WILD_CHOICE):
        if mask[action] != 0:
            return int64(action)
    return int64(-1)


@kernel
def _pile_plays(observation: Any, fits: Any) -> bool:
    """Whether a card of the pile is a wild, fits a meld of mine, or makes one with the hand."""
    for card in range(NUM_CARDS):
        if observation[views.PILE + card] > 0 and (may_be_wild(card) or fits[MINE, card] > 0):
            return True
    for index in range(NUM_SET_RANKS):
        if observation[views.SETS_ALLOWED + index] == 0:
            continue
        if observation[views.SET_COUNTS + 2 * index] and observation[views.ONE_SET_PER_RANK]:
            continue
        held, lying = int64(0), int64(0)
        for suit in range(NUM_SUITS):
            card = suit * NUM_RANKS + index_rank(index)
            held += int64(observation[views.HAND + card])
            lying += int64(observation[views.PILE + card])
        if lying > 0 and held + lying >= 3:
            return True
    for suit in range(NUM_SUITS):
        for lo in range(1, HIGHEST_PLACE - 1):
            present, lying = int64(0), int64(0)
            for place in range(lo, lo + 3):
                card = card_at(suit, place)
                in_pile = int64(observation[views.PILE + card])
                lying += in_pile
                present += int64(observation[views.HAND + card] + in_pile > 0)
            if present == 3 and lying > 0:
                return True
    return False


@kernel
def _choose_wild(observation: Any, mask: Any) -> int:
    """A two before the joker; of the twos first that of the run's suit, then the loneliest."""
    run_suit = int64(-1)
    if observation[views.PENDING] or observation[views.PENDING + 2]:
        run_suit = int64(observation[views.PENDING + 4])
    best, most = int64(-1), int64(-1)
    for kind in range(1, NUM_KINDS + 1):
        if mask[WILD_CHOICE + kind - 1] == 0:
            continue
        worth = int64(0)
        if kind <= NUM_SUITS:
            suit = kind - 1
            worth = int64(2)
            if observation[views.HAND + suit * NUM_RANKS + TWO + 1] == 0:  # it could join no three
                worth += 1
            if suit == run_suit:
                worth += 2
        if worth > most:
            best, most = int64(WILD_CHOICE + kind - 1), worth
    return best


@kernel
def choose_greedily(observation: Any, mask: Any, rules: Any, scratch: Any) -> int:
    """What `greedy` decides; -1 where nothing is legal.

    Args:
        observation: int8[OBSERVATION_SIZE].
        mask: int8[NUM_ACTIONS].
        rules: scratch, a record of `RULES_DTYPE`.
        scratch: int64[3, NUM_CARDS].
    """
    fits = scratch[:2]
    if observation[views.PHASE + WILD_PHASE] != 0:
        return _choose_wild(observation, mask)
    restore_rules(observation, rules)
    views.mark_fits(observation, rules, fits)
    if observation[views.PHASE + DRAW_PHASE] != 0:
        return _choose_draw(observation, mask, fits)
    return _choose_play(observation, mask, fits, scratch[2])


@row_kernel
def _choose(observations: Any, masks: Any, rules: Any, scratch: Any, actions: Any) -> int:
    """Choose for each row; returns the first row without a legal action, or -1."""
    for row in range(masks.shape[0]):
        actions[row] = choose_greedily(observations[row], masks[row], rules[0], scratch)
        if actions[row] < 0:
            return row
    return -1


class GreedyAgent:
    """Plays what it can at once.

    * Draw: the pile if a card of it is a wild, fits a meld of its side or makes a new one without a
      wild with the hand; else the stock.
    * Play: naturals onto melds (long melds first), then new melds without a wild, then wilds where
      that gets it out, completes a burraco or makes a new meld; onto other melds only when the deal
      is about to end, and never onto a burraco. It does not close while its partner holds many
      more cards than the others.
    * Wild: a two before a joker.
    * Discard: the card without twins and neighbours in hand that fits no meld on the table, and of
      several such cards the one with the most points. Wilds last.

    It never draws from its generator.
    """

    name = "greedy"

    def act(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """Choose an action for each row, as `Agent.act` says."""
        check_rows(observations, masks, rng)
        actions = np.full(len(masks), -1, dtype=np.int64)
        scratch = np.zeros((3, NUM_CARDS), dtype=np.int64)
        row = _choose(observations, masks, views.rules_scratch(), scratch, actions)
        if row >= 0:
            raise no_legal_action(row)
        return actions
