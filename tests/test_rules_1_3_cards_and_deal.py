"""Sections 1 and 3 of the rules: cards and points, the deck, the deal."""

from __future__ import annotations

from collections import Counter

import pytest

from burraco_env import CardError, Game, PositionError, Rules
from tests.positions import ORDER, after, allows, cards_of, game, hand, melds, position

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]

POINTS = {"A": 15, "2": 20, "3": 5, "4": 5, "5": 5, "6": 5, "7": 5, "8": 10, "9": 10, "T": 10}
POINTS |= {"J": 10, "Q": 10, "K": 10}

DEALS = [
    # preset, seats, cards of the deck, pozzetti, stock
    ("italian", 4, 108, [11, 11], 41),
    ("italian", 2, 108, [11, 11], 63),
    ("italian", 3, 108, [18, 11], 45),
    ("rummyroyal", 2, 106, [11, 11], 61),
    ("pairs-app", 4, 108, [11, 11], 41),
    ("clean-3000", 4, 108, [11, 11], 41),
    ("clean-3000", 2, 108, [11, 11], 63),
    ("coppie-2000", 4, 106, [11, 11], 39),
    ("coppie-2000", 2, 106, [11, 11], 61),
    ("coppie-2000", 3, 106, [18, 11], 43),
    ("fitab", 4, 108, [11, 11], 41),
    ("fitab", 2, 108, [11, 11], 63),
    ("international", 4, 108, [11, 11], 41),
    ("international", 2, 108, [11, 11], 63),
    ("reale", 4, 104, [11, 11], 37),
    ("reale", 2, 104, [11, 11], 59),
    ("app-2005", 4, 108, [11, 11], 41),
    ("app-2005", 2, 108, [11, 11], 63),
    ("mini", 2, 29, [3, 3], 14),
]


def sorted_deck(rules: Rules) -> list[str]:
    copies = [card for card in ORDER[:-1] if card[0] in rules.ranks and card[1] in rules.suits]
    return sorted(copies * rules.copies, key=ORDER.index) + ["Jo"] * rules.jokers


@pytest.mark.parametrize("suit", list("cdhs"))
@pytest.mark.parametrize("rank", list(POINTS))
def test_1_points_of_each_card(rank: str, suit: str) -> None:
    finished = game(seats=2, hand=rank + suit, outcome="exhausted", stock=2)
    assert finished.points()[0]["hand"] == -POINTS[rank]


def test_1_points_of_the_joker() -> None:
    finished = game(seats=2, hand="Jo Jo", outcome="exhausted", stock=2)
    assert finished.points()[0]["hand"] == -60


@pytest.mark.parametrize(
    ("meld", "points"),
    [
        ("4h-5h-6h", 15),
        ("Jo(4h)-5h-6h", 40),
        ("Qc-Kc-2s(Ac)", 40),
        ("2h-3h-4h", 30),
        ("2h(5h)-6h-7h", 30),
        ("6c-6d-Jo", 40),
        ("Ac-Ad-2s", 50),
    ],
)
def test_1_points_are_those_of_the_printed_card_never_of_its_role(meld: str, points: int) -> None:
    finished = game(melds=[meld], hand="3c", outcome="exhausted", stock=2)
    assert finished.points()[0]["melds"] == points


@pytest.mark.parametrize("two", ["2c", "2d", "2h", "2s"])
def test_1_any_two_is_a_pinella(two: str) -> None:
    start = game(hand=f"7h 8h {two} Kc Qd")
    assert melds(after(start, "meld 7h-8h-*(9h)")) == [f"7h-8h-{two}(9h)"]
    start = game(hand=f"6c 6d {two} Kc Qd")
    assert melds(after(start, "meld 6c-6d-*")) == [f"6c-6d-{two}"]


@pytest.mark.parametrize("meld", ["Jo-3h-4h", "Jo-Jo-Jo", "5h-Jo(6h)-Jo(7h)"])
def test_1_a_joker_is_never_natural(meld: str) -> None:
    with pytest.raises(PositionError):
        game(hand="Kc Qd", melds=[meld])


def test_1_a_two_is_natural_only_in_place_two_of_its_own_suit() -> None:
    start = game(hand="2h 3h 4h 2s Kc")
    assert melds(after(start, "meld 2h-3h-4h")) == ["2h-3h-4h"]
    assert melds(after(start, "meld *(2h)-3h-4h")) == ["2s(2h)-3h-4h"]
    with pytest.raises(PositionError):
        game(hand="Kc Qd", melds=["2s-3h-4h"])


def test_1_notation_10h_is_accepted_for_the_ten() -> None:
    place = position(hand="Th Kc Qd", melds=["7h-8h-9h"])
    place["hands"][0] = "10h Kc Qd"
    start = Game.from_position(place)
    assert hand(start) == "Kc Qd Th"
    assert melds(after(start, "layoff 10h to 7h-8h-9h")) == ["7h-8h-9h-Th"]
    assert after(start, "discard 10h").position()["discard_pile"].endswith("Th")


def test_1_notation_hands_are_written_in_canonical_order() -> None:
    assert hand(game(hand="Jo 2c As Ac Kc Ad Ah")) == "Ac 2c Kc Ad Ah As Jo"


@pytest.mark.parametrize("card", ["1h", "11h", "hT", "T", "Jx", "JoJo", "th"])
def test_1_notation_other_texts_are_no_cards(card: str) -> None:
    place = position(hand="Kc Qd")
    place["hands"][0] = f"Kc {card}"
    with pytest.raises(PositionError, match="is no card"):
        Game.from_position(place)


@pytest.mark.parametrize(("preset", "seats", "size", "pozzetti", "stock"), DEALS)
def test_1_deck_of_every_preset(
    preset: str, seats: int, size: int, pozzetti: list[int], stock: int
) -> None:
    rules = Rules.preset(preset, seats)
    cards = cards_of(Game.deal(rules, seed=1).position())
    assert cards == Counter(sorted_deck(rules))
    assert cards.total() == rules.num_cards == size


def test_1_deck_size_is_a_matter_of_copies_ranks_suits_and_jokers() -> None:
    rules = Rules.preset("italian", seats=2, copies=1, ranks="A23456789", suits="cdhs", jokers=2,
                         hand_size=5, pozzetto_sizes=[4, 4])  # fmt: skip
    cards = cards_of(Game.deal(rules, seed=1).position())
    assert cards.total() == 38
    assert cards["Jo"] == 2
    assert cards["9s"] == 1
    assert cards["Ts"] == 0


@pytest.mark.parametrize(("preset", "seats", "size", "pozzetti", "stock"), DEALS)
def test_3_hands_pozzetti_upcard_and_stock(
    preset: str, seats: int, size: int, pozzetti: list[int], stock: int
) -> None:
    place = Game.deal(Rules.preset(preset, seats), seed=3).position()
    hand_size = 4 if preset == "mini" else 11
    assert [len(text.split()) for text in place["hands"]] == [hand_size] * seats
    assert [len(text.split()) for text in place["pozzetti"]] == pozzetti
    assert len(place["discard_pile"].split()) == 1
    assert len(place["stock"].split()) == stock
    assert place["phase"] == "draw"
    assert place["turn"] == 0


@pytest.mark.parametrize(("seats", "dealer"), [(4, 1), (4, 3), (2, 0), (3, 2)])
def test_3_one_card_at_a_time_from_the_seat_after_the_dealer(seats: int, dealer: int) -> None:
    rules = Rules.preset("italian", seats)
    deck = sorted_deck(rules)[::-1]
    place = Game.from_deck(rules, " ".join(deck), dealer).position()
    for number in range(seats):
        dealt = deck[number : 11 * seats : seats]
        assert Counter(place["hands"][(dealer + 1 + number) % seats].split()) == Counter(dealt)


def test_3_then_the_pozzetti_in_full_the_upcard_and_the_stock() -> None:
    rules = Rules.preset("rummyroyal")  # pozzetti are written in their order
    deck = sorted_deck(rules)
    place = Game.from_deck(rules, " ".join(deck), 0).position()
    assert place["pozzetti"] == [" ".join(deck[22:33]), " ".join(deck[33:44])]
    assert place["discard_pile"] == deck[44]
    assert place["stock"] == " ".join(deck[45:])


@pytest.mark.parametrize("upcard", ["Jo", "2h", "7c"])
def test_3_the_upcard_stays_whatever_it_is(upcard: str) -> None:
    rules = Rules.preset("italian")
    deck = sorted_deck(rules)
    deck.remove(upcard)
    deck.insert(66, upcard)
    start = Game.from_deck(rules, " ".join(deck), 0)
    assert start.position()["discard_pile"] == upcard
    assert allows(start, "pickup")


def test_3_the_same_seed_deals_the_same() -> None:
    rules = Rules.preset("italian")
    assert Game.deal(rules, seed=5).position() == Game.deal(rules, seed=5).position()


def test_3_different_seeds_deal_different_decks() -> None:
    rules = Rules.preset("italian")
    assert len({Game.deal(rules, seed=seed, dealer=0).deck for seed in range(50)}) == 50


def test_3_the_dealer_is_drawn_from_the_seed_or_given() -> None:
    rules = Rules.preset("italian")
    assert {Game.deal(rules, seed=seed).dealer for seed in range(40)} == {0, 1, 2, 3}
    assert Game.deal(rules, seed=5, dealer=2).dealer == 2


def test_3_the_deck_of_a_deal_deals_it_again() -> None:
    rules = Rules.preset("italian", 3)
    start = Game.deal(rules, seed=8)
    assert start.deck is not None
    assert Game.from_deck(rules, start.deck, start.dealer).position() == start.position()


def test_3_without_a_seed_each_deal_is_another() -> None:
    rules = Rules.preset("italian")
    assert Game.deal(rules).deck != Game.deal(rules).deck


@pytest.mark.parametrize("seed", [-1, 1.5, "7"])
def test_3_a_bad_seed_is_refused(seed: object) -> None:
    with pytest.raises(ValueError, match="seed must be a whole number >= 0"):
        Game.deal(Rules.preset("italian"), seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("dealer", [-1, 4, True, "0"])
def test_3_a_bad_dealer_is_refused(dealer: object) -> None:
    with pytest.raises(ValueError, match="dealer must be a seat from 0 to 3"):
        Game.deal(Rules.preset("italian"), seed=1, dealer=dealer)  # type: ignore[arg-type]


def test_3_a_deck_of_other_cards_is_refused() -> None:
    rules = Rules.preset("italian")
    deck = sorted_deck(rules)
    with pytest.raises(ValueError, match=r"108 cards; too many: none; missing: Ac$"):
        Game.from_deck(rules, " ".join(deck[1:]), 0)
    with pytest.raises(ValueError, match=r"too many: 3h; missing: Jo$"):
        Game.from_deck(rules, " ".join([*deck[:-1], "3h"]), 0)
    with pytest.raises(CardError, match="'Xx' is no card"):
        Game.from_deck(rules, " ".join([*deck[:-1], "Xx"]), 0)
