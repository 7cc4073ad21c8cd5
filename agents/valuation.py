"""What cards and melds are worth to a seat, judged by the parameters of `expert`.

All kernels share one record of notes on the decision at hand, `NOTES_DTYPE`; `take_notes` fills it
in from the observation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents import parameters as at
from agents import views
from agents.views import MINE, THEIRS
from burraco_env._jit import int64, kernel
from burraco_env.actions import NUM_ACTIONS, NUM_SET_RANKS, index_rank
from burraco_env.cards import JOKER, KIND_CARDS, NUM_CARDS, NUM_RANKS, NUM_SUITS
from burraco_env.melds import (
    HIGHEST_PLACE,
    JUMP,
    LOWEST_PLACE,
    MAX_SET_NATURALS,
    NUM_OPERATIONS,
    card_at,
    card_in_run,
    extend_run,
    may_be_wild,
    natural_place,
)
from burraco_env.restoring import restore_rules
from burraco_env.scoring import run_bonus, set_bonus
from burraco_env.state import (
    HI,
    LO,
    MAX_RUNS,
    MAX_SETS,
    NATURALS,
    RULES_DTYPE,
    SET_KIND,
    WILD,
)

_EARLY_TURNS = 10.0
"""Turns that each seat has left where the deal counts as having just begun."""

NUM_PARTS = 4
"""Parts of which a score is made and that `agents.action_features` tells a network, in points."""
KEEP, DANGER, KNOWN, LIKELY = (int64(part) for part in range(NUM_PARTS))
"""Of a discard: worth in the hand; use to the melds and the hands of the others: of what they have
on the table or will pick up, of what they are known to hold, of what they may hold."""
GAIN, SPENT, WILD_SPENT, DEARER = (int64(part) for part in range(NUM_PARTS))
"""Of a play: what the meld gains; worth of its naturals in the hand, and of its wild; how much more
the next discard costs."""
MELDS, LEFT, COMPANY = (int64(part) for part in range(NUM_PARTS - 1))
"""Of a pick-up: natural melds and cards that cannot be played, more than now; worth of its cards
beside those of the hand."""
NUM_ACTION_FEATURES = 16
"""See `agents.action_features`."""

NOTES_DTYPE = np.dtype(
    [
        ("rules", RULES_DTYPE),
        ("hand", np.int64, (NUM_CARDS,)),  # my hand
        ("pile", np.int64, (NUM_CARDS,)),  # the discard pile
        ("unseen", np.int64, (NUM_CARDS,)),  # copies whose place I do not know
        ("room", np.int64, (NUM_CARDS,)),
        ("single", np.int64, (NUM_CARDS,)),  # the top card of the pile alone
        ("gains", np.float64, (2, NUM_CARDS)),  # see `_mark_gains`; my side's melds, the others'
        ("near", np.int64, (2, NUM_CARDS)),  # 1: a meld lacks one card between
        ("has_burraco", np.int64, (2,)),  # flag: with which the side may close
        ("open", np.float64, (2,)),  # worth of unfinished melds: my side's, the others'
        ("size", np.int64),  # cards in my hand
        ("wilds", np.int64),  # jokers and twos among them
        ("lying", np.int64),  # cards of the pile
        ("known", np.int64, (3,)),  # cards known to be in the hands of the other relative seats
        ("late", np.float64),  # from 0 to 1: the deal is about to end
        ("early", np.float64),  # from 1 to 0: the deal has just begun
        ("threat", np.float64),  # from 0 to 1: the next seat may soon empty its hand
        ("danger", np.float64),  # the same of any other side's seat
        ("waits", np.int64),  # flag: a pozzetto waits for my side
        ("taken", np.int64),  # flag: my side has taken a pozzetto
        ("theirs_taken", np.int64),  # flag: another side has
        ("may_close", np.int64),  # flag: my side may close
        ("wants_to_close", np.int64),  # flag: and it would be good
        ("left", np.int64),  # cards that would be left after playing all that can be played
        ("run", np.int8, (4,)),
        ("set", np.uint8, (2,)),
        ("natural", np.int64),  # the natural that the lay-off on a run at hand plays, or -1
        ("costs", np.float64, (NUM_CARDS,)),  # what discarding costs more than the best discard
        ("scores", np.float64, (NUM_ACTIONS,)),
        ("parts", np.float64, (NUM_ACTIONS, NUM_PARTS)),
        ("sums", np.float64, (NUM_PARTS,)),  # parts of the score at hand
        ("features", np.float64, (NUM_ACTION_FEATURES,)),  # of the action at hand
    ],
    align=True,
)
"""Notes on one decision; `run`, `set`, `room` and `single` are scratch."""


@kernel
def take_notes(observation: Any, p: Any, notes: Any) -> None:
    """Fill in `notes`; `p`: the parameters, float64[NUM_PARAMETERS]."""
    restore_rules(observation, notes["rules"])
    notes["size"] = views.hand_size(observation)
    notes["wilds"] = 0
    notes["lying"] = 0
    notes["known"][:] = 0
    copies = int64(observation[views.COPIES])
    for card in range(NUM_CARDS):
        held, lying = int64(observation[views.HAND + card]), int64(observation[views.PILE + card])
        notes["hand"][card] = held
        notes["pile"][card] = lying
        notes["lying"] += lying
        if may_be_wild(card):
            notes["wilds"] += held
        unseen = (int64(observation[views.JOKERS]) if card == JOKER else copies) - held - lying
        for other in range(3):
            known = int64(observation[views.KNOWN + other * NUM_CARDS + card])
            notes["known"][other] += known
            unseen -= known
        notes["unseen"][card] = unseen
    _see_melds(observation, notes["unseen"])
    _mark_gains(observation, p, notes)
    _judge_stage(observation, p, notes)
    notes["left"] = cards_left(observation, notes, notes["hand"])


@kernel
def _see_melds(observation: Any, unseen: Any) -> None:
    """Take the cards of all melds off the unseen ones."""
    for suit in range(NUM_SUITS):
        for slot in range(MAX_RUNS):
            run = views.run_at(observation, suit, slot)
            if run[LO] == 0:
                continue
            for place in range(int64(run[LO]), int64(run[HI]) + 1):
                unseen[card_in_run(suit, run, place)] -= 1
    for index in range(NUM_SET_RANKS):
        for slot in range(MAX_SETS):
            for suit in range(NUM_SUITS):
                count = views.set_copies(observation, index, slot, suit)
                unseen[suit * NUM_RANKS + index_rank(index)] -= count
            _, kind = views.set_at(observation, index, slot)
            if kind > 0:
                unseen[KIND_CARDS[kind]] -= 1


@kernel
def _unfinished(p: Any, first: int, missing: int, reach: int) -> float:
    """Worth of a meld that lacks `missing` cards, of which `reach` may still come."""
    worth = p[first + min(missing, 4) - 1]
    return float(worth if reach >= missing else worth * p[at.DEAD])


@kernel
def _may_come(notes: Any, card: int) -> int:
    return int64(notes["unseen"][card] + notes["hand"][card])


@kernel
def _closes(p: Any, notes: Any, whose: int, clean: bool) -> float:
    """What a burraco is worth because the side may close with it, which it could not before."""
    if notes["has_burraco"][whose] or (notes["rules"]["clean_to_close"] and not clean):
        return 0.0
    return float(p[at.FIRST_BURRACO])


@kernel
def run_worth(p: Any, notes: Any, whose: int, suit: int, run: Any) -> float:
    """What a run is worth: its bonus, or what it may become."""
    rules = notes["rules"]
    lo, hi = int64(run[LO]), int64(run[HI])
    missing = rules["burraco_size"] - (hi - lo + 1)
    if missing <= 0:
        return run_bonus(rules, run) + _closes(p, notes, whose, run[WILD] == 0)
    reach = int64(0)
    place = lo - 1
    while place >= LOWEST_PLACE and reach < missing and _may_come(notes, card_at(suit, place)) > 0:
        reach += 1
        place -= 1
    place = hi + 1
    while place <= HIGHEST_PLACE and reach < missing and _may_come(notes, card_at(suit, place)) > 0:
        reach += 1
        place += 1
    return _unfinished(p, at.RUN_CLEAN_1 if run[WILD] == 0 else at.RUN_DIRTY_1, missing, reach)


@kernel
def set_worth(p: Any, notes: Any, whose: int, rank: int, naturals: int, kind: int) -> float:
    """What a set of so many naturals and a wild of this kind (0: none) is worth."""
    rules = notes["rules"]
    missing = rules["burraco_size"] - naturals - int64(kind > 0)
    if missing <= 0:
        row = notes["set"]
        packed, rest = int64(0), naturals
        for suit in range(NUM_SUITS):
            packed |= min(rest, 2) << (2 * suit)
            rest -= min(rest, 2)
        row[NATURALS] = packed
        row[SET_KIND] = kind
        return set_bonus(rules, row) + _closes(p, notes, whose, kind == 0)
    reach = views.of_rank(notes["unseen"], rank) + views.of_rank(notes["hand"], rank)
    return _unfinished(p, at.SET_CLEAN_1 if kind == 0 else at.SET_DIRTY_1, missing, reach)


@kernel
def extended_worth(
    p: Any, notes: Any, whose: int, suit: int, run: Any, operation: int, kind: int
) -> float:
    """What a run is worth after an operation that the rules allow."""
    after = notes["run"]
    for column in range(4):
        after[column] = run[column]
    extend_run(after, suit, operation, kind)
    return run_worth(p, notes, whose, suit, after)


@kernel
def _mark_gains(observation: Any, p: Any, notes: Any) -> None:
    """Write what each natural adds to the meld on which it is worth the most.

    At least 1 where it fits a meld and 0 where it fits none.
    """
    notes["has_burraco"][MINE] = int64(views.has_burraco(observation, True))
    notes["has_burraco"][THEIRS] = int64(views.has_burraco(observation, False))
    notes["gains"][:, :] = 0
    notes["near"][:, :] = 0
    notes["open"][:] = 0
    for suit in range(NUM_SUITS):
        mine = int64(observation[views.RUN_COUNTS + 2 * suit])
        for slot in range(MAX_RUNS):
            run = views.run_at(observation, suit, slot)
            if run[LO] > 0:
                _mark_run(p, notes, MINE if slot < mine else THEIRS, suit, run)
    for index in range(NUM_SET_RANKS):
        mine = int64(observation[views.SET_COUNTS + 2 * index])
        for slot in range(MAX_SETS):
            naturals, kind = views.set_at(observation, index, slot)
            if naturals > 0:
                _mark_set(p, notes, MINE if slot < mine else THEIRS, index, naturals, kind)


@kernel
def _mark_run(p: Any, notes: Any, whose: int, suit: int, run: Any) -> None:
    rules = notes["rules"]
    gains, near = notes["gains"][whose], notes["near"][whose]
    before = run_worth(p, notes, whose, suit, run)
    for operation in range(NUM_OPERATIONS):
        place = natural_place(rules, run, operation)
        if place > 0 and not (operation == JUMP and run[WILD] == 0):
            card = card_at(suit, place)
            gain = extended_worth(p, notes, whose, suit, run, operation, 0) - before
            gains[card] = max(gains[card], max(gain, 0.0) + 1)
    lo, hi = int64(run[LO]), int64(run[HI])
    if lo > 2 and _may_come(notes, card_at(suit, lo - 1)) > 0:
        near[card_at(suit, lo - 2)] = 1
    if hi < HIGHEST_PLACE - 1 and _may_come(notes, card_at(suit, hi + 1)) > 0:
        near[card_at(suit, hi + 2)] = 1
    if hi - lo + 1 < rules["burraco_size"]:
        notes["open"][whose] += before


@kernel
def _mark_set(p: Any, notes: Any, whose: int, index: int, naturals: int, kind: int) -> None:
    rank = index_rank(index)
    before = set_worth(p, notes, whose, rank, naturals, kind)
    if naturals + int64(kind > 0) < notes["rules"]["burraco_size"]:
        notes["open"][whose] += before
    if naturals == MAX_SET_NATURALS:
        return
    gain = max(set_worth(p, notes, whose, rank, naturals + 1, kind) - before, 0.0) + 1
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        notes["gains"][whose, card] = max(notes["gains"][whose, card], gain)


@kernel
def _soon(cards: int, few: float) -> float:
    """From 0 to 1: how soon a hand of so many cards may be empty; 0 where there are not few."""
    return float(min(max(1 - (cards - 1) / max(few, 0.1), 0.0), 1.0))


@kernel
def _judge_stage(observation: Any, p: Any, notes: Any) -> None:
    """How far the deal is, and whether my side wants to close."""
    seats = int64(observation[views.SEATS])
    taken = views.side_took_pozzetto(observation, True)
    theirs_taken = views.side_took_pozzetto(observation, False)
    notes["taken"] = int64(taken)
    notes["theirs_taken"] = int64(theirs_taken)
    notes["waits"] = int64(not taken and observation[views.POZZETTI] > 0)
    may_close = notes["has_burraco"][MINE] != 0 and (
        taken or (observation[views.CLOSE_IF_NONE_LEFT] != 0 and observation[views.POZZETTI] == 0)
    )
    notes["may_close"] = int64(may_close)
    theirs_may_close = theirs_taken and notes["has_burraco"][THEIRS] != 0
    smallest = views.smallest_hand(observation)
    notes["threat"], notes["danger"] = 0.0, 0.0
    if theirs_may_close or (not theirs_taken and observation[views.POZZETTI] > 0):
        notes["danger"] = _soon(smallest, p[at.DANGER_HAND])
        if observation[views.MY_SIDE + 1] == 0:
            notes["threat"] = _soon(int64(observation[views.HAND_SIZES + 1]), p[at.DANGER_HAND])
    turns = (views.stock_size(observation) - int64(observation[views.DEAD_STOCK])) / seats
    notes["early"] = min(max(turns / _EARLY_TURNS, 0.0), 1.0)
    late = 1 - turns / max(p[at.LATE_TURNS], 0.1)
    if theirs_may_close:
        late = max(late, p[at.LATE_THREAT] * _soon(smallest, p[at.LATE_HAND]))
    notes["late"] = min(max(late, 0.0), 1.0)
    wish = p[at.CLOSE] + p[at.CLOSE_LATE] * notes["late"]
    wish += p[at.CLOSE_THEIRS] * views.cards_held(observation, False)
    wish += p[at.CLOSE_PARTNER] * views.cards_held(observation, True)
    wish += p[at.CLOSE_MY_MELDS] * notes["open"][MINE]
    wish += p[at.CLOSE_THEIR_MELDS] * notes["open"][THEIRS]
    if not theirs_taken:
        wish += p[at.CLOSE_UNTAKEN]
    notes["wants_to_close"] = int64(may_close and wish >= 0)


@kernel
def cards_left(observation: Any, notes: Any, hand: Any) -> int:
    """About how many cards of a hand would be left after playing all that can be played."""
    cards = notes["room"]
    naturals, wilds = int64(0), int64(0)
    for card in range(NUM_CARDS):
        cards[card] = hand[card]
        if may_be_wild(card):
            wilds += hand[card]
        else:
            naturals += hand[card]
    places = int64(0)  # melds without a wild
    for suit in range(NUM_SUITS):
        for slot in range(int64(observation[views.RUN_COUNTS + 2 * suit])):
            run = views.run_at(observation, suit, slot)
            places += int64(run[WILD] == 0)
            naturals -= _laid_off(cards, suit, run)
    for index in range(NUM_SET_RANKS):
        for slot in range(int64(observation[views.SET_COUNTS + 2 * index])):
            places += int64(views.set_at(observation, index, slot)[1] == 0)
            for suit in range(NUM_SUITS):
                card = suit * NUM_RANKS + index_rank(index)
                naturals -= cards[card]
                cards[card] = 0
    for suit in range(NUM_SUITS):
        laid, new = _new_runs(cards, suit)
        naturals -= laid
        places += new
    for rank in range(NUM_RANKS):
        held = views.of_rank(cards, rank) if views.sets_allowed(observation, rank) else int64(0)
        if held >= 3:
            naturals -= held
            places += 1
        elif held == 2 and wilds > 0:
            naturals -= held
            wilds -= 1
    return naturals + max(wilds - places, 0)


@kernel
def _new_runs(cards: Any, suit: int) -> tuple[int, int]:
    """Take the stretches of three naturals or more off `cards`; cards taken, and stretches."""
    laid, new, length = int64(0), int64(0), int64(0)
    for place in range(3, HIGHEST_PLACE + 2):
        if place <= HIGHEST_PLACE and cards[card_at(suit, place)] > 0:
            length += 1
            continue
        if length >= 3:
            laid += length
            new += 1
            for gone in range(place - length, place):
                cards[card_at(suit, gone)] -= 1
        length = int64(0)
    return laid, new


@kernel
def _laid_off(cards: Any, suit: int, run: Any) -> int:
    """Take the naturals off `cards` that extend the run, one after the other; how many."""
    count = int64(0)
    place = int64(run[LO]) - 1
    while place >= 3 and cards[card_at(suit, place)] > 0:
        cards[card_at(suit, place)] -= 1
        count += 1
        place -= 1
    place = int64(run[HI]) + 1
    while place <= HIGHEST_PLACE and cards[card_at(suit, place)] > 0:
        cards[card_at(suit, place)] -= 1
        count += 1
        place += 1
    return count


@kernel
def beside(observation: Any, p: Any, notes: Any, card: int, others: Any) -> float:
    """What a natural is worth together with `others`, int64[NUM_CARDS], among which it is not."""
    suit, rank = card // NUM_RANKS, card % NUM_RANKS
    worth = 0.0
    unseen = notes["unseen"]
    if views.sets_allowed(observation, rank):
        twins = views.of_rank(others, rank)
        if twins > 0:
            value = p[at.TWIN] + p[at.TWIN_OUTS] * views.of_rank(unseen, rank) / 6
            if twins > 1:
                value += p[at.TRIPLET]
            if views.set_is_closed(observation, rank):
                value *= p[at.SET_CLOSED]
            worth += value
    if others[card] > 0:
        worth += p[at.DOUBLE]
    worth += _in_run(p, unseen, suit, rank + 1, others)
    if rank == 0:
        worth += _in_run(p, unseen, suit, HIGHEST_PLACE, others)
    return worth


@kernel
def _in_run(p: Any, unseen: Any, suit: int, place: int, others: Any) -> float:
    """What the natural of a place is worth beside its neighbours in the suit."""
    worth = 0.0
    for direction in (-1, 1):
        next_to, beyond = place + direction, place + 2 * direction
        if next_to < LOWEST_PLACE or next_to > HIGHEST_PLACE:
            continue
        if _natural_held(suit, next_to, others):
            outs = _outs(unseen, suit, place - direction) + _outs(unseen, suit, beyond)
            worth += p[at.NEIGHBOUR] + p[at.NEIGHBOUR_OUTS] * outs / 4
        if LOWEST_PLACE <= beyond <= HIGHEST_PLACE and _natural_held(suit, beyond, others):
            worth += p[at.GAP] + p[at.GAP_OUTS] * _outs(unseen, suit, next_to) / 2
    return worth


@kernel
def _natural_held(suit: int, place: int, others: Any) -> bool:
    return place != 2 and others[card_at(suit, place)] > 0


@kernel
def _outs(unseen: Any, suit: int, place: int) -> int:
    if place < LOWEST_PLACE or place > HIGHEST_PLACE:
        return int64(0)
    return int64(unseen[card_at(suit, place)])
