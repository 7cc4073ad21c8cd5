"""The engine against the slow oracle, at every decision of random deals."""

from __future__ import annotations

import json
import random

import pytest

from burraco_env import Game, Rules
from tests.oracle import Oracle
from tests.play import GAME_IDS, GAMES, INTERPRETED, choose

BIASES = (1.0, 3.0, 6.0, 12.0)
DEALS = 1 if INTERPRETED else 22  # of each of the 19 games: 418 deals
FULL_DEALS = 1_100  # of each of the 19 games: 20,900 deals


def compare(game: Game, oracle: Oracle) -> None:
    """Fail, showing the position and the difference, where engine and oracle disagree."""
    theirs, ours = oracle.legal(), sorted(game.legal())
    if ours != theirs or game.position() != oracle.position():
        pytest.fail(
            f"only the engine: {sorted(set(ours) - set(theirs))}\n"
            f"only the oracle: {sorted(set(theirs) - set(ours))}\n"
            f"engine: {json.dumps(game.position())}\noracle: {json.dumps(oracle.position())}"
        )


def compare_deals(name: str, seats: int, deals: range) -> int:
    """Play random deals in both; returns the number of decisions compared."""
    rules, decisions = Rules.preset(name, seats), 0
    for seed in deals:
        rng = random.Random(f"{name}-{seats}-{seed}")
        game = Game.deal(rules, seed=seed)
        assert game.deck is not None
        oracle = Oracle.deal(rules.to_json(), game.deck, game.dealer)
        compare(game, oracle)
        while not game.is_over:
            decision = choose(rng, game.legal(), BIASES[seed % len(BIASES)])
            game.play(decision)
            oracle.play(decision)
            compare(game, oracle)
            decisions += 1
        assert game.points() == oracle.points()
    return decisions


@pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)
def test_engine_and_oracle_agree(name: str, seats: int) -> None:
    assert compare_deals(name, seats, range(DEALS)) > DEALS * 20


@pytest.mark.nojit
@pytest.mark.boundscheck
@pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)
def test_engine_and_oracle_agree_in_one_deal(name: str, seats: int) -> None:
    compare_deals(name, seats, range(DEALS, DEALS + 1))


@pytest.mark.full
@pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)
def test_engine_and_oracle_agree_at_length(name: str, seats: int) -> None:
    decisions = compare_deals(name, seats, range(10_000, 10_000 + FULL_DEALS))
    print(f"\n{name} {seats} seats: {FULL_DEALS} deals, {decisions} decisions, 0 mismatches")


OVERRIDES: list[tuple[str, dict[str, object]]] = [
    ("italian", {"ace_both_ends": True, "wild_slides": True}),
    ("italian", {"copies": 1, "pozzetto_sizes": [5], "hand_size": 5}),
    ("italian", {"jokers": 0, "one_set_per_rank": False, "pozzetti_refill_stock": True}),
    ("international", {"pickup_top": True, "set_ranks": "A3456789TJQK"}),
    ("rummyroyal", {"pickup_needs_meld": True, "natural_two_needs_three": False}),
    ("rummyroyal", {"pozzetto_sizes": [], "hand_size": 3}),
    ("clean-3000", {"burraco_size": 4, "hand_size": 4, "pozzetto_sizes": [3, 3]}),
    ("fitab", {"ranks": "A23TJQK", "burraco_size": 5, "hand_size": 5, "pozzetto_sizes": [4, 4]}),
    ("app-2005", {"suits": "h", "jokers": 4, "hand_size": 3, "pozzetto_sizes": [2, 2]}),
    ("reale", {"jokers": 4, "set_ranks": "AK", "max_turns": 12}),
]


@pytest.mark.parametrize(("name", "overrides"), OVERRIDES)
def test_engine_and_oracle_agree_with_overrides(name: str, overrides: dict[str, object]) -> None:
    two_seats = overrides.get("suits") == "h" or overrides.get("ranks") is not None
    rules = Rules.preset(name, 2 if two_seats else None, **overrides)
    for seed in range(1 if INTERPRETED else 15):
        rng = random.Random(seed)
        game = Game.deal(rules, seed=seed)
        assert game.deck is not None
        oracle = Oracle.deal(rules.to_json(), game.deck, game.dealer)
        compare(game, oracle)
        while not game.is_over:
            decision = choose(rng, game.legal(), 6.0)
            game.play(decision)
            oracle.play(decision)
            compare(game, oracle)
        assert game.points() == oracle.points()
