"""Playing at random, for tests: which games, and how."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numba

from burraco_env import Game, Rules
from burraco_env.rules import seat_counts

INTERPRETED = bool(numba.config.DISABLE_JIT)
"""The compiler is off: tests play a small part of what they play otherwise."""

GAMES: list[tuple[str, int]] = [
    (name, seats) for name in Rules.PRESET_NAMES for seats in seat_counts(name)
]
"""Every preset with every seat count that it allows."""
GAME_IDS = [f"{name}-{seats}" for name, seats in GAMES]


def choose(rng: random.Random, legal: list[str], bias: float) -> str:
    """A random decision; melds, lay-offs and pick-ups are `bias` times as likely as others."""
    weights = [bias if text.startswith(("meld", "layoff", "pickup")) else 1.0 for text in legal]
    return rng.choices(legal, weights)[0]


def play_on(game: Game, rng: random.Random, bias: float = 3.0) -> Iterator[Game]:
    """Yield the game at every decision, playing at random in between, and when it is over."""
    while not game.is_over:
        yield game
        game.play(choose(rng, game.legal(), bias))
    yield game


def some_positions(name: str, seats: int, seed: int, every: int = 7) -> Iterator[Game]:
    """Copies of a random deal at every few decisions and at its end; in phase wild always."""
    game = Game.deal(Rules.preset(name, seats), seed=seed)
    for number, now in enumerate(play_on(game, random.Random(seed))):
        if number % every == 0 or now.is_over or now.phase == "wild":
            yield now.copy()
