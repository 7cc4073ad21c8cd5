"""The action space: 985 ids for every decision of every variant, and their text.

The text is that of notation.md "Decisions". The space is the same for all presets and seat counts
and lossless: each legal decision has exactly one id. An id means what its segment says, some of
them relative to the melds on the table: run slot k is the k-th run of its suit of one's side in the
order of notation.md (lowest place, length, text), set slot k the k-th set of its rank.
"""

from __future__ import annotations

import numpy as np

from burraco_env._jit import int64, kernel
from burraco_env.cards import (
    CARD_TEXTS,
    KIND_CARDS,
    NUM_CARDS,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    RANKS,
    SUITS,
    TWO,
)
from burraco_env.layout import Segment, lay_out
from burraco_env.melds import (
    HIGH,
    HIGHEST_PLACE,
    JUMP,
    LOW,
    LOWEST_PLACE,
    NUM_OPERATIONS,
    PAIRS,
    TRIPLES,
    WILD_HIGH,
    WILD_LOW,
    Row,
    natural_place,
    place_text,
    run_text,
    set_text,
    wild_place,
)
from burraco_env.state import HI, MAX_RUNS, OVER_PHASE, WILD, Game

NUM_WINDOWS = 12
"""Windows of three places: lowest place 1 to 12."""
NUM_PATTERNS = 4
"""Three naturals; or the wild in the low, middle or high place of the window."""
NUM_SET_RANKS = NUM_RANKS - 1
NUM_TRIPLES = len(TRIPLES)
NUM_PAIRS = len(PAIRS)
LAYOFF_SET_SLOTS = 3
"""A rank has 8 naturals, so where a side has four sets of it none of them can take a card."""
SET_CARDS = NUM_SUITS + 1
"""A natural of one of the four suits, or a wild."""


SEGMENTS: tuple[Segment, ...] = lay_out((
    ("draw", (3,), "stock, pile, top of the pile", "`draw` `pickup` `pickup-top`", 1),
    ("wild", (NUM_KINDS,), "2c 2d 2h 2s Jo", "`wild 2s`", 1),
    ("discard", (NUM_CARDS,), "card", "`discard 9s`", 1),
    ("meld_run", (NUM_SUITS, NUM_WINDOWS, NUM_PATTERNS),
     "suit, lowest place - 1, no wild or wild in the low, middle, high place",
     "`meld 3h-*(4h)-5h`", 1),
    ("meld_set", (NUM_SET_RANKS, NUM_TRIPLES),
     "rank but two, suits of the naturals",
     "`meld 6c-6d-6h`", 1),
    ("meld_set_wild", (NUM_SET_RANKS, NUM_PAIRS),
     "rank but two, suits of the naturals",
     "`meld 6c-6d-*`", 1),
    ("layoff_run", (NUM_SUITS, MAX_RUNS, NUM_OPERATIONS),
     "suit, slot, operation: natural low, natural high, wild to low, wild to high, jump",
     "`layoff 6h to 3h-4h-5h` `layoff *(6h) to 3h-4h-5h` `layoff 4h to 3h-Jo(4h)-5h wild=2h`", 1),
    ("layoff_set", (NUM_SET_RANKS, LAYOFF_SET_SLOTS, SET_CARDS),
     "rank but two, slot, suit of the natural or wild",
     "`layoff 6s to 6c-6d-6h` `layoff * to 6c-6d-6h`", 1),
))  # fmt: skip
"""The layout, in order of ids; the documented table is generated from it."""

(DRAW, WILD_CHOICE, DISCARD, MELD_RUN, MELD_SET, MELD_SET_WILD, LAYOFF_RUN, LAYOFF_SET) = (
    segment.start for segment in SEGMENTS
)
NUM_ACTIONS: int = SEGMENTS[-1].stop
"""Size of the action space."""

DRAW_STOCK, PICKUP, PICKUP_TOP = DRAW, DRAW + 1, DRAW + 2
_DRAW_TEXTS = ("draw", "pickup", "pickup-top")

_TRIPLES = np.array(TRIPLES, dtype=np.int64)
_PAIRS = np.array(PAIRS, dtype=np.int64)


@kernel
def rank_index(rank: int) -> int:
    """Index of a rank among the ranks but two."""
    return rank - 1 if rank > TWO else rank


@kernel
def index_rank(index: int) -> int:
    """Inverse of `rank_index`."""
    return index + 1 if index >= TWO else index


@kernel
def wild_needed(game: Game, action: int) -> int:
    """Whether a play takes a wild of the hand: -1 none, 0 any wild, else its place in the run."""
    if action >= LAYOFF_SET:
        return 0 if (action - LAYOFF_SET) % SET_CARDS == NUM_SUITS else -1
    if action >= LAYOFF_RUN:
        suit, slot, operation = layoff_run_indices(action)
        run = game["runs"][game["side_of"][game["seat"]], suit, slot]
        if (operation == WILD_LOW or operation == WILD_HIGH) and run[WILD] == 0:
            return wild_place(run, operation)
        return -1
    if action >= MELD_SET_WILD:
        return 0
    if action >= MELD_SET:
        return -1
    _, lo, pattern = meld_run_indices(action)
    return lo + pattern - 1 if pattern > 0 else -1


@kernel
def meld_run_indices(action: int) -> tuple[int, int, int]:
    """Suit, lowest place and pattern of a new run."""
    index = action - MELD_RUN
    window = index // NUM_PATTERNS
    return window // NUM_WINDOWS, window % NUM_WINDOWS + 1, index % NUM_PATTERNS


@kernel
def layoff_run_indices(action: int) -> tuple[int, int, int]:
    """Suit, slot and operation of a lay-off on a run."""
    index = action - LAYOFF_RUN
    row = index // NUM_OPERATIONS
    return row // MAX_RUNS, row % MAX_RUNS, index % NUM_OPERATIONS


@kernel
def layoff_set_indices(action: int) -> tuple[int, int, int]:
    """Rank, slot and suit (4: a wild) of a lay-off on a set."""
    index = action - LAYOFF_SET
    row = index // SET_CARDS
    return index_rank(row // LAYOFF_SET_SLOTS), row % LAYOFF_SET_SLOTS, index % SET_CARDS


@kernel
def meld_set_rank(action: int) -> int:
    """Rank of a new set."""
    if action >= MELD_SET_WILD:
        return index_rank((action - MELD_SET_WILD) // NUM_PAIRS)
    return index_rank((action - MELD_SET) // NUM_TRIPLES)


@kernel
def meld_set_suit(action: int, index: int) -> int:
    """Suit of the index-th natural of a new set; -1 behind the last."""
    if action >= MELD_SET_WILD:
        return int64(_PAIRS[(action - MELD_SET_WILD) % NUM_PAIRS, index]) if index < 2 else -1
    return int64(_TRIPLES[(action - MELD_SET) % NUM_TRIPLES, index])


def action_text(game: Game, action: int) -> str:
    """Text of an action in the state of `game`, as notation.md writes it.

    The action need not be legal, but a lay-off must name a meld that the acting side has.

    Raises:
        ValueError: no id of the action space, or a lay-off on a meld that is not there.
    """
    action = int(action)
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"{action} is no action; actions are 0 to {NUM_ACTIONS - 1}")
    if action < WILD_CHOICE:
        return _DRAW_TEXTS[action - DRAW]
    if action < DISCARD:
        return f"wild {CARD_TEXTS[KIND_CARDS[action - WILD_CHOICE + 1]]}"
    if action < MELD_RUN:
        return f"discard {CARD_TEXTS[action - DISCARD]}"
    if action < MELD_SET:
        return _meld_run_text(action)
    if action < LAYOFF_RUN:
        return _meld_set_text(action)
    if action < LAYOFF_SET:
        return _layoff_run_text(game, action)
    return _layoff_set_text(game, action)


def pending_text(game: Game) -> str | None:
    """Text of the decision whose wild is being chosen, or None."""
    return None if game["pending"] < 0 else action_text(game, int(game["pending"]))


def _meld_run_text(action: int) -> str:
    suit, lo, pattern = meld_run_indices(action)
    cards = [place_text(suit, place) for place in range(lo, lo + 3)]
    if pattern:
        cards[pattern - 1] = f"*({cards[pattern - 1]})"
    return "meld " + "-".join(cards)


def _meld_set_text(action: int) -> str:
    rank = meld_set_rank(action)
    suits = [suit for index in range(3) if (suit := meld_set_suit(action, index)) >= 0]
    return "meld " + "-".join(
        [RANKS[rank] + SUITS[suit] for suit in suits] + ["*"] * (3 - len(suits))
    )


def _layoff_run_text(game: Game, action: int) -> str:
    suit, slot, operation = layoff_run_indices(action)
    side = int(game["side_of"][game["seat"]])
    if slot >= game["num_runs"][side, suit]:
        raise ValueError(
            f"action {action} lays off on run {slot} of {SUITS[suit]}, which is not there"
        )
    rules, run = game["rules"], game["runs"][side, suit, slot]
    place = natural_place(rules, run, operation)
    if place < 0:
        raise ValueError(
            f"action {action} is no lay-off on {run_text(suit, run)} "
            "that section 5 of the rules allows"
        )
    target = wild_place(run, operation)
    natural = place_text(suit, place) if place else f"*({place_text(suit, target)})"
    text = f"layoff {natural} to {run_text(suit, run)}"
    if place and operation not in (LOW, HIGH):
        text += f" wild={place_text(suit, target)}"
    twin, named = _twin(run, operation, place, target)
    if _same_text(game, suit, run, operation, twin):
        text += " at low" if named == LOWEST_PLACE else " at high"
    return text


def _twin(run: Row, operation: int, place: int, target: int) -> tuple[int, int]:
    """The other operation that may read the same, and the place that tells this one from it.

    That is the place of the natural ace where one is added, else the place of the wild.
    """
    if operation in (LOW, HIGH):
        return LOW + HIGH - operation, place
    if operation == JUMP:
        return WILD_LOW if run[WILD] == run[HI] else WILD_HIGH, place
    if place in (LOWEST_PLACE, HIGHEST_PLACE):
        return JUMP, place
    return WILD_LOW + WILD_HIGH - operation, target


def _same_text(game: Game, suit: int, run: Row, one: int, other: int) -> bool:
    """Whether section 5 allows both operations, with the same card and place of the wild."""
    first, second = (natural_place(game["rules"], run, operation) for operation in (one, other))
    if first < 0 or second < 0 or (first == 0) != (second == 0):
        return False
    if place_text(suit, first) != place_text(suit, second):
        return False
    targets = [place_text(suit, wild_place(run, operation)) for operation in (one, other)]
    return one in (LOW, HIGH) or targets[0] == targets[1]


def _layoff_set_text(game: Game, action: int) -> str:
    rank, slot, suit = layoff_set_indices(action)
    side = int(game["side_of"][game["seat"]])
    if slot >= game["num_sets"][side, rank]:
        raise ValueError(
            f"action {action} lays off on set {slot} of {RANKS[rank]}, which is not there"
        )
    card = RANKS[rank] + SUITS[suit] if suit < NUM_SUITS else "*"
    return f"layoff {card} to {set_text(rank, game['sets'][side, rank, slot])}"


def all_texts(game: Game) -> dict[str, int]:
    """Id of every decision that can be written down now, legal or not; empty when over."""
    if game["phase"] == OVER_PHASE:
        return {}
    texts: dict[str, int] = {}
    for action in range(NUM_ACTIONS):
        try:
            texts.setdefault(action_text(game, action), action)
        except ValueError:  # a meld that is not there
            continue
    return texts
