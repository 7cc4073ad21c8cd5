"""Section 11 of the rules: the presets, their overrides, and what is refused.

The tables are typed by hand from the rules, not taken from the package.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from burraco_env import Rules, RulesError
from burraco_env.rules import OVERRIDABLE, seat_counts

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]

PRESETS = (
    "italian", "rummyroyal", "pairs-app", "clean-3000", "coppie-2000", "fitab", "international",
    "reale", "app-2005",
)  # fmt: skip
NO, YES = False, True
ALL = "A3456789TJQK"
TABLE: dict[str, tuple[Any, ...]] = {
    "seats": ((4, 2, 3), (2,), (4,), (4, 2), (4, 2, 3), (4, 2), (4, 2), (4, 2), (4, 2)),
    "jokers": (4, 2, 4, 4, 2, 4, 4, 0, 4),
    "pickup_top": (NO, YES, NO, NO, NO, NO, NO, NO, NO),
    "pickup_needs_meld": (NO, NO, NO, NO, NO, NO, YES, NO, NO),
    "ace_both_ends": (NO, NO, NO, YES, NO, NO, NO, YES, NO),
    "natural_two_needs_three": (NO, YES, NO, NO, NO, NO, NO, NO, NO),
    "wild_slides": (NO, YES, YES, NO, NO, YES, NO, YES, YES),
    "two_may_turn_wild": (YES, YES, YES, NO, NO, YES, YES, YES, YES),
    "set_ranks": (ALL, ALL, ALL, ALL, ALL, ALL, "A3", "", ALL),
    # reale: "-" in the table, since there are no sets; the value of italian stays
    "one_set_per_rank": (YES, NO, NO, NO, NO, YES, YES, YES, NO),
    "pozzetti_refill_stock": (NO, YES, NO, NO, NO, NO, NO, NO, NO),
    "dead_stock": (2, 0, 0, 2, 2, 2, 2, 2, 2),
    "burraco_to_close": ("any", "any", "any", "clean", "any", "any", "clean", "clean", "any"),
    "pozzetto_to_close": ("always", "unless_none_left", *["always"] * 7),
    "wild_final_discard": (NO, YES, NO, NO, NO, NO, NO, NO, NO),
    "semi_clean": (YES, NO, NO, NO, NO, YES, NO, NO, YES),
    "semi_clean_set_max": (8, 8, 8, 8, 8, 9, 8, 8, 8),
    "royal_run": ("no", "no", "no", "no", "no", "fitab", "no", "reale", "no"),
    "super_set": (NO, NO, NO, NO, NO, YES, NO, NO, NO),
    "waive_pozzetto_penalty": (YES, NO, NO, NO, NO, NO, YES, NO, NO),
    "unplayed_pozzetto_penalty": (0, 0, 0, 100, 0, 0, 0, 0, 0),
    "match_target": (None, None, None, 3000, 2000, None, None, 2005, 2005),
    "match_target_inclusive": (YES, YES, YES, YES, NO, YES, YES, YES, YES),
    "match_deals": (4, 1, 1, None, None, 4, 4, None, None),
    "match_tie": ("extra_deal", "extra_deal", "draw", *["extra_deal"] * 6),
    "victory_points": (YES, NO, NO, NO, NO, YES, YES, NO, NO),
}
"""Spec 11: a row a field, a column a preset with its default seats."""

ITALIAN: dict[str, Any] = {
    "ranks": "A23456789TJQK", "suits": "cdhs", "copies": 2, "jokers": 4, "hand_size": 11,
    "pozzetto_sizes": (11, 11), "pickup_top": False, "pickup_needs_meld": False,
    "ace_both_ends": False, "natural_two_needs_three": False, "wild_slides": False,
    "two_may_turn_wild": True, "set_ranks": "A3456789TJQK", "one_set_per_rank": True,
    "pozzetti_refill_stock": False, "dead_stock": 2, "burraco_to_close": "any",
    "pozzetto_to_close": "always", "wild_final_discard": False, "max_turns": 400,
    "burraco_size": 7, "semi_clean": True, "semi_clean_set_max": 8, "royal_run": "no",
    "super_set": False, "waive_pozzetto_penalty": True, "unplayed_pozzetto_penalty": 0,
    "match_target": None, "match_target_inclusive": True, "match_deals": 4,
    "match_tie": "extra_deal", "victory_points": True, "match_three_pozzetti_at": None,
}  # fmt: skip
"""Spec 11, "Field names and values"; the last field is the three-seat match of section 11."""

CELLS = [
    (preset, field, row[column])
    for field, row in TABLE.items()
    for column, preset in enumerate(PRESETS)
]
MINI = {
    "ranks": "A234567", "suits": "cd", "copies": 2, "jokers": 1, "hand_size": 4,
    "pozzetto_sizes": (3, 3), "burraco_size": 4,
}  # fmt: skip


def test_11_the_presets_are_those_of_the_table_and_mini() -> None:
    assert (*PRESETS, "mini") == Rules.PRESET_NAMES


@pytest.mark.parametrize(
    ("preset", "field", "value"), CELLS, ids=[f"{preset}-{field}" for preset, field, _ in CELLS]
)
def test_11_preset_cell(preset: str, field: str, value: Any) -> None:
    if field == "seats":
        assert seat_counts(preset) == value
        assert Rules.preset(preset).seats == value[0]
    else:
        for seats in seat_counts(preset):
            if not (field.startswith(("match", "victory")) and preset == "italian" and seats != 4):
                assert getattr(Rules.preset(preset, seats), field) == value


@pytest.mark.parametrize(("field", "value"), list(ITALIAN.items()), ids=list(ITALIAN))
def test_11_italian_field(field: str, value: Any) -> None:
    assert getattr(Rules.preset("italian"), field) == value


def test_11_italian_is_the_default_and_has_no_other_fields() -> None:
    assert Rules.preset() == Rules.preset("italian", 4) == Rules()
    assert set(ITALIAN) == set(OVERRIDABLE)


@pytest.mark.parametrize("preset", PRESETS)
def test_11_fields_that_no_row_of_the_table_names_are_as_in_italian(preset: str) -> None:
    for seats in seat_counts(preset):
        rules = Rules.preset(preset, seats)
        expected = ITALIAN | ({"pozzetto_sizes": (18, 11)} if seats == 3 else {})
        for field in set(ITALIAN) - set(TABLE) - {"match_three_pozzetti_at"}:
            assert getattr(rules, field) == expected[field]


@pytest.mark.parametrize(
    ("seats", "target", "deals", "vp", "three_pozzetti_at"),
    [(4, None, 4, True, None), (2, 2005, None, False, None), (3, 1505, None, False, 1000)],
)
def test_11_italian_match_of_each_seat_count(
    seats: int, target: int | None, deals: int | None, vp: bool, three_pozzetti_at: int | None
) -> None:
    rules = Rules.preset("italian", seats)
    assert rules.match_target == target
    assert rules.match_target_inclusive
    assert rules.match_deals == deals
    assert rules.victory_points == vp
    assert rules.match_three_pozzetti_at == three_pozzetti_at


def test_11_mini() -> None:
    rules = Rules.preset("mini")
    assert rules.seats == 2
    assert {field: getattr(rules, field) for field in MINI} == MINI
    match = ("match_target", "match_deals", "victory_points")  # those of italian with two seats
    assert [getattr(rules, field) for field in match] == [2005, None, False]
    for field in set(ITALIAN) - set(MINI) - set(match):
        assert getattr(rules, field) == ITALIAN[field]


@pytest.mark.parametrize(
    ("preset", "seats"),
    [(p, s) for p in (*PRESETS, "mini") for s in range(1, 7) if s not in seat_counts(p)],
)
def test_11_other_seat_counts_are_refused(preset: str, seats: int) -> None:
    with pytest.raises(RulesError, match=f"preset {preset} is for .* seats, not {seats}"):
        Rules.preset(preset, seats)


@pytest.mark.parametrize("seats", ["4", 4.0, True, [4]])
def test_11_seats_are_a_whole_number(seats: object) -> None:
    with pytest.raises(RulesError, match="preset italian is for 4 or 2 or 3 seats"):
        Rules.preset("italian", seats)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["Italian", "", None, 3])
def test_11_unknown_presets_are_refused_with_the_names_of_the_known_ones(name: object) -> None:
    with pytest.raises(RulesError, match=r"unknown preset .* the presets are italian, rummyroyal"):
        Rules.preset(name)  # type: ignore[arg-type]


def test_11_any_field_can_be_overridden() -> None:
    changed: dict[str, Any] = {
        "jokers": 3, "dead_stock": 0, "set_ranks": "K", "burraco_to_close": "clean",
        "pozzetto_sizes": (5, 5), "wild_slides": True, "royal_run": "fitab", "max_turns": 50,
    }  # fmt: skip
    rules = Rules.preset("italian", **changed)
    assert {field: getattr(rules, field) for field in changed} == changed
    assert rules.preset_name == "italian"


def test_11_overrides_are_the_fields_that_differ_from_the_preset() -> None:
    assert Rules.preset("fitab").overrides == {}
    assert Rules.preset("fitab", jokers=4).overrides == {}
    rules = Rules.preset("fitab", jokers=2, pozzetto_sizes=[9, 9])
    assert rules.overrides == {"jokers": 2, "pozzetto_sizes": [9, 9]}
    assert Rules.preset("italian", 3, pozzetto_sizes=[11, 11]).overrides == {
        "pozzetto_sizes": [11, 11]
    }


def test_11_rules_are_equal_by_value_and_immutable() -> None:
    one, other = Rules.preset("fitab", jokers=2), Rules.preset("fitab", jokers=2)
    assert one == other
    assert hash(one) == hash(other)
    assert one != Rules.preset("fitab")
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.jokers = 4  # type: ignore[misc]


@pytest.mark.parametrize("preset", [*PRESETS, "mini"])
def test_11_rules_go_to_json_and_back(preset: str) -> None:
    for seats in seat_counts(preset):
        for overrides in ({}, {"max_turns": 77, "pozzetto_sizes": [2, 2]}):
            rules = Rules.preset(preset, seats, **overrides)
            data = json.loads(json.dumps(rules.to_json()))
            assert data == {"preset": preset, "seats": seats, "overrides": overrides}
            assert Rules.from_json(data) == rules


def test_11_rules_from_json_may_leave_out_seats_and_overrides() -> None:
    assert Rules.from_json({"preset": "fitab"}) == Rules.preset("fitab")
    assert Rules.from_json({}) == Rules.preset("italian")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "must be an object with preset, seats, overrides"),
        ("italian", "must be an object with preset, seats, overrides"),
        ({"preset": "italian", "players": 4}, "unknown keys of rules: players"),
        ({"preset": "italian", "overrides": ["jokers"]}, "overrides must be an object"),
        ({"preset": "italian", "overrides": {"joker": 2}}, "unknown rule 'joker'"),
        ({"preset": "venetian"}, "unknown preset 'venetian'"),
    ],
)
def test_11_rules_from_other_json_are_refused(data: object, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules.from_json(data)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"joker": 2}, "unknown rule 'joker'; the fields of Rules are ranks, suits, copies"),
        ({"joker": 2, "decks": 2}, "unknown rules 'decks', 'joker'"),
        ({"seat": 2}, "unknown rule 'seat'"),
        ({"preset_name": "fitab"}, "unknown rule 'preset_name'"),
        ({"jokers": "4"}, "jokers must be a whole number, not '4'"),
        ({"jokers": 4.0}, "jokers must be a whole number, not 4.0"),
        ({"jokers": True}, "jokers must be a whole number, not True"),
        ({"jokers": None}, "jokers must be a whole number, not None"),
        ({"wild_slides": 1}, "wild_slides must be true or false, not 1"),
        ({"match_target": "2005"}, "match_target must be a whole number or null"),
        ({"pozzetto_sizes": 11}, "pozzetto_sizes must be a list of whole numbers, not 11"),
        ({"pozzetto_sizes": [11, "11"]}, "pozzetto_sizes must be a list of whole numbers"),
        ({"ranks": ["A"]}, "ranks must be a text"),
        ({"jokers": 5}, "jokers must be from 0 to 4, not 5"),
        ({"jokers": -1}, "jokers must be from 0 to 4, not -1"),
        ({"copies": 3}, "copies must be from 1 to 2, not 3"),
        ({"copies": 0}, "copies must be from 1 to 2, not 0"),
        ({"hand_size": 0}, "hand_size must be from 1 to"),
        ({"dead_stock": -1}, "dead_stock must be from 0 to"),
        ({"max_turns": 0}, "max_turns must be from 1 to"),
        ({"burraco_size": 2}, "burraco_size must be from 3 to 14, not 2"),
        ({"burraco_size": 15}, "burraco_size must be from 3 to 14, not 15"),
        ({"semi_clean_set_max": 7}, "semi_clean_set_max must be from 8 to 9, not 7"),
        ({"unplayed_pozzetto_penalty": -5}, "unplayed_pozzetto_penalty must be from 0"),
        ({"burraco_to_close": "dirty"}, "burraco_to_close must be one of any, clean, not 'dirty'"),
        ({"pozzetto_to_close": "never"}, "must be one of always, unless_none_left, not 'never'"),
        ({"royal_run": "yes"}, "royal_run must be one of no, fitab, reale, not 'yes'"),
        ({"match_tie": "split"}, "match_tie must be one of extra_deal, draw, not 'split'"),
        ({"ranks": "23A"}, "ranks must be different letters of A23456789TJQK in this order"),
        ({"ranks": "A22"}, "ranks must be different letters"),
        ({"ranks": "A1"}, "ranks must be different letters"),
        ({"suits": "dc"}, "suits must be different letters of cdhs in this order, not 'dc'"),
        ({"set_ranks": "A23"}, "set_ranks must not hold 2: there are no sets of twos"),
        ({"set_ranks": "3A"}, "set_ranks must be different letters"),
        ({"pozzetto_sizes": [11, 1]}, "each pozzetto must have from 2 to"),
        ({"pozzetto_sizes": [11, 0]}, "each pozzetto must have from 2 to"),
        ({"pozzetto_sizes": [5, 5, 5]}, "2 sides need 2 at most, not 3"),
        ({"pozzetto_sizes": []}, "without pozzetti nobody could close"),
        ({"hand_size": 22}, "the deck of 108 cards is too small"),
        ({"ranks": ""}, "the deck of 4 cards is too small: 67 are dealt"),
        ({"ranks": "A234567", "suits": "cd"}, "the deck of 32 cards is too small"),
        ({"dead_stock": 40, "jokers": 3}, "more than dead_stock = 40 must be left for the stock"),
        ({"match_deals": None, "victory_points": False},
         "a match needs match_target or match_deals, both are null"),
        ({"match_deals": 5}, "victory_points needs two sides, match_deals 3 or 4"),
        ({"match_deals": None}, "victory_points to false for other matches"),
        ({"match_target": 2005}, "victory_points needs two sides"),
        ({"match_three_pozzetti_at": 1000}, "match_three_pozzetti_at is for three seats only"),
    ],
)  # fmt: skip
def test_11_nonsense_is_refused_with_a_sentence(overrides: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules.preset("italian", **overrides)


def test_11_victory_points_need_two_sides() -> None:
    with pytest.raises(RulesError, match="victory_points needs two sides"):
        Rules.preset("italian", 3, victory_points=True, match_deals=4, match_target=None)


def test_11_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(RulesError) as caught:
        Rules.preset("italian", jokers=9, royal_run="yes", ranks="KA", set_ranks="2")
    for word in ("jokers", "royal_run", "ranks", "set_ranks"):
        assert word in str(caught.value)


def test_11_rules_are_checked_however_they_are_made() -> None:
    with pytest.raises(RulesError, match="preset rummyroyal is for 2 seats, not 4"):
        Rules(preset_name="rummyroyal")
    with pytest.raises(RulesError, match="unknown preset 'venetian'"):
        Rules(preset_name="venetian")
    with pytest.raises(RulesError, match="jokers must be from 0 to 4"):
        dataclasses.replace(Rules.preset("italian"), jokers=7)
