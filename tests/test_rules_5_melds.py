"""Section 5 of the rules: new runs and sets, and which wild is used."""

from __future__ import annotations

import pytest

from burraco_env import PositionError
from tests.positions import (
    after,
    allows,
    game,
    hand,
    melds,
    position,
    refusal,
    refuses,
    starting_with,
)

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]

RANKS = "A3456789TJQK"


def test_5_runs_three_consecutive_places_of_one_suit() -> None:
    start = game(hand="Ah 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah Kc")
    assert starting_with(start, "meld") == [
        "3h-4h-5h", "4h-5h-6h", "5h-6h-7h", "6h-7h-8h", "7h-8h-9h", "8h-9h-Th", "9h-Th-Jh",
        "Th-Jh-Qh", "Jh-Qh-Kh", "Qh-Kh-Ah",
    ]  # fmt: skip


@pytest.mark.parametrize("suit", list("cdhs"))
def test_5_runs_of_every_suit_from_the_low_ace_to_the_high_ace(suit: str) -> None:
    cards = [rank + suit for rank in "A23QK"]
    start = game(hand=" ".join([*cards, "7c", "9d"]))
    naturals = [text for text in starting_with(start, "meld") if "*" not in text]
    assert naturals == [f"A{suit}-2{suit}-3{suit}", f"Q{suit}-K{suit}-A{suit}"]


@pytest.mark.parametrize(
    "text", ["Kh-Ah-2h", "5h-4h-3h", "3h-5h-6h", "3h-4h-5d", "3h-3h-4h", "Ah-Qh-Kh", "Qh-Ah-Kh"]
)
def test_5_runs_no_wrap_no_gap_no_other_suit_no_other_order(text: str) -> None:
    assert refuses(game(hand="Ah 2h 3h 3h 4h 5h 5d 6h Qh Kh 9c"), f"meld {text}")


def test_5_runs_one_wild_in_any_place() -> None:
    start = game(hand="7h 8h 9h Jo Kc")
    assert sorted(starting_with(start, "meld")) == sorted(
        [
            "7h-8h-9h",
            "*(6h)-7h-8h",
            "7h-8h-*(9h)",
            "7h-*(8h)-9h",
            "*(7h)-8h-9h",
            "8h-9h-*(Th)",
        ]
    )


def test_5_runs_at_most_one_wild_and_at_least_two_naturals() -> None:
    start = game(hand="7h Jo 2s 2d Kc")
    assert starting_with(start, "meld") == []
    assert refuses(start, "meld *(6h)-7h-*(8h)")


def test_5_runs_a_wild_may_be_either_ace() -> None:
    start = game(hand="Qh Kh Jo 2h 3h 7c")
    low, high = "meld *(Ah)-2h-3h", "meld Qh-Kh-*(Ah)"
    assert melds(after(start, low)) == ["Jo(Ah)-2h-3h"]
    assert allows(start, high)


def test_5_runs_no_place_beyond_the_aces() -> None:
    start = game(hand="Kh Ah Jo 2h 9c 7d")
    assert sorted(starting_with(start, "meld")) == ["*(Qh)-Kh-Ah", "Ah-2h-*(3h)"]


def test_5_runs_the_natural_two() -> None:
    start = game(hand="2h 3h 4h Kc")
    assert starting_with(start, "meld") == ["2h-3h-4h", "3h-4h-*(5h)"]
    assert melds(after(start, "meld 2h-3h-4h")) == ["2h-3h-4h"]


def test_5_runs_the_two_of_the_suit_is_never_the_wild_of_place_two() -> None:
    start = game(hand="2h 3h 4h Kc")
    assert refuses(start, "meld *(2h)-3h-4h")
    with pytest.raises(PositionError, match="the two of the suit is natural in place 2"):
        game(hand="Kc Qd", melds=["2h(2h)-3h-4h"])


@pytest.mark.parametrize("wild", ["2c", "2s", "Jo"])
def test_5_runs_a_natural_two_and_a_wild(wild: str) -> None:
    start = game(hand=f"2h 3h {wild} Kc Qd")
    assert melds(after(start, "meld 2h-3h-*(4h)")) == [f"2h-3h-{wild}(4h)"]
    assert melds(after(start, "meld *(Ah)-2h-3h")) == [f"{wild}(Ah)-2h-3h"]


def test_5_runs_a_natural_two_and_the_other_two_of_the_suit_as_the_wild() -> None:
    start = game(hand="2h 2h 3h 4h Kc Qd")
    assert sorted(starting_with(start, "meld")) == sorted(
        ["*(Ah)-2h-3h", "2h-3h-4h", "2h-*(3h)-4h", "2h-3h-*(4h)", "3h-4h-*(5h)"]
    )
    assert melds(after(start, "meld 2h-*(3h)-4h")) == ["2h-2h(3h)-4h"]


def test_5_runs_one_two_of_the_suit_cannot_be_natural_and_wild() -> None:
    start = game(hand="2h 3h 4h Kc Qd")
    assert refuses(start, "meld 2h-*(3h)-4h")
    assert refuses(start, "meld 2h-3h-*(4h)")
    assert refuses(start, "meld *(Ah)-2h-3h")


@pytest.mark.parametrize(("needs_three", "legal"), [(False, True), (True, False)])
@pytest.mark.parametrize("text", ["2h-*(3h)-4h", "Ah-2h-*(3h)"])
def test_5_runs_natural_two_needs_three(text: str, needs_three: bool, legal: bool) -> None:
    start = game(hand="Ah 2h 4h Jo Kc Qd", natural_two_needs_three=needs_three)
    assert allows(start, f"meld {text}") == legal
    if not legal:
        assert "natural_two_needs_three" in refusal(start, f"meld {text}")


@pytest.mark.parametrize("text", ["2h-3h-*(4h)", "*(Ah)-2h-3h", "Ah-2h-3h", "Ah-*(2h)-3h"])
def test_5_runs_natural_two_needs_three_and_has_it(text: str) -> None:
    assert allows(game("rummyroyal", hand="Ah 2h 3h Jo Kc Qd"), f"meld {text}")


@pytest.mark.parametrize("meld", ["2h-Jo(3h)-4h", "Ah-2h-Jo(3h)", "2h-2h(3h)-4h-5h"])
def test_5_runs_natural_two_needs_three_positions(meld: str) -> None:
    game(hand="Kc Qd", melds=[meld])
    with pytest.raises(PositionError, match="natural_two_needs_three"):
        game("rummyroyal", hand="Kc Qd", melds=[meld])


def test_5_runs_any_number_of_a_suit() -> None:
    start = game(hand="3h 4h 5h Kc", melds=["3h-4h-5h", "6h-7h-8h"])
    assert melds(after(start, "meld 3h-4h-5h")) == ["3h-4h-5h", "3h-4h-5h", "6h-7h-8h"]


@pytest.mark.parametrize(
    ("ranks", "cards", "expected"),
    [
        ("A2345789TJQK", "4h 5h 7h 8h Jo", ["*(3h)-4h-5h", "7h-8h-*(9h)"]),  # no six
        ("23456789TJQK", "2h 3h Qh Kh Jo", ["*(Jh)-Qh-Kh", "2h-3h-*(4h)"]),  # no ace
        ("A3456789TJQK", "Ah 3h 4h Jo", ["3h-4h-*(5h)"]),  # no two
        ("A23456789TJQ", "Jh Qh Ah Jo", ["*(Th)-Jh-Qh"]),  # no king
    ],
)
def test_5_runs_a_place_whose_rank_is_not_in_the_deck_does_not_exist(
    ranks: str, cards: str, expected: list[str]
) -> None:
    start = game(hand=f"{cards} 9c", ranks=ranks)
    assert sorted(starting_with(start, "meld")) == expected


def test_5_runs_mini_has_no_high_ace() -> None:
    start = game("mini", hand="6c 7c Ac 2d 5d")
    assert starting_with(start, "meld") == ["*(5c)-6c-7c"]


@pytest.mark.parametrize("rank", list(RANKS))
def test_5_sets_of_every_rank_but_two(rank: str) -> None:
    start = game(hand=f"{rank}c {rank}d {rank}s {'7h' if rank != '7' else '9h'}")
    assert starting_with(start, "meld") == [f"{rank}c-{rank}d-{rank}s"]


def test_5_sets_of_any_suits_identical_cards_allowed() -> None:
    start = game(hand="6c 6c 6d 6d Kh Qs")
    assert starting_with(start, "meld") == ["6c-6c-6d", "6c-6d-6d"]
    assert melds(after(start, "meld 6c-6d-6d")) == ["6c-6d-6d"]


@pytest.mark.parametrize("wild", ["Jo", "2c", "2d", "2h", "2s"])
def test_5_sets_two_naturals_and_a_wild(wild: str) -> None:
    start = game(hand=f"6c 6c 6d {wild} Kh Qs")
    assert sorted(starting_with(start, "meld")) == ["6c-6c-*", "6c-6c-6d", "6c-6d-*"]
    assert melds(after(start, "meld 6c-6d-*")) == [f"6c-6d-{wild}"]


def test_5_sets_at_most_one_wild() -> None:
    start = game(hand="6c Jo 2s Kh Qs")
    assert starting_with(start, "meld") == []
    with pytest.raises(PositionError):
        game(hand="Kc Qd", melds=["6c-6d-Jo-2s"])


@pytest.mark.parametrize("text", ["2c-2d-2h", "2c-2d-*", "Jo-Jo-Jo"])
def test_5_sets_none_of_twos_or_jokers(text: str) -> None:
    start = game(hand="2c 2d 2h Jo Jo Jo Kc")
    assert starting_with(start, "meld") == []
    assert refuses(start, f"meld {text}")


@pytest.mark.parametrize("text", ["6d-6c-6h", "6h-6d-6c", "*-6c-6d", "6c-*-6d"])
def test_5_sets_are_written_naturals_in_canonical_order_then_the_wild(text: str) -> None:
    start = game(hand="6c 6d 6h Jo Kc")
    assert "canonical order" in refusal(start, f"meld {text}")


@pytest.mark.parametrize("rank", list(RANKS))
def test_5_sets_set_ranks_international_aces_and_threes_only(rank: str) -> None:
    start = game("international", hand=f"{rank}c {rank}d {rank}s {'7h' if rank != '7' else '9h'}")
    text = f"meld {rank}c-{rank}d-{rank}s"
    assert allows(start, text) == (rank in "A3")
    if rank not in "A3":
        assert "set_ranks" in refusal(start, text)


@pytest.mark.parametrize("rank", list(RANKS))
def test_5_sets_set_ranks_reale_none(rank: str) -> None:
    start = game("reale", hand=f"{rank}c {rank}d {rank}s {'7h' if rank != '7' else '9h'}")
    assert starting_with(start, "meld") == []


def test_5_sets_set_ranks_can_be_overridden() -> None:
    named = {"hand": "Kc Kd Kh 7c 7d 7h 9s", "set_ranks": "K"}
    assert starting_with(game(**named), "meld") == ["Kc-Kd-Kh"]
    with pytest.raises(PositionError, match="set_ranks is 'K'"):
        game(hand="9s Kc", melds=["7c-7d-7h"], set_ranks="K")


@pytest.mark.parametrize("text", ["meld 6c-6d-6h", "meld 6c-6d-*"])
@pytest.mark.parametrize("first", ["6d-6h-6s", "6s-6s-Jo"])
def test_5_sets_one_set_per_rank(text: str, first: str) -> None:
    named = {"hand": "6c 6d 6h 2s Kc Qd", "melds": [first]}
    assert "one_set_per_rank" in refusal(game(**named), text)
    assert allows(game(**named, one_set_per_rank=False), text)
    assert allows(game(**named | {"melds": [], "opponents": [first]}), text)


def test_5_sets_one_set_per_rank_counts_those_of_the_partner() -> None:
    assert refuses(game(seat=2, hand="6c 6d 6h Kc", melds=["6d-6h-6s"]), "meld 6c-6d-6h")


def test_5_sets_one_set_per_rank_the_cards_may_be_laid_off_instead() -> None:
    start = game(hand="6c 6d Kc Qd", melds=["6d-6h-6s"])
    assert starting_with(start, "layoff") == ["6c to 6d-6h-6s", "6d to 6d-6h-6s"]


def test_5_sets_one_set_per_rank_does_not_concern_runs() -> None:
    assert allows(game(hand="5h 6h 7h Kc", melds=["6d-6h-6s"]), "meld 5h-6h-7h")


def test_5_sets_up_to_four_of_a_rank() -> None:
    pairs = ["8c-8c-2c", "8d-8d-2d", "8h-8h-2h"]
    start = game("app-2005", hand="8s 8s Jo Kc Qd", melds=pairs)
    grown = after(start, "meld 8s-8s-*")
    assert melds(grown) == [*pairs, "8s-8s-Jo"]
    assert starting_with(grown, "layoff") == []


def test_5_sets_with_one_copy_of_each_card_none_is_identical() -> None:
    start = game(seats=2, hand="6c 6d 6h 6s Kc", copies=1)
    assert starting_with(start, "meld") == ["6c-6d-6h", "6c-6d-6s", "6c-6h-6s", "6d-6h-6s"]


@pytest.mark.parametrize("wild", ["Jo", "Jo Jo", "2s", "2s 2s", "2h"])
def test_5_wild_of_the_only_kind_is_used_at_once(wild: str) -> None:
    played = after(game(hand=f"7h 8h {wild} Kc Qd"), "meld 7h-8h-*(9h)")
    assert played.phase == "play"
    assert melds(played) == [f"7h-8h-{wild[:2]}(9h)"]


def test_5_wild_of_several_kinds_is_a_decision_of_its_own() -> None:
    start = game(hand="7h 8h Jo 2c 2d 2h 2s Kc")
    choosing = after(start, "meld 7h-8h-*(9h)")
    assert choosing.phase == "wild"
    assert choosing.seat == 0
    assert choosing.legal() == ["wild 2c", "wild 2d", "wild 2h", "wild 2s", "wild Jo"]
    assert melds(after(choosing, "wild 2d")) == ["7h-8h-2d(9h)"]
    assert hand(after(choosing, "wild 2d")) == "2c Kc 2h 2s Jo"


def test_5_wild_nothing_moves_before_the_choice() -> None:
    start = game(hand="7h 8h Jo 2s Kc Qd")
    choosing = after(start, "meld 7h-8h-*(9h)").position()
    assert choosing["pending"] == "meld 7h-8h-*(9h)"
    assert choosing["phase"] == "wild"
    assert start.position() | {"phase": "wild", "pending": choosing["pending"]} == choosing


def test_5_wild_nothing_else_can_be_done_while_choosing() -> None:
    choosing = after(game(hand="7h 8h Jo 2s Kc Qd"), "meld 7h-8h-*(9h)")
    for text in ("discard Kc", "meld 7h-8h-*(9h)", "draw"):
        assert "'meld 7h-8h-*(9h)'" in refusal(choosing, text)
    assert "can be 2s or Jo" in refusal(choosing, "wild 2d")
    assert "belongs to phase wild" in refusal(after(choosing, "wild Jo"), "wild 2s")


@pytest.mark.parametrize(
    ("start", "decision", "choice", "result"),
    [
        ("6c-6d-6h", "layoff * to 6c-6d-6h", "wild 2s", "6c-6d-6h-2s"),
        ("5h-6h-7h", "layoff *(8h) to 5h-6h-7h", "wild Jo", "5h-6h-7h-Jo(8h)"),
        ("9s-Ts-Js", "meld 6c-6d-*", "wild Jo", "6c-6d-Jo"),
    ],
)
def test_5_wild_is_chosen_for_sets_and_lay_offs_too(
    start: str, decision: str, choice: str, result: str
) -> None:
    begun = game("app-2005", hand="6c 6d 2s Jo Kc Qd", melds=[start])
    choosing = after(begun, decision)
    assert choosing.position()["pending"] == decision
    assert result in melds(after(choosing, choice))


def test_5_wild_the_two_of_the_suit_is_not_offered_for_place_two() -> None:
    start = game(hand="2h 2s Jo 3h 4h Kc")
    assert after(start, "meld *(2h)-3h-4h").legal() == ["wild 2s", "wild Jo"]
    start = game(hand="2h 2s Jo Kc Qd", melds=["3h-4h-5h"])
    assert after(start, "layoff *(2h) to 3h-4h-5h").legal() == ["wild 2s", "wild Jo"]
    assert after(start, "layoff *(6h) to 3h-4h-5h").legal() == ["wild 2h", "wild 2s", "wild Jo"]


@pytest.mark.parametrize(
    ("twos", "expected"),
    [("2h", ["wild 2s", "wild Jo"]), ("2h 2h", ["wild 2h", "wild 2s", "wild Jo"])],
)
def test_5_wild_the_two_that_the_run_needs_as_a_natural_is_not_offered(
    twos: str, expected: list[str]
) -> None:
    start = game(hand=f"{twos} 3h 2s Jo Kc Qd")
    assert after(start, "meld 2h-3h-*(4h)").legal() == expected


def test_5_wild_a_kind_that_would_leave_the_seat_stuck_is_not_offered() -> None:
    # The joker was the whole pile: if the two is used, it stays alone and cannot be discarded.
    named = {"hand": "Kd Kh 2s Jo", "no_return": "Jo"}
    played = after(game(**named), "meld Kd-Kh-*")
    assert melds(played) == ["Kd-Kh-Jo"]
    assert played.legal() == ["discard 2s"]
    # With a run that can take the joker, it may stay.
    choosing = after(game(**named, melds=["5h-6h-7h"]), "meld Kd-Kh-*")
    assert choosing.legal() == ["wild 2s", "wild Jo"]


def test_5_wild_a_kind_that_would_forbid_the_closing_discard_is_not_offered() -> None:
    named = {"hand": "7d 8d 2s Jo", "taken": (0,), "melds": ["3h-4h-5h-6h-7h-8h-9h"]}
    assert refuses(game(**named), "meld 7d-8d-*(9d)")
    lifted = game(**named, wild_final_discard=True)
    assert after(lifted, "meld 7d-8d-*(9d)").legal() == ["wild 2s", "wild Jo"]


def test_5_wild_pending_positions_need_a_choice() -> None:
    named = {"phase": "wild", "pending": "meld 7h-8h-*(9h)"}
    assert game(hand="7h 8h Jo 2s Kc", **named).legal() == ["wild 2s", "wild Jo"]
    with pytest.raises(PositionError, match="several kinds of wild"):
        game(hand="7h 8h Jo Kc", **named)
    with pytest.raises(PositionError, match="several kinds of wild"):
        game(hand="7h Jo 2s Kc", **named)
    assert position(hand="7h 8h Jo 2s Kc", **named)["pending"] == named["pending"]
