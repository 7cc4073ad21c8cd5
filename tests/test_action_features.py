"""What a network is told of an action is what the action does: compared with playing it."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest

from agents.action_features import (
    DISCARD_FEATURES,
    FEATURE_UNIT,
    PICK_UP_FEATURES,
    PLAY_FEATURES,
    write_action_features,
)
from agents.expert import score_and_note
from agents.parameters import tuned
from agents.valuation import NOTES_DTYPE, NUM_ACTION_FEATURES
from burraco_env import Game, Rules
from burraco_env.rules import seat_counts

GAMES = [(name, seats) for name in Rules.PRESET_NAMES for seats in seat_counts(name)]
POINTS = {**dict.fromkeys("34567", 5), **dict.fromkeys("89TJQK", 10), "A": 15, "2": 20}
NOTES = np.zeros(1, dtype=NOTES_DTYPE)[0]


def points(card: str) -> int:
    return 30 if card == "Jo" else POINTS[card[0]]


def is_wild(card: str) -> bool:
    return card == "Jo" or card[0] == "2"


def described(game: Game) -> dict[int, npt.NDArray[np.float64]]:
    """The features of all legal actions."""
    observation, mask = game.observation(), game.mask()
    score_and_note(observation, mask, tuned(), NOTES)
    found = {}
    for action in np.flatnonzero(mask):
        out = np.full(NUM_ACTION_FEATURES, 99, np.int8)
        write_action_features(observation, NOTES, action, out)
        found[int(action)] = out / FEATURE_UNIT
    return found


def near(found: float, wanted: float) -> bool:
    """Equal but for rounding towards 0 in sixteenths, and for the range of int8."""
    limit = 127 / FEATURE_UNIT
    return abs(found - min(max(wanted, -limit), limit)) < 1.01 / FEATURE_UNIT


def check_play(game: Game, action: int, features: npt.NDArray[np.float64]) -> None:
    value = dict(zip(PLAY_FEATURES, features, strict=True))
    seat, position = game.seat, game.position()
    side = next(n for n, seats in enumerate(position["sides"]) if seat in seats)
    before = position["melds"][side]
    after = game.copy()
    after.play_id(action)
    if after.position()["pending"] is not None:
        after.play(after.legal()[0])
    (meld,) = (Counter(after.position()["melds"][side]) - Counter(before)).elements()
    gone = list((Counter(before) - Counter(after.position()["melds"][side])).elements())
    cards = meld.split("-")
    played = len(cards) - (len(gone[0].split("-")) if gone else 0)
    ranks = {card[0] for card in cards if not is_wild(card)}
    run = any("(" in card for card in cards) or len(ranks) > 1
    has_wild = any("(" in card for card in cards) if run else any(map(is_wild, cards))
    size = game.rules.burraco_size
    left = len(position["hands"][seat].split()) - played
    assert near(value["cards of the meld / 7"], len(cards) / 7)
    assert value["the meld has no wild"] == (not has_wild)
    assert value["makes a burraco without a wild"] == (len(cards) == size and not has_wild)
    assert value["makes a burraco with a wild"] == (len(cards) == size and has_wild)
    assert near(value["cards it lacks to a burraco / 7"], max(size - len(cards), 0) / 7)
    assert near(value["cards left / 5"], left / 5)
    assert value["one card left or none"] == (left <= 1)
    assert value["none left"] == (left == 0)


def check_discard(game: Game, action: int, features: npt.NDArray[np.float64]) -> None:
    value = dict(zip(DISCARD_FEATURES, features, strict=True))
    card = game.text(action).split()[1]
    position = game.position()
    hand, pile = position["hands"][game.seat].split(), position["discard_pile"].split()
    assert value["wild"] == is_wild(card)
    assert near(value["points / 10"], points(card) / 10)
    if card != "Jo":
        assert near(
            value["others of its rank in the hand / 2"],
            (sum(other[0] == card[0] and other != "Jo" for other in hand) - 1) / 2,
        )
        assert near(
            value["its rank in the pile / 2"],
            sum(other[0] == card[0] and other != "Jo" for other in pile) / 2,
        )


def check_pick_up(game: Game, action: int, features: npt.NDArray[np.float64]) -> None:
    value = dict(zip(PICK_UP_FEATURES, features, strict=False))
    pile = game.position()["discard_pile"].split()
    taken = pile if game.text(action) == "pickup" else pile[-1:]
    assert near(value["cards / 5"], len(taken) / 5)
    assert value["wilds"] == min(sum(map(is_wild, taken)), 7)
    assert near(value["points / 50"], sum(map(points, taken)) / 50)
    assert value["one card"] == (len(taken) == 1)


@pytest.mark.parametrize(("preset", "seats"), GAMES)
def test_features_say_what_an_action_does(preset: str, seats: int) -> None:
    rng, seen = random.Random(5), Counter[str]()
    for seed in range(3):
        game = Game.deal(Rules.preset(preset, seats), seed=seed)
        while not game.is_over and game.turn < 60:
            for action, features in described(game).items():
                kind = game.text(action).split()[0]
                seen[kind] += 1
                if kind in ("meld", "layoff"):
                    check_play(game, action, features)
                elif kind == "discard":
                    check_discard(game, action, features)
                elif kind in ("pickup", "pickup-top"):
                    check_pick_up(game, action, features)
                else:
                    assert not features.any()
            texts = game.legal()
            plays = [text for text in texts if text.startswith(("meld", "layoff", "pickup"))]
            game.play(rng.choice(plays if plays and rng.random() < 0.5 else texts))
    assert min(seen["meld"], seen["layoff"]) > 10
    assert seen["discard"] > 100
