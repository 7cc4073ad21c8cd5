"""Section 9 of the rules: three seats, the soloist and the pair."""

from __future__ import annotations

from typing import Any

import pytest

from burraco_env import Game
from tests.positions import (
    CLEAN,
    after,
    allows,
    game,
    hand,
    melds,
    refuses,
    starting_with,
)

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]

MINE, SECOND, THIRD = "5h-6h-7h", "9d-Td-Jd", "8c-9c-Tc"


def three(**named: Any) -> Game:
    return game(seats=3, **named)


def test_9_at_first_each_seat_is_its_own_side() -> None:
    start = three(hand="8h Qd 7c Ks Kh", melds=[MINE], opponents=[SECOND], third=[THIRD])
    assert start.sides == [[0], [1], [2]]
    assert starting_with(start, "layoff") == [f"8h to {MINE}"]


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_9_who_empties_the_hand_first_is_the_soloist_and_takes_the_eighteen(seat: int) -> None:
    named = {"melds": [MINE], "opponents": [SECOND], "third": [THIRD]}
    played = after(three(seat=seat, hand="Kc", **named), "discard Kc")
    place = played.position()
    assert place["sides"] == [[seat], sorted({0, 1, 2} - {seat})]
    assert len(hand(played, seat).split()) == 18
    assert [len(text.split()) for text in place["pozzetti"]] == [11]
    assert place["pozzetto_taken_by"] == [seat, None]
    assert place["pozzetto_unplayed"] == [True, False]
    assert (place["seat"], place["phase"]) == ((seat + 1) % 3, "draw")


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_9_the_other_two_pool_their_melds(seat: int) -> None:
    named = {"melds": [MINE], "opponents": [SECOND], "third": [THIRD]}
    played = after(three(seat=seat, hand="Kc", **named), "discard Kc")
    assert melds(played, 0) == [MINE]
    assert melds(played, 1) == [THIRD, SECOND]  # in the order of notation: clubs, diamonds


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_9_soloist_in_flight_the_turn_goes_on(seat: int) -> None:
    named = {"melds": [MINE], "opponents": [SECOND], "third": [THIRD], "pozzetti": ["9h Qd"]}
    start = three(seat=seat, hand="8h", **named)
    played = after(start, f"layoff 8h to {MINE}")
    assert (played.seat, played.phase) == (seat, "play")
    assert played.sides[0] == [seat]
    assert allows(played, f"layoff 9h to {MINE}-8h")
    assert refuses(played, f"layoff Qd to {SECOND}")


@pytest.mark.parametrize("seat", [1, 2])
def test_9_either_of_the_pair_lays_off_on_all_its_melds(seat: int) -> None:
    named = {"melds": [THIRD, SECOND], "opponents": [MINE], "taken": (0,), "soloist": 0}
    if seat == 1:  # the next seat is the partner
        named["opponents"] = []
    start = three(seat=seat, hand="Jc Qd Kh Ks", **named)
    assert starting_with(start, "layoff") == [f"Jc to {THIRD}", f"Qd to {SECOND}"]


def test_9_a_set_of_a_rank_each_is_kept_but_a_new_one_is_refused() -> None:
    named = {"opponents": ["6c-6d-6h"], "third": ["6d-6h-6s"]}
    played = after(three(hand="Kc", hands={1: "6c 6s Jo 9h"}, **named), "discard Kc", "draw")
    assert melds(played, 1) == ["6c-6d-6h", "6d-6h-6s"]
    assert not any(text.startswith("6") for text in starting_with(played, "meld"))
    assert allows(played, "layoff 6s to 6c-6d-6h")
    assert allows(played, "layoff 6s to 6d-6h-6s")


@pytest.mark.parametrize("seat", [1, 2])
def test_9_the_first_of_the_pair_to_empty_its_hand_takes_the_eleven(seat: int) -> None:
    played = after(three(seat=seat, hand="Kc", taken=(0,), soloist=0), "discard Kc")
    assert played.position()["pozzetto_taken_by"] == [0, seat]
    assert len(hand(played, seat).split()) == 11


def test_9_the_other_of_the_pair_gets_none() -> None:
    assert refuses(three(seat=2, hand="5h 6h 7h", taken=(0, 1), soloist=0), "meld 5h-6h-7h")


def test_9_the_soloist_gets_no_second_one() -> None:
    assert refuses(three(hand="5h 6h 7h", taken=(0,), soloist=0), "meld 5h-6h-7h")


def test_9_the_soloist_stays_alone() -> None:
    played = after(three(seat=2, hand="Kc", taken=(0,), soloist=0), "discard Kc")
    assert played.sides == [[0], [1, 2]]


def test_9_turns_go_on_by_seat_number() -> None:
    played = after(three(seat=1, hand="Kc", hands={2: "Qd 3s", 0: "Qd 3s"}), "discard Kc")
    order = []
    for _ in range(4):
        order.append(played.seat)
        played.play("draw")
        played.play("discard " + starting_with(played, "discard")[0])
    assert order == [2, 0, 1, 2]


def test_9_closing_by_the_soloist_with_a_burraco_of_its_own() -> None:
    closed = after(three(hand="Kc", melds=[CLEAN], taken=(0,), soloist=0), "discard Kc")
    assert closed.position()["closed_by"] == 0
    named = {"opponents": [CLEAN], "melds": ["6d-7d-8d"], "taken": (0,), "soloist": 0}
    assert refuses(three(hand="9d Kc", **named), "layoff 9d to 6d-7d-8d")


def test_9_closing_by_the_pair_with_a_burraco_and_the_pozzetto_of_either() -> None:
    named = {"melds": [CLEAN], "taken": (0, 1), "soloist": 0}
    closed = after(three(seat=2, hand="Kc", **named), "discard Kc")
    assert closed.position()["closed_by"] == 2
    assert [side["closing"] for side in closed.points()] == [0, 100]


def test_9_closing_is_not_possible_before_there_is_a_soloist() -> None:
    played = after(three(hand="Kc", melds=[CLEAN]), "discard Kc")
    assert not played.is_over
    assert played.sides == [[0], [1, 2]]


def over(**named: Any) -> Game:
    return three(**{"outcome": "exhausted", "stock": 2, "hand": "3c", **named})


def test_9_points_the_soloist_in_full_the_pair_in_halves() -> None:
    named = {"hands": {1: "3d", 2: "4c"}, "melds": [CLEAN], "opponents": [SECOND, "3s-4s-5s"]}
    finished = over(**named, taken=(0, 1), soloist=0)
    assert [side["total"] for side in finished.points()] == [240, 35]
    assert finished.seat_points() == [240, 17.5, 17.5]  # exact halves


def test_9_points_of_the_pair_with_another_soloist() -> None:
    named = {"hand": "3d", "hands": {0: "3c", 2: "4c"}, "melds": [CLEAN], "opponents": [SECOND]}
    finished = over(seat=1, **named, taken=(1, 2), soloist=1)
    assert [side["total"] for side in finished.points()] == [240, 20]
    assert finished.seat_points() == [10, 240, 10]


def test_9_points_the_pair_without_pozzetto_pays_once() -> None:
    finished = over(hands={1: "3d", 2: "4c"}, taken=(0,), soloist=0)
    assert [side["pozzetto"] for side in finished.points()] == [0, -100]
    assert finished.seat_points() == [-5, -55, -55]


def test_9_points_nobody_took_a_pozzetto_each_for_itself() -> None:
    named = {"hands": {1: "3d", 2: "4c"}, "melds": [MINE], "opponents": [SECOND], "third": [CLEAN]}
    finished = over(**named)
    assert [side["total"] for side in finished.points()] == [10, 25, 240]
    assert finished.seat_points() == [10, 25, 240]


def test_9_points_nobody_took_a_pozzetto_without_the_waiver() -> None:
    finished = game(
        "coppie-2000", seats=3, hand="3c", hands={1: "3d", 2: "4c"}, outcome="exhausted", stock=2
    )
    assert finished.seat_points() == [-105, -105, -105]


def test_9_points_the_pair_with_another_order_of_seats_pools_both_hands() -> None:
    finished = over(seat=2, hand="3c", hands={0: "Jo", 1: "4c"}, taken=(1,), soloist=1)
    assert [side["hand"] for side in finished.points()] == [-5, -35]


ELEVENS = {"pozzetto_sizes": [11, 11, 11]}


@pytest.mark.parametrize("taken", [(), (1,), (1, 2)])
def test_9_with_three_pozzetti_there_is_no_soloist_and_no_pair(taken: tuple[int, ...]) -> None:
    named = {"melds": [MINE], "opponents": [SECOND], "third": [THIRD], **ELEVENS}
    played = after(three(hand="Kc", taken=taken, **named), "discard Kc")
    place = played.position()
    assert place["sides"] == [[0], [1], [2]]
    assert place["melds"] == [[MINE], [SECOND], [THIRD]]
    assert place["pozzetto_taken_by"] == [0, *(seat if seat in taken else None for seat in (1, 2))]
    assert len(hand(played).split()) == 11
    assert len(place["pozzetti"]) == 2 - len(taken)


def test_9_with_three_pozzetti_each_seat_takes_one() -> None:
    assert refuses(three(hand="5h 6h 7h", taken=(0,), **ELEVENS), "meld 5h-6h-7h")


def test_9_with_three_pozzetti_each_seat_closes_and_scores_for_itself() -> None:
    named = {"melds": [CLEAN], "opponents": [SECOND], "taken": (0, 2), **ELEVENS}
    closed = after(three(hand="Kc", hands={1: "3d", 2: "4c"}, **named), "discard Kc")
    assert closed.seat_points() == [245 + 100, 30 - 5 - 100, -5]
