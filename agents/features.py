"""What a seat knows, prepared for a network: flags, counts and judgements of order 1.

The observation holds melds as rows and cards as ids, which a multilayer perceptron reads badly.
Features say the same place by place and card by card, and add what `agents.valuation` makes of it:
what each card would add to the melds of both sides, and how far the deal is. They are int8; a
network multiplies each by its scale (`SCALES`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents import views
from agents.views import MINE, THEIRS
from burraco_env._jit import int64, kernel
from burraco_env.actions import NUM_SET_RANKS
from burraco_env.cards import NUM_CARDS, NUM_SUITS
from burraco_env.layout import Segment, lay_out
from burraco_env.melds import HIGHEST_PLACE
from burraco_env.observations import SEGMENTS as OBSERVED
from burraco_env.rules import MAX_SEATS
from burraco_env.state import HI, LO, MAX_RUNS, MAX_SETS, RULE_NUMBERS, WILD

NUM_RULES = [name for name, _ in RULE_NUMBERS].index("unplayed_pozzetto_penalty / 10")
"""The first of the rules' numbers, which bear on play; deck and match come behind them."""

SCALARS: tuple[tuple[str, float], ...] = (
    ("draw", 1), ("play", 1), ("wild", 1),
    ("my_cards", 0.1), ("next_cards", 0.1), ("opposite_cards", 0.1), ("previous_cards", 0.1),
    ("next_known", 0.1), ("opposite_known", 0.1), ("previous_known", 0.1),
    ("stock", 0.02), ("turns_left", 0.1), ("turn", 0.02), ("lying", 0.1),
    ("pozzetti", 1), ("three_sides", 1), ("must_meld", 1), ("no_return", 1),
    ("wilds", 0.5), ("left", 0.2), ("late", 0.01), ("waits", 1), ("taken", 1),
    ("may_close", 1), ("wants_to_close", 1), ("they_have_burraco", 1), ("they_have_taken", 1),
    ("my_open", 0.05), ("their_open", 0.05), ("two_seats", 1), ("three_seats", 1),
)  # fmt: skip
"""Numbers of the decision as a whole, and their scales."""

_LAYOUT: tuple[tuple[str, tuple[int, ...], str, str, int, float], ...] = (
    ("hand", (NUM_CARDS,), "card", "copies in my hand", 4, 1),
    ("hand_twice", (NUM_CARDS,), "card", "1: two copies or more in my hand", 1, 1),
    ("pile", (NUM_CARDS,), "card", "copies in the discard pile", 4, 1),
    ("known", (3, NUM_CARDS), "next, opposite, previous; card",
     "copies that the seat is known to hold", 4, 1),
    ("discards", (2, NUM_CARDS), "next, previous; card",
     "how often the seat has discarded the card, up to 2", 2, 0.5),
    ("unseen", (NUM_CARDS,), "card", "copies whose place I do not know, up to 4", 4, 0.5),
    ("places", (2, NUM_SUITS, HIGHEST_PLACE), "my side, the others; suit; place of runs - 1",
     "runs that cover the place", MAX_RUNS, 1),
    ("run_wilds", (2, NUM_SUITS), "my side, the others; suit", "runs with a wild", MAX_RUNS, 1),
    ("run_length", (2, NUM_SUITS), "my side, the others; suit", "cards of the longest run",
     HIGHEST_PLACE, 0.2),
    ("set_size", (2, NUM_SET_RANKS), "my side, the others; rank but two",
     "cards of the largest set", 9, 0.2),
    ("set_wilds", (2, NUM_SET_RANKS), "my side, the others; rank but two", "sets with a wild",
     MAX_SETS, 1),
    ("burrachi", (2, 2), "my side, the others; without a wild, with one", "burrachi", 127, 0.5),
    ("gains", (2, NUM_CARDS), "my side, the others; card",
     "what laying the card off adds, half points + 4; 1: a meld lacks one card between", 127, 0.04),
    ("top", (NUM_SUITS + 1,), "clubs, diamonds, hearts, spades, joker",
     "suit of the top card of the pile", 1, 1),
    ("pending", (4 + NUM_SUITS,), "new run, new set, lay-off on a run, on a set; suit of the run",
     "the play whose wild is being chosen", 1, 1),
    ("took", (MAX_SEATS,), "relative seat", "1: the seat took its side's pozzetto", 1, 1),
    ("unplayed", (MAX_SEATS,), "relative seat", "1: it has not played since", 1, 1),
    ("my_side", (MAX_SEATS,), "relative seat", "1: the seat is of my side", 1, 1),
    ("scalars", (len(SCALARS),), ", ".join(name for name, _ in SCALARS),
     "numbers of the decision as a whole", 127, 1),
    ("rules", (NUM_RULES,), "as in observations", "the rules that bear on play", 127, 0.1),
)  # fmt: skip

SEGMENTS: tuple[Segment, ...] = lay_out(row[:5] for row in _LAYOUT)
"""The layout, in order."""
NUM_FEATURES: int = SEGMENTS[-1].stop

(
    _HAND, _TWICE, _PILE, _KNOWN, _DISCARDS, _UNSEEN, _PLACES, _RUN_WILDS, _RUN_LENGTH, _SET_SIZE,
    _SET_WILDS, _BURRACHI, _GAINS, _TOP, _PENDING, _TOOK, _UNPLAYED, _MY_SIDE, _SCALARS, _RULES,
) = (int64(segment.start) for segment in SEGMENTS)  # fmt: skip

_SEEN_MUST_MELD, _SEEN_NO_RETURN, _SEEN_SIDES, _SEEN_TURN, _SEEN_UNPLAYED, _SEEN_RULES = (
    int64(segment.start)
    for name in ("must_meld", "no_return", "sides", "turn", "unplayed", "rules")
    for segment in OBSERVED
    if segment.name == name
)


def _scales() -> npt.NDArray[np.float32]:
    scales = np.concatenate(
        [
            np.full(part.size, row[5], np.float32)
            for part, row in zip(SEGMENTS, _LAYOUT, strict=True)
        ]
    )
    scales[_SCALARS : _SCALARS + len(SCALARS)] = [scale for _, scale in SCALARS]
    return scales


SCALES: npt.NDArray[np.float32] = _scales()
"""By what a network multiplies each feature, float32[NUM_FEATURES]."""


@kernel
def write_features(observation: Any, notes: Any, out: Any) -> None:
    """Write the features of a decision.

    Args:
        observation: int8[OBSERVATION_SIZE].
        notes: a record of `NOTES_DTYPE` on which `take_notes` has taken notes.
        out: int8[NUM_FEATURES].
    """
    out[:] = 0
    _write_cards(observation, notes, out)
    _write_runs(observation, out)
    _write_sets(observation, out)
    _write_table(observation, out)
    _write_scalars(observation, notes, out)
    for index in range(NUM_RULES):
        out[_RULES + index] = observation[_SEEN_RULES + index]


@kernel
def _write_cards(observation: Any, notes: Any, out: Any) -> None:
    for card in range(NUM_CARDS):
        held = notes["hand"][card]
        out[_HAND + card] = held
        out[_TWICE + card] = held >= 2
        out[_PILE + card] = notes["pile"][card]
        out[_UNSEEN + card] = min(max(notes["unseen"][card], 0), 4)
        for whose in range(2):
            gain = notes["gains"][whose, card]
            value = int64(notes["near"][whose, card])
            if gain > 0:
                value = int64(min(4 + gain / 2, 127.0))
            out[_GAINS + whose * NUM_CARDS + card] = value
        for other in range(3):
            at = other * NUM_CARDS + card
            out[_KNOWN + at] = observation[views.KNOWN + at]
        for index in range(2):
            at = views.DISCARDS + 2 * index * NUM_CARDS + card
            out[_DISCARDS + index * NUM_CARDS + card] = min(int64(observation[at]), 2)


@kernel
def _write_runs(observation: Any, out: Any) -> None:
    size = int64(observation[views.BURRACO_SIZE])
    for suit in range(NUM_SUITS):
        mine = int64(observation[views.RUN_COUNTS + 2 * suit])
        for slot in range(MAX_RUNS):
            run = views.run_at(observation, suit, slot)
            if run[LO] == 0:
                continue
            whose = MINE if slot < mine else THEIRS
            at = whose * NUM_SUITS + suit
            for place in range(int64(run[LO]), int64(run[HI]) + 1):
                out[_PLACES + at * HIGHEST_PLACE + place - 1] += 1
            length, wild = views.run_length(run), int64(run[WILD] > 0)
            out[_RUN_WILDS + at] += wild
            out[_RUN_LENGTH + at] = max(int64(out[_RUN_LENGTH + at]), length)
            out[_BURRACHI + 2 * whose + wild] += int64(length >= size)


@kernel
def _write_sets(observation: Any, out: Any) -> None:
    size = int64(observation[views.BURRACO_SIZE])
    for index in range(NUM_SET_RANKS):
        mine = int64(observation[views.SET_COUNTS + 2 * index])
        for slot in range(MAX_SETS):
            naturals, kind = views.set_at(observation, index, slot)
            if naturals == 0:
                continue
            whose = MINE if slot < mine else THEIRS
            at = whose * NUM_SET_RANKS + index
            wild = int64(kind > 0)
            out[_SET_WILDS + at] += wild
            out[_SET_SIZE + at] = max(int64(out[_SET_SIZE + at]), naturals + wild)
            out[_BURRACHI + 2 * whose + wild] += int64(naturals + wild >= size)


@kernel
def _write_table(observation: Any, out: Any) -> None:
    for suit in range(NUM_SUITS + 1):
        out[_TOP + suit] = observation[views.TOP_CARD + suit]
    for kind in range(4):
        out[_PENDING + kind] = observation[views.PENDING + kind]
    if observation[views.PENDING] or observation[views.PENDING + 2]:
        out[_PENDING + 4 + int64(observation[views.PENDING + 4])] = 1
    for relative in range(MAX_SEATS):
        out[_TOOK + relative] = observation[views.TAKEN + relative]
        out[_UNPLAYED + relative] = observation[_SEEN_UNPLAYED + relative]
        out[_MY_SIDE + relative] = observation[views.MY_SIDE + relative]


@kernel
def _write_scalars(observation: Any, notes: Any, out: Any) -> None:
    """The numbers of SCALARS, in their order."""
    seats, stock = int64(observation[views.SEATS]), views.stock_size(observation)
    turn = 100 * int64(observation[_SEEN_TURN]) + 10 * int64(observation[_SEEN_TURN + 1])
    forbidden = int64(0)
    for index in range(NUM_SUITS + 1):
        forbidden += int64(observation[_SEEN_NO_RETURN + index])
    at = _SCALARS
    for phase in range(3):
        out[at + phase] = observation[views.PHASE + phase]
    for relative in range(MAX_SEATS):
        out[at + 3 + relative] = observation[views.HAND_SIZES + relative]
    for other in range(3):
        out[at + 7 + other] = notes["known"][other]
    out[at + 10] = stock
    out[at + 11] = (stock - int64(observation[views.DEAD_STOCK])) // seats
    out[at + 12] = min(turn + int64(observation[_SEEN_TURN + 2]), 127)
    out[at + 13] = min(notes["lying"], 127)
    out[at + 14] = observation[views.POZZETTI]
    out[at + 15] = observation[_SEEN_SIDES] == 3
    out[at + 16] = observation[_SEEN_MUST_MELD]
    out[at + 17] = forbidden
    out[at + 18] = notes["wilds"]
    out[at + 19] = min(notes["left"], 127)
    out[at + 20] = int64(100 * notes["late"])
    out[at + 21] = notes["waits"]
    out[at + 22] = notes["taken"]
    out[at + 23] = notes["may_close"]
    out[at + 24] = notes["wants_to_close"]
    out[at + 25] = notes["has_burraco"][THEIRS]
    out[at + 26] = notes["theirs_taken"]
    for whose in range(2):
        out[at + 27 + whose] = int64(min(max(notes["open"][whose] / 5, 0.0), 127.0))
    out[at + 29] = seats == 2
    out[at + 30] = seats == 3
