"""Reading melds from their text, with every check of spec 5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from burraco_env.cards import (
    CARD_TEXTS,
    JOKER,
    KIND_CARDS,
    NUM_RANKS,
    RANKS,
    SUITS,
    TWO,
    card_index,
)
from burraco_env.errors import CardError
from burraco_env.melds import HIGHEST_PLACE, MAX_SET_NATURALS
from burraco_env.rules import Rules

_KIND_OF = {int(card): kind for kind, card in enumerate(KIND_CARDS) if kind}


@dataclass(frozen=True)
class Meld:
    """A meld read from text.

    Attributes:
        is_run: a run, else a set.
        suit: suit of a run, -1 for a set.
        rank: rank of a set, -1 for a run.
        row: its row in a game record: LO HI WILD KIND, or NATURALS KIND.
        cards: the printed cards.
    """

    is_run: bool
    suit: int
    rank: int
    row: npt.NDArray[Any]
    cards: list[int]


def parse_meld(rules: Rules, text: Any) -> Meld:
    """The meld with this text.

    Raises:
        ValueError: no meld, or one that the rules do not allow; the message says why.
    """
    if not isinstance(text, str) or not text:
        raise ValueError(f"{text!r} is no meld; write for example 3h-4h-Jo(5h) or 6c-6d-2s")
    try:
        cards, roles = zip(*(_card_and_role(word) for word in text.split("-")), strict=True)
    except CardError as error:
        raise ValueError(f"{text!r} is no meld: {error}") from error
    if len(cards) < 3:
        raise ValueError(f"{text!r} is no meld: a meld has three cards or more")
    ranks = {card % NUM_RANKS for card in cards[:2] if card != JOKER}
    is_set = all(role is None for role in roles) and len(ranks) == 1
    try:
        return (
            _parse_set(rules, list(cards))
            if is_set
            else _parse_run(rules, list(cards), list(roles))
        )
    except ValueError as error:
        raise ValueError(f"{text!r} is no {'set' if is_set else 'run'}: {error}") from None


def printed_cards(text: Any) -> list[int]:
    """The printed cards of a text that has the form of a meld, whether it is one or not.

    Raises:
        ValueError: not of that form.
    """
    if not isinstance(text, str):
        raise ValueError(f"{text!r} is no text")
    return [_card_and_role(word)[0] for word in text.split("-")]


def _card_and_role(word: str) -> tuple[int, int | None]:
    """The printed card and, in brackets, the card it stands for."""
    if word.endswith(")") and "(" in word:
        card, _, role = word[:-1].partition("(")
        return card_index(card), card_index(role)
    return card_index(word), None


def _parse_run(rules: Rules, cards: list[int], roles: list[int | None]) -> Meld:
    shown = [card if role is None else role for card, role in zip(cards, roles, strict=True)]
    if JOKER in shown:
        raise ValueError("a wild in a run says what it stands for, as in Jo(4h)")
    suit, lo = shown[0] // NUM_RANKS, shown[0] % NUM_RANKS + 1
    hi = lo + len(shown) - 1
    if hi > HIGHEST_PLACE:
        raise ValueError("it goes beyond the high ace")
    if any(card != suit * NUM_RANKS + (lo - 1 + i) % NUM_RANKS for i, card in enumerate(shown)):
        raise ValueError(
            "its cards are not consecutive places of one suit, from the lowest to the highest"
        )
    if SUITS[suit] not in rules.suits or any(
        RANKS[card % NUM_RANKS] not in rules.ranks for card in shown
    ):
        raise ValueError("it has places that are not in the deck")
    wilds = [lo + i for i, role in enumerate(roles) if role is not None]
    if len(wilds) > 1:
        raise ValueError("it has more than one wild")
    wild, kind = 0, 0
    if wilds:
        wild = wilds[0]
        kind = _KIND_OF.get(cards[wild - lo], 0)
        if kind == 0:
            raise ValueError(f"{CARD_TEXTS[cards[wild - lo]]} is neither a joker nor a two")
        if wild == 2 and kind == suit + 1:
            raise ValueError("the two of the suit is natural in place 2")
    if (
        lo == 1
        and hi == HIGHEST_PLACE
        and wild not in (1, HIGHEST_PLACE)
        and not rules.ace_both_ends
    ):
        raise ValueError("natural aces may not fill both ends (ace_both_ends)")
    if lo <= 2 and wild == 3 and rules.natural_two_needs_three:
        raise ValueError("a two is natural only below a natural three (natural_two_needs_three)")
    return Meld(True, suit, -1, np.array([lo, hi, wild, kind], dtype=np.int8), cards)


def _parse_set(rules: Rules, cards: list[int]) -> Meld:
    kind = _KIND_OF.get(cards[-1], 0)
    naturals = cards[:-1] if kind else cards
    rank = naturals[0] % NUM_RANKS
    if any(card == JOKER or card % NUM_RANKS != rank for card in naturals):
        raise ValueError("its cards are not of one rank, with one wild at most, written last")
    if rank == TWO:
        raise ValueError("there are no sets of twos")
    if RANKS[rank] not in rules.set_ranks:
        raise ValueError(f"set_ranks is {rules.set_ranks!r}")
    if len(naturals) > MAX_SET_NATURALS:
        raise ValueError(f"a set has {MAX_SET_NATURALS} naturals at most")
    packed = 0
    for card in naturals:
        packed += 1 << 2 * (card // NUM_RANKS)
        if naturals.count(card) > rules.copies:
            raise ValueError(f"the deck has {rules.copies} copies of {CARD_TEXTS[card]}")
    return Meld(False, -1, rank, np.array([packed, kind], dtype=np.uint8), cards)
