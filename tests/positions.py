"""Positions for the tests of the rules, written in notation.

A test says what matters: a hand, some melds, the phase. The rest of the deck is dealt out here,
always the same way, so that `Game.from_position` accepts the whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from burraco_env import Game, IllegalActionError, Rules
from burraco_env.cards import RANKS, SUITS

ORDER = [rank + suit for suit in SUITS for rank in RANKS] + ["Jo"]
CLEAN = "3h-4h-5h-6h-7h-8h-9h"
SEMI_CLEAN = "3h-4h-5h-6h-7h-8h-9h-Jo(Th)"
DIRTY = "3h-4h-Jo(5h)-6h-7h-8h-9h"
"""A burraco of each kind."""
SIX = "3h-4h-5h-6h-7h-8h"
"""One card short of a burraco."""
TWO_TO_QUEEN = "2h-3h-4h-5h-6h-7h-8h-9h-Th-Jh-Qh"
TWO_TO_KING = f"{TWO_TO_QUEEN}-Kh"
TWO_TO_ACE = f"{TWO_TO_KING}-Ah"
ACE_TO_KING = f"Ah-{TWO_TO_KING}"
ACE_TO_ACE = f"{ACE_TO_KING}-Ah"
FILLER_HAND = 3
"""Cards of a hand that the test does not name."""


def position(
    preset: str = "italian",
    seats: int | None = None,
    *,
    hand: str = "",
    melds: Sequence[str] = (),
    opponents: Sequence[str] = (),
    third: Sequence[str] = (),
    phase: str = "play",
    seat: int = 0,
    turn: int = 8,
    hands: Mapping[int, str] | None = None,
    stock: str | int | None = None,
    pile: str | None = None,
    pozzetti: Sequence[str] | None = None,
    taken: Sequence[int] = (),
    unplayed: Sequence[int] = (),
    soloist: int | None = None,
    no_return: str | None = None,
    must_meld: bool = False,
    pending: str | None = None,
    outcome: str | None = None,
    **overrides: Any,
) -> dict[str, Any]:
    """A position; the cards that it does not name are filled in from the deck in canonical order.

    Args:
        preset, seats, overrides: the rules.
        hand: cards of `seat`.
        melds: melds of the side of `seat`.
        opponents: melds of the next seat's side.
        third: melds of the third side (three seats before a soloist).
        phase: `draw`, `play` or `wild`; `over` where there is an outcome.
        seat: seat to act, or that moved last.
        turn: completed turns; the dealer follows from it.
        hands: hands of other seats, by seat; else `FILLER_HAND` cards each.
        stock: its cards, or their number; None: all that is left.
        pile: the discard pile; None: one card, or all that is left where `stock` is given.
        pozzetti: cards of the untaken ones, each filled up to its size; those that are left out are
            filler too, unless a pozzetto may have become the stock.
        taken: seats that took a pozzetto.
        unplayed: those of them that have not played since.
        soloist: the seat that plays alone (three seats).
        no_return, must_meld, pending, outcome: as in notation.md; `seat` is the one that closed.
    """
    rules = Rules.preset(preset, seats, **overrides)
    seats, over = rules.seats, outcome is not None
    sides = _sides(seats, soloist)
    next_side = _side_of(sides, (seat + 1) % seats)
    table = [list(third) for _ in sides]
    table[next_side] = list(opponents)
    table[_side_of(sides, seat)] = list(melds)
    if pile is None and (must_meld or (no_return and not rules.pickup_top)):
        pile = ""
    named = dict(hands or {}) | {seat: hand}
    rest = _Rest(rules)
    stock_cards = stock if isinstance(stock, str) else ""
    for text in (*named.values(), *(pozzetti or ()), pile or "", stock_cards):
        rest.remove(text.split())
    for meld in (meld for side in table for meld in side):
        rest.remove(word.partition("(")[0] for word in meld.split("-"))
    sizes = rules.pozzetto_sizes[len(taken) :]
    begun = list(pozzetti or ())
    if pozzetti is None or not rules.pozzetti_refill_stock:
        begun += [""] * (len(sizes) - len(begun))
    full = [
        f"{text} {rest.take(size - len(text.split()))}".strip()
        for text, size in zip(begun, sizes, strict=False)
    ]
    for other in range(seats):
        if other not in named:
            named[other] = rest.take(FILLER_HAND)
    stock_text = rest.take(stock) if isinstance(stock, int) else stock
    if stock_text is None:
        pile = rest.take(1) if pile is None else pile
        stock_text = rest.take_all()
    elif pile is None:
        pile = rest.take_all()
    else:
        named[(seat + 1) % seats] += " " + rest.take_all()
    return {
        "rules": rules.to_json(),
        "dealer": (seat - turn - (0 if over else 1)) % seats,
        "turn": turn,
        "seat": seat,
        "phase": "over" if over else phase,
        "sides": sides,
        "hands": [named[number] for number in range(seats)],
        "stock": stock_text,
        "discard_pile": pile,
        "pozzetti": full,
        "pozzetto_taken_by": [_only(taken, side) for side in sides],
        "pozzetto_unplayed": [_only(unplayed, side) is not None for side in sides],
        "melds": table,
        "no_return": no_return,
        "must_meld": must_meld,
        "pending": pending,
        "outcome": outcome,
        "closed_by": seat if outcome == "closed" else None,
    }


def game(preset: str = "italian", seats: int | None = None, **named: Any) -> Game:
    """The game at a `position`, which takes the same arguments."""
    return Game.from_position(position(preset, seats, **named))


def after(start: Game, *decisions: str) -> Game:
    """The game after some decisions; `start` stays as it is."""
    twin = start.copy()
    for decision in decisions:
        twin.play(decision)
    return twin


def allows(start: Game, decision: str) -> bool:
    """Whether a decision is among the legal ones."""
    return decision in start.legal()


def refusal(start: Game, decision: str) -> str:
    """The sentence that refuses an illegal decision, short of the legal ones. Nothing changes."""
    assert decision not in start.legal(), f"{decision} is legal"
    before = start.state.tobytes()
    with pytest.raises(IllegalActionError) as caught:
        start.play(decision)
    assert start.state.tobytes() == before
    return str(caught.value).partition("; legal:")[0]


def refuses(start: Game, decision: str) -> bool:
    """Whether a decision is refused and nothing changes."""
    return bool(refusal(start, decision))


def starting_with(start: Game, word: str) -> list[str]:
    """The legal decisions of one kind, without the word: `starting_with(game, "discard")`."""
    return [text[len(word) + 1 :] for text in start.legal() if text.startswith(word + " ")]


def melds(start: Game, side: int = 0) -> list[str]:
    """The melds of a side."""
    return list(start.position()["melds"][side])


def hand(start: Game, seat: int = 0) -> str:
    """The cards of a seat, in canonical order."""
    return str(start.position()["hands"][seat])


def cards_of(place: dict[str, Any]) -> Counter[str]:
    """Every card of a position, wherever it lies."""
    words = " ".join(
        [*place["hands"], place["stock"], place["discard_pile"], *place["pozzetti"]]
    ).split()
    laid = [
        word.partition("(")[0]
        for side in place["melds"]
        for meld in side
        for word in meld.split("-")
    ]
    return Counter(words + laid)


def _sides(seats: int, soloist: int | None) -> list[list[int]]:
    if soloist is not None:
        return [[soloist], [seat for seat in range(seats) if seat != soloist]]
    return [[0, 2], [1, 3]] if seats == 4 else [[seat] for seat in range(seats)]


def _side_of(sides: list[list[int]], seat: int) -> int:
    return next(index for index, side in enumerate(sides) if seat in side)


def _only(seats: Sequence[int], side: list[int]) -> int | None:
    return next((seat for seat in seats if seat in side), None)


class _Rest:
    """The cards of the deck that have no place yet."""

    def __init__(self, rules: Rules) -> None:
        self.cards = Counter([r + s for s in rules.suits for r in rules.ranks] * rules.copies)
        self.cards["Jo"] = rules.jokers

    def remove(self, cards: Any) -> None:
        for card in cards:
            self.cards[card] -= 1
            if self.cards[card] < 0:
                raise ValueError(f"the deck has not so many {card}")

    def take(self, count: int) -> str:
        taken = [card for card in ORDER for _ in range(self.cards[card])][:count]
        self.remove(taken)
        return " ".join(taken)

    def take_all(self) -> str:
        return self.take(self.cards.total())
