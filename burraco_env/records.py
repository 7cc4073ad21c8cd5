"""Game records: one JSON object a deal, JSON Lines for many (notation.md "Record")."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from burraco_env.errors import IllegalActionError, RecordError
from burraco_env.game import Game
from burraco_env.rules import Rules

FORMAT = "burraco-record/1"
_KEYS = ("format", "rules", "deck", "dealer", "players", "decisions", "outcome", "points")


@dataclass(frozen=True)
class Record:
    """One deal, from the deck to the points.

    Attributes:
        rules: the rules.
        deck: the whole deck in the order in which it was dealt.
        dealer: seat of the dealer.
        players: a name for each seat.
        decisions: all decisions, in order.
        outcome: `closed`, `exhausted` or `stalemate`.
        points: total of each side.
    """

    rules: Rules
    deck: str
    dealer: int
    players: tuple[str, ...]
    decisions: tuple[str, ...]
    outcome: str
    points: tuple[int, ...]

    def replay(self) -> Game:
        """Play the record and check it.

        Returns:
            The finished game.

        Raises:
            RecordError: it does not replay; `index` is the first wrong decision. A deal that is not
                over after the last decision, an outcome or points that differ are reported at the
                index behind the last decision.
        """
        try:
            game = Game.from_deck(self.rules, self.deck, self.dealer)
        except ValueError as error:
            raise RecordError(f"the deck cannot be dealt: {error}") from error
        for index, decision in enumerate(self.decisions):
            try:
                game.play(decision)
            except IllegalActionError as error:
                raise RecordError(str(error), index) from error
        end = len(self.decisions)
        if not game.is_over:
            raise RecordError("the decisions end before the deal is over", end)
        if game.outcome != self.outcome:
            raise RecordError(f"the outcome is {game.outcome}, not {self.outcome}", end)
        points = tuple(side["total"] for side in game.points())
        if points != self.points:
            raise RecordError(f"the points are {list(points)}, not {list(self.points)}", end)
        return game

    def to_json(self) -> dict[str, Any]:
        """The JSON object of notation.md."""
        return {
            "format": FORMAT,
            "rules": self.rules.to_json(),
            "deck": self.deck,
            "dealer": self.dealer,
            "players": list(self.players),
            "decisions": list(self.decisions),
            "outcome": self.outcome,
            "points": list(self.points),
        }

    @classmethod
    def from_json(cls, data: Any) -> Record:
        """A record from its JSON object; `replay` checks that it is sound.

        Raises:
            RecordError: not such an object; it names the key and what would be right.
        """
        if not isinstance(data, Mapping):
            raise RecordError(
                f"a record is an object with the keys {', '.join(_KEYS)}, not {data!r}"
            )
        wrong = [f"{key} is missing" for key in _KEYS if key not in data]
        wrong += [f"unknown key {key!r}" for key in data if key not in _KEYS]
        if wrong:
            raise RecordError("; ".join(wrong))
        if data["format"] != FORMAT:
            raise RecordError(f"format must be {FORMAT!r}, not {data['format']!r}")
        try:
            rules = Rules.from_json(data["rules"])
        except ValueError as error:
            raise RecordError(f"rules: {error}") from error
        players = _texts(data, "players")
        if len(players) != rules.seats:
            raise RecordError(f"players must name {rules.seats} seats, not {len(players)}")
        if not isinstance(data["deck"], str):
            raise RecordError(f"deck must be a text of cards, not {data['deck']!r}")
        points = data["points"]
        if not isinstance(points, list) or not all(type(value) is int for value in points):
            raise RecordError(f"points must be a list of whole numbers, not {points!r}")
        return cls(
            rules,
            data["deck"],
            data["dealer"],
            players,
            _texts(data, "decisions"),
            data["outcome"],
            tuple(points),
        )


def _texts(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = data[key]
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise RecordError(f"{key} must be a list of texts, not {value!r}")
    return tuple(value)


def dump_records(records: Iterable[Record], path: str | Path) -> int:
    """Write records as JSON Lines, one a line; returns their number."""
    count = 0
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        for record in records:
            file.write(json.dumps(record.to_json(), ensure_ascii=False) + "\n")
            count += 1
    return count


def load_records(path: str | Path) -> Iterator[Record]:
    """Read records from JSON Lines, one at a time; `Record.replay` checks each.

    Raises:
        RecordError: a line that is no record; it names the line.
    """
    with Path(path).open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    yield Record.from_json(json.loads(line))
                except (json.JSONDecodeError, RecordError) as error:
                    raise RecordError(f"line {number} of {path}: {error}") from error
