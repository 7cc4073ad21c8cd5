"""`expert`: judges every legal action by what it makes of hand, table and race, in points."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents import parameters as at
from agents import views
from agents.parameters import NUM_PARAMETERS, tuned
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
    NOTES_DTYPE,
    SPENT,
    WILD_SPENT,
    beside,
    cards_left,
    extended_worth,
    run_worth,
    set_worth,
    take_notes,
)
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
    PICKUP,
    PICKUP_TOP,
    WILD_CHOICE,
    layoff_run_indices,
    layoff_set_indices,
    meld_run_indices,
    meld_set_rank,
    meld_set_suit,
    rank_index,
)
from burraco_env.agent import check_rows, no_legal_action
from burraco_env.cards import CARD_POINTS, JOKER, NUM_CARDS, NUM_KINDS, NUM_RANKS, NUM_SUITS, TWO
from burraco_env.melds import HIGHEST_PLACE, LOWEST_PLACE, card_at, may_be_wild, natural_place
from burraco_env.state import DRAW_PHASE, HI, KIND, LO, WILD, WILD_PHASE

IDLE = -1_000.0
"""Score of taking a single card that is of no use at once. Two players who take each other's
discards might otherwise go on for ever."""
TAKING_TURNS = 100
"""Turns of the deal in which it is taken nevertheless where `_takes_singles` says so."""
TAKEN = 5.0
"""What it is worth then, beside its worth in the hand."""
WEARY_TURNS = 200
"""Turns after which no single card is taken at all: by then the deal goes round in circles."""

_NEXT, _PREVIOUS = views.KNOWN, views.KNOWN + 2 * NUM_CARDS


@kernel
def _wild_cost(p: Any, notes: Any, card: int) -> float:
    """What it costs to spend a wild."""
    cost = p[at.JOKER] if card == JOKER else p[at.TWO]
    cost *= 1 - p[at.WILD_MORE] * (notes["wilds"] - 1)
    cost *= 1 - p[at.WILD_LATE] * notes["late"]
    cost *= 1 - p[at.WILD_THREAT] * notes["danger"]
    cost *= 1 + p[at.WILD_EARLY] * notes["early"]
    if notes["theirs_taken"]:
        cost *= 1 - p[at.WILD_THEIRS]
    if notes["taken"]:
        cost *= 1 - p[at.WILD_TAKEN]
    if _may_go_out(notes):
        cost *= 1 - p[at.WILD_OUT]
    return float(max(cost, 0.0))


@kernel
def _may_go_out(notes: Any) -> bool:
    """Whether emptying the hand in this turn looks possible, and is wanted."""
    return bool(notes["left"] <= 1 and (notes["waits"] != 0 or notes["wants_to_close"] != 0))


@kernel
def _keeping(observation: Any, p: Any, notes: Any, card: int) -> float:
    """What a natural is worth in the hand, from which it has been taken out."""
    worth = beside(observation, p, notes, card, notes["hand"])
    if notes["near"][MINE, card]:
        worth += p[at.NEAR_MELD]
    if notes["gains"][MINE, card] > 0:
        worth += p[at.FIT] + p[at.FIT_GAIN] * notes["gains"][MINE, card]
    return float(worth * (1 - p[at.KEEP_LATE] * notes["late"]))


@kernel
def _spend(observation: Any, p: Any, notes: Any, card: int) -> float:
    """Worth of playing one card, but for what it adds to the table; it leaves the hand."""
    notes["hand"][card] -= 1
    points = int64(CARD_POINTS[card])
    worth = p[at.PLAY] + p[at.PLAY_LARGE] * max(notes["size"] - 7, 0)
    worth += p[at.PLAY_THREAT] * notes["danger"] + p[at.PLAY_EARLY] * notes["early"]
    worth += points * (p[at.PLAY_POINTS] + p[at.PLAY_LATE] * notes["late"])
    if notes["waits"]:
        worth += p[at.PLAY_WAITS]
        if notes["left"] <= 1:
            worth += p[at.PLAY_OUT]
    elif notes["may_close"]:
        worth += p[at.PLAY_CLOSE]
        if notes["left"] <= 1 and notes["wants_to_close"]:
            worth += p[at.PLAY_CLOSING]
    if may_be_wild(card):
        cost = _wild_cost(p, notes, card)
        notes["sums"][WILD_SPENT] += cost
        return float(worth - cost)
    keep = beside(observation, p, notes, card, notes["hand"])
    notes["sums"][SPENT] += keep
    return float(worth - keep * (1 - p[at.KEEP_LATE] * notes["late"]))


@kernel
def _spend_wild(observation: Any, p: Any, notes: Any) -> float:
    """As `_spend`, of the wild of the hand that `_score_wilds` would choose first."""
    chosen = int64(JOKER)
    if notes["hand"][JOKER] == 0 or p[at.JOKER_FIRST] < 0:
        for suit in range(NUM_SUITS):
            card = suit * NUM_RANKS + TWO
            if notes["hand"][card] > 0:
                chosen = int64(card)
    if notes["hand"][chosen] == 0:
        return 0.0
    worth = _spend(observation, p, notes, chosen)
    notes["hand"][chosen] += 1
    return worth


@kernel
def _score_play(observation: Any, p: Any, notes: Any, action: int) -> float:
    """Worth of a meld or lay-off, against discarding at once."""
    notes["sums"][:] = 0
    if action >= LAYOFF_SET:
        score = _score_on_set(observation, p, notes, action)
    elif action >= LAYOFF_RUN:
        score = _score_on_run(observation, p, notes, action)
    elif action >= MELD_SET:
        score = _score_new_set(observation, p, notes, action)
    else:
        score = _score_new_run(observation, p, notes, action)
    left = notes["size"] - (1 if action >= LAYOFF_RUN else 3)
    if left > 0:
        dearer = _dearer_discard(notes, action)
        notes["sums"][DEARER] = dearer
        score -= p[at.PLAY_DISCARD] * dearer
    if left <= 1 and not notes["waits"] and not notes["wants_to_close"]:
        score -= p[at.HOLD]
    notes["parts"][action] = notes["sums"]
    return score


@kernel
def _dearer_discard(notes: Any, action: int) -> float:
    """How much more the best discard costs once the naturals of a play have left the hand."""
    hand, costs = notes["hand"], notes["costs"]
    _take_naturals(notes, action, -1)
    least = np.inf
    for card in range(NUM_CARDS):
        if hand[card] > 0:
            least = min(least, costs[card])
    _take_naturals(notes, action, 1)
    return least if least < np.inf else 0.0


@kernel
def _take_naturals(notes: Any, action: int, change: int) -> None:
    """Take the naturals of a play out of the hand, or put them back; on a run `natural`."""
    hand = notes["hand"]
    if action >= LAYOFF_SET:
        rank, _, suit = layoff_set_indices(action)
        if suit < NUM_SUITS:
            hand[suit * NUM_RANKS + rank] += change
    elif action >= LAYOFF_RUN:
        if notes["natural"] >= 0:
            hand[notes["natural"]] += change
    elif action >= MELD_SET:
        rank = meld_set_rank(action)
        for index in range(2 if action >= MELD_SET_WILD else 3):
            hand[meld_set_suit(action, index) * NUM_RANKS + rank] += change
    else:
        suit, lo, pattern = meld_run_indices(action)
        for place in range(lo, lo + 3):
            if pattern == 0 or place != lo + pattern - 1:
                hand[card_at(suit, place)] += change


@kernel
def _score_on_set(observation: Any, p: Any, notes: Any, action: int) -> float:
    rank, slot, suit = layoff_set_indices(action)
    naturals, kind = views.set_at(observation, rank_index(rank), slot)
    before = set_worth(p, notes, MINE, rank, naturals, kind)
    if suit == NUM_SUITS:
        gain = set_worth(p, notes, MINE, rank, naturals, NUM_KINDS) - before
        notes["sums"][GAIN] = gain
        return gain + _spend_wild(observation, p, notes)
    card = suit * NUM_RANKS + rank
    gain = set_worth(p, notes, MINE, rank, naturals + 1, kind) - before
    notes["sums"][GAIN] = gain
    score = gain + _spend(observation, p, notes, card)
    notes["hand"][card] += 1
    return score


@kernel
def _score_on_run(observation: Any, p: Any, notes: Any, action: int) -> float:
    suit, slot, operation = layoff_run_indices(action)
    run = views.run_at(observation, suit, slot)
    gain = extended_worth(p, notes, MINE, suit, run, operation, NUM_KINDS)
    gain -= run_worth(p, notes, MINE, suit, run)
    notes["sums"][GAIN] = gain
    place = natural_place(notes["rules"], run, operation)
    notes["natural"] = card_at(suit, place) if place > 0 else int64(-1)
    if place <= 0:
        return gain + _spend_wild(observation, p, notes)
    card = card_at(suit, place)
    score = gain + _spend(observation, p, notes, card)
    notes["hand"][card] += 1
    return score


@kernel
def _score_new_set(observation: Any, p: Any, notes: Any, action: int) -> float:
    rank = meld_set_rank(action)
    wild = action >= MELD_SET_WILD
    count = 2 if wild else 3
    score = p[at.NEW_SET]
    _take_naturals(notes, action, -1)
    for index in range(count):
        card = meld_set_suit(action, index) * NUM_RANKS + rank
        notes["hand"][card] += 1
        score += _spend(observation, p, notes, card)
    gain = set_worth(p, notes, MINE, rank, count, NUM_KINDS if wild else 0)
    notes["sums"][GAIN] = gain
    score += gain
    if wild:
        score += _spend_wild(observation, p, notes)
    score += p[at.PLAY_FOLLOW] * views.of_rank(notes["hand"], rank)
    _take_naturals(notes, action, 1)
    return float(score)


@kernel
def _score_new_run(observation: Any, p: Any, notes: Any, action: int) -> float:
    suit, lo, pattern = meld_run_indices(action)
    wild = lo + pattern - 1 if pattern > 0 else int64(0)
    hand = notes["hand"]
    score = p[at.NEW_RUN]
    _take_naturals(notes, action, -1)
    for place in range(lo, lo + 3):
        if place != wild:
            card = card_at(suit, place)
            hand[card] += 1
            score += _spend(observation, p, notes, card)
    gain = run_worth(p, notes, MINE, suit, _new_run(notes, lo, wild))
    notes["sums"][GAIN] = gain
    score += gain
    if wild > 0:
        score += _spend_wild(observation, p, notes)
    for direction in (-1, 1):
        place = lo - 1 if direction < 0 else lo + 3
        while LOWEST_PLACE <= place <= HIGHEST_PLACE and hand[card_at(suit, place)] > 0:
            score += p[at.PLAY_FOLLOW]
            place += direction
    _take_naturals(notes, action, 1)
    return float(score)


@kernel
def _new_run(notes: Any, lo: int, wild: int) -> Any:
    run = notes["run"]
    run[LO], run[HI], run[WILD] = lo, lo + 2, wild
    run[KIND] = NUM_KINDS if wild > 0 else 0
    return run


@kernel
def _discard_cost(observation: Any, p: Any, notes: Any, card: int) -> float:
    """What discarding a card costs: what it is worth to me and to the others."""
    points = int64(CARD_POINTS[card])
    parts = notes["parts"][DISCARD + card]
    parts[:] = 0
    cost = -points * (p[at.DISCARD_POINTS] + p[at.DISCARD_LATE] * notes["late"])
    danger = 0.0
    gain = notes["gains"][THEIRS, card]
    if gain > 0:
        danger += p[at.DANGER_FIT] + p[at.DANGER] * gain
    elif notes["near"][THEIRS, card]:
        danger += p[at.DANGER_NEAR]
    parts[DANGER] = danger
    if may_be_wild(card):
        return float(cost + danger + p[at.DISCARD_WILD] + _wild_cost(p, notes, card))
    if notes["lying"] > 0:
        danger += p[at.DANGER_BESIDE_PILE] * beside(observation, p, notes, card, notes["pile"])
    parts[DANGER] = danger
    cost += danger * (
        1 + p[at.DANGER_PILE] * notes["lying"] + p[at.DANGER_THREAT] * notes["threat"]
    )
    before = cost
    if notes["known"][0] > 0:
        known = observation[_NEXT : _NEXT + NUM_CARDS]
        cost += p[at.DANGER_KNOWN] * beside(observation, p, notes, card, known)
    if notes["known"][2] > 0 and observation[views.MY_SIDE + 3] == 0:
        known = observation[_PREVIOUS : _PREVIOUS + NUM_CARDS]
        cost += p[at.DANGER_PREVIOUS] * beside(observation, p, notes, card, known)
    parts[KNOWN] = cost - before
    parts[LIKELY] = _likely(observation, p, notes, card)
    cost += parts[LIKELY]
    notes["hand"][card] -= 1
    parts[KEEP] = _keeping(observation, p, notes, card)
    notes["hand"][card] += 1
    return float(cost + parts[KEEP])


@kernel
def _likely(observation: Any, p: Any, notes: Any, card: int) -> float:
    """How likely the next seat can use a card, by what is unseen and what it has discarded."""
    suit, rank = card // NUM_RANKS, card % NUM_RANKS
    unseen, discarded = int64(0), int64(0)
    if views.sets_allowed(observation, rank):
        unseen += views.of_rank(notes["unseen"], rank)
        discarded += views.of_rank(observation[views.DISCARDS :], rank)
    for place in (rank, rank + 2):
        if LOWEST_PLACE <= place <= HIGHEST_PLACE and place != 2:
            unseen += notes["unseen"][card_at(suit, place)]
            discarded += int64(observation[views.DISCARDS + card_at(suit, place)])
    return float(p[at.DANGER_UNSEEN] * unseen + p[at.DANGER_DISCARDED] * discarded)


@kernel
def _pick_up_worth(observation: Any, p: Any, notes: Any, action: int, cards: Any) -> float:
    """Worth of picking up `cards`, int64[NUM_CARDS], but for the constant."""
    parts = notes["parts"][action]
    parts[:] = 0
    each = p[at.PICK_CARD] + p[at.PICK_LATE] * notes["late"]
    if notes["waits"]:
        each += p[at.PICK_WAITS]
    elif notes["may_close"]:
        each += p[at.PICK_CLOSING]
    hand = notes["hand"]
    known = observation[_NEXT : _NEXT + NUM_CARDS]
    before = _natural_melds(observation, hand)
    worth = -p[at.PICK_MELD] * before
    for card in range(NUM_CARDS):
        hand[card] += cards[card]
    after = _natural_melds(observation, hand)
    worth += p[at.PICK_MELD] * after
    left = cards_left(observation, notes, hand)
    parts[MELDS], parts[LEFT] = after - before, left - notes["left"]
    worth += p[at.PICK_HAND] * notes["size"] + p[at.PICK_THREAT] * notes["danger"]
    worth += p[at.PICK_LEFT] * (left - notes["left"])
    if left <= 1 and (notes["waits"] or notes["wants_to_close"]):
        worth += p[at.PICK_OUT]
    for card in range(NUM_CARDS):
        if cards[card] == 0:
            continue
        value = each
        if may_be_wild(card):
            value += p[at.PICK_JOKER] if card == JOKER else p[at.PICK_TWO]
        else:
            hand[card] -= 1
            use = beside(observation, p, notes, card, hand)
            hand[card] += 1
            parts[COMPANY] += use * cards[card]
            value += p[at.PICK_WORTH] * use
            if notes["gains"][MINE, card] > 0:
                value += p[at.PICK_FIT] + p[at.PICK_GAIN] * notes["gains"][MINE, card]
            elif use <= 0:
                value += p[at.PICK_POINTS_LATE] * notes["late"] * int64(CARD_POINTS[card])
            if notes["known"][0] > 0:
                value += p[at.PICK_DENY_KNOWN] * beside(observation, p, notes, card, known)
        if notes["gains"][THEIRS, card] > 0:
            value += p[at.PICK_DENY_FIT] + p[at.PICK_DENY] * notes["gains"][THEIRS, card]
        worth += value * cards[card]
    for card in range(NUM_CARDS):
        hand[card] -= cards[card]
    return float(worth)


@kernel
def _natural_melds(observation: Any, hand: Any) -> int:
    """Ranks and stretches of a suit of which the hand holds three naturals or more."""
    melds = int64(0)
    for rank in range(NUM_RANKS):
        if views.sets_allowed(observation, rank) and not views.set_is_closed(observation, rank):
            melds += int64(views.of_rank(hand, rank) >= 3)
    for suit in range(NUM_SUITS):
        length = int64(0)
        for place in range(LOWEST_PLACE, HIGHEST_PLACE + 1):
            length = length + 1 if hand[card_at(suit, place)] > 0 else int64(0)
            melds += int64(length == 3)
    return melds


@kernel
def _useful_at_once(observation: Any, notes: Any, card: int) -> bool:
    """Whether a single card is a wild, fits a meld of my side or makes one with the hand."""
    if may_be_wild(card) or notes["gains"][MINE, card] > 0:
        return True
    hand = notes["hand"]
    before = _natural_melds(observation, hand)
    hand[card] += 1
    after = _natural_melds(observation, hand)
    hand[card] -= 1
    return after > before


@kernel
def _takes_singles(observation: Any, notes: Any) -> bool:
    """Whether single cards are taken for nothing but that the other should not find a pile.

    That pays between two, where none but the other profits from what I leave, and where a pile can
    be had for the asking; not with more seats, and not in a short game.
    """
    return bool(
        observation[views.SEATS] == 2
        and observation[views.NEEDS_MELD] == 0
        and observation[views.TOP_ALONE] == 0
        and notes["early"] >= 1
        and views.turn(observation) < TAKING_TURNS
    )


@kernel
def _score_draws(observation: Any, mask: Any, p: Any, notes: Any) -> None:
    """The stock counts 0."""
    scores = notes["scores"]
    scores[DRAW_STOCK] = 0
    notes["parts"][DRAW_STOCK] = 0
    if mask[PICKUP]:
        scores[PICKUP] = (
            _pick_up_worth(observation, p, notes, PICKUP, notes["pile"]) + p[at.PICK_UP]
        )
    if mask[PICKUP_TOP]:
        notes["single"][:] = 0
        notes["single"][views.top_card(observation)] = 1
        worth = _pick_up_worth(observation, p, notes, PICKUP_TOP, notes["single"])
        scores[PICKUP_TOP] = worth + p[at.PICK_UP_TOP]
    single = notes["lying"] == 1  # the pile is its top card
    if single or mask[PICKUP_TOP]:
        card = views.top_card(observation)
        weary = views.turn(observation) >= WEARY_TURNS
        if weary or not _useful_at_once(observation, notes, card):
            scores[PICKUP_TOP] = IDLE
            if single and _takes_singles(observation, notes):
                scores[PICKUP] = TAKEN + beside(observation, p, notes, card, notes["hand"])
            elif single:
                scores[PICKUP] = IDLE


@kernel
def _score_wilds(observation: Any, mask: Any, p: Any, notes: Any) -> None:
    """Of the twos first that of the run's suit, which may turn natural; then the loneliest."""
    run_suit = int64(-1)
    if observation[views.PENDING] or observation[views.PENDING + 2]:
        run_suit = int64(observation[views.PENDING + 4])
    for kind in range(1, NUM_KINDS + 1):
        if mask[WILD_CHOICE + kind - 1] == 0:
            continue
        score = p[at.JOKER_FIRST]
        if kind <= NUM_SUITS:
            suit = kind - 1
            score = 0.5 if suit == run_suit else 0.0
            if observation[views.HAND + suit * NUM_RANKS + TWO + 1] == 0:
                score += 0.25
        notes["scores"][WILD_CHOICE + kind - 1] = score


@kernel
def _score_plays(observation: Any, mask: Any, p: Any, notes: Any) -> None:
    """The best discard counts 0, also where it is not legal."""
    scores = notes["scores"]
    least = np.inf
    costs = notes["costs"]
    for card in range(NUM_CARDS):
        if notes["hand"][card] > 0:
            costs[card] = _discard_cost(observation, p, notes, card)
            least = min(least, costs[card])
    for card in range(NUM_CARDS):
        costs[card] -= least
        scores[DISCARD + card] = -costs[card]
    for action in range(MELD_RUN, NUM_ACTIONS):
        if mask[action]:
            scores[action] = _score_play(observation, p, notes, action)


@kernel
def table_row(observation: Any, p: Any) -> Any:
    """The parameters for the seats of the game, float64[NUM_PARAMETERS]."""
    return p[0 if observation[views.SEATS] == 2 else 1]


@kernel
def score_and_note(observation: Any, mask: Any, p: Any, notes: Any) -> None:
    """As `score_actions`; with notes also where only the wild is left to choose."""
    score_actions(observation, mask, p, notes)
    if observation[views.PHASE + WILD_PHASE]:
        take_notes(observation, table_row(observation, p), notes)


@kernel
def score_actions(observation: Any, mask: Any, p: Any, notes: Any) -> int:
    """Write the score of each legal action into `notes["scores"]`; returns the best, or -1.

    In points, more or less: a play is worth as much more than discarding at once.

    Args:
        observation: int8[OBSERVATION_SIZE].
        mask: int8[NUM_ACTIONS].
        p: the parameters, float64[2, NUM_PARAMETERS], see `agents.parameters.tuned`.
        notes: scratch, a record of `NOTES_DTYPE`.
    """
    row = table_row(observation, p)
    if observation[views.PHASE + WILD_PHASE]:
        _score_wilds(observation, mask, row, notes)
    else:
        take_notes(observation, row, notes)
        if observation[views.PHASE + DRAW_PHASE]:
            _score_draws(observation, mask, row, notes)
        else:
            _score_plays(observation, mask, row, notes)
    best = int64(-1)
    for action in range(NUM_ACTIONS):
        if mask[action] and (best < 0 or notes["scores"][action] > notes["scores"][best]):
            best = int64(action)
    return best


@row_kernel
def _choose(observations: Any, masks: Any, p: Any, notes: Any, actions: Any) -> int:
    """Choose for each row; returns the first row without a legal action, or -1."""
    for row in range(masks.shape[0]):
        actions[row] = score_actions(observations[row], masks[row], p, notes[0])
        if actions[row] < 0:
            return row
    return -1


class ExpertAgent:
    """Plays as a good club player would, by the parameters of `agents.parameters`.

    * It judges a meld by the cards it lacks to a burraco, with and without a wild, and by whether
      those cards may still come; a card of the hand by its twins and neighbours and what may still
      complete them.
    * Draw: the pile if what its cards add to hand and melds, and what they would give to the
      others, outweighs the cards that it will be left with.
    * Play: whatever adds more to the table than the cards and wilds are worth in the hand; more
      readily when the hand can be emptied now and a pozzetto waits or closing is wanted, and when
      the deal is about to end. It closes when the cards and melds of the others weigh more than
      those of its own side.
    * Discard: the card that costs the least: worth in the hand, what it adds to the melds of the
      others and to the cards they are known to hold, less its points when the deal is about to end.

    It never draws from its generator.
    """

    name = "expert"

    def __init__(self) -> None:
        self._parameters = tuned()

    @classmethod
    def of(cls, parameters: npt.NDArray[np.float64]) -> ExpertAgent:
        """An expert with other parameters, float64[2, NUM_PARAMETERS].

        Raises:
            ValueError: an array of another shape.
        """
        if parameters.shape != (2, NUM_PARAMETERS):
            raise ValueError(
                f"parameters must have the shape (2, {NUM_PARAMETERS}), not {parameters.shape}"
            )
        agent = cls()
        agent._parameters = parameters
        return agent

    def act(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """Choose an action for each row, as `Agent.act` says."""
        check_rows(observations, masks, rng)
        actions = np.full(len(masks), -1, dtype=np.int64)
        notes = np.zeros(1, dtype=NOTES_DTYPE)
        row = _choose(observations, masks, self._parameters, notes, actions)
        if row >= 0:
            raise no_legal_action(row)
        return actions
