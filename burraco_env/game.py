"""`Game`: one deal, played and read as text (notation.md).

A facade: every rule is in the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from burraco_env import single
from burraco_env.actions import NUM_ACTIONS, action_text
from burraco_env.cards import NUM_CARDS, format_cards, parse_cards
from burraco_env.engine import deal, deal_deck, fill_deck
from burraco_env.errors import IllegalActionError, RecordError
from burraco_env.explanations import explain
from burraco_env.generator import generator_states
from burraco_env.observations import OBSERVATION_SIZE
from burraco_env.positions import read_position, side_seats, write_position
from burraco_env.rules import MAX_SEATS, Rules
from burraco_env.scoring import NUM_POINT_PARTS, points_table, seat_points
from burraco_env.state import MAX_CARDS, MAX_SIDES, OUTCOMES, OVER_PHASE, PHASES, new_games


class Game:
    """One deal of Burraco.

    Make one with `Game.deal`, `Game.from_deck` or `Game.from_position`. Decisions are texts of
    notation.md; each has an id of the action space too (`legal_ids`, `play_id`).
    """

    def __init__(self, rules: Rules, games: npt.NDArray[np.void], deck: str | None = None) -> None:
        """Wrap a state; use the class methods instead.

        Args:
            rules: the rules that the record holds.
            games: the state, one record of `GAME_DTYPE`, shape (1,); the game owns it.
            deck: the deck it was dealt from, if nothing was played yet.
        """
        self.rules = rules
        self.state = games
        self._game = games[0]
        self._deck = deck
        self._decisions: list[str] = []
        self._ids = np.zeros(NUM_ACTIONS, dtype=np.int16)
        self._count = -1  # number of legal ids in _ids; -1: not computed

    @classmethod
    def deal(cls, rules: Rules, seed: int | None = None, dealer: int | None = None) -> Game:
        """Shuffle and deal.

        Args:
            rules: the rules.
            seed: whole number >= 0; the same seed gives the same deal. None: drawn from the
                operating system.
            dealer: seat of the dealer; None: drawn from the seed too.

        Raises:
            ValueError: a seed or a dealer out of range.
        """
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        games = new_games(rules, 1)
        games["generator"] = generator_states(seed)
        deal(games[0], -1 if dealer is None else rules.check_seat(dealer, "dealer"))
        return cls(rules, games, deck_text(games))

    @classmethod
    def from_deck(cls, rules: Rules, deck: str, dealer: int) -> Game:
        """Deal a given deck.

        The text holds all its cards in the order in which they are dealt (notation.md "Record").

        Raises:
            CardError: a word of the text is no card.
            ValueError: not exactly the cards of the rules' deck, or no such dealer.
        """
        games = new_games(rules, 1)
        cards = np.array(parse_cards(deck), dtype=np.int8)
        full = np.zeros(MAX_CARDS, dtype=np.int8)
        wanted = np.bincount(full[: fill_deck(games[0], full)], minlength=NUM_CARDS)
        difference = np.bincount(cards, minlength=NUM_CARDS) - wanted
        if difference.any():
            extra = format_cards(np.repeat(np.arange(NUM_CARDS), np.maximum(difference, 0)))
            lacking = format_cards(np.repeat(np.arange(NUM_CARDS), np.maximum(-difference, 0)))
            raise ValueError(
                f"the deck must hold {rules.num_cards} cards; too many: {extra or 'none'}; "
                f"missing: {lacking or 'none'}"
            )
        deal_deck(games[0], cards, rules.check_seat(dealer, "dealer"))
        return cls(rules, games, format_cards(cards))

    @classmethod
    def from_position(cls, position: dict[str, Any]) -> Game:
        """The game at a position, the JSON object of notation.md.

        Raises:
            PositionError: a position that cannot occur; the message lists all that is wrong.
        """
        return cls(*read_position(position))

    @property
    def seat(self) -> int:
        """Seat to act; when the deal is over, the seat that moved last."""
        return int(self._game["seat"])

    @property
    def phase(self) -> str:
        """`draw`, `play`, `wild` or `over`."""
        return PHASES[int(self._game["phase"])]

    @property
    def is_over(self) -> bool:
        """Whether the deal has ended."""
        return bool(self._game["phase"] == OVER_PHASE)

    @property
    def turn(self) -> int:
        """Completed turns."""
        return int(self._game["turn"])

    @property
    def dealer(self) -> int:
        """Seat of the dealer."""
        return int(self._game["dealer"])

    @property
    def sides(self) -> list[list[int]]:
        """Seats of each side; with three seats the soloist's side first once there is one."""
        return [side_seats(self._game, side) for side in range(int(self._game["num_sides"]))]

    @property
    def outcome(self) -> str | None:
        """`closed`, `exhausted`, `stalemate`, or None while the deal goes on."""
        return OUTCOMES[int(self._game["outcome"])]

    @property
    def decisions(self) -> tuple[str, ...]:
        """The decisions played so far."""
        return tuple(self._decisions)

    @property
    def deck(self) -> str | None:
        """The deck, in the order of dealing; None for a game that began at a position."""
        return self._deck

    def legal_ids(self) -> npt.NDArray[np.int16]:
        """Ids of all legal decisions, int16[n]; empty when the deal is over."""
        if self._count < 0:
            self._count = single.legal(self.state, self._ids)
        return self._ids[: self._count].copy()

    def legal(self) -> list[str]:
        """Every legal decision, as text; empty when the deal is over."""
        return [action_text(self._game, action) for action in self.legal_ids()]

    def mask(self, seat: int | None = None) -> npt.NDArray[np.int8]:
        """Mask of a seat (default: the seat to act), int8[NUM_ACTIONS].

        It is all zero for a seat that is not to act.
        """
        mask = np.zeros(NUM_ACTIONS, dtype=np.int8)
        if seat is None or self.rules.check_seat(seat, "seat") == self.seat:
            mask[self.legal_ids()] = 1
        return mask

    def observation(self, seat: int | None = None) -> npt.NDArray[np.int8]:
        """What a seat (default: the seat to act) knows, int8[OBSERVATION_SIZE].

        `observations.describe` says it in words.
        """
        out = np.zeros(OBSERVATION_SIZE, dtype=np.int8)
        single.observe(
            self.state, self.seat if seat is None else self.rules.check_seat(seat, "seat"), out
        )
        return out

    def text(self, action: int) -> str:
        """Text of an id in this state.

        Raises:
            ValueError: no id, or a lay-off on a meld that is not there.
        """
        return action_text(self._game, action)

    def id(self, decision: str) -> int:
        """Id of a legal decision.

        Raises:
            IllegalActionError: it is not legal; the message says which rule forbids it.
        """
        text = decision.replace("10", "T") if isinstance(decision, str) else decision
        for action in self.legal_ids():
            if action_text(self._game, action) == text:
                return int(action)
        raise IllegalActionError(
            f"seat {self.seat} cannot {decision!r}: {explain(self.state, text)}; "
            f"legal: {', '.join(self.legal()) or 'nothing'}"
        )

    def play(self, decision: str) -> None:
        """Carry out a decision.

        Raises:
            IllegalActionError: it is not legal; the message says which rule forbids it. Nothing has
                changed.
        """
        self.play_id(self.id(decision))

    def play_id(self, action: int) -> None:
        """Carry out the decision with this id.

        Raises:
            IllegalActionError: it is not legal. Nothing has changed.
        """
        if action not in self.legal_ids():
            try:
                decision = action_text(self._game, action)
            except (ValueError, TypeError) as error:
                raise IllegalActionError(
                    f"{error}; legal: {', '.join(self.legal()) or 'nothing'}"
                ) from error
            self.id(decision)
        self._decisions.append(action_text(self._game, action))
        single.apply(self.state, int(action))
        self._count = -1

    def position(self) -> dict[str, Any]:
        """The full state as the JSON object of notation.md."""
        return write_position(self.rules, self._game)

    def points(self) -> list[dict[str, int]]:
        """The points of each side (spec 8).

        Returns:
            For each side `melds`, `bonuses`, `closing`, `hand` (<= 0), `pozzetto` (<= 0), `total`.

        Raises:
            ValueError: the deal is not over.
        """
        self._check_over()
        return points_table(self._game)

    def seat_points(self) -> list[float]:
        """The points that each seat is credited with; a pair of three halves its own (spec 9).

        Raises:
            ValueError: the deal is not over.
        """
        self._check_over()
        out = np.zeros(MAX_SEATS)
        seat_points(self._game, np.zeros((MAX_SIDES, NUM_POINT_PARTS), dtype=np.int64), out)
        return [float(points) for points in out[: self.rules.seats]]

    def _check_over(self) -> None:
        if not self.is_over:
            raise ValueError(
                "points are counted when the deal is over; "
                f"this is turn {self.turn}, phase {self.phase}"
            )

    def copy(self) -> Game:
        """An independent copy."""
        twin = Game(self.rules, single.copy(self.state), self._deck)
        twin._decisions = list(self._decisions)
        return twin

    def resample(self, seat: int, rng: np.random.Generator) -> Game:
        """A copy in which all that `seat` cannot see is redrawn, consistently with all it knows.

        All such redraws are equally likely.
        The copy has no deck and no decisions, since those would show what was hidden.

        Raises:
            ResampleError: no such redraw was found.
        """
        return Game(self.rules, single.resampled(self.state, self.rules.check_seat(seat), rng))

    def record(self, players: Sequence[str] | None = None) -> Any:
        """The record of this deal; `players` names each seat (default: `seat 0` ..).

        Raises:
            RecordError: the game began at a position, or is not over.
        """
        from burraco_env.records import Record

        if self._deck is None:
            raise RecordError("a game that did not begin with a deal has no record")
        if not self.is_over:
            raise RecordError("the deal is not over")
        names = (
            tuple(players)
            if players is not None
            else tuple(f"seat {seat}" for seat in range(self.rules.seats))
        )
        return Record(
            rules=self.rules,
            deck=self._deck,
            dealer=self.dealer,
            players=names,
            decisions=self.decisions,
            outcome=str(self.outcome),
            points=tuple(side["total"] for side in self.points()),
        )

    def __copy__(self) -> Game:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "rules": self.rules,
            "state": self.state,
            "deck": self._deck,
            "decisions": self._decisions,
        }

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__init__(saved["rules"], saved["state"], saved["deck"])  # type: ignore[misc]
        self._decisions = saved["decisions"]

    def __repr__(self) -> str:
        return (
            f"<Game {self.rules.preset_name}, {self.rules.seats} seats, turn {self.turn}, "
            f"seat {self.seat}, {self.phase}>"
        )


def deck_text(games: npt.NDArray[np.void]) -> str:
    """The deck of a game just dealt, read back from the table in the order of dealing."""
    # Hands are counts, so within a seat the order of its cards is free: the sorted one deals the
    # same hands.
    game, rules = games[0], games[0]["rules"]
    seats, dealer = int(rules["seats"]), int(game["dealer"])
    hands = [np.repeat(np.arange(NUM_CARDS), game["hands"][seat]) for seat in range(seats)]
    order = [(dealer + 1 + turn) % seats for turn in range(seats)]
    cards = [int(hands[seat][index]) for index in range(int(rules["hand_size"])) for seat in order]
    for pozzetto in range(int(rules["num_pozzetti"])):
        cards += [
            int(card)
            for card in game["pozzetti"][pozzetto][: int(rules["pozzetto_sizes"][pozzetto])]
        ]
    cards.append(int(game["pile"][0]))
    cards += [int(card) for card in game["stock"][: int(game["stock_size"])][::-1]]
    return format_cards(cards)
