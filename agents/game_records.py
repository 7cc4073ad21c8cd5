"""Records of the games of an arena, as JSON Lines (docs/notation.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from agents.arena import Arena, Lineup, Results, dealt
from burraco_env.game import Game, deck_text
from burraco_env.records import Record


def deal_number(arena: Arena, number: int) -> Game:
    """Deal `number` of the arena's seed, before its first decision."""
    games = dealt(arena.rules, arena.seed, number, 1)
    return Game(arena.rules, games, deck_text(games))


def records(arena: Arena, lineup: Lineup, start: int, results: Results) -> Iterator[Record]:
    """The games of some results, deal by deal, seating by seating; `players` says who sat where.

    Args:
        arena: where they were played.
        lineup: who played.
        start: number of the first deal.
        results: what came of it, with the actions.
    """
    if results.actions is None:
        raise ValueError("the arena kept no actions; make it with keep_actions=True")
    games = iter(results.actions)
    for number in range(start, start + len(results)):
        for seating in lineup.seatings:
            game = deal_number(arena, number)
            for action in next(games):
                game.play_id(int(action))
            yield game.record([lineup.entrants[player].name for player in seating])


class RecordFile:
    """A file of records that grows part by part, so that an interrupt loses none.

    A file that is there already is written anew.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path.write_text("", encoding="utf-8")

    def append(self, arena: Arena, lineup: Lineup, start: int, results: Results) -> None:
        """Write the games of some more results; see `records`."""
        lines = [
            json.dumps(record.to_json(), ensure_ascii=False) + "\n"
            for record in records(arena, lineup, start, results)
        ]
        with self._path.open("a", encoding="utf-8", newline="\n") as file:
            file.write("".join(lines))
