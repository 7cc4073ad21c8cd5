"""Section 2 of the rules: seats, sides and the order of turns. Three seats: section 9."""

from __future__ import annotations

import pytest

from burraco_env import Game, Rules
from tests.positions import after, allows, game, melds, refusal, refuses

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]


@pytest.mark.parametrize(
    ("seats", "sides"), [(4, [[0, 2], [1, 3]]), (2, [[0], [1]]), (3, [[0], [1], [2]])]
)
def test_2_sides(seats: int, sides: list[list[int]]) -> None:
    start = Game.deal(Rules.preset("italian", seats), seed=0)
    assert start.sides == sides
    assert start.position()["sides"] == sides


@pytest.mark.parametrize(("seats", "dealer"), [(s, d) for s in (2, 3, 4) for d in range(s)])
def test_2_the_seat_after_the_dealer_starts(seats: int, dealer: int) -> None:
    start = Game.deal(Rules.preset("italian", seats), seed=0, dealer=dealer)
    assert start.seat == (dealer + 1) % seats


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_2_turns_go_round_by_seat_number(seats: int) -> None:
    played = Game.deal(Rules.preset("italian", seats), seed=0, dealer=seats - 1)
    order = []
    for _ in range(2 * seats):
        order.append(played.seat)
        played.play("draw")
        played.play(next(text for text in played.legal() if text.startswith("discard ")))
    assert order == [*range(seats), *range(seats)]
    assert played.turn == 2 * seats


def test_2_a_seat_acts_until_it_discards() -> None:
    start = game(hand="3h 4h 5h 6h Kc Qd", phase="draw")
    played = after(start, "draw", "meld 3h-4h-5h", "layoff 6h to 3h-4h-5h")
    assert played.seat == 0
    assert after(played, "discard Kc").seat == 1


@pytest.mark.parametrize("seat", [0, 2])
def test_2_a_side_shares_its_melds(seat: int) -> None:
    start = game(seat=seat, hand="6h Kc Qd", melds=["3h-4h-5h"])
    assert melds(after(start, "layoff 6h to 3h-4h-5h")) == ["3h-4h-5h-6h"]


@pytest.mark.parametrize("seat", [1, 3])
def test_2_the_other_side_does_not(seat: int) -> None:
    start = game(seat=seat, hand="6h Kc Qd", opponents=["3h-4h-5h"])
    assert melds(start, side=0) == ["3h-4h-5h"]
    assert refuses(start, "layoff 6h to 3h-4h-5h")


def test_2_two_seats_are_two_sides_of_one() -> None:
    start = game(seats=2, hand="6h Kc Qd", melds=["3h-4h-5h"], opponents=["7h-8h-9h"])
    assert allows(start, "layoff 6h to 3h-4h-5h")
    assert "onto a meld of one's own side" in refusal(start, "layoff 6h to 7h-8h-9h")
