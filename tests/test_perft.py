"""Counts of the decision tree (`tests/perft.json`), of the engine and of the oracle."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numba
import pytest

from burraco_env import Game, Rules
from burraco_env.rules import seat_counts
from tests.oracle import Oracle
from tests.perft import load, oracle_perft, oracle_whole_tree, perft, tiny_game, whole_tree

TREES = load()["trees"]
TINY = load()["tiny"]

INTERPRETED = bool(numba.config.DISABLE_JIT)
MOST_NODES = 1_000 if INTERPRETED else 100_000 if numba.config.BOUNDSCHECK else 1_000_000
"""Trees of the engine go to the last depth that has no more nodes."""
MOST_ORACLE_NODES = 100 if INTERPRETED else 2_000
MOST_ORACLE_NODES_FULL = 100_000
MOST_ORACLE_DECISIONS = 200 if INTERPRETED else 3_000
MOST_ORACLE_DECISIONS_FULL = 70_000

each_tree = pytest.mark.parametrize("tree", TREES, ids=[tree["name"] for tree in TREES])
each_tiny = pytest.mark.parametrize("tiny", TINY, ids=[tiny["name"] for tiny in TINY])


def check(tree: dict[str, Any], most: int, least: int = 0) -> None:
    """Count the depths that have more than `least` and at most `most` nodes."""
    game = Game.from_position(tree["position"])
    for depth, expected in enumerate(tree["nodes"], start=1):
        if least < expected <= most:
            found = perft(game, depth)
            if found != expected:
                pytest.fail(report(game, depth, found, expected), pytrace=False)


def report(game: Game, depth: int, found: int, expected: int) -> str:
    """Where a wrong count comes from: the position, and the part of each decision in the count.

    If the oracle is quick enough it counts too, and the report goes on after the first decision
    with different parts, down to the position at fault.
    """
    lines = [f"perft({depth}) is {found}, not {expected}, of"]
    with_oracle = expected <= MOST_ORACLE_NODES_FULL
    wrong: str | None = ""
    while wrong is not None:
        lines.append(json.dumps(game.position()))
        oracle = Oracle.from_position(game.position())
        wrong = None
        for decision in sorted({*game.legal(), *oracle.legal()}):
            mine = part(game, decision, depth, perft)
            theirs = part(oracle, decision, depth, oracle_perft) if with_oracle else "not asked"
            lines.append(f"{decision}: engine {mine}, oracle {theirs}")
            if wrong is None and isinstance(mine, int) and isinstance(theirs, int):
                wrong = decision if mine != theirs else None
        if wrong is not None:
            lines.append(f"after {wrong}")
            game = game.copy()
            game.play(wrong)
            depth -= 1
    return "\n".join(lines)


def part(game: Any, decision: str, depth: int, count: Callable[[Any, int], int]) -> int | str:
    """The part of a decision in the count of a position."""
    after = game.copy()
    try:
        after.play(decision)
    except ValueError:
        return "not legal"
    return count(after, depth - 1)


@pytest.mark.nojit
@pytest.mark.boundscheck
@each_tree
def test_perft(tree: dict[str, Any]) -> None:
    check(tree, MOST_NODES)


@pytest.mark.full
@each_tree
def test_perft_deeper(tree: dict[str, Any]) -> None:
    check(tree, most=max(tree["nodes"]), least=MOST_NODES)


@each_tree
def test_the_oracle_counts_the_same(tree: dict[str, Any]) -> None:
    check_oracle(tree, MOST_ORACLE_NODES)


@pytest.mark.full
@each_tree
def test_the_oracle_counts_the_same_deeper(tree: dict[str, Any]) -> None:
    check_oracle(tree, MOST_ORACLE_NODES_FULL)


def check_oracle(tree: dict[str, Any], most: int) -> None:
    """Let the oracle count the deepest tree that has at most that many nodes."""
    depth = sum(count <= most for count in tree["nodes"])
    oracle = Oracle.from_position(tree["position"])
    found, expected = oracle_perft(oracle, depth), tree["nodes"][depth - 1]
    game = Game.from_position(tree["position"])
    if found != expected:
        pytest.fail(report(game, depth, expected, found), pytrace=False)


def test_a_wrong_count_is_reported() -> None:
    position = Game.deal(Rules.preset("mini"), 0).position()
    game = Game.from_position(position)
    right = perft(game, 2)
    check({"position": position, "nodes": [2, right]}, MOST_NODES)
    with pytest.raises(pytest.fail.Exception) as caught:
        check({"position": position, "nodes": [2, right + 1]}, MOST_NODES)
    text = str(caught.value)
    assert text.startswith(f"perft(2) is {right}, not {right + 1}, of\n{json.dumps(position)}\n")
    parts = []
    for decision in game.legal():
        after = game.copy()
        after.play(decision)
        number = perft(after, 1)
        parts.append(number)
        assert f"\n{decision}: engine {number}, oracle {number}" in text
    assert sum(parts) == right


@pytest.mark.nojit
def test_a_finished_deal_counts_once() -> None:
    game = Game.deal(Rules.preset("mini", max_turns=1), 0)
    while not game.is_over:
        assert perft(game, 0) == 1
        assert perft(game, 1) == len(game.legal())
        game.play(game.legal()[0])
    assert perft(game, 0) == perft(game, 1) == perft(game, 5) == 1


def test_every_preset_and_seat_count_has_its_start_and_a_position_of_play() -> None:
    for preset in Rules.PRESET_NAMES:
        for seats in seat_counts(preset):
            rules = {"preset": preset, "seats": seats, "overrides": {}}
            turns = [t["position"]["turn"] for t in TREES if t["position"]["rules"] == rules]
            assert min(turns) == 0 < max(turns)
    assert all(max(tree["nodes"]) > 10_000 for tree in TREES)


@pytest.mark.boundscheck
@pytest.mark.skipif(INTERPRETED, reason="would take an hour")
@each_tiny
def test_the_whole_tree(tiny: dict[str, Any]) -> None:
    assert whole_tree(tiny_game(tiny)) == tiny["counts"]


@pytest.mark.nojit
@each_tiny
def test_the_oracle_finds_the_same_whole_tree(tiny: dict[str, Any]) -> None:
    check_oracle_whole_tree(tiny, MOST_ORACLE_DECISIONS)


@pytest.mark.full
@each_tiny
def test_the_oracle_finds_the_same_larger_whole_tree(tiny: dict[str, Any]) -> None:
    check_oracle_whole_tree(tiny, MOST_ORACLE_DECISIONS_FULL)


def check_oracle_whole_tree(tiny: dict[str, Any], most: int) -> None:
    """Let the oracle play the tiny game, cut after 1, 2, .. turns, up to that many decisions."""
    for turns in range(1, tiny["rules"]["overrides"]["max_turns"] + 1):
        game = tiny_game(tiny, max_turns=turns)
        counts = whole_tree(game)
        if counts["decisions"] > most:
            break
        oracle = Oracle.deal(game.rules.to_json(), game.deck, game.dealer)
        assert counts == oracle_whole_tree(oracle), f"with max_turns {turns}"
