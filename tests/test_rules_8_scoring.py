"""Section 8 of the rules: burrachi, their bonuses, and the points of a deal."""

from __future__ import annotations

from typing import Any

import pytest

from burraco_env import Game
from tests.positions import (
    ACE_TO_ACE,
    ACE_TO_KING,
    CLEAN,
    DIRTY,
    SEMI_CLEAN,
    SIX,
    TWO_TO_ACE,
    TWO_TO_KING,
    TWO_TO_QUEEN,
    after,
    game,
)

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]

SEVEN = "9c-9c-9d-9d-9h-9h-9s"
EIGHT = f"{SEVEN}-9s"
EIGHT_AND_WILD = f"{EIGHT}-Jo"
SEVEN_AND_WILD = f"{SEVEN}-Jo"


def finished(preset: str = "italian", **named: Any) -> Game:
    """A deal of two sides that is over, exhausted unless told otherwise."""
    return game(preset, **{"hand": "3c", "outcome": "exhausted", "stock": 2, **named})


def bonus(meld: str, preset: str = "italian", **overrides: Any) -> int:
    return finished(preset, melds=[meld], **overrides).points()[0]["bonuses"]


@pytest.mark.parametrize(
    ("meld", "points"),
    [
        (SIX, 0),
        (CLEAN, 200),
        (ACE_TO_KING, 200),
        ("2h-3h-4h-5h-6h-7h-8h", 200),  # the two is natural
        (SEVEN, 200),
        (EIGHT, 200),
        ("9c-9c-9d-9d-9h-9h", 0),
    ],
)
def test_8_burraco_clean(meld: str, points: int) -> None:
    assert bonus(meld) == points


@pytest.mark.parametrize(
    ("meld", "points"),
    [
        (SEMI_CLEAN, 150),
        ("2s(2h)-3h-4h-5h-6h-7h-8h-9h", 150),
        ("2h(4h)-5h-6h-7h-8h-9h-Th-Jh", 150),
        (f"{ACE_TO_KING}-Jo(Ah)", 150),
        (f"Jo(2h)-{CLEAN}-Th", 150),
        ("Jo(3h)-4h-5h-6h-7h-8h-9h", 100),  # six naturals
        ("3h-4h-5h-6h-7h-8h-Jo(9h)", 100),
        ("3h-Jo(4h)-5h-6h-7h-8h-9h-Th-Jh", 100),  # seven in a row, but the wild is inside
        (DIRTY, 100),
    ],
)
def test_8_burraco_semi_clean_run_a_wild_at_an_end_and_seven_naturals(
    meld: str, points: int
) -> None:
    assert bonus(meld) == points
    assert bonus(meld, semi_clean=False) == 100


@pytest.mark.parametrize(
    ("meld", "largest", "points"),
    [
        ("9c-9c-9d-9d-9h-9h-Jo", 8, 100),
        (SEVEN_AND_WILD, 8, 150),
        (EIGHT_AND_WILD, 8, 100),
        ("9c-9c-9d-9d-9h-9h-Jo", 9, 100),
        (SEVEN_AND_WILD, 9, 150),
        (EIGHT_AND_WILD, 9, 150),
    ],
)
def test_8_burraco_semi_clean_set_of_eight_or_nine_cards(
    meld: str, largest: int, points: int
) -> None:
    assert bonus(meld, semi_clean_set_max=largest) == points
    assert bonus(meld, semi_clean=False, semi_clean_set_max=largest) == 100


@pytest.mark.parametrize(
    ("meld", "size", "points"),
    [
        ("3h-4h-5h", 4, 0),
        ("3h-4h-5h-6h", 4, 200),
        ("3h-4h-5h-Jo(6h)", 4, 100),  # the seven naturals of a semi-clean run are literal
        (SEMI_CLEAN, 4, 150),
        ("9c-9d-9h-Jo", 4, 100),
        (SEVEN_AND_WILD, 4, 150),  # and so are the eight cards of a semi-clean set
        ("3h-4h-5h", 3, 200),
        (CLEAN, 8, 0),
        (SEMI_CLEAN, 9, 0),
        (SEMI_CLEAN, 8, 150),
        (EIGHT, 9, 0),
        (EIGHT_AND_WILD, 9, 100),
        (ACE_TO_KING, 14, 0),
    ],
)
def test_8_burraco_size(meld: str, size: int, points: int) -> None:
    assert bonus(meld, burraco_size=size) == points


@pytest.mark.parametrize(
    ("meld", "points"),
    [
        (ACE_TO_KING, 300),
        (TWO_TO_ACE, 300),
        (f"{ACE_TO_KING}-Jo(Ah)", 250),
        (f"Jo(Ah)-{TWO_TO_ACE}", 250),
        (TWO_TO_KING, 200),
        (f"{TWO_TO_KING}-Jo(Ah)", 150),  # twelve naturals and a wild
        (ACE_TO_KING.replace("7h", "Jo(7h)"), 100),
    ],
)
def test_8_royal_run_fitab(meld: str, points: int) -> None:
    assert bonus(meld, "fitab") == points


def test_8_royal_run_fitab_with_aces_at_both_ends() -> None:
    named = {"preset": "fitab", "ace_both_ends": True}
    assert bonus(ACE_TO_ACE, **named) == 300
    assert bonus(ACE_TO_ACE.replace("7h", "Jo(7h)"), **named) == 250


@pytest.mark.parametrize(
    ("meld", "points"),
    [
        (ACE_TO_KING, 500),
        (ACE_TO_ACE, 1000),
        (TWO_TO_ACE, 200),  # thirteen naturals, but not ace to king
        (TWO_TO_KING, 200),
        (f"{ACE_TO_KING}-2s(Ah)", 100),
        (ACE_TO_KING.replace("7h", "2h(7h)"), 100),
        (ACE_TO_ACE.replace("7h", "2h(7h)"), 100),
    ],
)
def test_8_royal_run_reale_nobile_and_reale(meld: str, points: int) -> None:
    assert bonus(meld, "reale") == points


@pytest.mark.parametrize("meld", [ACE_TO_KING, TWO_TO_ACE])
def test_8_royal_run_no(meld: str) -> None:
    assert bonus(meld) == 200


def test_8_royal_run_only_for_a_burraco() -> None:
    assert bonus(ACE_TO_KING, "fitab", burraco_size=14) == 0
    assert bonus(f"{ACE_TO_KING}-Jo(Ah)", "fitab", burraco_size=14) == 250
    assert bonus(ACE_TO_KING, "reale", burraco_size=14) == 0
    assert bonus(ACE_TO_ACE, "reale", burraco_size=14) == 1000


@pytest.mark.parametrize(
    ("meld", "points"),
    [(SEVEN, 200), (EIGHT, 250), (EIGHT_AND_WILD, 200), (SEVEN_AND_WILD, 150)],
)
def test_8_super_set(meld: str, points: int) -> None:
    assert bonus(meld, "fitab") == points


def test_8_super_set_is_a_rule_of_its_own() -> None:
    assert bonus(EIGHT, super_set=True) == 250
    assert bonus(EIGHT_AND_WILD, super_set=True) == 200
    assert bonus(EIGHT, "fitab", super_set=False) == 200
    assert bonus(EIGHT_AND_WILD, "fitab", super_set=False) == 150
    assert bonus(ACE_TO_KING, "fitab", super_set=False) == 300


def test_8_super_set_only_for_a_burraco() -> None:
    assert bonus(EIGHT, "fitab", burraco_size=9) == 0
    assert bonus(EIGHT_AND_WILD, "fitab", burraco_size=9) == 200


def test_8_points_are_the_sum_of_the_parts() -> None:
    hands = {1: "As", 2: "3c 2d", 3: "Kh"}
    finished_deal = finished(
        melds=[CLEAN, "6c-6d-Jo"], opponents=["Tc-Jc-Qc"], taken=(0,), hands=hands
    )
    parts = ("melds", "bonuses", "closing", "hand", "pozzetto", "total")
    expected = [(45 + 40, 200, 0, -5 - 25, 0, 255), (30, 0, 0, -25, -100, -95)]
    assert finished_deal.points() == [dict(zip(parts, side, strict=True)) for side in expected]


def test_8_points_every_burraco_has_its_bonus() -> None:
    points = finished(melds=[CLEAN, DIRTY, "Kc-Kc-Kd-Kd-Kh-Kh-Ks"]).points()[0]
    assert points["bonuses"] == 200 + 100 + 200


def test_8_points_exist_only_after_the_end() -> None:
    with pytest.raises(ValueError, match="points are counted when the deal is over"):
        game(hand="Kc Qd").points()


def test_8_closing_bonus_for_the_side_that_closed() -> None:
    closed = finished(hand="", melds=[CLEAN], taken=(2,), outcome="closed").points()
    assert [side["closing"] for side in closed] == [100, 0]


@pytest.mark.parametrize("outcome", ["exhausted", "stalemate"])
def test_8_closing_bonus_for_nobody_otherwise(outcome: str) -> None:
    named = {"melds": [CLEAN], "taken": (0,), "outcome": outcome, "max_turns": 8}
    assert [side["closing"] for side in finished(**named).points()] == [0, 0]


def test_8_closing_bonus_in_rummyroyal_only_with_a_pozzetto() -> None:
    named = {"hand": "", "melds": [CLEAN], "outcome": "closed"}
    with_one = finished("rummyroyal", **named, taken=(0,), pozzetti=[]).points()[0]
    assert (with_one["closing"], with_one["pozzetto"]) == (100, 0)
    without = finished("rummyroyal", **named, pozzetti=[]).points()[0]
    assert (without["closing"], without["pozzetto"]) == (0, -100)


def test_8_cards_left_in_both_hands_of_the_side_count() -> None:
    points = finished(hand="Jo", hands={1: "3c", 2: "2h 5d", 3: "3c"}).points()
    assert [side["hand"] for side in points] == [-30 - 25, -10]


def test_8_cards_left_in_the_partners_hand_when_the_side_closes() -> None:
    named = {"hand": "", "melds": [CLEAN], "taken": (0,), "outcome": "closed"}
    points = finished(**named, hands={1: "3c", 2: "Ah Kd", 3: "4c"}).points()
    assert [side["hand"] for side in points] == [-25, -10]


def test_8_cards_of_untaken_pozzetti_and_the_stock_count_for_nobody() -> None:
    named = {"seats": 2, "hand": "3c", "hands": {1: "3d"}}
    points = finished(**named, stock="Jo Jo", pozzetti=["2c", "2d"]).points()
    assert [side["total"] for side in points] == [-5, -5]


@pytest.mark.parametrize(
    ("taken", "waive", "expected"),
    [
        ((), True, [0, 0]),
        ((), False, [-100, -100]),
        ((0,), True, [0, -100]),
        ((1,), True, [-100, 0]),
        ((2,), False, [0, -100]),
        ((0, 1), True, [0, 0]),
    ],
)
def test_8_pozzetto_penalty_and_waive_pozzetto_penalty(
    taken: tuple[int, ...], waive: bool, expected: list[int]
) -> None:
    points = finished(taken=taken, waive_pozzetto_penalty=waive).points()
    assert [side["pozzetto"] for side in points] == expected


def test_8_pozzetto_taken_with_the_very_discard_that_ends_the_deal_counts_as_taken() -> None:
    ended = after(game(seats=2, hand="Kc", pozzetti=["Jo Ad"], stock=2), "discard Kc")
    side, other = ended.points()
    assert (side["pozzetto"], other["pozzetto"]) == (0, -100)
    assert side["hand"] <= -45


@pytest.mark.parametrize(
    ("preset", "expected"), [("clean-3000", [-100, -100]), ("italian", [0, -100])]
)
def test_8_unplayed_pozzetto_penalty(preset: str, expected: list[int]) -> None:
    points = finished(preset, taken=(0,), unplayed=(0,)).points()
    assert [side["pozzetto"] for side in points] == expected
    played = finished(preset, taken=(0,)).points()
    assert [side["pozzetto"] for side in played] == [0, -100]


def test_8_unplayed_pozzetto_the_amount_is_a_rule() -> None:
    points = finished(taken=(0, 1), unplayed=(1,), unplayed_pozzetto_penalty=50).points()
    assert [side["pozzetto"] for side in points] == [0, -50]


def unplayed(played: Game) -> bool:
    return bool(played.position()["pozzetto_unplayed"][0])


def test_8_unplayed_pozzetto_from_the_moment_of_taking_it_in_flight_too() -> None:
    played = after(game("clean-3000", hand="5h 6h 7h", pozzetti=["8h Kc"]), "meld 5h-6h-7h")
    assert unplayed(played)
    assert not unplayed(after(played, "layoff 8h to 5h-6h-7h"))
    assert not unplayed(after(played, "discard Kc"))


@pytest.mark.parametrize("decision", ["meld 5h-6h-7h", "layoff Th to 7h-8h-9h", "discard Th"])
def test_8_unplayed_pozzetto_played_by_the_seat_that_took_it(decision: str) -> None:
    named = {"hand": "5h 6h 7h Th Kc", "melds": ["7h-8h-9h"], "taken": (0,), "unplayed": (0,)}
    start = game("clean-3000", **named)
    assert unplayed(start)
    assert not unplayed(after(start, decision))


@pytest.mark.parametrize("decision", ["meld 5h-6h-7h", "layoff Th to 7h-8h-9h", "discard Th"])
def test_8_unplayed_pozzetto_not_played_by_the_partner(decision: str) -> None:
    named = {"hand": "5h 6h 7h Th Kc", "melds": ["7h-8h-9h"], "taken": (0,), "unplayed": (0,)}
    assert unplayed(after(game("clean-3000", seat=2, **named), decision))


def test_8_unplayed_pozzetto_a_draw_or_a_choice_of_wild_is_no_play() -> None:
    start = game("clean-3000", hand="Kc 8h", phase="draw", taken=(0,), unplayed=(0,))
    assert unplayed(after(start, "draw"))
    assert unplayed(after(start, "pickup"))
    named = {"hand": "Kc 8h 9h Jo 2s", "taken": (0,), "unplayed": (0,)}
    choosing = after(game("clean-3000", **named), "meld 8h-9h-*(Th)")
    assert unplayed(choosing)
    assert not unplayed(after(choosing, "wild Jo"))


def test_8_unplayed_pozzetto_when_the_partner_closes() -> None:
    named = {"hand": "", "melds": [CLEAN], "taken": (2,), "unplayed": (2,), "outcome": "closed"}
    points = finished("clean-3000", **named, hands={2: "Kc Kd"}).points()[0]
    assert (points["closing"], points["pozzetto"], points["hand"]) == (100, -100, -20)


def test_8_total_may_be_negative() -> None:
    assert finished(seats=2, hand="Jo Jo", taken=(1,)).points()[0]["total"] == -160


@pytest.mark.parametrize("run", [TWO_TO_QUEEN, TWO_TO_KING])
def test_8_long_runs_are_plain_clean_burrachi(run: str) -> None:
    assert bonus(run, "fitab") == bonus(run, "reale") == bonus(run) == 200
