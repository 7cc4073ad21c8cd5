"""Section 7 of the rules: closing, never stuck, exhaustion, stalemate."""

from __future__ import annotations

from typing import Any

import pytest

from burraco_env import Game, PositionError
from tests.positions import (
    CLEAN,
    DIRTY,
    SEMI_CLEAN,
    SIX,
    after,
    allows,
    game,
    melds,
    refusal,
    refuses,
    starting_with,
)

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]

CLEAN_SET = "6c-6c-6d-6d-6h-6h-6s"


def last_card(card: str = "Kc", meld: str = CLEAN, preset: str = "italian", **named: Any) -> Game:
    """A seat with one card left; unless told otherwise its side has all that it needs to close."""
    return game(preset, **{"hand": card, "melds": [meld], "taken": (0,), **named})


def test_7_closing_ends_the_deal() -> None:
    closed = after(last_card(turn=8), "discard Kc")
    place = closed.position()
    assert (place["outcome"], place["closed_by"], place["phase"]) == ("closed", 0, "over")
    assert (place["seat"], place["turn"]) == (0, 9)
    assert place["discard_pile"].endswith("Kc")
    assert closed.legal() == []
    assert "the deal is over" in refusal(closed, "draw")


def test_7_closing_needs_a_burraco() -> None:
    start = game(hand="9d Kc", melds=[SIX, "6d-7d-8d"], taken=(0,))
    assert "could not close" in refusal(start, "layoff 9d to 6d-7d-8d")
    assert allows(start, "discard 9d")  # a card stays, so this closes nothing


@pytest.mark.parametrize(
    "named",
    [
        {"meld": SIX},
        {"card": "Jo"},
        {"card": "2h"},
        {"meld": DIRTY, "burraco_to_close": "clean"},
        {"taken": (1,), "pozzetto_sizes": [11]},
        {"no_return": "Kc"},
    ],
)
def test_7_closing_a_last_card_that_neither_closes_nor_takes_a_pozzetto(
    named: dict[str, Any],
) -> None:
    with pytest.raises(PositionError, match="the seat to act has no legal decision"):
        last_card(**named)


@pytest.mark.parametrize(
    ("meld", "any_closes", "clean_closes"),
    [
        (CLEAN, True, True),
        (CLEAN_SET, True, True),
        (SEMI_CLEAN, True, False),
        (DIRTY, True, False),
        ("6c-6c-6d-6d-6h-6h-Jo", True, False),
        ("2h-3h-4h-5h-6h-7h-8h", True, True),  # a natural two is no wild
        (SIX, False, False),
    ],
)
def test_7_closing_burraco_to_close(meld: str, any_closes: bool, clean_closes: bool) -> None:
    # Seen before the discard, on a lay-off that leaves the last card.
    named = {"hand": "Th Kc", "melds": [meld, "7d-8d-9d", "Tc-Td-Ts"], "taken": (0,)}
    text = "layoff Th to Tc-Td-Ts"
    assert allows(game(**named), text) == any_closes
    assert allows(game(**named, burraco_to_close="clean"), text) == clean_closes
    if clean_closes:
        closed = after(game(**named, burraco_to_close="clean"), text, "discard Kc")
        assert closed.outcome == "closed"


@pytest.mark.parametrize("preset", ["clean-3000", "international", "reale"])
def test_7_closing_needs_a_clean_burraco_in(preset: str) -> None:
    dirty = DIRTY.replace("Jo", "2s")
    assert after(last_card(preset=preset), "discard Kc").outcome == "closed"
    start = last_card(preset=preset, hand="9d Kc", melds=[dirty, "6d-7d-8d"])
    assert "could not close" in refusal(start, "layoff 9d to 6d-7d-8d")


@pytest.mark.parametrize(("size", "legal"), [(6, True), (7, False)])
def test_7_closing_burraco_size(size: int, legal: bool) -> None:
    start = game(hand="9d Kc", melds=[SIX, "6d-7d-8d"], taken=(0,), burraco_size=size)
    assert allows(start, "layoff 9d to 6d-7d-8d") == legal


def test_7_closing_the_partners_pozzetto_counts() -> None:
    assert after(last_card(taken=(2,)), "discard Kc").outcome == "closed"


def test_7_closing_not_before_the_pozzetto() -> None:
    played = after(last_card(taken=()), "discard Kc")
    assert played.outcome is None
    assert played.position()["pozzetto_taken_by"] == [0, None]


@pytest.mark.parametrize("card", ["Jo", "2c", "2d", "2h", "2s"])
def test_7_closing_not_with_a_joker_or_a_two(card: str) -> None:
    named = {"hand": f"9d {card}", "melds": [CLEAN, "6d-7d-8d"], "taken": (0,)}
    text = "layoff 9d to 6d-7d-8d"
    assert "could not close" in refusal(game(**named), text)
    lifted = after(game(**named, wild_final_discard=True), text, f"discard {card}")
    assert lifted.outcome == "closed"


def test_7_closing_with_a_wild_in_rummyroyal() -> None:
    assert after(last_card("Jo", preset="rummyroyal"), "discard Jo").outcome == "closed"


def test_7_closing_when_no_pozzetto_is_left_to_take() -> None:
    # A single pozzetto, and the opponents have it.
    named = {"hand": "9d Kc", "melds": [CLEAN, "6d-7d-8d"], "taken": (1,), "pozzetto_sizes": [11]}
    text = "layoff 9d to 6d-7d-8d"
    assert refuses(game(**named), text)
    lifted = game(**named, pozzetto_to_close="unless_none_left")
    closed = after(lifted, text, "discard Kc")
    assert closed.outcome == "closed"
    assert closed.points()[0]["closing"] == 0


def test_7_closing_rummyroyal_after_the_pozzetti_became_the_stock() -> None:
    closed = after(last_card(preset="rummyroyal", taken=(), pozzetti=[]), "discard Kc")
    assert closed.outcome == "closed"


def test_7_closing_rummyroyal_not_while_a_pozzetto_is_left() -> None:
    played = after(last_card(preset="rummyroyal", taken=(), pozzetti=["3c"]), "discard Kc")
    assert played.outcome is None


@pytest.mark.parametrize(
    ("cards", "decision"),
    [
        ("5d 6d 7d", "meld 5d-6d-7d"),
        ("Th", f"layoff Th to {CLEAN}"),
        ("Jo", f"layoff *(Th) to {CLEAN}"),
        ("6c 6d Jo", "meld 6c-6d-*"),
    ],
)
def test_7_closing_is_by_discard_the_hand_is_never_emptied_by_melding(
    cards: str, decision: str
) -> None:
    named = {"melds": [CLEAN], "taken": (0,), "wild_final_discard": True}
    assert allows(game(hand=f"{cards} Kc", **named), decision)
    assert "a turn ends with a discard" in refusal(game(hand=cards, **named), decision)


def test_7_never_stuck_the_card_that_stays_must_be_one_that_closes() -> None:
    named = {"melds": [CLEAN, "6d-7d-8d"], "taken": (0,)}
    assert allows(game(hand="9d Kc", **named), "layoff 9d to 6d-7d-8d")
    assert refuses(game(hand="9d Jo", **named), "layoff 9d to 6d-7d-8d")
    assert refuses(game(hand="9d 2s", **named), "layoff 9d to 6d-7d-8d")


def test_7_never_stuck_two_cards_may_stay_whatever_they_are() -> None:
    named = {"melds": ["6d-7d-8d"], "taken": (0,)}
    played = after(game(hand="9d Jo 2s", **named), "layoff 9d to 6d-7d-8d")
    assert starting_with(played, "discard") == ["2s", "Jo"]
    assert refuses(game(hand="9d Jo", **named), "layoff 9d to 6d-7d-8d")


def test_7_never_stuck_the_play_itself_may_make_the_burraco() -> None:
    start = game(hand="9h Kc", melds=[SIX], taken=(0,))
    assert after(start, f"layoff 9h to {SIX}", "discard Kc").outcome == "closed"
    start = game(hand="8h Kc", melds=[SIX.removesuffix("-8h")], taken=(0,))
    assert refuses(start, f"layoff 8h to {SIX.removesuffix('-8h')}")


def test_7_never_stuck_the_play_itself_may_spoil_the_burraco() -> None:
    named = {"hand": "Jo Kc", "melds": [CLEAN], "taken": (0,)}
    text = f"layoff *(Th) to {CLEAN}"
    assert allows(game(**named), text)
    assert refuses(game(**named, burraco_to_close="clean"), text)


def test_7_never_stuck_a_slide_may_clean_the_burraco() -> None:
    run = "3h-4h-5h-6h-7h-8h-2h(9h)"
    named = {"hand": "Ah Kc", "melds": [run], "taken": (0,), "burraco_to_close": "clean"}
    start = game("app-2005", **named)
    closed = after(start, f"layoff Ah to {run} wild=2h", "discard Kc")
    assert melds(closed) == ["Ah-2h-3h-4h-5h-6h-7h-8h"]
    assert closed.outcome == "closed"


def test_7_never_stuck_a_new_meld_too() -> None:
    named = {"melds": [CLEAN], "taken": (0,)}
    assert allows(game(hand="5d 6d 7d Kc", **named), "meld 5d-6d-7d")
    assert refuses(game(hand="5d 6d 7d Jo", **named), "meld 5d-6d-7d")
    assert allows(game(hand="5d 6d Jo Kc", **named), "meld 5d-6d-*(7d)")
    assert refuses(game(hand="5d 6d 2s Jo", **named), "meld 5d-6d-*(7d)")


def test_7_never_stuck_with_a_pozzetto_to_take_any_card_may_stay() -> None:
    for card in ("Kc", "Jo", "2h"):
        assert allows(game(hand=f"9d {card}", melds=["6d-7d-8d"]), "layoff 9d to 6d-7d-8d")


@pytest.mark.parametrize(
    ("card", "others", "legal"),
    [
        ("Kc", [], False),  # nowhere to go
        ("Td", [], True),  # onto the run that the 9d makes
        ("5d", [], True),
        ("Ks", ["Kc-Kd-Kh"], True),
        ("Jo", [], True),  # a wild fits the run
        ("2s", [], True),
        ("2d", [], True),
        ("Jo", ["full"], False),
    ],
)
def test_7_never_stuck_a_lone_no_return_card_must_fit_somewhere(
    card: str, others: list[str], legal: bool
) -> None:
    run = "6d-2s(7d)-8d" if others == ["full"] else "6d-7d-8d"
    laid = [run, *(text for text in others if text != "full")]
    start = game(hand=f"9d {card}", melds=laid, no_return=card)
    assert allows(start, f"layoff 9d to {run}") == legal
    if not legal:
        assert "be laid off or discarded" in refusal(start, f"layoff 9d to {run}")


def test_7_never_stuck_a_lone_no_return_card_that_would_close() -> None:
    named = {"hand": "9d Kc", "melds": [CLEAN, "6d-7d-8d"], "taken": (0,)}
    assert allows(game(**named), "layoff 9d to 6d-7d-8d")
    assert refuses(game(**named, no_return="Kc"), "layoff 9d to 6d-7d-8d")


def test_7_never_stuck_a_pickup_with_one_card_in_hand() -> None:
    start = game(hand="Kc", phase="draw", pile="9s", taken=(0,))
    assert after(start, "pickup").legal() == ["discard Kc"]


def test_7_exhaustion_at_the_end_of_a_turn() -> None:
    assert after(game(hand="Kc Qd", stock=3, pile="9s"), "discard Kc").outcome is None
    exhausted = after(game(hand="Kc Qd", stock=2, pile="9s"), "discard Kc")
    assert (exhausted.outcome, exhausted.phase) == ("exhausted", "over")
    assert exhausted.position()["closed_by"] is None


@pytest.mark.parametrize(("dead_stock", "left", "ends"), [
    (0, 1, False), (0, 0, True), (2, 3, False), (2, 2, True), (2, 1, True), (5, 6, False),
    (5, 5, True),
])  # fmt: skip
def test_7_exhaustion_dead_stock(dead_stock: int, left: int, ends: bool) -> None:
    played = after(game(hand="Kc Qd", stock=left, dead_stock=dead_stock), "discard Kc")
    assert played.is_over == ends


@pytest.mark.parametrize(("preset", "left", "ends"), [
    ("italian", 2, True), ("pairs-app", 2, False), ("pairs-app", 0, True), ("rummyroyal", 1, False),
    ("clean-3000", 2, True), ("coppie-2000", 2, True), ("fitab", 2, True), ("app-2005", 2, True),
])  # fmt: skip
def test_7_exhaustion_in_the_presets(preset: str, left: int, ends: bool) -> None:
    assert after(game(preset, hand="Kc Qd", stock=left), "discard Kc").is_over == ends


def test_7_exhaustion_whoever_drew_the_last_playable_card_finishes_the_turn() -> None:
    start = game(hand="8d Kc Qs", phase="draw", stock="9d 3c 4c", melds=["5d-6d-7d"])
    drawn = after(start, "draw", "layoff 8d to 5d-6d-7d", "layoff 9d to 5d-6d-7d-8d")
    assert after(drawn, "discard Kc").outcome == "exhausted"


def test_7_exhaustion_the_last_turn_may_still_close() -> None:
    closed = after(last_card(stock=2), "discard Kc")
    assert closed.outcome == "closed"


def test_7_exhaustion_the_pile_cannot_prolong_the_deal() -> None:
    start = game(hand="Kc Qd", phase="draw", stock=2, pile="9s Th 3d", hands={1: "3c"})
    # Such a position is not reached by play, since the turn before would have ended the deal.
    assert after(start, "pickup", "discard Kc").outcome == "exhausted"


def test_7_exhaustion_a_pickup_does_not_bring_it_nearer() -> None:
    start = game(hand="Kc Qd", phase="draw", stock=3, pile="9s Th 3d")
    assert after(start, "pickup", "discard Kc").outcome is None
    assert after(start, "draw", "discard Kc").outcome == "exhausted"


def test_7_exhaustion_not_while_a_pozzetto_can_refill_the_stock() -> None:
    named = {"hand": "Kc Qd", "stock": "", "pile": "9s"}
    assert after(game("rummyroyal", **named), "discard Kc").outcome is None
    assert after(game("rummyroyal", **named, pozzetti=["3c"]), "discard Kc").outcome is None
    assert after(game("rummyroyal", **named, pozzetti=[]), "discard Kc").outcome == "exhausted"
    assert after(game("pairs-app", **named), "discard Kc").outcome == "exhausted"


def test_7_exhaustion_after_the_pozzetto_that_the_same_discard_took() -> None:
    place = after(game(hand="Kc", stock=2), "discard Kc").position()
    assert place["outcome"] == "exhausted"
    assert place["pozzetto_taken_by"] == [0, None]
    assert len(place["hands"][0].split()) == 11
    # In rummyroyal the last pozzetto that could refill the stock is the one just taken.
    named = {"hand": "Kc", "stock": ""}
    assert after(game("rummyroyal", **named), "discard Kc").outcome is None
    last = after(game("rummyroyal", **named, pozzetti=["3c"]), "discard Kc")
    assert last.outcome == "exhausted"


@pytest.mark.parametrize(("turn", "max_turns", "ends"), [
    (398, 400, False), (399, 400, True), (8, 10, False), (9, 10, True), (0, 1, True),
])  # fmt: skip
def test_7_stalemate_after_max_turns(turn: int, max_turns: int, ends: bool) -> None:
    played = after(game(hand="Kc Qd", turn=turn, max_turns=max_turns), "discard Kc")
    assert played.turn == turn + 1
    assert played.outcome == ("stalemate" if ends else None)


def test_7_stalemate_the_closing_turn_counts_as_a_turn() -> None:
    assert after(last_card(turn=8), "discard Kc").turn == 9


def test_7_ends_that_fall_together_closed_exhausted_stalemate() -> None:
    assert after(last_card(turn=399, stock=2), "discard Kc").outcome == "closed"
    assert after(last_card(turn=399), "discard Kc").outcome == "closed"
    both = game(hand="Kc Qd", turn=399, stock=2)
    assert after(both, "discard Kc").outcome == "exhausted"


def test_7_stalemate_with_the_pozzetto_that_the_same_discard_took() -> None:
    place = after(game(hand="Kc", turn=399), "discard Kc").position()
    assert place["outcome"] == "stalemate"
    assert place["pozzetto_taken_by"] == [0, None]
