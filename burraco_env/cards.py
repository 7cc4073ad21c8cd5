"""Card types, their points and their text (spec 1, notation.md "Cards and melds").

A card is a *type*, an index from 0 to 52: `suit * 13 + rank` with suits in the order c d h s and
ranks A 2 .. K, and 52 for the joker. This is also the canonical order. Copies are counts.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from burraco_env.errors import CardError

RANKS = "A23456789TJQK"
SUITS = "cdhs"
NUM_RANKS = 13
NUM_SUITS = 4
NUM_CARDS = 53
JOKER = 52
TWO = 1  # rank

CARD_TEXTS: tuple[str, ...] = (*(r + s for s in SUITS for r in RANKS), "Jo")
"""Text of each card, by card index."""

_RANK_POINTS = (15, 20, 5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 10)
CARD_POINTS: npt.NDArray[np.int64] = np.array(_RANK_POINTS * NUM_SUITS + (30,), dtype=np.int64)
"""Points of each printed card, int64[53] (spec 1)."""

NUM_KINDS = 5
"""Kinds of wild: the twos of c d h s (kinds 1 to 4) and the joker (kind 5). Kind 0 is "no wild"."""
KIND_CARDS: npt.NDArray[np.int64] = np.array(
    (-1, *(13 * suit + TWO for suit in range(NUM_SUITS)), JOKER), dtype=np.int64
)
"""Card of each kind of wild, int64[6]; -1 for kind 0."""

_INDEX = {text: index for index, text in enumerate(CARD_TEXTS)}


def card_index(text: str) -> int:
    """Index of the card with this text; `10h` is accepted for `Th`.

    Raises:
        CardError: the text is no card.
    """
    card = text.replace("10", "T", 1) if isinstance(text, str) else text
    if not isinstance(card, str) or card not in _INDEX:
        raise CardError(
            f"{text!r} is no card; a card is a rank {RANKS} and a suit {SUITS}, or Jo, "
            "for example Th"
        )
    return _INDEX[card]


def parse_cards(text: str) -> list[int]:
    """Card indices of a list such as `"3h Th Jo"`, in the order of the text.

    Raises:
        CardError: not a string, or one of the words is no card.
    """
    if not isinstance(text, str):
        raise CardError(f"{text!r} is no list of cards; write for example '3h Th Jo'")
    return [card_index(word) for word in text.split()]


def format_cards(cards: Iterable[int]) -> str:
    """Text of a list of card indices, in the given order."""
    return " ".join(CARD_TEXTS[card] for card in cards)


def format_counts(counts: npt.NDArray[np.integer]) -> str:
    """Text of a multiset of cards given as counts, shape (53,), in canonical order."""
    return format_cards(card for card in range(NUM_CARDS) for _ in range(int(counts[card])))
