"""Exact counts of the decision tree (perft), and of all deals of some tiny games.

    python -m tests.perft

counts everything in `tests/perft.json` again and writes the file. Positions and decks that the file
has are kept; those that it lacks are made from the tables below.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from burraco_env import NUM_ACTIONS, Game, Rules
from burraco_env.engine import apply, legal
from burraco_env.scoring import side_points
from burraco_env.state import NOT_OVER, OUTCOMES, OVER_PHASE
from tests.make_golden import COMBINATIONS, scripted_decisions
from tests.oracle import Oracle

PATH = Path(__file__).parent / "perft.json"

MAX_NODES = 10_000_000
"""The trees are counted to the last depth that has no more."""

MAX_DECISIONS = 400
"""Bound of the length of a deal of a tiny game."""

POSITIONS: dict[tuple[str, int], tuple[tuple[int, int], ...]] = {
    ("italian", 2): ((0, 0), (8, 17), (0, 105)),
    ("italian", 3): ((20, 0), (20, 74), (26, 160)),
    ("italian", 4): ((40, 0), (47, 75), (45, 80)),
    ("rummyroyal", 2): ((60, 0), (70, 92), (69, 13)),
    ("pairs-app", 4): ((80, 0), (86, 113), (89, 13)),
    ("clean-3000", 2): ((100, 0), (104, 110), (110, 238)),
    ("clean-3000", 4): ((120, 0), (121, 52), (121, 179)),
    ("coppie-2000", 2): ((140, 0), (144, 98), (141, 115)),
    ("coppie-2000", 3): ((160, 0), (170, 139), (162, 93)),
    ("coppie-2000", 4): ((180, 0), (184, 149), (180, 37)),
    ("fitab", 2): ((200, 0), (203, 80), (200, 78)),
    ("fitab", 4): ((220, 0), (221, 85), (220, 33)),
    ("international", 2): ((240, 0), (250, 27), (248, 210)),
    ("international", 4): ((260, 0), (261, 130), (267, 119)),
    ("reale", 2): ((280, 0), (286, 184), (282, 194)),
    ("reale", 4): ((300, 0), (302, 112), (300, 91)),
    ("app-2005", 2): ((320, 0), (321, 104), (320, 42)),
    ("app-2005", 4): ((340, 0), (351, 105), (347, 55)),
    ("mini", 2): ((360, 0), (361, 24), (360, 14)),
}
"""Positions of scripted deals: the seed, and the number of decisions before the position.

The start of a deal, and two positions in whose trees together many kinds of decisions and ends of
the deal occur: of the candidates (the first decisions of the turns of 12 deals) those with most.
"""

LINE = {"ranks": "A2345", "suits": "c", "jokers": 2, "hand_size": 3, "pozzetto_sizes": [2, 2]}
LONG_LINE = LINE | {"ranks": "A23456", "hand_size": 2}
SQUARE = {"ranks": "A34", "suits": "cd", "jokers": 1, "hand_size": 2, "pozzetto_sizes": [2, 2]}
TINY: tuple[tuple[str, int, int, int, dict[str, Any]], ...] = (
    ("italian", 3, 1, 7, LONG_LINE | {"pozzetto_sizes": [3, 2]}),
    ("italian", 4, 3, 12, LONG_LINE),
    ("rummyroyal", 2, 1, 4, LINE),
    ("pairs-app", 4, 1, 12, LONG_LINE),
    ("clean-3000", 2, 0, 7, SQUARE),
    ("coppie-2000", 3, 0, 7, LONG_LINE | {"pozzetto_sizes": [3, 2]}),
    ("fitab", 2, 1, 8, LINE),
    ("international", 2, 3, 20, SQUARE | {"ranks": "A23"}),
    ("reale", 2, 0, 8, LONG_LINE | {"jokers": 0, "hand_size": 3}),
    ("app-2005", 2, 2, 6, SQUARE | {"ranks": "34", "suits": "cdh"}),
    ("mini", 2, 0, 8, LINE),
    ("mini", 2, 1, 7, SQUARE),
)
"""Tiny games: preset, seats, seed of the deck, max_turns, and the overrides that make a small deck.

One suit makes runs, several suits of few ranks make sets. All have burraco_size 3 and dead_stock 0.
"""


def perft(game: Game, depth: int) -> int:
    """Number of sequences of `depth` decisions from here; one that ends the deal sooner counts too.

    So `perft(game, 0)` is 1, `perft(game, 1)` is the number of legal decisions, and a finished deal
    counts 1 at every depth. A choice of the wild is a decision of its own.
    """
    games = np.repeat(game.state, depth + 1)
    ids = np.zeros((depth + 1, NUM_ACTIONS), dtype=np.int16)
    return int(_count(games, ids, 0, depth))


@numba.njit  # not cached: numba would not notice that the kernels of the engine have changed
def _count(games: npt.NDArray[np.void], ids: npt.NDArray[np.int16], level: int, depth: int) -> int:
    """Sequences of `depth` decisions from the game at `level`; the levels behind it are scratch."""
    if depth == 0 or games[level]["phase"] == OVER_PHASE:
        return 1
    number = legal(games[level], ids[level])
    if depth == 1:
        return number
    total = 0
    for index in range(number):
        games[level + 1] = games[level]
        apply(games[level + 1], int(ids[level, index]))
        total += _count(games, ids, level + 1, depth - 1)
    return total


def oracle_perft(oracle: Oracle, depth: int) -> int:
    """`perft` as the oracle counts it."""
    if depth == 0 or oracle.is_over:
        return 1
    decisions = oracle.legal()
    if depth == 1:
        return len(decisions)
    total = 0
    for decision in decisions:
        after = oracle.copy()
        after.play(decision)
        total += oracle_perft(after, depth - 1)
    return total


def whole_tree(game: Game) -> dict[str, int]:
    """All deals that can follow: how many by outcome, and how they end for the first side.

    Returns:
        `closed`, `exhausted`, `stalemate`: deals with that outcome; `decisions`: decisions made in
        the tree, each counted once; `min`, `max`, `sum`: points of the first side minus those of
        the second, over all deals.
    """
    games = np.repeat(game.state, MAX_DECISIONS)
    ids = np.zeros((MAX_DECISIONS, NUM_ACTIONS), dtype=np.int16)
    ends = np.zeros(len(OUTCOMES), dtype=np.int64)
    difference = np.array([1 << 30, -1 << 30, 0], dtype=np.int64)
    _walk(games, ids, 0, ends, difference, np.zeros((3, 5), dtype=np.int64))
    counts = {str(name): int(ends[i]) for i, name in enumerate(OUTCOMES) if name}
    low, high, total = map(int, difference)
    return {**counts, "decisions": int(ends[NOT_OVER]), "min": low, "max": high, "sum": total}


@numba.njit
def _walk(
    games: npt.NDArray[np.void],
    ids: npt.NDArray[np.int16],
    level: int,
    ends: npt.NDArray[np.int64],
    difference: npt.NDArray[np.int64],
    points: npt.NDArray[np.int64],
) -> None:
    """Count the tree of the game at `level`: deals by outcome (0: decisions); min, max and sum."""
    if games[level]["phase"] == OVER_PHASE:
        ends[int(games[level]["outcome"])] += 1
        side_points(games[level], points)
        first_minus_second = points[0].sum() - points[1].sum()
        difference[0] = min(difference[0], first_minus_second)
        difference[1] = max(difference[1], first_minus_second)
        difference[2] += first_minus_second
        return
    number = legal(games[level], ids[level])
    ends[NOT_OVER] += number
    for index in range(number):
        games[level + 1] = games[level]
        apply(games[level + 1], int(ids[level, index]))
        _walk(games, ids, level + 1, ends, difference, points)


def oracle_whole_tree(oracle: Oracle) -> dict[str, int]:
    """`whole_tree` as the oracle counts it."""
    counts = dict.fromkeys(("closed", "exhausted", "stalemate", "decisions"), 0)
    differences = []
    left = [oracle]
    while left:
        here = left.pop()
        if here.is_over:
            counts[str(here.outcome)] += 1
            first, second = (side["total"] for side in here.points()[:2])
            differences.append(first - second)
        for decision in here.legal():
            counts["decisions"] += 1
            after = here.copy()
            after.play(decision)
            left.append(after)
    return {**counts, "min": min(differences), "max": max(differences), "sum": sum(differences)}


# ---------------------------------------------------------------------------------------- the file


def load() -> dict[str, list[dict[str, Any]]]:
    """`trees`: name, nodes at depth 1, 2, .., position. `tiny`: name, rules, deck, .."""
    loaded: dict[str, list[dict[str, Any]]] = json.loads(PATH.read_text(encoding="utf-8"))
    return loaded


def as_json(value: Any, levels: int = 4, indent: str = "") -> str:
    """JSON with a line for each entry of the outer `levels`."""
    inner = indent + " "
    if levels > 0 and isinstance(value, dict):
        entries = [f"{json.dumps(k)}: {as_json(v, levels - 1, inner)}" for k, v in value.items()]
        brackets = "{}"
    elif levels > 0 and isinstance(value, list) and value and isinstance(value[0], dict):
        entries = [as_json(entry, levels - 1, inner) for entry in value]
        brackets = "[]"
    else:
        return json.dumps(value)
    text = ",\n".join(inner + entry for entry in entries)
    return f"{brackets[0]}\n{text}\n{indent}{brackets[1]}"


def nodes(game: Game, most: int) -> list[int]:
    """`perft` at depth 1, 2, .. to the last that is not above `most`."""
    counts: list[int] = []
    while (count := perft(game, len(counts) + 1)) <= most:
        if counts[-2:] == [count, count]:  # all deals are over
            break
        counts.append(count)
    return counts


def scripted_position(preset: str, seats: int, seed: int, decisions: int) -> dict[str, Any]:
    """The position after that many decisions of a scripted deal."""
    game = Game.deal(Rules.preset(preset, seats), seed)
    for decision in islice(scripted_decisions(game, seed), decisions):
        game.play(decision)
    return game.position()


def tree_entries(old: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The trees: the start and the scripted positions of each preset and seat count."""
    positions = {entry["name"]: entry["position"] for entry in old}
    for preset, seats in COMBINATIONS:
        for seed, decisions in POSITIONS[preset, seats]:
            name = f"{preset}-{seats} seed {seed} after {decisions}"
            position = positions.get(name) or scripted_position(preset, seats, seed, decisions)
            counts = nodes(Game.from_position(position), MAX_NODES)
            yield {"name": name, "nodes": counts, "position": position}


def tiny_entries(old: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The tiny games."""
    deals = {entry["name"]: entry for entry in old}
    for preset, seats, seed, max_turns, deck in TINY:
        name = f"{preset}-{seats} {deck['ranks']} of {deck['suits']} seed {seed}"
        if name in deals:
            game = tiny_game(deals[name])
        else:
            overrides = deck | {"burraco_size": 3, "dead_stock": 0, "max_turns": max_turns}
            game = Game.deal(Rules.preset(preset, seats, **overrides), seed)
        yield {
            "name": name,
            "rules": game.rules.to_json(),
            "deck": game.deck,
            "dealer": game.dealer,
            "counts": whole_tree(game),
        }


def tiny_game(entry: dict[str, Any], **overrides: Any) -> Game:
    """The game of an entry of `tiny`, with other rules if need be."""
    rules = entry["rules"]
    rules = Rules.from_json(rules | {"overrides": rules["overrides"] | overrides})
    return Game.from_deck(rules, entry["deck"], entry["dealer"])


def main() -> None:
    """Count everything again and write the file."""
    old = load() if PATH.exists() else {"trees": [], "tiny": []}
    new: dict[str, list[dict[str, Any]]] = {"trees": [], "tiny": []}
    for part, entries in (("trees", tree_entries), ("tiny", tiny_entries)):
        for entry in entries(old[part]):
            new[part].append(entry)
            print(f"{entry['name']}{'' if entry in old[part] else ': new'}")
    PATH.write_text(as_json(new) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
