"""Section 4 of the rules: draw phase, no return, play phase, discard."""

from __future__ import annotations

import pytest

from tests.positions import (
    FILLER_HAND,
    after,
    allows,
    game,
    hand,
    melds,
    refusal,
    refuses,
    starting_with,
)

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]


def test_4_draw_phase_stock_or_whole_pile() -> None:
    start = game(hand="Kc 7d", phase="draw", pile="9s Th")
    assert start.legal() == ["draw", "pickup"]


@pytest.mark.parametrize("drawn", ["draw", "pickup"])
def test_4_draw_phase_exactly_one_of_them(drawn: str) -> None:
    played = after(game(hand="Kc 7d", phase="draw", pile="9s Th"), drawn)
    assert played.phase == "play"
    for again in ("draw", "pickup"):
        assert "belongs to phase draw" in refusal(played, again)


def test_4_draw_phase_nothing_is_played_before_it() -> None:
    start = game(hand="3h 4h 5h Kc", phase="draw")
    assert "belongs to phase play" in refusal(start, "meld 3h-4h-5h")
    assert "belongs to phase play" in refusal(start, "discard Kc")


def test_4_draw_takes_the_top_card_of_the_stock() -> None:
    start = game(hand="Kc 7d", phase="draw", stock="Ts 2c 3c", pile="9s")
    place = after(start, "draw").position()
    assert place["hands"][0] == "Kc 7d Ts"
    assert place["stock"] == "2c 3c"
    assert place["discard_pile"] == "9s"
    assert place["no_return"] is None


@pytest.mark.parametrize("stock", [1, 2])
def test_4_draw_is_legal_while_the_stock_holds_any_card(stock: int) -> None:
    start = game(hand="Kc 7d", phase="draw", stock=stock, dead_stock=2)
    assert start.legal() == ["draw", "pickup"]


def test_4_draw_needs_a_card_in_the_stock() -> None:
    start = game(hand="Kc 7d", phase="draw", stock=0)
    assert start.legal() == ["pickup"]
    assert "no card to draw" in refusal(start, "draw")


def test_4_pickup_takes_the_whole_pile() -> None:
    start = game(hand="Kc 7d", phase="draw", pile="9s Th 9s Jo 2d")
    place = after(start, "pickup").position()
    assert place["hands"][0] == "Kc 2d 7d Th 9s 9s Jo"
    assert place["discard_pile"] == ""
    assert place["no_return"] is None


def test_4_pickup_needs_a_pile() -> None:
    start = game(hand="Kc 7d", phase="draw", pile="")
    assert start.legal() == ["draw"]
    assert "the discard pile is empty" in refusal(start, "pickup")


def test_4_pickup_has_no_condition() -> None:
    assert allows(game(hand="Kc", phase="draw", pile="9s"), "pickup")


def test_4_the_first_seat_may_pick_up_the_upcard() -> None:
    assert allows(game(hand="Kc 7d", phase="draw", pile="9s", turn=0), "pickup")


def test_4_pickup_top_takes_only_the_top_card() -> None:
    start = game("rummyroyal", hand="Kc 7d", phase="draw", pile="9s Th 2d")
    assert start.legal() == ["draw", "pickup", "pickup-top"]
    place = after(start, "pickup-top").position()
    assert place["hands"][0] == "Kc 2d 7d"
    assert place["discard_pile"] == "9s Th"
    assert place["phase"] == "play"


def test_4_pickup_top_is_a_rule_of_its_own() -> None:
    start = game(hand="Kc 7d", phase="draw", pile="9s Th 2d")
    assert "pickup_top" in refusal(start, "pickup-top")
    assert allows(game(hand="Kc 7d", phase="draw", pile="9s Th 2d", pickup_top=True), "pickup-top")


def test_4_pickup_top_needs_a_pile() -> None:
    start = game("rummyroyal", hand="Kc 7d", phase="draw", pile="")
    assert start.legal() == ["draw"]
    assert "the discard pile is empty" in refusal(start, "pickup-top")


def test_4_pickup_and_pickup_top_are_the_same_on_a_pile_of_one() -> None:
    start = game("rummyroyal", hand="Kc 7d", phase="draw", pile="9s")
    assert start.legal() == ["draw", "pickup", "pickup-top"]
    assert after(start, "pickup").position() == after(start, "pickup-top").position()


@pytest.mark.parametrize(
    ("cards", "pile", "laid"),
    [
        ("5h 6h Kc", "7h 9s", []),  # a meld with a card of the pile
        ("5h 6h 7h Kc", "9s Jc", []),  # a meld of the hand alone
        ("5h Jo Kc", "7h 9s", []),  # a meld with a wild
        ("3c 3d Kc", "3s 9s", []),  # a set of threes
        ("Td Kc", "8h 9s", ["5h-6h-7h"]),  # a lay-off
        ("Td Kc", "2s 9s", ["5h-6h-7h"]),  # a lay-off of a wild
    ],
)
def test_4_pickup_needs_meld_any_meld_or_layoff_will_do(
    cards: str, pile: str, laid: list[str]
) -> None:
    start = game("international", hand=cards, phase="draw", pile=pile, melds=laid)
    assert start.legal() == ["draw", "pickup"]


@pytest.mark.parametrize(
    ("cards", "pile", "laid", "others"),
    [
        ("Td Kc", "8s 9s", ["5h-6h-7h"], []),  # nothing fits
        ("Td Kc", "8h 9s", [], ["5h-6h-7h"]),  # the run is the opponents'
        ("7c 7d Kc", "7s 9s", [], []),  # no sets of sevens in international
        ("Jo Kc", "2s Jo", [], []),  # one natural
    ],
)
def test_4_pickup_needs_meld_refused_where_nothing_can_be_laid(
    cards: str, pile: str, laid: list[str], others: list[str]
) -> None:
    named = {"hand": cards, "phase": "draw", "pile": pile, "melds": laid, "opponents": others}
    start = game("international", **named)
    assert start.legal() == ["draw"]
    assert "pickup_needs_meld" in refusal(start, "pickup")
    assert allows(game("international", **named, pickup_needs_meld=False), "pickup")


def test_4_pickup_needs_meld_a_layoff_that_would_be_stuck_does_not_count() -> None:
    # 8h could be laid off, but it would leave the king that was the whole pile.
    named = {"hand": "8h", "phase": "draw", "pile": "Kc", "melds": ["5h-6h-7h"]}
    assert game("international", **named).legal() == ["draw"]
    assert game("international", **named | {"hand": "8h Qd"}).legal() == ["draw", "pickup"]
    assert game("international", **named | {"hand": "8h Kc"}).legal() == ["draw", "pickup"]


def test_4_pickup_needs_meld_the_debt_is_paid_by_a_meld() -> None:
    start = game("international", hand="5h 6h Kc Qd", phase="draw", pile="7h 9s")
    owing = after(start, "pickup")
    assert owing.position()["must_meld"]
    assert owing.legal() == ["meld 5h-6h-7h"]
    assert "a meld or lay-off is owed" in refusal(owing, "discard Kc")
    paid = after(owing, "meld 5h-6h-7h")
    assert not paid.position()["must_meld"]
    assert starting_with(paid, "discard") == ["Kc", "Qd", "9s"]


def test_4_pickup_needs_meld_the_debt_is_paid_by_a_layoff() -> None:
    owing = game("international", hand="8h Kc Qd", melds=["5h-6h-7h"], must_meld=True)
    assert owing.legal() == ["layoff 8h to 5h-6h-7h"]
    assert starting_with(after(owing, owing.legal()[0]), "discard") == ["Kc", "Qd"]


def test_4_pickup_needs_meld_the_debt_stays_while_a_wild_is_chosen() -> None:
    owing = game("international", hand="5h 6h Jo 2s Kc", must_meld=True)
    choosing = after(owing, "meld 5h-6h-*(7h)")
    assert choosing.position()["must_meld"]
    assert not after(choosing, "wild Jo").position()["must_meld"]


def test_4_pickup_needs_meld_a_draw_owes_nothing() -> None:
    drawn = after(
        game("international", hand="Td Kc", phase="draw", stock="8s 9s", pile="9h"), "draw"
    )
    assert not drawn.position()["must_meld"]
    assert starting_with(drawn, "discard") == ["Kc", "Td", "8s"]


def test_4_pickup_needs_meld_elsewhere_a_pickup_owes_nothing() -> None:
    taken = after(game(hand="5h 6h Kc", phase="draw", pile="7h 9s"), "pickup")
    assert not taken.position()["must_meld"]
    assert allows(taken, "discard Kc")


def test_4_pickup_needs_meld_does_not_concern_pickup_top() -> None:
    start = game("international", hand="Td Kc", phase="draw", pile="8s 9s", pickup_top=True)
    assert start.legal() == ["draw", "pickup-top"]
    taken = after(start, "pickup-top")
    assert not taken.position()["must_meld"]
    assert starting_with(taken, "discard") == ["Kc", "Td"]


def test_4_no_return_of_the_only_card_of_the_pile() -> None:
    taken = after(game(hand="Kc 7d", phase="draw", pile="9s"), "pickup")
    assert taken.position()["no_return"] == "9s"
    assert taken.legal() == ["discard Kc", "discard 7d"]
    assert "may not be returned" in refusal(taken, "discard 9s")


@pytest.mark.parametrize("card", ["9s", "Jo", "2h"])
def test_4_no_return_not_with_an_identical_card_in_the_hand_before(card: str) -> None:
    taken = after(game(hand=f"Kc {card}", phase="draw", pile=card), "pickup")
    assert taken.position()["no_return"] is None
    assert allows(taken, f"discard {card}")


@pytest.mark.parametrize(
    ("card", "other"), [("9s", "9h"), ("9s", "8s"), ("Jo", "2h"), ("2h", "2s"), ("2h", "Jo")]
)
def test_4_no_return_a_similar_card_is_no_twin(card: str, other: str) -> None:
    taken = after(game(hand=f"Kc {other}", phase="draw", pile=card), "pickup")
    assert taken.position()["no_return"] == card
    assert refuses(taken, f"discard {card}")
    assert allows(taken, f"discard {other}")


def test_4_no_return_a_twin_on_the_table_does_not_count() -> None:
    start = game(hand="Kc Qd", phase="draw", pile="9s", melds=["7s-8s-9s"])
    assert refuses(after(start, "pickup"), "discard 9s")


def test_4_no_return_not_for_a_pile_of_two() -> None:
    taken = after(game(hand="Kc 7d", phase="draw", pile="9s Th"), "pickup")
    assert starting_with(taken, "discard") == ["Kc", "7d", "Th", "9s"]


def test_4_no_return_not_for_a_card_drawn_from_the_stock() -> None:
    drawn = after(game(hand="Kc 7d", phase="draw", stock="9s 3c", pile="Th"), "draw")
    assert starting_with(drawn, "discard") == ["Kc", "7d", "9s"]


def test_4_no_return_of_the_card_taken_with_pickup_top_whatever_the_pile() -> None:
    taken = after(game("rummyroyal", hand="Kc 7d", phase="draw", pile="Th 3c 9s"), "pickup-top")
    assert taken.position()["no_return"] == "9s"
    assert starting_with(taken, "discard") == ["Kc", "7d"]


def test_4_no_return_of_pickup_top_has_the_same_exception() -> None:
    start = game("rummyroyal", hand="Kc 9s", phase="draw", pile="Th 3c 9s")
    taken = after(start, "pickup-top")
    assert taken.position()["no_return"] is None
    assert starting_with(taken, "discard") == ["Kc", "9s"]


def test_4_no_return_a_twin_below_in_the_pile_does_not_count_for_pickup_top() -> None:
    start = game("rummyroyal", hand="Kc 7d", phase="draw", pile="9s 3c 9s")
    assert refuses(after(start, "pickup-top"), "discard 9s")
    assert allows(after(start, "pickup"), "discard 9s")


def test_4_no_return_does_not_forbid_to_lay_the_card() -> None:
    start = game(hand="7s 8s 9s Kc", no_return="9s")
    assert refuses(start, "discard 9s")
    assert allows(start, "meld 7s-8s-9s")


def test_4_no_return_ends_as_soon_as_the_card_leaves_the_hand() -> None:
    start = game(hand="9s Kc Qd", no_return="9s", melds=["6s-7s-8s"])
    laid = after(start, "layoff 9s to 6s-7s-8s")
    assert laid.position()["no_return"] is None
    assert laid.legal() == ["discard Kc", "discard Qd"]


def test_4_no_return_a_twin_that_comes_with_the_pozzetto_may_be_discarded() -> None:
    start = game(hand="7s 8s 9s", no_return="9s", pozzetti=["9s"])
    assert allows(after(start, "meld 7s-8s-9s"), "discard 9s")


def test_4_no_return_ends_with_the_turn() -> None:
    start = game(seats=2, hand="9s Kc Qd", no_return="9s", pile="", stock="3c 4c 5c 6c 7c")
    later = after(start, "discard Kc")
    assert later.position()["no_return"] is None
    other = next(text for text in after(later, "draw").legal() if text.startswith("discard"))
    assert allows(after(later, "draw", other, "draw"), "discard 9s")


def test_4_play_phase_is_optional() -> None:
    drawn = after(game(hand="5h 6h 7h Kc", phase="draw"), "draw")
    assert allows(drawn, "meld 5h-6h-7h")
    assert allows(drawn, "discard 5h")


@pytest.mark.parametrize(
    "text", ["meld 3h-4h-5h-6h", "meld 3h-4h", "meld 6c-6d-6h-6s", "meld 3h-4h-5h-*(6h)"]
)
def test_4_play_phase_a_new_meld_has_exactly_three_cards(text: str) -> None:
    start = game(hand="3h 4h 5h 6h 6c 6d 6s Jo Kc")
    assert "exactly three cards" in refusal(start, text)


def test_4_play_phase_one_card_is_laid_off_at_a_time() -> None:
    start = game(hand="6h 7h Kc Qd", melds=["3h-4h-5h"])
    assert refuses(start, "layoff 6h 7h to 3h-4h-5h")
    assert refuses(start, "layoff 6h-7h to 3h-4h-5h")
    grown = after(start, "layoff 6h to 3h-4h-5h", "layoff 7h to 3h-4h-5h-6h")
    assert melds(grown) == ["3h-4h-5h-6h-7h"]


def test_4_play_phase_a_long_opening_meld_is_built_from_three_cards() -> None:
    played = game(hand="3h 4h 5h 6h 7h Jo 9h Kc")
    for text in (
        "meld 3h-4h-5h",
        "layoff 6h to 3h-4h-5h",
        "layoff 7h to 3h-4h-5h-6h",
        "layoff *(8h) to 3h-4h-5h-6h-7h",
        "layoff 9h to 3h-4h-5h-6h-7h-Jo(8h)",
    ):
        played.play(text)
    assert melds(played) == ["3h-4h-5h-6h-7h-Jo(8h)-9h"]


@pytest.mark.parametrize("first", ["meld 6c-6d-6s", "layoff Th to 7h-8h-9h", "meld Jd-Qd-Kd"])
def test_4_play_phase_any_number_in_any_order(first: str) -> None:
    start = game(hand="6c 6d 6s Jd Qd Kd Th 3c 4s", melds=["7h-8h-9h"])
    plays = {"meld 6c-6d-6s", "layoff Th to 7h-8h-9h", "meld Jd-Qd-Kd"}
    played = after(start, first, *sorted(plays - {first}))
    assert melds(played) == ["Jd-Qd-Kd", "7h-8h-9h-Th", "6c-6d-6s"]
    assert hand(played) == "3c 4s"


def test_4_play_phase_cards_that_are_not_held_cannot_be_laid() -> None:
    start = game(hand="5h 6h Kc Qd", melds=["8s-9s-Ts"])
    assert "does not hold the cards" in refusal(start, "meld 5h-6h-7h")
    assert "does not hold the cards" in refusal(start, "layoff Js to 8s-9s-Ts")


def test_4_discard_any_card_of_the_hand() -> None:
    start = game(hand="Ac 2d Th Jo Jo Kc")
    assert starting_with(start, "discard") == ["Ac", "Kc", "2d", "Th", "Jo"]
    assert "holds no 3c" in refusal(start, "discard 3c")


def test_4_discard_goes_on_top_of_the_pile_and_ends_the_turn() -> None:
    start = game(hand="Kc Qd 7h", pile="9s Th", turn=8)
    place = after(start, "discard Qd").position()
    assert place["discard_pile"] == "9s Th Qd"
    assert place["hands"][0] == "Kc 7h"
    assert (place["seat"], place["phase"], place["turn"]) == (1, "draw", 9)
    assert len(place["hands"][1].split()) == FILLER_HAND


def test_4_discard_is_the_only_way_to_end_a_turn() -> None:
    start = game(hand="Kc Qd 7h")
    assert start.legal() == ["discard Kc", "discard Qd", "discard 7h"]
    for text in ("pass", "end", "discard", "discard Kc Qd", ""):
        assert "written like no decision" in refusal(start, text)


def test_4_discard_after_it_the_turn_is_over() -> None:
    played = after(game(hand="Kc 5h 6h 7h"), "discard Kc")
    assert "belongs to phase play" in refusal(played, "meld 5h-6h-7h")
