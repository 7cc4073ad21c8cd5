"""What a network sees of each legal action, beside the score that `expert` gives to it.

A network that knows an action by its number alone must learn every card and every meld by itself.
These features say what the action does, in the same terms for all cards, so that what is learned of
one discard holds for the others. They are int8 in sixteenths (`FEATURE_UNIT`).
"""

from __future__ import annotations

from typing import Any

from agents import views
from agents.valuation import (
    COMPANY,
    DANGER,
    DEARER,
    GAIN,
    KEEP,
    KNOWN,
    LEFT,
    LIKELY,
    MELDS,
    SPENT,
    WILD_SPENT,
)
from agents.views import MINE, THEIRS
from burraco_env._jit import int64, kernel
from burraco_env.actions import (
    DISCARD,
    LAYOFF_RUN,
    LAYOFF_SET,
    MELD_RUN,
    MELD_SET,
    MELD_SET_WILD,
    PICKUP,
    PICKUP_TOP,
    layoff_run_indices,
    layoff_set_indices,
    meld_run_indices,
    meld_set_rank,
    rank_index,
)
from burraco_env.cards import CARD_POINTS, NUM_CARDS, NUM_KINDS, NUM_RANKS, NUM_SUITS
from burraco_env.melds import (
    HIGHEST_PLACE,
    LOWEST_PLACE,
    card_at,
    extend_run,
    may_be_wild,
    natural_place,
)
from burraco_env.state import HI, LO, WILD

DISCARD_FEATURES = (
    "worth in the hand / 20",
    "use to the melds of the others, and beside the pile / 20",
    "use to what the others are known to hold / 10",
    "use to what they may hold / 10",
    "wild",
    "points / 10",
    "adds to a meld of the others / 50",
    "a meld of the others lacks one card between",
    "fits a meld of mine",
    "others of its rank in the hand / 2",
    "cards up to two places away in the hand / 2",
    "unseen of its rank / 4",
    "its rank in the pile / 2",
    "its rank among the discards of the next seat / 2",
    "its rank known in the next seat's hand / 2",
    "unseen beside it / 4",
)
PLAY_FEATURES = (
    "gain of the meld / 50",
    "worth of its naturals in the hand / 20",
    "worth of its wild / 40",
    "how much dearer the next discard is / 20",
    "points of its naturals / 20",
    "cards of the meld / 7",
    "makes a burraco without a wild",
    "makes a burraco with a wild",
    "plays a wild",
    "cards left / 5",
    "one card left or none",
    "none left",
    "the meld has no wild",
    "unseen that extend the meld / 4",
    "cards of the hand that extend it / 2",
    "cards it lacks to a burraco / 7",
)
PICK_UP_FEATURES = (
    "natural melds more",
    "cards more that cannot be played / 5",
    "worth beside the hand / 50",
    "wilds",
    "adds to melds of mine / 50",
    "adds to melds of the others / 50",
    "cards / 5",
    "points / 50",
    "one card",
)
"""Features of each kind of action, in order; the rest of them is 0, as are all of other actions."""
FEATURE_UNIT = 16.0
"""What stands for 1."""


@kernel
def write_action_features(observation: Any, notes: Any, action: int, out: Any) -> None:
    """Write the features of a legal action.

    Args:
        observation: int8[OBSERVATION_SIZE].
        notes: a record of `NOTES_DTYPE` with the judgement of `expert` (`score_and_note`).
        action: its number.
        out: int8[NUM_ACTION_FEATURES].
    """
    out[:] = 0
    values = notes["features"]
    values[:] = 0
    if action >= MELD_RUN:
        _describe_play(observation, notes, action, values)
    elif action >= DISCARD:
        _describe_discard(observation, notes, action, values)
    elif action == PICKUP:
        _describe_pick_up(notes, notes["parts"][action], notes["pile"], values)
    elif action == PICKUP_TOP:
        _describe_pick_up(notes, notes["parts"][action], notes["single"], values)
    for index in range(values.shape[0]):
        out[index] = int64(min(max(values[index] * FEATURE_UNIT, -127.0), 127.0))


@kernel
def _describe_discard(observation: Any, notes: Any, action: int, out: Any) -> None:
    card = action - DISCARD
    parts = notes["parts"][action]
    out[0], out[1] = parts[KEEP] / 20, parts[DANGER] / 20
    out[2], out[3] = parts[KNOWN] / 10, parts[LIKELY] / 10
    out[4] = may_be_wild(card)
    out[5] = CARD_POINTS[card] / 10
    out[6] = notes["gains"][THEIRS, card] / 50
    out[7] = notes["near"][THEIRS, card]
    out[8] = notes["gains"][MINE, card] > 0
    if card == NUM_CARDS - 1:
        return
    suit, rank = card // NUM_RANKS, card % NUM_RANKS
    known = observation[views.KNOWN : views.KNOWN + NUM_CARDS]
    out[9] = (views.of_rank(notes["hand"], rank) - 1) / 2
    out[11] = views.of_rank(notes["unseen"], rank) / 4
    out[12] = views.of_rank(notes["pile"], rank) / 2
    out[13] = views.of_rank(observation[views.DISCARDS :], rank) / 2
    out[14] = views.of_rank(known, rank) / 2
    _describe_neighbours(notes, suit, rank + 1, out)
    if rank == 0:
        _describe_neighbours(notes, suit, HIGHEST_PLACE, out)


@kernel
def _describe_neighbours(notes: Any, suit: int, own_place: int, out: Any) -> None:
    for distance in (-2, -1, 1, 2):
        place = own_place + distance
        if LOWEST_PLACE <= place <= HIGHEST_PLACE and place != 2:
            out[10] += notes["hand"][card_at(suit, place)] / 2
            if abs(distance) == 1:
                out[15] += notes["unseen"][card_at(suit, place)] / 4


@kernel
def _describe_pick_up(notes: Any, parts: Any, cards: Any, out: Any) -> None:
    """Describe taking `cards`, int64[NUM_CARDS]."""
    out[0], out[1], out[2] = parts[MELDS], parts[LEFT] / 5, parts[COMPANY] / 50
    count = int64(0)
    for card in range(NUM_CARDS):
        if cards[card] > 0:
            count += cards[card]
            out[3] += cards[card] * int64(may_be_wild(card))
            out[4] += cards[card] * notes["gains"][MINE, card] / 50
            out[5] += cards[card] * notes["gains"][THEIRS, card] / 50
            out[7] += cards[card] * CARD_POINTS[card] / 50
    out[6] = count / 5
    out[8] = count == 1


@kernel
def _describe_play(observation: Any, notes: Any, action: int, out: Any) -> None:
    parts = notes["parts"][action]
    out[0], out[1] = parts[GAIN] / 50, parts[SPENT] / 20
    out[2], out[3] = parts[WILD_SPENT] / 40, parts[DEARER] / 20
    if action >= LAYOFF_SET or LAYOFF_RUN > action >= MELD_SET:
        length, plays_wild, has_wild = _describe_set(observation, notes, action, out)
    else:
        length, plays_wild, has_wild = _describe_run(observation, notes, action, out)
    size = notes["rules"]["burraco_size"]
    left = notes["size"] - (1 if action >= LAYOFF_RUN else 3)
    out[5] = length / 7
    out[6] = length == size and not has_wild
    out[7] = length == size and has_wild
    out[8] = plays_wild
    out[9] = left / 5
    out[10] = left <= 1
    out[11] = left == 0
    out[12] = not has_wild
    out[15] = max(size - length, 0) / 7


@kernel
def _describe_set(observation: Any, notes: Any, action: int, out: Any) -> tuple[int, bool, bool]:
    """Describe what is special to sets; the length then, whether it plays and has a wild."""
    if action >= LAYOFF_SET:
        rank, slot, suit = layoff_set_indices(action)
        naturals, kind = views.set_at(observation, rank_index(rank), slot)
        plays_wild = suit == NUM_SUITS
        length, played = naturals + int64(kind > 0) + 1, int64(not plays_wild)
        has_wild = plays_wild or kind > 0
    else:
        rank = meld_set_rank(action)
        plays_wild = action >= MELD_SET_WILD
        has_wild = plays_wild
        length, played = int64(3), int64(2 if plays_wild else 3)
    out[4] = played * CARD_POINTS[rank] / 20
    out[13] = views.of_rank(notes["unseen"], rank) / 4
    out[14] = (views.of_rank(notes["hand"], rank) - played) / 2
    return length, plays_wild, has_wild


@kernel
def _describe_run(observation: Any, notes: Any, action: int, out: Any) -> tuple[int, bool, bool]:
    """Describe what is special to runs; the length then, whether it plays and has a wild."""
    if action >= LAYOFF_RUN:
        suit, slot, operation = layoff_run_indices(action)
        run = views.run_at(observation, suit, slot)
        place = natural_place(notes["rules"], run, operation)
        plays_wild = place <= 0
        if not plays_wild:
            out[4] = CARD_POINTS[card_at(suit, place)] / 20
        after = notes["run"]
        for column in range(4):
            after[column] = run[column]
        extend_run(after, suit, operation, NUM_KINDS)
        has_wild, length = after[WILD] > 0, views.run_length(after)
        lo, hi = int64(after[LO]), int64(after[HI])
    else:
        suit, lo, pattern = meld_run_indices(action)
        plays_wild = pattern > 0
        has_wild = plays_wild
        hi, length = lo + 2, int64(3)
        for place in range(lo, lo + 3):
            if place != lo + pattern - 1:
                out[4] += CARD_POINTS[card_at(suit, place)] / 20
    for place in (lo - 1, hi + 1):
        if LOWEST_PLACE <= place <= HIGHEST_PLACE:
            out[13] += notes["unseen"][card_at(suit, place)] / 4
            out[14] += notes["hand"][card_at(suit, place)] / 2
    return length, plays_wild, has_wild
