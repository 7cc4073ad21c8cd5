"""Positions: impossible ones are refused with all that is wrong, possible ones go out and back.

Also the sentences that refuse an illegal decision: each names the rule, and nothing changes.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from burraco_env import Game, IllegalActionError, PositionError
from tests.play import GAME_IDS, GAMES, some_positions
from tests.positions import (
    ACE_TO_KING,
    CLEAN,
    DIRTY,
    SIX,
    TWO_TO_ACE,
    after,
    game,
    melds,
    position,
    refusal,
)

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]


def problems(place: Any) -> list[str]:
    """All that is wrong with a position."""
    with pytest.raises(PositionError, match=r"^impossible position: ") as caught:
        Game.from_position(place)
    assert str(caught.value) == "impossible position: " + "; ".join(caught.value.problems)
    return caught.value.problems


def problem(place: Any) -> str:
    """The one thing that is wrong with a position."""
    (only,) = problems(place)
    return only


BASE = position(hand="3c Kd", pile="9s Th")
"""A sound position: play phase, four seats, turn 8."""


@pytest.mark.parametrize("place", [None, "italian", 3, [BASE]])
def test_position_must_be_an_object(place: object) -> None:
    assert problem(place).startswith("a position is an object with the keys rules, dealer, turn")


@pytest.mark.parametrize("key", [key for key in BASE if key != "rules"])
def test_position_needs_every_key(key: str) -> None:
    place = {name: value for name, value in BASE.items() if name != key}
    assert problem(place) == f"the key {key!r} is missing"


def test_position_without_rules_says_so() -> None:
    place = {name: value for name, value in BASE.items() if name != "rules"}
    assert problems(place)[0] == "the key 'rules' is missing"


def test_position_has_no_other_keys() -> None:
    assert problem(BASE | {"hand": "3c"}).startswith("unknown key 'hand'; the keys are rules,")


def test_position_needs_rules_that_can_be_used() -> None:
    assert problem(BASE | {"rules": {"preset": "venetian"}}).startswith("rules: unknown preset")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"dealer": 4}, "dealer must be a whole number from 0 to 3, not 4"),
        ({"dealer": None}, "dealer must be a whole number from 0 to 3, not None"),
        ({"turn": -4}, "turn must be a whole number from 0 to 400, not -4"),
        ({"turn": 8.0}, "turn must be a whole number from 0 to 400, not 8.0"),
        ({"turn": 401}, "turn must be a whole number from 0 to 400, not 401"),
        ({"seat": "0"}, "seat must be a whole number from 0 to 3, not '0'"),
        ({"seat": False}, "seat must be a whole number from 0 to 3, not False"),
        ({"phase": "discard"}, "phase must be one of draw, play, wild, over, not 'discard'"),
        ({"phase": None}, "phase must be one of draw, play, wild, over, not None"),
        ({"phase": ["play"]}, "phase must be one of draw, play, wild, over, not ['play']"),
        (
            {"outcome": "won"},
            "outcome must be one of null, closed, exhausted, stalemate, not 'won'",
        ),
        ({"closed_by": 4}, "closed_by must be a whole number from 0 to 3 or null, not 4"),
        ({"must_meld": 0}, "must_meld must be true or false, not 0"),
        ({"must_meld": None}, "must_meld must be true or false, not None"),
        ({"sides": [[0, 1], [2, 3]]}, "sides must be [[0, 2], [1, 3]], not [[0, 1], [2, 3]]"),
        ({"sides": [[0], [1], [2], [3]]}, "sides must be [[0, 2], [1, 3]]"),
        ({"sides": None}, "sides must be [[0, 2], [1, 3]], not None"),
        ({"hands": BASE["hands"][:3]}, "hands must be a list of 4 (one text a seat), not ["),
        ({"hands": "3c Kd"}, "hands must be a list of 4 (one text a seat), not '3c Kd'"),
        ({"pozzetti": BASE["pozzetti"][:1]}, "0 of 2 pozzetti are taken, so 2 must be left, not 1"),
        ({"pozzetti": None}, "pozzetti must be a list of texts, not None"),
        ({"pozzetto_taken_by": [None]}, "pozzetto_taken_by must be a list of 2 (a seat or null"),
        ({"pozzetto_unplayed": False}, "pozzetto_unplayed must be a list of 2 (true or false for"),
        ({"pozzetto_unplayed": [True, False]}, "true only if it took one, not True"),
        ({"pozzetto_unplayed": [0, False]}, "pozzetto_unplayed of side 0 must be true or false"),
        ({"melds": [[]]}, "melds must be a list of 2 (a list of melds for each side), not [[]]"),
        ({"melds": [[], "5h-6h-7h"]}, "melds of side 1 must be a list of texts, not '5h-6h-7h'"),
        ({"pending": "meld 3h-4h-*(5h)"}, "pending must be null in phase play"),
        ({"dealer": 2}, "after 8 turns with dealer 2 the seat to act is 3, not 0"),
        ({"turn": 9}, "after 9 turns with dealer 3 the seat to act is 1, not 0"),
        ({"turn": 400}, "the deal is over after max_turns = 400 turns"),
        ({"must_meld": True}, "must_meld is possible only in the play phase, after the pile was"),
        ({"outcome": "exhausted"}, "phase play does not go with outcome 'exhausted'"),
        ({"closed_by": 0}, "closed_by is the seat that closed if the outcome is closed, else null"),
    ],
)
def test_position_fault(change: dict[str, Any], sentence: str) -> None:
    assert any(sentence in text for text in problems(BASE | change))


@pytest.mark.parametrize(
    ("key", "name"),
    [("stock", "stock"), ("discard_pile", "discard_pile")],
)
def test_position_lists_of_cards_are_texts_of_cards(key: str, name: str) -> None:
    assert problem(BASE | {key: "9s Xx"}).startswith(f"{name}: 'Xx' is no card")
    assert problem(BASE | {key: ["9s"]}).startswith(f"{name}: ['9s'] is no list of cards")
    assert problem(BASE | {key: " ".join(["9s"] * 113)}).startswith(f"{name} holds 113 cards")


def test_position_a_word_that_is_no_card_is_found_in_hands_and_pozzetti() -> None:
    hands = ["3c Kx", *BASE["hands"][1:]]
    assert problem(BASE | {"hands": hands}).startswith("hand of seat 0: 'Kx' is no card")
    pozzetti = [f"{BASE['pozzetti'][0]} 1h", BASE["pozzetti"][1]]
    assert problems(BASE | {"pozzetti": pozzetti})[0].startswith("pozzetti: '1h' is no card")


def test_position_a_pozzetto_has_its_size() -> None:
    short = BASE["pozzetti"][0].split()
    place = BASE | {
        "pozzetti": [" ".join(short[1:]), BASE["pozzetti"][1]],
        "stock": f"{BASE['stock']} {short[0]}",
    }
    assert problem(place) == "pozzetto 0 must have 11 cards, not 10"


@pytest.mark.parametrize(
    ("meld", "reason"),
    [
        (None, "None is no meld"),
        ("", "'' is no meld"),
        ("5h-6h", "a meld has three cards or more"),
        ("5h-6h-7x", "'7x' is no card"),
        ("5h-6h-8h", "not consecutive places of one suit"),
        ("5h-6h-7d", "not consecutive places of one suit"),
        ("7h-6h-5h", "from the lowest to the highest"),
        ("Kh-Ah-2h", "it goes beyond the high ace"),
        ("5h-6h-Jo", "a wild in a run says what it stands for, as in Jo(4h)"),
        ("5h-Jo(6h)-2s(7h)", "it has more than one wild"),
        ("5h-9s(6h)-7h", "9s is neither a joker nor a two"),
        ("2h(2h)-3h-4h", "the two of the suit is natural in place 2"),
        (ACE_TO_KING + "-Ah", "natural aces may not fill both ends (ace_both_ends)"),
        ("6c-6d-7h", "not of one rank, with one wild at most, written last"),
        ("6c-6d-Jo-2s", "not of one rank, with one wild at most, written last"),
        ("2c-2d-2h", "there are no sets of twos"),
        ("6c-6c-6c", "the deck has 2 copies of 6c"),
    ],
)
def test_position_a_text_that_is_no_meld(meld: Any, reason: str) -> None:
    first, *others = problems(BASE | {"melds": [[meld], []]})
    assert first.startswith("melds of side 0: ")
    assert reason in first
    assert all(other.startswith("cards too many: ") for other in others)  # those of the meld


@pytest.mark.parametrize(
    ("meld", "reason", "overrides"),
    [
        ("2h-Jo(3h)-4h", "natural_two_needs_three", {"natural_two_needs_three": True}),
        ("7c-7d-7h", "set_ranks is 'A3'", {"set_ranks": "A3"}),
        ("5h-6h-7h", "it has places that are not in the deck", {"ranks": "A2345789TJQK"}),
        ("5h-Jo(6h)-7h", "it has places that are not in the deck", {"ranks": "A2345789TJQK"}),
    ],
)
def test_position_a_meld_that_the_rules_do_not_allow(
    meld: str, reason: str, overrides: dict[str, Any]
) -> None:
    place = position(hand="3c Kd", **overrides)
    first, *others = problems(place | {"melds": [[meld], []]})
    assert reason in first
    assert all(other.startswith("cards too many: ") for other in others)


def test_position_one_set_per_rank() -> None:
    place = position(hand="3c Kd", melds=["6c-6d-6h", "6d-6h-6s"])
    assert problem(place) == "side 0 has 2 sets of one rank (6): one_set_per_rank"
    game(hand="3c Kd", melds=["6c-6d-6h"], opponents=["6d-6h-6s"])
    game(hand="3c Kd", melds=["6c-6d-6h", "6d-6h-6s"], one_set_per_rank=False)


def test_position_one_set_per_rank_of_a_pair_each_may_have_brought_one() -> None:
    named = {"seats": 3, "hand": "3c Kd", "taken": (0,), "soloist": 0}
    game(**named, opponents=["6c-6d-6h", "6d-6h-6s"])
    place = position(**named, opponents=["6c-6d-Jo", "6c-6d-2s", "6h-6h-6s"])
    assert problem(place) == "side 1 has 3 sets of one rank (6): one_set_per_rank"


def test_position_has_exactly_the_cards_of_the_deck() -> None:
    stock = BASE["stock"].split()
    first = stock[0]
    lacking = problem(BASE | {"stock": " ".join(stock[1:])})
    assert lacking == f"cards missing: {first}"
    extra = problem(BASE | {"stock": f"{BASE['stock']} Jo"})
    assert extra == "cards too many: Jo"
    both = problems(BASE | {"stock": " ".join(["Kd", "Jo", *stock[1:]])})
    assert both == ["cards too many: Kd Jo", f"cards missing: {first}"]


def test_position_a_seat_that_took_a_pozzetto_is_of_that_side() -> None:
    place = position(hand="3c Kd", taken=(0,))
    wrong = problems(place | {"pozzetto_taken_by": [1, None]})
    assert "pozzetto_taken_by of side 0 must be null or one of its seats, not 1" in wrong


def test_position_no_seat_has_an_empty_hand_while_the_deal_goes_on() -> None:
    place = position(hand="3c Kd", hands={1: "", 3: ""})
    assert problems(place) == [
        "the hand of seat 1 is empty, and the deal is not over",
        "the hand of seat 3 is empty, and the deal is not over",
    ]


def test_position_no_return_needs_the_card_once_and_an_empty_pile() -> None:
    place = position(hand="3c Kd", no_return="Kd")
    assert "must hold the no_return card Qd once" in problem(place | {"no_return": "Qd"})
    twice = position(hand="Kd Kd 3c", no_return="Kd")
    assert "must hold the no_return card Kd once" in problem(twice)
    piled = position(hand="3c Kd", no_return="Kd", pile="9s")
    assert "after a one-card pile or the top card was taken" in problem(piled)
    assert "no_return: 'Kx' is no card" in problem(place | {"no_return": "Kx"})[:40]
    game("rummyroyal", hand="3c Kd", no_return="Kd", pile="9s")


def test_position_no_return_and_must_meld_belong_to_the_play_phase() -> None:
    drawing = position("international", hand="3c Kd", phase="draw", pile="9s")
    wrong = problems(drawing | {"no_return": "Kd", "must_meld": True})
    assert len(wrong) == 2
    assert all("only in the play phase" in text for text in wrong)


def test_position_over_and_outcome_go_together() -> None:
    over = position(hand="3c", outcome="exhausted", stock=2)
    assert problem(over | {"outcome": None}) == "phase over does not go with outcome None"
    closed = position(hand="", melds=[CLEAN], taken=(0,), outcome="closed")
    assert "closed_by is the seat that closed" in problem(closed | {"closed_by": None})
    assert "is the one that moved last, and its hand is empty" in problem(closed | {"closed_by": 2})
    holding = position(hand="3c", melds=[CLEAN], taken=(0,), outcome="closed")
    assert "is the one that moved last, and its hand is empty" in problem(holding)


def test_position_over_the_seat_is_the_one_that_moved_last() -> None:
    over = position(hand="3c", outcome="exhausted", stock=2, turn=8)
    wrong = problem(over | {"turn": 9})
    assert wrong == "after 9 turns with dealer 0 the seat that moved last is 1, not 0"


def test_position_exhausted_and_stalemate_have_their_reason() -> None:
    full = position(hand="3c", outcome="exhausted")
    assert "the deal is not exhausted with" in problem(full)
    refill = position("rummyroyal", hand="3c", outcome="exhausted", stock="")
    assert problem(refill) == "the deal is not exhausted with 0 cards in the stock"
    early = position(hand="3c", outcome="stalemate", turn=8)
    assert problem(early) == "a stalemate comes after max_turns = 400 turns, not 8"


def test_position_wild_phase_needs_a_decision_whose_wild_is_open() -> None:
    named = {"hand": "7h 8h Jo 2s Kc", "phase": "wild", "pending": "meld 7h-8h-*(9h)"}
    game(**named)
    for pending in (None, 3, "draw", "meld 7h-8h-9h", "meld 3h-4h-*(5h)"):
        assert "several kinds of wild" in problem(position(**named) | {"pending": pending})


@pytest.mark.parametrize(
    "named",
    [
        {"hand": "Jo", "taken": (0,), "melds": [CLEAN]},
        {"hand": "Kc", "taken": (0,), "melds": [SIX]},
        {"hand": "Kc Qd", "preset": "international", "must_meld": True},
        {"hand": "Kc", "phase": "draw", "stock": "", "pile": ""},
    ],
)
def test_position_the_seat_to_act_has_a_legal_decision(named: dict[str, Any]) -> None:
    assert problem(position(**named)) == "the seat to act has no legal decision"


def test_position_sides_with_three_seats() -> None:
    alone = position(seats=3, hand="3c Kd")
    pair = position(seats=3, hand="3c Kd", taken=(0,), soloist=0)
    assert "sides must be [[0], [1], [2]] or [[0], [1, 2]] or [[1], [0, 2]] or" in problem(
        alone | {"sides": [[0, 1], [2], []]}
    )
    wrong = problems(alone | {"pozzetto_taken_by": [1, None, None]})
    assert any("must be null or one of its seats" in text for text in wrong)
    early = problems(alone | {"pozzetto_taken_by": [0, None, None]})
    assert "a seat that took a pozzetto is the soloist, so there are two sides" in early
    late = problems(pair | {"pozzetto_taken_by": [None, None]})
    assert "the first side is the soloist, which took a pozzetto" in late
    three = position(seats=3, hand="3c Kd", pozzetto_sizes=[11, 11, 11])
    assert problems(three | {"sides": [[0], [1, 2]]})[0].startswith(
        "sides must be [[0], [1], [2]], not"
    )


def test_position_all_that_is_wrong_is_said_at_once() -> None:
    wrong = problems(
        BASE
        | {
            "dealer": 9,
            "phase": "playing",
            "must_meld": "no",
            "sides": [[0], [1]],
            "hands": ["3c 3x", *BASE["hands"][1:]],
            "pozzetti": BASE["pozzetti"][:1],
            "pozzetto_unplayed": [True, False],
            "melds": [["5h-6h-8h"], ["6c-6d"]],
            "winner": 0,
        }
    )
    found = (
        "unknown key 'winner'", "dealer must be", "phase must be", "must_meld must be",
        "sides must be", "'3x' is no card", "pozzetto_unplayed of side 0", "2 must be left, not 1",
        "'5h-6h-8h' is no run", "'6c-6d' is no meld", "cards too many: ",
    )  # fmt: skip
    assert len(wrong) == len(found)
    assert all(any(sentence in text for text in wrong) for sentence in found)


def test_position_all_that_is_wrong_with_the_turn_is_said_at_once() -> None:
    stock = BASE["stock"].split()
    wrong = problems(BASE | {"dealer": 1, "closed_by": 2, "stock": " ".join(stock[1:])})
    found = ("cards missing", "the seat to act is 2, not 0", "closed_by is the seat that closed")
    assert [any(sentence in text for text in wrong) for sentence in found] == [True] * 3


def test_position_a_card_too_many_a_bad_meld_and_a_wrong_phase_are_said_at_once() -> None:
    wrong = problems(
        BASE | {"phase": "playing", "melds": [["5h-6h-8h"], []], "stock": f"{BASE['stock']} Jo"}
    )
    for sentence in ("phase must be one of", "'5h-6h-8h' is no run", "cards too many: 5h 6h 8h Jo"):
        assert any(sentence in text for text in wrong)


@pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)
def test_round_trip_of_positions_of_play(name: str, seats: int) -> None:
    for played in some_positions(name, seats, seed=11, every=9):
        place = played.position()
        again = Game.from_position(json.loads(json.dumps(place)))
        assert again.position() == place
        assert again.legal() == played.legal()
        assert (again.seat, again.phase, again.turn, again.dealer, again.sides) == (
            played.seat, played.phase, played.turn, played.dealer, played.sides,
        )  # fmt: skip
        if played.is_over:
            assert again.points() == played.points()
        else:
            decision = random.Random(1).choice(played.legal())
            assert after(again, decision).position() == after(played, decision).position()


@pytest.mark.parametrize(("preset", "seats"), [("rummyroyal", 2), ("italian", 3)])
def test_round_trip_with_overrides(preset: str, seats: int) -> None:
    overrides = {"max_turns": 99, "pozzetto_sizes": [7, 5]}
    place = game(preset, seats, hand="3c Kd", **overrides).position()
    assert place["rules"]["overrides"] == overrides
    assert Game.from_position(place).position() == place


def test_round_trip_the_order_of_cards_and_melds_is_free_and_comes_back_canonical() -> None:
    laid = ["9c-Tc-Jc", "3h-4h-5h", "3h-4h-5h-6h", "6h-7h-Jo(8h)", "Ac-Ad-Ah", "6c-6d-Jo"]
    place = game("app-2005", hand="3c Kd 2s Jo", melds=laid).position()
    mixed = place | {
        "hands": [" ".join(reversed(text.split())) for text in place["hands"]],
        "pozzetti": [" ".join(reversed(text.split())) for text in place["pozzetti"]],
        "melds": [list(reversed(side)) for side in place["melds"]],
    }
    assert mixed != place
    assert Game.from_position(mixed).position() == place


def test_round_trip_melds_are_listed_runs_first_then_sets() -> None:
    listed = [
        "9c-Tc-Jc", "3d-4d-5d", "3d-4d-5d-6d", "7d-8d-2s(9d)", "7d-8d-Jo(9d)", "3s-4s-5s",
        "Ac-Ad-Ah", "6c-6c-Jo", "6d-6h-2s", "Kc-Kd-Kh",
    ]  # fmt: skip
    assert melds(game("app-2005", hand="3c Kd", melds=listed[::-1])) == listed


def test_round_trip_a_pozzetto_keeps_its_order_only_where_it_may_become_the_stock() -> None:
    order = "Kc 3c Jo 9d 4h 5h 6s 7s 8s 9s Ts"
    kept = game("rummyroyal", hand="Qd Qh", pozzetti=[order, ""]).position()["pozzetti"][0]
    assert kept == order
    sorted_ = game(hand="Qd Qh", pozzetti=[order]).position()["pozzetti"][0]
    assert sorted_ == "3c Kc 9d 4h 5h 6s 7s 8s 9s Ts Jo"


def test_round_trip_twos_and_no_return() -> None:
    start = game(hand="2h 2s Kd", melds=["2h-2d(3h)-4h"], no_return="Kd")
    assert start.position()["no_return"] == "Kd"
    assert Game.from_position(start.position()).position() == start.position()


DRAWING = {"hand": "Kc 7d", "phase": "draw", "pile": "9s Th"}
CLOSING = {"taken": (0,), "melds": [CLEAN, "6d-7d-8d"]}
FAMILIES: list[tuple[str, dict[str, Any], str, str]] = [
    # what it is about, the position, the decision, the words that name the rule
    ("over", {"hand": "3c", "outcome": "exhausted", "stock": 2}, "draw", "the deal is over"),
    ("notation", {"hand": "3c Kd"}, "discard", "written like no decision; see notation.md"),
    ("draw phase", {"hand": "3c Kd"}, "draw", "it belongs to phase draw, and this is phase play"),
    ("play phase", DRAWING, "discard Kc", "it belongs to phase play, and this is phase draw"),
    ("wild phase", {"hand": "3c Kd"}, "wild Jo", "it belongs to phase wild"),
    ("which wild", {"hand": "7h 8h Jo 2s Kc", "phase": "wild", "pending": "meld 7h-8h-*(9h)"},
     "wild 2d", "the wild of 'meld 7h-8h-*(9h)' can be 2s or Jo (spec 5 and 7)"),
    ("stock", {**DRAWING, "stock": 0, "pile": None}, "draw", "there is no card to draw (spec 4)"),
    ("pile", {**DRAWING, "pile": ""}, "pickup", "the discard pile is empty (spec 4)"),
    ("pickup_top", DRAWING, "pickup-top", "the rule pickup_top forbids it"),
    ("pickup_needs_meld", {"preset": "international", **DRAWING}, "pickup",
     "the rule pickup_needs_meld forbids it"),
    ("must_meld", {"preset": "international", "hand": "5h 6h 7h Kc", "must_meld": True},
     "discard Kc", "a meld or lay-off is owed before the discard (pickup_needs_meld, spec 4)"),
    ("no return", {"hand": "3c Kd", "no_return": "Kd"}, "discard Kd",
     "Kd was the whole pile, or its top card taken alone, and may not be returned"),
    ("not held", {"hand": "3c Kd"}, "discard 9s", "seat 0 holds no 9s"),
    ("meld not held", {"hand": "3c Kd"}, "meld 5h-6h-7h", "does not hold the cards for it"),
    ("no wild held", {"hand": "5h 6h Kd"}, "meld 5h-6h-*(7h)", "does not hold the cards for it"),
    ("length", {"hand": "3h 4h 5h 6h Kd"}, "meld 3h-4h-5h-6h", "exactly three cards"),
    ("set order", {"hand": "6c 6d 6h Kd"}, "meld 6d-6c-6h", "in canonical order"),
    ("opponents' meld", {"hand": "8h Kd 3c", "opponents": ["5h-6h-7h"]},
     "layoff 8h to 5h-6h-7h", "onto a meld of one's own side, written as it is now"),
    ("ace_both_ends", {"hand": "Ah Kd 3c", "melds": [TWO_TO_ACE]}, f"layoff Ah to {TWO_TO_ACE}",
     "ace_both_ends"),
    ("natural_two_needs_three", {"preset": "rummyroyal", "hand": "2h 4h Jo Kd"},
     "meld 2h-*(3h)-4h", "the rule natural_two_needs_three forbids it"),
    ("natural_two_needs_three lay-off",
     {"preset": "rummyroyal", "hand": "2h Kd 3c", "melds": ["Jo(3h)-4h-5h"]},
     "layoff 2h to Jo(3h)-4h-5h", "natural_two_needs_three"),
    ("natural_two_needs_three slide",
     {"preset": "rummyroyal", "hand": "2h Kd 3c", "melds": ["4h-5h-Jo(6h)"]},
     "layoff 2h to 4h-5h-Jo(6h) wild=3h", "natural_two_needs_three"),
    ("wild_slides", {"hand": "3h Kd 3c", "melds": ["5h-6h-Jo(7h)"]},
     "layoff 3h to 5h-6h-Jo(7h) wild=4h", "wild_slides"),
    ("two_may_turn_wild", {"preset": "coppie-2000", "hand": "6h Kd 3c", "melds": ["2h-3h-4h"]},
     "layoff 6h to 2h-3h-4h wild=5h", "two_may_turn_wild"),
    ("set_ranks", {"preset": "reale", "hand": "6c 6d 6h Kd"}, "meld 6c-6d-6h",
     "the rule set_ranks forbids it"),
    ("one_set_per_rank", {"hand": "6c 6d 6h Kd", "melds": ["6d-6h-6s"]}, "meld 6c-6d-6h",
     "the rule one_set_per_rank forbids it"),
    ("empty hand", {"hand": "5h 6h 7h", "taken": (0,)}, "meld 5h-6h-7h",
     "no pozzetto can be taken, but a turn ends with a discard (spec 7)"),
    ("stuck, closing", {"hand": "9d Jo", **CLOSING}, "layoff 9d to 6d-7d-8d",
     "the card that would stay could not close, so the seat would be stuck (spec 7)"),
    ("stuck, pozzetto", {"hand": "9d Kc", "melds": ["6d-7d-8d"], "no_return": "Kc"},
     "layoff 9d to 6d-7d-8d", "the card that would stay could not be laid off or discarded"),
    ("lone wild", {"hand": "Jo", **CLOSING, "melds": ["6c-6d-6h", "5d-6d-7d"], "taken": (),
                   "no_return": "Jo"}, "discard Jo", "may not be returned in this turn (spec 4)"),
    ("no such joker", {"preset": "reale", "hand": "3c Kd"}, "discard Jo", "holds no Jo"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("named", "decision", "words"),
    [pytest.param(*rest, id=name) for name, *rest in FAMILIES],
)
def test_refusal_names_the_rule_and_changes_nothing(
    named: dict[str, Any], decision: str, words: str
) -> None:
    start = game(**named)
    sentence = refusal(start, decision)
    assert sentence.startswith(f"seat {start.seat} cannot {decision!r}: ")
    assert words in sentence


@pytest.mark.parametrize(
    ("card", "named", "words"),
    [
        ("Jo", {"melds": [CLEAN], "taken": (0,)}, "neither a joker nor a two, and Jo is one"),
        ("Kc", {"melds": [SIX], "taken": (0,)}, "the side has no burraco to close with (spec 7)"),
        ("Kc", {"melds": [DIRTY], "taken": (0,), "burraco_to_close": "clean"}, "no clean burraco"),
        ("Kc", {"melds": [CLEAN], "taken": (1,), "pozzetto_sizes": [11]}, "taken no pozzetto"),
    ],
)  # fmt: skip
def test_refusal_of_a_last_discard(card: str, named: dict[str, Any], words: str) -> None:
    # Nobody gets into such a position, so the second card is taken away behind the scenes.
    start = game(hand=f"{card} Qd", **named)
    queen = 13 + 11
    start.state["hands"][0, 0, queen] = 0
    start.state["hand_sizes"][0, 0] = 1
    assert words in refusal(Game(start.rules, start.state), f"discard {card}")


def test_refusal_lists_what_is_legal() -> None:
    with pytest.raises(IllegalActionError, match=r"legal: discard 3c, discard Kd$"):
        game(hand="3c Kd").play("draw")
    with pytest.raises(IllegalActionError, match=r"legal: nothing$"):
        game(hand="3c", outcome="exhausted", stock=2).play("draw")


@pytest.mark.parametrize("decision", [None, 7, ["draw"], b"draw"])
def test_refusal_of_what_is_no_text(decision: Any) -> None:
    with pytest.raises(IllegalActionError, match="a decision is a text such as 'draw', not"):
        game(hand="3c Kd").play(decision)


@pytest.mark.parametrize(
    ("action", "words"), [(-1, "-1 is no action"), (985, "985 is no action"), (0, "phase draw")]
)
def test_refusal_of_an_id(action: int, words: str) -> None:
    start = game(hand="3c Kd")
    before = start.state.tobytes()
    with pytest.raises(IllegalActionError, match=words):
        start.play_id(action)
    assert start.state.tobytes() == before
