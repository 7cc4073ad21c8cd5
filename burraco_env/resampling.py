"""Redrawing all that a seat cannot see, consistently with all it knows (design section 3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from burraco_env._jit import int64, kernel
from burraco_env.cards import NUM_CARDS
from burraco_env.engine import legal
from burraco_env.generator import next_below
from burraco_env.state import MAX_CARDS, OVER_PHASE, PLAY_PHASE, WILD_PHASE, Game

MAX_TRIES = 100_000
"""Redraws before giving up where another seat is in mid-turn and few hands let it be there."""


@kernel
def _unseen(game: Game, me: int, cards: Any) -> int:
    """Write the cards whose place the seat does not know into `cards`; returns their number.

    They are what is left of the deck after the cards it sees or knows: they lie, in an order it
    cannot know, in the unknown part of the other hands, the untaken pozzetti and the stock.
    """
    count = 0
    for seat in range(game["rules"]["seats"]):
        if seat != me:
            for card in range(NUM_CARDS):
                unknown = int64(game["hands"][seat, card]) - int64(game["known"][seat, card])
                for _ in range(unknown):
                    cards[count] = card
                    count += 1
    for pozzetto in range(game["first_pozzetto"], game["end_pozzetto"]):
        for index in range(game["rules"]["pozzetto_sizes"][pozzetto]):
            cards[count] = game["pozzetti"][pozzetto, index]
            count += 1
    for index in range(game["stock_size"]):
        cards[count] = game["stock"][index]
        count += 1
    return count


@kernel
def _redraw(game: Game, me: int, cards: Any, count: int) -> None:
    """Put the unseen cards back in a uniformly random order."""
    for last in range(count - 1, 0, -1):
        other = next_below(game, last + 1)
        kept = cards[last]
        cards[last] = cards[other]
        cards[other] = kept
    deal_unseen(game, me, cards)


@kernel
def deal_unseen(game: Game, me: int, cards: Any) -> None:
    """Put the unseen cards, in this order, where the seat does not know the cards.

    First the other hands, which hold the cards that are known to be there besides, then the untaken
    pozzetti, then the stock. `cards` are as many as go there.
    """
    at = 0
    for seat in range(game["rules"]["seats"]):
        if seat != me:
            known = 0
            for card in range(NUM_CARDS):
                game["hands"][seat, card] = game["known"][seat, card]
                known += int64(game["known"][seat, card])
            for _ in range(game["hand_sizes"][seat] - known):
                game["hands"][seat, int64(cards[at])] += 1
                at += 1
    for pozzetto in range(game["first_pozzetto"], game["end_pozzetto"]):
        for index in range(game["rules"]["pozzetto_sizes"][pozzetto]):
            game["pozzetti"][pozzetto, index] = cards[at]
            at += 1
    for index in range(game["stock_size"]):
        game["stock"][index] = cards[at]
        at += 1


@kernel
def resample(game: Game, me: int, state: Any, ids: Any) -> bool:
    """Redraw in place what seat `me` cannot see; False if no consistent redraw was found.

    Consistent: the seat to act can be where it is. `state` becomes the game's generator, so that
    the true one cannot be read off it. `ids` is scratch.
    """
    game["generator"] = state
    cards = np.empty(MAX_CARDS, np.int8)
    count = _unseen(game, me, cards)
    in_turn = game["seat"] != me and game["phase"] != OVER_PHASE
    for _ in range(MAX_TRIES):
        _redraw(game, me, cards, count)
        if not in_turn:
            return True
        # The others know that the seat to act has a decision; in phase wild that it holds the cards
        # of the pending one, and two kinds of wild for it.
        if game["phase"] == WILD_PHASE:
            if holds_pending(game, ids):
                return True
        elif legal(game, ids) > 0:
            return True
    return False


@kernel
def holds_pending(game: Game, ids: Any) -> bool:
    """Whether the hand of the seat to act allows its pending decision with two kinds of wild."""
    from_phase = game["phase"]
    choices = legal(game, ids)
    if choices < 2:
        return False
    game["phase"] = PLAY_PHASE
    count = legal(game, ids)
    game["phase"] = from_phase
    for index in range(count):
        if ids[index] == game["pending"]:
            return True
    return False
