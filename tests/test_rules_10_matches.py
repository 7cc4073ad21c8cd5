"""Section 10 of the rules: matches, and those of three seats (sections 9 and 11)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from burraco_env import Match, Rules
from burraco_env.scoring import victory_points
from tests.positions import CLEAN, game

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]

CLUBS, DIAMONDS, SPADES = (CLEAN.replace("h", suit) for suit in "cds")
"""Clean burrachi of 45 points and the bonus of 200, in other suits than `CLEAN`."""


def begin(preset: str = "italian", seats: int | None = None, **overrides: Any) -> Match:
    return Match(Rules.preset(preset, seats, **overrides), seed=3, dealer=0)


def begin_to(target: int, seats: int = 4, **overrides: Any) -> Match:
    """A match of `italian` to a target, whatever the seats."""
    ends = {"match_target": target, "match_deals": None, "victory_points": False, **overrides}
    return begin("italian", seats, **ends)


def finish(match: Match, **named: Any) -> None:
    """End the deal at a position, exhausted; every hand holds a king (10 points)."""
    rules, seats = match.game.rules, match.game.rules.seats
    kings = ("Kc", "Kd", "Ks", "Kc")
    held = {"hand": kings[0], "hands": {seat: kings[seat] for seat in range(1, seats)}}
    end = {"outcome": "exhausted", "stock": 0, "turn": 3 * seats - match.game.dealer}
    if rules.pozzetti_refill_stock:
        end["pozzetti"] = []
    match.game = game(rules.preset_name, seats, **{**held, **end, **rules.overrides, **named})
    match.next_deal()


def test_10_the_points_of_the_deals_are_added_up() -> None:
    match = begin()
    finish(match, melds=[CLEAN])
    finish(match, opponents=[CLUBS, "5d-6d-7d"])
    assert match.deals == 2
    assert match.points == [[225, -20, 225, -20], [-20, 240, -20, 240]]
    assert match.totals == [205, 220, 205, 220]


def test_10_the_points_handed_out_are_a_copy() -> None:
    match = begin()
    finish(match)
    match.points[0][0] = 1000
    assert match.points == [[-20] * 4]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_10_the_dealer_moves_one_seat_clockwise(seats: int) -> None:
    match = begin_to(2005, seats)
    dealers = []
    for _ in range(seats + 1):
        dealers.append(match.game.dealer)
        assert match.game.seat == (match.game.dealer + 1) % seats
        finish(match)
    assert dealers == [*range(seats), 0]


def test_10_the_first_dealer_is_drawn_from_the_seed_or_given() -> None:
    rules = Rules.preset("italian")
    assert {Match(rules, seed=seed).game.dealer for seed in range(40)} == {0, 1, 2, 3}
    assert Match(rules, seed=3, dealer=2).game.dealer == 2


@pytest.mark.parametrize("bad", [{"dealer": 4}, {"dealer": -2}, {"seed": 1.5}, {"seed": -1}])
def test_10_a_bad_dealer_or_seed_is_refused(bad: dict[str, Any]) -> None:
    (name,) = bad
    with pytest.raises(ValueError, match=f"{name} must be a"):
        Match(Rules.preset("italian"), **bad)


def test_10_decks_differ_between_the_deals_of_a_match() -> None:
    match = begin_to(2005)
    decks = set()
    for _ in range(8):
        decks.add(match.game.deck)
        finish(match)
    assert len(decks) == 8


def test_10_decks_differ_between_seeds_and_not_between_runs() -> None:
    rules = Rules.preset("italian")
    decks = {Match(rules, seed=seed, dealer=0).game.deck for seed in range(20)}
    assert len(decks) == 20
    assert Match(rules, seed=7).game.position() == Match(rules, seed=7).game.position()


def test_10_decks_depend_on_the_seed_and_the_number_of_the_deal_alone() -> None:
    one, other = begin(), begin()
    finish(one, melds=[CLEAN])
    finish(other, opponents=[CLUBS])
    assert one.game.deck == other.game.deck


@pytest.mark.parametrize("deals", [3, 4])
def test_10_the_match_ends_after_its_deals(deals: int) -> None:
    match = begin(match_deals=deals)
    for _ in range(deals):
        assert not match.is_over
        finish(match, melds=[CLEAN])
    assert match.is_over
    with pytest.raises(ValueError, match=f"the match is over after {deals} deals"):
        match.next_deal()


def test_10_a_deal_that_is_not_over_is_not_credited() -> None:
    match = begin()
    with pytest.raises(ValueError, match="points are counted when the deal is over"):
        match.next_deal()
    assert match.deals == 0


@pytest.mark.parametrize(
    ("inclusive", "target", "over"),
    [(True, 225, True), (True, 230, False), (False, 225, False), (False, 220, True)],
)
def test_10_target_reached_or_passed(inclusive: bool, target: int, over: bool) -> None:
    match = begin_to(target, match_target_inclusive=inclusive)
    finish(match, melds=[CLEAN])
    assert match.is_over == over


def test_10_target_is_one_of_the_totals_not_of_a_deal() -> None:
    match = begin_to(450)
    finish(match, melds=[CLEAN])
    assert not match.is_over
    finish(match, melds=[CLEAN])
    assert match.is_over


def test_10_target_by_either_side_and_the_highest_total_wins() -> None:
    match = begin_to(225)
    finish(match, melds=[CLEAN], opponents=[CLUBS, "5d-6d-7d"])  # both pass it in the same deal
    assert match.is_over
    assert match.winners == [1, 3]


def test_10_target_and_deals_whichever_comes_first() -> None:
    match = begin_to(225, match_deals=3)
    finish(match, melds=[CLEAN])
    assert match.is_over
    match = begin_to(225, match_deals=3)
    for _ in range(3):
        assert not match.is_over
        finish(match, melds=["5h-6h-7h"])
    assert match.is_over


def test_10_tie_at_the_target_another_deal() -> None:
    match = begin_to(225)
    finish(match, melds=[CLEAN], opponents=[CLUBS])
    assert not match.is_over
    finish(match)
    assert not match.is_over  # still a tie, below the target now
    assert match.totals == [205] * 4
    finish(match, melds=["5h-6h-7h"], opponents=[CLUBS])
    assert match.is_over
    assert match.winners == [1, 3]


def test_10_tie_after_the_last_deal_another_deal() -> None:
    match = begin("rummyroyal")  # one deal
    finish(match)
    assert not match.is_over
    assert match.game.dealer == 1
    finish(match, melds=["5h-6h-7h"])
    assert match.is_over
    assert (match.deals, match.winners) == (2, [0])


def test_10_tie_in_pairs_app_is_a_draw() -> None:
    match = begin("pairs-app")
    finish(match)
    assert match.is_over
    assert match.winners == [0, 1, 2, 3]


def test_10_winners_are_known_at_the_end_only() -> None:
    match = begin()
    with pytest.raises(ValueError, match="the match goes on after 0 deals"):
        _ = match.winners


VICTORY_POINTS = [
    # VP, difference with 4 deals, difference with 3 deals (spec 10)
    (10, (0, 100), (0, 50)),
    (11, (105, 300), (55, 150)),
    (12, (305, 500), (155, 250)),
    (13, (505, 700), (255, 350)),
    (14, (705, 900), (355, 500)),
    (15, (905, 1100), (505, 650)),
    (16, (1105, 1300), (655, 800)),
    (17, (1305, 1500), (805, 1000)),
    (18, (1505, 1700), (1005, 1250)),
    (19, (1705, 2000), (1255, 1500)),
    (20, (2005, 9000), (1505, 9000)),
]


@pytest.mark.parametrize(("vp", "four", "three"), VICTORY_POINTS)
def test_10_victory_points_table(vp: int, four: tuple[int, int], three: tuple[int, int]) -> None:
    for deals, bounds in ((4, four), (3, three)):
        for difference in bounds:
            assert victory_points(difference, deals) == (vp, 20 - vp)
            if difference:
                assert victory_points(-difference, deals) == (20 - vp, vp)


@pytest.mark.parametrize("deals", [1, 2, 5])
def test_10_victory_points_have_tables_for_three_and_four_deals(deals: int) -> None:
    with pytest.raises(ValueError, match=f"for 3 and 4 deals, not for {deals}"):
        victory_points(100, deals)


def test_10_victory_points_of_a_match() -> None:
    match = begin(match_deals=3)
    for _ in range(3):
        finish(match, opponents=[CLUBS])
    assert match.totals[1] - match.totals[0] == 735
    assert match.victory_points == (4, 16)
    assert match.winners == [1, 3]


def test_10_victory_points_an_exact_tie_is_ten_to_ten_without_another_deal() -> None:
    match = begin()
    for _ in range(4):
        finish(match)
    assert match.is_over
    assert match.victory_points == (10, 10)
    assert match.winners == [0, 1, 2, 3]


def test_10_victory_points_of_a_small_difference_are_ten_to_ten_too() -> None:
    match = begin(match_deals=3)
    for _ in range(3):
        finish(match, melds=["5h-6h-7h"])
    assert match.victory_points == (10, 10)
    assert match.winners == [0, 2]


def test_10_victory_points_need_a_finished_match_that_has_them() -> None:
    with pytest.raises(ValueError, match="Victory Points need a finished match"):
        _ = begin().victory_points
    match = begin("rummyroyal")
    finish(match, melds=[CLEAN])
    with pytest.raises(ValueError, match="of rules with victory_points"):
        _ = match.victory_points


def test_10_three_seats_are_credited_one_by_one() -> None:
    match = begin(seats=3)
    finish(match, melds=[CLEAN], opponents=["5d-6d-7d"], taken=(0,), soloist=0)
    assert match.totals == [235, -52.5, -52.5]
    finish(match, third=["5d-6d-7d"])
    assert match.totals == [225, -62.5, -47.5]


@pytest.mark.parametrize(("limit", "sizes"), [(235, (11, 11, 11)), (240, (18, 11))])
def test_10_three_seats_play_with_three_pozzetti_from_the_limit_on(
    limit: int, sizes: tuple[int, ...]
) -> None:
    match = begin(seats=3, match_three_pozzetti_at=limit)
    assert match.game.rules.pozzetto_sizes == (18, 11)
    finish(match, third=[CLEAN])
    assert match.game.rules.pozzetto_sizes == sizes
    pozzetti = match.game.position()["pozzetti"]
    assert tuple(len(text.split()) for text in pozzetti) == sizes
    assert match.rules.pozzetto_sizes == (18, 11)  # those of the match stay


def test_10_three_seats_once_with_three_pozzetti_always_with_three() -> None:
    match = begin(seats=3, match_three_pozzetti_at=235)
    finish(match, melds=[CLEAN])
    assert len(match.game.rules.pozzetto_sizes) == 3
    finish(match)
    assert max(match.totals) == 225
    assert len(match.game.rules.pozzetto_sizes) == 3


def test_10_three_seats_to_1505_with_the_switch_at_1000() -> None:
    match = begin(seats=3)
    laid = [CLEAN, CLUBS, DIAMONDS, SPADES]
    finish(match, melds=laid)  # 980 - 10
    assert match.game.rules.pozzetto_sizes == (18, 11)
    finish(match, melds=["5h-6h-7h", "Jh-Qh-Kh"])
    assert match.totals[0] == 1005
    assert match.game.rules.pozzetto_sizes == (11, 11, 11)
    finish(match, melds=laid[:2])
    assert match.totals[0] == 1485
    assert not match.is_over
    finish(match, melds=["Jh-Qh-Kh"])
    assert match.totals[0] == 1505
    assert match.is_over
    assert match.winners == [0]


def test_10_three_seats_coppie_2000_has_no_switch() -> None:
    match = begin("coppie-2000", seats=3)
    for _ in range(2):
        finish(match, melds=[CLEAN, CLUBS, DIAMONDS, SPADES])
    assert match.totals[0] > 1000
    assert match.game.rules.pozzetto_sizes == (18, 11)


def test_10_three_seats_a_tie_of_two_seats_another_deal() -> None:
    match = begin(seats=3, match_target=200)
    finish(match, melds=[CLEAN], third=[CLUBS])
    assert not match.is_over
    finish(match, melds=["5h-6h-7h"])
    assert match.is_over
    assert match.winners == [0]


def test_10_a_whole_match_of_random_play() -> None:
    rng = random.Random(1)
    match = Match(Rules.preset("mini", match_target=150), seed=1)
    while not match.is_over:
        assert max(match.totals) < 150 or match.totals[0] == match.totals[1]
        while not match.game.is_over:
            match.game.play(rng.choice(match.game.legal()))
        match.next_deal()
    assert max(match.totals) >= 150
    assert match.totals == [sum(column) for column in zip(*match.points, strict=True)]
    assert match.deals == len(match.points)
