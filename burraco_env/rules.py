"""The `Rules` object and the presets (spec 11).

Every rule that differs between variants is a field here; a *preset* is a named set of values. To
add a variant, add an entry to `PRESETS`. To add a rule, add a field here, to `RULES_DTYPE` in
`state.py`, and read it in the kernel that concerns it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, SupportsIndex, TypeAlias

from burraco_env.cards import RANKS, SUITS
from burraco_env.errors import RulesError

Value: TypeAlias = bool | int | str | tuple[int, ...] | None

MAX_SEATS = 4
MAX_POZZETTI = 3
MAX_POZZETTO_SIZE = 32
MAX_TURNS = 10_000


def _field(default: Value, doc: str, spec: str) -> Any:
    return dataclasses.field(default=default, metadata={"doc": doc, "spec": spec})


@dataclass(frozen=True)
class Rules:
    """One rule set: immutable, checked when it is made, equal by value.

    Make one with `Rules.preset("italian", seats=4)`; keyword arguments override fields:
    `Rules.preset("italian", jokers=2)`. The metadata of each field (`doc`, `spec`) feeds the
    documentation.

    Raises:
        RulesError: a value of the wrong type or range, or fields that make no sense together. The
            message lists every fault.
    """

    preset_name: str = _field("italian", "preset that this rule set started from", "11")
    seats: int = _field(4, "number of seats: 4 (two pairs), 2, or 3 (section 9)", "2")
    ranks: str = _field(RANKS, "ranks in the deck", "1")
    suits: str = _field(SUITS, "suits in the deck", "1")
    copies: int = _field(2, "copies of each card: 1 or 2", "1")
    jokers: int = _field(4, "jokers in the deck: 0 to 4", "1")
    hand_size: int = _field(11, "cards dealt to each seat", "3")
    pozzetto_sizes: tuple[int, ...] = _field(
        (11, 11), "sizes of the pozzetti, first taken first", "3"
    )
    pickup_top: bool = _field(False, "the top card of the pile may be taken alone", "4")
    pickup_needs_meld: bool = _field(
        False, "a pick-up obliges to meld or lay off in that turn", "4"
    )
    ace_both_ends: bool = _field(False, "natural aces may fill both places 1 and 14 of a run", "5")
    natural_two_needs_three: bool = _field(
        False, "a two is natural only below a natural three", "5"
    )
    wild_slides: bool = _field(False, "a wild at an end of a run may slide to the other end", "5")
    two_may_turn_wild: bool = _field(True, "a natural two may become the wild of its run", "5")
    set_ranks: str = _field("A3456789TJQK", "ranks that may form sets", "5")
    one_set_per_rank: bool = _field(True, "a side has at most one set of a rank", "5")
    pozzetti_refill_stock: bool = _field(False, "an untaken pozzetto refills an empty stock", "6")
    dead_stock: int = _field(2, "cards of the stock that are not played", "7")
    burraco_to_close: str = _field("any", "burraco needed to close: any or clean", "7")
    pozzetto_to_close: str = _field(
        "always", "pozzetto needed to close: always or unless_none_left", "7"
    )
    wild_final_discard: bool = _field(False, "the closing discard may be a joker or a two", "7")
    max_turns: int = _field(400, "turns after which a deal ends as a stalemate", "7")
    burraco_size: int = _field(7, "cards that make a meld a burraco", "8")
    semi_clean: bool = _field(True, "semi-clean burrachi score 150", "8")
    semi_clean_set_max: int = _field(8, "largest semi-clean set: 8 or 9 cards", "8")
    royal_run: str = _field("no", "bonus of the longest runs: no, fitab or reale", "8")
    super_set: bool = _field(False, "bonus of sets of eight naturals", "8")
    waive_pozzetto_penalty: bool = _field(True, "no penalty when no side took a pozzetto", "8")
    unplayed_pozzetto_penalty: int = _field(0, "points off for a pozzetto taken but unplayed", "8")
    match_target: int | None = _field(None, "points that end a match; None: no target", "10")
    match_target_inclusive: bool = _field(True, "the target is reached (>=), else passed (>)", "10")
    match_deals: int | None = _field(4, "deals of a match; None: no limit", "10")
    match_tie: str = _field("extra_deal", "tie at the end of a match: extra_deal or draw", "10")
    victory_points: bool = _field(True, "the match is scored in Victory Points", "10")
    match_three_pozzetti_at: int | None = _field(
        None, "three seats: from these points on three pozzetti of 11, no pairs", "11"
    )

    PRESET_NAMES: ClassVar[tuple[str, ...]]

    @classmethod
    def preset(cls, name: str = "italian", seats: int | None = None, **overrides: Any) -> Rules:
        """The rules of a preset, with some fields replaced.

        Args:
            name: one of `Rules.PRESET_NAMES`.
            seats: seat count; the default is the first that the preset allows.
            **overrides: any field but `preset_name` and `seats`.

        Raises:
            RulesError: unknown preset or field, a seat count that the preset does not have, or a
                bad value.
        """
        base = _preset_values(name, seats)
        unknown = sorted(set(overrides) - set(OVERRIDABLE))
        if unknown:
            raise RulesError(
                f"unknown rule{'s' if len(unknown) > 1 else ''} {', '.join(map(repr, unknown))}; "
                f"the fields of Rules are {', '.join(OVERRIDABLE)}"
            )
        base.update({name: _normalise(value) for name, value in overrides.items()})
        return cls(**base)

    @property
    def overrides(self) -> dict[str, Any]:
        """The fields that differ from the preset, as JSON values."""
        base = _preset_values(self.preset_name, self.seats)
        default = {f.name: base.get(f.name, f.default) for f in dataclasses.fields(self)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name in OVERRIDABLE
            if (value := getattr(self, name)) != default[name]
        }

    def to_json(self) -> dict[str, Any]:
        """The JSON object of notation.md: `{"preset", "seats", "overrides"}`."""
        return {"preset": self.preset_name, "seats": self.seats, "overrides": self.overrides}

    @classmethod
    def from_json(cls, data: Any) -> Rules:
        """Rules from the JSON object of notation.md; `seats` and `overrides` may be left out.

        Raises:
            RulesError: not such an object, or rules that cannot be used.
        """
        if not isinstance(data, Mapping):
            raise RulesError(f"rules must be an object with preset, seats, overrides; got {data!r}")
        unknown = sorted(map(str, set(data) - {"preset", "seats", "overrides"}))
        if unknown:
            raise RulesError(
                f"unknown keys of rules: {', '.join(unknown)}; known: preset, seats, overrides"
            )
        overrides = data.get("overrides") or {}
        if not isinstance(overrides, Mapping) or not all(isinstance(key, str) for key in overrides):
            raise RulesError(f"overrides must be an object of Rules fields; got {overrides!r}")
        return cls.preset(data.get("preset", "italian"), data.get("seats"), **overrides)

    @property
    def num_sides(self) -> int:
        """Sides at the start of a deal: 2, or 3 with three seats."""
        return 3 if self.seats == 3 else 2

    @property
    def num_cards(self) -> int:
        """Cards in the deck."""
        return len(self.ranks) * len(self.suits) * self.copies + self.jokers

    def check_seat(self, seat: Any, what: str = "seat") -> int:
        """The seat as a plain number.

        Raises:
            ValueError: there is no such seat; the message calls it `what`.
        """
        if (
            isinstance(seat, bool)
            or not isinstance(seat, SupportsIndex)
            or seat not in range(self.seats)
        ):
            raise ValueError(f"{what} must be a seat from 0 to {self.seats - 1}, not {seat!r}")
        return int(seat)

    def __post_init__(self) -> None:
        problems = _type_problems(self) or _value_problems(self)
        if problems:
            raise RulesError("; ".join(problems))


OVERRIDABLE: tuple[str, ...] = tuple(
    f.name for f in dataclasses.fields(Rules) if f.name not in ("preset_name", "seats")
)
"""Names of the fields that `overrides` may hold."""

_CHOICES: dict[str, tuple[str, ...]] = {
    "burraco_to_close": ("any", "clean"),
    "pozzetto_to_close": ("always", "unless_none_left"),
    "royal_run": ("no", "fitab", "reale"),
    "match_tie": ("extra_deal", "draw"),
}

_RANGES: dict[str, tuple[int, int]] = {
    "copies": (1, 2),
    "jokers": (0, 4),
    "hand_size": (1, 32),
    "dead_stock": (0, 40),
    "max_turns": (1, MAX_TURNS),
    "burraco_size": (3, 14),
    "semi_clean_set_max": (8, 9),
    "unplayed_pozzetto_penalty": (0, 1000),
    "match_target": (5, 63_500),
    "match_deals": (1, 127),
    "match_three_pozzetti_at": (5, 1_000_000),
}


def _normalise(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _type_problems(rules: Rules) -> list[str]:
    problems = []
    for field in dataclasses.fields(rules):
        value = getattr(rules, field.name)
        kind = str(field.type)
        if kind.startswith("tuple"):
            good = isinstance(value, tuple) and all(type(size) is int for size in value)
            wanted = "a list of whole numbers"
        elif kind.startswith("int"):
            good = type(value) is int or ("None" in kind and value is None)
            wanted = "a whole number" + (" or null" if "None" in kind else "")
        elif kind == "bool":
            good, wanted = type(value) is bool, "true or false"
        else:
            good, wanted = isinstance(value, str), "a text"
        if not good:
            problems.append(f"{field.name} must be {wanted}, not {value!r}")
    return problems


def _value_problems(rules: Rules) -> list[str]:
    problems = []
    for name, (low, high) in _RANGES.items():
        value = getattr(rules, name)
        if value is not None and not low <= value <= high:
            problems.append(f"{name} must be from {low} to {high}, not {value}")
    for name, choices in _CHOICES.items():
        if getattr(rules, name) not in choices:
            problems.append(
                f"{name} must be one of {', '.join(choices)}, not {getattr(rules, name)!r}"
            )
    for name, alphabet in (("ranks", RANKS), ("suits", SUITS), ("set_ranks", RANKS)):
        value = getattr(rules, name)
        if value != "".join(c for c in alphabet if c in value):
            problems.append(
                f"{name} must be different letters of {alphabet} in this order, not {value!r}"
            )
    if "2" in rules.set_ranks:
        problems.append("set_ranks must not hold 2: there are no sets of twos")
    if rules.seats not in _preset(rules.preset_name)["seats"]:
        problems.append(_seats_problem(rules.preset_name, rules.seats))
    return problems or _pozzetto_problems(rules) + _deck_problems(rules) + _match_problems(rules)


def _pozzetto_problems(rules: Rules) -> list[str]:
    problems = []
    sizes = rules.pozzetto_sizes
    if any(not 2 <= size <= MAX_POZZETTO_SIZE for size in sizes):
        problems.append(
            f"each pozzetto must have from 2 to {MAX_POZZETTO_SIZE} cards, not {list(sizes)}"
        )
    if len(sizes) > rules.num_sides:
        problems.append(
            f"a side takes one pozzetto, so {rules.num_sides} sides need {rules.num_sides} "
            f"at most, not {len(sizes)}"
        )
    if not sizes and rules.pozzetto_to_close == "always":
        problems.append(
            "without pozzetti nobody could close; set pozzetto_to_close to 'unless_none_left'"
        )
    return problems


def _deck_problems(rules: Rules) -> list[str]:
    dealt = rules.seats * rules.hand_size + sum(rules.pozzetto_sizes) + 1
    stock = rules.num_cards - dealt
    if stock <= rules.dead_stock:
        return [
            f"the deck of {rules.num_cards} cards is too small: "
            f"{dealt} are dealt (hands, pozzetti, upcard) "
            f"and more than dead_stock = {rules.dead_stock} must be left for the stock"
        ]
    return []


def _match_problems(rules: Rules) -> list[str]:
    problems = []
    if rules.match_target is None and rules.match_deals is None:
        problems.append("a match needs match_target or match_deals, both are null")
    if rules.victory_points and (
        rules.match_deals not in (3, 4) or rules.match_target is not None or rules.seats == 3
    ):
        problems.append(
            "victory_points needs two sides, match_deals 3 or 4 and match_target null; "
            "set victory_points to false for other matches"
        )
    if rules.match_three_pozzetti_at is not None and rules.seats != 3:
        problems.append("match_three_pozzetti_at is for three seats only")
    return problems


_RELAXED = {"one_set_per_rank": False, "waive_pozzetto_penalty": False, "semi_clean": False}
_TO_2005: dict[str, Value] = {"match_target": 2005, "match_deals": None, "victory_points": False}
_CHEAP_MATCH: dict[str, Value] = {"match_deals": 1, "victory_points": False}

PRESETS: dict[str, dict[str, Any]] = {
    "italian": {
        "seats": (4, 2, 3),
        "by_seats": {
            2: _TO_2005,
            3: {**_TO_2005, "match_target": 1505, "match_three_pozzetti_at": 1000},
        },
    },
    "rummyroyal": {
        "seats": (2,),
        "jokers": 2,
        "pickup_top": True,
        "natural_two_needs_three": True,
        "wild_slides": True,
        **_RELAXED,
        "pozzetti_refill_stock": True,
        "dead_stock": 0,
        "pozzetto_to_close": "unless_none_left",
        "wild_final_discard": True,
        **_CHEAP_MATCH,
    },
    "pairs-app": {
        "seats": (4,),
        "wild_slides": True,
        **_RELAXED,
        "dead_stock": 0,
        "match_tie": "draw",
        **_CHEAP_MATCH,
    },
    "clean-3000": {
        "seats": (4, 2),
        "ace_both_ends": True,
        "two_may_turn_wild": False,
        **_RELAXED,
        "burraco_to_close": "clean",
        "unplayed_pozzetto_penalty": 100,
        **_TO_2005,
        "match_target": 3000,
    },
    "coppie-2000": {
        "seats": (4, 2, 3),
        "jokers": 2,
        "two_may_turn_wild": False,
        **_RELAXED,
        **_TO_2005,
        "match_target": 2000,
        "match_target_inclusive": False,
    },
    "fitab": {
        "seats": (4, 2),
        "wild_slides": True,
        "semi_clean_set_max": 9,
        "royal_run": "fitab",
        "super_set": True,
        "waive_pozzetto_penalty": False,
    },
    "international": {
        "seats": (4, 2),
        "pickup_needs_meld": True,
        "set_ranks": "A3",
        "burraco_to_close": "clean",
        "semi_clean": False,
    },
    "reale": {
        "seats": (4, 2),
        "jokers": 0,
        "ace_both_ends": True,
        "wild_slides": True,
        "set_ranks": "",
        "burraco_to_close": "clean",
        "semi_clean": False,
        "royal_run": "reale",
        "waive_pozzetto_penalty": False,
        **_TO_2005,
    },
    "app-2005": {
        "seats": (4, 2),
        "wild_slides": True,
        "one_set_per_rank": False,
        "waive_pozzetto_penalty": False,
        **_TO_2005,
    },
    "mini": {
        "seats": (2,),
        "ranks": "A234567",
        "suits": "cd",
        "jokers": 1,
        "hand_size": 4,
        "pozzetto_sizes": (3, 3),
        "burraco_size": 4,
        **_TO_2005,
    },
}
"""Presets by name (spec 11).

`seats` lists the seat counts (default first), `by_seats` what differs with some of them, every
other key is a field that differs from `italian` with four seats.
"""

_THREE_SEATS: dict[str, Value] = {"pozzetto_sizes": (18, 11)}  # spec 9

Rules.PRESET_NAMES = tuple(PRESETS)


def seat_counts(name: str) -> tuple[int, ...]:
    """Seat counts that a preset allows, its default first."""
    return tuple(_preset(name)["seats"])


def _preset(name: str) -> dict[str, Any]:
    if not isinstance(name, str) or name not in PRESETS:
        raise RulesError(f"unknown preset {name!r}; the presets are {', '.join(PRESETS)}")
    return PRESETS[name]


def _seats_problem(name: str, seats: object) -> str:
    allowed = " or ".join(map(str, PRESETS[name]["seats"]))
    return f"preset {name} is for {allowed} seats, not {seats!r}"


def _preset_values(name: str, seats: int | None) -> dict[str, Any]:
    preset = _preset(name)
    if seats is None:
        seats = preset["seats"][0]
    if type(seats) is not int or seats not in preset["seats"]:
        raise RulesError(_seats_problem(name, seats))
    values = {key: value for key, value in preset.items() if key != "by_seats"}
    if seats == 3:
        values.update(_THREE_SEATS)
    values.update(preset.get("by_seats", {}).get(seats, {}))
    return {**values, "preset_name": name, "seats": seats}
