"""What a seat knows, as a flat vector of small integers, and in words (design section 4).

The layout is the same for all presets and seat counts. Everything is seen from one seat: *relative
seats* are me, next, opposite, previous (two seats: me, next; three: me, next, previous), sides are
my own, the next seat's, the third.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from burraco_env._jit import int64, kernel
from burraco_env.actions import (
    LAYOFF_RUN,
    LAYOFF_SET,
    LAYOFF_SET_SLOTS,
    MELD_RUN,
    MELD_SET,
    MELD_SET_WILD,
    NUM_PAIRS,
    NUM_PATTERNS,
    NUM_SET_RANKS,
    NUM_WINDOWS,
    SET_CARDS,
    index_rank,
    layoff_run_indices,
    layoff_set_indices,
    meld_run_indices,
    meld_set_rank,
    rank_index,
)
from burraco_env.cards import CARD_TEXTS, JOKER, NUM_CARDS, NUM_RANKS, NUM_SUITS, format_counts
from burraco_env.layout import Segment, lay_out
from burraco_env.melds import NUM_OPERATIONS, run_text, set_text
from burraco_env.rules import MAX_SEATS
from burraco_env.state import (
    LO,
    MAX_RUNS,
    MAX_SETS,
    NATURALS,
    NO_CARD,
    NUM_RULE_NUMBERS,
    PHASES,
    RULE_NUMBERS,
    SET_KIND,
    Game,
)

ME, NEXT, OPPOSITE, PREVIOUS = range(MAX_SEATS)
RELATIVE_SEATS = ("me", "next", "opposite", "previous")
OTHERS = 3
"""Relative seats other than me."""


SEGMENTS: tuple[Segment, ...] = lay_out((
    ("hand", (NUM_CARDS,), "card", "copies in my hand", 4),
    ("pile", (NUM_CARDS,), "card", "copies in the discard pile", 4),
    ("known", (OTHERS, NUM_CARDS), "next, opposite, previous; card",
     "copies that the seat picked up and has not shown since", 4),
    ("discards", (OTHERS, NUM_CARDS), "next, opposite, previous; card",
     "how often the seat has discarded the card in this deal, up to 127", 127),
    ("run_counts", (NUM_SUITS, 2), "suit; my side, the next seat's side", "runs", MAX_RUNS),
    ("runs", (NUM_SUITS, MAX_RUNS, 4),
     "suit; slot; lowest place, highest place, place of the wild, kind of the wild",
     "my side's runs from the first slot up; "
     "from the last slot down those of the next seat's side, then the third's", 14),
    ("set_counts", (NUM_SET_RANKS, 2), "rank but two; my side, the next seat's side",
     "sets", MAX_SETS),
    ("sets", (NUM_SET_RANKS, MAX_SETS, 3),
     "rank but two; slot; clubs + 3 diamonds, hearts + 3 spades, kind of the wild",
     "sets, in slots as the runs", 8),
    ("phase", (len(PHASES),), "draw, play, wild, over", "one-hot", 1),
    ("to_act", (MAX_SEATS,), "relative seat",
     "one-hot: the seat to act (when over: that moved last)", 1),
    ("dealer", (MAX_SEATS,), "relative seat", "one-hot: the dealer", 1),
    ("hand_sizes", (MAX_SEATS,), "relative seat", "cards in the hand", 112),
    ("stock", (2,), "tens, units", "cards in the stock", 11),
    ("top_card", (6,), "clubs, diamonds, hearts, spades, joker; rank 1 to 13",
     "suit one-hot and rank of the top card of the pile; 0: empty pile", 13),
    ("no_return", (6,), "as top_card", "the card that may not be discarded in this turn", 13),
    ("must_meld", (1,), "", "1: a meld or lay-off is owed", 1),
    ("pending", (7,),
     "new run, new set, lay-off on a run, on a set; the indices of its action segment",
     "the decision whose wild is being chosen: one-hot, then its indices", 15),
    ("pozzetti", (1,), "", "untaken pozzetti", 3),
    ("pozzetto_sizes", (3,), "first, second, third pozzetto of the deal", "its cards", 32),
    ("taken", (MAX_SEATS,), "relative seat", "1: the seat took its side's pozzetto", 1),
    ("unplayed", (MAX_SEATS,), "relative seat", "1: it has not played since", 1),
    ("my_side", (MAX_SEATS,), "relative seat", "1: the seat is of my side", 1),
    ("sides", (1,), "", "number of sides", 3),
    ("turn", (3,), "hundreds, tens, units", "completed turns of the deal", 127),
    ("totals", (MAX_SEATS, 2), "relative seat; 250 points, 2.5 points",
     "match points before this deal", 99),
    ("rules", (NUM_RULE_NUMBERS,), ", ".join(name for name, _ in RULE_NUMBERS),
     "the rules", 127),
))  # fmt: skip
"""The layout, in order; the documented table is generated from it."""
OBSERVATION_SIZE: int = SEGMENTS[-1].stop
"""Length of an observation; its dtype is int8."""

(
    _HAND, _PILE, _KNOWN, _DISCARDS, _RUN_COUNTS, _RUNS, _SET_COUNTS, _SETS, _PHASE, _TO_ACT,
    _DEALER, _HAND_SIZES, _STOCK, _TOP_CARD, _NO_RETURN, _MUST_MELD, _PENDING, _POZZETTI,
    _POZZETTO_SIZES, _TAKEN, _UNPLAYED, _MY_SIDE, _NUM_SIDES, _TURN, _TOTALS, _RULES,
) = (int64(segment.start) for segment in SEGMENTS)  # fmt: skip

TOTAL_UNIT = 5
"""Match points are held times two, so a unit is 2.5 points."""


@kernel
def relative_seat(seats: int, me: int, seat: int) -> int:
    """Relative seat of `seat` seen from `me`: ME, NEXT, OPPOSITE or PREVIOUS."""
    distance = seat - me if seat >= me else seat - me + seats  # faster than %
    return PREVIOUS if seats == 3 and distance == 2 else distance


@kernel
def seat_at(seats: int, me: int, relative: int) -> int:
    """Inverse of `relative_seat`; -1: with so few seats nobody is there."""
    if seats == 3 and relative >= OPPOSITE:
        relative = 2 if relative == PREVIOUS else seats
    if relative >= seats:
        return -1
    seat = me + relative
    return seat if seat < seats else seat - seats


@kernel
def observe(game: Game, me: int, out: Any) -> None:
    """Write what seat `me` knows into `out`, int8[OBSERVATION_SIZE]."""
    out[:] = 0
    seats = game["rules"]["seats"]
    for card in range(NUM_CARDS):
        out[_HAND + card] = game["hands"][me, card]
    for index in range(game["pile_size"]):
        out[_PILE + int64(game["pile"][index])] += 1
    for other in range(OTHERS):
        seat = seat_at(seats, me, other + 1)
        if seat >= 0:
            for card in range(NUM_CARDS):
                out[_KNOWN + other * NUM_CARDS + card] = game["known"][seat, card]
            for card in range(NUM_CARDS):
                out[_DISCARDS + other * NUM_CARDS + card] = game["discards"][seat, card]
    _observe_melds(game, me, out)
    _observe_seats(game, me, out)
    _observe_table(game, out)
    _observe_rules(game, out)


@kernel
def _observe_melds(game: Game, me: int, out: Any) -> None:
    for index in range(game["num_sides"]):
        side = side_seen(game, me, index)
        for suit in range(NUM_SUITS):
            if game["num_runs"][side, suit] > 0:
                _observe_runs(game, side, suit, index, out)
        for rank in range(NUM_RANKS):
            if game["num_sets"][side, rank] > 0:
                _observe_sets(game, side, rank, index, out)


@kernel
def side_seen(game: Game, me: int, index: int) -> int:
    """A side as seen from `me`; `index`: 0 the seat's own side, 1 the next seat's, 2 the third."""
    following = me + 1 if me + 1 < game["rules"]["seats"] else int64(0)
    mine, theirs = game["side_of"][me], game["side_of"][following]
    if game["num_sides"] == 2:
        theirs = 1 - mine  # of a pair of three seats the next seat may be the partner
    side: int = mine if index == 0 else theirs if index == 1 else 3 - mine - theirs
    return side


@kernel
def slot_seen(slots: int, index: int, behind: int, slot: int) -> int:
    """Which of the `slots` for melds of a suit or rank holds the meld `slot` of a side.

    `index`: as in `side_seen`; `behind`: melds that the slots behind those of the side hold.
    """
    return slot if index == 0 else slots - 1 - behind - slot


@kernel
def _observe_runs(game: Game, side: int, suit: int, index: int, out: Any) -> None:
    """Write the runs of a side; `index`: as in `side_seen`."""
    count = int64(game["num_runs"][side, suit])
    if index < 2:
        out[_RUN_COUNTS + 2 * suit + index] = count
    behind = int64(out[_RUN_COUNTS + 2 * suit + 1]) if index == 2 else int64(0)
    for slot in range(count):
        at = _RUNS + (suit * MAX_RUNS + slot_seen(MAX_RUNS, index, behind, slot)) * 4
        for column in range(4):
            out[at + column] = game["runs"][side, suit, slot, column]


@kernel
def _observe_sets(game: Game, side: int, rank: int, index: int, out: Any) -> None:
    """Write the sets of the index-th side, as `_observe_runs`."""
    count = int64(game["num_sets"][side, rank])
    if index < 2:
        out[_SET_COUNTS + 2 * rank_index(rank) + index] = count
    behind = int64(out[_SET_COUNTS + 2 * rank_index(rank) + 1]) if index == 2 else int64(0)
    for slot in range(count):
        at = _SETS + (rank_index(rank) * MAX_SETS + slot_seen(MAX_SETS, index, behind, slot)) * 3
        naturals = int64(game["sets"][side, rank, slot, NATURALS])
        out[at] = (naturals & 3) + 3 * (naturals >> 2 & 3)
        out[at + 1] = (naturals >> 4 & 3) + 3 * (naturals >> 6 & 3)
        out[at + 2] = game["sets"][side, rank, slot, SET_KIND]


@kernel
def naturals_read(clubs_diamonds: int, hearts_spades: int) -> int:
    """Naturals of a set as `NATURALS` has them, from the two numbers of `_observe_sets`."""
    first = clubs_diamonds % 3 + (clubs_diamonds // 3 << 2)
    return first + (hearts_spades % 3 << 4) + (hearts_spades // 3 << 6)


@kernel
def _observe_seats(game: Game, me: int, out: Any) -> None:
    seats = game["rules"]["seats"]
    out[_TO_ACT + relative_seat(seats, me, game["seat"])] = 1
    out[_DEALER + relative_seat(seats, me, game["dealer"])] = 1
    for seat in range(seats):
        relative = relative_seat(seats, me, seat)
        side = game["side_of"][seat]
        out[_HAND_SIZES + relative] = game["hand_sizes"][seat]
        if game["taken_by"][side] == seat:
            out[_TAKEN + relative] = 1
            out[_UNPLAYED + relative] = game["unplayed"][side]
        if side == game["side_of"][me]:
            out[_MY_SIDE + relative] = 1
        units = min(max(game["totals"][seat] // TOTAL_UNIT, -12_800), 12_799)
        out[_TOTALS + 2 * relative] = units // 100
        out[_TOTALS + 2 * relative + 1] = units % 100
    out[_NUM_SIDES] = game["num_sides"]


@kernel
def _observe_card(card: int, out: Any, at: int) -> None:
    if card >= 0:
        out[at + card // NUM_RANKS] = 1
        out[at + 5] = card % NUM_RANKS + 1 if card < JOKER else 0


@kernel
def card_read(numbers: Any) -> int:
    """Inverse of `_observe_card`: the card that six numbers say, or NO_CARD."""
    for suit in range(NUM_SUITS):
        if numbers[suit] != 0:
            return suit * NUM_RANKS + int64(numbers[5]) - 1
    return JOKER if numbers[NUM_SUITS] != 0 else NO_CARD


@kernel
def _observe_table(game: Game, out: Any) -> None:
    out[_PHASE + game["phase"]] = 1
    out[_STOCK] = game["stock_size"] // 10
    out[_STOCK + 1] = game["stock_size"] % 10
    if game["pile_size"] > 0:
        _observe_card(int64(game["pile"][game["pile_size"] - 1]), out, _TOP_CARD)
    _observe_card(game["no_return"], out, _NO_RETURN)
    out[_MUST_MELD] = game["must_meld"]
    out[_POZZETTI] = game["end_pozzetto"] - game["first_pozzetto"]
    turn = game["turn"]
    out[_TURN] = turn // 100
    out[_TURN + 1] = turn // 10 % 10
    out[_TURN + 2] = turn % 10
    pending = game["pending"]
    if pending >= 0:
        kind, first, second, third = _pending_numbers(pending)
        out[_PENDING + kind] = 1
        out[_PENDING + 4] = first
        out[_PENDING + 5] = second
        out[_PENDING + 6] = third


@kernel
def _pending_numbers(action: int) -> tuple[int, int, int, int]:
    """Kind of a play that takes a wild, and the indices of its segment.

    The kinds: 0 new run, 1 new set, 2 on a run, 3 on a set.
    """
    if action >= LAYOFF_SET:
        rank, slot, suit = layoff_set_indices(action)
        return 3, rank_index(rank), slot, suit
    if action >= LAYOFF_RUN:
        suit, slot, operation = layoff_run_indices(action)
        return 2, suit, slot, operation
    if action >= MELD_SET:
        return 1, rank_index(meld_set_rank(action)), (action - MELD_SET_WILD) % NUM_PAIRS, 0
    suit, lo, pattern = meld_run_indices(action)
    return 0, suit, lo - 1, pattern


@kernel
def pending_action(kind: int, first: int, second: int, third: int) -> int:
    """Inverse of `_pending_numbers`."""
    if kind == 0:
        return MELD_RUN + (first * NUM_WINDOWS + second) * NUM_PATTERNS + third
    if kind == 1:
        return MELD_SET_WILD + first * NUM_PAIRS + second
    if kind == 2:
        return LAYOFF_RUN + (first * MAX_RUNS + second) * NUM_OPERATIONS + third
    return LAYOFF_SET + (first * LAYOFF_SET_SLOTS + second) * SET_CARDS + third


@kernel
def _observe_rules(game: Game, out: Any) -> None:
    numbers = game["rules"]["numbers"]
    for index in range(NUM_RULE_NUMBERS):
        out[_RULES + index] = numbers[index]
    for index in range(game["rules"]["num_pozzetti"]):
        out[_POZZETTO_SIZES + index] = game["rules"]["pozzetto_sizes"][index]


def segment(observation: npt.NDArray[np.int8], name: str) -> npt.NDArray[np.int64]:
    """The values of one segment, in its shape.

    Raises:
        ValueError: no such segment.
    """
    for part in SEGMENTS:
        if part.name == name:
            return np.asarray(observation[part.start : part.stop], np.int64).reshape(part.shape)
    raise ValueError(f"no segment {name!r}; the segments are {', '.join(s.name for s in SEGMENTS)}")


def describe(observation: npt.NDArray[np.int8]) -> dict[str, Any]:
    """An observation in words: all it says, with cards and melds as notation.md writes them.

    Args:
        observation: int8[OBSERVATION_SIZE].

    Returns:
        Values by name. Seats are `me`, `next`, `opposite`, `previous`; sides `mine`, `next`,
        `third`.

    Raises:
        ValueError: not an array of that length.
    """
    observation = np.asarray(observation)
    if observation.shape != (OBSERVATION_SIZE,):
        raise ValueError(
            f"an observation has the shape ({OBSERVATION_SIZE},), not {observation.shape}"
        )

    def of(name: str) -> npt.NDArray[np.int64]:
        return segment(observation, name)

    rules = {name: int(value) for (name, _), value in zip(RULE_NUMBERS, of("rules"), strict=True)}
    seats = rules["seats"]
    present = [r for r in range(MAX_SEATS) if seat_at(seats, 0, r) >= 0]
    words = [RELATIVE_SEATS[relative] for relative in present]
    by_seat = {
        name: dict(zip(words, (int(of(name)[r]) for r in present), strict=True))
        for name in ("hand_sizes", "taken", "unplayed", "my_side")
    }
    units = of("totals")
    return {
        "phase": PHASES[int(of("phase").argmax())],
        "to_act": RELATIVE_SEATS[int(of("to_act").argmax())],
        "dealer": RELATIVE_SEATS[int(of("dealer").argmax())],
        "turn": int(of("turn") @ (100, 10, 1)),
        "hand": format_counts(of("hand")),
        "hand_sizes": by_seat["hand_sizes"],
        "known": _by_other("known", observation, words),
        "discards": _by_other("discards", observation, words),
        "pile": format_counts(of("pile")),
        "top_card": _described_card(of("top_card")),
        "stock": int(of("stock") @ (10, 1)),
        "melds": _described_melds(observation),
        "num_sides": int(of("sides")[0]),
        "my_side": [word for word, member in by_seat["my_side"].items() if member],
        "pozzetti": int(of("pozzetti")[0]),
        "pozzetto_sizes": [int(size) for size in of("pozzetto_sizes") if size],
        "pozzetto_taken_by": [word for word, taken in by_seat["taken"].items() if taken],
        "pozzetto_unplayed_by": [word for word, flag in by_seat["unplayed"].items() if flag],
        "no_return": _described_card(of("no_return")),
        "must_meld": bool(of("must_meld")[0]),
        "pending": _described_pending(observation),
        "totals": {RELATIVE_SEATS[r]: float(units[r] @ (100, 1)) * TOTAL_UNIT / 2 for r in present},
        "rules": rules,
    }


def _by_other(name: str, observation: npt.NDArray[np.int8], words: list[str]) -> dict[str, str]:
    rows = segment(observation, name)
    return {word: format_counts(rows[RELATIVE_SEATS.index(word) - 1]) for word in words[1:]}


def _described_card(numbers: npt.NDArray[np.int64]) -> str | None:
    card = card_read(numbers)
    return None if card == NO_CARD else CARD_TEXTS[card]


def _described_melds(observation: npt.NDArray[np.int8]) -> dict[str, list[str]]:
    """The melds of each side, in the order of notation.md."""
    runs, sets = segment(observation, "runs"), segment(observation, "sets")
    run_counts, set_counts = segment(observation, "run_counts"), segment(observation, "set_counts")
    melds: dict[str, list[str]] = {"mine": [], "next": [], "third": []}
    for suit in range(NUM_SUITS):
        rows = [run_text(suit, row) if row[LO] else "" for row in runs[suit]]
        for side, texts in _split(rows, run_counts[suit]).items():
            melds[side] += texts
    for index in range(NUM_SET_RANKS):
        rows = [_described_set(int(index_rank(index)), row) for row in sets[index]]
        for side, texts in _split(rows, set_counts[index]).items():
            melds[side] += texts
    return melds


def _split(rows: list[str], counts: npt.NDArray[np.int64]) -> dict[str, list[str]]:
    """Mine from the front; from the back the next seat's, then the third's."""
    mine, theirs = (int(count) for count in counts)
    back = [text for text in rows[mine:][::-1] if text]
    return {"mine": rows[:mine], "next": back[:theirs], "third": back[theirs:]}


def _described_set(rank: int, row: npt.NDArray[np.int64]) -> str:
    clubs_diamonds, hearts_spades, kind = (int(value) for value in row)
    if not clubs_diamonds and not hearts_spades:
        return ""
    return set_text(rank, (naturals_read(clubs_diamonds, hearts_spades), kind))


def _described_pending(observation: npt.NDArray[np.int8]) -> int | None:
    """Id of the pending action; its text is `actions.action_text` in the seat's state."""
    numbers = segment(observation, "pending")
    if not numbers[:4].any():
        return None
    return pending_action(int(numbers[:4].argmax()), *(int(number) for number in numbers[4:]))
