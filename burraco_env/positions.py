"""Positions as JSON objects with full information: writing, reading, checking.

Their form is that of notation.md "Position".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from burraco_env.actions import NUM_ACTIONS, all_texts, pending_text
from burraco_env.cards import (
    CARD_TEXTS,
    NUM_RANKS,
    NUM_SUITS,
    card_index,
    format_cards,
    format_counts,
    parse_cards,
)
from burraco_env.closing import may_close, wild_kinds
from burraco_env.engine import fill_deck, legal
from burraco_env.errors import CardError, PositionError, RulesError
from burraco_env.meld_texts import Meld, parse_meld, printed_cards
from burraco_env.melds import add_run, add_set, run_text, set_text
from burraco_env.pozzetti import can_refill
from burraco_env.rules import Rules
from burraco_env.state import (
    CLOSED,
    EXHAUSTED,
    MAX_CARDS,
    MAX_SIDES,
    NO_ACTION,
    NO_CARD,
    NOBODY,
    OUTCOMES,
    OVER_PHASE,
    PHASES,
    PLAY_PHASE,
    STALEMATE,
    WILD_PHASE,
    Game,
    new_games,
)

KEYS = (
    "rules", "dealer", "turn", "seat", "phase", "sides", "hands", "stock", "discard_pile",
    "pozzetti", "pozzetto_taken_by", "pozzetto_unplayed", "melds", "no_return", "must_meld",
    "pending", "outcome", "closed_by",
)  # fmt: skip
"""Keys of a position, all required."""


def write_position(rules: Rules, game: Game) -> dict[str, Any]:
    """The position of a game as the JSON object of notation.md."""
    sides = range(int(game["num_sides"]))
    no_return = int(game["no_return"])
    return {
        "rules": rules.to_json(),
        "dealer": int(game["dealer"]),
        "turn": int(game["turn"]),
        "seat": int(game["seat"]),
        "phase": PHASES[int(game["phase"])],
        "sides": [side_seats(game, side) for side in sides],
        "hands": [format_counts(game["hands"][seat]) for seat in range(rules.seats)],
        "stock": format_cards(game["stock"][: int(game["stock_size"])][::-1]),
        "discard_pile": format_cards(game["pile"][: int(game["pile_size"])]),
        "pozzetti": _pozzetto_texts(rules, game),
        "pozzetto_taken_by": [_or_none(int(game["taken_by"][side])) for side in sides],
        "pozzetto_unplayed": [bool(game["unplayed"][side]) for side in sides],
        "melds": [meld_texts(game, side) for side in sides],
        "no_return": CARD_TEXTS[no_return] if no_return >= 0 else None,
        "must_meld": bool(game["must_meld"]),
        "pending": pending_text(game),
        "outcome": OUTCOMES[int(game["outcome"])],
        "closed_by": _or_none(int(game["closed_by"])),
    }


def _or_none(seat: int) -> int | None:
    return None if seat == NOBODY else seat


def side_seats(game: Game, side: int) -> list[int]:
    """Seats of a side, ascending."""
    return [seat for seat in range(int(game["rules"]["seats"])) if game["side_of"][seat] == side]


def _pozzetto_texts(rules: Rules, game: Game) -> list[str]:
    texts = []
    for index in range(int(game["first_pozzetto"]), int(game["end_pozzetto"])):
        cards = [int(card) for card in game["pozzetti"][index][: rules.pozzetto_sizes[index]]]
        texts.append(format_cards(cards if rules.pozzetti_refill_stock else sorted(cards)))
    return texts


def meld_texts(game: Game, side: int) -> list[str]:
    """Texts of a side's melds in the order of notation.md."""
    runs = [
        run_text(suit, game["runs"][side, suit, slot])
        for suit in range(NUM_SUITS)
        for slot in range(int(game["num_runs"][side, suit]))
    ]
    sets = [
        set_text(rank, game["sets"][side, rank, slot])
        for rank in range(NUM_RANKS)
        for slot in range(int(game["num_sets"][side, rank]))
    ]
    return runs + sets


def read_position(position: Any) -> tuple[Rules, npt.NDArray[np.void]]:
    """The rules and the state (one record) of a position.

    What a position does not hold starts empty: cards known to be in a hand, earlier discards, match
    totals.

    Raises:
        PositionError: not such an object, or a position that cannot occur; it lists all that is
            wrong.
    """
    if not isinstance(position, Mapping):
        raise PositionError(
            [f"a position is an object with the keys {', '.join(KEYS)}, not {position!r}"]
        )
    missing = [key for key in KEYS if key not in position]
    unknown = [str(key) for key in position if key not in KEYS]
    problems = [f"the key {key!r} is missing" for key in missing]
    problems += [f"unknown key {key!r}; the keys are {', '.join(KEYS)}" for key in unknown]
    try:
        rules = Rules.from_json(position.get("rules"))
    except RulesError as error:
        raise PositionError([*problems, f"rules: {error}"]) from error
    if missing:
        raise PositionError(problems)
    reader = _Reader(position, rules)
    reader.read()
    problems += reader.problems
    if problems:
        raise PositionError(problems)
    return rules, reader.games


class _Reader:
    """Fills one game record from a position and collects everything that is wrong with it."""

    def __init__(self, position: Mapping[str, Any], rules: Rules) -> None:
        self.position = position
        self.rules = rules
        self.games = new_games(rules, 1)
        self.game = self.games[0]
        self.game["taken_by"][:] = NOBODY
        self.game["closed_by"] = NOBODY
        self.game["no_return"] = NO_CARD
        self.game["pending"] = NO_ACTION
        self.problems: list[str] = []
        self.cards: Counter[int] = Counter()
        self.unread = False  # some cards could not be read, so others may only seem to be missing

    def read(self) -> None:
        """Read all keys and check them; a check waits only for what it builds on."""
        self._read_scalars()
        self._read_sides()
        scalars_are_sound = not self.problems
        self._read_cards()
        self._read_pozzetti()
        self._read_melds()
        self._check_deck()
        if scalars_are_sound:
            self._check_turn()
            self._check_cards_of_the_turn()
            self._check_outcome()
        if not self.problems:
            self._lay_melds()
            self._read_pending()
        if not self.problems and self.game["phase"] != OVER_PHASE:
            self._check_decisions()

    def _say(self, problem: str) -> None:
        self.problems.append(problem)

    def _integer(self, key: str, low: int, high: int, nullable: bool = False) -> int:
        value = self.position[key]
        if nullable and value is None:
            return NOBODY
        if type(value) is not int or not low <= value <= high:
            self._say(
                f"{key} must be a whole number from {low} to {high}{' or null' * nullable}, "
                f"not {value!r}"
            )
            return low
        return value

    def _choice(self, key: str, choices: tuple[str | None, ...]) -> int:
        value = self.position[key]
        if value not in choices or not isinstance(value, str | None):
            names = ", ".join("null" if choice is None else choice for choice in choices)
            self._say(f"{key} must be one of {names}, not {value!r}")
            return 0
        return choices.index(value)

    def _list(self, key: str, length: int, what: str) -> list[Any]:
        value = self.position[key]
        if not isinstance(value, list | tuple) or len(value) != length:
            self._say(f"{key} must be a list of {length} ({what}), not {value!r}")
            self.unread = True
            return []
        return list(value)

    def _card_list(self, key: str, text: Any) -> list[int]:
        try:
            cards = parse_cards(text)
        except CardError as error:
            self._say(f"{key}: {error}")
            self.unread = True
            return []
        if len(cards) > MAX_CARDS:
            self._say(f"{key} holds {len(cards)} cards, more than any deck")
            self.unread = True
            return []
        self.cards.update(cards)
        return cards

    def _read_scalars(self) -> None:
        game, last_seat = self.game, self.rules.seats - 1
        game["dealer"] = self._integer("dealer", 0, last_seat)
        game["turn"] = self._integer("turn", 0, self.rules.max_turns)
        game["seat"] = self._integer("seat", 0, last_seat)
        game["phase"] = self._choice("phase", PHASES)
        game["outcome"] = self._choice("outcome", OUTCOMES)
        game["closed_by"] = self._integer("closed_by", 0, last_seat, nullable=True)
        must_meld = self.position["must_meld"]
        if type(must_meld) is not bool:
            self._say(f"must_meld must be true or false, not {must_meld!r}")
        game["must_meld"] = must_meld is True
        no_return = self.position["no_return"]
        if no_return is not None:
            try:
                game["no_return"] = card_index(no_return)
            except CardError as error:
                self._say(f"no_return: {error}")

    def _read_sides(self) -> None:
        game, seats = self.game, self.rules.seats
        if seats == 3:
            allowed = [[[0], [1], [2]]]
            if len(self.rules.pozzetto_sizes) < 3:
                allowed += [[[0], [1, 2]], [[1], [0, 2]], [[2], [0, 1]]]
        else:
            allowed = [[list(range(side, seats, 2)) for side in range(2)]]
        sides = self.position["sides"]
        if sides not in allowed:
            self._say(f"sides must be {' or '.join(map(str, allowed))}, not {sides!r}")
            sides = allowed[0]
        game["num_sides"] = len(sides)
        for side, members in enumerate(sides):
            for seat in members:
                game["side_of"][seat] = side

    def _read_cards(self) -> None:
        game = self.game
        for seat, text in enumerate(self._list("hands", self.rules.seats, "one text a seat")):
            cards = self._card_list(f"hand of seat {seat}", text)
            for card in cards:
                game["hands"][seat, card] += 1
            game["hand_sizes"][seat] = len(cards)
        for key, size, field in (
            ("stock", "stock_size", "stock"),
            ("discard_pile", "pile_size", "pile"),
        ):
            cards = self._card_list(key, self.position[key])
            game[size] = len(cards)
            game[field][: len(cards)] = cards[::-1] if key == "stock" else cards

    def _read_pozzetti(self) -> None:
        game, sizes = self.game, self.rules.pozzetto_sizes
        num_sides = int(game["num_sides"])
        taken = self._list("pozzetto_taken_by", num_sides, "a seat or null for each side")
        unplayed = self._list("pozzetto_unplayed", num_sides, "true or false for each side")
        for side, seat in enumerate(taken):
            if seat is not None and (type(seat) is not int or seat not in side_seats(game, side)):
                self._say(
                    f"pozzetto_taken_by of side {side} must be null or one of its seats, "
                    f"not {seat!r}"
                )
            elif seat is not None:
                game["taken_by"][side] = seat
        for side, flag in enumerate(unplayed):
            if type(flag) is not bool or (flag and side < len(taken) and taken[side] is None):
                self._say(
                    f"pozzetto_unplayed of side {side} must be true or false, "
                    f"true only if it took one, not {flag!r}"
                )
            game["unplayed"][side] = flag is True
        if self.rules.seats == 3 and len(sizes) < 3 and taken:
            if num_sides == 3 and any(seat is not None for seat in taken):
                self._say("a seat that took a pozzetto is the soloist, so there are two sides")
            if num_sides == 2 and taken[0] is None:
                self._say("the first side is the soloist, which took a pozzetto")
        self._read_untaken(sum(seat is not None for seat in taken))

    def _read_untaken(self, taken: int) -> None:
        game, sizes = self.game, self.rules.pozzetto_sizes
        pozzetti = self.position["pozzetti"]
        left = len(sizes) - taken
        if not isinstance(pozzetti, list | tuple):
            self._say(f"pozzetti must be a list of texts, not {pozzetti!r}")
            self.unread = True
            return
        if len(pozzetti) > left or (len(pozzetti) < left and not self.rules.pozzetti_refill_stock):
            self._say(
                f"{taken} of {len(sizes)} pozzetti are taken, so {max(left, 0)} must be left, "
                f"not {len(pozzetti)}"
            )
            self.unread = True
            return
        game["first_pozzetto"] = taken
        game["end_pozzetto"] = taken + len(pozzetti)
        for index, text in enumerate(pozzetti, start=taken):
            cards = self._card_list("pozzetti", text)
            if len(cards) != sizes[index]:
                self._say(f"pozzetto {index} must have {sizes[index]} cards, not {len(cards)}")
            else:
                game["pozzetti"][index][: len(cards)] = cards

    def _read_melds(self) -> None:
        num_sides = int(self.game["num_sides"])
        melds: list[list[Meld]] = [[] for _ in range(MAX_SIDES)]
        for side, texts in enumerate(
            self._list("melds", num_sides, "a list of melds for each side")
        ):
            if not isinstance(texts, list | tuple):
                self._say(f"melds of side {side} must be a list of texts, not {texts!r}")
                self.unread = True
                continue
            for text in texts:
                try:
                    meld = parse_meld(self.rules, text)
                except ValueError as error:
                    self._say(f"melds of side {side}: {error}")
                    self._count_cards_of_no_meld(text)
                    continue
                self.cards.update(meld.cards)
                melds[side].append(meld)
            self._check_sets(side, melds[side])
        self.melds = melds

    def _count_cards_of_no_meld(self, text: Any) -> None:
        try:
            self.cards.update(printed_cards(text))
        except ValueError:
            self.unread = True

    def _check_sets(self, side: int, melds: list[Meld]) -> None:
        if not self.rules.one_set_per_rank:
            return
        pair = self.rules.seats == 3 and len(side_seats(self.game, side)) == 2
        sets = Counter(meld.rank for meld in melds if not meld.is_run)
        for rank, count in sets.items():
            if count > (2 if pair else 1):  # each of a pair may have brought one (spec 9)
                self._say(
                    f"side {side} has {count} sets of one rank ({CARD_TEXTS[rank][0]}): "
                    "one_set_per_rank"
                )

    def _check_deck(self) -> None:
        deck = np.empty(MAX_CARDS, np.int8)
        full = Counter(int(card) for card in deck[: fill_deck(self.game, deck)])
        extra, lacking = self.cards - full, full - self.cards
        if extra:
            self._say(f"cards too many: {format_cards(sorted(extra.elements()))}")
        if lacking and not self.unread:
            self._say(f"cards missing: {format_cards(sorted(lacking.elements()))}")

    def _lay_melds(self) -> None:
        """Put the melds on the table; then a closing can be checked (spec 7)."""
        for side, melds in enumerate(self.melds):
            for meld in melds:
                if meld.is_run:
                    add_run(self.game, side, meld.suit, meld.row)
                else:
                    add_set(self.game, side, meld.rank, meld.row)
        closed_by = int(self.game["closed_by"])
        if closed_by >= 0 and not may_close(self.game, int(self.game["side_of"][closed_by])):
            self._say(
                f"seat {closed_by} cannot have closed without a burraco (burraco_to_close is "
                f"{self.rules.burraco_to_close!r}) and a pozzetto (pozzetto_to_close is "
                f"{self.rules.pozzetto_to_close!r})"
            )

    def _check_turn(self) -> None:
        game, seats = self.game, self.rules.seats
        over = game["phase"] == OVER_PHASE
        turn = int(game["turn"]) - (1 if over else 0)
        seat = (int(game["dealer"]) + 1 + turn) % seats
        if seat != game["seat"]:
            self._say(
                f"after {int(game['turn'])} turns with dealer {int(game['dealer'])} "
                f"the seat {'that moved last' if over else 'to act'} "
                f"is {seat}, not {int(game['seat'])}"
            )
        if not over and game["turn"] >= self.rules.max_turns:
            self._say(f"the deal is over after max_turns = {self.rules.max_turns} turns")

    def _check_cards_of_the_turn(self) -> None:
        if self.unread:
            return
        game, phase = self.game, int(self.game["phase"])
        if phase != OVER_PHASE:
            for seat in range(self.rules.seats):
                if game["hand_sizes"][seat] == 0:
                    self._say(f"the hand of seat {seat} is empty, and the deal is not over")
        playing = phase in (PLAY_PHASE, WILD_PHASE)
        if game["must_meld"] and not (
            playing and self.rules.pickup_needs_meld and game["pile_size"] == 0
        ):
            self._say(
                "must_meld is possible only in the play phase, "
                "after the pile was picked up under pickup_needs_meld"
            )
        no_return = int(game["no_return"])
        if no_return >= 0:
            if not playing or not (game["pile_size"] == 0 or self.rules.pickup_top):
                self._say(
                    "no_return is possible only in the play phase, "
                    "after a one-card pile or the top card was taken"
                )
            if game["hands"][int(game["seat"]), no_return] != 1:
                self._say(
                    f"the seat to act must hold the no_return card {CARD_TEXTS[no_return]} once"
                )

    def _check_outcome(self) -> None:
        game = self.game
        over, outcome = game["phase"] == OVER_PHASE, int(game["outcome"])
        if over != (outcome != 0):
            self._say(
                f"phase {PHASES[int(game['phase'])]} does not go with outcome {OUTCOMES[outcome]!r}"
            )
        closed_by = int(game["closed_by"])
        if (outcome == CLOSED) != (closed_by >= 0):
            self._say("closed_by is the seat that closed if the outcome is closed, else null")
        elif closed_by >= 0 and (closed_by != game["seat"] or game["hand_sizes"][closed_by] > 0):
            self._say("the seat that closed is the one that moved last, and its hand is empty")
        if outcome == EXHAUSTED and (
            game["stock_size"] > self.rules.dead_stock or can_refill(game)
        ):
            self._say(
                f"the deal is not exhausted with {int(game['stock_size'])} cards in the stock"
            )
        if outcome == STALEMATE and game["turn"] < self.rules.max_turns:
            self._say(
                f"a stalemate comes after max_turns = {self.rules.max_turns} turns, "
                f"not {int(game['turn'])}"
            )

    def _read_pending(self) -> None:
        game, pending = self.game, self.position["pending"]
        if game["phase"] != WILD_PHASE:
            if pending is not None:
                self._say(
                    f"pending must be null in phase {PHASES[int(game['phase'])]}, not {pending!r}"
                )
            return
        ids = np.zeros(NUM_ACTIONS, dtype=np.int16)
        game["phase"] = PLAY_PHASE
        legal_now = {int(action) for action in ids[: legal(game, ids)]}
        game["phase"] = WILD_PHASE
        action = all_texts(game).get(pending) if isinstance(pending, str) else None
        kinds = wild_kinds(game, action) if action in legal_now else 0
        if action is None or bin(kinds).count("1") < 2:
            self._say(
                "pending must be a legal decision for which several kinds of wild can be used, "
                f"not {pending!r}"
            )
        else:
            game["pending"] = action

    def _check_decisions(self) -> None:
        ids = np.zeros(NUM_ACTIONS, dtype=np.int16)
        if legal(self.game, ids) == 0:
            self._say("the seat to act has no legal decision")
