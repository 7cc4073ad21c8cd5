"""Section 6 of the rules: taking a pozzetto, and pozzetti that become the stock."""

from __future__ import annotations

from typing import Any

import pytest

from tests.positions import (
    CLEAN,
    after,
    allows,
    game,
    hand,
    melds,
    refusal,
    refuses,
)

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]

FIRST = "3c 3d 4c 4d 6c 6d 9c 9d Jc Jd Kc"
SECOND = "3s 4s 5s 6s 8s 8s 9s Th Ts Js Ks"


def in_flight(**named: Any) -> dict[str, Any]:
    """The position after the last cards of the hand were melded."""
    start = game(hand="5h 6h 7h", pozzetti=[FIRST, SECOND], **named)
    return after(start, "meld 5h-6h-7h").position()


def test_6_a_hand_emptied_by_a_meld_takes_the_pozzetto_at_once() -> None:
    place = in_flight()
    assert place["hands"][0] == "3c 4c 6c 9c Jc Kc 3d 4d 6d 9d Jd"
    assert place["pozzetto_taken_by"] == [0, None]
    assert len(place["pozzetti"]) == 1


def test_6_in_flight_the_turn_goes_on() -> None:
    place = in_flight(turn=8)
    assert (place["seat"], place["phase"], place["turn"]) == (0, "play", 8)


def test_6_in_flight_the_pozzetto_may_be_played_in_the_same_turn() -> None:
    start = game(hand="5h 6h 7h", pozzetti=["8h Jh Qh Kh"])
    played = after(start, "meld 5h-6h-7h", "layoff 8h to 5h-6h-7h", "meld Jh-Qh-Kh")
    assert melds(played) == ["5h-6h-7h-8h", "Jh-Qh-Kh"]


def test_6_in_flight_a_discard_is_still_due() -> None:
    start = game(hand="5h 6h 7h", pozzetti=[FIRST])
    played = after(start, "meld 5h-6h-7h")
    assert {text.split()[0] for text in played.legal()} == {"discard"}
    assert "belongs to phase draw" in refusal(played, "draw")
    assert after(played, "discard Kc").seat == 1


@pytest.mark.parametrize(
    ("cards", "laid", "decision"),
    [
        ("8h", ["5h-6h-7h"], "layoff 8h to 5h-6h-7h"),
        ("Jo", ["5h-6h-7h"], "layoff *(8h) to 5h-6h-7h"),
        ("6s", ["6c-6d-6h"], "layoff 6s to 6c-6d-6h"),
        ("2s", ["6c-6d-6h"], "layoff * to 6c-6d-6h"),
        ("5h 6h Jo", [], "meld 5h-6h-*(7h)"),
        ("6c 6d 6h", [], "meld 6c-6d-6h"),
        ("6c 6d 2s", [], "meld 6c-6d-*"),
    ],
)
def test_6_in_flight_by_any_meld_or_layoff(cards: str, laid: list[str], decision: str) -> None:
    played = after(game(hand=cards, melds=laid), decision)
    assert len(hand(played).split()) == 11
    assert (played.seat, played.phase) == (0, "play")


def test_6_by_the_discard_the_turn_ends_and_the_pozzetto_waits() -> None:
    start = game(hand="Kc", pozzetti=[FIRST.replace("Kc", "7c"), SECOND], turn=8)
    place = after(start, "discard Kc").position()
    assert place["hands"][0] == "3c 4c 6c 7c 9c Jc 3d 4d 6d 9d Jd"
    assert (place["seat"], place["phase"], place["turn"]) == (1, "draw", 9)
    assert place["discard_pile"].endswith("Kc")
    assert place["pozzetto_taken_by"] == [0, None]
    assert place["pozzetto_unplayed"] == [True, False]


def test_6_by_the_discard_it_is_played_from_the_next_turn_of_that_seat() -> None:
    start = game(seats=2, hand="Kc", pozzetti=["5h 6h 7h"])
    played = after(start, "discard Kc", "draw")
    played.play(next(text for text in played.legal() if text.startswith("discard")))
    assert allows(after(played, "draw"), "meld 5h-6h-7h")


@pytest.mark.parametrize("card", ["Jo", "2h", "2s"])
def test_6_the_discard_that_reaches_a_pozzetto_may_be_a_wild(card: str) -> None:
    start = game(hand=card)
    assert start.legal() == [f"discard {card}"]
    assert len(hand(after(start, f"discard {card}")).split()) == 11


def test_6_no_burraco_is_needed_to_take_it() -> None:
    assert allows(game(hand="Kc"), "discard Kc")
    assert allows(game("clean-3000", hand="Kc"), "discard Kc")


def test_6_it_cannot_be_refused() -> None:
    # With a burraco the discard would close if there were no pozzetto to take.
    start = game(hand="Kc", melds=[CLEAN])
    played = after(start, "discard Kc")
    assert not played.is_over
    assert len(hand(played).split()) == 11


@pytest.mark.parametrize("taker", [0, 2])
def test_6_one_pozzetto_per_side_and_deal(taker: int) -> None:
    start = game(hand="5h 6h 7h", taken=(taker,))
    assert "no pozzetto can be taken" in refusal(start, "meld 5h-6h-7h")
    start = game(hand="Kc", taken=(taker,), melds=[CLEAN])
    assert after(start, "discard Kc").outcome == "closed"


def test_6_the_partner_of_the_one_that_took_it_gets_none() -> None:
    start = game(seat=2, hand="8h Kc", taken=(0,), melds=["5h-6h-7h"])
    assert refuses(start, "layoff 8h to 5h-6h-7h")


def test_6_the_top_pozzetto_goes_to_whoever_empties_the_hand_first() -> None:
    start = game(seat=1, hand="Kc", pozzetti=[FIRST.replace("Kc", "7c"), SECOND], hands={2: "Qd"})
    place = after(start, "discard Kc").position()
    assert place["hands"][1].startswith("3c 4c")
    assert place["pozzetto_taken_by"] == [None, 1]
    assert place["pozzetti"] == ["Th 3s 4s 5s 6s 8s 8s 9s Ts Js Ks"]


def test_6_the_other_one_goes_to_the_other_side() -> None:
    start = game(hand="Kd", taken=(1,), pozzetti=[SECOND])
    place = after(start, "discard Kd").position()
    assert place["hands"][0] == "Th 3s 4s 5s 6s 8s 8s 9s Ts Js Ks"
    assert place["pozzetto_taken_by"] == [0, 1]
    assert place["pozzetti"] == []


def test_6_either_seat_of_the_side_may_take_it() -> None:
    place = after(game(seat=2, hand="Kc"), "discard Kc").position()
    assert place["pozzetto_taken_by"] == [2, None]


def test_6_pozzetto_sizes() -> None:
    start = game(hand="Kc", pozzetto_sizes=[5, 3])
    place = after(start, "discard Kc").position()
    assert len(place["hands"][0].split()) == 5
    assert len(place["pozzetti"][0].split()) == 3


def test_6_without_pozzetti_the_hand_cannot_be_emptied_but_by_closing() -> None:
    named = {"pozzetto_sizes": [], "pozzetto_to_close": "unless_none_left"}
    assert refuses(game(hand="5h 6h 7h", melds=[CLEAN], **named), "meld 5h-6h-7h")
    closed = after(game(hand="Kc", melds=[CLEAN], **named), "discard Kc")
    assert closed.outcome == "closed"


def test_6_pozzetti_refill_stock_the_last_untaken_one_in_its_order() -> None:
    start = game("rummyroyal", hand="Qd", phase="draw", stock="", pozzetti=[FIRST, SECOND])
    place = after(start, "draw").position()
    assert place["hands"][0] == "Qd 3s"
    assert place["stock"] == SECOND.removeprefix("3s ")
    assert place["pozzetti"] == [FIRST]
    assert place["pozzetto_taken_by"] == [None, None]


def test_6_pozzetti_refill_stock_the_other_one_can_still_be_taken() -> None:
    start = game("rummyroyal", hand="Qd", stock=SECOND, pozzetti=[FIRST])
    place = after(start, "discard Qd").position()
    assert place["pozzetto_taken_by"] == [0, None]
    assert place["hands"][0] == "3c 4c 6c 9c Jc Kc 3d 4d 6d 9d Jd"


def test_6_pozzetti_refill_stock_one_after_the_other() -> None:
    start = game("rummyroyal", hand="Qd", phase="draw", stock="", pozzetti=[FIRST])
    place = after(start, "draw").position()
    assert place["hands"][0] == "3c Qd"
    assert place["stock"] == FIRST.removeprefix("3c ")
    assert place["pozzetti"] == []


def test_6_pozzetti_refill_stock_also_after_one_was_taken() -> None:
    start = game("rummyroyal", hand="Qd", phase="draw", stock="", taken=(1,), pozzetti=[SECOND])
    place = after(start, "draw").position()
    assert place["hands"][0] == "Qd 3s"
    assert place["pozzetti"] == []


def test_6_pozzetti_refill_stock_none_left() -> None:
    start = game("rummyroyal", hand="Qd 3s", phase="draw", stock="", pozzetti=[])
    assert start.legal() == ["pickup", "pickup-top"]
    assert "no card to draw" in refusal(start, "draw")


def test_6_pozzetti_refill_stock_only_when_the_seat_draws() -> None:
    start = game("rummyroyal", hand="Qd 3s", phase="draw", stock="", pozzetti=[FIRST])
    assert start.legal() == ["draw", "pickup", "pickup-top"]
    for text in ("pickup", "pickup-top"):
        place = after(start, text).position()
        assert place["stock"] == ""
        assert place["pozzetti"] == [FIRST]


def test_6_pozzetti_refill_stock_only_an_empty_stock() -> None:
    start = game("rummyroyal", hand="Qd 3s", phase="draw", stock="7h", pozzetti=[FIRST])
    place = after(start, "draw").position()
    assert place["hands"][0] == "Qd 7h 3s"
    assert place["pozzetti"] == [FIRST]


def test_6_pozzetti_refill_stock_is_a_rule_of_its_own() -> None:
    start = game(hand="Qd 3s", phase="draw", stock="")
    assert refuses(start, "draw")
    assert allows(
        game(hand="Qd 3s", phase="draw", stock="", pozzetti=[FIRST], pozzetti_refill_stock=True),
        "draw",
    )
