"""Section 5 of the rules: laying off on sets, and on runs by its rules 1 to 5."""

from __future__ import annotations

import pytest

from burraco_env import PositionError
from tests.positions import (
    ACE_TO_ACE,
    ACE_TO_KING,
    SIX,
    TWO_TO_ACE,
    TWO_TO_KING,
    TWO_TO_QUEEN,
    after,
    allows,
    game,
    hand,
    melds,
    refuses,
    starting_with,
)

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]


def layoffs(meld: str, cards: str, preset: str = "italian", **overrides: bool) -> list[str]:
    """The legal lay-offs of some cards on one meld: what is laid, and the words behind the meld."""
    # The other cards of the hand fit nowhere, and keep the seat from being stuck.
    start = game(preset, hand=f"{cards} Tc Jd", melds=[meld], **overrides)
    return sorted(text.replace(f" to {meld}", "") for text in starting_with(start, "layoff"))


def laid_off(meld: str, cards: str, words: str, preset: str = "italian", **overrides: bool) -> str:
    """The meld after one lay-off, given as `layoffs` lists it."""
    start = game(preset, hand=f"{cards} Tc Jd", melds=[meld], **overrides)
    card, _, rest = words.partition(" ")
    (grown,) = melds(after(start, f"layoff {card} to {meld} {rest}".strip()))
    return grown


def test_5_laying_off_on_a_set_a_natural_of_the_rank() -> None:
    assert layoffs("6c-6d-6h", "6c 6s 7s 5h") == ["6c", "6s"]
    assert laid_off("6c-6d-6h", "6c", "6c") == "6c-6c-6d-6h"


def test_5_laying_off_on_a_set_up_to_eight_naturals() -> None:
    seven = "6c-6c-6d-6d-6h-6h-6s"
    assert laid_off(seven, "6s", "6s") == f"{seven}-6s"
    assert layoffs(f"{seven}-6s", "Jo") == ["*"]


@pytest.mark.parametrize("wild", ["Jo", "2c", "2d", "2h", "2s"])
def test_5_laying_off_on_a_set_a_wild_if_it_has_none(wild: str) -> None:
    assert laid_off("6c-6d-6h", wild, "*") == f"6c-6d-6h-{wild}"
    assert laid_off("6c-6d-6h-6s-6s", wild, "*") == f"6c-6d-6h-6s-6s-{wild}"


@pytest.mark.parametrize("first", ["Jo", "2s"])
def test_5_laying_off_on_a_set_no_second_wild(first: str) -> None:
    assert layoffs(f"6c-6d-{first}", "Jo 2d 2s") == []


def test_5_laying_off_on_a_set_a_natural_beside_its_wild() -> None:
    assert laid_off("6c-6d-Jo", "6s", "6s") == "6c-6d-6s-Jo"
    assert laid_off("6c-6c-6d-6d-6h-6h-6s-Jo", "6s", "6s") == "6c-6c-6d-6d-6h-6h-6s-6s-Jo"


def test_5_laying_off_on_a_set_its_wild_is_never_replaced_or_moved() -> None:
    start = game(hand="6h 6s Kc Qd", melds=["6c-6d-Jo"])
    assert starting_with(start, "layoff") == ["6h to 6c-6d-Jo", "6s to 6c-6d-Jo"]
    assert refuses(start, "layoff 6h to 6c-6d-Jo wild=6s")
    assert "Jo" not in hand(after(start, "layoff 6h to 6c-6d-Jo"))


def test_5_laying_off_on_a_run_rule_1_a_natural_at_either_end() -> None:
    assert layoffs("5h-6h-7h", "3h 4h 5h 6h 8h 9h 4d 8s") == ["4h", "8h"]
    assert laid_off("5h-6h-7h", "4h", "4h") == "4h-5h-6h-7h"
    assert laid_off("5h-6h-7h", "8h", "8h") == "5h-6h-7h-8h"


def test_5_laying_off_on_a_run_rule_1_beside_its_wild() -> None:
    assert laid_off("Jo(4h)-5h-6h", "3h", "3h") == "3h-Jo(4h)-5h-6h"
    assert laid_off("4h-5h-2s(6h)", "7h", "7h") == "4h-5h-2s(6h)-7h"


def test_5_laying_off_on_a_run_rule_1_no_place_below_the_low_or_above_the_high_ace() -> None:
    assert layoffs("Ah-2h-3h", "Kh Qh 4h") == ["4h"]
    assert layoffs("Qh-Kh-Ah", "3h 4h Jh") == ["Jh"]


def test_5_laying_off_on_a_run_rule_1_the_ace_low_or_high() -> None:
    assert layoffs("2h-3h-4h", "Ah") == ["Ah"]
    assert laid_off("2h-3h-4h", "Ah", "Ah") == "Ah-2h-3h-4h"
    assert layoffs("Jh-Qh-Kh", "Ah") == ["Ah"]
    assert laid_off("Jh-Qh-Kh", "Ah", "Ah") == "Jh-Qh-Kh-Ah"


def test_5_laying_off_on_a_run_rule_1_an_ace_that_fits_both_ends_says_which() -> None:
    assert layoffs(TWO_TO_KING, "Ah") == ["Ah at high", "Ah at low"]
    assert laid_off(TWO_TO_KING, "Ah", "Ah at low") == ACE_TO_KING
    assert laid_off(TWO_TO_KING, "Ah", "Ah at high") == TWO_TO_ACE
    assert refuses(game(hand="Ah Tc Jd", melds=[TWO_TO_KING]), f"layoff Ah to {TWO_TO_KING}")


@pytest.mark.parametrize("meld", ["2h-3h-4h", "Jh-Qh-Kh", "Jo(2h)-3h-4h"])
@pytest.mark.parametrize("end", ["low", "high"])
def test_5_laying_off_on_a_run_rule_1_no_suffix_where_only_one_end_fits(
    meld: str, end: str
) -> None:
    assert refuses(game(hand="Ah Tc Jd", melds=[meld]), f"layoff Ah to {meld} at {end}")


@pytest.mark.parametrize("meld", [ACE_TO_KING, TWO_TO_ACE])
def test_5_laying_off_on_a_run_rule_1_ace_both_ends(meld: str) -> None:
    assert layoffs(meld, "Ah") == []
    assert layoffs(meld, "Ah", ace_both_ends=True) == ["Ah"]
    assert laid_off(meld, "Ah", "Ah", "clean-3000") == ACE_TO_ACE
    assert refuses(game(hand="Ah Tc Jd", melds=[meld]), f"layoff Ah to {meld}")


def test_5_laying_off_on_a_run_rule_1_ace_both_ends_positions() -> None:
    game("clean-3000", hand="Kc Qd", melds=[ACE_TO_ACE])
    with pytest.raises(PositionError, match="ace_both_ends"):
        game(hand="Kc Qd", melds=[ACE_TO_ACE])


def test_5_laying_off_on_a_run_rule_1_the_ace_opposite_a_wild_ace() -> None:
    low, high = f"Jo(Ah)-{TWO_TO_KING}", f"{TWO_TO_KING}-Jo(Ah)"
    assert laid_off(low, "Ah", "Ah") == f"{low}-Ah"
    assert laid_off(high, "Ah", "Ah") == f"Ah-{high}"


def test_5_laying_off_on_a_run_rule_1_at_most_fourteen_cards() -> None:
    assert layoffs(ACE_TO_ACE, "Jo 2s 3h Kh 2h", "clean-3000") == []
    assert layoffs(f"{ACE_TO_KING}-Jo(Ah)", "2s 3h Kh Ah", "app-2005") == []


def test_5_laying_off_on_a_run_rule_1_the_two_of_the_suit_is_natural_in_its_place() -> None:
    assert layoffs("3h-4h-5h", "2h") == ["*(6h)", "2h"]
    assert laid_off("3h-4h-5h", "2h", "2h") == "2h-3h-4h-5h"
    assert laid_off("3h-4h-Jo(5h)", "2h", "2h") == "2h-3h-4h-Jo(5h)"
    assert laid_off("Jo(3h)-4h-5h", "2h", "2h") == "2h-Jo(3h)-4h-5h"
    assert laid_off("3h-2h(4h)-5h", "2h", "2h") == "2h-3h-2h(4h)-5h"


def test_5_laying_off_on_a_run_rule_1_natural_two_needs_three() -> None:
    assert "2h" not in layoffs("Jo(3h)-4h-5h", "2h", natural_two_needs_three=True)
    assert "2h" in layoffs("3h-Jo(4h)-5h", "2h", natural_two_needs_three=True)


def test_5_laying_off_on_a_run_rule_1_no_natural_where_the_place_is_not_in_the_deck() -> None:
    start = game("mini", hand="3c 4d 4c", melds=["5c-6c-7c"])
    assert starting_with(start, "layoff") == ["4c to 5c-6c-7c"]
    start = game(hand="3h 7h 8h Tc", melds=["3h-4h-5h"], ranks="A2345789TJQK")
    assert starting_with(start, "layoff") == []


@pytest.mark.parametrize("wild", ["Jo", "2c", "2h"])
def test_5_laying_off_on_a_run_rule_2_a_wild_at_the_end_that_the_player_chooses(wild: str) -> None:
    assert layoffs("5h-6h-7h", wild) == ["*(4h)", "*(8h)"]
    assert laid_off("5h-6h-7h", wild, "*(4h)") == f"{wild}(4h)-5h-6h-7h"
    assert laid_off("5h-6h-7h", wild, "*(8h)") == f"5h-6h-7h-{wild}(8h)"


@pytest.mark.parametrize("meld", ["4h-Jo(5h)-6h", "2s(4h)-5h-6h", "4h-5h-2h(6h)", "2h-2h(3h)-4h"])
def test_5_laying_off_on_a_run_rule_2_no_second_wild(meld: str) -> None:
    assert layoffs(meld, "Jo 2c 2d") == []


def test_5_laying_off_on_a_run_rule_2_a_natural_two_is_no_wild() -> None:
    assert layoffs("2h-3h-4h", "Jo") == ["*(5h)", "*(Ah)"]
    assert laid_off("2h-3h-4h", "2s", "*(5h)") == "2h-3h-4h-2s(5h)"


def test_5_laying_off_on_a_run_rule_2_the_edges() -> None:
    assert layoffs("Ah-2h-3h", "Jo") == ["*(4h)"]
    assert layoffs("Qh-Kh-Ah", "Jo") == ["*(Jh)"]
    assert layoffs(TWO_TO_QUEEN, "Jo") == ["*(Ah)", "*(Kh)"]
    assert layoffs(ACE_TO_KING, "Jo") == ["*(Ah)"]
    assert laid_off(ACE_TO_KING, "Jo", "*(Ah)") == f"{ACE_TO_KING}-Jo(Ah)"
    assert laid_off(TWO_TO_ACE, "Jo", "*(Ah)") == f"Jo(Ah)-{TWO_TO_ACE}"


def test_5_laying_off_on_a_run_rule_2_a_wild_ace_that_fits_both_ends_says_which() -> None:
    assert layoffs(TWO_TO_KING, "Jo") == ["*(Ah) at high", "*(Ah) at low"]
    assert laid_off(TWO_TO_KING, "Jo", "*(Ah) at low") == f"Jo(Ah)-{TWO_TO_KING}"
    assert laid_off(TWO_TO_KING, "Jo", "*(Ah) at high") == f"{TWO_TO_KING}-Jo(Ah)"


def test_5_laying_off_on_a_run_rule_2_pending_keeps_the_suffix() -> None:
    start = game(hand="Jo 2s Tc Jd", melds=[TWO_TO_KING])
    choosing = after(start, f"layoff *(Ah) to {TWO_TO_KING} at low")
    assert choosing.position()["pending"] == f"layoff *(Ah) to {TWO_TO_KING} at low"
    assert melds(after(choosing, "wild 2s")) == [f"2s(Ah)-{TWO_TO_KING}"]


def test_5_laying_off_on_a_run_rule_2_the_two_of_the_suit_is_no_wild_in_place_two() -> None:
    start = game(hand="2h Tc Jd", melds=["3h-4h-5h"])
    assert refuses(start, "layoff *(2h) to 3h-4h-5h")
    assert "*(2h)" in layoffs("3h-4h-5h", "2s")
    assert laid_off("3h-4h-5h", "2s", "*(2h)") == "2s(2h)-3h-4h-5h"


def test_5_laying_off_on_a_run_rule_2_no_place_that_is_not_in_the_deck() -> None:
    start = game("mini", hand="Jo 4d 3d", melds=["5c-6c-7c"])
    assert starting_with(start, "layoff") == ["*(4c) to 5c-6c-7c"]
    start = game(hand="Jo Tc", melds=["3h-4h-5h"], ranks="A2345789TJQK")
    assert starting_with(start, "layoff") == ["*(2h) to 3h-4h-5h"]


def test_5_laying_off_on_a_run_rule_3_replacement_the_player_chooses_where_the_wild_goes() -> None:
    meld = "3h-Jo(4h)-5h"
    assert layoffs(meld, "4h") == ["4h wild=2h", "4h wild=6h"]
    assert laid_off(meld, "4h", "4h wild=2h") == "Jo(2h)-3h-4h-5h"
    assert laid_off(meld, "4h", "4h wild=6h") == "3h-4h-5h-Jo(6h)"
    assert refuses(game(hand="4h Tc Jd", melds=[meld]), f"layoff 4h to {meld}")


@pytest.mark.parametrize(
    ("meld", "card", "low", "high"),
    [
        ("Jo(4h)-5h-6h", "4h", "Jo(3h)-4h-5h-6h", "4h-5h-6h-Jo(7h)"),
        ("4h-5h-2s(6h)", "6h", "2s(3h)-4h-5h-6h", "4h-5h-6h-2s(7h)"),
        ("4h-5h-2h(6h)-7h", "6h", "2h(3h)-4h-5h-6h-7h", "4h-5h-6h-7h-2h(8h)"),
    ],
)
def test_5_laying_off_on_a_run_rule_3_replacement_anywhere_in_the_run(
    meld: str, card: str, low: str, high: str
) -> None:
    below, above = low[3:5], high[-3:-1]
    assert laid_off(meld, card, f"{card} wild={below}") == low
    assert laid_off(meld, card, f"{card} wild={above}") == high


@pytest.mark.parametrize("cards", ["4d", "4s", "4c", "Jo 2s", "5h"])
def test_5_laying_off_on_a_run_rule_3_replacement_only_by_the_card_it_stands_for(
    cards: str,
) -> None:
    assert layoffs("3h-Jo(4h)-5h", cards) == []


def test_5_laying_off_on_a_run_rule_3_replacement_the_wild_never_leaves_the_run() -> None:
    start = game(hand="4h Tc Jd", melds=["3h-Jo(4h)-5h", "8s-9s-Ts"])
    assert starting_with(start, "layoff") == [
        "4h to 3h-Jo(4h)-5h wild=2h",
        "4h to 3h-Jo(4h)-5h wild=6h",
    ]
    assert hand(after(start, "layoff 4h to 3h-Jo(4h)-5h wild=6h")) == "Tc Jd"


def test_5_laying_off_on_a_run_rule_3_replacement_at_the_edges() -> None:
    assert layoffs("Ah-Jo(2h)-3h", "2h") == ["2h wild=4h"]
    assert layoffs("Qh-Jo(Kh)-Ah", "Kh") == ["Kh wild=Jh"]
    assert layoffs(f"Jo(Ah)-{TWO_TO_KING}", "Ah") == ["Ah", "Ah wild=Ah"]
    assert laid_off(f"Jo(Ah)-{TWO_TO_KING}", "Ah", "Ah wild=Ah") == f"{ACE_TO_KING}-Jo(Ah)"
    full = f"Ah-{TWO_TO_KING.replace('7h', 'Jo(7h)')}-Ah"
    assert layoffs(full, "7h", "clean-3000") == []


def test_5_laying_off_on_a_run_rule_3_replacement_a_wild_ace_at_low_or_high() -> None:
    meld = TWO_TO_KING.replace("9h", "Jo(9h)")
    assert layoffs(meld, "9h") == ["9h wild=Ah at high", "9h wild=Ah at low"]
    assert laid_off(meld, "9h", "9h wild=Ah at low") == f"Jo(Ah)-{TWO_TO_KING}"
    assert laid_off(meld, "9h", "9h wild=Ah at high") == f"{TWO_TO_KING}-Jo(Ah)"


def test_5_laying_off_on_a_run_rule_3_replacement_again_and_again() -> None:
    start = game(hand="4h 6h 7h Tc Jd", melds=["3h-Jo(4h)-5h"])
    grown = after(
        start,
        "layoff 4h to 3h-Jo(4h)-5h wild=6h",
        "layoff 6h to 3h-4h-5h-Jo(6h) wild=7h",
        "layoff 7h to 3h-4h-5h-6h-Jo(7h) wild=2h",
    )
    assert melds(grown) == ["Jo(2h)-3h-4h-5h-6h-7h"]


def test_5_laying_off_on_a_run_rule_3_replacement_own_two_in_place_two_is_natural() -> None:
    meld = "3h-2h(4h)-5h"
    assert laid_off(meld, "4h", "4h wild=2h") == "2h-3h-4h-5h"
    assert laid_off(meld, "4h", "4h wild=6h") == "3h-4h-5h-2h(6h)"
    assert layoffs("2h-3h-4h-5h", "Jo") == ["*(6h)", "*(Ah)"]  # the run has no wild any more


def test_5_laying_off_on_a_run_rule_3_replacement_another_two_in_place_two_is_wild() -> None:
    assert laid_off("3h-2s(4h)-5h", "4h", "4h wild=2h") == "2s(2h)-3h-4h-5h"
    assert layoffs("2s(2h)-3h-4h-5h", "Jo") == []
    assert laid_off("2s(2h)-3h-4h", "2h", "2h wild=Ah") == "2s(Ah)-2h-3h-4h"


def test_5_laying_off_on_a_run_rule_3_replacement_own_two_where_it_needs_a_three() -> None:
    assert laid_off("2h(3h)-4h-5h", "3h", "3h wild=2h", "rummyroyal") == "2h-3h-4h-5h"
    assert laid_off("3h-4h-2h(5h)", "5h", "5h wild=2h", "rummyroyal") == "2h-3h-4h-5h"


def test_5_laying_off_on_a_run_rule_3_replacement_not_to_a_place_that_is_not_in_the_deck() -> None:
    start = game("mini", hand="6c 4d 2d", melds=["5c-Jo(6c)-7c"])
    assert starting_with(start, "layoff") == ["6c to 5c-Jo(6c)-7c wild=4c"]


@pytest.mark.parametrize(
    ("meld", "words", "result"),
    [
        ("5h-6h-Jo(7h)", "3h wild=4h", "3h-Jo(4h)-5h-6h"),
        ("5h-6h-2s(7h)", "3h wild=4h", "3h-2s(4h)-5h-6h"),
        ("Jo(5h)-6h-7h", "9h wild=8h", "6h-7h-Jo(8h)-9h"),
        ("2h(5h)-6h-7h", "9h wild=8h", "6h-7h-2h(8h)-9h"),
        ("3h-4h-Jo(5h)", "Ah wild=2h", "Ah-Jo(2h)-3h-4h"),
        ("Jo(Th)-Jh-Qh", "Ah wild=Kh", "Jh-Qh-Jo(Kh)-Ah"),
        ("Jo(Ah)-2h-3h", "5h wild=4h", "2h-3h-Jo(4h)-5h"),
        ("Qh-Kh-Jo(Ah)", "Th wild=Jh", "Th-Jo(Jh)-Qh-Kh"),
    ],
)
def test_5_laying_off_on_a_run_rule_4_slide_from_one_end_to_the_other(
    meld: str, words: str, result: str
) -> None:
    card = words[:2]
    assert laid_off(meld, card, words, wild_slides=True) == result
    assert not any("wild=" in text for text in layoffs(meld, card))


@pytest.mark.parametrize("preset", ["rummyroyal", "pairs-app", "fitab", "app-2005"])
def test_5_laying_off_on_a_run_rule_4_slide_in_the_presets_that_have_it(preset: str) -> None:
    assert laid_off("5h-6h-Jo(7h)", "3h", "3h wild=4h", preset) == "3h-Jo(4h)-5h-6h"


def test_5_laying_off_on_a_run_rule_4_slide_never_of_an_inner_wild() -> None:
    assert layoffs("5h-Jo(6h)-7h", "3h 9h", "app-2005") == []


def test_5_laying_off_on_a_run_rule_4_slide_only_to_the_other_end() -> None:
    assert layoffs("5h-6h-Jo(7h)", "9h Th", "app-2005") == []
    assert layoffs("Jo(5h)-6h-7h", "3h 2h", "app-2005") == []


def test_5_laying_off_on_a_run_rule_4_slide_fills_the_gap_exactly() -> None:
    assert layoffs("6h-7h-Jo(8h)", "3h", "app-2005") == []  # two places between
    assert layoffs("6h-7h-Jo(8h)", "4d", "app-2005") == []  # another suit


def test_5_laying_off_on_a_run_rule_4_slide_not_beyond_the_aces() -> None:
    assert layoffs("2h-3h-Jo(4h)", "Kh Ah", "app-2005") == ["Ah"]
    assert layoffs("Jo(Jh)-Qh-Kh", "Ah 2h 3h", "app-2005") == ["Ah"]
    assert layoffs("Jo(Qh)-Kh-Ah", "2h 3h", "app-2005") == []


def test_5_laying_off_on_a_run_rule_4_slide_own_two_in_place_two_is_natural() -> None:
    grown = laid_off("3h-4h-2h(5h)", "Ah", "Ah wild=2h", "app-2005")
    assert grown == "Ah-2h-3h-4h"
    assert layoffs(grown, "Jo", "app-2005") == ["*(5h)"]
    assert laid_off("3h-4h-2h(5h)", "Ah", "Ah wild=2h", "rummyroyal") == "Ah-2h-3h-4h"


def test_5_laying_off_on_a_run_rule_4_slide_a_natural_two_below_the_wild() -> None:
    meld, words = "4h-5h-Jo(6h)", "2h wild=3h"
    assert laid_off(meld, "2h", words, "app-2005") == "2h-Jo(3h)-4h-5h"
    assert words not in layoffs(meld, "2h", "rummyroyal")
    assert words in layoffs(meld, "2h", "rummyroyal", natural_two_needs_three=False)


def test_5_laying_off_on_a_run_rule_4_slide_or_replacement_with_the_same_text() -> None:
    low = "Jo(Ah)-" + TWO_TO_QUEEN
    words = ["Ah wild=Kh at high", "Ah wild=Kh at low"]
    assert layoffs(low, "Ah", "app-2005") == words
    assert laid_off(low, "Ah", words[1], "app-2005") == "Ah-" + TWO_TO_QUEEN + "-Jo(Kh)"
    assert laid_off(low, "Ah", words[0], "app-2005") == TWO_TO_QUEEN + "-Jo(Kh)-Ah"
    assert layoffs(low, "Ah") == ["Ah wild=Kh"]  # without the slide one is left

    high = TWO_TO_KING.removeprefix("2h-") + "-Jo(Ah)"
    words = ["Ah wild=2h at high", "Ah wild=2h at low"]
    assert layoffs(high, "Ah", "app-2005") == words
    assert laid_off(high, "Ah", words[0], "app-2005") == "Jo(2h)-" + high.replace("Jo(Ah)", "Ah")
    assert laid_off(high, "Ah", words[1], "app-2005") == "Ah-Jo(2h)-" + high.removesuffix("-Jo(Ah)")
    assert layoffs(high, "Ah") == ["Ah wild=2h"]


@pytest.mark.parametrize(
    ("meld", "card", "legal"),
    [
        ("3c-4c-Jo(5c)", "Ac", ["Ac to 3c-4c-Jo(5c) wild=2c"]),
        ("Jo(3c)-4c-5c", "7c", ["7c to Jo(3c)-4c-5c wild=6c"]),
        ("Jo(5c)-6c-7c", "2c", []),  # there is no eight, no nine
    ],
)
def test_5_laying_off_on_a_run_rule_4_slide_only_over_places_of_the_deck(
    meld: str, card: str, legal: list[str]
) -> None:
    start = game("mini", hand=f"{card} 4d Ad", melds=[meld], wild_slides=True)
    assert starting_with(start, "layoff") == legal


def test_5_laying_off_on_a_run_rule_4_slide_not_into_a_gap_that_does_not_exist() -> None:
    start = game(hand="7h Tc Jd", melds=["Jo(3h)-4h-5h"], ranks="A2345789TJQK", wild_slides=True)
    assert starting_with(start, "layoff") == []


def test_5_laying_off_on_a_run_rule_5_two_turns_wild() -> None:
    assert layoffs("2h-3h-4h", "6h") == ["6h wild=5h"]
    assert laid_off("2h-3h-4h", "6h", "6h wild=5h") == "3h-4h-2h(5h)-6h"


@pytest.mark.parametrize("preset", ["coppie-2000", "clean-3000"])
def test_5_laying_off_on_a_run_rule_5_is_a_rule_of_its_own(preset: str) -> None:
    assert layoffs("2h-3h-4h", "6h", preset) == []
    assert layoffs("2h-3h-4h", "6h", preset, two_may_turn_wild=True) == ["6h wild=5h"]


@pytest.mark.parametrize(
    ("meld", "card"),
    [
        ("Ah-2h-3h-4h", "6h"),  # its lowest card is the ace
        ("2h-3h-Jo(4h)", "6h"),  # it has a wild
        ("2s(2h)-3h-4h", "6h"),  # the two is no natural two
        ("3h-4h-5h", "7h"),  # no two at all
        ("2h-3h-4h", "7h"),  # two places between
        ("2h-3h-4h", "6d"),  # another suit
        (TWO_TO_KING, "3h"),  # no place beyond the high ace
    ],
)
def test_5_laying_off_on_a_run_rule_5_only_a_lowest_natural_two_of_a_run_without_wild(
    meld: str, card: str
) -> None:
    assert layoffs(meld, card) == []


def test_5_laying_off_on_a_run_rule_5_up_to_the_high_ace() -> None:
    assert layoffs(TWO_TO_QUEEN, "Ah") == ["Ah", "Ah wild=Kh"]
    threes = TWO_TO_QUEEN.removeprefix("2h-")
    assert laid_off(TWO_TO_QUEEN, "Ah", "Ah wild=Kh") == f"{threes}-2h(Kh)-Ah"


def test_5_laying_off_on_a_run_rule_5_afterwards_it_is_a_wild_like_any_other() -> None:
    meld = "3h-4h-2h(5h)-6h"
    assert layoffs(meld, "Jo 2s") == []
    assert layoffs(meld, "5h") == ["5h wild=2h", "5h wild=7h"]
    assert laid_off(meld, "5h", "5h wild=2h") == "2h-3h-4h-5h-6h"  # natural again


def test_5_laying_off_on_a_run_rule_5_only_over_places_of_the_deck() -> None:
    start = game("mini", hand="6c 4d Ad", melds=["2c-3c-4c"])
    assert starting_with(start, "layoff") == ["6c to 2c-3c-4c wild=5c"]
    start = game("mini", hand="Ac 4d 5d", melds=["2c-3c-4c-5c-6c"])
    assert starting_with(start, "layoff") == ["Ac to 2c-3c-4c-5c-6c"]
    start = game(hand="7h Tc Jd", melds=["2h-3h-4h-5h"], ranks="A2345789TJQK")
    assert starting_with(start, "layoff") == []


def test_5_melds_never_merge() -> None:
    start = game(hand="6h 6h Tc Jd", melds=["3h-4h-5h", "7h-8h-9h"])
    grown = after(start, "layoff 6h to 3h-4h-5h")
    assert melds(grown) == ["3h-4h-5h-6h", "7h-8h-9h"]
    grown = after(grown, "layoff 6h to 7h-8h-9h")
    assert melds(grown) == ["3h-4h-5h-6h", "6h-7h-8h-9h"]


def test_5_melds_never_change_without_a_card_being_added() -> None:
    start = game("app-2005", hand="Tc Jd", melds=["3h-4h-Jo(5h)", "Jo(5s)-6s-7s"])
    assert start.legal() == ["discard Tc", "discard Jd"]


def test_5_melds_only_one_card_of_the_hand_is_added() -> None:
    start = game(hand="8h Tc Jd", melds=["5h-6h-7h", "8c-8d-8s"])
    assert hand(after(start, "layoff 8h to 8c-8d-8s")) == "Tc Jd"
    assert melds(after(start, "layoff 8h to 8c-8d-8s")) == ["5h-6h-7h", "8c-8d-8h-8s"]


def test_5_two_melds_with_the_same_text_are_the_same_target() -> None:
    start = game(hand="8h 8h Tc Jd", melds=["5h-6h-7h", "5h-6h-7h"])
    assert starting_with(start, "layoff") == ["8h to 5h-6h-7h"]
    grown = after(start, "layoff 8h to 5h-6h-7h")
    assert melds(grown) == ["5h-6h-7h", "5h-6h-7h-8h"]
    assert melds(after(grown, "layoff 8h to 5h-6h-7h")) == ["5h-6h-7h-8h", "5h-6h-7h-8h"]


def test_5_two_sets_with_the_same_text_are_the_same_target() -> None:
    start = game("app-2005", hand="6s 6s Tc Jd", melds=["6c-6d-6h", "6c-6d-6h"])
    assert starting_with(start, "layoff") == ["6s to 6c-6d-6h"]
    grown = after(start, "layoff 6s to 6c-6d-6h")
    assert melds(grown) == ["6c-6d-6h", "6c-6d-6h-6s"]


def test_5_melds_alike_but_for_their_wild_are_two_targets() -> None:
    start = game(hand="7h Tc Jd", melds=["4h-5h-Jo(6h)", "4h-5h-2s(6h)"])
    assert starting_with(start, "layoff") == ["7h to 4h-5h-2s(6h)", "7h to 4h-5h-Jo(6h)"]


def test_5_opponents_melds_are_never_laid_off_on() -> None:
    start = game(hand="9h 2h Jo Tc Jd", opponents=[SIX, "Tc-Td-Ts"])
    assert starting_with(start, "layoff") == []
    assert refuses(start, f"layoff 9h to {SIX}")
    assert allows(game(hand="9h 2h Jo Tc Jd", melds=[SIX]), f"layoff 9h to {SIX}")
