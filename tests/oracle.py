"""The rules of Burraco a second time: a slow, plain reference to compare the engine with.

Written from shared/rules/spec.md and shared/notation.md alone, to be read beside them; it shares
nothing with `burraco_env`. Cards are strings ("7h", "Jo"), a hand is a list of them, a decision is
its text. Places where the rules leave room are marked `# reading:`.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

# spec 1: cards
RANKS = "A23456789TJQK"
SUITS = "cdhs"
JOKER = "Jo"
WILDS = (JOKER, "2c", "2d", "2h", "2s")
CANONICAL = {card: i for i, card in enumerate([r + s for s in SUITS for r in RANKS] + [JOKER])}
POINTS = {card: 10 if card[0] in "KQJT98" else 5 for card in CANONICAL}
POINTS |= {"A" + suit: 15 for suit in SUITS} | {"2" + suit: 20 for suit in SUITS} | {JOKER: 30}

# spec 5: places 1..14, 1 = low ace, 14 = high ace
PLACES = range(1, 15)
RANK_AT = {place: (RANKS + "A")[place - 1] for place in PLACES}

# spec 11: the default preset; then what each other preset changes, a column of the table each
ITALIAN: dict[str, Any] = {
    "ranks": RANKS,
    "suits": SUITS,
    "copies": 2,
    "jokers": 4,
    "hand_size": 11,
    "pozzetto_sizes": [11, 11],
    "pickup_top": False,
    "pickup_needs_meld": False,
    "ace_both_ends": False,
    "natural_two_needs_three": False,
    "wild_slides": False,
    "two_may_turn_wild": True,
    "set_ranks": "A3456789TJQK",
    "one_set_per_rank": True,
    "pozzetti_refill_stock": False,
    "dead_stock": 2,
    "burraco_to_close": "any",
    "pozzetto_to_close": "always",
    "wild_final_discard": False,
    "max_turns": 400,
    "burraco_size": 7,
    "semi_clean": True,
    "semi_clean_set_max": 8,
    "royal_run": "no",
    "super_set": False,
    "waive_pozzetto_penalty": True,
    "unplayed_pozzetto_penalty": 0,
}
CHANGES: dict[str, dict[str, Any]] = {
    "italian": {},
    "rummyroyal": {
        "jokers": 2,
        "pickup_top": True,
        "natural_two_needs_three": True,
        "wild_slides": True,
        "one_set_per_rank": False,
        "pozzetti_refill_stock": True,
        "dead_stock": 0,
        "pozzetto_to_close": "unless_none_left",
        "wild_final_discard": True,
        "semi_clean": False,
        "waive_pozzetto_penalty": False,
    },
    "pairs-app": {
        "wild_slides": True,
        "one_set_per_rank": False,
        "dead_stock": 0,
        "semi_clean": False,
        "waive_pozzetto_penalty": False,
    },
    "clean-3000": {
        "ace_both_ends": True,
        "two_may_turn_wild": False,
        "one_set_per_rank": False,
        "burraco_to_close": "clean",
        "semi_clean": False,
        "waive_pozzetto_penalty": False,
        "unplayed_pozzetto_penalty": 100,
    },
    "coppie-2000": {
        "jokers": 2,
        "two_may_turn_wild": False,
        "one_set_per_rank": False,
        "semi_clean": False,
        "waive_pozzetto_penalty": False,
    },
    "fitab": {
        "wild_slides": True,
        "semi_clean_set_max": 9,
        "royal_run": "fitab",
        "super_set": True,
        "waive_pozzetto_penalty": False,
    },
    "international": {
        "pickup_needs_meld": True,
        "set_ranks": "A3",
        "burraco_to_close": "clean",
        "semi_clean": False,
    },
    "reale": {
        "jokers": 0,
        "ace_both_ends": True,
        "wild_slides": True,
        "set_ranks": "",
        "burraco_to_close": "clean",
        "semi_clean": False,
        "royal_run": "reale",
        "waive_pozzetto_penalty": False,
    },  # reading: one_set_per_rank "-" (there are no sets) is left as in italian
    "app-2005": {
        "wild_slides": True,
        "one_set_per_rank": False,
        "waive_pozzetto_penalty": False,
    },
    "mini": {
        "ranks": "A234567",
        "suits": "cd",
        "jokers": 1,
        "hand_size": 4,
        "pozzetto_sizes": [3, 3],
        "burraco_size": 4,
    },
}
SEATS = {
    "italian": (4, 2, 3),
    "rummyroyal": (2,),
    "pairs-app": (4,),
    "clean-3000": (4, 2),
    "coppie-2000": (4, 2, 3),
    "fitab": (4, 2),
    "international": (4, 2),
    "reale": (4, 2),
    "app-2005": (4, 2),
    "mini": (2,),
}
# spec 10: a deal does not depend on these; an override of them is only handed on
MATCH_FIELDS = {
    "match_target",
    "match_target_inclusive",
    "match_deals",
    "match_tie",
    "victory_points",
}


def parse_cards(text: str) -> list[str]:
    """The cards of a text such as "3h 10h Jo"; ValueError for a card that does not exist."""
    cards = text.replace("10", "T").split()
    for card in cards:
        if card not in CANONICAL:
            raise ValueError(f"{card!r} is no card")
    return cards


def in_order(cards: list[str]) -> list[str]:
    """The cards in the canonical order of notation.md."""
    return sorted(cards, key=CANONICAL.__getitem__)


class Rules:
    """The values of one rule set, from the JSON of notation.md, and the new runs they allow."""

    def __init__(self, rules: dict[str, Any]) -> None:
        self.preset, self.seats = rules["preset"], rules["seats"]
        if self.preset not in CHANGES:
            raise ValueError(f"{self.preset!r} is no preset; there are {', '.join(CHANGES)}")
        if self.seats not in SEATS[self.preset]:
            raise ValueError(f"{self.preset} has {SEATS[self.preset]} seats, not {self.seats}")
        values = ITALIAN | CHANGES[self.preset]
        if self.seats == 3:  # spec 9
            values["pozzetto_sizes"] = [18, 11]
        self.overrides = {}
        for field, value in rules.get("overrides", {}).items():
            if field not in values and field not in MATCH_FIELDS:
                raise ValueError(f"{field!r} is no field of the rules")
            if field in MATCH_FIELDS or value != values[field]:
                self.overrides[field] = value
        self.__dict__.update(values | self.overrides)

    @property
    def deck(self) -> list[str]:
        """spec 1: `copies` of each card of `ranks` x `suits`, and the jokers."""
        return [r + s for s in self.suits for r in self.ranks] * self.copies + [JOKER] * self.jokers

    def exists(self, place: int) -> bool:
        """spec 11: a place whose rank is not in the deck does not exist."""
        return place in PLACES and RANK_AT[place] in self.ranks

    @cached_property
    def three_card_runs(self) -> list[tuple[str, frozenset[str], str, int, int | None]]:
        """Each new run: text, naturals needed, suit, lowest place, place of the wild or None."""
        runs = []
        for suit in self.suits:
            for lo in range(1, 13):
                window = range(lo, lo + 3)
                if not all(map(self.exists, window)):
                    continue
                for wild in (None, *window):
                    fill = {p: JOKER if p == wild else RANK_AT[p] + suit for p in window}
                    if Run(self, suit, fill, wild).is_allowed:
                        written = [f"*({RANK_AT[p]}{suit})" if p == wild else fill[p] for p in fill]
                        needs = frozenset(fill[p] for p in window if p != wild)
                        runs.append(("meld " + "-".join(written), needs, suit, lo, wild))
        return runs


_rules: dict[str, Rules] = {}


def rules_from(rules: dict[str, Any]) -> Rules:
    """The Rules of a JSON object; equal objects share one."""
    key = json.dumps(rules, sort_keys=True)
    if key not in _rules:
        _rules[key] = Rules(rules)
    return _rules[key]


class Run:
    """Cards on consecutive places of one suit; never changed, a lay-off makes a new one."""

    def __init__(self, rules: Rules, suit: str, fill: dict[int, str], wild: int | None) -> None:
        """`fill` is the card at each place, `wild` the place of the wild."""
        if wild == 2 and fill[2] == "2" + suit:
            wild = None  # spec 5: a two of the run's suit in place 2 is natural, always
        self.rules, self.suit, self.wild = rules, suit, wild
        self.lo, self.hi = min(fill), max(fill)
        self.cards = tuple(fill[place] for place in range(self.lo, self.hi + 1))

    @property
    def has_wild(self) -> bool:
        return self.wild is not None

    @property
    def fill(self) -> dict[int, str]:
        """The card at each place."""
        return dict(zip(range(self.lo, self.hi + 1), self.cards, strict=True))

    def natural(self, place: int) -> str:
        """The card that is natural at a place of this run."""
        return RANK_AT[place] + self.suit

    @cached_property
    def text(self) -> str:
        """notation: from the lowest place to the highest, a wild with what it stands for."""
        return "-".join(
            f"{card}({self.natural(place)})" if place == self.wild else card
            for place, card in self.fill.items()
        )

    @property
    def listed(self) -> tuple[Any, ...]:
        """notation: runs first, by suit, lowest place, length, text."""
        return (0, SUITS.index(self.suit), self.lo, len(self.cards), self.text)

    @property
    def is_allowed(self) -> bool:
        """spec 5: the two rules about places that a variant can change."""
        both_aces = self.lo == 1 and self.hi == 14 and self.wild not in (1, 14)
        if both_aces and not self.rules.ace_both_ends:
            return False
        # With the run's wild in place 3 the two below it would be a second wild.
        two_without_three = self.lo <= 2 and self.wild == 3
        return not (two_without_three and self.rules.natural_two_needs_three)

    @cached_property
    def layoffs(self) -> list[tuple[str, dict[str, Run]]]:
        """Each lay-off as its text and the run that each card from the hand would make of it."""
        lo, hi, wild = self.lo, self.hi, self.wild
        # Each way: the place named by a suffix, the text without it, the runs it makes.
        ways: list[tuple[int | None, str, dict[str, Run]] | None] = []
        # spec 5, rule 1: a natural at lo-1 or hi+1
        ways += [self._with_natural(lo - 1, None), self._with_natural(hi + 1, None)]
        if wild is None:
            # rule 2: a wild at lo-1 or hi+1
            ways += [self._with_wild(lo - 1), self._with_wild(hi + 1)]
            # rule 5: the natural two turns wild
            if self.rules.two_may_turn_wild and lo == 2:
                ways.append(self._with_natural(hi + 2, hi + 1))
        else:
            # rule 3: replacement, the wild goes to lo-1 or hi+1
            ways += [self._with_natural(wild, lo - 1), self._with_natural(wild, hi + 1)]
            # rule 4: slide, the wild goes from its end into the gap beyond the other end
            if self.rules.wild_slides and wild == hi:
                ways.append(self._with_natural(lo - 2, lo - 1))
            if self.rules.wild_slides and wild == lo:
                ways.append(self._with_natural(hi + 2, hi + 1))
        return with_suffixes([way for way in ways if way is not None])

    def _with_natural(
        self, place: int, wild_to: int | None
    ) -> tuple[int | None, str, dict[str, Run]] | None:
        """The natural of `place` added; with `wild_to` the wild (or natural two) goes there."""
        fill, wild, end = self.fill, self.wild, ""
        if not self.rules.exists(place):
            return None
        card = self.natural(place)
        if wild_to is not None:
            if not self.rules.exists(wild_to):
                return None
            moved = fill.pop(2 if wild is None else wild)
            fill[wild_to], wild, end = moved, wild_to, f" wild={self.natural(wild_to)}"
        fill[place] = card
        run = Run(self.rules, self.suit, fill, wild)
        if not run.is_allowed:
            return None
        # notation: a suffix names the place of the natural ace that is added, else of the wild
        named = place if card[0] == "A" else wild_to
        return named, f"layoff {card} to {self.text}{end}", {card: run}

    def _with_wild(self, place: int) -> tuple[int | None, str, dict[str, Run]] | None:
        """A wild from the hand added at a free end of a run without one."""
        if not self.rules.exists(place):
            return None
        runs = {
            card: Run(self.rules, self.suit, self.fill | {place: card}, place)
            for card in WILDS
            if not (place == 2 and card == self.natural(2))  # that is rule 1
        }
        return place, f"layoff *({self.natural(place)}) to {self.text}", runs


def with_suffixes(
    ways: list[tuple[int | None, str, dict[str, Run]]],
) -> list[tuple[str, dict[str, Run]]]:
    """notation: ` at low` or ` at high` exactly when section 5 allows two results with one text."""
    # reading: section 7 does not count here, so the suffix stays when one of the two is stuck
    times = Counter(text for _, text, _ in ways)
    suffix = {1: " at low", 14: " at high"}
    return [(text + suffix[named] if times[text] > 1 else text, runs) for named, text, runs in ways]


class SetMeld:
    """Cards of one rank, perhaps with one wild; never changed, a lay-off makes a new one."""

    def __init__(self, rules: Rules, rank: str, naturals: list[str], wild: str | None) -> None:
        self.rules, self.rank, self.naturals, self.wild = rules, rank, in_order(naturals), wild
        self.cards = (*self.naturals, *([wild] if wild else []))

    @property
    def has_wild(self) -> bool:
        return self.wild is not None

    @cached_property
    def text(self) -> str:
        """notation: naturals in canonical order, then the wild without brackets."""
        return "-".join(self.cards)

    @property
    def listed(self) -> tuple[Any, ...]:
        """notation: sets after the runs, by rank, text."""
        return (1, RANKS.index(self.rank), self.text)

    @cached_property
    def layoffs(self) -> list[tuple[str, dict[str, SetMeld]]]:
        """spec 5: a natural of the rank (up to 8), or a wild if it has none."""
        rules, rank, naturals = self.rules, self.rank, self.naturals
        found = []
        if len(naturals) < 8:
            for card in (rank + suit for suit in rules.suits):
                grown = SetMeld(rules, rank, [*naturals, card], self.wild)
                found.append((f"layoff {card} to {self.text}", {card: grown}))
        if self.wild is None:
            grown_by = {card: SetMeld(rules, rank, naturals, card) for card in WILDS}
            found.append((f"layoff * to {self.text}", grown_by))
        return found


Meld = Run | SetMeld


def parse_meld(rules: Rules, text: str) -> Meld:
    """The meld that is written so."""
    written = text.replace("10", "T").split("-")
    if "(" not in text and written[0][0] == written[1][0]:  # a run never repeats a rank
        wild = written[-1] if written[-1] in WILDS else None
        return SetMeld(rules, written[0][0], written[:-1] if wild else written, wild)
    stands_for = [card[-3:-1] if "(" in card else card for card in written]
    lo = RANKS.index(stands_for[0][0]) + 1
    fill = {lo + i: card[:2] for i, card in enumerate(written)}
    places = [lo + i for i, card in enumerate(written) if "(" in card]
    run = Run(rules, stands_for[0][1], fill, places[0] if places else None)
    if len(places) > 1 or run.text != text.replace("10", "T"):
        raise ValueError(f"{text!r} is no meld")
    return run


def is_burraco(rules: Rules, meld: Meld) -> bool:
    """spec 8"""
    return len(meld.cards) >= rules.burraco_size


def bonus(rules: Rules, meld: Meld) -> int:
    """spec 8: the bonus of a burraco; 0 for a smaller meld, whatever it is."""
    if not is_burraco(rules, meld):
        return 0
    size = len(meld.cards)
    naturals = size - meld.has_wild
    if isinstance(meld, Run):
        # reading: royal runs and super sets are burrachi first, so burraco_size applies to them
        # reading: with ace_both_ends a run of 14 naturals is royal too, not less than one of 13
        if rules.royal_run == "fitab" and naturals >= 13:
            return 250 if meld.has_wild else 300
        if rules.royal_run == "reale" and not meld.has_wild and meld.lo == 1 and naturals >= 13:
            return {13: 500, 14: 1000}[naturals]
        semi_clean = meld.wild in (meld.lo, meld.hi) and naturals >= 7
    else:
        if rules.super_set and naturals == 8:
            return 200 if meld.has_wild else 250
        semi_clean = 8 <= size <= rules.semi_clean_set_max
    if not meld.has_wild:
        return 200
    return 150 if semi_clean and rules.semi_clean else 100


class Move(NamedTuple):
    """A meld or lay-off with its wild chosen."""

    cards: tuple[str, ...]  # what leaves the hand; a wild is the last of them
    old: Meld | None  # the meld that changes; None for a new one
    new: Meld  # what lies on the table afterwards


class Oracle:
    """One deal. `seat`, `phase` and the rest are the fields of a position in notation.md."""

    rules: Rules
    dealer: int
    turn: int
    seat: int
    phase: str
    sides: list[list[int]]
    hands: list[list[str]]
    stock: list[str]
    discard_pile: list[str]
    pozzetti: list[list[str]]
    pozzetto_taken_by: list[int | None]
    pozzetto_unplayed: list[bool]
    melds: list[list[Meld]]
    no_return: str | None
    must_meld: bool
    pending: str | None
    outcome: str | None
    closed_by: int | None

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)
        self._found: dict[str, list[Move]] | None = None

    @classmethod
    def deal(cls, rules: dict[str, Any], deck: str, dealer: int) -> Oracle:
        """A new deal from the whole deck, in the order it is dealt (notation: record)."""
        values = rules_from(rules)
        cards, seats = parse_cards(deck), values.seats
        if Counter(cards) != Counter(values.deck):
            raise ValueError("the deck is not that of the rules")
        if dealer not in range(seats):
            raise ValueError(f"there is no seat {dealer}")
        # spec 2
        sides = [[0, 2], [1, 3]] if seats == 4 else [[seat] for seat in range(seats)]
        # spec 3; notation: one card at a time, then each pozzetto in full, the upcard, the stock
        hands: list[list[str]] = [[] for _ in range(seats)]
        first = (dealer + 1) % seats
        for i in range(values.hand_size * seats):
            hands[(first + i) % seats].append(cards.pop(0))
        pozzetti = [[cards.pop(0) for _ in range(size)] for size in values.pozzetto_sizes]
        return cls(
            rules=values,
            dealer=dealer,
            turn=0,
            seat=first,
            phase="draw",
            sides=sides,
            hands=hands,
            discard_pile=[cards.pop(0)],
            pozzetti=pozzetti,
            stock=cards,
            pozzetto_taken_by=[None for _ in sides],
            pozzetto_unplayed=[False for _ in sides],
            melds=[[] for _ in sides],
            no_return=None,
            must_meld=False,
            pending=None,
            outcome=None,
            closed_by=None,
        )

    @classmethod
    def from_position(cls, position: dict[str, Any]) -> Oracle:
        """The deal at a position of notation.md."""
        rules = rules_from(position["rules"])
        return cls(
            rules=rules,
            dealer=position["dealer"],
            turn=position["turn"],
            seat=position["seat"],
            phase=position["phase"],
            sides=[list(side) for side in position["sides"]],
            hands=[parse_cards(hand) for hand in position["hands"]],
            stock=parse_cards(position["stock"]),
            discard_pile=parse_cards(position["discard_pile"]),
            pozzetti=[parse_cards(pozzetto) for pozzetto in position["pozzetti"]],
            pozzetto_taken_by=list(position["pozzetto_taken_by"]),
            pozzetto_unplayed=list(position["pozzetto_unplayed"]),
            melds=[[parse_meld(rules, text) for text in side] for side in position["melds"]],
            no_return=position["no_return"],
            must_meld=position["must_meld"],
            pending=position["pending"],
            outcome=position["outcome"],
            closed_by=position["closed_by"],
        )

    def position(self) -> dict[str, Any]:
        """The position as notation.md writes it."""
        rules = self.rules
        # A pozzetto that may become the stock has an order; another is a hand to be.
        pozzetti = self.pozzetti if rules.pozzetti_refill_stock else map(in_order, self.pozzetti)
        return {
            "rules": {
                "preset": rules.preset,
                "seats": rules.seats,
                "overrides": dict(rules.overrides),
            },
            "dealer": self.dealer,
            "turn": self.turn,
            "seat": self.seat,
            "phase": self.phase,
            "sides": [list(side) for side in self.sides],
            "hands": [" ".join(in_order(hand)) for hand in self.hands],
            "stock": " ".join(self.stock),
            "discard_pile": " ".join(self.discard_pile),
            "pozzetti": [" ".join(pozzetto) for pozzetto in pozzetti],
            "pozzetto_taken_by": list(self.pozzetto_taken_by),
            "pozzetto_unplayed": list(self.pozzetto_unplayed),
            "melds": [
                [meld.text for meld in sorted(melds, key=lambda meld: meld.listed)]
                for melds in self.melds
            ],
            "no_return": self.no_return,
            "must_meld": self.must_meld,
            "pending": self.pending,
            "outcome": self.outcome,
            "closed_by": self.closed_by,
        }

    def copy(self) -> Oracle:
        """The same deal, to be played on independently."""
        fields = {name: value for name, value in self.__dict__.items() if name != "_found"}
        for name in ("stock", "discard_pile", "pozzetto_taken_by", "pozzetto_unplayed"):
            fields[name] = list(fields[name])
        for name in ("sides", "hands", "pozzetti", "melds"):
            fields[name] = [list(part) for part in fields[name]]
        return Oracle(**fields)

    @property
    def is_over(self) -> bool:
        return self.phase == "over"

    def legal(self) -> list[str]:
        """Every legal decision as text, sorted; empty when the deal is over."""
        return sorted(self._decisions())

    def play(self, text: str) -> None:
        """Make a decision; ValueError if it is not legal."""
        text = text.replace("10", "T")
        decisions = self._decisions()
        if text not in decisions:
            raise ValueError(f"{text!r} is not legal here; legal: {', '.join(self.legal())}")
        self._found = None
        moves = decisions[text]
        verb, _, rest = text.partition(" ")
        if verb in ("draw", "pickup", "pickup-top"):
            self._take(verb)
        elif verb == "discard":
            self._discard(rest)
        elif len(moves) > 1:
            # notation: more than one kind of wild could be used, so the choice follows
            self.phase, self.pending = "wild", text
        else:
            self._lay(moves[0])

    def points(self) -> list[dict[str, int]]:
        """spec 8: the points of each side, by kind."""
        rules, points = self.rules, []
        nobody_took_one = all(seat is None for seat in self.pozzetto_taken_by)
        for i, side in enumerate(self.sides):
            took_one, melds = self.pozzetto_taken_by[i] is not None, self.melds[i]
            pozzetto = 0
            if not took_one and not (nobody_took_one and rules.waive_pozzetto_penalty):
                pozzetto -= 100
            if took_one and self.pozzetto_unplayed[i]:
                pozzetto -= rules.unplayed_pozzetto_penalty
            kinds = {
                "melds": sum(POINTS[card] for meld in melds for card in meld.cards),
                "bonuses": sum(bonus(rules, meld) for meld in melds),
                # A side that closes without a pozzetto (rummyroyal) gets nothing for it.
                "closing": 100 if self.closed_by in side and took_one else 0,
                "hand": -sum(POINTS[card] for seat in side for card in self.hands[seat]),
                "pozzetto": pozzetto,
            }
            points.append(kinds | {"total": sum(kinds.values())})
        return points

    def _decisions(self) -> dict[str, list[Move]]:
        """Each legal decision, a meld or lay-off with one move for each kind of wild it may use."""
        if self._found is None:
            if self.phase == "draw":
                self._found = {text: [] for text in self._draws()}
            elif self.phase == "play":
                self._found = {f"discard {card}": [] for card in self._discards()}
                for text, moves in self._options().items():
                    if moves := [move for move in moves if self._leads_on(move)]:
                        self._found[text] = moves
            elif self.phase == "wild":
                moves = self._options().get(self.pending or "", [])
                self._found = {f"wild {m.cards[-1]}": [m] for m in moves if self._leads_on(m)}
            else:
                self._found = {}
        return self._found

    def _draws(self) -> list[str]:
        """spec 4: the draw phase."""
        found = []
        if self.stock or self._can_refill():
            found.append("draw")
        for text in ("pickup", "pickup-top"):
            if self.discard_pile and (text == "pickup" or self.rules.pickup_top):
                # spec 7: never stuck. With pickup_needs_meld this asks for a legal meld or lay-off,
                # because nothing else is legal after such a pick-up.
                # reading: with pickup_top as well, a one-card pile that cannot be melded is still
                # offered as pickup-top, although spec 4 says that the two have the same effect
                after = self.copy()
                after._take(text)
                if after._discards() or after._decisions():  # the first is quicker to answer
                    found.append(text)
        return found

    def _discards(self) -> list[str]:
        """spec 4 and 7: the cards that may be discarded."""
        hand, side = self.hands[self.seat], self._side()
        if self.must_meld:
            return []
        cards = [card for card in set(hand) if card != self.no_return]
        if len(hand) > 1 or self._can_take_pozzetto():
            return cards
        # spec 7: the last card, and no pozzetto follows: it must close
        rules = self.rules
        none_left = rules.pozzetto_to_close == "unless_none_left" and not self.pozzetti
        if self.pozzetto_taken_by[side] is None and not none_left:
            return []
        clean = rules.burraco_to_close == "clean"
        if not any(is_burraco(rules, m) and not (clean and m.has_wild) for m in self.melds[side]):
            return []
        return [card for card in cards if rules.wild_final_discard or card not in WILDS]

    def _options(self) -> dict[str, list[Move]]:
        """Every meld and lay-off that section 5 allows with the hand, stuck afterwards or not."""
        have = Counter(self.hands[self.seat])
        wilds = [card for card in WILDS if card in have]
        return self._new_runs(have, wilds) | self._new_sets(have, wilds) | self._layoffs(have)

    def _new_runs(self, have: Counter[str], wilds: list[str]) -> dict[str, list[Move]]:
        """spec 5: new runs of three cards."""
        found = {}
        for text, needs, suit, lo, wild in self.rules.three_card_runs:
            if not needs <= have.keys():
                continue
            naturals = {p: RANK_AT[p] + suit for p in range(lo, lo + 3) if p != wild}
            cards = tuple(naturals.values())
            if wild is None:
                found[text] = [Move(cards, None, Run(self.rules, suit, naturals, None))]
                continue
            found[text] = [
                Move((*cards, card), None, Run(self.rules, suit, naturals | {wild: card}, wild))
                for card in wilds
                # A two that is natural in this run cannot be its wild: neither the same copy,
                # nor in place 2.
                if have[card] > cards.count(card) and not (wild == 2 and card == "2" + suit)
            ]
        return found

    def _new_sets(self, have: Counter[str], wilds: list[str]) -> dict[str, list[Move]]:
        """spec 5: new sets of three cards."""
        found = {}
        taken = {meld.rank for meld in self.melds[self._side()] if isinstance(meld, SetMeld)}
        for rank in self.rules.set_ranks:
            if rank == "2" or (self.rules.one_set_per_rank and rank in taken):
                continue
            # suit by suit, so that every combination is in canonical order
            cards = [rank + suit for suit in SUITS for _ in range(have[rank + suit])]
            for three in set(combinations(cards, 3)):
                new = SetMeld(self.rules, rank, list(three), None)
                found["meld " + "-".join(three)] = [Move(three, None, new)]
            for two in set(combinations(cards, 2)):
                found["meld " + "-".join(two) + "-*"] = [
                    Move((*two, card), None, SetMeld(self.rules, rank, list(two), card))
                    for card in wilds
                ]
        return found

    def _layoffs(self, have: Counter[str]) -> dict[str, list[Move]]:
        """spec 4 and 5: one card onto a meld of one's own side; twins are one target."""
        found = {}
        for meld in self.melds[self._side()]:
            for text, results in meld.layoffs:
                found[text] = [
                    Move((card,), meld, new) for card, new in results.items() if card in have
                ]
        return found

    def _leads_on(self, move: Move) -> bool:
        """spec 7: a meld or lay-off must lead to a position with a legal decision."""
        hand = self.hands[self.seat]
        left = len(hand) - len(move.cards)
        if left > 1 and left > hand.count(self.no_return):
            return True  # nothing is owed any more, so one of them can be discarded
        after = self.copy()
        after._lay(move)
        return bool(after._decisions())

    def _side(self) -> int:
        """The side of the seat to decide."""
        return next(i for i, side in enumerate(self.sides) if self.seat in side)

    def _can_take_pozzetto(self) -> bool:
        """spec 6: one pozzetto per side and deal, while one is left."""
        return bool(self.pozzetti) and self.pozzetto_taken_by[self._side()] is None

    def _can_refill(self) -> bool:
        """spec 6: rummyroyal."""
        return bool(self.rules.pozzetti_refill_stock and self.pozzetti)

    def _take(self, verb: str) -> None:
        """spec 4: the draw phase ends with more cards in the hand."""
        hand, self.phase = self.hands[self.seat], "play"
        if verb == "draw":
            if not self.stock:
                self.stock = self.pozzetti.pop()  # spec 6: the last one, in its order
            hand.append(self.stock.pop(0))
            return
        cards = self.discard_pile if verb == "pickup" else self.discard_pile[-1:]
        self.discard_pile = [] if verb == "pickup" else self.discard_pile[:-1]
        if len(cards) == 1 and cards[0] not in hand:
            self.no_return = cards[0]
        hand += cards
        self.must_meld = verb == "pickup" and self.rules.pickup_needs_meld

    def _lay(self, move: Move) -> None:
        """spec 4: the play phase."""
        hand, melds = self.hands[self.seat], self.melds[self._side()]
        for card in move.cards:
            hand.remove(card)
        if move.old is not None:
            melds.remove(move.old)
        melds.append(move.new)
        if self.no_return in move.cards:
            # spec 4: the ban ends as soon as the card leaves the hand
            # reading: any copy of it (play never leaves two in a hand that has the ban)
            self.no_return = None
        self.phase, self.pending, self.must_meld = "play", None, False
        self._pozzetto_is_played()
        if not hand and self._can_take_pozzetto():
            self._take_pozzetto()

    def _discard(self, card: str) -> None:
        """spec 4, 6 and 7: the discard, and the end of the turn or of the deal."""
        hand = self.hands[self.seat]
        hand.remove(card)
        self.discard_pile.append(card)
        self.no_return = None
        self._pozzetto_is_played()
        closes = not hand and not self._can_take_pozzetto()
        if not hand and not closes:
            self._take_pozzetto()
        self.turn += 1
        # spec 7: closed, then exhausted, then stalemate
        # reading: only here, so a deal that starts with a dead stock still has its first turn
        if closes:
            self.outcome, self.closed_by = "closed", self.seat
        elif len(self.stock) <= self.rules.dead_stock and not self._can_refill():
            self.outcome = "exhausted"
        elif self.turn >= self.rules.max_turns:
            self.outcome = "stalemate"
        if self.outcome is not None:
            self.phase = "over"
        else:
            self.seat, self.phase = (self.seat + 1) % self.rules.seats, "draw"

    def _pozzetto_is_played(self) -> None:
        """spec 8: the seat that took it has melded, laid off or discarded."""
        side = self._side()
        if self.pozzetto_taken_by[side] == self.seat:
            self.pozzetto_unplayed[side] = False

    def _take_pozzetto(self) -> None:
        """spec 6: the next one, at once; spec 9: the first of three seats to take one is alone."""
        seat = self.seat
        if len(self.sides) == 3 and len(self.rules.pozzetto_sizes) < 3:
            pair = [other for other in range(3) if other != seat]
            self.melds = [self.melds[seat], [meld for other in pair for meld in self.melds[other]]]
            self.sides = [[seat], pair]
            self.pozzetto_taken_by = [None, None]
            self.pozzetto_unplayed = [False, False]
        side = self._side()
        self.hands[seat] = self.pozzetti.pop(0)
        self.pozzetto_taken_by[side] = seat
        self.pozzetto_unplayed[side] = True
